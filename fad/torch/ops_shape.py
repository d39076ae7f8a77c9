"""Views of another shape: reshape, flatten, squeeze, expand, and the like.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.trace import Tracer
from ..ops import shape as shapes
from . import dtypes
from .declare import function, method
from .dims import axes_of, axis_of
from .node import node_type
from .tape import record
from .tensor import Tensor, wrap
from .views import view_by

__all__ = ["expand", "filled_shape", "reshape"]

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
    known = math.prod(lengths)
    if known == size and known > 0 and min(lengths, default=1) > 0:
        return tuple(lengths)
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
def view(self: Tensor, *shape: Any, dtype: Any = None) -> Any:
    """Return a view of another shape, or of the same bytes as another dtype.

    Raises:
        RuntimeError: the memory does not allow it.
    """
    if dtype is not None or (len(shape) == 1 and isinstance(shape[0], dtypes.dtype)):
        return _bytes_as(self, dtype or shape[0])
    new = filled_shape(shape, self.value.size)
    if not isinstance(self.value, Tracer) and not _is_viewable(self.value, new):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least "
            "one dimension spans across two contiguous subspaces). Use .reshape(...) "
            "instead."
        )
    return view_by(shapes.reshape, _VIEW, self, {"shape": new})


def _bytes_as(x: Tensor, dtype: Any) -> Tensor:
    """Return a view of the same bytes, without a gradient."""
    out = wrap(x.value.view(dtypes.to_numpy(dtype)))
    out._storage = x.storage
    return out


def _is_viewable(array: Any, shape: tuple[int, ...]) -> bool:
    if array.flags.c_contiguous:
        return True
    return bool(np.may_share_memory(array.reshape(shape), array)) or not array.size


@method()
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """Return a view of the shape of another tensor."""
    return view(self, other.shape)  # type: ignore[no-any-return]


@function("reshape", out=False)
def reshape(input: Tensor, *shape: Any) -> Any:
    """Return a view of another shape, or a copy where the memory does not allow one."""
    new = filled_shape(shape, input.value.size)
    if isinstance(input.value, Tracer) or _is_viewable(input.value, new):
        return view_by(shapes.reshape, _VIEW, input, {"shape": new})
    return record(shapes.reshape, _UNSAFE_VIEW, (input,), {"shape": new})


@method()
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the tensor in the shape of another."""
    return reshape(self, other.shape)  # type: ignore[no-any-return]


def viewed(x: Tensor, shape: tuple[int, ...], cls: type = _VIEW) -> Tensor:
    """Return a view of a shape that the memory allows."""
    return view_by(shapes.reshape, cls, x, {"shape": shape})


@function("flatten", out=False)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Return the tensor with a range of dimensions as one."""
    first, last = axis_of(start_dim, input.ndim), axis_of(end_dim, input.ndim)
    if first > last:
        raise RuntimeError(
            "flatten() has invalid args: start_dim cannot come after end_dim"
        )
    if not input.ndim:
        return reshape(input, 1)
    if first == last:
        return input
    shape = input.shape
    size = int(np.prod(shape[first : last + 1], dtype=np.int64))
    return reshape(input, (*shape[:first], size, *shape[last + 1 :]))


@function("ravel", out=False)
def ravel(input: Tensor) -> Any:
    """Return the elements in one dimension."""
    return view(input.contiguous(), -1)  # type: ignore[attr-defined]


@function("unflatten", out=False)
def unflatten(input: Tensor, dim: int, sizes: Any) -> Any:
    """Return a view with one dimension as several."""
    axis = axis_of(dim, input.ndim)
    sizes = [int(n) for n in sizes]
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    length, known = input.shape[axis], int(np.prod([n for n in sizes if n != -1]))
    if -1 in sizes and known and length % known == 0:
        sizes[sizes.index(-1)] = length // known
    if -1 in sizes or int(np.prod(sizes)) != length:
        raise RuntimeError(
            f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim "
            f"{dim} ({length}) in the input tensor"
        )
    return view(input, (*input.shape[:axis], *sizes, *input.shape[axis + 1 :]))


_SQUEEZE = [node_type(f"SqueezeBackward{i}") for i in range(3)]


@function("squeeze", out=False)
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Return a view without dimensions of length 1: all, or those given."""
    if dim is None:
        kind, axes = 0, tuple(range(input.ndim))
    elif isinstance(dim, (tuple, list)):
        kind, axes = 2, axes_of(dim, input.ndim) if dim else ()
    else:
        kind, axes = 1, (axis_of(dim, input.ndim),)
    shape = tuple(n for i, n in enumerate(input.shape) if n != 1 or i not in axes)
    return viewed(input, shape, _SQUEEZE[kind])


