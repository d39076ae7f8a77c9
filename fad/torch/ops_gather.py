"""Gathering and scattering by index tensors, and writing into parts of a copy.

`gather` and `scatter` take one index for each element of the index tensor; the others
are the element's own. Where an index tensor is shorter than the input, only that part
of the input takes part.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import comparison
from ..ops.arithmetic import convert
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem, scatter_add, scatter_set
from ..ops.shape import broadcast_to, reshape
from .declare import as_operand, composite, function, functions
from .dims import axis_of
from .node import node_type
from .ops_reduce import noted
from .tape import record
from .tensor import Tensor

__all__ = ["places"]

_WHOLE = slice(None)


def places(ids: Any, axis: int) -> tuple[tuple[Any, ...], list[Any]]:
    """Return the index of one element for each element of an index array."""
    shape = aval_of(ids).shape
    found: list[Any] = []
    for a, n in enumerate(shape):
        width = (1,) * a + (n,) + (1,) * (len(shape) - a - 1)
        found.append(ids if a == axis else np.arange(n).reshape(width))
    return (ARRAY,) * len(shape), found


def _check_indices(name: str, index: Tensor, dim: int, length: int) -> None:
    """Raise unless the indices are integers from 0 to below `length`."""
    if index.aval.dtype.kind not in "iu" or index.aval.dtype.itemsize < 4:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if isinstance(index.value, Tracer):
        return
    bad = (index.value < 0) | (index.value >= length)
    if bad.any():
        raise RuntimeError(
            f"index {index.value[bad].ravel()[0]} is out of bounds for dimension {dim} "
            f"with size {length}"
        )


def _check_sizes(
    name: str, index: Tensor, x: Tensor, dim: int, what: str = "input"
) -> None:
    if index.ndim != x.ndim and index.ndim + x.ndim > 1 and x.ndim * index.ndim != 0:
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as {what} tensor"
        )
    for a, (m, n) in enumerate(zip(index.shape, x.shape, strict=False)):
        if a != dim and m > n:
            raise RuntimeError(
                f"Size does not match at dimension {a} expected index "
                f"{list(index.shape)} to be no larger than self {list(x.shape)} apart "
                f"from dimension {dim}"
            )


def _flat0(x: Any) -> Any:
    return x if aval_of(x).shape else reshape(x, shape=(1,))


def _gathered(x: Any, ids: Any, *, axis: int) -> Any:
    shape = aval_of(ids).shape
    index, found = places(_flat0(ids), axis)
    out = getitem(_flat0(x), *found, index=index)
    return reshape(out, shape=shape)


_gather = composite("GatherBackward0", _gathered)
_GATHER = node_type("GatherBackward0")


@function("gather")
def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False
) -> Tensor:
    """Return the elements at indices along a dimension."""
    axis = axis_of(dim, input.ndim)
    if not index.aval.size:
        return functions["zeros"](*index.shape, dtype=input.dtype)  # type: ignore[no-any-return]
    if index.aval.dtype.kind not in "iu":
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    _check_sizes("gather", index, input, axis)
    _check_indices("gather", index, axis, input.shape[axis] if input.ndim else 1)
    if not input.ndim or not index.ndim or isinstance(index.value, Tracer):
        return noted(_gather(input, index, axis=axis), dim=dim)
    where, found = places(index.value, axis)
    found[axis] = index
    out = record(getitem, _GATHER, (input, *found), {"index": where})
    return noted(out, dim=dim)


@function("take_along_dim")
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Return the elements at indices along a dimension, the others broadcast."""
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))  # type: ignore[attr-defined]
    axis = axis_of(dim, input.ndim)
    lengths = [1 if a == axis else n for a, n in enumerate(indices.shape)]
    others = [1 if a == axis else n for a, n in enumerate(input.shape)]
    full = list(np.broadcast_shapes(tuple(lengths), tuple(others)))
    full[axis] = indices.shape[axis]
    index = indices.expand(full)  # type: ignore[attr-defined]
    full[axis] = input.shape[axis]
    return gather(input.expand(full), axis, index)  # type: ignore[attr-defined]


def _cut(src: Any, shape: tuple[int, ...]) -> Any:
    """Return the part of the source that an index tensor of `shape` uses."""
    if aval_of(src).shape == shape:
        return src
    return getitem(src, index=tuple(slice(0, n) for n in shape))


def _scattered(write: Any) -> Callable[..., Any]:
    def run(x: Any, ids: Any, src: Any, *, axis: int) -> Any:
        shape = aval_of(x).shape
        ids = _flat0(ids)
        given = src if isinstance(src, (np.ndarray, Tracer)) else np.asarray(src)
        if not aval_of(given).shape:
            given = broadcast_to(given, shape=aval_of(ids).shape)
        given = _cut(given, aval_of(ids).shape)
        if aval_of(given).dtype != aval_of(x).dtype:
            given = convert(given, dtype=aval_of(x).dtype)
        index, found = places(ids, axis)
        out = write(_flat0(x), given, *found, index=index)
        return reshape(out, shape=shape)

    return run


