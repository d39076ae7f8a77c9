"""Medians, percentiles and quantiles, by every method of NumPy.

A quantile is a mean of two neighbours in the sorted values, a + (b - a) t. Its
derivative goes to these two; with respect to q it is (b - a) times the slope of t. The
functions that skip nans find their neighbours slice by slice, without a loop.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> fad.grad(fnp.median)(np.array([5.0, 1.0, 3.0, 2.0]))
array([0. , 0. , 0.5, 0.5])
>>> float(fad.grad(lambda q: fnp.quantile(np.array([1.0, 3.0, 7.0]), q))(0.75))
8.0

Public names: `median nanmedian percentile nanpercentile quantile nanquantile`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core.trace import aval_of, concrete_value
from ..ops.arithmetic import convert
from ..ops.comparison import isnan, logical_not
from ..ops.comparison import where as select
from ..ops.cumulative import cumsum
from ..ops.indexing import slice_along, take_along_axis
from ..ops.infer_rules import normalize_axes
from ..ops.piecewise import clip
from ..ops.reductions import keep_axes, reduce_sum
from ..ops.shape import broadcast_to, move_axis, reshape, transpose
from ..ops.sorting import argpartition, argsort
from .convert import cast, no_out, operand
from .dispatch import implements
from .quantile_methods import METHODS, neighbours
from .reductions import given
from .statistics import aligned, mean

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]

_NoValue: Any = np._NoValue


@implements(np.median)
def median(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    keepdims: Any = False,
) -> Any:
    """Return the middle value over axes, or the mean of the middle two."""
    no_out("median", out)
    x = operand(a)
    rows, kept = _rows(x, axis, keepdims)
    n = aval_of(rows).shape[-1]
    last = aval_of(rows).ndim - 1
    low, high = max(n - 1, 0) // 2, n // 2 + 1
    if n == 0:
        return _shaped(mean(rows, axis=-1), kept)
    order = argpartition(rows, kth=(low, high - 1, n - 1), axis=last)
    middle = take_along_axis(rows, slice_along(order, low, high, last), axis=last)
    result = mean(middle, axis=-1)
    if aval_of(rows).dtype.kind in "fc":
        top = take_along_axis(rows, slice_along(order, n - 1, n, last), axis=last)
        top = cast(reshape(top, shape=aval_of(result).shape), aval_of(result).dtype)
        result = select(isnan(top), top, result)
    return _shaped(result, kept)


def _rows(x: Any, axis: Any, keepdims: Any) -> tuple[Any, tuple[int, ...]]:
    """Return `x` with the reduced axes as one last axis, and the result's shape."""
    shape = aval_of(x).shape
    axes = normalize_axes(axis, len(shape))
    others = tuple(i for i in range(len(shape)) if i not in axes)
    free = tuple(shape[i] for i in others)
    rows = transpose(x, axes=(*others, *axes)) if axes[:1] < others[-1:] else x
    n = 1
    for i in axes:
        n *= shape[i]
    rows = reshape(rows, shape=(*free, n))
    return rows, keep_axes(shape, axes) if given(keepdims) else free


@implements(np.nanmedian)
def nanmedian(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    keepdims: Any = _NoValue,
) -> Any:
    """Return the median of what is not nan; nans have the derivative 0."""
    no_out("nanmedian", out)
    x = operand(a)
    if aval_of(x).dtype.kind not in "fc":
        return median(x, axis, keepdims=given(keepdims) or False)
    rows, kept = _rows(x, axis, keepdims)
    last = aval_of(rows).ndim - 1
    count = _numbers(rows, last)
    order = argsort(rows, axis=last, kind=None)
    half = convert(count, dtype=np.float64) / 2.0
    low, high = clip(half - 0.5, 0.0, np.inf), half
    ranks = [convert(r, dtype=np.intp) for r in (low, high)]  # rounded down
    values = [_at(rows, order, r, last) for r in ranks]
    return _shaped((values[0] + values[1]) / 2, kept)


def _numbers(rows: Any, last: int) -> Any:
    """Count what is not nan in each row, and warn of rows that have nothing else."""
    count = reduce_sum(logical_not(isnan(rows)), axis=(last,))
    count = reshape(count, shape=(*aval_of(count).shape, 1))
    plain = concrete_value(count)
    if plain is not None and np.any(plain == 0):
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=4)
    return count


def _at(rows: Any, order: Any, indices: Any, last: int) -> Any:
    """Return the elements of given rank, by the order of each row."""
    return take_along_axis(rows, take_along_axis(order, indices, axis=last), axis=last)


@implements(np.quantile)
def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    """Return the q-th quantiles over axes, 0 <= q <= 1, differentiable in a and q."""
    no_out("quantile", out)
    weak = type(q) in (int, float)
    q = _checked(operand(q), "Quantiles must be in the range [0, 1]")
    return _quantile(operand(a), q, weak, axis, method, keepdims, weights, False)


@implements(np.percentile)
def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    """Return the q-th percentiles over axes, 0 <= q <= 100: quantiles of q / 100."""
    no_out("percentile", out)
    weak = type(q) in (int, float)
    q = _checked(operand(q) / 100, "Percentiles must be in the range [0, 100]")
    return _quantile(operand(a), q, weak, axis, method, keepdims, weights, False)


