"""torch.linalg: linear algebra on stacks of matrices.

>>> from fad import torch
>>> a = torch.tensor([[2., 0.], [0., 4.]], requires_grad=True)
>>> torch.linalg.slogdet(a).logabsdet.backward()
>>> a.grad
tensor([[0.5000, 0.0000],
        [0.0000, 0.2500]])

Public names: those of `torch.linalg`.
"""

from __future__ import annotations

import math
from typing import Any

from .declare import functions
from .dims import axis_of
from .linalg_errors import LinAlgError
from .linalg_ldl import ldl_factor, ldl_factor_ex, ldl_solve
from .linalg_norms import cond, matrix_norm, matrix_rank, norm, vector_norm
from .missing import no_name
from .ops_contract import crossed
from .ops_decompose import (
    cholesky,
    cholesky_ex,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    lstsq,
    qr,
    svd,
    svdvals,
)
from .ops_linalg import matmul, multi_dot
from .ops_lu import lu, lu_factor, lu_factor_ex, lu_solve
from .ops_reflections import householder_product
from .ops_solve import (
    det,
    inv,
    inv_ex,
    matrix_exp,
    matrix_power,
    pinv,
    slogdet,
    solve,
    solve_ex,
    solve_triangular,
)
from .tensor import Tensor

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """Return the vector product along a dimension."""
    return crossed(input, other, dim)


def diagonal(
    A: Tensor,
    *,
    offset: int = 0,
    dim1: int = -2,
    dim2: int = -1,
) -> Tensor:
    """Return a view of the diagonals of matrices."""
    return functions["diagonal"](A, offset, dim1, dim2)  # type: ignore[no-any-return]


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Return the sum of products along a dimension, `x` conjugated."""
    axis = axis_of(dim, max(x.ndim, y.ndim))
    if x.ndim == y.ndim == 1:
        return functions["vdot"](x, y)  # type: ignore[no-any-return]
    x = x.conj() if x.aval.dtype.kind == "c" else x
    return (x * y).sum(axis - max(x.ndim, y.ndim))  # type: ignore[operator, no-any-return]


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """Return the powers 0 ... N - 1 of elements, along a new last dimension."""
    n = x.shape[-1] if x.ndim else 1
    n = n if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    repeated: Any = x.unsqueeze(-1).expand(*x.shape, n - 1)
    powers = functions["cumprod"](repeated, -1)
    first = functions["ones_like"](powers[..., :1])
    return functions["cat"]([first, powers], -1)


def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """Return the inverse for `tensordot`: the first `ind` dimensions are rows."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    rows, columns = A.shape[:ind], A.shape[ind:]
    n, m = math.prod(rows), math.prod(columns)
    if n != m:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {m} != {n}"
        )
    return inv(A.reshape(n, m)).reshape(*columns, *rows)  # type: ignore[no-any-return]


def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """Return X with tensordot(A, X, X.ndim) = B."""
    if dims is not None:
        moved = [axis_of(d, A.ndim) for d in dims]
        order = [a for a in range(A.ndim) if a not in moved] + moved
        A = A.permute(*order)
    shape = A.shape[B.ndim :]
    n, m = math.prod(shape), math.prod(A.shape[: B.ndim])
    if n != m:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {n} != {m}"
        )
    return solve(A.reshape(n, n), B.reshape(n)).reshape(*shape)


def __getattr__(name: str) -> Any:
    raise no_name(__name__, name, __all__)
