"""Products, diagonals and powers of matrices: the plain part of `numpy.linalg`.

Public names: `cross diagonal matmul matrix_power matrix_transpose multi_dot outer
tensordot trace vecdot`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops import contraction as ops
from ..ops import linalg as matrices
from ..ops.contraction import swap_last
from ..ops.reductions import reduce_sum
from ..ops.shape import broadcast_to, expand_dims, reshape
from ..ops.shape import diagonal as take_diagonal
from . import contraction
from .convert import cast, no_out, operand
from .dispatch import implements
from .matrix_norms import as_inexact

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_power",
    "matrix_transpose",
    "multi_dot",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
]


@implements(np.linalg.matmul)
def matmul(x1: Any, x2: Any, /) -> Any:
    """Multiply matrices, or stacks of them."""
    return ops.matmul(operand(x1), operand(x2))


@implements(np.linalg.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    """Swap the last two axes."""
    x = operand(x)
    if aval_of(x).ndim < 2:
        raise ValueError(
            f"matrix_transpose needs at least two axes, got an array of {aval_of(x)}"
        )
    return swap_last(x)


@implements(np.linalg.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Sum the products of conj(x1) and x2 over an axis."""
    return contraction.vecdot(x1, x2, axis=axis)


@implements(np.linalg.tensordot)
def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Sum products over `axes`: a number of last and first axes, or a pair of lists."""
    return contraction.tensordot(x1, x2, axes)


@implements(np.linalg.outer)
def outer(x1: Any, x2: Any, /) -> Any:
    """Multiply every element of the vector x1 by every element of the vector x2."""
    x1, x2 = operand(x1), operand(x2)
    if aval_of(x1).ndim != 1 or aval_of(x2).ndim != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"{aval_of(x1).shape} and {aval_of(x2).shape}."
        )
    return ops.outer(x1, x2)


@implements(np.linalg.cross)
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return the vector product of 3-vectors along `axis`."""
    x1, x2 = operand(x1), operand(x2)
    sizes = aval_of(x1).shape[axis], aval_of(x2).shape[axis]
    if sizes != (3, 3):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they "
            f"are {sizes[0]} and {sizes[1]} dimensional instead."
        )
    return contraction.cross(x1, x2, axis=axis)


@implements(np.linalg.diagonal)
def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """Return diagonals of the matrices in the last two axes."""
    x = operand(x)
    rank = aval_of(x).ndim
    if rank < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    return take_diagonal(x, offset=int(offset), axis1=rank - 2, axis2=rank - 1)


@implements(np.linalg.trace)
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Sum diagonals of the matrices in the last two axes."""
    d = diagonal(x, offset=offset)
    return reduce_sum(cast(d, dtype), axis=(aval_of(d).ndim - 1,))


@implements(np.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    """Raise square matrices to an integer power by repeated squaring."""
    a = operand(a)
    aval = aval_of(a)
    if aval.ndim < 2 or aval.shape[-1] != aval.shape[-2]:
        raise np.linalg.LinAlgError(
            f"Last 2 dimensions of the array must be square, got {aval.shape}"
        )
    n = operator.index(n)
    if n == 0:
        return broadcast_to(np.eye(aval.shape[-1], dtype=aval.dtype), shape=aval.shape)
    if n < 0:
        a, n = matrices.inv(as_inexact(a), strict=True), -n
    result = None
    while n:
        if n & 1:
            result = a if result is None else ops.matmul(result, a)
        n >>= 1
        if n:
            a = ops.matmul(a, a)
    return result


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Sequence[Any], *, out: Any = None) -> Any:
    """Multiply matrices in the order that costs least; the ends may be vectors."""
    no_out("multi_dot", out)
    arrays = [operand(a) for a in arrays]
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    for i, a in enumerate(arrays):
        ends = (1, 2) if i in (0, len(arrays) - 1) else (2,)
        if aval_of(a).ndim not in ends:
            raise np.linalg.LinAlgError(
                f"{aval_of(a).ndim}-dimensional array given. Array must be "
                "two-dimensional"
            )
    first, last = aval_of(arrays[0]).ndim == 1, aval_of(arrays[-1]).ndim == 1
    if first:
        arrays[0] = expand_dims(arrays[0], 0)
    if last:
        arrays[-1] = expand_dims(arrays[-1], 1)
    product = _chain(arrays, _splits(arrays), 0, len(arrays) - 1)
    rows, columns = aval_of(product).shape
    return reshape(product, shape=(rows,) * (not first) + (columns,) * (not last))


def _splits(arrays: Sequence[Any]) -> dict[tuple[int, int], int]:
    """Return where to split each chain i..j (Cormen et al., section 15.2)."""
    n = len(arrays)
    sizes = [aval_of(a).shape[0] for a in arrays] + [aval_of(arrays[-1]).shape[1]]
    cost = {(i, i): 0 for i in range(n)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i, j], split[i, j] = min(
                (
                    cost[i, k]
                    + cost[k + 1, j]
                    + sizes[i] * sizes[k + 1] * sizes[j + 1],
                    k,
                )
                for k in range(i, j)
            )
    return split


def _chain(
    arrays: Sequence[Any], split: dict[tuple[int, int], int], i: int, j: int
) -> Any:
    if i == j:
        return arrays[i]
    k = split[i, j]
    left, right = _chain(arrays, split, i, k), _chain(arrays, split, k + 1, j)
    return ops.matmul(left, right)
