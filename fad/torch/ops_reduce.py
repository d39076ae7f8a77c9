"""Reductions: sums, means, extrema, products, norms, cumulative ones.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from typing import Any

from ..ops import reductions
from ..ops.shape import reshape
from .conversion import cast
from .declare import composite, function
from .dims import axes_of, kept_shape
from .dtypes import DTYPES, dtype, to_numpy
from .node import node_type
from .tape import record
from .tensor import Tensor

__all__: list[str] = []

_SUM_ALL = node_type("SumBackward0")
_SUM_SOME = node_type("SumBackward1")


@function("sum")
def sum_(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return the sum of all elements, or along dimensions."""
    if dtype is not None:
        input = cast(input, to_numpy(dtype))
    elif input.aval.dtype.kind in "biu":
        input = cast(input, DTYPES["int64"].numpy)
    axes = axes_of(dim, input.ndim)
    if dim is None and not keepdim:
        return record(reductions.reduce_sum, _SUM_ALL, (input,), {"axis": axes})
    if not keepdim:
        out = record(reductions.reduce_sum, _SUM_SOME, (input,), {"axis": axes})
    else:
        out = _sum_kept(input, axis=axes, shape=kept_shape(input.shape, axes))
    if out.payload is not None:
        out.payload.extra = {"dim": axes, "keepdim": keepdim}
    return out


_sum_kept = composite(
    "SumBackward1",
    lambda x, *, axis, shape: reshape(reductions.reduce_sum(x, axis=axis), shape=shape),
)
