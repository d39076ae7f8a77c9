"""Linear systems, inverses, determinants and functions of matrices.

Public names: the functions that `fad.torch.linalg` shows; some are declared into
`fad.torch` and on `Tensor` too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of, concrete_value
from ..ops import contraction, linalg, matrix_equations
from ..ops.comparison import where
from ..ops.matrix_exponential import expm
from ..ops.shape import broadcast_to, expand_dims, reshape
from ..ops.stacks import adjoint
from .conversion import clone, known_values
from .declare import composite, function
from .linalg_errors import explained, zero_pivot
from .ops_linalg import matmul
from .product_checks import check_square, check_stack, check_tensors, title
from .return_types import returned
from .tensor import Tensor, wrap

__all__ = [
    "det",
    "inv",
    "inv_ex",
    "matrix_exp",
    "matrix_power",
    "pinv",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
]


def no_info(x: Tensor) -> Tensor:
    """Return the codes of success for a stack of matrices."""
    return wrap(np.zeros(x.shape[:-2], np.int32))


_inverse = composite("LinalgInvExBackward0", lambda a: linalg.inv(a, strict=True))
_lenient = composite("LinalgInvExBackward0", lambda a: linalg.inv(a, strict=False))


@function("inverse", namespace=True)
def inv(A: Tensor) -> Tensor:
    """Return the inverse of square matrices."""
    check_square("linalg.inv", A)
    with explained("linalg.inv", A, zero_pivot):
        return _inverse(A)  # type: ignore[no-any-return]


def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """Return the inverse and, for every matrix, 0 or the place of a zero pivot."""
    if check_errors:
        return returned("linalg_inv_ex", inv(A), no_info(A))
    check_square("linalg.inv", A)
    return returned("linalg_inv_ex", _lenient(A), _pivots(A))


def _pivots(x: Tensor) -> Tensor:
    known = concrete_value(x.value)
    if known is None or isinstance(known, Tracer):
        return no_info(x)
    stack = np.asarray(known)
    codes = [zero_pivot(m) for m in stack.reshape(-1, *stack.shape[-2:])]
    return wrap(np.array(codes, np.int32).reshape(stack.shape[:-2]))


def _solve(a: Any, b: Any, *, vector: bool, left: bool) -> Any:
    if vector:
        b = expand_dims(b, aval_of(b).ndim)
    if not left:
        a, b = contraction.swap_last(a), contraction.swap_last(b)
    x = linalg.solve(a, b)
    if not left:
        x = contraction.swap_last(x)
    return reshape(x, shape=aval_of(x).shape[:-1]) if vector else x


_solved = composite("LinalgSolveExBackward0", _solve)


def is_vector(a: Tensor, b: Tensor) -> bool:
    """Tell whether right-hand sides are vectors, as NumPy 1 and PyTorch decide."""
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])


def check_system(name: str, a: Tensor, b: Tensor, left: bool, vector: bool) -> None:
    """Raise unless a linear system has matching shapes and dtypes."""
    if a.aval.dtype != b.aval.dtype:
        raise RuntimeError(
            f"{name}: Expected A and B to have the same dtype, but found A of type "
            f"{title(a)} and B of type {title(b)} instead"
        )
    rows, columns = (b.shape[-1], 1) if vector else (b.shape[-2], b.shape[-1])
    if a.shape[-1] != (rows if left else columns):
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {equation} "
            f"({a.shape[-2]}x{a.shape[-1]} and {rows}x{columns})"
        )


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Return the solution X of A X = B, or of X A = B."""
    check_tensors("linalg_solve", A=A, B=B)
    check_square("linalg.solve", A)
    vector = is_vector(A, B)
    check_system("linalg.solve", A, B, left, vector)
    text = "The solver failed because the input matrix is singular."
    with explained("torch.linalg.solve", A, zero_pivot, text):
        return _solved(A, B, vector=vector, left=left)  # type: ignore[no-any-return]


def solve_ex(
    A: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    check_errors: bool = False,
) -> Any:
    """Return the solution of a linear system and a code of success."""
    return returned("linalg_solve_ex", solve(A, B, left=left), no_info(A))


def _triangular(
    a: Any, b: Any, *, upper: bool, left: bool, unit: bool, flip: bool = False
) -> Any:
    if unit:
        eye = np.eye(aval_of(a).shape[-1], dtype=bool)
        a = where(eye, np.ones((), aval_of(a).dtype)[()], a)
    lower = not upper
    if flip:
        a, lower = contraction.swap_last(a), not lower
    if not left:
        a, b, lower = contraction.swap_last(a), contraction.swap_last(b), not lower
    x = matrix_equations.solve_triangular(a, b, lower=lower)
    return x if left else contraction.swap_last(x)


_solved_triangular = composite("LinalgSolveTriangularBackward0", _triangular)
_old_triangular = composite("TriangularSolveBackward0", _triangular)


def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Tensor:
    """Return the solution of a system whose matrix is triangular."""
    name = "linalg.solve_triangular"
    check_square(name, A)
    check_stack(name, B, "B")
    check_system(name, A, B, left, False)
    with explained(name, A):
        return _solved_triangular(  # type: ignore[no-any-return]
            A, B, upper=upper, left=left, unit=unitriangular
        )


@function("triangular_solve", out=False)
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """Return the solution of a triangular system and a copy of its matrix."""
    x = _old_triangular(
        A, input, upper=upper, left=True, unit=unitriangular, flip=transpose
    )
    return returned("triangular_solve", x, clone(A))


