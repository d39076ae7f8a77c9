"""Distances between the rows of matrices.

Public names: none; the functions are declared into `fad.torch`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops import piecewise, reductions
from ..ops.arithmetic import convert
from ..ops.comparison import ne
from ..ops.norms import norm
from ..ops.shape import expand_dims
from .declare import composite, function
from .tensor import Tensor

__all__ = ["distances"]


def distances(off: Any, p: float) -> Any:
    """Return the p-norms of differences along the last axis; 0 where all are 0."""
    axis = (aval_of(off).ndim - 1,)
    if p == 0:
        return reductions.reduce_sum(convert(ne(off, 0), dtype=off.dtype), axis=axis)
    if p == 1:
        return reductions.reduce_sum(piecewise.abs_(off), axis=axis)
    if p == np.inf:
        return reductions.reduce_max(piecewise.abs_(off), axis=axis)
    return norm(off, ord=p, axis=axis)


def _cdist(x: Any, y: Any, *, p: float) -> Any:
    off = expand_dims(x, aval_of(x).ndim - 1) - expand_dims(y, aval_of(y).ndim - 2)
    return distances(off, p)


_between = composite("CdistBackward0", _cdist)


@function("cdist", methods=False, out=False)
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Return the p-distances of every row of one matrix to every row of another."""
    for name, x in (("X1", x1), ("X2", x2)):
        if x.ndim < 2:
            raise RuntimeError(
                f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D"
            )
    for name, x in (("X1", x1), ("X2", x2)):
        if x.aval.dtype.kind != "f":
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {name} got: "
                f"{x.dtype.title}"
            )
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: "
            f"{x2.shape[-1]}"
        )
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    return _between(x1, x2, p=float(p))  # type: ignore[no-any-return]


def _pdist(x: Any, *, p: float) -> Any:
    rows, columns = np.triu_indices(aval_of(x).shape[0], 1)
    off = _taken(x, rows) - _taken(x, columns)
    return distances(off, p)


def _taken(x: Any, rows: Any) -> Any:
    from ..numpy import take

    return take(x, rows, axis=0)


_among = composite("PdistBackward0", _pdist)


@function("pdist", methods=False, out=False)
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the p-distances of every two rows of a matrix."""
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return _among(input, p=float(p))  # type: ignore[no-any-return]