_set_value = composite("ScatterBackward1", _scattered(scatter_set))
_set_source = composite("ScatterBackward0", _scattered(scatter_set))
_add_source = composite("ScatterAddBackward0", _scattered(scatter_add))


def _reduced(how: str) -> Callable[..., Any]:
    """Return a write that combines values on one element, and with what is there."""
    from ..ops import arithmetic, piecewise
    from ..ops.scatter_reduce import scatter_reduce

    combine = {
        "prod": arithmetic.mul,
        "multiply": arithmetic.mul,
        "amax": piecewise.maximum,
        "amin": piecewise.minimum,
    }[how]

    def write(x: Any, y: Any, *ids: Any, index: Any) -> Any:
        return scatter_reduce(x, y, ids, index, combine, combine)

    return write


@function("scatter", inplace=True)
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    *,
    value: Any = None,
    reduce: str | None = None,
) -> Tensor:
    """Return the tensor with values written at indices along a dimension."""
    axis = axis_of(dim, input.ndim)
    given = as_operand(value if src is None else src)
    _check_scatter("scatter", input, axis, index, given)
    if not index.aval.size:
        return input.clone()  # type: ignore[attr-defined,no-any-return]
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        write = scatter_add if reduce == "add" else _reduced(reduce)
        apply = composite("NotImplemented", _scattered(write))
    else:
        apply = _set_source if isinstance(given, Tensor) else _set_value
    out: Tensor = apply(input, index, given, axis=axis)
    return out


def _check_scatter(name: str, x: Tensor, axis: int, index: Tensor, src: Any) -> None:
    if index.aval.dtype.kind not in "iu":
        raise RuntimeError(f"{name}(): Expected dtype int64 for index")
    if isinstance(src, Tensor) and src.dtype is not x.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    _check_indices(name, index, axis, x.shape[axis] if x.ndim else 1)
    if isinstance(src, Tensor):
        for a, (m, n) in enumerate(zip(index.shape, src.shape, strict=False)):
            if m > n or (a != axis and x.ndim and m > x.shape[a]):
                raise RuntimeError(
                    f"Expected index {list(index.shape)} to be no larger than self "
                    f"{list(x.shape)} apart from dimension {axis} and to be no larger "
                    f"size than src {list(src.shape)}"
                )


@function("scatter_add", inplace=True)
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Return the tensor with values added at indices along a dimension."""
    axis = axis_of(dim, input.ndim)
    _check_scatter("scatter", input, axis, index, src)
    if not index.aval.size:
        return input.clone()  # type: ignore[attr-defined,no-any-return]
    out: Tensor = _add_source(input, index, src, axis=axis)
    return out


_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "amax": -np.inf, "amin": np.inf}


def _neutral(how: str, dtype: np.dtype[Any]) -> Any:
    value = _NEUTRAL[how]
    if dtype.kind in "iu" and how in ("amax", "amin"):
        info = np.iinfo(dtype)
        return info.min if how == "amax" else info.max
    return value


def _reduce_into(
    x: Any, ids: Any, src: Any, *, axis: int, how: str, include: bool
) -> Any:
    aval = aval_of(x)
    count = np.full(aval.shape, int(include), np.int64)
    ones = np.ones(aval_of(ids).shape, np.int64)
    count = _scattered(scatter_add)(count, ids, ones, axis=axis)
    touched = comparison.gt(count, int(include))
    base = x
    if not include:
        fill = np.asarray(_neutral(how, aval.dtype)).astype(aval.dtype)
        base = comparison.where(touched, fill, x)
    write = scatter_add if how in ("sum", "mean") else _reduced(how)
    out = _scattered(write)(base, ids, src, axis=axis)
    if how == "mean":
        divisor = comparison.where(comparison.gt(count, 0), count, 1)
        if aval.dtype.kind in "iu":
            return convert(out // divisor, dtype=aval.dtype)
        out = out / convert(divisor, dtype=aval.dtype)
    return out


_scatter_reduce = composite("ScatterReduceBackward0", _reduce_into)


@function("scatter_reduce", inplace=True)
def scatter_reduce_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """Return the tensor with values combined at indices along a dimension."""
    axis = axis_of(dim, input.ndim)
    if reduce not in _NEUTRAL:
        raise RuntimeError(
            "reduce argument must be either sum, prod, mean, amax or amin, got "
            f"{reduce}"
        )
    _check_scatter("scatter", input, axis, index, src)
    out: Tensor = _scatter_reduce(
        input, index, src, axis=axis, how=reduce, include=include_self
    )
    return out
