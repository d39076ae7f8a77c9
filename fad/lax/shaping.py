"""Making and rearranging arrays, under the names and arguments of `jax.lax`.

Sizes and axes are Python integers, given in full: nothing is broadcast or guessed.

Public names: `broadcast broadcast_in_dim broadcast_to_rank broadcasted_iota collapse
concatenate expand_dims full full_like index_in_dim iota pad reshape rev slice
slice_in_dim split squeeze stack tile transpose unstack`.
"""

from __future__ import annotations

from builtins import slice as _slice
from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any

from .. import numpy as fnp
from ..core.trace import aval_of
from ..numpy.convert import cast, operand
from ..ops.indexing import getitem, scatter_set

__all__ = [
    "broadcast",
    "broadcast_in_dim",
    "broadcast_to_rank",
    "broadcasted_iota",
    "collapse",
    "concatenate",
    "expand_dims",
    "full",
    "full_like",
    "index_in_dim",
    "iota",
    "pad",
    "reshape",
    "rev",
    "slice",
    "slice_in_dim",
    "split",
    "squeeze",
    "stack",
    "tile",
    "transpose",
    "unstack",
]


def _shape(x: Any) -> tuple[int, ...]:
    return aval_of(operand(x)).shape


def broadcast(operand: Any, sizes: Sequence[int]) -> Any:
    """Return an array repeated along new axes in front."""
    return fnp.broadcast_to(operand, (*sizes, *_shape(operand)))


def broadcast_in_dim(
    operand: Any, shape: Sequence[int], broadcast_dimensions: Sequence[int]
) -> Any:
    """Return an array of `shape` of which axis i of the operand is one.

    Args:
        shape: of the result.
        broadcast_dimensions: per axis of the operand, in increasing order, the axis of
            the result that it becomes; axes of size 1 are repeated.

    Raises:
        TypeError: an axis has another size than the one it becomes.

    >>> import fad, numpy as np
    >>> fad.lax.broadcast_in_dim(np.array([1, 2]), (2, 3), (0,))
    array([[1, 1, 1],
           [2, 2, 2]])
    """
    sizes, where = _shape(operand), tuple(broadcast_dimensions)
    if len(where) != len(sizes) or list(where) != sorted(set(where)):
        raise TypeError(
            f"broadcast_in_dim: an operand of shape {sizes} needs as many increasing "
            f"broadcast_dimensions, got {where}"
        )
    wide = [1] * len(shape)
    for axis, n in zip(where, sizes, strict=True):
        if not 0 <= axis < len(shape) or n not in (1, shape[axis]):
            raise TypeError(
                f"broadcast_in_dim: an operand of shape {sizes} does not fit the axes "
                f"{where} of the shape {tuple(shape)}"
            )
        wide[axis] = n
    return fnp.broadcast_to(fnp.reshape(operand, wide), tuple(shape))


def broadcast_to_rank(x: Any, rank: int) -> Any:
    """Return an array with axes of size 1 put in front, `rank` in all."""
    shape = _shape(x)
    return fnp.reshape(x, (1,) * (rank - len(shape)) + shape)


def iota(dtype: Any, size: int) -> Any:
    """Return the numbers 0, 1, ..., size - 1."""
    return fnp.arange(size, dtype=dtype)


def broadcasted_iota(dtype: Any, shape: Sequence[int], dimension: int) -> Any:
    """Return an array of `shape` whose elements are their indices along an axis."""
    line = iota(dtype, shape[dimension])
    return broadcast_in_dim(line, shape, (dimension,))


def full(shape: Sequence[int], fill_value: Any, dtype: Any = None) -> Any:
    """Return an array of one value, by default of its dtype."""
    return fnp.full(tuple(shape), fill_value, dtype=dtype)


