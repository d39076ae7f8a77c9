"""Whole slices at an index: index_select, index_add, index_copy, select_scatter, ...

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import comparison
from ..ops.arithmetic import convert
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem, scatter_add, scatter_set
from ..ops.shape import broadcast_to, embed_diagonal, reshape
from .declare import as_operand, composite, function, functions
from .dims import axis_of
from .node import node_type
from .ops_gather import _NEUTRAL, _neutral, _reduced
from .ops_reduce import noted
from .tape import record
from .tensor import Tensor

__all__: list[str] = []


def _at(axis: int) -> tuple[Any, ...]:
    return (slice(None),) * axis + (ARRAY,)


def _checked(name: str, x: Tensor, dim: int, index: Tensor) -> int:
    """Return the axis; raise if the index is none, or out of range."""
    axis = axis_of(dim, x.ndim)
    if index.aval.dtype.kind not in "iu":
        raise RuntimeError(
            f"{name}(): Expected dtype int32 or int64 for index"
            if name == "index_select"
            else f"{name}_(): Expected dtype int32/int64 for index"
            if name == "index_add"
            else f"{name}_(): Expected a long tensor for index, but got "
            f"{index.dtype.title}"
        )
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector"
            + ("" if name == "index_select" else f", but got dim: {index.ndim}")
        )
    n = x.shape[axis] if x.ndim else 1
    if not isinstance(index.value, Tracer):
        bad = (index.value < -n if name == "index_fill" else index.value < 0) | (
            index.value >= n
        )
        if bad.any():
            raise IndexError("index out of range in self")
    return axis


def _flat(x: Any) -> Any:
    return x if aval_of(x).shape else reshape(x, shape=(1,))


def _selected(x: Any, ids: Any, *, axis: int) -> Any:
    out = getitem(_flat(x), _flat(ids), index=_at(axis))
    return out if aval_of(x).shape else reshape(out, shape=())


_index_select = composite("IndexSelectBackward0", _selected)
_INDEX_SELECT = node_type("IndexSelectBackward0")


@function("index_select")
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the slices at indices along a dimension."""
    axis = _checked("index_select", input, dim, index)
    if not input.ndim or not index.ndim:
        return noted(_index_select(input, index, axis=axis), dim=dim)
    out = record(getitem, _INDEX_SELECT, (input, index), {"index": _at(axis)})
    return noted(out, dim=dim)


def _written(write: Any) -> Any:
    def run(x: Any, ids: Any, src: Any, *, axis: int, alpha: Any = 1) -> Any:
        shape = aval_of(x).shape
        src = _flat(src)
        if alpha != 1:
            src = src * alpha
        if aval_of(src).dtype != aval_of(x).dtype:
            src = convert(src, dtype=aval_of(x).dtype)
        out = write(_flat(x), src, _flat(ids), index=_at(axis))
        return out if shape else reshape(out, shape=())

    return run


_add = composite("IndexAddBackward0", _written(scatter_add))
_copy = composite("IndexCopyBackward0", _written(scatter_set))


def _check_source(name: str, x: Tensor, axis: int, index: Tensor, src: Tensor) -> None:
    count = index.aval.size
    if x.dtype is not src.dtype:
        if name == "index_add":
            raise RuntimeError(
                "index_add_(): self and source must have the same scalar type"
            )
        raise RuntimeError(
            f"{name}_(): self and source expected to have the same dtype, but got "
            f"(self) {x.dtype.title} and (source) {src.dtype.title}"
        )
    if src.ndim and src.shape[axis] != count:
        if name == "index_add":
            raise RuntimeError(
                f"index_add_(): Number of indices ({count}) should be equal to "
                f"source.size(dim): ({src.shape[axis]}), for dim: {axis}"
            )
        raise IndexError(
            f"{name}_(): Number of indices ({count}) should be equal to "
            "source.size(dim) "
            f"({src.shape[axis]})"
        )


@function("index_add", inplace=True)
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1
) -> Tensor:
    """Return the tensor with slices added at indices along a dimension."""
    axis = _checked("index_add", input, dim, index)
    _check_source("index_add", input, axis, index, source)
    out: Tensor = _add(input, index, source, axis=axis, alpha=alpha)
    return out


