"""The ufuncs of NumPy's main namespace, on traced values.

Each is an operation of `fad.ops`, or a few of them; derivatives and their values at the
edges are told there (`arithmetic`, `elementary`, `piecewise`, `powers`, `special`,
`comparison`).

Public names: those of NumPy's ufuncs, aliases included, but for the matrix products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops import arithmetic, comparison, elementary, piecewise, powers, special
from .ufunc import register


def _divmod(x: Any, y: Any) -> tuple[Any, Any]:
    return piecewise.floor_divide(x, y), piecewise.mod(x, y)


def _modf(x: Any) -> tuple[Any, Any]:
    return piecewise.modf_fraction(x), piecewise.trunc(x)


def _frexp(x: Any) -> tuple[Any, Any]:
    return piecewise.frexp_mantissa(x), piecewise.frexp_exponent(x)


def _isnat(x: Any) -> Any:
    """Refuse numbers in NumPy's words: no traced value is a date."""
    return np.isnat(np.zeros((), aval_of(x).dtype))


add = register(np.add, arithmetic.add)
subtract = register(np.subtract, arithmetic.sub)
multiply = register(np.multiply, arithmetic.mul)
divide = register(np.divide, arithmetic.div)
negative = register(np.negative, arithmetic.neg)
positive = register(np.positive, arithmetic.positive)
square = register(np.square, arithmetic.square)
reciprocal = register(np.reciprocal, arithmetic.reciprocal)
conjugate = register(np.conjugate, arithmetic.conj)
power = register(np.power, powers.power_of)
float_power = register(np.float_power, powers.float_power)
exp = register(np.exp, elementary.exp)
exp2 = register(np.exp2, elementary.exp2)
expm1 = register(np.expm1, elementary.expm1)
log = register(np.log, elementary.log)
log2 = register(np.log2, elementary.log2)
log10 = register(np.log10, elementary.log10)
log1p = register(np.log1p, elementary.log1p)
sqrt = register(np.sqrt, elementary.sqrt)
cbrt = register(np.cbrt, elementary.cbrt)
hypot = register(np.hypot, elementary.hypot)
sin = register(np.sin, elementary.sin)
cos = register(np.cos, elementary.cos)
tan = register(np.tan, elementary.tan)
arcsin = register(np.arcsin, elementary.arcsin)
arccos = register(np.arccos, elementary.arccos)
arctan = register(np.arctan, elementary.arctan)
arctan2 = register(np.arctan2, elementary.arctan2)
sinh = register(np.sinh, elementary.sinh)
cosh = register(np.cosh, elementary.cosh)
tanh = register(np.tanh, elementary.tanh)
arcsinh = register(np.arcsinh, elementary.arcsinh)
arccosh = register(np.arccosh, elementary.arccosh)
arctanh = register(np.arctanh, elementary.arctanh)
deg2rad = register(np.deg2rad, elementary.deg2rad)
radians = register(np.radians, elementary.deg2rad)
rad2deg = register(np.rad2deg, elementary.rad2deg)
degrees = register(np.degrees, elementary.rad2deg)
logaddexp = register(np.logaddexp, special.logaddexp)
logaddexp2 = register(np.logaddexp2, special.logaddexp2)
absolute = register(np.absolute, piecewise.abs_)
fabs = register(np.fabs, piecewise.fabs)
sign = register(np.sign, piecewise.unit)
maximum = register(np.maximum, piecewise.maximum)
minimum = register(np.minimum, piecewise.minimum)
fmax = register(np.fmax, piecewise.fmax)
fmin = register(np.fmin, piecewise.fmin)
floor = register(np.floor, piecewise.floor)
ceil = register(np.ceil, piecewise.ceil)
rint = register(np.rint, piecewise.rint)
trunc = register(np.trunc, piecewise.trunc)
remainder = register(np.remainder, piecewise.mod)
fmod = register(np.fmod, piecewise.fmod)
floor_divide = register(np.floor_divide, piecewise.floor_divide)
divmod = register(np.divmod, _divmod)
modf = register(np.modf, _modf)
frexp = register(np.frexp, _frexp)
ldexp = register(np.ldexp, piecewise.ldexp)
copysign = register(np.copysign, piecewise.copysign)
nextafter = register(np.nextafter, piecewise.nextafter)
spacing = register(np.spacing, piecewise.spacing)
heaviside = register(np.heaviside, piecewise.heaviside)
equal = register(np.equal, comparison.eq)
not_equal = register(np.not_equal, comparison.ne)
less = register(np.less, comparison.lt)
less_equal = register(np.less_equal, comparison.le)
greater = register(np.greater, comparison.gt)
greater_equal = register(np.greater_equal, comparison.ge)
logical_and = register(np.logical_and, comparison.logical_and)
logical_or = register(np.logical_or, comparison.logical_or)
logical_xor = register(np.logical_xor, comparison.logical_xor)
logical_not = register(np.logical_not, comparison.logical_not)
bitwise_and = register(np.bitwise_and, comparison.bitwise_and)
bitwise_or = register(np.bitwise_or, comparison.bitwise_or)
bitwise_xor = register(np.bitwise_xor, comparison.bitwise_xor)
invert = register(np.invert, comparison.invert)
left_shift = register(np.left_shift, comparison.left_shift)
right_shift = register(np.right_shift, comparison.right_shift)
bitwise_count = register(np.bitwise_count, comparison.bitwise_count)
gcd = register(np.gcd, comparison.gcd)
lcm = register(np.lcm, comparison.lcm)
isnan = register(np.isnan, comparison.isnan)
isinf = register(np.isinf, comparison.isinf)
isfinite = register(np.isfinite, comparison.isfinite)
isnat = register(np.isnat, _isnat)
signbit = register(np.signbit, comparison.signbit)

abs = absolute
acos = arccos
acosh = arccosh
asin = arcsin
asinh = arcsinh
atan = arctan
atan2 = arctan2
atanh = arctanh
bitwise_invert = invert
bitwise_left_shift = left_shift
bitwise_not = invert
bitwise_right_shift = right_shift
conj = conjugate
mod = remainder
pow = power
true_divide = divide

__all__ = [
    name
    for name, value in vars(np).items()
    if isinstance(value, np.ufunc) and name in globals()
]
