"""Tracers that NumPy would make views, so that in-place writes are seen as NumPy's are.

`y = x[1:]` shares memory with `x` in NumPy: a write to either is seen by both. Here no
memory is ever written. A write gives the tracer that owns the memory, the *root*, a new
value (`rebind`), and a `View` remembers the tracer it was taken from and the operation
that made it: after a write anywhere in its trace it takes its value anew from its base
when it is next read. A write through a view is written back to the root
(`fad.ops.inplace`). Values that were read before keep what they were, so residuals need
no protection.

In a concrete trace NumPy itself tells whether a result shares memory. In an abstract
one the operation tells: `prim.view` is True, or a function of the avals that may answer
None where it depends on the memory layout (`reshape`): then a write raises
`InPlaceError`.

Public names: `View`, `as_view`, `is_array`, `rebind`, `root_of`, `snapshot`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .avals import Aval
from .errors import InPlaceError
from .trace import Tracer, ambient, concrete_value

if TYPE_CHECKING:
    from .primitive import Primitive

__all__ = ["View", "as_view", "is_array", "rebind", "root_of", "snapshot"]

_new = object.__new__


class View(Tracer):
    """A tracer whose memory, in NumPy, would be that of `base`.

    Attributes:
        base: the tracer it was taken from, itself possibly a view.
        prim, params: the operation that made it, `prim(base, **params)`.
        certain: whether NumPy surely returns a view here.
    """

    __slots__ = (
        "_value",
        "_payload",
        "base",
        "prim",
        "params",
        "certain",
        "_seen",
        "_of_value",
        "_of_payload",
    )

    base: Tracer
    prim: Primitive
    params: dict[str, Any]
    certain: bool
    _value: Any
    _payload: Any
    _seen: int  # the trace's count of writes when the view was last known to be fresh
    _of_value: Any  # what it was taken from
    _of_payload: Any

    @property
    def value(self) -> Any:
        """The value one level below, taken anew after a write."""
        if self._seen != self.owner.writes:
            self._refresh()
        return self._value

    @property
    def payload(self) -> Any:
        """The payload, taken anew after a write."""
        if self._seen != self.owner.writes:
            self._refresh()
        return self._payload

    def _refresh(self) -> None:
        stale: list[View] = []
        view: Tracer = self
        while isinstance(view, View) and view._seen != view.owner.writes:
            stale.append(view)
            view = view.base
        for view in reversed(stale):
            view._renew()

    def _renew(self) -> None:
        value, payload = self.base.value, self.base.payload
        if value is not self._of_value or payload is not self._of_payload:
            if not self.certain:
                raise InPlaceError(maybe_shared(self))
            with ambient(self.owner.outer):  # not for a program staged in between
                box = self.owner.process(self.prim, (self.base,), self.params)
            self._value, self._payload = box.value, box.payload
            self._of_value, self._of_payload = value, payload
        self._seen = self.owner.writes


def maybe_shared(view: View) -> str:
    """Say why a write to a view, or to what it was taken from, has no clear meaning."""
    name = view.prim.name
    return (
        f"In-place write to an array {view.base.aval!r} or to what {name} made of it: "
        f"whether {name} returns a view or a copy depends on the memory layout, which "
        f"is not known while tracing under {view.owner.name}. Make it a copy of its "
        f"own, fnp.copy({name}(...)), or write y = y.at[index].set(value), a new array."
    )


def as_view(
    box: Any, prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]
) -> Any:
    """Return `box` as a `View` of the only argument if NumPy would share memory."""
    base = args[0]
    if len(args) > 1 or not (isinstance(box, Tracer) and isinstance(base, Tracer)):
        return box
    trace = box.owner
    if base.owner is not trace:
        return box
    if trace.concrete:
        certain: Any = _shares(box.value, base.value)
    elif not is_array(base):
        return box
    else:
        certain = prim.view
        if callable(certain):
            certain = certain(trace.aval(base), trace.aval(box), **params)
    if certain is False:
        return box
    view = _new(View)
    view.owner = trace
    view._value = box.value
    view._payload = box.payload
    view.base = base
    view.prim = prim
    view.params = params
    view.certain = certain is True
    view._seen = trace.writes
    view._of_value = base.value
    view._of_payload = base.payload
    return view


def _shares(value: Any, base: Any) -> bool | None:
    """Tell whether a value lies in the memory of the value it was made from."""
    if value.__class__ is np.ndarray:
        owner = value.base
        if owner is None:
            return value is base
        return owner is base or owner is getattr(base, "base", None)
    if isinstance(value, View):
        return value.certain or None
    return False


def same_axes(x: Aval, out: Aval, **params: Any) -> bool | None:
    """Tell whether a reshape is surely a view: only axes of size 1 come and go."""
    kept = [n for n in x.shape if n != 1]
    return True if kept == [n for n in out.shape if n != 1] else None


def is_array(tracer: Tracer) -> bool:
    """Tell whether NumPy would hold an array here, which can be written to.

    Results of shape () are scalars in NumPy, which cannot. What is not known while
    tracing is taken for a scalar if it has shape () and is not a view.
    """
    value = concrete_value(tracer)
    if value is not None:
        return isinstance(value, np.ndarray)
    return isinstance(tracer, View) or tracer.shape != ()


def root_of(tracer: Tracer) -> tuple[Tracer, list[View]]:
    """Return the tracer that owns the memory, and the views from it to `tracer`."""
    chain: list[View] = []
    while isinstance(tracer, View):
        chain.append(tracer)
        tracer = tracer.base
    return tracer, chain[::-1]


def rebind(root: Tracer, new: Tracer) -> None:
    """Give a root a new value of its own trace, and make its views stale."""
    root.value, root.payload = new.value, new.payload
    root.owner.writes += 1


def snapshot(value: Any) -> Any:
    """Return a value, if a tracer then another one that later writes do not reach."""
    if isinstance(value, Tracer):
        return Tracer(value.owner, value.value, value.payload)
    return value
