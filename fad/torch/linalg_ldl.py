"""LDL factorisations of symmetric and Hermitian matrices (Bunch & Kaufman 1977).

    P A P' = L D L'      D has blocks of one or two rows

The factors lie in one matrix, as LAPACK's ``sytrf`` packs them: L below the diagonal, D
on it, with the lower entry of a block of two beside it. A positive pivot k says that
the row was exchanged with row k, counted from 1; a block of two has -k twice. They have
no derivatives, as in PyTorch.

Public names: `ldl_factor`, `ldl_factor_ex`, `ldl_solve`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .return_types import returned
from .tensor import Tensor, wrap

__all__ = ["ldl_factor", "ldl_factor_ex", "ldl_solve"]

_ALPHA = (1 + math.sqrt(17)) / 8
Conj = Callable[[Any], Any]


def ldl_factor(A: Tensor, *, hermitian: bool = False) -> Any:
    """Return the factors in one matrix, and the row exchanges.

    Raises:
        RuntimeError: D is singular.
    """
    packed, pivots, info = _factored(A, hermitian)
    if info.any():
        raise RuntimeError(
            "torch.linalg.ldl_factor: the factorisation has a zero on the diagonal of D, "
            f"at {int(info.max())}"
        )
    return returned("linalg_ldl_factor", wrap(packed), wrap(pivots))


def ldl_factor_ex(
    A: Tensor, *, hermitian: bool = False, check_errors: bool = False
) -> Any:
    """Return the factors in one matrix, the row exchanges, and codes of success."""
    if check_errors:
        ldl_factor(A, hermitian=hermitian)
    packed, pivots, info = _factored(A, hermitian)
    return returned("linalg_ldl_factor_ex", wrap(packed), wrap(pivots), wrap(info))


def _factored(A: Tensor, hermitian: bool) -> tuple[Any, Any, Any]:
    if A.aval.dtype.kind not in "fc":
        raise RuntimeError(
            "torch.linalg.ldl_factor_ex: Expected a floating point or complex tensor as "
            f"input. Got {A.dtype.title}"
        )
    if A.ndim < 2:
        raise RuntimeError(
            "torch.linalg.ldl_factor_ex: The input tensor A must have at least 2 "
            "dimensions."
        )
    m, n = A.shape[-2:]
    if m != n:
        raise RuntimeError(
            "torch.linalg.ldl_factor_ex: A must be batches of square matrices, but they "
            f"are {m} by {n} matrices"
        )
    packed = np.tril(A.detach().value)  # type: ignore[attr-defined]
    pivots = np.zeros(A.shape[:-1], np.int32)
    info = np.zeros(A.shape[:-2], np.int32)
    stack = packed.reshape(-1, n, n)
    rows, codes = pivots.reshape(-1, n), info.reshape(-1)
    for i in range(len(stack)):
        codes[i] = _factor(stack[i], rows[i], hermitian)
    return packed, pivots, info


def _factor(a: Any, pivots: Any, hermitian: bool) -> int:
    """Factor the lower half of a matrix in place; return where D is singular, or 0."""
    conj: Conj = np.conj if hermitian else lambda x: x
    n, k, info = len(a), 0, 0
    while k < n:
        p, width = _pivot(a, k, hermitian)
        if p is None:
            info, p = info or k + 1, k
        else:
            _exchange(a, k, p, width, conj)
            (_eliminate if width == 1 else _eliminate_two)(a, k, conj)
        pivots[k : k + width] = p + 1 if width == 1 else -(p + 1)
        k += width
    return info


def _size(x: Any) -> Any:
    return np.abs(np.real(x)) + np.abs(np.imag(x))


def _pivot(a: Any, k: int, hermitian: bool) -> tuple[int | None, int]:
    """Return the row to exchange with, None if all are zero, and the block's width."""
    own = abs(a[k, k].real) if hermitian else _size(a[k, k])
    below = _size(a[k + 1 :, k])
    largest = float(below.max(initial=0))
    if max(own, largest) == 0:
        return None, 1
    if own >= _ALPHA * largest:
        return k, 1
    r = k + 1 + int(below.argmax())
    beside = max(_size(a[r, k:r]).max(), _size(a[r + 1 :, r]).max(initial=0))
    if own >= _ALPHA * largest * (largest / beside):
        return k, 1
    there = abs(a[r, r].real) if hermitian else _size(a[r, r])
    return (r, 1) if there >= _ALPHA * beside else (r, 2)


