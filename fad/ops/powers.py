"""Powers, with derivatives that are right at 0 and for negative bases at every order.

    d x**y = y x**(y-1) dx + x**y log(x) dy

Where y is a Python number it is a static parameter: `integer_pow` and `scalar_pow` step
down by exact arithmetic on the exponent and stop at x**0, so that x**2 has the second
derivative 2 at 0 and (-2.0)**3.0 needs no logarithm. For an array of exponents the
formulas of `power` put in what the limits are:

    wrt x: 0 where x = y = 0, so that x**arange(n) is a polynomial at every order
    wrt y: 0 where x = 0 and y >= 0; nan for x < 0, and only then is log(x) taken

Public names: `power`, `power_of` (which picks one of the three), `integer_pow`,
`scalar_pow`, `float_power`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of
from .arithmetic import convert, is_complex, square, stop_gradient
from .comparison import logical_and, where
from .elementary import log
from .kinds import elementwise

__all__ = ["float_power", "integer_pow", "power", "power_of", "scalar_pow"]


def _step_down(t: Any, x: Any, p: Any, lower: Any) -> Any:
    """Return t * p x**(p-1), where `lower(x, q)` is x**q."""
    if p == 0:
        return where(True, 0, t)
    if p == 1:
        return t
    if p == 2:
        return t * (2 * x)
    return t * (p * lower(x, p - 1))


def _raise_to(x: Any, p: Any) -> Any:
    """Return x**p by NumPy: Python's own is complex at (-8.0)**0.5, raises at 0**-1."""
    return x**p if isinstance(x, np.ndarray) else np.power(x, p)


integer_pow = elementwise(
    "integer_pow",
    lambda x, *, n: _raise_to(x, n),
    [lambda t, x, *, n: _step_down(t, x, n, lambda x, p: integer_pow(x, n=p))],
)
"""`integer_pow(x, n=n)` is x**n for a Python integer n."""

scalar_pow = elementwise(
    "scalar_pow",
    lambda x, *, exponent: _raise_to(x, exponent),
    [
        lambda t, x, *, exponent: _step_down(
            t, x, exponent, lambda x, p: scalar_pow(x, exponent=p)
        )
    ],
)
"""`scalar_pow(x, exponent=p)` is x**p for a Python float p."""


def _wrt_base(t: Any, x: Any, y: Any) -> Any:
    origin = logical_and(x == 0, y == 0)
    return t * (y * power(x, where(origin, 0, y - 1)))


def _wrt_exponent(t: Any, x: Any, y: Any, ans: Any) -> Any:
    if is_complex(ans) and not is_complex(x):
        x = x + 0j
    vanishing = logical_and(x == 0, y >= 0)
    return t * (ans * log(where(vanishing, 1, x)))


power = elementwise("power", np.power, [_wrt_base, _wrt_exponent], scalar="power")


def power_of(x: Any, y: Any) -> Any:
    """Return x**y, by a static exponent where y is a Python number.

    The derivative with respect to y is asked for only if y is traced.
    """
    cls = y.__class__
    if cls is int:
        if y == 2:
            return square(x)
        if -(2**31) < y < 2**31:
            return integer_pow(x if y else stop_gradient(x), n=y)
    elif cls is float:
        return scalar_pow(x if y else stop_gradient(x), exponent=y)
    return power(x, y)


def float_power(x: Any, y: Any) -> Any:
    """Return x**y in at least double precision, as `numpy.float_power`."""
    if y.__class__ is int or y.__class__ is float:
        return power_of(_widen(x), float(y))
    return power(_widen(x), _widen(y))


def _widen(x: Any) -> Any:
    aval = aval_of(x)
    dtype = np.result_type(aval.dtype, np.float64)
    return x if aval.dtype == dtype else convert(x, dtype=dtype)
