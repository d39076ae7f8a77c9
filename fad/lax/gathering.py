"""Reading and writing many blocks at once: gather and scatter.

`gather` reads a block at each of many starts, `scatter` and its kin write or combine
one there. Dimension numbers say how starts and blocks lie in the arrays, as XLA does:

    start_index_map           the operand's axes that the entries of a start belong to
    offset_dims               the axes of the result that run through a block
    collapsed_slice_dims      the operand's axes, of block size 1, that the result omits
    update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims
                              the same three for updates
    *_batching_dims           axes of operand and starts that are walked together

Blocks that do not lie inside the operand are moved there (mode "clip", what `gather`
does unless told), or read as nan and not written ("fill" or "drop", as `scatter` does).

Public names: `GatherDimensionNumbers GatherScatterMode ScatterDimensionNumbers gather
scatter scatter_add scatter_max scatter_min scatter_mul scatter_sub`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .. import numpy as fnp
from ..core.trace import aval_of
from ..numpy.convert import cast, operand
from ..numpy.updates import at
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem

__all__ = [
    "GatherDimensionNumbers",
    "GatherScatterMode",
    "ScatterDimensionNumbers",
    "gather",
    "scatter",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_sub",
]


class GatherDimensionNumbers(NamedTuple):
    """How starts and blocks lie in the arrays of `gather`; see the module."""

    offset_dims: tuple[int, ...]
    collapsed_slice_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()


class ScatterDimensionNumbers(NamedTuple):
    """How starts and updates lie in the arrays of `scatter`; see the module."""

    update_window_dims: Sequence[int]
    inserted_window_dims: Sequence[int]
    scatter_dims_to_operand_dims: Sequence[int]
    operand_batching_dims: Sequence[int] = ()
    scatter_indices_batching_dims: Sequence[int] = ()


class GatherScatterMode(enum.Enum):
    """What happens to blocks that reach out of the operand."""

    CLIP = "clip"
    FILL_OR_DROP = "fill"
    PROMISE_IN_BOUNDS = "promise_in_bounds"

    @staticmethod
    def from_any(mode: str | GatherScatterMode | None) -> GatherScatterMode:
        """Return the mode of that name; None is to fill or drop.

        Raises:
            ValueError: there is none.
        """
        if isinstance(mode, GatherScatterMode):
            return mode
        name = "fill" if mode in (None, "drop") else mode
        try:
            return GatherScatterMode(name)
        except ValueError:
            raise ValueError(
                f"mode must be 'clip', 'fill', 'drop' or 'promise_in_bounds', got "
                f"{mode!r}"
            ) from None


class _Blocks(NamedTuple):
    """Where blocks lie in an operand.

    Attributes:
        places: index arrays, one per axis of the operand, of the shape (batch, block).
        inside: a mask of the shape of the batch; None if all are known to fit.
        batch: the number of leading axes that count the blocks.
    """

    places: list[Any]
    inside: Any
    batch: int


def _blocks(
    shape: tuple[int, ...],
    starts: Any,
    numbers: GatherDimensionNumbers,
    sizes: Sequence[int],
    mode: GatherScatterMode,
) -> _Blocks:
    starts = operand(starts)
    batch = aval_of(starts).shape[:-1]
    rank, places, inside = len(shape), [], None
    for axis, (size, n) in enumerate(zip(sizes, shape, strict=True)):
        first: Any = 0
        if axis in numbers.start_index_map:
            first = starts[..., numbers.start_index_map.index(axis)]
            if mode is GatherScatterMode.FILL_OR_DROP:
                fits = (first >= 0) & (first <= n - size)
                inside = fits if inside is None else inside & fits
            first = fnp.reshape(fnp.clip(first, 0, n - size), (*batch, *(1,) * rank))
        elif axis in numbers.operand_batching_dims:
            where = numbers.start_indices_batching_dims[
                numbers.operand_batching_dims.index(axis)
            ]
            first = np.arange(n).reshape((-1,) + (1,) * (len(batch) - where - 1 + rank))
        line = np.arange(size).reshape((-1,) + (1,) * (rank - axis - 1))
        places.append(fnp.broadcast_to(line + first, (*batch, *sizes)))
    return _Blocks(places, inside, len(batch))


def gather(
    x: Any,
    start_indices: Any,
    dimension_numbers: GatherDimensionNumbers,
    slice_sizes: Sequence[int],
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    mode: str | GatherScatterMode | None = None,
    fill_value: Any = None,
) -> Any:
    """Return the blocks of an array that begin at given places.

    Args:
        x: the array to read.
        start_indices: integers, of shape `(..., k)`.
        dimension_numbers: how they lie, see the module.
        slice_sizes: the size of a block along every axis of x.
        unique_indices, indices_are_sorted: accepted for compatibility.
        mode: "clip" (the default), "fill" or "promise_in_bounds".
        fill_value: what stands for blocks out of bounds: by default nan, of integers
            the lowest, of unsigned ones and booleans the highest value.

    >>> import fad, numpy as np
    >>> rows = fad.lax.GatherDimensionNumbers((1,), (0,), (0,))
    >>> fad.lax.gather(np.eye(3), np.array([[2], [0]]), rows, (1, 3))
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    x, numbers = operand(x), dimension_numbers
    shape, dtype = aval_of(x).shape, aval_of(x).dtype
    mode = GatherScatterMode.from_any("clip" if mode is None else mode)
    blocks = _blocks(shape, start_indices, numbers, slice_sizes, mode)
    found = getitem(x, *blocks.places, index=(ARRAY,) * len(shape))
    if blocks.inside is not None:
        mask = fnp.reshape(blocks.inside, aval_of(blocks.inside).shape + (1,) * x.ndim)
        fill = _outside(dtype) if fill_value is None else fill_value
        found = fnp.where(mask, found, np.asarray(fill, dtype)[()])
    omitted = (*numbers.collapsed_slice_dims, *numbers.operand_batching_dims)
    found = fnp.squeeze(found, axis=tuple(blocks.batch + a for a in omitted))
    return fnp.moveaxis(
        found, range(blocks.batch, found.ndim), tuple(numbers.offset_dims)
    )


