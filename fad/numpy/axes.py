"""Axes: transpose, swap, move and reverse them.

All results are views, as NumPy's are: a write to them is seen in the argument.

Public names: `transpose permute_dims matrix_transpose swapaxes moveaxis rollaxis flip
fliplr flipud rot90`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops import shape as ops
from ..ops.indexing import getitem
from .convert import operand
from .dispatch import implements
from .manipulation import axes_of, axis_of, reversed_axes

__all__ = [
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "rollaxis",
    "rot90",
    "swapaxes",
    "transpose",
]


@implements(np.transpose)
def transpose(a: Any, axes: Any = None) -> Any:
    """Permute the axes; all in reverse by default."""
    x = operand(a)
    if axes is None:
        return reversed_axes(x)
    ndim = aval_of(x).ndim
    if len(axes) != ndim:
        raise ValueError("axes don't match array")
    found = tuple([axis_of(i, ndim) for i in axes])
    if len(set(found)) != ndim:
        raise ValueError("repeated axis in transpose")
    return ops.transpose(x, axes=found)


permute_dims = transpose


@implements(np.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    """Exchange the last two axes."""
    x = operand(x)
    ndim = aval_of(x).ndim
    if ndim < 2:
        raise ValueError(
            f"Input array must be at least 2-dimensional, but it is {ndim}"
        )
    return _swapped(x, ndim - 2, ndim - 1)


def _swapped(x: Any, i: int, j: int) -> Any:
    axes = list(range(aval_of(x).ndim))
    axes[i], axes[j] = axes[j], axes[i]
    return ops.transpose(x, axes=tuple(axes))


@implements(np.swapaxes)
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Exchange two axes."""
    x = operand(a)
    ndim = aval_of(x).ndim
    return _swapped(x, axis_of(axis1, ndim), axis_of(axis2, ndim))


@implements(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Move axes to new positions; the others keep their order."""
    x = operand(a)
    ndim = aval_of(x).ndim
    sources, targets = axes_of(source, ndim), axes_of(destination, ndim)
    if len(sources) != len(targets):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [n for n in range(ndim) if n not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return ops.transpose(x, axes=tuple(order))


@implements(np.rollaxis)
def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    """Move an axis to lie before `start`."""
    x = operand(a)
    ndim = aval_of(x).ndim
    axis, start = axis_of(axis, ndim), operator.index(start)
    if not -ndim <= start <= ndim:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-ndim} <= start < {ndim + 1}, but {start} was "
            "passed"
        )
    start += ndim if start < 0 else 0
    return ops.move_axis(x, axis, start - (axis < start))


@implements(np.flip)
def flip(m: Any, axis: Any = None) -> Any:
    """Reverse the order along axes, all by default."""
    x = operand(m)
    ndim = aval_of(x).ndim
    axes = range(ndim) if axis is None else axes_of(axis, ndim)
    return ops.flip(x, axis=tuple(axes))


@implements(np.fliplr)
def fliplr(m: Any) -> Any:
    """Reverse the columns."""
    if aval_of(operand(m)).ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return flip(m, 1)


@implements(np.flipud)
def flipud(m: Any) -> Any:
    """Reverse the rows."""
    if aval_of(operand(m)).ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return flip(m, 0)


@implements(np.rot90)
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Rotate by 90 degrees, `k` times, from the first axis of `axes` to the second."""
    x = operand(m)
    ndim = aval_of(x).ndim
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    i, j = [axis_of(a, ndim) for a in axes]
    if i == j:
        raise ValueError("Axes must be different.")
    k %= 4
    if k == 0:
        return getitem(x, index=(Ellipsis,))
    if k == 2:
        return ops.flip(x, axis=(i, j))
    if k == 1:
        return _swapped(ops.flip(x, axis=(j,)), i, j)
    return ops.flip(_swapped(x, i, j), axis=(j,))
