"""Fill arrays with random numbers, equal to PyTorch's CPU kernels bit for bit.

Every function takes a `Generator` and a NumPy array `out`, overwrites the array and
returns it, as ``tensor.uniform_()`` and its like do. Values are laid down in the
order of memory: the axis with the smallest stride runs fastest. With the words and
uniform numbers of `fad.torch.generator`, u24 and u53:

==================  ==========================================================
`uniform_`          ``low + (high - low) u``, fused; u53 for float64, else u24
`normal_`           in blocks for 16 elements or more without gaps, else scalar
`bernoulli_`        ``u < p``; u53, but u24 for an array `p` not of float64
`exponential_`      ``-log1p(-u53) / rate``
`geometric_`        ``ceil(log(u53) / log1p(-p))``
`cauchy_`           ``median + sigma tan(pi (u53 - 1/2))``
`log_normal_`       ``exp`` of a scalar normal value
==================  ==========================================================

`fad.torch.normals` has the two ways to a normal value; integers, permutations and
choices are in `fad.torch.choosing`.

Public names: the seven functions above, `rand`, `randn`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from fad.torch.filling import (
    c_name,
    lay_down,
    narrow,
    real_parts,
    require_kind,
    scalar_name,
)
from fad.torch.generator import Generator
from fad.torch.normals import normal_blocks, scalar_normals
from fad.torch.rounding import c_library, fused_multiply_add

__all__ = [
    "bernoulli_",
    "cauchy_",
    "exponential_",
    "geometric_",
    "log_normal_",
    "normal_",
    "rand",
    "randn",
    "uniform_",
]


def rand(
    generator: Generator, shape: Sequence[int], dtype: DTypeLike = np.float32
) -> np.ndarray:
    """Return values uniform on [0, 1), in real and imaginary part where complex.

    >>> rand(Generator().manual_seed(0), (2,))
    array([0.4962566, 0.7682218], dtype=float32)
    """
    return uniform_(generator, np.empty(shape, dtype))


def randn(
    generator: Generator, shape: Sequence[int], dtype: DTypeLike = np.float32
) -> np.ndarray:
    """Return standard normal values; complex ones have variance 1 in all.

    >>> randn(Generator().manual_seed(0), (2,)).round(4)
    array([ 1.541 , -0.2934], dtype=float32)
    """
    return normal_(generator, np.empty(shape, dtype))


def uniform_(
    generator: Generator, out: np.ndarray, low: float = 0.0, high: float = 1.0
) -> np.ndarray:
    """Fill `out` with values uniform on [low, high).

    Args:
        generator: Where the words come from.
        out: A floating or complex array.
        low: The least value.
        high: The bound; a value that rounds to it becomes `low`.

    Raises:
        RuntimeError: The bounds are out of order or out of the dtype's range.

    >>> uniform_(Generator().manual_seed(0), np.empty(2), -1.0, 1.0).round(4)
    array([0.9401, 0.4156])
    """
    target = real_parts(out, "check_uniform_bounds")
    _check_uniform(target.dtype, low, high)
    if target.dtype == np.float64:
        values = generator.uniform53(target.size)
        values = fused_multiply_add(values, high - low, low)
    else:
        first, last = np.float32(low), np.float32(high)
        values = generator.uniform24(target.size)
        values = fused_multiply_add(values, float(last - first), float(first))
    values = values.astype(target.dtype)
    values[values == target.dtype.type(high)] = low
    lay_down(target, values)
    return out


def normal_(
    generator: Generator, out: np.ndarray, mean: float = 0.0, std: float = 1.0
) -> np.ndarray:
    """Fill `out` with normal values.

    Args:
        generator: Where the words come from.
        out: A floating or complex array. A complex one gets `mean` in both parts
            and the variance ``std**2`` shared by them.
        mean: The mean.
        std: The standard deviation.

    Raises:
        RuntimeError: `std` is negative.

    >>> normal_(Generator().manual_seed(0), np.empty(2), 1.0, 2.0).round(4)
    array([4.082 , 0.4131])
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    target = real_parts(out, "normal_kernel_cpu")
    if out.dtype.kind == "c":
        std /= math.sqrt(2.0)
    if target.size >= 16 and target.flags.c_contiguous:
        values = normal_blocks(generator, target.size, target.dtype, mean, std)
    else:
        values = scalar_normals(generator, target.size, mean, std)
    lay_down(target, narrow(values, target.dtype))
    return out


