"""Sets: unique values, unions, intersections, differences, membership.

How many values are left depends on the values, so they have to be known: under `grad`
and `jvp` they are, under `vmap` and `jit` they are not. The values that are left are
gathered from the input and differentiable; of equal values the first one is taken.
Only `isin`, whose result has the shape of its input, works on unknown values.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> fad.jacfwd(fnp.unique)(np.array([3.0, 1.0, 3.0]))
array([[0., 1., 0.],
       [1., 0., 0.]])

Public names: `unique unique_all unique_counts unique_inverse unique_values union1d
intersect1d setdiff1d setxor1d isin`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.trace import aval_of
from ..ops import sorting as ops
from ..ops.indexing import take_along_axis
from ..ops.infer_rules import normalize_axes
from ..ops.shape import concatenate, move_axis, reshape
from .convert import array_from, cast, operand
from .dispatch import implements
from .sorting import known

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns, by the names of the array API standard."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns, by the names of the array API standard."""

    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns, by the names of the array API standard."""

    values: Any
    inverse_indices: Any


@implements(np.unique)
def unique(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    *,
    equal_nan: Any = True,
    sorted: Any = True,
) -> Any:
    """Return the sorted unique values, or slices along an axis, gathered from `ar`."""
    x = operand(ar)
    _, index, inverse, counts = np.unique(
        known("unique", x), True, True, True, axis, equal_nan=equal_nan
    )
    if axis is None:
        values = _gather(_flat(x), index)
    else:
        (axis,) = normalize_axes(axis, len(aval_of(x).shape))
        front = move_axis(x, axis, 0)
        shape = aval_of(front).shape
        rows = reshape(front, shape=(shape[0], aval_of(front).size // (shape[0] or 1)))
        width = (len(index), aval_of(rows).shape[1])
        rows = take_along_axis(rows, np.broadcast_to(index[:, None], width), axis=0)
        values = move_axis(reshape(rows, shape=(len(index), *shape[1:])), 0, axis)
    wanted = zip(
        (return_index, return_inverse, return_counts),
        (index, inverse, counts),
        strict=True,
    )
    extras = tuple([extra for flag, extra in wanted if flag])
    return (values, *extras) if extras else values


def _flat(x: Any) -> Any:
    return reshape(x, shape=(aval_of(x).size,))


def _gather(flat: Any, index: Any) -> Any:
    return take_along_axis(flat, index, axis=0)


@implements(np.unique_all)
def unique_all(x: Any, /) -> Any:
    """Return unique values, where each stands first, the inverse, and the counts."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


@implements(np.unique_counts)
def unique_counts(x: Any, /) -> Any:
    """Return unique values and how often each occurs."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


@implements(np.unique_inverse)
def unique_inverse(x: Any, /) -> Any:
    """Return unique values and the indices that rebuild `x` from them."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


@implements(np.unique_values)
def unique_values(x: Any, /) -> Any:
    """Return unique values; each nan counts as one of its own."""
    return unique(x, equal_nan=False)


def _joined(*parts: Any) -> Any:
    return concatenate(*[_flat(_as_array(p)) for p in parts], axis=0)


def _as_array(x: Any) -> Any:
    x = operand(x)
    return cast(x, aval_of(x).dtype) if aval_of(x).weak else array_from(x)


@implements(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    """Return the sorted unique values of both inputs."""
    return unique(_joined(ar1, ar2))


@implements(np.intersect1d)
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False
) -> Any:
    """Return the sorted values that are in both inputs, gathered from the first."""
    x, y = _flat(_as_array(ar1)), _flat(_as_array(ar2))
    _, first, second = np.intersect1d(
        known("intersect1d", x), known("intersect1d", y), assume_unique, True
    )
    dtype = np.result_type(aval_of(x).dtype, aval_of(y).dtype)
    values = cast(_gather(x, first), dtype)
    return (values, first, second) if return_indices else values


@implements(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """Return the sorted unique values of the first input that are not in the second."""
    x = _flat(_as_array(ar1))
    if not assume_unique:
        x = unique(x)
    keep = ~np.isin(known("setdiff1d", x), known("setdiff1d", _as_array(ar2)))
    return _gather(x, np.flatnonzero(keep))


@implements(np.setxor1d)
def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """Return the sorted values that are in just one of the inputs."""
    parts = [_flat(_as_array(a)) for a in (ar1, ar2)]
    if not assume_unique:
        parts = [unique(p) for p in parts]
    both = _joined(*parts)
    plain = known("setxor1d", both)
    order = np.argsort(plain, kind="stable")
    step = plain[order][1:] != plain[order][:-1]
    alone = np.concatenate([[True], step]) & np.concatenate([step, [True]])
    return _gather(both, order[alone] if order.size else order)


@implements(np.isin)
def isin(
    element: Any,
    test_elements: Any,
    assume_unique: Any = False,
    invert: Any = False,
    *,
    kind: Any = None,
) -> Any:
    """Test which elements are among `test_elements`; the derivative is zero."""
    return ops.isin(operand(element), operand(test_elements), invert=bool(invert))
