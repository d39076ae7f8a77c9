"""Linear algebra under the names and arguments of `jax.lax.linalg`.

All take stacks of matrices. The names are those of `fad.numpy.linalg`; what differs are
arguments and the order of results: `eigh` returns vectors first.

Public names: `cholesky eigh qr svd triangular_solve`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..numpy import conj
from ..numpy import linalg as base
from ..numpy.convert import operand
from ..ops import matrix_equations
from ..ops.comparison import where
from ..ops.contraction import swap_last

__all__ = ["cholesky", "eigh", "qr", "svd", "triangular_solve"]


def _adjoint(x: Any) -> Any:
    return swap_last(conj(x) if aval_of(x).dtype.kind == "c" else x)


def _symmetrized(x: Any, wanted: bool) -> Any:
    x = operand(x)
    return (x + _adjoint(x)) / 2 if wanted else x


def cholesky(x: Any, *, symmetrize_input: bool = True) -> Any:
    """Return the lower Cholesky factor, of the Hermitian part if `symmetrize_input`."""
    return base.cholesky(_symmetrized(x, symmetrize_input))


def eigh(
    x: Any, *, lower: bool = True, symmetrize_input: bool = True
) -> tuple[Any, Any]:
    """Return eigenvectors, in columns, and increasing eigenvalues.

    >>> import fad, numpy as np
    >>> fad.lax.linalg.eigh(np.diag([2.0, 3.0]))[1]
    array([2., 3.])
    """
    w, v = base.eigh(_symmetrized(x, symmetrize_input), "L" if lower else "U")
    return v, w


def qr(x: Any, *, full_matrices: bool = True) -> tuple[Any, Any]:
    """Return q with orthonormal columns and the upper triangle r, q r = x."""
    q, r = base.qr(x, "complete" if full_matrices else "reduced")
    return q, r


def svd(x: Any, *, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return (u, s, vh), or s alone."""
    found = base.svd(x, full_matrices=full_matrices, compute_uv=compute_uv)
    return tuple(found) if compute_uv else found


def triangular_solve(
    a: Any,
    b: Any,
    *,
    left_side: bool = False,
    lower: bool = False,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> Any:
    """Solve x a = b, or a x = b if `left_side`, for a triangular matrix.

    Args:
        a: matrices (..., n, n), of which one triangle is read.
        b: matrices (..., m, n), or (..., n, m) if `left_side`; or vectors (..., n).
        left_side: `a` stands on the left.
        lower: which triangle.
        transpose_a, conjugate_a: solve with the transpose, the conjugate of `a`.
        unit_diagonal: take the diagonal for ones.

    >>> import fad, numpy as np
    >>> a, b = np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([2.0, 3.0])
    >>> fad.lax.linalg.triangular_solve(a, b, left_side=True, lower=True)
    array([1., 2.])
    """
    a, b = operand(a), operand(b)
    vector = aval_of(b).ndim == aval_of(a).ndim - 1
    if vector:
        b = b[..., None] if left_side else b[..., None, :]
    if conjugate_a:
        a = conj(a)
    if unit_diagonal:
        a = where(np.eye(aval_of(a).shape[-1], dtype=bool), 1.0, a)
    if transpose_a != (not left_side):
        a, lower = swap_last(a), not lower
    columns = b if left_side else swap_last(b)
    x = matrix_equations.solve_triangular(a, columns, lower=lower)
    x = x if left_side else swap_last(x)
    if not vector:
        return x
    return x[..., 0] if left_side else x[..., 0, :]
