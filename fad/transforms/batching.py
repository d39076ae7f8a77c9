"""Batching: the same operation on a stack of examples.

`Batch` is the trace of `vmap`. Its tracers look like one example, of the example's aval
and without a value, and carry the stacked value with its batch axis. Each operation is
batched as it comes, by the primitive's `batch` rule; operations that touch no batched
value cost what they cost outside.

Public names: `Batch`, `BatchedValue`.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.avals import Aval
from ..core.primitive import Primitive
from ..core.tape import annotate
from ..core.trace import Trace, Tracer, aval_of
from ..core.views import as_view

__all__ = ["Batch", "BatchedValue"]


_counting = threading.Lock()


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

    __slots__ = ("size", "axis_name")
    concrete = False
    name = "vmap"

    def __init__(self, size: int, axis_name: Any = None) -> None:
        super().__init__()
        self.size = size
        self.axis_name = axis_name

    def input(self, stacked: Any, dim: int) -> Tracer:
        """Box a stack of examples."""
        return Tracer(self, None, BatchedValue(stacked, dim))

    def aval(self, tracer: Tracer) -> Aval:
        stacked, dim = tracer.var
        aval = aval_of(stacked)
        return Aval((*aval.shape[:dim], *aval.shape[dim + 1 :]), aval.dtype)

    @contextlib.contextmanager
    def resumed(self) -> Iterator[None]:
        """Let rules run on this trace's tracers, also after the vmap has finished."""
        with _counting:
            self.open += 1
        try:
            yield
        finally:
            with _counting:
                self.open -= 1

    def unbox(self, value: Any) -> tuple[Any, int | None]:
        """Return (stacked value, batch axis), or (value, None) of an unbatched one."""
        if isinstance(value, Tracer) and value.trace is self:
            stacked, dim = value.var
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
