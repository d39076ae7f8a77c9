"""Finite differences and the trapezoidal rule.

All are linear in the values; `gradient` and `trapezoid` are differentiable in the
coordinates too.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> area = lambda x: fnp.trapezoid(np.array([1.0, 1.0, 3.0]), x)
>>> fad.grad(area)(np.array([0.0, 1.0, 2.0]))
array([-1., -1.,  2.])

Public names: `diff ediff1d gradient trapezoid`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops.comparison import ne
from ..ops.indexing import getitem, slice_along
from ..ops.infer_rules import normalize_axes
from ..ops.reductions import keep_axes, reduce_sum
from ..ops.shape import broadcast_to, concatenate, reshape
from .convert import cast, operand
from .dispatch import implements

__all__ = ["diff", "ediff1d", "gradient", "trapezoid"]

_NoValue: Any = np._NoValue


def _steps(x: Any, axis: int) -> Any:
    """Return each element minus the one before it; for booleans, if they differ."""
    aval = aval_of(x)
    n = aval.shape[axis]
    low, high = slice_along(x, 0, _last(n), axis), slice_along(x, 1, n, axis)
    return ne(high, low) if aval.dtype.kind == "b" else high - low


def _last(n: int) -> int:
    return n - 1 if n else 0


@implements(np.diff)
def diff(
    a: Any,
    n: Any = 1,
    axis: Any = -1,
    prepend: Any = _NoValue,
    append: Any = _NoValue,
) -> Any:
    """Return the n-th difference along an axis."""
    n = operator.index(n)
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    x = operand(a)
    shape = aval_of(x).shape
    if not shape:
        raise ValueError("diff requires input that is at least one dimensional")
    (axis,) = normalize_axes(operator.index(axis), len(shape))
    kept = keep_axes(shape, (axis,))
    ends = [_end(v, kept) for v in (prepend, append)]
    parts = [p for p in (ends[0], x, ends[1]) if p is not None]
    if len(parts) > 1:
        x = concatenate(*parts, axis=axis)
    for _ in range(n):
        x = _steps(x, axis)
    return x


def _end(value: Any, shape: tuple[int, ...]) -> Any:
    """Return what is put before or after the values, None if nothing is."""
    if value is _NoValue:
        return None
    value = operand(value)
    if aval_of(value).shape == ():
        return broadcast_to(
            np.asarray(value) if np.isscalar(value) else value, shape=shape
        )
    return value


@implements(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return the differences of the flattened array, between two given ends."""
    x = _flat(operand(ary))
    dtype = aval_of(x).dtype
    parts = [_steps(x, 0)]
    if to_begin is not None:
        parts.insert(0, _compatible("to_begin", to_begin, dtype))
    if to_end is not None:
        parts.append(_compatible("to_end", to_end, dtype))
    return concatenate(*parts, axis=0) if len(parts) > 1 else parts[0]


def _flat(x: Any) -> Any:
    return reshape(x, shape=(aval_of(x).size,))


def _compatible(name: str, value: Any, dtype: np.dtype[Any]) -> Any:
    value = operand(value)
    own = aval_of(value).dtype
    if not np.can_cast(own, dtype, "same_kind"):
        raise TypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the "
            f"`same_kind` rule: {own} is not with {dtype}."
        )
    return cast(_flat(value), dtype)


