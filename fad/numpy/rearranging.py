"""Repeating, rolling, inserting, deleting, trimming: new arrangements of elements.

Where the arrangement does not follow from the shape, NumPy's own function arranges the
positions 0, 1, 2, ... and the elements are taken from there; so each has NumPy's
semantics in every corner.

Public names: `tile repeat roll resize insert delete trim_zeros`.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..core.errors import ConcretizationTypeError
from ..core.trace import aval_of, concrete_value
from ..ops import shape as ops
from ..ops.arithmetic import copy
from ..ops.creation import zeros_like
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem, slice_along
from .convert import array_from, cast, operand
from .dispatch import implements
from .index_keys import fit
from .manipulation import axis_of, of_its_own, owned, sizes_of

__all__ = ["delete", "insert", "repeat", "resize", "roll", "tile", "trim_zeros"]


def flat(x: Any) -> Any:
    """Return the elements of `x` along one axis."""
    return ops.reshape(x, shape=(aval_of(x).size,))


def taken(x: Any, places: Any, axis: int, unique: bool = False) -> Any:
    """Return the elements of `x` at positions along an axis."""
    index = (slice(None),) * axis + (ARRAY,)
    return getitem(x, places, index=index, unique=unique)


def known(value: Any, name: str, what: str) -> Any:
    """Return a plain value that decides the shape of a result.

    Raises:
        ConcretizationTypeError: it is not known while tracing.
    """
    found = concrete_value(value)
    if found is None:
        raise ConcretizationTypeError(
            f"{name}: the shape of the result depends on {what}, {aval_of(value)!r}, "
            "whose values are not known while tracing. Pass plain arrays, or use "
            "operations that keep the shape, such as fnp.where."
        )
    return found


@implements(np.tile)
def tile(A: Any, reps: Any) -> Any:
    """Repeat the whole array along axes."""
    x = operand(A)
    times = sizes_of(reps)
    shape = aval_of(x).shape
    rank = max(len(times), len(shape))
    times = (1,) * (rank - len(times)) + times
    shape = (1,) * (rank - len(shape)) + shape
    if math.prod(times) == 1:
        return of_its_own(ops.reshape(copy(x), shape=shape))
    paired = [n for pair in zip((1,) * rank, shape, strict=True) for n in pair]
    spread = [n for pair in zip(times, shape, strict=True) for n in pair]
    x = ops.broadcast_to(ops.reshape(x, shape=tuple(paired)), shape=tuple(spread))
    sizes = [t * n for t, n in zip(times, shape, strict=True)]
    return owned(ops.reshape(x, shape=tuple(sizes)))


@implements(np.repeat)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeat each element along an axis, of the flattened array by default."""
    x = operand(a)
    if axis is None:
        x, axis = flat(x), 0
    axis = axis_of(axis, aval_of(x).ndim)
    shape = aval_of(x).shape
    if np.ndim(known(repeats, "repeat", "repeats")) == 0:
        times = operator.index(repeats)
        if times < 0:
            raise ValueError("repeats may not contain negative values.")
        spread = (*shape[: axis + 1], times, *shape[axis + 1 :])
        x = ops.broadcast_to(ops.expand_dims(x, axis + 1), shape=spread)
        sizes = (*shape[:axis], shape[axis] * times, *shape[axis + 1 :])
        return owned(ops.reshape(x, shape=sizes))
    places = np.repeat(np.arange(shape[axis]), concrete_value(repeats))
    return taken(x, places, axis)


@implements(np.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Shift elements along axes; those that leave at one end enter at the other."""
    x = operand(a)
    shape = aval_of(x).shape
    if axis is None:
        return of_its_own(ops.reshape(roll(flat(x), shift, 0), shape=shape))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    pairs = np.broadcast(shift, [axis_of(i, len(shape)) for i in axes])
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts = [0] * len(shape)
    for s, i in pairs:
        shifts[i] += int(s)
    out = x
    for i, s in enumerate(shifts):
        cut = shape[i] - s % (shape[i] or 1)
        if 0 < cut < shape[i]:
            late, early = slice_along(out, cut, None, i), slice_along(out, None, cut, i)
            out = ops.concatenate(late, early, axis=i)
    return copy(x) if out is x else out


@implements(np.resize)
def resize(a: Any, new_shape: Any) -> Any:
    """Fill a new shape with the elements in order, starting over as often as needed."""
    x = operand(a)
    places = np.resize(np.arange(aval_of(x).size), sizes_of(new_shape))
    if not aval_of(x).size:
        return zeros_like(x, shape=places.shape, dtype=aval_of(x).dtype)
    return taken(flat(x), places, 0)


@implements(np.delete)
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """Leave out elements along an axis, of the flattened array by default."""
    x = operand(arr)
    x, axis = (flat(x), 0) if axis is None else (x, axis_of(axis, aval_of(x).ndim))
    if not isinstance(obj, slice):
        obj = known(obj, "delete", "obj")
    places = np.delete(np.arange(aval_of(x).shape[axis]), obj)
    return taken(x, places, axis, unique=True)


@implements(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """Insert values before positions on an axis, of the flattened array by default."""
    x = operand(arr)
    x, axis = (flat(x), 0) if axis is None else (x, axis_of(axis, aval_of(x).ndim))
    aval = aval_of(x)
    n = aval.shape[axis]
    if isinstance(obj, slice):
        obj = np.arange(*obj.indices(n))
    indices = np.asarray(known(obj, "insert", "obj"))
    if indices.dtype == bool:
        indices = np.flatnonzero(indices)
    values = cast(array_from(values), aval.dtype)
    if indices.size == 1:
        new = _as_slab(values, indices.ndim == 0, axis, aval.ndim)
        count = aval_of(new).shape[axis]
    else:
        new, count = values, indices.size
    shape = (*aval.shape[:axis], count, *aval.shape[axis + 1 :])
    new = fit(new, shape, aval.dtype)
    obj = indices if indices.size else indices.astype(np.intp)
    places = np.insert(np.arange(n), obj, n + np.arange(count))
    return taken(ops.concatenate(x, new, axis=axis), places, axis, unique=True)


def _as_slab(values: Any, scalar: bool, axis: int, ndim: int) -> Any:
    """Give the values for one position as many axes as the array has."""
    shape = aval_of(values).shape
    shape = (1,) * (ndim - len(shape)) + shape
    values = ops.reshape(values, shape=shape)
    return ops.move_axis(values, 0, axis) if scalar else values


@implements(np.trim_zeros)
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """Leave out zeros at the ends; which these are has to be known."""
    x = operand(filt)
    value = np.asarray(known(x, "trim_zeros", "the values"))
    sides = trim.lower()
    if sides not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(value.ndim) if axis is None else axis if np.ndim(axis) else (axis,)
    axes = [axis_of(i, value.ndim) for i in axes]
    index: list[Any] = [slice(None)] * value.ndim
    there = np.nonzero(value)
    for i in axes:
        if not there[i].size:
            index[i] = slice(0, 0)
        else:
            start = int(there[i].min()) if "f" in sides else None
            stop = int(there[i].max()) + 1 if "b" in sides else None
            index[i] = slice(start, stop)
    return getitem(x, index=tuple(index))
