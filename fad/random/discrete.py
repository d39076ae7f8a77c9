"""Integers, choices and orders. They have no derivative.

`categorical` adds Gumbel noise to the logits and takes the largest (Gumbel, 1954), so
it never normalises; without replacement it takes the largest few (Vieira, 2014).

Public names: `bernoulli binomial categorical choice geometric permutation poisson
rademacher randint`.
"""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..numpy.convert import cast, operand
from ..ops.arithmetic import convert
from ..ops.comparison import where
from ..ops.cumulative import cumsum
from ..ops.elementary import log, log1p
from ..ops.indexing import getitem, slice_along, take_along_axis
from ..ops.infer_rules import broadcast_shapes, normalize_axes
from ..ops.piecewise import floor
from ..ops.random_variates import random_poisson
from ..ops.reductions import argmax, reduce_sum
from ..ops.shape import expand_dims, move_axis, reshape
from ..ops.sorting import argsort, searchsorted
from .keys import keys_for, shape_of, words
from .uniforms import gumbel, shared_shape, uniform, unit

__all__ = [
    "bernoulli",
    "binomial",
    "categorical",
    "choice",
    "geometric",
    "permutation",
    "poisson",
    "rademacher",
    "randint",
]


def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Any:
    """Return booleans that are True with probability `p`.

    >>> from fad import random
    >>> bool(random.bernoulli(random.key(0), 1.0))
    True
    """
    p = operand(p)
    dtype = np.dtype(np.float32 if aval_of(p).dtype == np.float32 else np.float64)
    return uniform(key, shared_shape("bernoulli", shape, p), dtype) < p


def rademacher(key: Any, shape: Any = (), dtype: Any = int) -> Any:
    """Return signs, -1 or 1 with equal probability."""
    sign = 2 * convert(words("rademacher", key, shape) >= np.uint64(1 << 63), dtype=int)
    return convert(sign - 1, dtype=np.dtype(dtype))


def randint(key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = int) -> Any:
    """Return integers uniform over minval <= n < maxval.

    Args:
        key: one key.
        shape: of the result, to which the bounds broadcast.
        minval, maxval: integers; where maxval <= minval the result is minval.
        dtype: an integer dtype.

    >>> from fad import random
    >>> random.randint(random.key(0), (5,), 0, 10)
    array([9, 8, 9, 6, 3])
    """
    dtype = np.dtype(dtype)
    low, high = operand(minval), operand(maxval)
    kinds = {aval_of(v).dtype.kind for v in (low, high)} | {dtype.kind}
    if not kinds <= set("iu"):
        raise TypeError(
            f"random.randint: the dtype must be an integer one, not {dtype}"
        )
    shape = shared_shape("randint", shape, low, high)
    low, high = (convert(v, dtype=np.dtype(np.int64)) for v in (low, high))
    span = convert(where(high > low, high - low, 1), dtype=np.dtype(np.uint64))
    offset = words("randint", key, shape) % span
    return convert(convert(offset, dtype=np.dtype(np.int64)) + low, dtype=dtype)


def permutation(key: Any, x: Any, axis: int = 0, independent: bool = False) -> Any:
    """Return `x` in random order along `axis`; for an integer, that of range(x).

    Args:
        key: one key.
        x: an array, or an integer.
        axis: the axis that is reordered.
        independent: give each line along the axis an order of its own.

    >>> from fad import random
    >>> random.permutation(random.key(0), 5)
    array([0, 2, 1, 4, 3])
    """
    x = operand(x)
    if not aval_of(x).ndim:
        x = np.arange(operator.index(x))
    shape = aval_of(x).shape
    (axis,) = normalize_axes(axis, len(shape))
    if independent or len(shape) == 1:
        order = argsort(words("permutation", key, shape), axis=axis, kind="stable")
        return take_along_axis(x, order, axis=axis)
    order = argsort(words("permutation", key, shape[axis]), axis=0, kind="stable")
    return _take(x, order, axis)


def _take(x: Any, ids: Any, axis: int) -> Any:
    """Return the slices of `x` at the indices `ids` along `axis`."""
    from ..numpy import take

    return take(x, ids, axis=axis)


def choice(
    key: Any,
    a: Any,
    shape: Any = (),
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
) -> Any:
    """Return elements of `a` chosen at random.

    Args:
        key: one key.
        a: an array, or an integer for range(a).
        shape: how many, as a shape; it takes the place of `axis`.
        replace: whether an element may be chosen twice.
        p: probabilities of the elements along `axis`; None for equal ones.
        axis: the axis along which to choose.

    Raises:
        ValueError: more elements are asked for than there are, without replacement.

    >>> from fad import random
    >>> random.choice(random.key(0), np.array([2.0, 5.0]), (3,), p=[0.0, 1.0])
    array([5., 5., 5.])
    """
    a = operand(a)
    if not aval_of(a).ndim:
        a = np.arange(operator.index(a))
    shape = shape_of("choice", shape)
    (axis,) = normalize_axes(axis, aval_of(a).ndim)
    count, wanted = aval_of(a).shape[axis], prod(shape)
    if count == 0 and wanted:
        raise ValueError("random.choice: there is nothing to choose from")
    if not replace and wanted > count:
        raise ValueError(
            f"random.choice: {wanted} elements were asked for, but without replacement "
            f"there are only {count}"
        )
    ids = _chosen(key, count, wanted, replace, p)
    return _take(a, reshape(ids, shape=shape), axis)