def bernoulli_(
    generator: Generator, out: np.ndarray, p: float | np.ndarray = 0.5
) -> np.ndarray:
    """Fill `out` with ones, each with probability `p`, and zeros.

    Args:
        generator: Where the words come from.
        out: A real array.
        p: One probability, or a floating array that broadcasts to `out`.

    Raises:
        RuntimeError: A probability is outside [0, 1].

    >>> bernoulli_(Generator().manual_seed(2), np.empty(5), 0.5)
    array([0., 1., 0., 0., 0.])
    """
    _check_probability(p)
    require_kind(out, "biuf", "bernoulli_scalar_cpu_")
    single = isinstance(p, np.ndarray) and p.dtype != np.float64
    draw = generator.uniform24 if single else generator.uniform53
    uniforms = np.empty_like(out, np.float32 if single else np.float64, order="K")
    lay_down(uniforms, draw(out.size))
    out[...] = uniforms < np.asarray(p)
    return out


def exponential_(
    generator: Generator, out: np.ndarray, rate: float = 1.0
) -> np.ndarray:
    """Fill `out` with exponentially distributed values of mean ``1 / rate``.

    Raises:
        RuntimeError: `rate` is not positive, or `out` not floating.

    >>> exponential_(Generator().manual_seed(0), np.empty(2)).round(4)
    array([3.5083, 1.2304])
    """
    if not rate > 0:
        raise RuntimeError(
            f"exponential_ expects lambda > 0.0, but found lambda={rate:g}"
        )
    if out.dtype.kind != "f":
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype "
            f"must be a floating point but you specified {scalar_name(out.dtype)}"
        )
    values = c_library("log1p", -generator.uniform53(out.size))
    lay_down(out, narrow(-1.0 / rate * values, out.dtype))
    return out


def geometric_(generator: Generator, out: np.ndarray, p: float) -> np.ndarray:
    """Fill `out` with the number of trials up to the first success.

    Args:
        generator: Where the words come from.
        out: An integer or floating array.
        p: The probability of success, strictly between 0 and 1.

    Raises:
        RuntimeError: `p` is outside (0, 1).

    >>> geometric_(Generator().manual_seed(0), np.empty(3), 0.5)
    array([1., 1., 2.])
    """
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    require_kind(out, "iuf", "geometric_cpu")
    logs = c_library("log", generator.uniform53(out.size))
    lay_down(out, narrow(np.ceil(logs / math.log1p(-p)), out.dtype))
    return out


def cauchy_(
    generator: Generator, out: np.ndarray, median: float = 0.0, sigma: float = 1.0
) -> np.ndarray:
    """Fill `out` with values of the Cauchy distribution.

    Raises:
        RuntimeError: `sigma` is not positive, or `out` not floating.

    >>> cauchy_(Generator().manual_seed(0), np.empty(2)).round(4)
    array([10.5977,  0.7648])
    """
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    if out.dtype.kind != "f":
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must "
            f"be a floating point but you specified {c_name(out.dtype)}"
        )
    tangents = c_library("tan", math.pi * (generator.uniform53(out.size) - 0.5))
    values = fused_multiply_add(tangents, sigma, median)
    lay_down(out, narrow(values, out.dtype))
    return out


def log_normal_(
    generator: Generator, out: np.ndarray, mean: float = 1.0, std: float = 2.0
) -> np.ndarray:
    """Fill `out` with the exponentials of normal values.

    Raises:
        RuntimeError: `std` is not positive.

    >>> log_normal_(Generator().manual_seed(0), np.empty(2), 0.0, 1.0).round(4)
    array([4.6692, 0.7457])
    """
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    require_kind(out, "f", "log_normal_cpu")
    values = c_library("exp", scalar_normals(generator, out.size, mean, std))
    lay_down(out, narrow(values, out.dtype))
    return out


def _check_probability(p: float | np.ndarray) -> None:
    if isinstance(p, np.ndarray):
        require_kind(p, "f", "bernoulli_tensor_cpu_p_")
        if not ((p >= 0) & (p <= 1)).all():
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could "
                "this error message be improved?  If so, please report an enhancement "
                "request to PyTorch.)"
            )
    elif not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")


def _check_uniform(dtype: np.dtype, low: float, high: float) -> None:
    limit = float(np.finfo(dtype).max)
    for name, bound in (("from", low), ("to", high)):
        if not -limit <= bound <= limit:
            raise RuntimeError(f"{name} is out of bounds for {c_name(dtype)}")
    if low > high:
        raise RuntimeError(
            "uniform_ expects to return a [from, to) range, but found "
            f"from={low:g} > to={high:g}"
        )
    if high - low > limit:
        raise RuntimeError(
            "uniform_ expects to-from <= std::numeric_limits"
            f"<{scalar_name(dtype)}>::max(), but found to={high:g} and "
            f"from={low:g} which result in to-from to exceed the limit"
        )
