"""LU factorisation, packed and unpacked, and systems solved by it.

Public names: the functions that `fad.torch.linalg` shows; some are declared into
`fad.torch` and on `Tensor` too.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core.trace import aval_of, concrete_value
from ..ops import matrix_equations
from ..ops.comparison import where
from ..ops.contraction import matmul, swap_last
from ..ops.indexing import slice_along
from ..ops.pivoted_lu import lu as factor
from ..ops.shape import concatenate
from .declare import composite, function
from .ops_solve import no_info
from .product_checks import check_square, check_stack
from .return_types import returned
from .tensor import Tensor, wrap

__all__ = ["lu", "lu_factor", "lu_factor_ex", "lu_solve"]

_lu = composite("LinalgLuBackward0", lambda a: tuple(factor(a)))


def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """Return (P, L, U) with A = P L U."""
    check_stack("linalg.lu", A)
    return returned("linalg_lu", *_lu(A))


def _packed(a: Any) -> tuple[Any, Any]:
    p, lower, upper = factor(a)
    *_, m, n = aval_of(a).shape
    k, axis = min(m, n), aval_of(a).ndim - 1
    strict = where(np.tri(m, k, -1, dtype=bool), lower, 0)
    square = slice_along(strict, 0, k, axis - 1) + slice_along(upper, 0, k, axis)
    out = square
    if m > k:
        out = concatenate(square, slice_along(strict, k, m, axis - 1), axis=axis - 1)
    if n > k:
        out = concatenate(square, slice_along(upper, k, n, axis), axis=axis)
    return out, p


_factored = composite("LinalgLuFactorExBackward0", _packed)


def _exchanges(p: Any, count: int) -> Any:
    """Return the row exchanges, from 1, that make a permutation matrix."""
    m = p.shape[-1]
    found = []
    for matrix in p.reshape(-1, m, m):
        want, rows, swaps = list(matrix.argmax(0)), list(range(m)), []
        for k in range(count):
            row = rows.index(want[k])
            rows[k], rows[row] = rows[row], rows[k]
            swaps.append(row + 1)
        found.append(swaps)
    return np.array(found, np.int32).reshape(*p.shape[:-2], count)


def _factor(A: Tensor) -> tuple[Tensor, Tensor]:
    if A.ndim < 2:
        raise RuntimeError(
            "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: "
            f"{list(A.shape)} instead"
        )
    check_stack("torch.lu_factor", A)
    packed, p = _factored(A)
    return packed, wrap(_exchanges(np.real(concrete_value(p.value)), min(A.shape[-2:])))


def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """Return L and U in one matrix, and the row exchanges."""
    return returned("linalg_lu_factor", *_factor(A))


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Return L and U in one matrix, the row exchanges, and codes of success."""
    return returned("linalg_lu_factor_ex", *_factor(A), no_info(A))


@function("lu", out=False)
def torch_lu(
    A: Tensor,
    pivot: bool = True,
    get_infos: bool = False,
) -> Any:
    """Return L and U in one matrix, and the row exchanges."""
    warnings.warn(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / "
        "torch.linalg.lu_factor_ex and will be removed in a future PyTorch release.",
        UserWarning,
        stacklevel=2,
    )
    return (*_factor(A), no_info(A)) if get_infos else _factor(A)


def _permutation(pivots: Any, m: int, dtype: Any) -> Any:
    """Return the permutation matrix P of row exchanges."""
    found = []
    for swaps in pivots.reshape(-1, pivots.shape[-1]):
        rows = list(range(m))
        for k, row in enumerate(swaps):
            rows[k], rows[row - 1] = rows[row - 1], rows[k]
        found.append(np.eye(m, dtype=dtype)[:, rows])
    return np.array(found, dtype).reshape(*pivots.shape[:-1], m, m)


def _lower(a: Any) -> Any:
    *_, m, n = aval_of(a).shape
    k = min(m, n)
    left = slice_along(a, 0, k, aval_of(a).ndim - 1)
    strict = where(np.tri(m, k, -1, dtype=bool), left, 0)
    return strict + np.eye(m, k, dtype=aval_of(a).dtype)


def _upper(a: Any) -> Any:
    *_, m, n = aval_of(a).shape
    k = min(m, n)
    top = slice_along(a, 0, k, aval_of(a).ndim - 2)
    return where(np.tri(k, n, -1, dtype=bool), 0, top)


_unpacked = composite("LuUnpackBackward0", lambda a: (_lower(a), _upper(a)))


@function("lu_unpack", methods=False, out=False)
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
) -> Any:
    """Return P, L and U from a packed factorisation."""
    nothing = wrap(np.empty(0, LU_data.aval.dtype))
    m = LU_data.shape[-2]
    pivots = concrete_value(LU_pivots.value)
    p = wrap(_permutation(pivots, m, LU_data.aval.dtype)) if unpack_pivots else nothing
    lower, upper = _unpacked(LU_data) if unpack_data else (nothing, nothing)
    return returned("lu_unpack", p, lower, upper)


def _solve_packed(a: Any, b: Any, *, p: Any, left: bool, adjoint: bool) -> Any:
    if not left:
        b, adjoint = swap_last(b), not adjoint
    lower, upper = _lower(a), _upper(a)
    solve = matrix_equations.solve_triangular
    if adjoint:
        y = solve(swap_last(upper), b, lower=True)
        x = matmul(p, solve(swap_last(lower), y, lower=False))
    else:
        y = solve(lower, matmul(swap_last(p), b), lower=True)
        x = solve(upper, y, lower=False)
    return x if left else swap_last(x)


_solved = composite("LinalgLuSolveBackward0", _solve_packed)


def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
) -> Tensor:
    """Return the solution of a linear system from a packed factorisation."""
    check_square("linalg.lu_solve", LU)
    exchanges = concrete_value(pivots.value)
    p = _permutation(exchanges, LU.shape[-1], LU.aval.dtype)
    if adjoint and LU.aval.dtype.kind == "c":
        LU, B = LU.conj(), B
    return _solved(LU, B, p=p, left=left, adjoint=adjoint)  # type: ignore[no-any-return]


@function("lu_solve")
def torch_lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Return the solution of a linear system from a packed factorisation."""
    return lu_solve(LU_data, LU_pivots, b)
