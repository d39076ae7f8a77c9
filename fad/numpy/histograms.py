"""Histograms: counts and weights by bin.

Counts are constant. Where weights are given, the histogram is linear in them, and a
density is differentiable in the edges too, which may come from traced data.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> x = np.array([0.1, 0.9, 0.2])
>>> heights = lambda w: fnp.histogram(x, bins=2, range=(0.0, 1.0), weights=w)[0]
>>> fad.jacrev(heights)(np.ones(3))
array([[1., 0., 1.],
       [0., 1., 0.]])

Public names: `histogram histogram2d histogramdd histogram_bin_edges`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.trace import aval_of, concrete_value
from ..ops import reductions
from ..ops.arithmetic import convert
from ..ops.comparison import eq, isnan, logical_not, logical_or, lt
from ..ops.comparison import where as select
from ..ops.indexing import getitem, slice_along
from ..ops.shape import reshape, transpose
from ..ops.sorting import bincount, searchsorted
from .convert import cast, operand, result_dtype
from .dispatch import implements
from .ranges import linspace
from .sorting import known

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


@implements(np.histogram)
def histogram(
    a: Any,
    bins: Any = 10,
    range: Any = None,
    density: Any = None,
    weights: Any = None,
) -> Any:
    """Return the counts (or the weights) by bin, and the edges of the bins."""
    x = operand(a)
    if aval_of(x).dtype.kind == "b":
        x = cast(x, np.uint8)
    w = None if weights is None else operand(weights)
    if w is not None and aval_of(w).shape != aval_of(x).shape:
        raise ValueError("weights should have the same shape as a.")
    flat = (aval_of(x).size,)
    x, w = reshape(x, shape=flat), None if w is None else reshape(w, shape=flat)
    edges = _edges(x, bins, range, w)
    n = _totals([x], [edges], w)
    if not density:
        return n, edges
    width = cast(_widths(edges), np.float64)
    return n / width / reductions.reduce_sum(n, axis=(0,)), edges


@implements(np.histogram_bin_edges)
def histogram_bin_edges(
    a: Any, bins: Any = 10, range: Any = None, weights: Any = None
) -> Any:
    """Return the edges of the bins that `histogram` would use."""
    x = operand(a)
    x = reshape(x, shape=(aval_of(x).size,))
    return _edges(x, bins, range, None if weights is None else operand(weights))


def _edges(x: Any, bins: Any, limits: Any, weights: Any) -> Any:
    """Return the edges of a number of bins, of a rule's choice, or those given."""
    if isinstance(bins, str):
        w = None if weights is None else known("histogram", weights)
        return np.histogram_bin_edges(known("histogram", x), bins, limits, w)
    bins = operand(bins)
    aval = aval_of(bins)
    if len(aval.shape) > 1:
        raise ValueError("`bins` must be 1d, when an array")
    if aval.shape:
        plain = concrete_value(bins)
        if plain is not None and np.any(plain[:-1] > plain[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return bins
    if aval.dtype.kind not in "iu":
        raise TypeError("`bins` must be an integer, a string, or an array")
    count = operator.index(bins)
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    first, last = _limits(x, limits)
    dtype = result_dtype(first, last, x)
    dtype = dtype if dtype.kind == "f" else np.result_type(dtype, np.float64)
    return linspace(first, last, count + 1, dtype=dtype)


def _limits(x: Any, limits: Any) -> tuple[Any, Any]:
    """Return the outer edges: those given, or the extrema of the data."""
    if limits is not None:
        first, last = limits
    elif aval_of(x).size == 0:
        first, last = 0, 1
    else:
        first = reductions.reduce_min(x, axis=(0,))
        last = reductions.reduce_max(x, axis=(0,))
    plain = concrete_value(first), concrete_value(last)
    if None not in plain:
        if plain[0] > plain[1]:
            raise ValueError("max must be larger than min in range parameter.")
        if not np.all(np.isfinite(plain)):
            kind = "autodetected" if limits is None else "supplied"
            raise ValueError(f"{kind} range of {list(plain)} is not finite")
        if plain[0] != plain[1]:
            return first, last
    empty = eq(first, last)
    return select(empty, first - 0.5, first), select(empty, last + 0.5, last)


def _widths(edges: Any) -> Any:
    n = aval_of(edges).shape[0]
    return slice_along(edges, 1, n, 0) - slice_along(edges, 0, n - 1, 0)


def _totals(columns: Sequence[Any], edges: Sequence[Any], weights: Any) -> Any:
    """Add up ones, or weights, over the points of each box between the edges."""
    shape = tuple([aval_of(e).shape[0] - 1 for e in edges])
    label: Any = 0
    outside: Any = False
    for x, e, n in zip(columns, edges, shape, strict=True):
        place = searchsorted(e, x, side="right") - 1
        place = place - convert(eq(x, getitem(e, index=(n,))), dtype=np.intp)
        missed = logical_or(lt(place, 0), logical_not(lt(place, n)))
        outside = logical_or(outside, logical_or(missed, isnan(x)))
        label = label * n + place
    boxes = math.prod(shape)
    label = select(outside, boxes, label)
    if weights is None:
        ones = np.ones(aval_of(label).shape)
        totals = convert(bincount(label, ones, length=boxes + 1), dtype=np.intp)
    else:
        totals = bincount(label, weights, length=boxes + 1)
    return reshape(slice_along(totals, 0, boxes, 0), shape=shape)


@implements(np.histogramdd)
def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: Any = None,
    weights: Any = None,
) -> Any:
    """Return the counts (or the weights) by box, and a list of edges per dimension."""
    columns = _columns(sample)
    d = len(columns)
    bins = list(bins) if _has_length(bins) else [bins] * d
    if len(bins) != d:
        raise ValueError(
            "The dimension of bins must be equal to the dimension of the sample x."
        )
    limits = [None] * d if range is None else list(range)
    if len(limits) != d:
        raise ValueError("range argument must have one entry per dimension")
    edges = [
        _edges(x, b, r, None) for x, b, r in zip(columns, bins, limits, strict=True)
    ]
    w = None if weights is None else cast(operand(weights), np.float64)
    heights = cast(_totals(columns, edges, w), np.float64)
    if density:
        total = reductions.reduce_sum(heights, axis=tuple(np.arange(d).tolist()))
        for i, e in enumerate(edges):
            n = aval_of(e).shape[0] - 1
            width = reshape(_widths(e), shape=(n, *(1,) * (d - 1 - i)))
            heights = heights / width
        heights = heights / total
    return heights, edges


def _has_length(bins: Any) -> bool:
    return isinstance(bins, (list, tuple)) or aval_of(bins).shape != ()


def _columns(sample: Any) -> list[Any]:
    """Return the coordinates of a sample, an (n, d) array or d sequences."""
    if isinstance(sample, (list, tuple)):
        x = operand(sample)
        shape = aval_of(x).shape
        x = reshape(x, shape=(1, *shape)) if len(shape) == 1 else x
    else:
        x = operand(sample)
        shape = aval_of(x).shape
        if len(shape) != 2:
            x = reshape(x, shape=(1, aval_of(x).size))
        else:
            x = transpose(x, axes=(1, 0))
    return [getitem(x, index=(i,)) for i in np.arange(aval_of(x).shape[0]).tolist()]


@implements(np.histogram2d)
def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: Any = None,
    weights: Any = None,
) -> Any:
    """Return the counts (or the weights) by box, and the edges along x and y."""
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if _has_length(bins) and len(bins) not in (1, 2):
        bins = [bins, bins]
    heights, edges = histogramdd([x, y], bins, range, density, weights)
    return heights, edges[0], edges[1]
