"""Norms of vectors and matrices, of every order.

At the origin, where a norm has a kink, its gradient is 0; so `norm(x) ** 2` has the
right gradient everywhere. Zero elements have gradient 0 in the 1-norm; elements or
singular values that tie for the largest share the gradient.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> fad.grad(fnp.linalg.norm)(np.zeros(2))
array([0., 0.])
>>> fad.grad(lambda x: fnp.linalg.norm(x, ord=np.inf))(np.array([3.0, -3.0, 1.0]))
array([ 0.5, -0.5,  0. ])

Public names: `norm vector_norm matrix_norm`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops.arithmetic import convert
from ..ops.comparison import ne
from ..ops.infer_rules import normalize_axes
from ..ops.norms import norm as p_norm
from ..ops.piecewise import abs_
from ..ops.reductions import keep_axes, reduce_max, reduce_min, reduce_sum
from ..ops.shape import reshape, transpose
from ..ops.spectral import svd
from .convert import operand
from .dispatch import implements

__all__ = ["matrix_norm", "norm", "vector_norm"]


def as_inexact(x: Any) -> Any:
    x = operand(x)
    aval = aval_of(x)
    if aval.dtype.kind in "iub" or aval.weak:
        return convert(x, dtype=np.result_type(aval.dtype, np.float64))
    return x


@implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return a norm of vectors (one axis) or matrices (two axes)."""
    x = as_inexact(x)
    rank = aval_of(x).ndim
    if axis is None and ord is None:
        axes: Any = tuple(range(rank))
        return _kept(p_norm(x, ord=2.0, axis=axes), x, axes, keepdims)
    axes = tuple(range(rank)) if axis is None else axis
    axes = axes if isinstance(axes, tuple) else (axes,)
    axes = tuple(_axis(a, rank) for a in axes)
    if len(axes) == 1:
        out = _vector_norm(x, 2 if ord is None else ord, axes)
    elif len(axes) == 2:
        out = _matrix_norm(x, "fro" if ord is None else ord, *axes)
    else:
        raise ValueError(
            f"Improper number of dimensions to norm: {len(axes)}; order {ord} is of "
            "vectors or matrices, so give one axis or two"
        )
    return _kept(out, x, axes, keepdims)


def _axis(axis: Any, rank: int) -> int:
    (found,) = normalize_axes(axis, rank)
    return found


def _kept(out: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if not keepdims:
        return out
    return reshape(out, shape=keep_axes(aval_of(x).shape, axes))


@implements(np.linalg.vector_norm)
def vector_norm(
    x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> Any:
    """Return a norm of vectors that may lie along several axes."""
    x = as_inexact(x)
    axes = normalize_axes(axis, aval_of(x).ndim)
    return _kept(_vector_norm(x, ord, axes), x, axes, keepdims)


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Return a norm of the matrices in the last two axes."""
    return norm(x, ord, (-2, -1), keepdims)


def _vector_norm(x: Any, ord: Any, axes: tuple[int, ...]) -> Any:
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == 0:
        size = np.empty(0, aval_of(x).dtype).real.dtype
        return reduce_sum(convert(ne(x, 0), dtype=size), axis=axes)
    if ord == 1:
        return reduce_sum(abs_(x), axis=axes)
    if ord == np.inf:
        return _largest(abs_(x), axes)
    if ord == -np.inf:
        return reduce_min(abs_(x), axis=axes)
    return p_norm(x, ord=float(ord), axis=axes)


def _largest(x: Any, axes: tuple[int, ...]) -> Any:
    """Return the maximum of values that are not negative, 0 if there are none."""
    if any(aval_of(x).shape[a] == 0 for a in axes):
        return reduce_sum(x, axis=axes)
    return reduce_max(x, axis=axes)


def _matrix_norm(x: Any, ord: Any, row: int, column: int) -> Any:
    if row == column:
        raise ValueError("Duplicate axes given.")
    if ord in ("fro", "f"):
        return p_norm(x, ord=2.0, axis=tuple(sorted((row, column))))
    if ord in (2, -2, "nuc"):
        s = _singular_values(x, row, column)
        last = (aval_of(s).ndim - 1,)
        if ord == "nuc":
            return reduce_sum(s, axis=last)
        return _largest(s, last) if ord == 2 else reduce_min(s, axis=last)
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError(f"Invalid norm order {ord!r} for matrices.")
    summed, kept = (row, column) if abs(ord) == 1 else (column, row)
    sums = reduce_sum(abs_(x), axis=(summed,))
    left = (kept - (summed < kept),)
    return _largest(sums, left) if ord > 0 else reduce_min(sums, axis=left)


def _singular_values(x: Any, row: int, column: int) -> Any:
    rank = aval_of(x).ndim
    others = [a for a in range(rank) if a not in (row, column)]
    order = (*others, row, column)
    if order != tuple(range(rank)):
        x = transpose(x, axes=order)
    return svd(x, full_matrices=False)[1]