_determinant = composite("LinalgDetBackward0", lambda a: linalg.det(a))


@function("det", out=False)
def det(A: Tensor) -> Tensor:
    """Return the determinant of square matrices."""
    check_square("linalg.det", A)
    return _determinant(A)  # type: ignore[no-any-return]


_log_determinant = composite(
    "LinalgSlogdetBackward0", lambda a: tuple(linalg.slogdet(a))
)


def slogdet(A: Tensor) -> Any:
    """Return the sign of the determinant and the logarithm of its size."""
    check_square("linalg.slogdet", A)
    return returned("linalg_slogdet", *_log_determinant(A))


@function("slogdet", out=False)
def torch_slogdet(input: Tensor) -> Any:
    """Return the sign of the determinant and the logarithm of its size."""
    return returned("slogdet", *slogdet(input))


_chosen = composite(
    "WhereBackward0", lambda sign, size: where(sign == -1, np.nan, size)
)


@function("logdet", out=False)
def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant, nan if it is negative."""
    check_square("logdet", input)
    sign, size = _log_determinant(input)
    if input.aval.dtype.kind == "c":
        return sign.log() + size  # type: ignore[no-any-return]
    return _chosen(sign.detach(), size)  # type: ignore[no-any-return]


def _pinv(a: Any, *, relative: float, absolute: float | None) -> Any:
    if absolute is None:
        return linalg.pinv(a, relative)
    largest = np.linalg.svd(known_values(a), compute_uv=False)[..., 0]
    return linalg.pinv(a, np.maximum(relative, absolute / largest))


_pseudo = composite("LinalgPinvBackward0", _pinv)


def pinv(
    A: Tensor,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Tensor:
    """Return the Moore-Penrose inverse.

    Args:
        atol, rtol: singular values up to max(atol, rtol * largest) count as zero.
        hermitian: the matrices are equal to their adjoints.
    """
    if A.ndim < 2 or A.aval.dtype.kind not in "fc":
        raise RuntimeError(
            f"linalg.pinv({title(A)}{{{list(A.shape)}}}): expected a tensor with 2 or "
            "more dimensions of float, double, cfloat or cdouble types"
        )
    if hermitian:
        check_square("linalg.eigh", A)
    rtol = rcond if rtol is None else rtol
    if rtol is None:
        eps = np.finfo(A.aval.dtype).eps
        rtol = 0.0 if atol else max(A.shape[-2:]) * float(eps)
    atol, rtol = (None if t is None else float(t) for t in (atol, rtol))
    return _pseudo(A, relative=rtol, absolute=atol)  # type: ignore[no-any-return]


@function("pinverse", out=False)
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Return the Moore-Penrose inverse."""
    return pinv(input, rcond)


def _identity(a: Any) -> Any:
    aval = aval_of(a)
    eye = np.eye(aval.shape[-1], dtype=aval.dtype)
    return where(False, a, broadcast_to(eye, shape=aval.shape))


_zeroth = composite("CopyBackwards", _identity)


@function("matrix_power")
def matrix_power(A: Tensor, n: int) -> Tensor:
    """Return a power of square matrices; a negative one is of the inverse."""
    check_square("linalg.matrix_power", A, floating=False)
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(
            "linalg_matrix_power(): argument 'n' (position 2) must be int, not "
            f"{type(n).__name__}"
        )
    if n < 0:
        return matrix_power(inv(A), -n) if n < -1 else inv(A)  # type: ignore[no-any-return]
    if n < 2:
        return clone(A) if n else _zeroth(A)  # type: ignore[no-any-return]
    square, found = A, None
    while True:
        n, odd = divmod(n, 2)
        if odd:
            found = square if found is None else matmul(found, square)
        if not n:
            return found  # type: ignore[return-value]
        square = matmul(square, square)


_exponential = composite("LinalgMatrixExpBackward0", lambda a: expm(a))


@function("matrix_exp", out=False)
def matrix_exp(A: Tensor) -> Tensor:
    """Return the exponential of square matrices."""
    check_square("linalg.matrix_exp", A)
    return _exponential(A)  # type: ignore[no-any-return]


def _cholesky_solve(b: Any, u: Any, *, upper: bool) -> Any:
    first = adjoint(u) if upper else u
    y = matrix_equations.solve_triangular(first, b, lower=True)
    return matrix_equations.solve_triangular(adjoint(first), y, lower=False)


_by_cholesky = composite("CholeskySolveBackward0", _cholesky_solve)


@function("cholesky_solve")
def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """Return the solution of A X = B from the Cholesky factor of A."""
    for name, x in (("b", B), ("u", L)):
        if x.ndim < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {x.ndim} "
                "dimensions instead"
            )
    return _by_cholesky(B, L, upper=upper)  # type: ignore[no-any-return]


def _cholesky_inverse(u: Any, *, upper: bool) -> Any:
    aval = aval_of(u)
    eye = broadcast_to(np.eye(aval.shape[-1], dtype=aval.dtype), shape=aval.shape)
    return _cholesky_solve(eye, u, upper=upper)


_inverse_by_cholesky = composite("CholeskyInverseBackward0", _cholesky_inverse)


@function("cholesky_inverse")
def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """Return the inverse of a matrix from its Cholesky factor."""
    return _inverse_by_cholesky(L, upper=upper)  # type: ignore[no-any-return]