def full_like(x: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return an array of one value, with the shape and dtype of another."""
    aval = aval_of(operand(x))
    return full(aval.shape if shape is None else shape, fill_value, dtype or aval.dtype)


def reshape(operand: Any, new_sizes: Sequence[int], dimensions: Any = None) -> Any:
    """Return the elements of an array, its axes ordered by `dimensions`, in a shape.

    Raises:
        TypeError: the sizes do not multiply to the number of elements.
    """
    sizes = tuple(new_sizes)
    if prod(sizes) != prod(_shape(operand)):
        raise TypeError(
            f"reshape: the shape {_shape(operand)} has {prod(_shape(operand))} "
            f"elements, {sizes} has {prod(sizes)}; every size must be given"
        )
    x = operand if dimensions is None else fnp.transpose(operand, dimensions)
    return fnp.reshape(x, sizes)


def collapse(
    operand: Any, start_dimension: int, stop_dimension: int | None = None
) -> Any:
    """Return an array with the axes from start to before stop made one.

    >>> import fad, numpy as np
    >>> fad.lax.collapse(np.ones((2, 3, 4)), 1).shape
    (2, 12)
    """
    shape = _shape(operand)
    lo, hi, _ = _slice(start_dimension, stop_dimension).indices(len(shape))
    return fnp.reshape(operand, (*shape[:lo], prod(shape[lo:hi]), *shape[hi:]))


def transpose(operand: Any, permutation: Sequence[int]) -> Any:
    """Return an array whose axis i is axis `permutation[i]` of the operand."""
    return fnp.transpose(operand, tuple(permutation))


def rev(operand: Any, dimensions: Sequence[int]) -> Any:
    """Return an array with the order of elements reversed along axes."""
    return fnp.flip(operand, tuple(dimensions))


def squeeze(array: Any, dimensions: Sequence[int]) -> Any:
    """Return an array without the given axes, which have size 1."""
    return fnp.squeeze(array, axis=tuple(dimensions))


def expand_dims(array: Any, dimensions: Sequence[int]) -> Any:
    """Return an array with axes of size 1 at the given places of the result."""
    return fnp.expand_dims(array, tuple(dimensions))


def concatenate(operands: Sequence[Any], dimension: int) -> Any:
    """Return arrays joined along an axis.

    Raises:
        TypeError: they differ in number of axes, or in another axis.
    """
    shapes = [_shape(x) for x in operands]
    rest = {(*s[:dimension], None, *s[dimension + 1 :]) for s in shapes}
    if len(rest) != 1 or not 0 <= dimension < len(shapes[0]):
        raise TypeError(
            f"concatenate along axis {dimension}: the shapes do not fit together: "
            f"{', '.join(map(str, shapes)) or 'there are none'}"
        )
    return fnp.concatenate(operands, axis=dimension)


def stack(operands: Sequence[Any], axis: int = 0) -> Any:
    """Return arrays of one shape joined along a new axis."""
    return fnp.stack(operands, axis=axis)


def unstack(x: Any, axis: int = 0) -> tuple[Any, ...]:
    """Return the slices of an array along an axis, undoing `stack`."""
    return tuple(fnp.unstack(x, axis=axis))


def tile(operand: Any, reps: Sequence[int]) -> Any:
    """Return an array repeated `reps[i]` times along axis i."""
    return fnp.tile(operand, tuple(reps))


def split(operand: Any, sizes: Sequence[int], axis: int = 0) -> list[Any]:
    """Return consecutive parts of an array, of the given sizes along an axis.

    Raises:
        ValueError: the sizes do not add up to that of the axis.
    """
    if sum(sizes) != _shape(operand)[axis]:
        raise ValueError(
            f"split: the sizes {tuple(sizes)} do not add up to the size "
            f"{_shape(operand)[axis]} of axis {axis}"
        )
    parts: list[Any] = fnp.split(operand, list(accumulate(sizes))[:-1], axis=axis)
    return parts


def slice(
    operand: Any,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> Any:
    """Return `operand[start:limit:stride, ...]`, with an entry for every axis.

    Raises:
        TypeError: an entry is missing, or out of bounds.
    """
    shape = _shape(operand)
    steps = tuple(strides or (1,) * len(shape))
    fits = len(start_indices) == len(limit_indices) == len(steps) == len(shape)
    if not fits or not all(
        0 <= a <= b <= n and s > 0
        for a, b, s, n in zip(start_indices, limit_indices, steps, shape, strict=True)
    ):
        raise TypeError(
            f"slice of an array of shape {shape}: starts {tuple(start_indices)}, "
            f"limits {tuple(limit_indices)} and strides {steps} need an entry per "
            "axis, with 0 <= start <= limit <= size and stride > 0"
        )
    parts = zip(start_indices, limit_indices, steps, strict=True)
    return fnp.asarray(operand)[tuple(_slice(*p) for p in parts)]


def slice_in_dim(
    x: Any, start: int | None, stop: int | None, stride: int = 1, axis: int = 0
) -> Any:
    """Return `x[..., start:stop:stride, ...]` at `axis`."""
    axis = range(aval_of(x).ndim)[axis]
    return getitem(x, index=(_slice(None),) * axis + (_slice(start, stop, stride),))


def index_in_dim(x: Any, index: int, axis: int = 0, keepdims: bool = True) -> Any:
    """Return `x[..., index, ...]` at `axis`, which stays with size 1 if `keepdims`."""
    found = fnp.take(x, index, axis=axis)
    return fnp.expand_dims(found, axis) if keepdims else found


def pad(
    operand: Any,
    padding_value: Any,
    padding_config: Sequence[tuple[int, int, int]],
) -> Any:
    """Return an array with a value put around and between its elements.

    Args:
        padding_value: a number, or an array of shape ().
        padding_config: per axis (before, after, between neighbours); negative numbers
            before and after remove elements.

    >>> import fad, numpy as np
    >>> fad.lax.pad(np.array([1, 2, 3]), 0, [(-1, 2, 1)])
    array([0, 2, 0, 3, 0, 0])
    """
    shape = _shape(operand)
    if len(padding_config) != len(shape) or any(c[2] < 0 for c in padding_config):
        raise ValueError(
            f"pad: an array of shape {shape} needs (before, after, between) for every "
            f"axis, with between >= 0; got {tuple(padding_config)}"
        )
    dtype = aval_of(operand).dtype
    outer, inner, crop = [], [], []
    for (before, after, between), n in zip(padding_config, shape, strict=True):
        lo, hi = max(before, 0), max(after, 0)
        width = n + max(n - 1, 0) * between
        outer.append(lo + width + hi)
        inner.append(_slice(lo, lo + width, between + 1))
        crop.append(_slice(max(-before, 0), lo + width + hi - max(-after, 0)))
    filled = fnp.full(tuple(outer), cast(padding_value, dtype), dtype=dtype)
    written = scatter_set(filled, operand, index=tuple(inner), unique=True)
    return getitem(written, index=tuple(crop))