def _exchange(a: Any, k: int, p: int, width: int, conj: Conj) -> None:
    """Exchange two rows and columns of what is left of a matrix."""
    q = k + width - 1
    if p == q:
        return
    a[p + 1 :, [q, p]] = a[p + 1 :, [p, q]]
    column = conj(a[q + 1 : p, q].copy())
    a[q + 1 : p, q] = conj(a[p, q + 1 : p])
    a[p, q + 1 : p] = column
    a[p, q] = conj(a[p, q])
    a[q, q], a[p, p] = a[p, p], a[q, q]
    if width == 2:
        a[q, k], a[p, k] = a[p, k], a[q, k]


def _eliminate(a: Any, k: int, conj: Conj) -> None:
    column = a[k + 1 :, k].copy()
    a[k + 1 :, k + 1 :] -= np.tril(np.outer(column, conj(column)) / a[k, k])
    a[k + 1 :, k] = column / a[k, k]


def _eliminate_two(a: Any, k: int, conj: Conj) -> None:
    block = a[k : k + 2, k : k + 2].copy()
    block[0, 1] = conj(block[1, 0])
    columns = a[k + 2 :, k : k + 2].copy()
    weights = columns @ np.linalg.inv(block)
    a[k + 2 :, k + 2 :] -= np.tril(weights @ conj(columns).T)
    a[k + 2 :, k : k + 2] = weights


def ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False
) -> Tensor:
    """Return the solution X of A X = B, from the factors of A.

    >>> from fad import torch
    >>> A = torch.tensor([[1., 2.], [2., 0.]])
    >>> factors, exchanges = torch.linalg.ldl_factor(A)
    >>> torch.linalg.ldl_solve(factors, exchanges, torch.tensor([[3.], [2.]]))
    tensor([[1.],
            [1.]])
    """
    if B.ndim < 2:
        raise RuntimeError(
            "torch.linalg.ldl_solve: Expected B to have at least 2 dimensions, but it has "
            f"{B.ndim} dimensions instead"
        )
    n = LD.shape[-1]
    lead = np.broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    a = np.broadcast_to(LD.value, (*lead, n, n)).reshape(-1, n, n)
    p = np.broadcast_to(pivots.value, (*lead, n)).reshape(-1, n)
    x = np.array(np.broadcast_to(B.value, (*lead, *B.shape[-2:])))
    stack = x.reshape(-1, *B.shape[-2:])
    for i in range(len(stack)):
        _solve(a[i], p[i], stack[i], hermitian)
    return wrap(stack.reshape(x.shape))


def _solve(a: Any, pivots: Any, x: Any, hermitian: bool) -> None:
    """Solve in place: forward through L and D, then back through L'."""
    conj: Conj = np.conj if hermitian else lambda x: x
    blocks = []
    k = 0
    while k < len(a):
        blocks.append((k, 1 if pivots[k] > 0 else 2))
        k += blocks[-1][1]
    for k, width in blocks:
        end, p = k + width, abs(int(pivots[k])) - 1
        x[[end - 1, p]] = x[[p, end - 1]]
        x[end:] -= a[end:, k:end] @ x[k:end]
        block = a[k:end, k:end].copy()
        if width == 2:
            block[0, 1] = conj(block[1, 0])
        x[k:end] = np.linalg.solve(block, x[k:end])
    for k, width in reversed(blocks):
        end, p = k + width, abs(int(pivots[k])) - 1
        x[k:end] -= conj(a[end:, k:end]).T @ x[end:]
        x[[end - 1, p]] = x[[p, end - 1]]
