"""Ranges, grids and windows.

`arange`, `linspace`, `logspace` and `geomspace` are differentiable in their ends and
steps; how many elements there are must be known. They use NumPy's own formulas, so
that values do not change under a transform.

Public names: `arange linspace logspace geomspace meshgrid kaiser`.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of, concrete_value
from ..ops import arithmetic
from ..ops.indexing import slice_along
from ..ops.infer_rules import normalize_axes
from ..ops.shape import broadcast_to, concatenate, move_axis, reshape
from .convert import cast, operand, result_dtype
from .creation import check_device
from .dispatch import implements

__all__ = [
    "arange",
    "geomspace",
    "kaiser",
    "linspace",
    "logspace",
    "meshgrid",
]


@implements(np.arange)
def arange(
    start_or_stop: Any = None,
    /,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
    like: Any = None,
    start: Any = None,
) -> Any:
    """Return evenly spaced values, differentiable in the start and the step.

    Raises:
        TypeError: the number of values is not known while tracing.
    """
    check_device(device)
    if start is not None and start_or_stop is not None:
        raise TypeError("arange: start was given by position and by keyword")
    start = start_or_stop if start is None else start
    start, stop = (0, start) if stop is None else (start, stop)
    step = 1 if step is None else step
    if not any(isinstance(v, Tracer) for v in (start, stop, step)):
        return np.arange(start, stop, step, dtype=dtype)
    known = [_known(v, "arange") for v in (start, stop, step)]
    count = max(0, math.ceil((known[1] - known[0]) / known[2]))
    wanted = result_dtype(start, stop, step) if dtype is None else np.dtype(dtype)
    counts = np.arange(count, dtype=wanted)
    if not isinstance(start, Tracer) and not isinstance(step, Tracer):
        return np.arange(known[0], known[1], known[2], dtype=wanted)
    return cast(start + counts * step, wanted)


def _known(value: Any, name: str) -> Any:
    known = concrete_value(value)
    if known is None:
        raise TypeError(
            f"{name}: the number of values has to be known, and {value.aval!r} is not "
            f"known while tracing under {value.owner.name}; pass a plain number, or "
            "use linspace with a fixed `num`"
        )
    return known


@implements(np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Return `num` evenly spaced values, differentiable in both ends."""
    check_device(device)
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    start, stop = operand(start), operand(stop)
    if not isinstance(start, Tracer) and not isinstance(stop, Tracer):
        return np.linspace(start, stop, num, endpoint, retstep, dtype, axis)
    computed = result_dtype(start, stop)
    if computed.kind not in "fc":
        computed = np.result_type(computed, 1.0)
    start, stop = cast(start, computed), cast(stop, computed)
    out, step = _spaced(start, stop, num, endpoint, computed)
    if axis != 0:
        (axis,) = normalize_axes(axis, aval_of(out).ndim)
        out = move_axis(out, 0, axis)
    if dtype is not None:
        if np.dtype(dtype).kind in "iu":
            out = np.floor(out)
        out = cast(out, dtype)
    return (out, step) if retstep else out


def _spaced(
    start: Any, stop: Any, num: int, endpoint: bool, dtype: np.dtype[Any]
) -> tuple[Any, Any]:
    """Return start + k step for k < num along a new first axis, and the step."""
    intervals = num - 1 if endpoint else num
    delta = stop - start
    shape = aval_of(delta).shape
    counts = np.arange(num, dtype=dtype).reshape(-1, *(1,) * len(shape))
    step: Any = math.nan
    if intervals > 0:
        step = delta / intervals
        out = counts * step + start
    else:
        out = counts * delta + start
    if endpoint and num > 1:
        last = broadcast_to(stop, shape=shape)
        last = reshape(last, shape=(1, *shape))
        out = concatenate(slice_along(out, 0, num - 1, 0), last, axis=0)
    return out, step


@implements(np.logspace)
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return `base` to evenly spaced powers, differentiable in ends and base."""
    start, stop, base = operand(start), operand(stop), operand(base)
    if aval_of(base).ndim:
        rank = max(aval_of(v).ndim for v in (start, stop, base))
        start, stop, base = (_with_rank(v, rank) for v in (start, stop, base))
        (axis,) = normalize_axes(axis, rank + 1)
        shape = aval_of(base).shape
        base = reshape(base, shape=(*shape[:axis], 1, *shape[axis:]))
    powers = linspace(start, stop, num, endpoint, axis=axis)
    out = base**powers
    return out if dtype is None else cast(out, dtype)


def _with_rank(x: Any, rank: int) -> Any:
    shape = aval_of(x).shape
    return reshape(x, shape=(1,) * (rank - len(shape)) + shape)


@implements(np.geomspace)
def geomspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return a geometric progression, differentiable in both ends.

    Raises:
        ValueError: an end is zero.
    """
    start, stop = operand(start), operand(stop)
    for end in (start, stop):
        value = concrete_value(end)
        if value is not None and np.any(np.equal(value, 0)):
            raise ValueError("Geometric sequence cannot include zero")
    computed = np.result_type(  # Python numbers are not weak here, as in NumPy
        aval_of(start).dtype, aval_of(stop).dtype, np.dtype(dtype), float(num)
    )
    start, stop = cast(start, computed), cast(stop, computed)
    sign = np.sign(start)  # turns the start to the positive real axis, and back below
    first, last = start / sign, stop / sign
    powers = linspace(np.log10(first), np.log10(last), num, endpoint)
    out = _with_ends(10.0**powers, first, last, endpoint) * sign
    if axis != 0:
        (axis,) = normalize_axes(axis, aval_of(out).ndim)
        out = move_axis(out, 0, axis)
    return cast(out, computed if dtype is None else dtype)


def _with_ends(out: Any, first: Any, last: Any, endpoint: bool) -> Any:
    """Put the exact ends in the place of powers of logarithms."""
    num, *shape = aval_of(out).shape
    ends = [broadcast_to(v, shape=tuple(shape)) for v in (first, last)]
    first, last = (reshape(v, shape=(1, *shape)) for v in ends)
    if num > 1 and endpoint:
        return concatenate(first, slice_along(out, 1, num - 1, 0), last, axis=0)
    if num > 0:
        return concatenate(first, slice_along(out, 1, num, 0), axis=0)
    return out


@implements(np.meshgrid)
def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> Any:
    """Return coordinate arrays from coordinate vectors."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    grids = [operand(x) for x in xi]
    rank = len(grids)
    swap = indexing == "xy" and rank > 1
    places = [1, 0, *range(2, rank)] if swap else list(range(rank))
    sizes = [aval_of(x).size for x in grids]
    full = [sizes[i] for i in places]  # `places` is its own inverse
    out = []
    for x, n, place in zip(grids, sizes, places, strict=True):
        x = reshape(x, shape=tuple(n if i == place else 1 for i in range(rank)))
        out.append(x if sparse else broadcast_to(x, shape=tuple(full)))
    return tuple(arithmetic.copy(x) if copy else x for x in out)


@implements(np.kaiser)
def kaiser(M: Any, beta: Any) -> Any:
    """Return the Kaiser window, differentiable in `beta`."""
    if not isinstance(beta, Tracer):
        return np.kaiser(M, beta)
    if M == 1:
        return beta * 0.0 + np.ones(1)
    n = np.arange(0, M)
    alpha = (M - 1) / 2.0
    inside = np.sqrt(1 - ((n - alpha) / alpha) ** 2.0)
    return np.i0(beta * inside) / np.i0(beta)
