"""Factorisations: singular values, eigenvalues, QR, Cholesky.

Public names: the functions that `fad.torch.linalg` shows; some are declared into
`fad.torch` and on `Tensor` too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of, concrete_value
from ..ops import factorizations, linalg, spectral
from ..ops.contraction import matmul
from ..ops.shape import expand_dims, reshape
from .declare import composite, function, functions
from .linalg_errors import LinAlgError, explained, first_minor
from .ops_solve import is_vector, no_info
from .product_checks import check_square, check_stack, check_tensors
from .return_types import returned
from .tensor import Tensor, wrap

__all__ = [
    "cholesky",
    "cholesky_ex",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "lstsq",
    "qr",
    "svd",
    "svdvals",
]


def _check_finite(name: str, x: Tensor) -> None:
    known = concrete_value(x.value)
    if isinstance(known, np.ndarray) and not np.isfinite(known).all():
        raise LinAlgError(
            f"{name}: The algorithm failed to converge because the input matrix "
            "contained non-finite values."
        )


_singular = composite(
    "LinalgSvdBackward0",
    lambda a, *, full: tuple(spectral.svd(a, full_matrices=full)),
)


def _factors(input: Tensor, full: bool) -> Any:
    check_stack("linalg.svd", input)
    _check_finite("linalg.svd", input)
    return _singular(input, full=full)


def svd(A: Tensor, full_matrices: bool = True, *, driver: Any = None) -> Any:
    """Return the singular value decomposition (U, S, Vh)."""
    return returned("linalg_svd", *_factors(A, full_matrices))


def svdvals(A: Tensor, *, driver: Any = None) -> Tensor:
    """Return the singular values, in descending order."""
    return _factors(A, False)[1]  # type: ignore[no-any-return]


@function("svd", out=False)
def torch_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular value decomposition (U, S, V)."""
    u, s, vh = _factors(input, not some)
    if not compute_uv:
        u, vh = functions["zeros_like"](u), functions["zeros_like"](vh)
    v = functions["transpose"](vh, -2, -1)
    return returned("svd", u, s, v.conj() if v.aval.dtype.kind == "c" else v)


_hermitian = composite(
    "LinalgEighBackward0", lambda a, *, uplo: tuple(spectral.eigh(a, uplo=uplo))
)


def _eigen(A: Tensor, UPLO: str) -> Any:
    check_square("linalg.eigh", A)
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    with explained("linalg.eigh", A):
        return _hermitian(A, uplo=UPLO.upper())


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Return eigenvalues and eigenvectors of symmetric or Hermitian matrices."""
    return returned("linalg_eigh", *_eigen(A, UPLO))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues of symmetric or Hermitian matrices, ascending."""
    return _eigen(A, UPLO)[0]  # type: ignore[no-any-return]


_general = composite("LinalgEigBackward0", lambda a: tuple(spectral.eig(a)))


def _eigen_general(A: Tensor) -> Any:
    check_square("linalg.eig", A)
    known = concrete_value(A.value)
    if isinstance(known, np.ndarray) and not np.isfinite(known).all():
        raise RuntimeError(
            "torch.linalg.eig: input tensor should not contain infs or NaNs."
        )
    return _general(A)


def eig(A: Tensor) -> Any:
    """Return eigenvalues and eigenvectors of square matrices, complex."""
    return returned("linalg_eig", *_eigen_general(A))


def eigvals(A: Tensor) -> Tensor:
    """Return the eigenvalues of square matrices, complex."""
    return _eigen_general(A)[0]  # type: ignore[no-any-return]


_orthogonal = composite(
    "LinalgQrBackward0",
    lambda a, *, complete: tuple(factorizations.qr(a, complete=complete)),
)


def qr(A: Tensor, mode: str = "reduced") -> Any:
    """Return the QR decomposition; mode is reduced, complete or r."""
    check_stack("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' "
            "(default), 'r', or 'complete'"
        )
    q, r = _orthogonal(A, complete=mode == "complete")
    if mode == "r":
        q = wrap(np.empty(0, A.aval.dtype))
    return returned("linalg_qr", q, r)


