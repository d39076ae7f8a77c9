"""Norms of matrices, condition numbers, ranks.

Public names: the functions that `fad.torch.linalg` shows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..ops import reductions, shape
from .conversion import cast
from .declare import functions
from .dims import axes_of, axis_of
from .dtypes import dtype as torch_dtype
from .dtypes import to_numpy
from .linalg_errors import LinAlgError
from .node import node_type
from .ops_decompose import svdvals
from .ops_solve import inv, inv_ex
from .ops_spread import vector_norm as p_norm
from .product_checks import check_floating, check_stack
from .tape import record
from .tensor import Tensor
from .views import view_by

__all__ = ["cond", "matrix_norm", "matrix_rank", "norm", "vector_norm"]

_PERMUTED = node_type("PermuteBackward0")
_SUMMED = node_type("SumBackward1")


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: torch_dtype | None = None,
) -> Tensor:
    """Return the p-norm of all elements, or along dimensions."""
    if isinstance(ord, (str, type(None))):
        raise TypeError(
            "linalg_vector_norm(): argument 'ord' (position 2) must be Number, not "
            f"{type(ord).__name__}"
        )
    check_floating("linalg.vector_norm", x)
    axes = axes_of(dim, x.ndim)
    if not all(x.shape[a] for a in axes) and (ord < 0 or math.isinf(ord)):
        name = "inf" if ord == math.inf else "-inf" if ord == -math.inf else f"{ord}"
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {name} norm on an empty "
            "tensor because the operation does not have an identity"
        )
    return p_norm(x, ord, dim, keepdim, dtype)


def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: torch_dtype | None = None,
) -> Tensor:
    """Return a norm of matrices: fro, nuc, 1, -1, 2, -2, inf or -inf."""
    name = "linalg.matrix_norm"
    check_stack(name, A)
    if len(dim) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {list(dim)}")
    rows, columns = (axis_of(d, A.ndim) for d in dim)
    if rows == columns:
        raise RuntimeError(f"{name}: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord not in ("fro", "nuc") and (
        isinstance(ord, str) or abs(ord) not in (1, 2, math.inf)
    ):
        raise RuntimeError(f"{name}: Order {ord} not supported.")
    if dtype is not None:
        A = cast(A, to_numpy(dtype))
    if ord == "fro":
        return p_norm(A, 2, (rows, columns), keepdim)
    if ord == "nuc" or abs(ord) == 2:
        return _spectral(A, ord, rows, columns, keepdim)
    if abs(ord) == math.inf:
        rows, columns = columns, rows
    if not keepdim and rows < columns:
        columns -= 1
    return _extreme(p_norm(A, 1, rows, keepdim), ord > 0, columns, keepdim)


def _extreme(x: Tensor, largest: bool, axis: int, keepdim: bool) -> Tensor:
    return functions["amax" if largest else "amin"](x, axis, keepdim)  # type: ignore[no-any-return]


def _spectral(x: Tensor, ord: Any, rows: int, columns: int, keepdim: bool) -> Tensor:
    others = [a for a in range(x.ndim) if a not in (rows, columns)]
    order = (*others, rows, columns)
    s = svdvals(view_by(shape.transpose, _PERMUTED, x, {"axes": order}))
    last = s.ndim - 1
    if ord == "nuc":
        out = record(reductions.reduce_sum, _SUMMED, (s,), {"axis": (last,)})
    else:
        out = _extreme(s, ord > 0, last, False)
    if keepdim:
        kept = [1 if a in (rows, columns) else n for a, n in enumerate(x.shape)]
        out = out.reshape(kept)
    return out


def norm(
    A: Tensor,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: torch_dtype | None = None,
) -> Tensor:
    """Return a norm of a vector (one dimension) or of a matrix (two)."""
    if isinstance(dim, int):
        dim = (dim,)
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is specified, it must be of length 1 or 2. Got "
            f"{list(dim)}"
        )
    if dim is None and not isinstance(ord, str) and A.ndim not in (1, 2):
        raise RuntimeError(_RANK.format(A.ndim))
    if isinstance(ord, str) and dim is None and A.ndim > 2:
        raise RuntimeError(_RANK.format(A.ndim))
    if isinstance(ord, str) or (A.ndim if dim is None else len(dim)) == 2:
        dim = (-2, -1) if dim is None else dim
        return matrix_norm(A, ord, dim, keepdim, dtype=dtype)
    return vector_norm(A, ord, dim, keepdim, dtype=dtype)


_RANK = (
    "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
    "{0}D."
)


def cond(A: Tensor, p: Any = None) -> Tensor:
    """Return the condition number for the norm p; inf for singular matrices."""
    if A.ndim < 2:
        raise RuntimeError(
            "linalg.cond: The input tensor must have at least 2 dimensions."
        )
    if p is None or (not isinstance(p, str) and abs(p) == 2):
        s = svdvals(A)
        first, last = s[..., 0], s[..., -1]  # type: ignore[index]
        return last / first if p == -2 else first / last  # type: ignore[no-any-return]
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(
            f"linalg.cond(ord={p}): A must be batches of square matrices, but they are "
            f"{A.shape[-2]} by {A.shape[-1]} matrices"
        )
    try:
        inverse = inv(A)
    except LinAlgError:
        inverse, info = inv_ex(A)
        lost = (info > 0)[..., None, None]
        inverse = inverse.masked_fill(lost, math.inf)
    product = matrix_norm(A, p) * matrix_norm(inverse, p)  # type: ignore[operator]
    return functions["nan_to_num"](product, nan=math.inf, posinf=math.inf)  # type: ignore[no-any-return]


def matrix_rank(
    A: Tensor,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Tensor:
    """Return the number of singular values above max(atol, rtol * largest)."""
    check_rank = "torch.linalg.matrix_rank"
    if A.ndim < 2:
        raise RuntimeError(
            f"{check_rank}: The input tensor input must have at least 2 dimensions."
        )
    atol = tol if tol is not None else atol
    if rtol is None:
        eps = float(np.finfo(A.aval.dtype).eps) if A.aval.dtype.kind in "fc" else 0.0
        rtol = 0.0 if atol else max(A.shape[-2:]) * eps
    check_stack("linalg.svd", A)
    s = svdvals(A.detach())
    largest = functions["amax"](s, -1, True)
    limit = functions["clamp"](largest * float(rtol), min=float(atol or 0.0))
    return (s > limit).sum(-1)
