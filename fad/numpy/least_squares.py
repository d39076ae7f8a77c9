"""Least squares and what depends on the rank of a matrix.

The derivatives of `pinv` and `lstsq` hold for changes that keep the rank; the rank
itself has derivative 0.

Public names: `cond lstsq matrix_rank pinv`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of, concrete_value
from ..ops import linalg as ops
from ..ops.arithmetic import convert, stop_gradient
from ..ops.comparison import eq, gt, isnan, logical_and, logical_not, ne, where
from ..ops.contraction import matmul
from ..ops.norms import norm as p_norm
from ..ops.reductions import reduce_or, reduce_sum
from ..ops.shape import expand_dims, index_along, reshape
from ..ops.spectral import svd
from ..ops.stacks import hermitian as hermitian_part
from .convert import cast, operand, result_dtype
from .dispatch import implements
from .matrix_norms import as_inexact, norm

__all__ = ["cond", "lstsq", "matrix_rank", "pinv"]

_NoValue: Any = np._NoValue


def _eps(x: Any) -> float:
    return float(np.finfo(aval_of(x).dtype).eps)


@implements(np.linalg.pinv)
def pinv(
    a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _NoValue
) -> Any:
    """Return Moore-Penrose inverses."""
    a = as_inexact(a)
    if rcond is not None and rtol is not _NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if rtol is not _NoValue:
        rcond = max(aval_of(a).shape[-2:]) * _eps(a) if rtol is None else rtol
    if hermitian:
        a = hermitian_part(a)
    return ops.pinv(a) if rcond is None else ops.pinv(a, operand(rcond))


@implements(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Return the least-squares solution of least norm, residuals, rank and s.

    Where values are not known, under vmap, full rank is taken for granted in whether
    residuals are returned.
    """
    a, b = as_inexact(a), as_inexact(b)
    dtype = result_dtype(a, b)
    a, b = cast(a, dtype), cast(b, dtype)
    vector = aval_of(b).ndim == 1
    b = expand_dims(b, 1) if vector else b
    if aval_of(a).ndim != 2 or aval_of(b).ndim != 2:
        raise np.linalg.LinAlgError(
            f"lstsq takes matrices, got {aval_of(a)} and {aval_of(b)}"
        )
    m, n = aval_of(a).shape
    if aval_of(b).shape[0] != m:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    if rcond is None or rcond < 0:
        rcond = _eps(a) * (1 if rcond is not None else max(m, n))
    s = svd(a, full_matrices=False)[1]
    rank = convert(_count_above(s, rcond * _first(s)), dtype=np.dtype(np.int32))
    x = matmul(ops.pinv(a, rcond), b)
    known = concrete_value(rank)
    if m > n and (known is None or known == n):
        residuals = p_norm(b - matmul(a, x), ord=2.0, axis=(0,)) ** 2
    else:
        residuals = np.zeros(0, aval_of(s).dtype)
    if vector:
        x = reshape(x, shape=(n,))
    return x, residuals, rank if known is None else known, s


def _first(s: Any) -> Any:
    """Return the largest singular value, kept as an axis of size 1."""
    aval = aval_of(s)
    if aval.shape[-1] == 0:
        return np.zeros((*aval.shape[:-1], 1), aval.dtype)
    return expand_dims(index_along(s, 0, aval.ndim - 1), aval.ndim - 1)


def _count_above(s: Any, threshold: Any) -> Any:
    above = gt(stop_gradient(s), stop_gradient(threshold))
    return reduce_sum(above, axis=(aval_of(s).ndim - 1,))


@implements(np.linalg.matrix_rank)
def matrix_rank(
    A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None
) -> Any:
    """Return the number of singular values above the tolerance, a constant."""
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    a = stop_gradient(operand(A))
    aval = aval_of(a)
    if aval.ndim < 2:
        return reduce_or(ne(a, 0), axis=tuple(range(aval.ndim))) * 1
    a = as_inexact(a)
    s = svd(hermitian_part(a) if hermitian else a, full_matrices=False)[1]
    if tol is not None:
        tol = operand(tol)
        return _count_above(s, expand_dims(tol, aval_of(tol).ndim))
    if rtol is None:
        return _count_above(s, _first(s) * (max(aval.shape[-2:]) * _eps(s)))
    rtol = operand(rtol)
    return _count_above(s, _first(s) * expand_dims(rtol, aval_of(rtol).ndim))


@implements(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    """Return condition numbers; infinite for singular matrices."""
    x = as_inexact(x)
    aval = aval_of(x)
    if aval.size == 0 and 0 in aval.shape[-2:]:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        s = svd(x, full_matrices=False)[1]
        axis = aval_of(s).ndim - 1
        large, small = index_along(s, 0, axis), index_along(s, -1, axis)
        ratio = small / large if p == -2 else _ratio(large, small)
    else:
        inverse = ops.inv(x, strict=False)
        ratio = norm(x, p, (-2, -1)) * norm(inverse, p, (-2, -1))
    rank = aval.ndim
    known = logical_not(reduce_or(isnan(x), axis=(rank - 2, rank - 1)))
    infinity = np.array(np.inf, aval_of(ratio).dtype)[()]
    return where(logical_and(isnan(ratio), known), infinity, ratio)


def _ratio(large: Any, small: Any) -> Any:
    """Divide without a warning for singular matrices."""
    none = eq(small, 0)
    dtype = aval_of(small).dtype
    safe = where(none, np.ones((), dtype)[()], small)
    return where(none, np.array(np.inf, dtype)[()], large / safe)
