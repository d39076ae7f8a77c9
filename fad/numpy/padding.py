"""Padding, in all modes of NumPy's `pad`.

Axis after axis, a block is joined to either side of what is there: a constant, a copy
of edge elements, a statistic of them, a ramp, or a reflection. All are linear in the
array, but for maximum, minimum and median.

Public names: `pad`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import shape as ops
from ..ops.arithmetic import copy
from ..ops.indexing import getitem, scatter, scatter_set, slice_along
from ..ops.infer_rules import broadcast_shapes
from .convert import cast, operand
from .dispatch import implements
from .rearranging import taken

__all__ = ["pad"]

Widths = tuple[tuple[int, int], ...]

_OPTIONS = {
    "constant": "constant_values",
    "linear_ramp": "end_values",
    "maximum": "stat_length",
    "mean": "stat_length",
    "median": "stat_length",
    "minimum": "stat_length",
    "reflect": "reflect_type",
    "symmetric": "reflect_type",
    "empty": "",
    "edge": "",
    "wrap": "",
}
_STATISTICS = {
    "maximum": np.max,
    "minimum": np.min,
    "mean": np.mean,
    "median": np.median,
}


@implements(np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """Extend an array on both sides of each axis.

    >>> import fad, fad.numpy as fnp
    >>> fad.grad(lambda x: fnp.pad(x, 2, mode="edge").sum())(fnp.array([1.0, 2.0, 3.0]))
    array([3., 1., 3.])
    """
    x = operand(array)
    ndim = aval_of(x).ndim
    widths = _widths(pad_width, ndim)
    if callable(mode):
        return _pad_by_function(x, widths, mode, kwargs)
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - {_OPTIONS[mode]}
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if not any(map(any, widths)):
        return copy(x)
    if mode in ("constant", "empty"):
        return _pad_constant(x, widths, kwargs.get("constant_values", 0))
    for axis, width in enumerate(widths):
        if any(width) and not aval_of(x).shape[axis]:
            raise ValueError(
                f"can't extend empty axis {axis} using modes other than 'constant' or "
                "'empty'"
            )
    options = _pairs(kwargs.get(_OPTIONS[mode]), ndim)
    extend = _extender(mode, kwargs)
    for axis, width in enumerate(widths):
        if any(width):
            x = extend(x, axis, width, options[axis])
    return x


def _widths(pad_width: Any, ndim: int) -> Widths:
    """Return a pair of widths for every axis."""
    if isinstance(pad_width, dict):
        given: list[Any] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            given[axis] = width if isinstance(width, (tuple, list)) else (width, width)
        pad_width = given or 0
    if np.asarray(pad_width).dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    widths = tuple(
        (operator.index(a), operator.index(b)) for a, b in _pairs(pad_width, ndim)
    )
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError("index can't contain negative values")
    return widths


def _pairs(value: Any, ndim: int) -> list[tuple[Any, Any]]:
    """Return (before, after) for every axis, of a value, a pair, or a pair per axis."""
    if value is None:
        return [(None, None)] * ndim
    x = operand(value)
    if not isinstance(x, Tracer):
        return [tuple(row) for row in np.broadcast_to(x, (ndim, 2)).tolist()]
    broadcast_shapes("pad", aval_of(x).shape, (ndim, 2))
    x = ops.broadcast_to(x, shape=(ndim, 2))
    return [(getitem(x, index=(i, 0)), getitem(x, index=(i, 1))) for i in range(ndim)]


def _pad_constant(x: Any, widths: Widths, values: Any) -> Any:
    aval = aval_of(x)
    inner = tuple(
        slice(before, before + n)
        for (before, _), n in zip(widths, aval.shape, strict=True)
    )
    shape = tuple(b + n + a for (b, a), n in zip(widths, aval.shape, strict=True))
    if not isinstance(values, (list, tuple, np.ndarray, Tracer)):
        if values == 0:
            return scatter(x, index=inner, shape=shape)
        base = np.full(shape, np.asarray(values).astype(aval.dtype))
        return scatter_set(base, x, index=inner)
    for axis, pair in enumerate(_pairs(values, aval.ndim)):
        x = _joined(x, axis, widths[axis], pair)
    return x


def _joined(x: Any, axis: int, width: tuple[int, int], pair: tuple[Any, Any]) -> Any:
    """Join a block to either side, each broadcast along the axis."""
    aval = aval_of(x)
    before, after = [
        ops.broadcast_to(
            cast(operand(value), aval.dtype),
            shape=(*aval.shape[:axis], n, *aval.shape[axis + 1 :]),
        )
        for value, n in zip(pair, width, strict=True)
    ]
    return ops.concatenate(before, x, after, axis=axis)


def _extender(mode: str, kwargs: dict[str, Any]) -> Callable[..., Any]:
    """Return the function `(x, axis, width, option pair)` that pads one axis."""
    if mode in _STATISTICS:
        return lambda x, axis, width, lengths: _joined(
            x, axis, width, _statistics(x, axis, lengths, mode)
        )
    if mode == "linear_ramp":
        return _ramp
    if mode in ("reflect", "symmetric"):
        odd = kwargs.get("reflect_type", "even") == "odd"
        if odd:
            return lambda x, axis, width, _: _reflect_odd(x, axis, width, mode)
    return lambda x, axis, width, _: taken(
        x, np.pad(np.arange(aval_of(x).shape[axis]), width, mode), axis
    )


def _statistics(
    x: Any, axis: int, lengths: tuple[Any, Any], mode: str
) -> tuple[Any, Any]:
    n = aval_of(x).shape[axis]
    dtype = aval_of(x).dtype
    found = []
    for length, last in zip(lengths, (False, True), strict=True):
        length = n if length is None else min(operator.index(length), n)
        if length <= 0 and mode in ("maximum", "minimum"):
            raise ValueError("stat_length of 0 yields no value for padding")
        chunk = slice_along(x, n - length if last else 0, n if last else length, axis)
        value = _STATISTICS[mode](chunk, axis=axis, keepdims=True)
        found.append(np.round(value) if dtype.kind in "iu" else value)
    return found[0], found[1]


def _ramp(x: Any, axis: int, width: tuple[int, int], ends: tuple[Any, Any]) -> Any:
    """Go from the edge in equal steps to the end value, which is reached."""
    aval = aval_of(x)
    n = aval.shape[axis]
    edges = slice_along(x, 0, 1, axis), slice_along(x, n - 1, n, axis)
    sides = []
    for edge, end, count, last in zip(edges, ends, width, (False, True), strict=True):
        steps = np.arange(count) / max(count, 1)
        steps = steps[::-1] if last else steps
        steps = steps.reshape((count,) + (1,) * (aval.ndim - axis - 1))
        end = 0 if end is None else end
        ramp = end + (edge - end) * steps
        ramp = np.floor(ramp) if aval.dtype.kind in "iu" else ramp
        sides.append(cast(ramp, aval.dtype))
    return ops.concatenate(sides[0], x, sides[1], axis=axis)


def _reflect_odd(x: Any, axis: int, width: tuple[int, int], mode: str) -> Any:
    """Reflect about the edge values, as often as it takes to fill the widths."""
    period = aval_of(x).shape[axis]
    edge = int(mode == "symmetric")
    if period == 1:
        return taken(x, np.pad(np.zeros(1, int), width, "edge"), axis)
    left, right = width
    while left or right:
        n = aval_of(x).shape[axis]
        step = period - 1 + edge
        whole = (n - 1 + edge) // step * step
        blocks = [x]
        for count, last in ((min(whole, left), False), (min(whole, right), True)):
            if count:
                blocks.insert(
                    len(blocks) if last else 0, _mirrored(x, axis, count, edge, last)
                )
        left, right = left - min(whole, left), right - min(whole, right)
        x = ops.concatenate(*blocks, axis=axis)
    return x


def _mirrored(x: Any, axis: int, count: int, edge: int, last: bool) -> Any:
    n = aval_of(x).shape[axis]
    start = n - 1 + edge - count if last else 1 - edge
    chunk = ops.flip(slice_along(x, start, start + count, axis), axis=(axis,))
    about = slice_along(x, n - 1, n, axis) if last else slice_along(x, 0, 1, axis)
    return 2 * about - chunk


def _pad_by_function(
    x: Any, widths: Widths, function: Callable[..., Any], kwargs: dict[str, Any]
) -> Any:
    """Let the user's function fill in the zeros around each line, in place."""
    padded = _pad_constant(x, widths, 0)
    for axis in range(aval_of(padded).ndim):
        lines = ops.move_axis(padded, axis, aval_of(padded).ndim - 1)
        for place in np.ndindex(aval_of(lines).shape[:-1]):
            function(lines[(*place, Ellipsis)], widths[axis], axis, kwargs)
    return padded
