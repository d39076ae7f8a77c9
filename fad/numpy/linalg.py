"""Linear algebra: `numpy.linalg` on traced values.

Everything works on stacks of matrices, in real and complex, single and double
precision, and is differentiable at every order where the mathematics is. At the edges:

    symmetric input     `eigh` and `cholesky` have the gradient of the symmetric part
    equal eigenvalues   functions of the values are exact; vectors get finite gradients
    singular matrices   `det` is exact (the adjugate), `slogdet` gives infinities
    deficient rank      `pinv` and `lstsq` for changes that keep the rank
    norms at zero       gradient 0

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> fad.grad(fnp.linalg.det)(np.array([[1.0, 2.0], [2.0, 4.0]]))
array([[ 4., -2.],
       [-2.,  1.]])

Public names: those of `numpy.linalg`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from ..core.trace import aval_of, concrete_value
from ..ops import factorizations, spectral
from ..ops import linalg as ops
from ..ops.arithmetic import real
from ..ops.shape import expand_dims, reshape, transpose
from ..ops.stacks import hermitian as hermitian_part
from .dispatch import implements
from .least_squares import cond, lstsq, matrix_rank, pinv
from .matrix_norms import as_inexact, matrix_norm, norm, vector_norm
from .matrix_products import (
    cross,
    diagonal,
    matmul,
    matrix_power,
    matrix_transpose,
    multi_dot,
    outer,
    tensordot,
    trace,
    vecdot,
)

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]

_ONE = np.eye(1)
EigResult = type(np.linalg.eig(_ONE))
EighResult = type(np.linalg.eigh(_ONE))
QRResult = type(np.linalg.qr(_ONE))
SlogdetResult = type(np.linalg.slogdet(_ONE))
SVDResult = type(np.linalg.svd(_ONE))


@implements(np.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    """Solve a x = b for a vector b (one axis) or stacks of matrices."""
    a, b = as_inexact(a), as_inexact(b)
    if aval_of(b).ndim != 1:
        return ops.solve(a, b)
    x = ops.solve(a, expand_dims(b, 1))
    return reshape(x, shape=aval_of(x).shape[:-1])


@implements(np.linalg.inv)
def inv(a: Any) -> Any:
    """Invert square matrices."""
    return ops.inv(as_inexact(a), strict=True)


@implements(np.linalg.det)
def det(a: Any) -> Any:
    """Return determinants; the gradient is right for singular matrices too."""
    return ops.det(as_inexact(a))


@implements(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    """Return signs and logarithms of the absolute values of determinants."""
    return SlogdetResult(*ops.slogdet(as_inexact(a)))


@implements(np.linalg.cholesky)
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """Factor positive definite matrices; the gradient is symmetric."""
    return factorizations.cholesky(as_inexact(a), upper=bool(upper))


@implements(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    """Factor matrices of independent (leading) columns into q and r."""
    mode = {"economic": "reduced", "e": "reduced", "full": "reduced"}.get(mode, mode)
    if mode == "raw":
        raise NotImplementedError(
            "qr: mode 'raw' returns LAPACK's Householder vectors, which fad does not "
            "differentiate; use mode 'reduced', 'complete' or 'r'"
        )
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    q, r = factorizations.qr(as_inexact(a), complete=mode == "complete")
    return r if mode == "r" else QRResult(q, r)


def _uplo(uplo: str) -> str:
    uplo = str(uplo).upper()
    if uplo not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return uplo


@implements(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:
    """Return eigenvalues and eigenvectors of Hermitian matrices.

    The gradient is that of the Hermitian part of `a`. Functions of the eigenvalues have
    exact derivatives also where these repeat.
    """
    return EighResult(*spectral.eigh(as_inexact(a), uplo=_uplo(UPLO)))


@implements(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """Return eigenvalues of Hermitian matrices."""
    return spectral.eigh(as_inexact(a), uplo=_uplo(UPLO))[0]


def _real_if_known(a: Any, outs: Sequence[Any]) -> list[Any]:
    """Return real parts of results that NumPy would give as real arrays."""
    values = concrete_value(outs[0])
    if aval_of(a).dtype.kind == "c" or values is None or np.any(values.imag):
        return list(outs)
    return [real(x) for x in outs]


@implements(np.linalg.eig)
def eig(a: Any) -> Any:
    """Return eigenvalues and unit eigenvectors of square matrices.

    Results are real where all eigenvalues of real matrices are, as NumPy's; they are
    complex where values are not known, under vmap and make_jaxpr.
    """
    a = as_inexact(a)
    return EigResult(*_real_if_known(a, spectral.eig(a)))


@implements(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """Return eigenvalues of square matrices, real ones as `eig` does."""
    a = as_inexact(a)
    return _real_if_known(a, spectral.eig(a)[:1])[0]


@implements(np.linalg.svd)
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Return u, s and v^H; functions of s have exact derivatives where values repeat.

    With `hermitian` the gradient is that of the Hermitian part.
    """
    a = as_inexact(a)
    if hermitian:
        a = hermitian_part(a)
    full = bool(full_matrices and compute_uv)
    u, s, vh = spectral.svd(a, full_matrices=full)
    return SVDResult(u, s, vh) if compute_uv else s


@implements(np.linalg.svdvals)
def svdvals(x: Any, /) -> Any:
    """Return singular values in descending order."""
    return spectral.svd(as_inexact(x), full_matrices=False)[1]


@implements(np.linalg.tensorinv)
def tensorinv(a: Any, ind: int = 2) -> Any:
    """Invert the map that `tensordot(a, x, ...)` over the last axes is."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    a = as_inexact(a)
    shape = aval_of(a).shape
    rows = prod(shape[ind:])
    inverse = ops.inv(reshape(a, shape=(prod(shape[:ind]), rows)), strict=True)
    return reshape(inverse, shape=(*shape[ind:], *shape[:ind]))


@implements(np.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """Solve tensordot(a, x, x.ndim) = b for x."""
    a, b = as_inexact(a), as_inexact(b)
    rank = aval_of(a).ndim
    if axes is not None:
        moved = [operator.index(i) % rank for i in axes]
        order = [i for i in range(rank) if i not in moved] + moved
        a = transpose(a, axes=tuple(order))
    shape = aval_of(a).shape[aval_of(b).ndim :]
    size = prod(shape)
    if aval_of(a).size != size**2:
        raise LinAlgError(
            "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == "
            f"prod(a.shape[:b.ndim]), got a {aval_of(a).shape} and b {aval_of(b).shape}"
        )
    x = ops.solve(reshape(a, shape=(size, size)), reshape(b, shape=(size, 1)))
    return reshape(x, shape=shape)
