"""Eigenvalues and singular values, with vectors, of stacks of matrices.

In the bases of the vectors a perturbation t of the matrix acts as

    eigh  e = v^H t v        dw = diag(e)    dv = v (e / gaps)     gaps_ij = w_j - w_i
    eig   e = v^-1 t v       the same, then as LAPACK scales vectors
    svd   p = u^H t v        ds = diag(p)    du = u x, dv = v y + what leaves the span
          x, y = (p + p^H) / gaps / 2 +- (p - p^H) / (s_i + s_j) / 2

Vectors of equal values are determined up to a rotation among them only, and the
coefficients of such pairs are set to 0. So derivatives stay finite; those of functions
of the values alone, and of the space that a group of equal values spans, are exact. A
function that depends on how a perturbation splits such a group, u f(w) u^H with f'
not 0, has its derivative across the group left out: no rule on the vectors' cotangents
can tell it from u u^H, whose derivative is 0. `control.spectral_function` knows f.

`eigh` reads one triangle, but its derivative is that of the Hermitian part of the
matrix: symmetric matrices get symmetric gradients.

Public names: `eigh eig svd repeated`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .arithmetic import conj, imag, real
from .comparison import eq, logical_and, where
from .contraction import matmul
from .indexing import slice_along
from .kinds import constant, opaque
from .reductions import reduce_sum
from .shape import diagonal, expand_dims
from .stacks import (
    adjoint,
    batch_stacks,
    bordered,
    hermitian,
    matrices,
    real_dtype,
    scale_columns,
    scale_rows,
    square,
)

__all__ = ["eig", "eigh", "repeated", "svd"]


def _threshold(w: Any) -> Any:
    """Return the distance within which rounding cannot tell two values apart."""
    size = np.abs(w)
    largest = size.max(-1, keepdims=True, initial=0)
    return 8 * w.shape[-1] * np.finfo(w.dtype).eps * largest


def _repeated(w: Any) -> Any:
    gaps = np.abs(w[..., None, :] - w[..., :, None])
    return gaps <= _threshold(w)[..., None]


repeated = constant(
    "repeated",
    _repeated,
    infer=lambda w: Aval((*w.shape, w.shape[-1]), np.dtype(bool)),
    batch=batch_stacks(lambda: repeated),
)
"""`repeated(w)[..., i, j]`: w_i and w_j are equal but for rounding."""

negligible = constant(
    "negligible",
    lambda s: np.abs(s) <= _threshold(s),
    infer=lambda s: Aval(s.shape, np.dtype(bool)),
    batch=batch_stacks(lambda: negligible),
)
"""`negligible(s)[..., i]`: s_i is zero but for rounding."""


def _safe_inverse(x: Any, mask: Any) -> Any:
    """Return 1 / x, but 0 in the mask."""
    one = np.ones((), aval_of(x).dtype)[()]
    return where(mask, one - one, one / where(mask, one, x))


def _inverse_gaps(w: Any) -> Any:
    rank = aval_of(w).ndim
    gaps = expand_dims(w, rank - 1) - expand_dims(w, rank)
    return _safe_inverse(gaps, repeated(w))


def _diagonal(x: Any) -> Any:
    rank = aval_of(x).ndim
    return diagonal(x, offset=0, axis1=rank - 2, axis2=rank - 1)


def _push_eigh(ans: Any, primals: Any, tangents: Any, *, uplo: str) -> list[Any]:
    w, v = ans
    e = matmul(matmul(adjoint(v), hermitian(tangents[0])), v)
    return [real(_diagonal(e)), matmul(v, e * _inverse_gaps(w))]


def _infer_eigh(a: Aval, *, uplo: str) -> list[Aval]:
    a = square("eigh", a)
    return [Aval(a.shape[:-1], real_dtype(a.dtype)), a]


eigh = opaque(
    "eigh",
    lambda a, *, uplo: list(np.linalg.eigh(a, uplo)),
    _push_eigh,
    infer=_infer_eigh,
    batch=batch_stacks(lambda: eigh),
    multiple_results=True,
)
"""`eigh(a, uplo="L")`: [ascending eigenvalues, orthonormal eigenvectors]."""


def _largest(v: Any) -> Any:
    rows = np.arange(v.shape[-2])[:, None]
    if not v.size:
        return np.zeros(v.shape, bool)
    return rows == np.argmax(np.abs(v), -2)[..., None, :]


largest = constant(
    "largest_component",
    _largest,
    infer=lambda v: Aval(v.shape, np.dtype(bool)),
    batch=batch_stacks(lambda: largest),
)
"""`largest(v)`: a mask of the component of largest size in each column."""


def _push_eig(ans: Any, primals: Any, tangents: Any) -> list[Any]:
    from .linalg import solve

    w, v = ans
    e = solve(v, matmul(tangents[0], v))
    dv = matmul(v, e * _inverse_gaps(w))
    # LAPACK makes columns of unit length, their largest component real.
    rows = aval_of(v).ndim - 2
    stretch = real(reduce_sum(conj(v) * dv, axis=(rows,)))
    mask = largest(v)
    pivot = where(mask, v, np.ones((), aval_of(v).dtype)[()])
    zero = np.zeros((), aval_of(v).dtype)[()]
    turn = imag(reduce_sum(where(mask, dv / pivot, zero), axis=(rows,)))
    return [_diagonal(e), dv - scale_columns(v, stretch + turn * 1j)]


def _eig(a: Any) -> list[Any]:
    dtype = np.result_type(square("eig", Aval(a.shape, a.dtype)).dtype, np.complex64)
    return [x.astype(dtype, copy=False) for x in np.linalg.eig(a)]


def _infer_eig(a: Aval) -> list[Aval]:
    dtype = np.result_type(square("eig", a).dtype, np.complex64)
    return [Aval(a.shape[:-1], dtype), Aval(a.shape, dtype)]


eig = opaque(
    "eig",
    _eig,
    _push_eig,
    infer=_infer_eig,
    batch=batch_stacks(lambda: eig),
    multiple_results=True,
)
"""`eig(a)`: [eigenvalues, unit eigenvectors], complex in every case."""


def _push_svd(ans: Any, primals: Any, tangents: Any, *, full_matrices: bool) -> Any:
    u, s, vh = ans
    (t,) = tangents
    *_, m, n = aval_of(t).shape
    k, axis = min(m, n), aval_of(t).ndim - 1
    into, out_of = matmul(adjoint(u), t), matmul(t, adjoint(vh))
    p = matmul(into, adjoint(vh))  # (m, n) with full matrices, else (k, k)
    core = slice_along(slice_along(p, 0, k, axis), 0, k, axis - 1)
    x, y = _rotations(core, s)
    inverse = _safe_inverse(s, negligible(s))
    if not full_matrices:
        du, dvh = matmul(u, x), matmul(-y, vh)
        if m > k:
            du = du + scale_columns(out_of - matmul(u, p), inverse)
        if n > k:
            dvh = dvh + scale_rows(inverse, into - matmul(p, vh))
    else:
        if m > k:
            x = bordered(x, scale_columns(slice_along(p, k, m, axis - 1), inverse))
        if n > k:
            beside = scale_rows(inverse, slice_along(p, k, n, axis))
            y = bordered(y, adjoint(beside))
        du, dvh = matmul(u, x), matmul(-y, vh)
    ds = real(_diagonal(core))
    return [du, where(eq(s, 0), np.zeros((), aval_of(ds).dtype)[()], ds), dvh]


def _rotations(p: Any, s: Any) -> tuple[Any, Any]:
    """Return skew-Hermitian x and y with x diag(s) - diag(s) y = p off the diagonal."""
    rank = aval_of(s).ndim
    sums = expand_dims(s, rank - 1) + expand_dims(s, rank)
    none = negligible(s)
    none = logical_and(expand_dims(none, rank - 1), expand_dims(none, rank))
    even = (p + adjoint(p)) * (_inverse_gaps(s) * 0.5)
    odd = (p - adjoint(p)) * (_safe_inverse(sums, none) * 0.5)
    return even + odd, even - odd


def _infer_svd(a: Aval, *, full_matrices: bool) -> list[Aval]:
    a = matrices("svd", a)
    *stack, m, n = a.shape
    k = min(m, n)
    rows, columns = (m, n) if full_matrices else (k, k)
    return [
        Aval((*stack, m, rows), a.dtype),
        Aval((*stack, k), real_dtype(a.dtype)),
        Aval((*stack, columns, n), a.dtype),
    ]


svd = opaque(
    "svd",
    lambda a, *, full_matrices: list(np.linalg.svd(a, full_matrices)),
    _push_svd,
    infer=_infer_svd,
    batch=batch_stacks(lambda: svd),
    multiple_results=True,
)
"""`svd(a, full_matrices=False)`: [u, descending singular values, v^H]."""