@implements(np.nanquantile)
def nanquantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = _NoValue,
    *,
    weights: Any = None,
) -> Any:
    """Return quantiles of what is not nan; nans have the derivative 0."""
    no_out("nanquantile", out)
    weak = type(q) in (int, float)
    q = _checked(operand(q), "Quantiles must be in the range [0, 1]")
    return _quantile(operand(a), q, weak, axis, method, keepdims, weights, True)


@implements(np.nanpercentile)
def nanpercentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = _NoValue,
    *,
    weights: Any = None,
) -> Any:
    """Return percentiles of what is not nan; nans have the derivative 0."""
    no_out("nanpercentile", out)
    weak = type(q) in (int, float)
    q = _checked(operand(q) / 100, "Percentiles must be in the range [0, 100]")
    return _quantile(operand(a), q, weak, axis, method, keepdims, weights, True)


def _checked(q: Any, message: str) -> Any:
    """Refuse a known q that is out of range."""
    plain = concrete_value(q)
    if plain is not None and not np.all((0 <= plain) & (plain <= 1)):
        raise ValueError(message)
    if len(aval_of(q).shape) > 2:
        raise ValueError("q must be a scalar or 1d")
    return q


def _quantile(
    x: Any,
    q: Any,
    weak: bool,
    axis: Any,
    method: str,
    keepdims: Any,
    weights: Any,
    skip: bool,
) -> Any:
    """Return quantiles, of numbers only if `skip`; the axes of q come first."""
    aval = aval_of(x)
    if aval.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if method not in METHODS:
        raise ValueError(
            f"{method!r} is not a valid method. Use one of: {', '.join(METHODS)}"
        )
    skip = skip and aval.dtype.kind == "f"
    rows, kept = _rows(x, axis, keepdims)
    last = aval_of(rows).ndim - 1
    order = argsort(rows, axis=last, kind=None)
    count = _numbers(rows, last) if skip else aval_of(rows).shape[-1]
    asked = aval_of(q)
    flat = reshape(q, shape=(asked.size,))
    if weights is None:
        low, high, t = neighbours(method, flat, count)
    else:
        weights = _weight_rows(weights, x, axis, method)
        low, high, t = (
            _weighted_rank(rows, order, weights, flat, count, skip),
            None,
            0.0,
        )
    shape = (*aval_of(rows).shape[:-1], asked.size)
    result = _at(rows, order, broadcast_to(low, shape=shape), last)
    if t is not None and high is not None:
        if weak:  # a Python number does not widen float32 values
            t = cast(t, aval.dtype if aval.dtype.kind == "f" else np.float64)
        b = _at(rows, order, broadcast_to(high, shape=shape), last)
        result = _between(result, b, t)
    if aval.dtype.kind == "f" and not skip:
        result = _or_nan(result, rows, order, last)
    result = move_axis(result, last, 0)
    return _shaped(result, (*asked.shape, *kept))


def _shaped(x: Any, shape: tuple[int, ...]) -> Any:
    """Return `x` with a shape, a number where NumPy returns one."""
    return reshape(x, shape=shape) if shape else x[(0,) * aval_of(x).ndim]


def _between(a: Any, b: Any, t: Any) -> Any:
    """Interpolate from the nearer end, as NumPy does."""
    rise = b - a
    return select(t >= 0.5, b - rise * (1 - t), a + rise * t)


def _or_nan(result: Any, rows: Any, order: Any, last: int) -> Any:
    """Return the results, nan for rows that have one: it was sorted to their end."""
    n = aval_of(rows).shape[-1]
    top = take_along_axis(rows, slice_along(order, n - 1, n, last), axis=last)
    return select(isnan(top), cast(top, aval_of(result).dtype), result)


def _weight_rows(weights: Any, x: Any, axis: Any, method: str) -> Any:
    """Return checked weights, in rows as the values are."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    shape = aval_of(x).shape
    w = aligned(operand(weights), shape, axis)
    plain = concrete_value(w)
    if plain is not None and np.any(plain < 0):
        raise ValueError("Weights must be non-negative.")
    return _rows(broadcast_to(w, shape=shape), axis, False)[0]


def _weighted_rank(
    rows: Any, order: Any, weights: Any, q: Any, count: Any, skip: bool
) -> Any:
    """Return the rank at which the share of the weights reaches q."""
    last = aval_of(rows).ndim - 1
    n = aval_of(rows).shape[-1]
    if skip:
        weights = select(isnan(rows), 0, weights)
    w = cast(take_along_axis(weights, order, axis=last), np.float64)
    share = cumsum(w, axis=last, reverse=False)
    share = share / slice_along(share, n - 1, n, last)
    plain = concrete_value(share)
    if plain is not None and np.isnan(plain[..., -1]).any():
        raise ValueError("Weights included NaN, inf or were all zero.")
    if aval_of(q).dtype.kind == "f":
        share = cast(share, aval_of(q).dtype)
    share = select(share == 0, -1.0, share)
    share = reshape(share, shape=(*aval_of(share).shape, 1))
    rank = reduce_sum(share < q, axis=(last,))
    return clip(rank, 0, count - 1)
