"""Uniform numbers, and what is an elementary function of one uniform number.

All samplers are functions of fixed uniform numbers, so they are differentiable in their
parameters. Single precision takes the upper 24 bits of a word, double the upper 53.

Public names: `uniform normal truncated_normal exponential laplace gumbel logistic
cauchy pareto weibull_min rayleigh triangular lognormal maxwell double_sided_maxwell`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..numpy.convert import cast, operand
from ..ops.arithmetic import convert
from ..ops.comparison import right_shift, where
from ..ops.elementary import exp, log, log1p, sqrt, tan
from ..ops.error_functions import ndtr, ndtri
from ..ops.infer_rules import broadcast_shapes
from ..ops.powers import power
from ..ops.reductions import reduce_sum
from ..ops.shape import broadcast_to
from .keys import shape_of, split, words

__all__ = [
    "cauchy",
    "double_sided_maxwell",
    "exponential",
    "gumbel",
    "laplace",
    "logistic",
    "lognormal",
    "maxwell",
    "normal",
    "pareto",
    "rayleigh",
    "triangular",
    "truncated_normal",
    "uniform",
    "weibull_min",
]

Dtype = Any


def float_dtype(name: str, dtype: Any, *, complex_too: bool = False) -> np.dtype[Any]:
    """Return a floating dtype.

    Raises:
        TypeError: it is none.
    """
    found = np.dtype(float if dtype is None else dtype)
    if found.kind != "f" and not (complex_too and found.kind == "c"):
        raise TypeError(f"random.{name}: the dtype must be a floating one, not {found}")
    return found


def shared_shape(name: str, shape: Any, *parameters: Any) -> tuple[int, ...]:
    """Return `shape`, or that of the parameters if it is None.

    Raises:
        ValueError: the parameters do not broadcast to it.
    """
    found = broadcast_shapes(f"random.{name}", *[aval_of(p).shape for p in parameters])
    if shape is None:
        return found
    wanted = shape_of(name, shape)
    if broadcast_shapes(f"random.{name}", wanted, found) != wanted:
        raise ValueError(
            f"random.{name}: parameters of shape {found} do not broadcast to the shape "
            f"{wanted} asked for"
        )
    return wanted


def unit(name: str, key: Any, shape: Any, dtype: np.dtype[Any]) -> Any:
    """Return uniform numbers inside (0, 1), symmetric about 1/2, never 0 or 1."""
    bits = 23 if dtype.itemsize <= 4 else 52
    found = right_shift(words(name, key, shape), np.uint64(64 - bits))
    scaled = (convert(found, dtype=np.dtype(np.float64)) + 0.5) * 2.0**-bits
    return convert(scaled, dtype=dtype)


def uniform(
    key: Any,
    shape: Any = (),
    dtype: Dtype = float,
    minval: Any = 0.0,
    maxval: Any = 1.0,
) -> Any:
    """Return numbers uniformly distributed over [minval, maxval).

    Args:
        key: one key.
        shape: of the result; the bounds broadcast to it.
        dtype: float32 or float64.
        minval, maxval: the bounds, differentiable.

    >>> from fad import random
    >>> random.uniform(random.key(0), (2,)).round(3)
    array([0.012, 0.242])
    """
    dtype = float_dtype("uniform", dtype)
    low, high = cast(operand(minval), dtype), cast(operand(maxval), dtype)
    shape = shared_shape("uniform", shape, low, high)
    bits = 24 if dtype.itemsize <= 4 else 53
    found = right_shift(words("uniform", key, shape), np.uint64(64 - bits))
    u = convert(convert(found, dtype=np.dtype(np.float64)) * 2.0**-bits, dtype=dtype)
    if _is(minval, 0) and _is(maxval, 1):
        return u
    return low + u * (high - low)


def _is(value: Any, number: int) -> bool:
    return isinstance(value, (int, float)) and value == number


def normal(key: Any, shape: Any = (), dtype: Dtype = float) -> Any:
    """Return standard normal numbers: quantiles of uniform ones.

    A complex dtype gives real and imaginary parts of variance 1/2.

    >>> from fad import random
    >>> random.normal(random.key(0), (2,)).round(3)
    array([-2.272, -0.701])
    """
    dtype = float_dtype("normal", dtype, complex_too=True)
    if dtype.kind == "c":
        real = np.empty(0, dtype).real.dtype
        parts = split(key)
        x, y = (normal(_at(parts, i), shape, real) for i in (0, 1))
        return (x + 1j * y) * real.type(math.sqrt(0.5))
    return ndtri(unit("normal", key, shape, dtype))


def _at(keys: Any, i: int) -> Any:
    from ..ops.indexing import getitem

    return getitem(keys, index=(i,))


def lognormal(
    key: Any, sigma: Any = 1.0, shape: Any = None, dtype: Dtype = float
) -> Any:
    """Return exp(sigma * normal), differentiable in sigma."""
    dtype = float_dtype("lognormal", dtype)
    sigma = cast(operand(sigma), dtype)
    return exp(normal(key, shared_shape("lognormal", shape, sigma), dtype) * sigma)


def truncated_normal(
    key: Any, lower: Any, upper: Any, shape: Any = None, dtype: Dtype = float
) -> Any:
    """Return standard normal numbers inside (lower, upper), differentiable in both.

    Both bounds may lie far out in one tail.
    """
    dtype = float_dtype("truncated_normal", dtype)
    low, high = cast(operand(lower), dtype), cast(operand(upper), dtype)
    shape = shared_shape("truncated_normal", shape, low, high)
    mirrored = low > 0
    a, b = where(mirrored, -high, low), where(mirrored, -low, high)
    p, q = ndtr(a), ndtr(b)
    u = unit("truncated_normal", key, shape, dtype)
    x = ndtri(p + where(mirrored, 1 - u, u) * (q - p))
    return where(mirrored, -x, x)


def exponential(key: Any, shape: Any = (), dtype: Dtype = float) -> Any:
    """Return exponentially distributed numbers of mean 1.

    >>> from fad import random
    >>> float(random.exponential(random.key(0))) > 0
    True
    """
    dtype = float_dtype("exponential", dtype)
    return -log(unit("exponential", key, shape, dtype))


def laplace(key: Any, shape: Any = (), dtype: Dtype = float) -> Any:
    """Return numbers of density exp(-|x|) / 2."""
    u = unit("laplace", key, shape, float_dtype("laplace", dtype))
    low = u < 0.5
    side = log(2 * where(low, u, 1 - u))
    return where(low, side, -side)


def gumbel(key: Any, shape: Any = (), dtype: Dtype = float) -> Any:
    """Return Gumbel numbers, -log(-log(u))."""
    return -log(-log(unit("gumbel", key, shape, float_dtype("gumbel", dtype))))


def logistic(key: Any, shape: Any = (), dtype: Dtype = float) -> Any:
    """Return logistic numbers, log(u / (1 - u))."""
    u = unit("logistic", key, shape, float_dtype("logistic", dtype))
    return log(u) - log1p(-u)


def cauchy(key: Any, shape: Any = (), dtype: Dtype = float) -> Any:
    """Return Cauchy numbers, tan(pi (u - 1/2))."""
    u = unit("cauchy", key, shape, float_dtype("cauchy", dtype))
    return tan((u - 0.5) * math.pi)


def pareto(key: Any, b: Any, shape: Any = None, dtype: Dtype = float) -> Any:
    """Return Pareto numbers of exponent b, at least 1: exp(exponential / b)."""
    dtype = float_dtype("pareto", dtype)
    b = cast(operand(b), dtype)
    return exp(exponential(key, shared_shape("pareto", shape, b), dtype) / b)


def weibull_min(
    key: Any, scale: Any, concentration: Any, shape: Any = None, dtype: Dtype = float
) -> Any:
    """Return Weibull numbers, scale * exponential^(1 / concentration)."""
    dtype = float_dtype("weibull_min", dtype)
    scale, c = cast(operand(scale), dtype), cast(operand(concentration), dtype)
    shape = shared_shape("weibull_min", shape, scale, c)
    return power(exponential(key, shape, dtype), 1 / c) * scale


def rayleigh(key: Any, scale: Any, shape: Any = None, dtype: Dtype = float) -> Any:
    """Return Rayleigh numbers, scale * sqrt(2 exponential)."""
    dtype = float_dtype("rayleigh", dtype)
    scale = cast(operand(scale), dtype)
    shape = shared_shape("rayleigh", shape, scale)
    return sqrt(2 * exponential(key, shape, dtype)) * scale


def triangular(
    key: Any, left: Any, mode: Any, right: Any, shape: Any = None, dtype: Dtype = float
) -> Any:
    """Return numbers of a triangular density, zero at left and right."""
    dtype = float_dtype("triangular", dtype)
    a, c, b = (cast(operand(v), dtype) for v in (left, mode, right))
    shape = shared_shape("triangular", shape, a, c, b)
    u = unit("triangular", key, shape, dtype)
    width = b - a
    rising = a + sqrt(u * width * (c - a))
    falling = b - sqrt((1 - u) * width * (b - c))
    return where(u * width < c - a, rising, falling)


def maxwell(key: Any, shape: Any = (), dtype: Dtype = float) -> Any:
    """Return the lengths of three-dimensional standard normal vectors."""
    shape = shape_of("maxwell", shape)
    z = normal(key, (*shape, 3), float_dtype("maxwell", dtype))
    return sqrt(reduce_sum(z * z, axis=(len(shape),)))


def double_sided_maxwell(
    key: Any, loc: Any, scale: Any, shape: Any = (), dtype: Dtype = float
) -> Any:
    """Return loc +- scale * maxwell, with random signs."""
    dtype = float_dtype("double_sided_maxwell", dtype)
    loc, scale = cast(operand(loc), dtype), cast(operand(scale), dtype)
    shape = broadcast_shapes(
        "random.double_sided_maxwell",
        shape_of("double_sided_maxwell", shape),
        aval_of(loc).shape,
        aval_of(scale).shape,
    )
    parts = split(key)
    size = maxwell(_at(parts, 0), shape, dtype)
    u = unit("double_sided_maxwell", _at(parts, 1), shape, dtype)
    size = broadcast_to(size, shape=shape)
    return where(u < 0.5, -size, size) * scale + loc
