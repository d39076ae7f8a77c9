"""Joining and splitting: concatenate, stack, block, split and their kin.

Public names: `concatenate concat stack vstack hstack dstack column_stack block
append split array_split hsplit vsplit dsplit unstack r_ c_`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import shape as ops
from ..ops.arithmetic import copy
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem, slice_along
from .convert import cast, no_out, operand
from .dispatch import implements
from .manipulation import atleast_1d, atleast_2d, atleast_3d, axis_of

__all__ = [
    "append",
    "array_split",
    "block",
    "c_",
    "column_stack",
    "concat",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "r_",
    "split",
    "stack",
    "unstack",
    "vsplit",
    "vstack",
]


def _parts(arrays: Any, name: str) -> list[Any]:
    if not isinstance(arrays, (list, tuple, np.ndarray, Tracer)):
        raise TypeError(
            f'arrays to {name} must be passed as a "sequence" type such as list or '
            "tuple."
        )
    parts = [operand(a) for a in arrays]
    if not parts:
        raise ValueError(f"need at least one array to {name}")
    return parts


def _joined(parts: Sequence[Any], axis: int, dtype: Any, casting: Any, out: Any) -> Any:
    """Concatenate along a non-negative axis, cast as NumPy does."""
    if dtype is not None:
        target = np.dtype(dtype)
        for p in parts:
            found = aval_of(p).dtype
            if not np.can_cast(found, target, casting):
                raise TypeError(
                    f"Cannot cast array data from {found!r} to {target!r} according to "
                    f"the rule {casting!r}"
                )
        parts = [cast(p, target) for p in parts]
    joined = ops.concatenate(*parts, axis=axis)
    if isinstance(out, Tracer):
        out[...] = joined  # type: ignore[index]
        return out
    no_out("concatenate", out)
    return joined


@implements(np.concatenate)
def concatenate(
    arrays: Any,
    /,
    axis: Any = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: Any = "same_kind",
) -> Any:
    """Join arrays along an existing axis; flattened if `axis` is None."""
    parts = _parts(arrays, "concatenate")
    if axis is None:
        parts = [ops.reshape(p, shape=(aval_of(p).size,)) for p in parts]
        return _joined(parts, 0, dtype, casting, out)
    ndims = {aval_of(p).ndim for p in parts}
    if 0 in ndims:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = axis_of(axis, aval_of(parts[0]).ndim)
    if len(ndims) > 1:
        raise ValueError(
            "all the input array dimensions except for the concatenation axis must "
            f"match exactly, but the arrays have {sorted(ndims)} dimensions"
        )
    return _joined(parts, axis, dtype, casting, out)


concat = concatenate


@implements(np.stack)
def stack(
    arrays: Any,
    axis: Any = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: Any = "same_kind",
) -> Any:
    """Join arrays of one shape along a new axis."""
    parts = _parts(arrays, "stack")
    shapes = {aval_of(p).shape for p in parts}
    if len(shapes) > 1:
        raise ValueError(
            f"all input arrays must have the same shape, got {sorted(shapes)}"
        )
    axis = axis_of(axis, len(shapes.pop()) + 1)
    parts = [ops.expand_dims(p, axis) for p in parts]
    return _joined(parts, axis, dtype, casting, out)


@implements(np.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """Join rows: along axis 0, one-dimensional arrays as rows."""
    parts = [atleast_2d(p) for p in _parts(tup, "concatenate")]
    return concatenate(parts, 0, dtype=dtype, casting=casting)


@implements(np.hstack)
def hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """Join along axis 1, one-dimensional arrays along axis 0."""
    parts = [atleast_1d(p) for p in _parts(tup, "concatenate")]
    axis = 0 if aval_of(parts[0]).ndim == 1 else 1
    return concatenate(parts, axis, dtype=dtype, casting=casting)


@implements(np.dstack)
def dstack(tup: Any) -> Any:
    """Join along a third axis."""
    return concatenate([atleast_3d(p) for p in _parts(tup, "concatenate")], 2)


@implements(np.column_stack)
def column_stack(tup: Any) -> Any:
    """Join columns: one-dimensional arrays become columns of a matrix."""
    parts = _parts(tup, "concatenate")
    columns = [
        ops.reshape(p, shape=(aval_of(p).size, 1)) if aval_of(p).ndim < 2 else p
        for p in parts
    ]
    return concatenate(columns, 1)


@implements(np.append)
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Join values to the end, of the flattened array if `axis` is None."""
    return concatenate((arr, values), axis)


@implements(np.block)
def block(arrays: Any) -> Any:
    """Assemble an array from nested lists of blocks, innermost along the last axis."""
    depth = _depth(arrays)
    leaves = [operand(a) for a in _leaves(arrays)]
    rank = max(depth, *[aval_of(a).ndim for a in leaves])
    if not depth:
        return copy(leaves[0])
    return _assemble(arrays, depth, rank)


