"""Shape: views, joining, splitting, rearranging.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.trace import Tracer
from ..ops import shape as shapes
from .declare import function, method
from .dims import axis_of
from .node import node_type
from .tape import record
from .tensor import Tensor
from .views import view_by

__all__: list[str] = []

_VIEW = node_type("ViewBackward0")
_UNSAFE_VIEW = node_type("UnsafeViewBackward0")


def filled_shape(shape: Any, size: int) -> tuple[int, ...]:
    """Return a shape in which one length may be -1.

    Raises:
        RuntimeError: it does not fit the number of elements.
    """
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    lengths = [int(n) for n in shape]
    known = math.prod([n for n in lengths if n != -1])
    if lengths.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in lengths and known and size % known == 0:
        lengths[lengths.index(-1)] = size // known
        known = size
    if known != size or -1 in lengths:
        raise RuntimeError(f"shape '{lengths}' is invalid for input of size {size}")
    return tuple(lengths)


@method()
def view(self: Tensor, *shape: Any) -> Tensor:
    """Return a view of another shape.

    Raises:
        RuntimeError: the memory does not allow it.
    """
    new = filled_shape(shape, self.aval.size)
    if not isinstance(self.value, Tracer) and not _is_viewable(self.value, new):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least "
            "one dimension spans across two contiguous subspaces). Use .reshape(...) "
            "instead."
        )
    return view_by(shapes.reshape, _VIEW, self, {"shape": new})


def _is_viewable(array: Any, shape: tuple[int, ...]) -> bool:
    if array.flags.c_contiguous:
        return True
    return bool(np.may_share_memory(array.reshape(shape), array)) or not array.size


@method("view_as", "reshape_as")
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """Return a view of the shape of another tensor."""
    return view(self, other.shape)


@function("reshape", out=False)
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """Return a view of another shape, or a copy where the memory does not allow one."""
    new = filled_shape(shape, input.aval.size)
    if isinstance(input.value, Tracer) or _is_viewable(input.value, new):
        return view_by(shapes.reshape, _VIEW, input, {"shape": new})
    return record(shapes.reshape, _UNSAFE_VIEW, (input,), {"shape": new})


@function("t", out=False)
def t(input: Tensor) -> Tensor:
    """Return a view of a matrix with rows as columns."""
    if input.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D"
        )
    axes = tuple(range(input.ndim))[::-1]
    return view_by(shapes.transpose, node_type("TBackward0"), input, {"axes": axes})


@function("transpose", "swapaxes", "swapdims", out=False)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return a view with two dimensions exchanged."""
    axes = list(range(input.ndim))
    i, j = axis_of(dim0, input.ndim), axis_of(dim1, input.ndim)
    if axes:
        axes[i], axes[j] = axes[j], axes[i]
    cls = node_type("TransposeBackward0")
    return view_by(shapes.transpose, cls, input, {"axes": tuple(axes)})
