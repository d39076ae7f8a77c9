"""Diagonals and triangles of matrices.

Public names: `diag diagflat diagonal tril triu`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops import shape as ops
from ..ops.comparison import where
from ..ops.index_layout import ARRAY
from ..ops.indexing import scatter
from .convert import operand
from .dispatch import implements
from .manipulation import axis_of
from .rearranging import flat

__all__ = ["diag", "diagflat", "diagonal", "tril", "triu"]


@implements(np.diagonal)
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """Return the diagonal of the matrices along two axes; a read-only view."""
    x = operand(a)
    ndim = aval_of(x).ndim
    if ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = axis_of(axis1, ndim), axis_of(axis2, ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    return ops.diagonal(x, offset=operator.index(offset), axis1=first, axis2=second)


@implements(np.diag)
def diag(v: Any, k: Any = 0) -> Any:
    """Return the diagonal of a matrix, or the matrix with a diagonal."""
    x = operand(v)
    if aval_of(x).ndim == 1:
        return _with_diagonal(x, operator.index(k))
    if aval_of(x).ndim != 2:
        raise ValueError("Input must be 1- or 2-d.")
    return diagonal(x, k)


@implements(np.diagflat)
def diagflat(v: Any, k: Any = 0) -> Any:
    """Return the matrix whose diagonal has the elements of `v`."""
    return _with_diagonal(flat(operand(v)), operator.index(k))


def _with_diagonal(x: Any, k: int) -> Any:
    n = aval_of(x).shape[0]
    rows = np.arange(n) + max(-k, 0)
    columns = np.arange(n) + max(k, 0)
    shape = (n + abs(k), n + abs(k))
    return scatter(x, rows, columns, index=(ARRAY, ARRAY), shape=shape, unique=True)


@implements(np.tril)
def tril(m: Any, k: Any = 0) -> Any:
    """Set what is above the k-th diagonal to zero."""
    return _where_triangle(operand(m), k, below=True)


@implements(np.triu)
def triu(m: Any, k: Any = 0) -> Any:
    """Set what is below the k-th diagonal to zero."""
    return _where_triangle(operand(m), k - 1, below=False)


def _where_triangle(x: Any, k: int, below: bool) -> Any:
    """Choose, not multiply: infinities on the other side give zeros, not nan."""
    aval = aval_of(x)
    triangle = np.tri(*aval.shape[-2:], k=operator.index(k), dtype=bool)
    zero = np.zeros((), aval.dtype)[()]
    return where(triangle, x, zero) if below else where(triangle, zero, x)