@function("qr", out=False)
def torch_qr(input: Tensor, some: bool = True) -> Any:
    """Return the QR decomposition."""
    return returned("qr", *qr(input, "reduced" if some else "complete"))


def _cholesky(a: Any, *, upper: bool) -> Any:
    return factorizations.cholesky(a, upper=upper)


_triangle = composite("LinalgCholeskyExBackward0", _cholesky)
_old_triangle = composite("CholeskyBackward0", _cholesky)


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """Return the Cholesky factor of positive definite matrices."""
    check_square("linalg.cholesky", A)
    with explained("linalg.cholesky", A, first_minor):
        return _triangle(A, upper=upper)  # type: ignore[no-any-return]


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Return the Cholesky factor and the order of a minor that is not positive."""
    check_square("linalg.cholesky", A)
    try:
        return returned("linalg_cholesky_ex", _triangle(A, upper=upper), no_info(A))
    except np.linalg.LinAlgError:
        if check_errors:
            return cholesky(A, upper=upper)
    stack = np.asarray(concrete_value(A.value))
    flat = stack.reshape(-1, *stack.shape[-2:])
    codes = np.array([first_minor(m) for m in flat], np.int32)
    factors = [
        m * np.nan if c else np.linalg.cholesky(m)
        for m, c in zip(flat, codes, strict=True)
    ]
    factor = wrap(np.array(factors, stack.dtype).reshape(stack.shape))
    info = wrap(codes.reshape(stack.shape[:-2]))
    return returned("linalg_cholesky_ex", factor, info)


@function("cholesky")
def torch_cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """Return the Cholesky factor of positive definite matrices."""
    check_square("cholesky", input)
    with explained("cholesky", input, first_minor):
        return _old_triangle(input, upper=upper)  # type: ignore[no-any-return]


def _least_squares(a: Any, b: Any, *, rcond: float, vector: bool) -> Any:
    b = expand_dims(b, aval_of(b).ndim) if vector else b
    x = matmul(linalg.pinv(a, rcond), b)
    return reshape(x, shape=aval_of(x).shape[:-1]) if vector else x


_fitted = composite("LinalgLstsqBackward0", _least_squares)


def lstsq(
    A: Tensor,
    B: Tensor,
    rcond: Any = None,
    *,
    driver: str = "gelsy",
) -> Any:
    """Return the least-squares solution, residuals, rank and singular values.

    Residuals come with the drivers that compute them, gels, gelss and gelsd; singular
    values with the last two.
    """
    check_tensors("linalg_lstsq", input=A, b=B)
    if A.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, "
            "gelsd, gelss)"
        )
    m, n = A.shape[-2:]
    eps = float(np.finfo(A.aval.dtype).eps)
    cut = max(m, n) * eps if rcond is None else float(rcond)
    vector = is_vector(A, B)
    x = _fitted(A, B, rcond=cut, vector=vector)
    found = svdvals(A.detach())
    rank = (found > cut * found[..., :1]).sum(-1)
    nothing = wrap(np.empty(0, A.aval.dtype))
    residuals, values = nothing, nothing
    if driver != "gelsy" and m > n and bool((rank == n).all()):
        off = (matmul_of(A, x, vector) - B).abs() ** 2
        residuals = off.sum(-1 if vector else -2)
    if driver in ("gelsd", "gelss"):
        values = found
    if driver == "gels":
        rank = wrap(np.empty(0, np.int64))
    return returned("linalg_lstsq", x, residuals, rank, values)


def matmul_of(a: Tensor, x: Tensor, vector: bool) -> Any:
    """Return a @ x for a vector or a stack of them, or for matrices."""
    if not vector:
        return functions["matmul"](a, x)
    return functions["matmul"](a, x.unsqueeze(-1)).squeeze(-1)