def _depth(arrays: Any) -> int:
    """Return how deep the lists are nested, the same everywhere.

    Raises:
        TypeError: there is a tuple.
        ValueError: a list is empty, or depths differ.
    """
    if isinstance(arrays, tuple):
        raise TypeError(
            "arrays is a tuple. Only lists can be used to arrange blocks, and np.block "
            "does not allow implicit conversion from tuple to ndarray."
        )
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError("List depths are mismatched: an empty list cannot be a block")
    depths = {_depth(a) for a in arrays}
    if len(depths) > 1:
        raise ValueError(
            f"List depths are mismatched: found {sorted(depths)} side by side"
        )
    return 1 + depths.pop()


def _leaves(arrays: Any) -> Iterator[Any]:
    if isinstance(arrays, list):
        for a in arrays:
            yield from _leaves(a)
    else:
        yield arrays


def _assemble(arrays: Any, depth: int, rank: int) -> Any:
    if not depth:
        x = operand(arrays)
        shape = aval_of(x).shape
        return ops.reshape(x, shape=(1,) * (rank - len(shape)) + shape)
    parts = [_assemble(a, depth - 1, rank) for a in arrays]
    return concatenate(parts, rank - depth)


@implements(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Any]:
    """Split at positions, or into nearly equal parts; the parts are views."""
    x = operand(ary)
    axis = axis_of(axis, aval_of(x).ndim)
    n = aval_of(x).shape[axis]
    if np.ndim(indices_or_sections):
        cuts = [operator.index(i) for i in indices_or_sections]
    else:
        sections = operator.index(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        size, extra = divmod(n, sections)
        cuts = [i * size + min(i, extra) for i in range(1, sections)]
    bounds = [0, *cuts, n]
    return [
        slice_along(x, start, stop, axis)
        for start, stop in zip(bounds[:-1], bounds[1:], strict=True)
    ]


@implements(np.split)
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Any]:
    """Split at positions, or into equal parts; the parts are views."""
    x = operand(ary)
    found = axis_of(axis, aval_of(x).ndim)
    if not np.ndim(indices_or_sections):
        sections = operator.index(indices_or_sections)
        if sections > 0 and aval_of(x).shape[found] % sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(x, indices_or_sections, found)


def _needs(ary: Any, name: str, ndim: int) -> Any:
    x = operand(ary)
    if aval_of(x).ndim < ndim:
        raise ValueError(f"{name} only works on arrays of {ndim} or more dimensions")
    return x


@implements(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Split along axis 1, or axis 0 of one-dimensional arrays."""
    x = _needs(ary, "hsplit", 1)
    return split(x, indices_or_sections, 1 if aval_of(x).ndim > 1 else 0)


@implements(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Split along axis 0."""
    return split(_needs(ary, "vsplit", 2), indices_or_sections, 0)


@implements(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Split along axis 2."""
    return split(_needs(ary, "dsplit", 3), indices_or_sections, 2)


def unstack(x: Any, /, *, axis: Any = 0) -> tuple[Any, ...]:
    """Take the arrays along an axis apart; they are views."""
    x = operand(x)
    if not aval_of(x).ndim:
        raise ValueError("Input array must be at least 1-d.")
    axis = axis_of(axis, aval_of(x).ndim)
    return tuple([ops.index_along(x, i, axis) for i in range(aval_of(x).shape[axis])])


if np.lib.NumpyVersion(np.__version__) >= "2.1.0":  # before, it is fad's alone
    unstack = implements(np.unstack)(unstack)


class Concatenator:
    """`r_` and `c_`: join what stands between brackets, as NumPy's objects do.

    Where something is traced, NumPy's object joins the positions of all elements, and
    the elements are then taken from there.
    """

    def __init__(self, original: Any) -> None:
        self.original = original
        self.__doc__ = original.__doc__

    def __getitem__(self, key: Any) -> Any:
        items = key if isinstance(key, tuple) else (key,)
        if not any(_is_traced(i) for i in items):
            return self.original[key]
        items = tuple([_item(i) for i in items])
        values = [i for i in items if not isinstance(i, str)]
        examples = [i if isinstance(i, str) else _example(i) for i in items]
        dtype = self.original[tuple(examples)].dtype
        places, start = [], 0
        for i in items:
            if isinstance(i, str):
                places.append(i)
            else:
                aval = aval_of(i)
                numbers = np.arange(start, start + aval.size).reshape(aval.shape)
                places.append(numbers[()])
                start += aval.size
        order = np.asarray(self.original[tuple(places)])
        flat = [ops.reshape(v, shape=(aval_of(v).size,)) for v in values]
        elements = cast(ops.concatenate(*flat, axis=0), dtype)
        return getitem(elements, order, index=(ARRAY,), unique=True)

    def __len__(self) -> int:
        return 0


def _is_traced(item: Any) -> bool:
    if isinstance(item, (list, tuple)):
        return any(_is_traced(i) for i in item)
    return isinstance(item, Tracer)


def _item(item: Any) -> Any:
    if isinstance(item, slice):
        return np.r_[item]
    return item if isinstance(item, str) else operand(item)


def _example(value: Any) -> Any:
    """Return a plain value of the same shape and dtype."""
    aval = aval_of(value)
    zero = np.zeros(aval.shape, aval.dtype)[()]
    return zero.item() if aval.weak else zero


r_ = Concatenator(np.r_)
c_ = Concatenator(np.c_)
