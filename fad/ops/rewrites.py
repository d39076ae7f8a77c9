"""Laws that write an operation as other ones, which cost less.

Each is a function `(emit, *inputs, **params) -> result or None`, declared as `expand`
in `ops.algebra`; inputs are atoms of a program. What is cheaper:

    logsumexp, softmax   one exp for both
    x + x, -x            of a product: done to its smaller factor
    sum of a product     of short rows, or where one factor is repeated: `contract`,
                         which makes no array of the products
    sum of x @ y         over rows of x: the sum of the rows, times y
    x @ y                for a stack of few rows each: one product of matrices
    reshape              of a repeated number: the number, repeated

Doubling and signs are exact, so they may move; other factors stay where they are.

Public names: the laws.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn, Lit
from . import arithmetic, elementary, logsumexp, piecewise, reductions
from .contraction import LABELS, contract, matmul
from .reductions import keep_axes
from .shape import broadcast_to, reshape

__all__ = [
    "expand_logsumexp",
    "expand_matmul",
    "expand_neg",
    "expand_power",
    "expand_reshape",
    "expand_softmax",
    "expand_sum",
    "is_identity",
    "move_sign",
    "sum_twice",
]

Emit = Callable[..., Any]
Axes = tuple[int, ...]

SHORT = 128
"""NumPy adds up so many elements one after another; a loop of products does as well."""

FEW = 512
"""Matrices of fewer elements are not worth a call of BLAS each."""

FEW_ROWS = 16
"""Nor are matrices of at most so many rows."""


def _is(atom: Any, prim: Any) -> bool:
    return isinstance(atom, Eqn) and atom.prim is prim


def expand_power(emit: Emit, x: Any, *, n: int) -> Any:
    """Write small powers as products: NumPy takes a logarithm for them."""
    if n == 1:
        return emit(arithmetic.positive, x)
    if n not in (2, 3, 4):
        return None
    square = emit(arithmetic.square, x)
    if n == 2:
        return square
    return emit(arithmetic.mul, square, x if n == 3 else square)


def _exponentials(emit: Emit, x: Any, axis: Axes) -> tuple[Any, Any, Any] | None:
    """Return exp(x - m), its sums, and the maxima m along `axis`."""
    aval = x.aval
    if not axis or 0 in aval.shape or aval.dtype.kind != "f" or aval.weak:
        return None
    top = emit(reductions.reduce_max, x, axis=axis)
    kept = emit(reshape, top, shape=keep_axes(aval.shape, axis))
    powers = emit(logsumexp.exp_below, x, kept)
    total = emit(reductions.reduce_sum, powers, axis=axis)
    one = Lit(1.0, Aval((), np.dtype(float), weak=True))
    # a sum is at least 1, that of the largest; or 0 where there is nothing but -inf
    return powers, emit(piecewise.maximum, total, one), top


def expand_logsumexp(emit: Emit, x: Any, *, axis: Axes) -> Any:
    """Write log sum exp as its steps, to share them with `softmax`."""
    found = _exponentials(emit, x, axis)
    if found is None:
        return None
    _, total, top = found
    return emit(arithmetic.add, emit(elementary.log, total), top)


def expand_softmax(emit: Emit, x: Any, *, axis: Axes) -> Any:
    """Write softmax as its steps, to share them with `logsumexp`."""
    found = _exponentials(emit, x, axis)
    if found is None:
        return None
    powers, total, _ = found
    kept = emit(reshape, total, shape=keep_axes(x.aval.shape, axis))
    return emit(arithmetic.div, powers, kept)


def _small_first(a: Any, b: Any) -> tuple[Any, Any] | None:
    """Return two factors, the smaller one first; None if they are of one size."""
    if a.aval.size == b.aval.size:
        return None
    return (a, b) if a.aval.size < b.aval.size else (b, a)


def sum_twice(emit: Emit, x: Any, y: Any) -> Any:
    """Write s * t + s * t as (s + s) * t where s is smaller than t."""
    if x is not y or not _is(x, arithmetic.mul):
        return None
    factors = _small_first(*x.inputs)
    if factors is None:
        return None
    small, large = factors
    return emit(arithmetic.mul, emit(arithmetic.add, small, small), large)


def move_sign(emit: Emit, x: Any, y: Any) -> Any:
    """Write (-x) * s as x * (-s) where s is smaller than x."""
    for negated, small in ((x, y), (y, x)):
        if _is(negated, arithmetic.neg) and small.aval.size < negated.aval.size:
            if small.aval.dtype.kind in "fc":
                minus = emit(arithmetic.neg, small)
                return emit(arithmetic.mul, negated.inputs[0], minus)
    return None


def expand_neg(emit: Emit, x: Any) -> Any:
    """Write -(s * t) as (-s) * t where s is smaller than t."""
    factors = _small_first(*x.inputs) if _is(x, arithmetic.mul) else None
    if factors is None or factors[0].aval.dtype.kind not in "fc":
        return None
    small, large = factors
    return emit(arithmetic.mul, emit(arithmetic.neg, small), large)


def expand_sum(emit: Emit, x: Any, *, axis: Axes) -> Any:
    """Write a sum of products as a product that sums."""
    rank = len(x.aval.shape)
    if len(axis) != 1 or rank < 2 or x.aval.dtype.char not in "fd":
        return None
    if _is(x, arithmetic.mul):
        return _sum_of_products(emit, x, axis[0])
    if not _is(x, matmul) or axis != (rank - 2,):
        return None
    a, b = (v.aval for v in x.inputs)
    if len(a.shape) != rank or len(b.shape) < 2 or a.shape[-1] > x.aval.shape[-1]:
        return None
    total = emit(reductions.reduce_sum, x.inputs[0], axis=axis)
    rows = emit(reshape, total, shape=keep_axes(a.shape, axis))
    out = emit(matmul, rows, x.inputs[1])
    return emit(reshape, out, shape=reductions.drop_axes(x.aval.shape, axis))


def _sum_of_products(emit: Emit, x: Any, axis: int) -> Any:
    """Write sum a * b over one axis as `contract`, if that is faster.

    It is for short rows, and where one factor is repeated along other axes: then it is
    a product with a matrix.
    """
    shape, rank = x.aval.shape, len(x.aval.shape)
    labels = LABELS[:rank]
    out = labels[:axis] + labels[axis + 1 :]
    if all(v.aval.size < x.aval.size for v in x.inputs):
        return _sum_of_outer_products(emit, x, axis)
    factors = _small_first(*x.inputs)
    if factors is None:
        same = all(v.aval == x.aval for v in x.inputs)
        if same and axis == rank - 1 and 1 < shape[-1] <= SHORT:
            return emit(contract, *x.inputs, spec=f"{labels},{labels}->{out}")
        return None
    small, large = factors
    if large.aval != x.aval or small.aval.dtype != x.aval.dtype:
        return None
    lead = rank - len(small.aval.shape)
    held = [i for i in range(lead, rank) if small.aval.shape[i - lead] > 1]
    repeats = prod(n for i, n in enumerate(shape) if i not in held)
    stack = prod(shape[i] for i in held if i != axis)
    if axis not in held or repeats == 1 or stack * FEW > x.aval.size:
        return None
    small = emit(reshape, small, shape=tuple(shape[i] for i in held))
    own = "".join(labels[i] for i in held)
    return emit(contract, small, large, spec=f"{own},{labels}->{out}")


def _sum_of_outer_products(emit: Emit, x: Any, axis: int) -> Any:
    """Write sum a * b over one axis, where both are repeated, as a matrix product."""
    shape, rank = x.aval.shape, len(x.aval.shape)
    labels, parts, specs = LABELS[:rank], [], []
    for v in x.inputs:
        lead = rank - len(v.aval.shape)
        held = [i for i in range(lead, rank) if v.aval.shape[i - lead] > 1]
        if axis not in held or v.aval.dtype != x.aval.dtype:
            return None
        parts.append(emit(reshape, v, shape=tuple(shape[i] for i in held)))
        specs.append("".join(labels[i] for i in held))
    out = labels[:axis] + labels[axis + 1 :]
    if not set(out) <= set(specs[0] + specs[1]):
        return None
    return emit(contract, *parts, spec=f"{specs[0]},{specs[1]}->{out}")


def is_identity(value: Any) -> bool:
    """Tell whether an array is an identity matrix."""
    if value.ndim != 2 or value.shape[0] != value.shape[1]:
        return False
    return np.count_nonzero(value) == len(value) and bool((value.diagonal() == 1).all())


def expand_matmul(emit: Emit, x: Any, y: Any) -> Any:
    """Write a stack of products with one matrix as one product."""
    stack, width = x.aval.shape[:-2], x.aval.shape[-1:]
    if not stack or len(y.aval.shape) != 2 or x.aval.shape[-2] > FEW_ROWS:
        return None
    rows = emit(reshape, x, shape=(prod(x.aval.shape[:-1]), *width))
    out = emit(matmul, rows, y)
    return emit(reshape, out, shape=(*x.aval.shape[:-1], *y.aval.shape[1:]))


def expand_reshape(emit: Emit, x: Any, *, shape: tuple[int, ...]) -> Any:
    """Write the reshape of a repeated number as the number, repeated."""
    if not _is(x, broadcast_to) or x.inputs[0].aval.shape:
        return None
    return emit(broadcast_to, x.inputs[0], shape=shape)
