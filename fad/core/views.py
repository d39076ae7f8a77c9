"""Tracers that NumPy would make views, so that in-place writes are seen as NumPy's are.

`y = x[1:]` shares memory with `x` in NumPy: a write to either is seen by both. A `View`
remembers the tracer it was taken from and the operation that made it. After a write
anywhere in its trace it takes its value and variable anew from its base when next read;
a write *through* it goes to the root (`fad.ops.inplace`).

In a concrete trace NumPy itself tells whether the result shares memory. In an abstract
one the operation tells: basic indexing and transposing always share, and where sharing
depends on the memory layout (`reshape`), a write raises `InPlaceError`.

Public names: `View`, `as_view`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .trace import Trace, Tracer, bind

if TYPE_CHECKING:
    from .primitive import Primitive

__all__ = ["View", "as_view"]


class View(Tracer):
    """A tracer whose memory, in NumPy, would be that of `base`.

    Attributes:
        base: the tracer it was taken from, itself possibly a view.
        prim, args, params: the operation that made it: `prim(base, *args, **params)`.
        certain: whether NumPy surely returns a view here.
    """

    __slots__ = (
        "_value",
        "_var",
        "base",
        "prim",
        "args",
        "params",
        "certain",
        "_seen",
        "_base_var",
    )

    def __init__(
        self,
        box: Tracer,
        prim: Primitive,
        args: tuple[Any, ...],
        params: dict[str, Any],
        certain: bool,
    ) -> None:
        base = args[0]
        self.trace = box.trace
        self._value, self._var = box.value, box.var
        self.base, self.prim, self.params = base, prim, params
        self.args = args[1:]
        self.certain = certain
        self._seen, self._base_var = box.trace.writes, base.var

    def _refresh(self) -> None:
        if self._seen == self.trace.writes:
            return
        self._seen = self.trace.writes
        if self.base.var is self._base_var:
            return
        self._base_var = self.base.var
        box = bind(self.prim, self.base, *self.args, **self.params)
        self._value, self._var = box.value, box.var

    @property
    def value(self) -> Any:  # type: ignore[override]
        """The value one level below, taken anew after a write."""
        self._refresh()
        return self._value

    @property
    def var(self) -> Any:  # type: ignore[override]
        """The variable, taken anew after a write."""
        self._refresh()
        return self._var


def as_view(
    box: Any, prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]
) -> Any:
    """Return `box` as a `View` of its first argument if NumPy would share memory."""
    base = args[0]
    if not (isinstance(box, Tracer) and isinstance(base, Tracer)):
        return box
    if base.trace is not box.trace:
        return box
    certain = prim.view is True
    if box.trace.concrete and not _shares(box.value, base.value):
        return box
    return View(box, prim, args, params, certain or box.trace.concrete)


def _shares(value: Any, base: Any) -> bool:
    if isinstance(value, Tracer):
        return isinstance(value, View)
    if not isinstance(value, np.ndarray) or value.base is None:
        return False
    if not isinstance(base, np.ndarray):  # a number, or a tracer of another trace
        return False
    return value.base is base or value.base is base.base


def root_of(tracer: Tracer) -> tuple[Tracer, list[View]]:
    """Return the tracer that owns the memory, and the views from it down to `tracer`."""
    chain: list[View] = []
    while isinstance(tracer, View):
        chain.append(tracer)
        tracer = tracer.base
    return tracer, chain[::-1]


def rebind(tracer: Tracer, new: Any, trace: Trace) -> None:
    """Give a root tracer a new value in place, and make its views stale."""
    if isinstance(new, Tracer) and new.trace is trace:
        tracer.value, tracer.var = new.value, new.var
    else:
        tracer.value, tracer.var = new, None
    trace.writes += 1
