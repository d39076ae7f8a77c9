"""Products, maxima and minima gathered at an index that may repeat elements.

`x[i] = x[i] * y` keeps one product of several that fall on one element. To have all of
them, the values are sorted by the element they fall on, and runs of one element are
combined by doubling: after step k each value stands for its last 2^k fellows,

    v[j] <- v[j - 2^k] * v[j]    where both fall on the same element,

so that the last of each run is the combination of all, in log2(n) whole-array steps.
The index may be traced, and every derivative is exact, also for products with zeros.

Public names: `scatter_reduce`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.trace import aval_of
from .comparison import eq, where
from .index_layout import ARRAY
from .indexing import getitem, scatter_set, slice_along
from .shape import concatenate, reshape

__all__ = ["scatter_reduce"]

Binary = Callable[[Any, Any], Any]


def scatter_reduce(
    x: Any, y: Any, ids: Sequence[Any], index: Any, combine: Binary, apply: Binary
) -> Any:
    """Return `x` with `apply(x[index], y)` at an index, for all y on each element.

    Args:
        y: of the shape of what is read at the index.
        combine: associative and commutative; makes one of the values that fall on the
            same element.
        apply: takes the old element and the combined value.
    """
    from .sorting import argsort

    shape = aval_of(x).shape
    numbers = np.arange(math.prod(shape)).reshape(shape)
    places = _flat(getitem(numbers, *ids, index=index))
    order = argsort(places, axis=0, kind="stable")
    places = getitem(places, order, index=(ARRAY,))
    values = _combine_runs(getitem(_flat(y), order, index=(ARRAY,)), places, combine)
    flat = _flat(x)
    new = apply(getitem(flat, places, index=(ARRAY,)), values)
    return reshape(scatter_set(flat, new, places, index=(ARRAY,)), shape=shape)


def _flat(x: Any) -> Any:
    return reshape(x, shape=(math.prod(aval_of(x).shape),))


def _combine_runs(values: Any, places: Any, combine: Binary) -> Any:
    n = aval_of(values).shape[0]
    step = 1
    while step < n:
        late = slice_along(values, step, None, 0)
        early = slice_along(values, None, n - step, 0)
        together = eq(
            slice_along(places, step, None, 0), slice_along(places, None, n - step, 0)
        )
        late = where(together, combine(early, late), late)
        values = concatenate(slice_along(values, None, step, 0), late, axis=0)
        step *= 2
    return values
