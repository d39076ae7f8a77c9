"""Linear algebra, under the names of `scipy.linalg`.

    systems      solve solve_triangular cho_factor cho_solve solve_banded
                 solve_sylvester
    functions    expm sqrtm inv det
    factors      cholesky qr svd eigh eigvalsh
    structured   block_diag toeplitz hankel circulant

Everything works on stacks of matrices and none of it needs SciPy. A factor is upper by
default here (`lower=False`), as in SciPy. `sqrtm` keeps the dtype: a real matrix
without a real square root gives nan, and its complex one if given as complex.

>>> import fad, numpy as np
>>> a = np.array([[0.0, 1.0], [-1.0, 0.0]])
>>> fad.grad(lambda t: fad.scipy.linalg.expm(a * t)[0, 1])(0.0)
np.float64(1.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..control.while_loop import while_loop
from ..core.trace import aval_of, concrete_value
from ..numpy import linalg as base
from ..ops import linalg as systems
from ..ops import matrix_equations as equations
from ..ops.arithmetic import conj, convert, stop_gradient
from ..ops.comparison import gt, where
from ..ops.contraction import matmul, swap_last
from ..ops.elementary import exp2, log2
from ..ops.piecewise import abs_, ceil
from ..ops.reductions import reduce_max, reduce_sum
from ..ops.shape import expand_dims, reshape
from .arguments import inexact
from .structured import banded_matrix, block_diag, circulant, hankel, toeplitz

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "circulant",
    "det",
    "eigh",
    "eigvalsh",
    "expm",
    "hankel",
    "inv",
    "qr",
    "solve",
    "solve_banded",
    "solve_sylvester",
    "solve_triangular",
    "sqrtm",
    "svd",
    "toeplitz",
]

_TRANSPOSES = {0: "N", 1: "T", 2: "C", "N": "N", "T": "T", "C": "C"}


def _columns(b: Any) -> tuple[Any, bool]:
    """Return right-hand sides as a matrix, and whether they were one vector."""
    b = inexact(b)
    if aval_of(b).ndim == 1:
        return expand_dims(b, 1), True
    return b, False


def _vector(x: Any) -> Any:
    return reshape(x, shape=aval_of(x).shape[:-1])


def solve_triangular(
    a: Any,
    b: Any,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    """Solve a x = b for a triangular matrix `a`; the other triangle is ignored.

    Args:
        a: matrices (..., n, n).
        b: a vector (n,) or matrices (..., n, k).
        trans: 0 or "N" for a, 1 or "T" for its transpose, 2 or "C" for its adjoint.
        lower: which triangle.
        unit_diagonal: take the diagonal for ones.
        overwrite_b, check_finite: accepted for compatibility.
    """
    a = inexact(a)
    b, single = _columns(b)
    if trans not in _TRANSPOSES:
        raise ValueError(
            f"solve_triangular: trans is 0, 1, 2, N, T or C, not {trans!r}"
        )
    if unit_diagonal:
        n = aval_of(a).shape[-1]
        a = where(np.eye(n, dtype=bool), 1.0, a)
    kind = _TRANSPOSES[trans]
    if kind != "N":
        a = swap_last(conj(a) if kind == "C" and aval_of(a).dtype.kind == "c" else a)
        lower = not lower
    x = equations.solve_triangular(a, b, lower=bool(lower))
    return _vector(x) if single else x


def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """Return the Cholesky factor, upper unless `lower`."""
    factor = base.cholesky(inexact(a))
    if lower:
        return factor
    return swap_last(conj(factor) if aval_of(factor).dtype.kind == "c" else factor)


def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Any, bool]:
    """Return (factor, lower) for `cho_solve`; the other triangle holds zeros."""
    return cholesky(a, lower), lower


def cho_solve(
    c_and_lower: tuple[Any, bool],
    b: Any,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    """Solve a x = b, given the factorisation of `a` by `cho_factor`."""
    factor, lower = c_and_lower
    first, last = ("N", "C") if lower else ("C", "N")
    y = solve_triangular(factor, b, first, lower)
    return solve_triangular(factor, y, last, lower)


def solve(
    a: Any,
    b: Any,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
    transposed: bool = False,
) -> Any:
    """Solve a x = b; `assume_a="pos"` uses a Cholesky factorisation."""
    a = inexact(a)
    if assume_a in ("pos", "positive definite"):
        return cho_solve(cho_factor(a, lower), b)
    b, single = _columns(b)
    x = systems.solve(swap_last(a) if transposed else a, b)
    return _vector(x) if single else x


def inv(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return the inverse."""
    return base.inv(inexact(a))


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return the determinant."""
    return base.det(inexact(a))


def qr(a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full") -> Any:
    """Return (q, r); `mode` is "full", "economic" or "r"."""
    numpys = {"full": "complete", "economic": "reduced", "r": "r"}
    if mode not in numpys:
        raise ValueError(f"qr: mode is one of {sorted(numpys)}, not {mode!r}")
    found = base.qr(inexact(a), numpys[mode])
    return (found,) if mode == "r" else tuple(found)


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return (u, s, vh), or s alone."""
    found = base.svd(inexact(a), full_matrices, compute_uv)
    return tuple(found) if compute_uv else found


