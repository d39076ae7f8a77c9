"""Elements picked by a mask, or at places of the tensor laid out flat.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import comparison
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem, scatter_add, scatter_set
from ..ops.masks import select, spread_out
from ..ops.shape import broadcast_to, ravel, reshape
from .conversion import known_values
from .declare import composite, function, size_mismatch
from .tensor import Tensor

__all__: list[str] = []


def _taken(x: Any, ids: Any) -> Any:
    flat = ravel(x)
    n = aval_of(x).size
    return getitem(flat, comparison.where(ids < 0, ids + n, ids), index=(ARRAY,))


_take = composite("TakeBackward0", _taken)


@function("take")
def take(input: Tensor, index: Tensor) -> Tensor:
    """Return the elements at places in the tensor laid out flat."""
    if index.aval.dtype != np.int64:
        raise RuntimeError(
            f"take(): Expected a long tensor for index, but got {index.dtype.title}"
        )
    n = input.aval.size
    if not isinstance(index.value, Tracer):
        bad = (index.value < -n) | (index.value >= n)
        if bad.any():
            raise IndexError(
                f"out of range: tried to access index {index.value[bad].ravel()[0]} on "
                "a "
                f"tensor of {n} elements."
            )
    out: Tensor = _take(input, index)
    return out


def _put(x: Any, ids: Any, src: Any, *, accumulate: bool) -> Any:
    aval = aval_of(x)
    flat = ravel(x)
    ids = ravel(comparison.where(ids < 0, ids + aval.size, ids))
    write = scatter_add if accumulate else scatter_set
    out = write(flat, ravel(src), ids, index=(ARRAY,))
    return reshape(out, shape=aval.shape)


_put_into = composite("PutBackward0", _put)


@function("put", inplace=True, out=False)
def put(
    input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False
) -> Tensor:
    """Return the tensor with values written, or added, at places laid out flat."""
    out: Tensor = _put_into(input, index, source, accumulate=accumulate)
    return out


def _as_mask(name: str, mask: Tensor) -> Tensor:
    if mask.aval.dtype.kind != "b":
        raise RuntimeError(
            f"{name}: expected BoolTensor for mask"
            if name != "masked_scatter_"
            else "masked_scatter_ only supports boolean masks, but got mask with dtype "
            f"{mask.dtype.name}"
        )
    return mask


def _masked(x: Any, mask: Any, *, count: int, shape: tuple[int, ...]) -> Any:
    x, mask = (
        v if aval_of(v).shape == shape else broadcast_to(v, shape=shape)
        for v in (x, mask)
    )
    flat, chosen = ravel(x), ravel(mask)
    return select(flat, chosen, axis=0, count=count)


_masked_select = composite("MaskedSelectBackward0", _masked)


@function("masked_select")
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the elements where a mask is true, in one dimension."""
    _as_mask("masked_select", mask)
    known = np.asarray(known_values(mask.value))
    try:
        shape = np.broadcast_shapes(tuple(input.shape), known.shape)
    except ValueError as error:
        raise RuntimeError(size_mismatch(mask, input)) from error
    count = int(np.broadcast_to(known, shape).sum())
    out: Tensor = _masked_select(input, known, count=count, shape=tuple(shape))
    return out


def _masked_put(x: Any, mask: Any, src: Any, *, count: int) -> Any:
    shape = aval_of(x).shape
    mask = np.broadcast_to(mask, shape)
    values = getitem(ravel(src), index=(slice(0, count),))
    spread = spread_out(values, mask.reshape(-1), axis=0, shape=(mask.size,))
    return comparison.where(mask, reshape(spread, shape=shape), x)


_masked_scatter = composite("MaskedScatterBackward0", _masked_put)


@function("masked_scatter", inplace=True, out=False)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return the tensor with elements of a source, in order, where a mask is true."""
    _as_mask("masked_scatter_", mask)
    if source.dtype is not input.dtype:
        raise RuntimeError(
            "masked_scatter_: expected self and source to have same dtypes but got "
            f"{input.dtype.title} and {source.dtype.title}"
        )
    known = np.broadcast_to(known_values(mask.value), tuple(input.shape))
    count = int(known.sum())
    if source.aval.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    out: Tensor = _masked_scatter(input, known, source, count=count)
    return out
