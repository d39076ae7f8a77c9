"""Arithmetic of two operands: sums, products, quotients, powers.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import arithmetic, comparison, piecewise, powers
from .composite import without_derivative
from .declare import (
    as_operand,
    function,
    operation,
    promoted,
    with_sizes,
)
from .node import node_type
from .tape import name_nodes, record
from .tensor import Tensor

__all__ = ["fused", "refuse_zero"]

_add = operation("AddBackward0", arithmetic.add)
_sub = operation("SubBackward0", arithmetic.sub)
_mul = operation("MulBackward0", arithmetic.mul)


@function(inplace=True)
def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return input + alpha * other."""
    x, y = as_operand(input), as_operand(other)
    if alpha != 1:
        return _scaled("AddBackward0", x, y, alpha)
    return with_sizes(_add, x, y, promoted(x, y))


def fused(x: Any, y: Any, factor: Any) -> Any:
    """Return x + y * factor, in float32 rounded once, as PyTorch's kernels do.

    The product of two float32 numbers is exact in double precision.
    """
    parts = (x, y, factor)
    arrays = [p for p in parts if isinstance(p, (np.ndarray, Tracer))]
    single = all(aval_of(a).dtype == np.float32 for a in arrays)
    if not single or any(isinstance(p, complex) for p in parts):
        return x + y * factor
    a, b, c = (_in_double(p) for p in parts)
    return arithmetic.convert(a + b * c, dtype=np.dtype(np.float32))


def _in_double(v: Any) -> Any:
    if isinstance(v, (np.ndarray, Tracer)):
        return arithmetic.convert(v, dtype=np.dtype(np.float64))
    return float(np.float32(v))


def _scaled(node: str, x: Any, y: Any, alpha: Any) -> Tensor:
    """Return x + alpha * y, as one node."""
    dtype = promoted(x, y)
    kind = (dtype or x.value.dtype).kind
    if kind in "iu" and isinstance(alpha, float):
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point "
            "number."
        )
    return with_sizes(operation(node, lambda x, y: fused(x, y, alpha)), x, y, dtype)


@function("sub", "subtract", inplace=True)
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return input - alpha * other."""
    x, y = as_operand(input), as_operand(other)
    _refuse_bools(x, y)
    if alpha != 1:
        return _scaled("SubBackward0", x, y, -alpha)
    return with_sizes(_sub, x, y, promoted(x, y))


def _refuse_bools(x: Any, y: Any) -> None:
    bools = [
        x is True or x is False or (isinstance(x, Tensor) and x.aval.dtype.kind == "b")
        for x in (x, y)
    ]
    if all(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. "
            "Use "
            "the `^` or `logical_xor()` operator instead."
        )
    if any(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If "
            "you "
            "are trying to invert a mask, use the `~` or `logical_not()` operator "
            "instead."
        )


@function("mul", "multiply", inplace=True)
def mul(input: Any, other: Any) -> Tensor:
    """Return the product."""
    x, y = as_operand(input), as_operand(other)
    return with_sizes(_mul, x, y, promoted(x, y))


_div = operation("DivBackward0", arithmetic.div)
_pow_tensor = operation("PowBackward1", powers.power)
_pow_base = operation("PowBackward2", powers.power)


@function("div", "divide", "true_divide", inplace=True)
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Return the quotient, if asked rounded to zero (trunc) or down (floor)."""
    x, y = as_operand(input), as_operand(other)
    if rounding_mode is not None:
        return _rounded_quotient(x, y, rounding_mode)
    return with_sizes(_div, x, y, promoted(x, y, floating=True))


def _rounded_quotient(x: Any, y: Any, mode: str) -> Tensor:
    if mode not in ("trunc", "floor"):
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
            "found "
            f"'{mode}'"
        )
    return with_sizes(_QUOTIENTS[mode], x, y, promoted(x, y))


def refuse_zero(x: Any, y: Any) -> None:
    """Raise if integers are to be divided by zero."""
    whole = all(aval_of(v).dtype.kind in "iu" for v in (x, y))
    if whole and isinstance(y, (np.ndarray, int, np.generic)) and not np.all(y):
        raise RuntimeError("ZeroDivisionError")


def _flat_quotient(x: Any, y: Any, mode: str) -> Any:
    """Round the quotient; its gradient is zero and not None."""
    refuse_zero(x, y)
    if any(aval_of(v).dtype.kind in "fc" for v in (x, y)):
        floor, trunc = piecewise.floor_divide, piecewise.trunc
        whole = trunc(x / y) if mode == "trunc" else floor(x, y)
        return comparison.where(False, x + y, whole)
    whole = piecewise.floor_divide(x, y)
    if mode == "trunc":
        exact = comparison.eq(whole * y, x)
        negative = comparison.lt(whole, 0)
        whole = whole + comparison.logical_and(negative, comparison.logical_not(exact))
    return whole


_QUOTIENTS = {
    mode: operation("DivBackward2", lambda x, y, mode=mode: _flat_quotient(x, y, mode))
    for mode in ("trunc", "floor")
}
_FLOOR = operation(
    "NotImplemented",
    lambda x, y: _flat_quotient(x, y, "floor"),
    without_derivative("floor_divide"),
)


@function("floor_divide", inplace=True)
def floor_divide(input: Any, other: Any) -> Tensor:
    """Return the quotient, rounded down."""
    x, y = as_operand(input), as_operand(other)
    return with_sizes(_FLOOR, x, y, promoted(x, y))


@function("pow", inplace=True)
def pow_(input: Any, exponent: Any) -> Tensor:
    """Return the power."""
    x, y = as_operand(input), as_operand(exponent)
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        return with_sizes(_pow_tensor, x, y, promoted(x, y))
    if isinstance(y, Tensor):
        return _pow_base((x, y), promoted(x, y))
    return _pow_scalar(x, y)


_POW = node_type("PowBackward0")


def _pow_scalar(x: Tensor, y: Any) -> Tensor:
    kind, dtype = x.aval.dtype.kind, promoted(x, y)
    if kind in "iu" and isinstance(y, int) and y < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if y == 2:
        out = record(arithmetic.square, _POW, (x,), {}, dtype)
    elif y == int(y.real) if not isinstance(y, complex) else False:
        out = record(powers.integer_pow, _POW, (x,), {"n": int(y)}, dtype)
    elif isinstance(y, complex):
        return operation("PowBackward0", powers.power)((x, y), dtype)
    else:
        out = record(powers.scalar_pow, _POW, (x,), {"exponent": y}, dtype)
    node = out.payload
    if node is not None and node.extra is None:
        node.extra = {"exponent": y}
    return out


name_nodes(
    reduce_sum="SumBackward1", broadcast_to="ExpandBackward0", copy="CloneBackward0"
)