@function("index_copy", inplace=True)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Return the tensor with slices written at indices along a dimension."""
    axis = _checked("index_copy", input, dim, index)
    _check_source("index_copy", input, axis, index, source)
    out: Tensor = _copy(input, index, source, axis=axis)
    return out


def _filled(x: Any, ids: Any, value: Any, *, axis: int) -> Any:
    flat, ids = _flat(x), _flat(ids)
    shape = list(aval_of(flat).shape)
    n = shape[axis]
    shape[axis] = aval_of(ids).shape[0]
    if not isinstance(value, Tracer):
        value = np.asarray(value).astype(aval_of(x).dtype)
    value = broadcast_to(value, shape=tuple(shape))
    ids = comparison.where(ids < 0, ids + n, ids)
    out = scatter_set(flat, value, ids, index=_at(axis))
    return out if aval_of(x).shape else reshape(out, shape=())


_fill_number = composite("IndexFillBackward0", _filled)
_fill_tensor = composite("IndexFillBackward1", _filled)


@function("index_fill", inplace=True, out=False)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Return the tensor with slices filled with a value."""
    axis = _checked("index_fill", input, dim, index)
    value = as_operand(value)
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                "index_fill_ only supports a 0-dimensional value tensor, but got "
                "tensor "
                f"with {value.ndim} dimension(s)."
            )
        out: Tensor = _fill_tensor(input, index, value, axis=axis)
        return out
    out = _fill_number(input, index, value, axis=axis)
    return out


def _reduced_into(
    x: Any, ids: Any, src: Any, *, axis: int, how: str, include: bool
) -> Any:
    aval = aval_of(x)
    count = np.full(aval.shape, int(include), np.int64)
    ones = np.ones(aval_of(src).shape, np.int64)
    count = scatter_add(count, ones, ids, index=_at(axis))
    base = x
    if not include:
        fill = np.asarray(_neutral(how, aval.dtype)).astype(aval.dtype)
        base = comparison.where(comparison.gt(count, 0), fill, x)
    write = scatter_add if how == "mean" else _reduced(how)
    out = write(base, src, ids, index=_at(axis))
    if how != "mean":
        return out
    divisor = comparison.where(comparison.gt(count, 0), count, 1)
    return out / convert(divisor, dtype=aval.dtype)


_index_reduce = composite("IndexReduceBackward0", _reduced_into)


_BETA = "index_reduce() is in beta and the API may change at any time. "


@function("index_reduce", inplace=True)
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """Return the tensor with slices combined at indices along a dimension."""
    axis = _checked("index_add", input, dim, index)
    warnings.warn(_BETA, UserWarning, stacklevel=3)
    if reduce not in _NEUTRAL or reduce == "sum":
        raise RuntimeError(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but "
            f"got {reduce}."
        )
    out: Tensor = _index_reduce(
        input, index, source, axis=axis, how=reduce, include=include_self
    )
    return out


def _replaced(node: str) -> Any:
    """Return a function that writes a source over what an index selects."""

    def run(x: Any, src: Any, *, index: Any) -> Any:
        if aval_of(src).dtype != aval_of(x).dtype:
            src = convert(src, dtype=aval_of(x).dtype)
        return scatter_set(x, src, index=index, unique=True)

    return composite(node, run)


_select_scatter = _replaced("SelectScatterBackward0")
_slice_scatter = _replaced("SliceScatterBackward0")


@function("select_scatter")
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """Return the tensor with one index of a dimension overwritten."""
    axis = axis_of(dim, input.ndim)
    target = input.select(axis, index)  # type: ignore[attr-defined]
    _check_embed(target, src)
    where = (slice(None),) * axis + (int(index),)
    out: Tensor = _select_scatter(input, src, index=where)
    return out


def _check_embed(target: Tensor, src: Tensor) -> None:
    if target.shape != src.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(target.shape)}"
        )


@function("slice_scatter")
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """Return the tensor with a slice of a dimension overwritten."""
    axis = axis_of(dim, input.ndim)
    where = (slice(None),) * axis + (slice(start, end, step),)
    _check_embed(input[where], src)  # type: ignore[index]
    out: Tensor = _slice_scatter(input, src, index=where)
    return out


def _on_diagonal(x: Any, src: Any, *, offset: int, axis1: int, axis2: int) -> Any:
    like = aval_of(x)
    params = {"offset": offset, "axis1": axis1, "axis2": axis2}
    ones = np.ones(aval_of(src).shape, bool)
    mask = np.asarray(embed_diagonal(ones, like, **params))
    return comparison.where(mask, embed_diagonal(src, like, **params), x)


_diagonal_scatter = composite("DiagonalScatterBackward0", _on_diagonal)


@function("diagonal_scatter")
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """Return the tensor with a diagonal overwritten."""
    i, j = axis_of(dim1, input.ndim), axis_of(dim2, input.ndim)
    _check_embed(functions["diagonal"](input, offset, i, j), src)
    out: Tensor = _diagonal_scatter(input, src, offset=offset, axis1=i, axis2=j)
    return out


@function("narrow_copy", out=False)
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a copy of `length` indices of a dimension from `start` on."""
    return functions["clone"](functions["narrow"](input, dim, start, length))  # type: ignore[no-any-return]