_EXPAND = node_type("ExpandBackward0")


@method()
def expand(self: Tensor, *sizes: Any, implicit: bool = False) -> Tensor:
    """Return a view with dimensions of length 1 repeated; -1 leaves a length."""
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = tuple(sizes[0])
    new = [int(n) for n in sizes]
    mine = list(self.shape)
    surplus = len(new) - len(mine)
    if surplus < 0:
        raise RuntimeError(
            f"expand(torch.{self.dtype.title}Tensor{{{mine}}}, size={new}): the number "
            f"of sizes provided ({len(new)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(mine)})"
        )
    for i, n in enumerate(new):
        have = mine[i - surplus] if i >= surplus else 1
        if n == -1 and i < surplus:
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) isn't allowed in a leading, "
                f"non-existing dimension {i}"
            )
        if n == -1:
            new[i] = have
        elif have not in (1, n):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size "
                f"({have}) at non-singleton dimension {i}.  Target sizes: {new}.  "
                f"Tensor sizes: {mine}"
            )
    out = view_by(shapes.broadcast_to, _EXPAND, self, {"shape": tuple(new)})
    value, whole = self.value, out.value
    if not isinstance(whole, Tracer) and value.flags.writeable and whole is not value:
        whole.flags.writeable = True  # NumPy's is read-only: it repeats elements
    return out


@method()
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Return a view expanded to the shape of another tensor."""
    return expand(self, other.shape)


@function("broadcast_to", out=False)
def broadcast_to(input: Tensor, *size: Any) -> Tensor:
    """Return a view expanded to a shape."""
    return expand(input, *size)


@function("broadcast_shapes", methods=False, out=False)
def broadcast_shapes(*shapes: Any) -> Any:
    """Return the shape to which shapes broadcast."""
    from .size import Size

    full: list[int] = []
    for i, given in enumerate(shapes):
        shape = [given] if isinstance(given, int) else list(given)
        full = [1] * (len(shape) - len(full)) + full
        for at in range(-1, -len(shape) - 1, -1):
            if shape[at] not in (1, full[at]) and full[at] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[at]} at "
                    f"{at}! "
                    f"Mismatching argument at index {i} had {tuple(shape)}; but "
                    "expected "
                    f"shape should be broadcastable to {full}"
                )
            full[at] = full[at] if shape[at] == 1 else shape[at]
    return Size(full)


@function("broadcast_tensors", methods=False, out=False)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Return tensors expanded to their common shape."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    shape: tuple[int, ...] = ()
    for t in tensors:
        try:
            shape = np.broadcast_shapes(shape, tuple(t.shape))
        except ValueError as error:
            from .declare import size_mismatch

            found = size_mismatch(np.empty(shape), t)
            raise RuntimeError(found) from error
    return tuple(t if tuple(t.shape) == shape else expand(t, shape) for t in tensors)


@function("atleast_1d", methods=False, out=False)
def atleast_1d(*tensors: Any) -> Any:
    """Return tensors with at least one dimension."""
    return _each(tensors, lambda x: x if x.ndim else reshape(x, 1))


@function("atleast_2d", methods=False, out=False)
def atleast_2d(*tensors: Any) -> Any:
    """Return tensors with at least two dimensions."""

    def raised(x: Any) -> Any:
        if x.ndim >= 2:
            return x
        return x.unsqueeze(0) if x.ndim else reshape(x, 1, 1)

    return _each(tensors, raised)


@function("atleast_3d", methods=False, out=False)
def atleast_3d(*tensors: Any) -> Any:
    """Return tensors with at least three dimensions."""

    def raised(x: Any) -> Any:
        if x.ndim >= 3:
            return x
        if x.ndim == 2:
            return x.unsqueeze(-1)
        return x.unsqueeze(0).unsqueeze(-1) if x.ndim else reshape(x, 1, 1, 1)

    return _each(tensors, raised)


def _each(tensors: Any, fun: Any) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    elif len(tensors) == 1:
        return fun(tensors[0])
    return tuple(fun(t) for t in tensors)
