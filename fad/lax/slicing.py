"""Blocks of arrays whose place may be traced.

A block whose start lies out of bounds is moved to lie inside; a negative start counts
from the end.

Public names: `dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim
dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim
index_take`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import numpy as fnp
from ..core.trace import aval_of
from ..numpy.convert import operand
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem, scatter_set

__all__ = [
    "dynamic_index_in_dim",
    "dynamic_slice",
    "dynamic_slice_in_dim",
    "dynamic_update_index_in_dim",
    "dynamic_update_slice",
    "dynamic_update_slice_in_dim",
    "index_take",
]


def _region(name: str, x: Any, starts: Any, sizes: Sequence[int]) -> list[Any]:
    """Return index arrays of a block whose start may be traced."""
    shape = aval_of(operand(x)).shape
    starts = list(starts)
    if len(starts) != len(shape) or len(sizes) != len(shape):
        raise ValueError(
            f"{name}: an array of shape {shape} needs {len(shape)} starts and sizes, "
            f"got {len(starts)} and {len(sizes)}"
        )
    arrays = []
    for axis, (start, size, n) in enumerate(zip(starts, sizes, shape, strict=True)):
        if not 0 <= size <= n:
            raise ValueError(f"{name}: size {size} is too large for shape {shape}")
        start = fnp.clip(fnp.where(start < 0, start + n, start), 0, n - size)
        line = np.arange(size).reshape((-1,) + (1,) * (len(shape) - axis - 1))
        arrays.append(line + start)
    return arrays


def dynamic_slice(x: Any, start_indices: Any, slice_sizes: Sequence[int]) -> Any:
    """Return a block of an array; its start may be traced, its shape is static.

    A start below 0 counts from the end; the block is moved to lie inside the array.

    >>> import fad, numpy as np
    >>> fad.jit(lambda i: fad.lax.dynamic_slice(np.arange(5.0), (i,), (2,)))(2)
    array([2., 3.])
    """
    ids = _region("dynamic_slice", x, start_indices, slice_sizes)
    return getitem(x, *ids, index=(ARRAY,) * len(ids), unique=True) if ids else x


def dynamic_update_slice(x: Any, update: Any, start_indices: Any) -> Any:
    """Return an array with a block replaced by `update`; its start may be traced."""
    x, update = operand(x), operand(update)
    ids = _region("dynamic_update_slice", x, start_indices, aval_of(update).shape)
    if not ids:
        return update
    return scatter_set(x, update, *ids, index=(ARRAY,) * len(ids), unique=True)


def _starts(x: Any, start: Any, axis: int) -> tuple[int, list[Any]]:
    """Return an axis, counted from the front, and a start of 0 along all others."""
    rank = aval_of(operand(x)).ndim
    axis = range(rank)[axis]
    return axis, [start if a == axis else 0 for a in range(rank)]


def dynamic_slice_in_dim(
    x: Any, start_index: Any, slice_size: int, axis: int = 0
) -> Any:
    """Return `x[..., start:start + size, ...]` at `axis`; the start may be traced."""
    axis, starts = _starts(x, start_index, axis)
    shape = aval_of(operand(x)).shape
    return dynamic_slice(
        x, starts, [slice_size if a == axis else n for a, n in enumerate(shape)]
    )


def dynamic_index_in_dim(
    x: Any, index: Any, axis: int = 0, keepdims: bool = True
) -> Any:
    """Return `x[..., index, ...]` at `axis`; the index may be traced."""
    block = dynamic_slice_in_dim(x, index, 1, axis)
    return block if keepdims else fnp.squeeze(block, axis=axis)


def dynamic_update_slice_in_dim(
    x: Any, update: Any, start_index: Any, axis: int
) -> Any:
    """Return an array with `x[..., start:, ...]` at `axis` replaced as far as
    `update` reaches; the start may be traced.
    """
    return dynamic_update_slice(x, update, _starts(x, start_index, axis)[1])


def dynamic_update_index_in_dim(x: Any, update: Any, index: Any, axis: int) -> Any:
    """Return an array with `x[..., index, ...]` at `axis` replaced."""
    rank = aval_of(operand(x)).ndim
    if aval_of(operand(update)).ndim != rank:
        update = fnp.expand_dims(update, range(rank)[axis])  # one slice, not a stack
    return dynamic_update_slice_in_dim(x, update, index, axis)


def index_take(src: Any, idxs: Sequence[Any], axes: Sequence[int]) -> Any:
    """Return what stands at index vectors along some axes, first in the result."""
    rest = [a for a in range(aval_of(operand(src)).ndim) if a not in axes]
    return fnp.transpose(src, (*axes, *rest))[tuple(idxs)]
