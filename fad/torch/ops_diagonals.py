"""Diagonals and triangles of matrices.

`diagonal` is a view, the others are copies, as in PyTorch.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import numpy as fnp
from ..core.trace import aval_of
from ..ops import shape as shapes
from ..ops.arithmetic import copy
from .declare import composite, function, method
from .dims import axis_of
from .node import node_type
from .ops_shape import reshape
from .tensor import Tensor
from .views import view_by

__all__: list[str] = []


def _triangle(name: str) -> None:
    cut = getattr(fnp, name)
    apply = composite(f"{name.capitalize()}Backward0", lambda x, *, k: cut(x, k))

    def call(input: Tensor, diagonal: int = 0) -> Tensor:
        if input.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        out: Tensor = apply(input, k=diagonal)
        return out

    call.__doc__ = "Return matrices with the elements outside a triangle at zero."
    function(name, inplace=True)(call)


_triangle("tril")
_triangle("triu")

_DIAGONAL = node_type("DiagonalBackward0")


@function("diagonal", out=False)
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return a view of the diagonal of two dimensions, as the last dimension."""
    i, j = axis_of(dim1, input.ndim), axis_of(dim2, input.ndim)
    if i == j:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    params = {"offset": offset, "axis1": i, "axis2": j}
    out = view_by(shapes.diagonal, _DIAGONAL, input, params)
    if isinstance(out.value, np.ndarray) and input.value.flags.writeable:
        out.value.flags.writeable = True  # NumPy's own is read-only out of caution
    return out


@method()
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Write one value on the diagonal."""
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    n = min(self.shape)
    if self.ndim == 2:
        diagonal(self).fill_(fill_value)  # type: ignore[attr-defined]
        start = n + 1
        while wrap and start < self.shape[0]:
            fill_diagonal_(self[start:], fill_value)  # type: ignore[index]
            start += n + 1
        return self
    self[tuple([np.arange(n)] * self.ndim)] = fill_value  # type: ignore[index]
    return self


def _embedded(x: Any, *, offset: int, dim1: int, dim2: int) -> Any:
    *rest, n = aval_of(x).shape
    rank, size = len(rest) + 2, n + abs(offset)
    i, j = axis_of(dim1, rank), axis_of(dim2, rank)
    full = list(rest)
    for axis in sorted((i, j)):
        full.insert(axis, size)
    like = type(aval_of(x))(tuple(full), aval_of(x).dtype)
    return shapes.embed_diagonal(x, like, offset=offset, axis1=i, axis2=j)


_embed = composite("DiagEmbedBackward0", _embedded)


@function("diag_embed", out=False)
def diag_embed(
    input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1
) -> Tensor:
    """Return matrices of zeros with the last dimension on a diagonal."""
    out: Tensor = _embed(input, offset=offset, dim1=dim1, dim2=dim2)
    return out


_diagonal_copy = composite(
    "DiagonalBackward0_copy",
    lambda x, *, k: copy(shapes.diagonal(x, offset=k, axis1=0, axis2=1)),
)


@function("diag")
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return a matrix with a vector on its diagonal, or the diagonal of a matrix."""
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    if input.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    out: Tensor = _diagonal_copy(input, k=diagonal)
    return out


@function("diagflat", out=False)
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Return a matrix with all elements on its diagonal."""
    return diag_embed(reshape(input, -1), offset)


_trace = composite("TraceBackward0", lambda x: fnp.trace(x))


@function("trace", out=False)
def trace(input: Tensor) -> Tensor:
    """Return the sum of the diagonal of a matrix."""
    if input.ndim != 2:
        raise RuntimeError(
            f"trace: expected a matrix, but got tensor with dim {input.ndim}"
        )
    out: Tensor = _trace(input)
    return out
