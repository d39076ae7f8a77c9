"""Triangular factorisations of stacks of matrices: `cholesky` and `qr`.

    cholesky   a = l l^H    dl = l phi(l^-1 da l^-H),  phi: lower half
    qr         a = q r      dq = q omega + what leaves the span,  dr = q^H da - omega r
               omega = low - low^H,  low the strict lower triangle of q^H da r^-1

`cholesky` reads one triangle, but its derivative is that of the Hermitian part of the
matrix: symmetric matrices get symmetric gradients. `qr` takes tall and wide matrices
whose leading columns are independent.

Public names: `cholesky qr`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .arithmetic import imag
from .contraction import matmul
from .indexing import slice_along
from .kinds import opaque
from .linalg import inv
from .stacks import adjoint, batch_stacks, bordered, hermitian, matrices, square

__all__ = ["cholesky", "qr"]


def _push_cholesky(ans: Any, primals: Any, tangents: Any, *, upper: bool) -> Any:
    lower = adjoint(ans) if upper else ans
    inverse = inv(lower, strict=False)
    t = matmul(matmul(inverse, hermitian(tangents[0])), adjoint(inverse))
    n = aval_of(t).shape[-1]
    phi = np.tril(np.ones((n, n), aval_of(t).dtype)) - np.eye(n) / 2
    out = matmul(lower, t * phi.astype(aval_of(t).dtype))
    return adjoint(out) if upper else out


cholesky = opaque(
    "cholesky",
    lambda a, *, upper: np.linalg.cholesky(a, upper=upper),
    _push_cholesky,
    infer=lambda a, *, upper: square("cholesky", a),
    batch=batch_stacks(lambda: cholesky),
)
"""`cholesky(a, upper=False)`: l with l l^H = a, or its adjoint."""


def _push_qr(ans: Any, primals: Any, tangents: Any, *, complete: bool) -> list[Any]:
    q, r = ans
    (t,) = tangents
    *_, m, n = aval_of(t).shape
    k, axis = min(m, n), aval_of(t).ndim - 1
    corner = slice_along(slice_along(r, 0, k, axis), 0, k, axis - 1)
    w = matmul(slice_along(t, 0, k, axis), inv(corner, strict=False))
    qh = adjoint(q)
    p = matmul(qh, w)
    omega = _skew(slice_along(p, 0, k, axis - 1))
    if complete and m > k:
        omega = bordered(omega, slice_along(p, k, m, axis - 1))
    dq = matmul(q, omega)
    if not complete and m > k:
        dq = dq + (w - matmul(q, p))
    return [dq, matmul(qh, t) - matmul(omega, r)]


def _skew(p: Any) -> Any:
    """Return skew-Hermitian omega; p - omega is triangular, its diagonal real."""
    aval = aval_of(p)
    n = aval.shape[-1]
    low = p * np.tril(np.ones((n, n), aval.dtype), -1)
    omega = low - adjoint(low)
    if aval.dtype.kind == "c":
        omega = omega + imag(p) * (1j * np.eye(n)).astype(aval.dtype)
    return omega


def _infer_qr(a: Aval, *, complete: bool) -> list[Aval]:
    a = matrices("qr", a)
    *stack, m, n = a.shape
    k = m if complete else min(m, n)
    return [Aval((*stack, m, k), a.dtype), Aval((*stack, k, n), a.dtype)]


qr = opaque(
    "qr",
    lambda a, *, complete: list(np.linalg.qr(a, "complete" if complete else "reduced")),
    _push_qr,
    infer=_infer_qr,
    batch=batch_stacks(lambda: qr),
    multiple_results=True,
)
"""`qr(a, complete=False)`: [q, r]."""
