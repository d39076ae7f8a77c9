"""The static part of an index, and how NumPy lays out what it selects.

An indexing operation takes its index arrays as operands and the rest of the index as
the parameter `index`: a tuple of integers, slices, None, Ellipsis, True, False and one
`ARRAY` for each index array, in order. `x[i, :, 0]` with an array `i` is

    getitem(x, i, index=(ARRAY, slice(None), 0))

NumPy broadcasts the index arrays (integers count among them) to a *block* of axes. It
takes the place of the indices in the result if they stand side by side, and else comes
first. Under `vmap` there is one more axis, in front of the array, of the index arrays,
or of both; `batch_index` writes that as one index again.

Public names: `ARRAY`, `Region`, `assemble`, `layout`, `batch_index`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.trace import aval_of
from .batching_rules import move_to_front

__all__ = ["ARRAY", "Region", "assemble", "batch_index", "layout"]


class _Array:
    __slots__ = ()

    def __repr__(self) -> str:
        return "array"

    def __reduce__(self) -> str:
        return "ARRAY"


ARRAY = _Array()
"""Stands for the next index array in the static part of an index."""


def assemble(index: Any, ids: Sequence[Any]) -> Any:
    """Return the index that NumPy takes: index arrays put where they belong."""
    if not ids:
        return index
    arrays = iter(ids)
    return tuple([next(arrays) if e is ARRAY else e for e in index])


class Region(NamedTuple):
    """What an index selects.

    Attributes:
        shape: of the result.
        start: the axis of the result where the block of index arrays begins, or None
            for basic indexing.
        rank: the number of axes of the block.
        apart: the index arrays do not stand side by side, so the block comes first.
    """

    shape: tuple[int, ...]
    start: int | None
    rank: int
    apart: bool


def layout(shape: tuple[int, ...], index: Any, id_shapes: Sequence[Any]) -> Region:
    """Return the region that an index selects from an array of `shape`.

    Raises:
        IndexError: too many indices, or an integer out of bounds, as NumPy says it.
    """
    index = index if isinstance(index, tuple) else (index,)
    blocks: list[Any] = [(int(e),) for e in index if isinstance(e, bool)]
    blocks += id_shapes
    advanced = bool(blocks)
    rest: list[int] = []
    start, gap, apart, axis = None, False, False, 0
    for e in _without_ellipsis(index, len(shape)):
        if e is Ellipsis:  # of no width, but it sets what is beside it apart
            gap = start is not None
            continue
        if e is None or isinstance(e, slice):
            n = 1 if e is None else len(range(*e.indices(shape[axis])))
            axis += e is not None
            rest.append(n)
            gap = start is not None
            continue
        if e is not ARRAY and not isinstance(e, bool):
            _check_bounds(e, axis, shape)
        axis += not isinstance(e, bool)
        if advanced and start is None:
            start = len(rest)
        elif gap:
            apart = True
    if start is None or not advanced:
        return Region(tuple(rest), None, 0, False)
    try:
        block = np.broadcast_shapes(*blocks)
    except ValueError:
        shown = " ".join(str(b) for b in blocks)
        raise IndexError(
            "shape mismatch: indexing arrays could not be broadcast together with "
            f"shapes {shown}"
        ) from None
    start = 0 if apart else start
    return Region((*rest[:start], *block, *rest[start:]), start, len(block), apart)


def _without_ellipsis(index: tuple[Any, ...], ndim: int) -> list[Any]:
    """Write the Ellipsis, or the axes that the index leaves out, as full slices."""
    used = sum(not (e is None or e is Ellipsis or isinstance(e, bool)) for e in index)
    if used > ndim:
        raise IndexError(
            f"too many indices for array: array is {ndim}-dimensional, but {used} were "
            "indexed"
        )
    fill: list[Any] = [slice(None)] * (ndim - used)
    where = [i for i, e in enumerate(index) if e is Ellipsis]
    if not where:
        return [*index, *fill]
    if len(where) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    return [*index[: where[0]], *(fill or [Ellipsis]), *index[where[0] + 1 :]]


def _check_bounds(i: int, axis: int, shape: tuple[int, ...]) -> None:
    n = shape[axis]
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")


def batch_index(
    size: int, shape: tuple[int, ...], index: Any, ids: Sequence[Any], dims: Any
) -> tuple[Any, list[Any], list[int] | None]:
    """Write the indexing of every example of a stack, along axis 0, as one index.

    Args:
        shape: of one example.
        dims: batch axes of the index arrays, None where an array is not batched.

    Returns:
        The index; its index arrays; and how the stacked region lies in it: the axes
        that take (size, *region) to what the index selects, None for as it is.
    """
    index = index if isinstance(index, tuple) else (index,)
    id_avals = [aval_of(i) for i in ids]
    id_shapes = [
        a.shape if d is None else (*a.shape[:d], *a.shape[d + 1 :])
        for a, d in zip(id_avals, dims, strict=True)
    ]
    region = layout(shape, index, id_shapes)
    axes = list(range(len(region.shape) + 1))
    if all(d is None for d in dims):
        if region.apart:
            axes = [*axes[1 : region.rank + 1], 0, *axes[region.rank + 1 :]]
        return (slice(None), *index), list(ids), axes if region.apart else None
    counter = np.arange(size).reshape(size, *(1,) * region.rank)
    aligned = align(ids, dims, region.rank)
    if not region.start:
        return (ARRAY, *index), [counter, *aligned], None
    before = axes[1 : region.start + 1]
    block = axes[region.start + 1 : region.start + 1 + region.rank]
    after = axes[region.start + 1 + region.rank :]
    return (ARRAY, *index), [counter, *aligned], [0, *block, *before, *after]


def align(ids: Sequence[Any], dims: Sequence[Any], rank: int) -> list[Any]:
    """Bring batch axes to the front of index arrays that broadcast to `rank` axes."""
    from .shape import reshape

    aligned = []
    for i, d in zip(ids, dims, strict=True):
        if d is not None:
            i = move_to_front(i, d)
            shape = aval_of(i).shape
            if len(shape) <= rank:
                ones = (1,) * (rank + 1 - len(shape))
                i = reshape(i, shape=(shape[0], *ones, *shape[1:]))
        aligned.append(i)
    return aligned
