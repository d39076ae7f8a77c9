"""The triangular factorisation with row exchanges, on stacks of matrices.

    a = p l u      dm = l^-1 p^T da u^-1 (of the leading square)
                   dl = l low(dm),  du = up(dm) u,  low strictly below the diagonal

Rows and columns beyond the leading square follow by substitution. The exchanges are
constant where they are determined.

Public names: `lu`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .contraction import matmul, swap_last
from .indexing import slice_along
from .kinds import Opaque, opaque
from .linalg import inv
from .shape import concatenate
from .stacks import batch_stacks, matrices

__all__ = ["lu"]


def _lu(a: Any) -> list[Any]:
    dtype = matrices("lu", Aval(a.shape, a.dtype)).dtype
    *stack, m, n = a.shape
    k = min(m, n)
    parts = [_lu_of_one(x.astype(dtype)) for x in a.reshape(-1, m, n)]
    shapes = (m, m), (m, k), (k, n)
    return [
        np.array([part[i] for part in parts], dtype).reshape(*stack, *shape)
        for i, shape in enumerate(shapes)
    ]


def _lu_of_one(a: Any) -> tuple[Any, Any, Any]:
    m, n = a.shape
    order = np.arange(m)
    for k in range(min(m, n)):
        row = k + int(np.argmax(np.abs(a[k:, k])))
        if row != k:
            a[[k, row]], order[[k, row]] = a[[row, k]], order[[row, k]]
        if a[k, k] != 0:
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    k = min(m, n)
    lower = np.tril(a[:, :k], -1) + np.eye(m, k, dtype=a.dtype)
    return np.eye(m, dtype=a.dtype)[:, order], lower, np.triu(a[:k])


def _push(ans: Any, primals: Any, tangents: Any) -> list[Any]:
    p, lower, upper = ans
    t = matmul(swap_last(p), tangents[0])
    *_, m, n = aval_of(t).shape
    k, axis = min(m, n), aval_of(t).ndim - 1
    square = slice_along(slice_along(t, 0, k, axis), 0, k, axis - 1)
    first = slice_along(lower, 0, k, axis - 1)
    left = inv(first, strict=False)
    right = inv(slice_along(upper, 0, k, axis), strict=False)
    dm = matmul(matmul(left, square), right)
    mask = np.tri(k, k, -1, dtype=aval_of(dm).dtype)
    low, up = dm * mask, dm * (1 - mask)
    dl, du = matmul(first, low), matmul(up, slice_along(upper, 0, k, axis))
    if m > k:
        below = matmul(slice_along(t, k, m, axis - 1), right)
        below = below - matmul(slice_along(lower, k, m, axis - 1), up)
        dl = concatenate(dl, below, axis=axis - 1)
    if n > k:
        beside = matmul(left, slice_along(t, k, n, axis))
        beside = beside - matmul(low, slice_along(upper, k, n, axis))
        du = concatenate(du, beside, axis=axis)
    return [None, dl, du]


def _infer(a: Aval) -> list[Aval]:
    a = matrices("lu", a)
    *stack, m, n = a.shape
    k = min(m, n)
    return [Aval((*stack, *shape), a.dtype) for shape in ((m, m), (m, k), (k, n))]


lu: Opaque = opaque(
    "lu",
    _lu,
    _push,
    infer=_infer,
    batch=batch_stacks(lambda: lu),
    multiple_results=True,
)
"""`lu(a)`: [p, l, u] with a = p l u, p a permutation matrix."""
