"""Matrices made of fewer numbers: block diagonal, Toeplitz, Hankel, circulant, banded.

Each is a gather from a vector, so its derivative adds up what belongs together.

Public names: `block_diag toeplitz hankel circulant banded_matrix`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..numpy.convert import operand, result_dtype
from ..numpy.indexing import take
from ..ops.arithmetic import conj, convert
from ..ops.indexing import getitem
from ..ops.shape import concatenate, reshape

__all__ = ["banded_matrix", "block_diag", "circulant", "hankel", "toeplitz"]


def block_diag(*arrays: Any) -> Any:
    """Return a matrix with the given ones along its diagonal and zeros elsewhere."""
    blocks = [operand(a) for a in arrays] or [np.empty((1, 0))]
    blocks = [_at_least_matrix(b) for b in blocks]
    dtype = result_dtype(*blocks)
    width = sum(aval_of(b).shape[1] for b in blocks)
    rows, before = [], 0
    for b in blocks:
        m, n = aval_of(b).shape
        left, right = (
            np.zeros((m, before), dtype),
            np.zeros((m, width - before - n), dtype),
        )
        rows.append(concatenate(left, convert(b, dtype=dtype), right, axis=1))
        before += n
    return concatenate(*rows, axis=0)


def _at_least_matrix(b: Any) -> Any:
    shape = aval_of(b).shape
    if len(shape) > 2:
        raise ValueError(f"block_diag: blocks are matrices, got one of shape {shape}")
    return reshape(b, shape=(*(1,) * (2 - len(shape)), *shape))


def toeplitz(c: Any, r: Any = None) -> Any:
    """Return the matrix of constant diagonals with first column c and first row r.

    r[0] is ignored; without r it is the conjugate of c.
    """
    c = _flat(c)
    r = (conj(c) if aval_of(c).dtype.kind == "c" else c) if r is None else _flat(r)
    m, n = aval_of(c).size, aval_of(r).size
    values = concatenate(
        getitem(c, index=(slice(None, None, -1),)), getitem(r, index=(slice(1, None),)),
        axis=0,
    )  # fmt: skip
    index = np.arange(n) - np.arange(m)[:, None] + m - 1
    return take(values, index)


def hankel(c: Any, r: Any = None) -> Any:
    """Return the matrix of constant antidiagonals: first column c, last row r."""
    c = _flat(c)
    m = aval_of(c).size
    r = np.zeros(m, aval_of(c).dtype) if r is None else _flat(r)
    values = concatenate(c, getitem(r, index=(slice(1, None),)), axis=0)
    return take(values, np.arange(m)[:, None] + np.arange(aval_of(r).size))


def circulant(c: Any) -> Any:
    """Return the circulant matrix with first column c."""
    c = _flat(c)
    n = aval_of(c).size
    return take(c, (np.arange(n)[:, None] - np.arange(n)) % max(n, 1))


def _flat(x: Any) -> Any:
    x = operand(x)
    return reshape(x, shape=(aval_of(x).size,))


def banded_matrix(l_and_u: Sequence[int], ab: Any) -> Any:
    """Return the matrix whose diagonals are the rows of `ab`, in SciPy's order."""
    below, above = l_and_u
    rows, n = aval_of(ab).shape
    if rows != below + above + 1:
        raise ValueError(f"solve_banded: {below} + {above} + 1 rows, got {rows}")
    band, column = np.divmod(np.arange(rows * n), n)
    row = band - above + column
    inside = (row >= 0) & (row < n)
    source = np.full(n * n, rows * n)  # where there is no band: the zero at the end
    source[row[inside] * n + column[inside]] = np.flatnonzero(inside)
    padded = concatenate(_flat(ab), np.zeros(1, aval_of(ab).dtype), axis=0)
    return reshape(take(padded, source), shape=(n, n))