def _outside(dtype: np.dtype[Any]) -> Any:
    if dtype.kind in "fc":
        return np.nan
    if dtype.kind == "b":
        return True
    return np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max


def _scatterer(method: str, what: str) -> Callable[..., Any]:
    def scatter_f(
        x: Any,
        scatter_indices: Any,
        updates: Any,
        dimension_numbers: ScatterDimensionNumbers,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: str | GatherScatterMode | None = None,
    ) -> Any:
        x = operand(x)
        updates = cast(operand(updates), aval_of(x).dtype)
        return _scatter(x, scatter_indices, updates, dimension_numbers, mode, method)

    scatter_f.__name__ = what
    scatter_f.__qualname__ = what
    verb = {"set": "replaced by", "subtract": "lessened by"}.get(method, f"{method}:")
    scatter_f.__doc__ = (
        f"Return an array with blocks {verb} `updates`, at given places.\n\n"
        "    Args and modes are those of `gather`; see the module for the dimension\n"
        "    numbers. Blocks that overlap all take effect; of written ones the last.\n"
    )
    return scatter_f


def _scatter(
    x: Any,
    starts: Any,
    updates: Any,
    numbers: ScatterDimensionNumbers,
    mode: str | GatherScatterMode | None,
    method: str,
) -> Any:
    """Write into the flat array, with one more element that takes what is dropped."""
    shape, rank = aval_of(x).shape, aval_of(x).ndim
    omitted = (*numbers.inserted_window_dims, *numbers.operand_batching_dims)
    kept = [a for a in range(rank) if a not in omitted]
    sizes = [1] * rank
    for axis, where in zip(kept, numbers.update_window_dims, strict=True):
        sizes[axis] = aval_of(updates).shape[where]
    reading = GatherDimensionNumbers(
        tuple(numbers.update_window_dims),
        tuple(numbers.inserted_window_dims),
        tuple(numbers.scatter_dims_to_operand_dims),
        tuple(numbers.operand_batching_dims),
        tuple(numbers.scatter_indices_batching_dims),
    )
    found = GatherScatterMode.from_any(mode)
    blocks = _blocks(shape, starts, reading, sizes, found)
    strides = [prod(shape[a + 1 :]) for a in range(rank)]
    flat: Any = np.zeros((1,) * (blocks.batch + rank), int)
    for place, stride in zip(blocks.places, strides, strict=True):
        flat = flat + place * stride
    if blocks.inside is not None:
        mask = fnp.reshape(blocks.inside, aval_of(blocks.inside).shape + (1,) * rank)
        flat = fnp.where(mask, flat, prod(shape))
    spread = fnp.moveaxis(
        updates,
        tuple(numbers.update_window_dims),
        range(blocks.batch, aval_of(updates).ndim),
    )
    spread = fnp.reshape(spread, aval_of(flat).shape)
    extra = np.zeros(1, aval_of(x).dtype)
    line = fnp.concatenate([fnp.reshape(x, (-1,)), extra])
    done = getattr(at(line)[flat], method)(spread)
    return fnp.reshape(done[:-1], shape)


scatter = _scatterer("set", "scatter")
scatter_add = _scatterer("add", "scatter_add")
scatter_sub = _scatterer("subtract", "scatter_sub")
scatter_mul = _scatterer("multiply", "scatter_mul")
scatter_min = _scatterer("min", "scatter_min")
scatter_max = _scatterer("max", "scatter_max")