def eigh(a: Any, lower: bool = True, eigvals_only: bool = False) -> Any:
    """Return (values, vectors) of Hermitian matrices, or the eigenvalues alone."""
    uplo = "L" if lower else "U"
    if eigvals_only:
        return base.eigvalsh(inexact(a), uplo)
    return tuple(base.eigh(inexact(a), uplo))


def solve_banded(l_and_u: Sequence[int], ab: Any, b: Any) -> Any:
    """Solve a x = b for a banded matrix, with `l` diagonals below and `u` above.

    The matrix is built in full: this serves small systems and derivatives.

    Args:
        l_and_u: the numbers (l, u).
        ab: (l + u + 1, n), the diagonals as rows, in SciPy's order: ab[u + i - j, j] is
            a[i, j].
        b: a vector (n,) or a matrix (n, k).
    """
    return solve(banded_matrix(l_and_u, inexact(ab)), b)


def eigvalsh(a: Any, lower: bool = True) -> Any:
    """Return the eigenvalues of Hermitian matrices."""
    return eigh(a, lower, eigvals_only=True)


def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """Return x with a x + x b = q."""
    return equations.solve_sylvester(inexact(a), inexact(b), inexact(q))


def sqrtm(a: Any) -> Any:
    """Return the principal square root of matrices, of their dtype."""
    return equations.sqrtm(inexact(a))


_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0,
    40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
_REACH = 5.371920351148152


def expm(a: Any) -> Any:
    """Return the exponential of matrices, by scaling and squaring (Higham, 2005).

    >>> import fad, numpy as np
    >>> fad.scipy.linalg.expm(np.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    a = inexact(a)
    rank = aval_of(a).ndim
    real = np.empty(0, aval_of(a).dtype).real.dtype
    norm = reduce_sum(abs_(stop_gradient(a)), axis=(rank - 2,))
    norm = reduce_max(norm, axis=(rank - 2,)) if aval_of(a).shape[-1] else 0.0
    halvings = _halvings(norm / _REACH)
    scale = convert(exp2(-halvings), dtype=real)
    x = _pade(a * expand_dims(expand_dims(scale, rank - 2), rank - 1))
    return _square(x, expand_dims(expand_dims(halvings, rank - 2), rank - 1))


def _halvings(ratio: Any) -> Any:
    """Return how often to halve, a whole number in float64; nan and inf give 0."""
    ratio = convert(ratio, dtype=np.dtype(np.float64))
    large = (ratio > 1) * (ratio < np.inf)
    return ceil(log2(where(large, ratio, 1.0)))


def _pade(a: Any) -> Any:
    """Return the diagonal Pade approximant of degree 13."""
    c = _PADE
    one = np.eye(aval_of(a).shape[-1], dtype=aval_of(a).dtype)
    a2 = matmul(a, a)
    a4 = matmul(a2, a2)
    a6 = matmul(a4, a2)
    high = matmul(a6, a6 * c[13] + a4 * c[11] + a2 * c[9])
    odd = matmul(a, high + a6 * c[7] + a4 * c[5] + a2 * c[3] + one * c[1])
    high = matmul(a6, a6 * c[12] + a4 * c[10] + a2 * c[8])
    even = high + a6 * c[6] + a4 * c[4] + a2 * c[2] + one * c[0]
    return systems.solve(even - odd, even + odd)


def _square(x: Any, times: Any) -> Any:
    """Square each matrix the given number of times, in a loop of steps if unknown."""
    known = concrete_value(times)
    if known is not None:
        for i in range(int(np.max(known, initial=0))):
            x = where(gt(known, i), matmul(x, x), x)
        return x
    last = reduce_max(times, axis=tuple(range(aval_of(times).ndim)))

    def step(state: tuple[Any, Any]) -> tuple[Any, Any]:
        i, x = state
        return i + 1.0, where(gt(times, i), matmul(x, x), x)

    return while_loop(lambda state: state[0] < last, step, (0.0, x))[1]
