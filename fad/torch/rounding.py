"""Arithmetic that rounds as PyTorch's CPU kernels do, to the last bit.

PyTorch's samplers are compiled with fused multiply-add, use the C library's
functions for float64, and have their own float32 logarithm, sine and cosine (the
polynomials of Moshier's Cephes library, in the order of the AVX2 kernels). NumPy
may round any of these differently, so they are spelled out here:

- `fused_multiply_add`: ``x * y + z`` with one rounding;
- `c_library`: a function of `math`, element by element;
- `log32`, `sin_cos32`: the float32 polynomials.

The float32 functions compute in float64 and round to float32 after each step. A
float64 sum, product or square root of float32 values rounds to the same float32 as
the direct operation (53 >= 2 * 24 + 2, Figueroa 1995), and a product of two float32
values is exact in float64, so that ``_round32(x * y + z)`` is a fused multiply-add
(up to a double rounding, about one case in 2**29).

Checked on x86 machines with AVX2 or AVX-512; elsewhere PyTorch itself prints other
last bits.

Public names: `fused_multiply_add`, `c_library`, `log32`, `sin_cos32`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

__all__ = ["c_library", "fused_multiply_add", "log32", "sin_cos32"]


def fused_multiply_add(x: np.ndarray, y: float, z: float) -> np.ndarray:
    """Return ``x * y + z``, rounded once to the dtype of `x`.

    Args:
        x: Values of dtype float32 or float64.
        y: The factor, in that precision.
        z: The addend, in that precision.

    >>> fused_multiply_add(np.array([0.1]), 10.0, -1.0)
    array([5.55111512e-17])
    """
    if x.dtype == np.float32:
        return (x.astype(np.float64) * y + z).astype(np.float32)
    if y == 1.0:
        return x + z
    return _in_chunks(lambda part: _fused_double(part, y, z), x)


def c_library(name: str, x: np.ndarray) -> np.ndarray:
    """Apply the C library's function `name` to float64 values.

    NumPy's own vector code is up to a few units in the last place away from it on
    some machines. Where `math` raises (poles, overflow) NumPy's value is taken.

    >>> c_library("log1p", np.array([0.5]))
    array([0.40546511])
    """
    function = getattr(math, name)

    def apply(part: np.ndarray) -> np.ndarray:
        try:
            return np.fromiter(map(function, part.tolist()), np.float64, part.size)
        except (ValueError, OverflowError):
            with np.errstate(all="ignore"):
                return np.asarray(getattr(np, name)(part))

    return _in_chunks(apply, x)


def log32(x: np.ndarray) -> np.ndarray:
    """Return the float32 logarithm of normal positive float32 `x`, held in float64.

    ``x = 2**e m`` with ``m`` in [sqrt(1/2), sqrt(2)), and for ``t = m - 1``
    ``log x = t - t**2 / 2 + t**3 P(t) + e log 2``, with log 2 in two parts.

    >>> log32(np.array([0.5], np.float32))
    array([-0.69314718])
    """
    bits = x.view(np.int32)
    exponent = ((bits >> 23) - 126).astype(np.float64)
    mantissa = ((bits & 0x007FFFFF) | 0x3F000000).view(np.float32).astype(np.float64)
    small = mantissa < _LOG_SPLIT
    exponent -= small
    t = mantissa * (1.0 + small) - 1.0
    square = _round32(t * t)
    y = _round32(_polynomial(_LOG, t) * t)
    y = _round32(y * square + _round32(exponent * _LOG2_LOW))
    y = _round32(square * -0.5 + y)
    return _round32(exponent * _LOG2_HIGH + _round32(t + y))


def sin_cos32(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return float32 sine and cosine of float32 `x` in [0, 8192), held in float64.

    ``x`` is reduced by the nearest even multiple ``j`` of pi / 4, subtracted in three
    parts; bits 1 and 2 of ``j`` say which polynomial and which sign apply.

    >>> sin, cos = sin_cos32(np.array([0.0], np.float32))
    >>> sin, cos
    (array([0.]), array([1.]))
    """
    r = x.astype(np.float64)
    j = (_round32(r * _FOUR_OVER_PI).astype(np.int32) + 1) & ~1
    for part in _QUARTER_PI:
        r = _round32(j * part + r)
    z = _round32(r * r)
    cos = _round32(_polynomial(_COS, z) * z)
    cos = _round32(_round32(cos * z + z * -0.5) + 1.0)
    sin = _round32(_polynomial(_SIN, z) * z)
    sin = _round32(sin * r + r)
    swap = (j & 2) * 0.5
    stay = 1.0 - swap
    sin_sign = 1.0 - (j & 4) * 0.5
    cos_sign = ((j - 2) & 4) * 0.5 - 1.0
    return sin_sign * (stay * sin + swap * cos), cos_sign * (stay * cos + swap * sin)


def _single(*values: float) -> tuple[float, ...]:
    """Round constants to float32 once, here."""
    return tuple(float(np.float32(value)) for value in values)


# Coefficients from the highest power down: logf, sinf and cosf of Cephes.
_LOG = _single(
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
_SIN = _single(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = _single(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_QUARTER_PI = _single(-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)
_LOG_SPLIT, _FOUR_OVER_PI = _single(math.sqrt(0.5), 4.0 / math.pi)
_LOG2_HIGH, _LOG2_LOW = _single(0.693359375, -2.12194440e-4)


def _round32(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float32).astype(np.float64)


def _polynomial(coefficients: tuple[float, ...], x: np.ndarray) -> np.ndarray:
    """Evaluate by Horner's rule, one fused step a coefficient."""
    first, *others = coefficients
    y: float | np.ndarray = first
    for coefficient in others:
        y = _round32(y * x + coefficient)
    assert isinstance(y, np.ndarray)
    return y


def _in_chunks(
    function: Callable[[np.ndarray], np.ndarray], x: np.ndarray
) -> np.ndarray:
    """Apply an elementwise `function` to parts of `x` that stay in the cache."""
    flat = x.ravel()
    parts = [flat[i : i + _CHUNK] for i in range(0, flat.size, _CHUNK)]
    if not parts:
        return np.empty_like(x)
    return np.concatenate([function(part) for part in parts]).reshape(x.shape)


_CHUNK = 8192


def _fused_double(x: np.ndarray, y: float, z: float) -> np.ndarray:
    """Compute both errors exactly, by Dekker (1971) and by Knuth's two-sum.

    Their sum is below half a unit in the last place of the unfused result, so that
    one more addition corrects its rounding.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        product = x * y
        total = product + z
        virtual = total - product
        lost = (product - (total - virtual)) + (z - virtual)
        corrected = total + (lost + _product_error(x, y, product))
    return np.where(np.isfinite(corrected), corrected, total)


def _product_error(x: np.ndarray, y: float, product: np.ndarray) -> np.ndarray:
    """Return ``x * y - product`` exactly, by splitting each factor in halves."""
    x_high = _upper_half(x)
    y_high = _upper_half(np.asarray(y))
    x_low, y_low = x - x_high, y - y_high
    error = x_high * y_high - product
    return np.asarray(((error + x_high * y_low) + x_low * y_high) + x_low * y_low)


def _upper_half(x: np.ndarray) -> np.ndarray:
    scaled = 134217729.0 * x  # 2**27 + 1
    return np.asarray(scaled - (scaled - x))
