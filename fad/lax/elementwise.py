"""Elementwise operations of `jax.lax` whose meaning is not NumPy's of the same name.

    div rem     of integers round towards zero, as machines do
    round       of halves goes away from zero, or to even numbers
    clamp       takes (lower, x, upper)
    select      takes (mask, where true, where false), all of one shape

Those that NumPy has under another name are renamed in `fad.lax`.

Public names: `RoundingMethod clamp clz convert_element_type div integer_pow
population_count rem round rsqrt select shift_right_logical`.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from .. import numpy as fnp
from ..core.trace import aval_of
from ..numpy.convert import cast, operand

__all__ = [
    "RoundingMethod",
    "clamp",
    "clz",
    "convert_element_type",
    "div",
    "integer_pow",
    "population_count",
    "rem",
    "round",
    "rsqrt",
    "select",
    "shift_right_logical",
]


class RoundingMethod(enum.IntEnum):
    """Where `round` takes halves."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def _is_integer(*values: Any) -> bool:
    return all(aval_of(operand(v)).dtype.kind in "iu" for v in values)


def div(x: Any, y: Any) -> Any:
    """Return x / y; of integers the quotient without its fraction.

    >>> import fad
    >>> int(fad.lax.div(-7, 2)), float(fad.lax.div(-7.0, 2.0))
    (-3, -3.5)
    """
    if not _is_integer(x, y):
        return fnp.divide(x, y)
    quotient = fnp.floor_divide(x, y)
    rounded_down = (quotient < 0) & (quotient * y != x)
    return quotient + cast(rounded_down, aval_of(quotient).dtype)


def rem(x: Any, y: Any) -> Any:
    """Return the remainder of `div`, which has the sign of x.

    >>> import fad
    >>> int(fad.lax.rem(-7, 2))
    -1
    """
    return fnp.fmod(x, y)


def rsqrt(x: Any) -> Any:
    """Return 1 / sqrt(x)."""
    return 1.0 / fnp.sqrt(x)


def integer_pow(x: Any, y: int) -> Any:
    """Return x to the power of a Python integer; of integers only up from 0."""
    return fnp.power(x, y) if y >= 0 or _is_integer(x) else 1 / fnp.power(x, -y)


def round(
    x: Any, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO
) -> Any:
    """Return the nearest whole number, of the dtype of x.

    >>> import fad
    >>> float(fad.lax.round(2.5))
    3.0
    """
    if rounding_method == RoundingMethod.TO_NEAREST_EVEN:
        return fnp.rint(x)
    whole = fnp.trunc(x)
    return whole + fnp.where(fnp.abs(x - whole) >= 0.5, fnp.sign(x), 0 * whole)


def clamp(min: Any, x: Any, max: Any) -> Any:
    """Return x, moved to the nearest value between two bounds.

    Raises:
        TypeError: a bound has neither the shape of x nor that of a number.
    """
    shape = aval_of(operand(x)).shape
    for bound in (min, max):
        found = aval_of(operand(bound)).shape
        if found not in ((), shape):
            raise TypeError(
                f"clamp: a bound must be a number or have the shape {shape} of x, got "
                f"{found}"
            )
    return fnp.clip(x, min, max)


def select(pred: Any, on_true: Any, on_false: Any) -> Any:
    """Return elements of `on_true` where `pred` holds, elsewhere of `on_false`.

    Raises:
        TypeError: the shapes or dtypes of the two differ, or `pred` is neither boolean
            or of integers (true if not zero), nor of their shape or a number.
    """
    a, b, mask = (aval_of(operand(v)) for v in (on_true, on_false, pred))
    if a.shape != b.shape or a.dtype != b.dtype:
        raise TypeError(f"select: cases must be of one shape and dtype, got {a}, {b}")
    if mask.dtype.kind not in "biu" or mask.shape not in ((), a.shape):
        raise TypeError(
            f"select: the mask must be boolean or of integers, of the shape {a.shape} "
            f"of the cases or a number, got {mask}"
        )
    return fnp.where(pred, on_true, on_false)


def convert_element_type(x: Any, new_dtype: Any) -> Any:
    """Return x converted to a dtype; a complex number gives its real part to a real.

    >>> import fad
    >>> fad.lax.convert_element_type(1, float)
    np.float64(1.0)
    """
    dtype = np.dtype(new_dtype)
    x = operand(x)
    if aval_of(x).dtype.kind == "c" and dtype.kind not in "cb":
        x = fnp.real(x)
    return fnp.asarray(x, dtype=dtype)[()]


def shift_right_logical(x: Any, y: Any) -> Any:
    """Return the bits of an integer moved y places down, zeros coming in."""
    moved = fnp.right_shift(_unsigned(x), _unsigned(y))
    return cast(moved, aval_of(operand(x)).dtype)


def _unsigned(x: Any) -> Any:
    """Return integers of the same bits without a sign (NumPy counts those of |x|)."""
    x = operand(x)
    return cast(x, np.dtype(f"u{aval_of(x).dtype.itemsize}"))


def population_count(x: Any) -> Any:
    """Return how many bits of an integer are ones."""
    return cast(fnp.bitwise_count(_unsigned(x)), aval_of(operand(x)).dtype)


def clz(x: Any) -> Any:
    """Return how many zero bits stand before the first one of an integer."""
    dtype = aval_of(operand(x)).dtype
    bits = 8 * dtype.itemsize
    filled, step = x, 1
    while step < bits:
        filled = fnp.bitwise_or(filled, shift_right_logical(filled, step))
        step *= 2
    return bits - population_count(filled)
