"""Roots of a polynomial, as eigenvalues of its companion matrix.

A root r of p moves with the coefficients as the implicit function theorem says,

    p(r) = 0    =>    p'(r) dr + sum_k dp_k r^(n-k) = 0,

which is exact and needs no eigenvectors. At a multiple root p' vanishes, and the
derivative is infinite.

Public names: `companion_roots`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .kinds import opaque
from .shape import index_along

__all__ = ["companion_roots"]


def _impl(p: Any) -> Any:
    return np.roots(p).astype(_result_dtype(p.dtype))


def _result_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    small = dtype in (np.dtype("f4"), np.dtype("c8"))
    return np.dtype("c8" if small else "c16")


def _horner(coefficients: list[Any], x: Any) -> Any:
    y = coefficients[0] + x * 0.0
    for c in coefficients[1:]:
        y = y * x + c
    return y


def _jvp(ans: Any, primals: Any, tangents: Any) -> Any:
    (p,), (t,) = primals, tangents
    n = aval_of(p).shape[0] - 1
    moved = _horner([index_along(t, k, 0) for k in range(n + 1)], ans)
    slope = _horner([index_along(p, k, 0) * (n - k) for k in range(n)], ans)
    return -(moved / slope)


companion_roots = opaque(
    "roots",
    _impl,
    _jvp,
    infer=lambda p: Aval((p.shape[0] - 1,), _result_dtype(p.dtype)),
)
"""`p` has at least two coefficients, the first and the last of them not zero."""
