"""Batching: the same operation on a stack of examples.

`Batch` is the trace of `vmap`. Its tracers look like one example, of the example's aval
and without a value, and carry the stacked value with its batch axis. Each operation is
batched as it comes, by the primitive's `batch` rule; operations that touch no batched
value cost what they cost outside.

Public names: `Batch`, `BatchedValue`, `named_axis`, `find_axis`.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..core.avals import Aval
from ..core.ir import next_serial
from ..core.primitive import Primitive
from ..core.tape import annotate
from ..core.trace import Trace, Tracer, aval_of, staging_trace
from ..core.views import as_view

__all__ = ["Batch", "BatchedValue", "find_axis", "named_axis"]


_counting = threading.Lock()


_axes: contextvars.ContextVar[tuple[Batch, ...]] = contextvars.ContextVar(
    "fad_named_axes", default=()
)


@contextlib.contextmanager
def named_axis(batch: Batch) -> Iterator[None]:
    """Make the batch's axis known by its name in this context."""
    if batch.axis_name is None:
        yield
        return
    token = _axes.set((*_axes.get(), batch))
    try:
        yield
    finally:
        _axes.reset(token)


def find_axis(name: Any) -> Batch:
    """Return the innermost batch whose axis has a name.

    Raises:
        NameError: no such axis.
    """
    for batch in reversed(_axes.get()):
        if batch.axis_name == name:
            return batch
    known = ", ".join(repr(b.axis_name) for b in _axes.get()) or "none"
    raise NameError(
        f"unbound axis name {name!r}; axes that vmap has named here: {known}. Name one "
        "by fad.vmap(..., axis_name=...)"
    )


class BatchedValue(NamedTuple):
    """A stack of examples along the axis `dim` of `stacked`."""

    stacked: Any
    dim: int


class Batch(Trace):
    """An abstract trace over `size` examples.

    Attributes:
        size: the number of examples.
        axis_name: the name that collectives use, or None.
    """

    __slots__ = ("size", "axis_name", "_index")
    concrete = False
    name = "vmap"

    def __init__(self, size: int, axis_name: Any = None) -> None:
        super().__init__()
        self.size = size
        self.axis_name = axis_name
        self._index: Tracer | None = None

    @property
    def index(self) -> Tracer:
        """The number of each example; collectives find their axis by it."""
        if self._index is None:
            self._index = self.input(np.arange(self.size), 0)
        return self._index

    def input(self, stacked: Any, dim: int) -> Tracer:
        """Box a stack of examples."""
        return Tracer(self, None, BatchedValue(stacked, dim))

    def aval(self, tracer: Tracer) -> Aval:
        stacked, dim = tracer.payload
        aval = aval_of(stacked)
        return Aval((*aval.shape[:dim], *aval.shape[dim + 1 :]), aval.dtype)

    @contextlib.contextmanager
    def resumed(self) -> Iterator[None]:
        """Let rules run on this trace's tracers, also after the vmap has finished.

        Under a staging trace that was opened since, examples hold its tracers, so this
        trace has to come first for the time being.
        """
        staging, level = staging_trace(), self.level
        with _counting:
            self.open += 1
            if staging is not None and staging.level > level:
                self.level = next_serial()
        try:
            yield
        finally:
            with _counting:
                self.open -= 1
                self.level = level

    def unbox(self, value: Any) -> tuple[Any, int | None]:
        """Return (stacked value, batch axis), or (value, None) of an unbatched one."""
        if isinstance(value, Tracer) and value.owner is self:
            stacked, dim = value.payload
            return stacked, dim
        return value, None

    def process(
        self, prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        if not self.open:
            self.escaped(prim.name)
        if prim.batched is not None:
            return prim.batched(self, args, params)
        pairs = [self.unbox(a) for a in args]
        values, dims = [v for v, _ in pairs], [d for _, d in pairs]
        try:
            outs, out_dims = prim.batch(self.size, values, dims, **params)
        except Exception as error:
            annotate(error, prim, list(args))
            raise
        if prim.multiple_results:
            return [self._box(o, d) for o, d in zip(outs, out_dims, strict=True)]
        box = self._box(outs, out_dims)
        return as_view(box, prim, args, params) if prim.view else box

    def _box(self, out: Any, dim: int | None) -> Any:
        return out if dim is None else self.input(out, dim)