def _chosen(key: Any, count: int, wanted: int, replace: bool, p: Any) -> Any:
    """Return `wanted` indices below `count`."""
    if p is None:
        if replace:
            return randint(key, (wanted,), 0, count)
        return slice_along(permutation(key, count), 0, wanted, 0)
    p = operand(p)
    if aval_of(p).shape != (count,):
        raise ValueError(
            f"random.choice: p has the shape {aval_of(p).shape} for {count} elements"
        )
    p = cast(p, np.dtype(np.float64))
    if replace:
        sums = cumsum(p, axis=0, reverse=False)
        u = unit("choice", key, (wanted,), np.dtype(np.float64))
        return searchsorted(sums, u * getitem(sums, index=(-1,)), side="left")
    noise = -log(-log(unit("choice", key, (count,), np.dtype(np.float64))))
    score = where(p > 0, log(where(p > 0, p, 1)) + noise, -np.inf)
    return slice_along(argsort(-score, axis=0, kind="stable"), 0, wanted, 0)


def categorical(
    key: Any, logits: Any, axis: int = -1, shape: Any = None, replace: bool = True
) -> Any:
    """Return indices with probabilities proportional to exp(logits).

    Args:
        key: one key.
        logits: unnormalised log-probabilities; -inf for never.
        axis: the axis of the categories.
        shape: of the result, ending in the shape of `logits` without `axis` (or
            broadcasting with it).
        replace: False draws the leading axes of `shape` without repetition.

    >>> from fad import random
    >>> int(random.categorical(random.key(0), np.array([-np.inf, 0.0])))
    1
    """
    logits = operand(logits)
    if aval_of(logits).dtype.kind != "f":
        logits = cast(logits, np.dtype(np.float64))
    aval = aval_of(logits)
    (axis,) = normalize_axes(axis, aval.ndim)
    logits = move_axis(logits, axis, aval.ndim - 1)
    *batch, count = aval_of(logits).shape
    wanted = tuple(batch) if shape is None else shape_of("categorical", shape)
    if broadcast_shapes("random.categorical", wanted, tuple(batch)) != wanted:
        raise ValueError(
            f"random.categorical: the shape {wanted} must end in {tuple(batch)}, the "
            "shape of the logits without their axis of categories"
        )
    if replace:
        noisy = logits + gumbel(key, (*wanted, count), aval.dtype)
        return argmax(noisy, axis=len(wanted))
    return _without_replacement(key, logits, wanted, len(batch))


def _without_replacement(
    key: Any, logits: Any, wanted: tuple[int, ...], kept: int
) -> Any:
    *batch, count = aval_of(logits).shape
    lead = wanted[: len(wanted) - kept]
    number = prod(lead)
    if number > count:
        raise ValueError(
            f"random.categorical: {number} draws without replacement from {count}"
        )
    noisy = logits + gumbel(key, (*batch, count), aval_of(logits).dtype)
    order = argsort(-noisy, axis=kept, kind="stable")
    best = move_axis(slice_along(order, 0, number, kept), kept, 0)
    return reshape(best, shape=(*lead, *batch))


def poisson(key: Any, lam: Any, shape: Any = None, dtype: Any = int) -> Any:
    """Return Poisson variates of mean `lam`; -1 where that is negative or nan."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu":
        raise TypeError(
            f"random.poisson: the dtype must be an integer one, not {dtype}"
        )
    lam = operand(lam)
    shape = shared_shape("poisson", shape, lam)
    return convert(random_poisson(*keys_for("poisson", key, shape), lam), dtype=dtype)


def binomial(key: Any, n: int, p: Any, shape: Any = None, dtype: Any = int) -> Any:
    """Return the numbers of successes in `n` trials, n a static integer.

    The trials are made one by one: the cost is n uniform numbers for each result.
    """
    p, n = operand(p), operator.index(n)
    shape = shared_shape("binomial", shape, p)
    p = p if not aval_of(p).ndim else expand_dims(p, aval_of(p).ndim)
    hits = bernoulli(key, p, (*shape, n))
    return convert(reduce_sum(hits, axis=(len(shape),)), dtype=np.dtype(dtype))


def geometric(key: Any, p: Any, shape: Any = None, dtype: Any = int) -> Any:
    """Return the number of trials up to the first success of probability `p`."""
    p = cast(operand(p), np.dtype(np.float64))
    shape = shared_shape("geometric", shape, p)
    u = unit("geometric", key, shape, np.dtype(np.float64))
    return convert(floor(log(u) / log1p(-p)) + 1, dtype=np.dtype(dtype))
