"""Shapes: reshape, squeeze, broadcast and their kin.

All move or repeat elements and are linear. They return views where NumPy does, so that
a write to the result is seen in the argument (see `fad.numpy.assignment`), and copies
where NumPy copies.

Public names: `reshape ravel squeeze expand_dims broadcast_to broadcast_arrays
atleast_1d atleast_2d atleast_3d copy`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of, concrete_value
from ..core.views import View
from ..ops import arithmetic
from ..ops import shape as ops
from ..ops.infer_rules import broadcast_shapes, normalize_axes
from .convert import operand
from .dispatch import implements

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "copy",
    "expand_dims",
    "ravel",
    "reshape",
    "squeeze",
]


def owned(x: Any) -> Any:
    """Return an array that shares memory with no other, as results of NumPy are."""
    return arithmetic.copy(x) if isinstance(x, View) else x


def of_its_own(x: Any) -> Any:
    """Return a view of an array that nobody else holds: as good as an array itself."""
    if isinstance(x, View):
        x.certain = True
    return x


def axis_of(axis: Any, ndim: int) -> int:
    """Return a non-negative axis.

    Raises:
        numpy.exceptions.AxisError: it is out of range.
    """
    return normalize_axes(operator.index(axis), ndim)[0]


def axes_of(axis: Any, ndim: int) -> list[int]:
    """Return non-negative axes from an int or a sequence, in the order given."""
    axes = axis if isinstance(axis, (tuple, list, range)) else (axis,)
    found = [axis_of(a, ndim) for a in axes]
    if len(set(found)) != len(found):
        raise ValueError(f"repeated axis in {axis!r}")
    return found


def sizes_of(shape: Any) -> tuple[int, ...]:
    """Return a shape as a tuple of ints, from an int or a sequence of them."""
    if isinstance(shape, (tuple, list, range)) or np.ndim(shape) == 1:
        return tuple([operator.index(n) for n in shape])
    return (operator.index(shape),)


def resolved(shape: Any, size: int) -> tuple[int, ...]:
    """Return a new shape for `size` elements, with -1 filled in."""
    given = sizes_of(shape)
    if given.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = math.prod(n for n in given if n != -1)
    missing = size // known if known and -1 in given else 0
    resolved = tuple(missing if n == -1 else n for n in given)
    if math.prod(resolved) != size or any(n < 0 for n in resolved):
        shown = str(given).replace(" ", "")
        raise ValueError(f"cannot reshape array of size {size} into shape {shown}")
    return resolved


def reversed_axes(x: Any) -> Any:
    """Return the transpose."""
    return ops.transpose(x, axes=tuple(range(aval_of(x).ndim))[::-1])


def _is_fortran(x: Any) -> bool:
    """Tell whether order="A" means Fortran's; unknown memory is taken for C's."""
    flags = getattr(concrete_value(x), "flags", None)
    return flags is not None and flags.f_contiguous and not flags.c_contiguous


def reshaped(x: Any, shape: tuple[int, ...], order: Any) -> Any:
    """Return `x` with a complete new shape, read and filled in an index order."""
    if order in ("F", "f") or (order in ("A", "a") and _is_fortran(x)):
        return reversed_axes(ops.reshape(reversed_axes(x), shape=shape[::-1]))
    if order not in ("C", "c", "A", "a"):
        raise ValueError(f"order must be one of 'C', 'F', 'A' (got {order!r})")
    return ops.reshape(x, shape=shape)


@implements(np.reshape)
def reshape(a: Any, /, shape: Any, order: Any = "C", *, copy: Any = None) -> Any:
    """Give the elements a new shape."""
    x = operand(a)
    out = reshaped(x, resolved(shape, aval_of(x).size), order)
    if copy is False and not isinstance(out, View) and isinstance(out, Tracer):
        raise ValueError("Unable to avoid creating a copy while creating an array.")
    return owned(out) if copy else out


@implements(np.ravel)
def ravel(a: Any, order: Any = "C") -> Any:
    """Flatten; a view where the elements lie in order without gaps."""
    x = operand(a)
    if order in ("K", "k"):
        x = ops.transpose(x, axes=_memory_axes(x))
        order = "C"
    out = reshaped(x, (aval_of(x).size,), order)
    if isinstance(out, View):
        value = concrete_value(out)
        if value is None:
            out.certain = out.certain and not isinstance(x, View)
        elif not value.flags.c_contiguous:
            return arithmetic.copy(out)
    return out


def _memory_axes(x: Any) -> tuple[int, ...]:
    """Return the axes from slow to fast in memory, where it is known."""
    value = concrete_value(x)
    axes = range(aval_of(x).ndim)
    if not isinstance(value, np.ndarray):
        return tuple(axes)
    return tuple(sorted(axes, key=lambda a: -abs(value.strides[a])))


@implements(np.squeeze)
def squeeze(a: Any, axis: Any = None) -> Any:
    """Drop axes of size 1, all of them by default."""
    x = operand(a)
    shape = aval_of(x).shape
    if axis is None:
        axes = [i for i, n in enumerate(shape) if n == 1]
    else:
        axes = axes_of(axis, len(shape))
        if any(shape[i] != 1 for i in axes):
            raise ValueError(
                "cannot select an axis to squeeze out which has size not equal to one"
            )
    return ops.reshape(x, shape=_without(shape, axes))


def _without(shape: Sequence[int], dropped: Sequence[int]) -> tuple[int, ...]:
    """Return a shape without some of its axes."""
    return tuple(n for i, n in enumerate(shape) if i not in dropped)


@implements(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Any:
    """Insert axes of size 1, at positions in the result."""
    x = operand(a)
    shape = aval_of(x).shape
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    axes = axes_of(axis, len(shape) + count)
    sizes = iter(shape)
    rank = range(len(shape) + count)
    return ops.reshape(x, shape=tuple(1 if i in axes else next(sizes) for i in rank))


@implements(np.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """Repeat along axes of size 1 and new leading axes; a read-only view."""
    x = operand(array)
    shape = sizes_of(shape)
    found = aval_of(x).shape
    if len(found) > len(shape):
        raise ValueError("input operand has more dimensions than allowed by the axis")
    if broadcast_shapes("broadcast_to", found, shape) != shape:
        raise ValueError(f"cannot broadcast an array of shape {found} to {shape}")
    return ops.broadcast_to(x, shape=shape)


@implements(np.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """Broadcast arrays against each other."""
    arrays = [operand(a) for a in args]
    shapes = [aval_of(a).shape for a in arrays]
    shape = broadcast_shapes("broadcast_arrays", *shapes)
    if all(s == shape for s in shapes):
        return tuple(arrays)
    return tuple([ops.broadcast_to(a, shape=shape) for a in arrays])


def _each(one: Any, arys: Sequence[Any]) -> Any:
    results = tuple([one(operand(a)) for a in arys])
    return results[0] if len(results) == 1 else results


def _at_least(x: Any, shape: tuple[int, ...]) -> Any:
    return x if aval_of(x).shape == shape else ops.reshape(x, shape=shape)


@implements(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    """Give scalars one axis."""
    return _each(lambda x: _at_least(x, aval_of(x).shape or (1,)), arys)


@implements(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    """Give values of fewer axes two, new ones in front."""

    def one(x: Any) -> Any:
        shape = aval_of(x).shape
        return _at_least(x, (1,) * (2 - len(shape)) + shape)

    return _each(one, arys)


@implements(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    """Give values of fewer axes three: (n,) becomes (1, n, 1), (m, n) (m, n, 1)."""

    def one(x: Any) -> Any:
        shape = aval_of(x).shape
        new = ((1, 1, 1), (1, *shape, 1), (*shape, 1))
        return _at_least(x, new[len(shape)] if len(shape) < 3 else shape)

    return _each(one, arys)


@implements(np.copy)
def copy(a: Any, order: Any = "K", subok: bool = False) -> Any:
    """Return a copy: later writes to either are not seen in the other."""
    return arithmetic.copy(operand(a))