@implements(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """Integrate along an axis by the trapezoidal rule, over `x` or in steps of `dx`."""
    y = operand(y)
    shape = aval_of(y).shape
    (axis,) = normalize_axes(operator.index(axis), len(shape))
    if x is None:
        step = operand(dx)
    elif len(aval_of(operand(x)).shape) == 1:
        step = _steps(operand(x), 0)
        length = aval_of(step).shape[0]
        step = reshape(step, shape=(length, *(1,) * (len(shape) - 1 - axis)))
    else:
        own = len(aval_of(operand(x)).shape)
        step = _steps(operand(x), axis - len(shape) + own)
    n = shape[axis]
    pairs = slice_along(y, 1, n, axis) + slice_along(y, 0, _last(n), axis)
    areas = step * pairs / 2.0
    return reduce_sum(areas, axis=(len(aval_of(areas).shape) - len(shape) + axis,))


@implements(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """Return central differences inside and one-sided ones at the edges.

    Args:
        f: values.
        varargs: nothing, one step for all axes, or for each axis a step or coordinates.
        axis: one or several axes; None for all.
        edge_order: 1 or 2, the order of accuracy at the edges.

    Returns:
        An array for one axis, a tuple of arrays for several.
    """
    x = operand(f)
    aval = aval_of(x)
    chosen = range(aval.ndim) if axis is None else np.ravel(axis)
    axes = [normalize_axes(a, aval.ndim)[0] for a in chosen]
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    x = cast(x, np.float64) if aval.dtype.kind in "iub" else x
    spacing = _spacings(varargs, axes, aval.shape)
    for a in axes:
        if aval.shape[a] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least "
                "(edge_order + 1) elements are required."
            )
    slopes = [_slope(x, h, a, edge_order) for h, a in zip(spacing, axes, strict=True)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _spacings(given: Any, axes: list[int], shape: tuple[int, ...]) -> list[Any]:
    """Return for each axis the step: a scalar, or one between any two neighbours."""
    if not given:
        return [1.0] * len(axes)
    steps = [operand(v) for v in given]
    if len(steps) == 1 and aval_of(steps[0]).shape == ():
        return steps * len(axes)
    if len(steps) != len(axes):
        raise TypeError("invalid number of arguments")
    return [_spacing(v, shape[a]) for v, a in zip(steps, axes, strict=True)]


def _spacing(x: Any, n: int) -> Any:
    aval = aval_of(x)
    if aval.shape == ():
        return x
    if len(aval.shape) != 1:
        raise ValueError("distances must be either scalars or 1d")
    if aval.shape[0] != n:
        raise ValueError(
            "when 1d, distances must match the length of the corresponding dimension: "
            f"{aval.shape[0]} distances for a length of {n}"
        )
    if isinstance(x, Tracer):
        return _steps(cast(x, np.float64) if aval.dtype.kind in "iub" else x, 0)
    steps = np.diff(x.astype(np.float64) if aval.dtype.kind in "iub" else x)
    return steps[0] if (steps == steps[0]).all() else steps


def _slope(x: Any, h: Any, axis: int, edge_order: int) -> Any:
    """Return the derivative along one axis: first edge, inside, last edge."""
    aval = aval_of(x)
    n = aval.shape[axis]
    even = aval_of(h).shape == ()
    inside = _even_inside(x, h, axis) if even else _uneven_inside(x, h, axis)
    if edge_order == 1:
        first, last = (h, h) if even else (_pick(h, 0), _pick(h, -1))
        rise = slice_along(x, 1, 2, axis) - slice_along(x, 0, 1, axis)
        fall = slice_along(x, n - 1, n, axis) - slice_along(x, n - 2, n - 1, axis)
        edges = [rise / first, fall / last]
    else:
        start, end = ((h, h), (h, h)) if even else _outer(h)
        edges = [
            _weigh(x, _edge_weights(*start), (0, 1, 2), axis),
            -_weigh(x, _edge_weights(*end), (n - 1, n - 2, n - 3), axis),
        ]
    parts = [edges[0], inside, edges[1]]
    return concatenate(*[cast(p, aval.dtype) for p in parts], axis=axis)


def _pick(h: Any, i: int) -> Any:
    return getitem(h, index=(i,))


def _outer(h: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return the two steps at each end, the outer one first."""
    return (_pick(h, 0), _pick(h, 1)), (_pick(h, -1), _pick(h, -2))


def _even_inside(x: Any, h: Any, axis: int) -> Any:
    n = aval_of(x).shape[axis]
    return (slice_along(x, 2, n, axis) - slice_along(x, 0, n - 2, axis)) / (2.0 * h)


def _uneven_inside(x: Any, h: Any, axis: int) -> Any:
    """Fit a parabola through each element and its neighbours."""
    shape = aval_of(x).shape
    n = shape[axis]
    column = (n - 2, *(1,) * (len(shape) - 1 - axis))
    before = reshape(slice_along(h, 0, n - 2, 0), shape=column)
    after = reshape(slice_along(h, 1, n - 1, 0), shape=column)
    whole = before + after
    return (
        -after / (before * whole) * slice_along(x, 0, n - 2, axis)
        + (after - before) / (before * after) * slice_along(x, 1, n - 1, axis)
        + before / (after * whole) * slice_along(x, 2, n, axis)
    )


def _edge_weights(near: Any, far: Any) -> tuple[Any, Any, Any]:
    """Return the weights of a parabola's slope at its first point, by the two steps."""
    whole = near + far
    return (
        -(near + whole) / (near * whole),
        whole / (near * far),
        -near / (far * whole),
    )


def _weigh(x: Any, weights: Any, at: tuple[int, ...], axis: int) -> Any:
    terms = [
        w * slice_along(x, i, i + 1, axis) for w, i in zip(weights, at, strict=True)
    ]
    return terms[0] + terms[1] + terms[2]
