"""Taking a tensor apart: functions that return several views, which share one node.

Such views refuse a later in-place write when gradients are involved, as PyTorch's do
(`Origin.SEVERAL`).

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.trace import Tracer, bind
from ..ops.indexing import getitem
from .composite import CompositeNode, record_composite
from .declare import function
from .dims import axis_of
from .node import node_type
from .tensor import Tensor
from .views import Origin, as_view

__all__: list[str] = []


def _several(x: Tensor, node: str, indices: Sequence[Any]) -> tuple[Tensor, ...]:
    """Return views at basic indices, as outputs of one node."""
    steps = [(getitem, {"index": index}) for index in indices]

    def read(x: Any) -> tuple[Any, ...]:
        return tuple([bind(prim, x, **params) for prim, params in steps])

    outs = record_composite(node_type(node, CompositeNode), read, [x])
    if not isinstance(x.value, Tracer):
        for out, step in zip(outs, steps, strict=True):
            as_view(out, x, (step,), Origin.SEVERAL)
    found: tuple[Tensor, ...] = outs
    return found


@function("unbind", out=False)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the slices along a dimension, which they do not have."""
    if not input.ndim:
        raise RuntimeError("Dimension specified as 0 but tensor has no dimensions")
    axis = axis_of(dim, input.ndim)
    before = (slice(None),) * axis
    places = [(*before, i, Ellipsis) for i in range(input.shape[axis])]
    return _several(input, "UnbindBackward0", places)


def _pieces(axis: int, sizes: Sequence[int]) -> list[Any]:
    before, start, found = (slice(None),) * axis, 0, []
    for size in sizes:
        found.append((*before, slice(start, start + size), Ellipsis))
        start += size
    return found


@function("split", out=False)
def split(
    tensor: Tensor, split_size_or_sections: Any, dim: int = 0
) -> tuple[Tensor, ...]:
    """Return views of a size, the last one perhaps smaller, or of the sizes given."""
    if not tensor.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if not isinstance(split_size_or_sections, int):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    axis, size = axis_of(dim, tensor.ndim), split_size_or_sections
    length = tensor.shape[axis]
    if size < 0:
        raise RuntimeError(
            f"split expects split_size be non-negative, but got split_size={size}"
        )
    if size == 0 and length:
        raise RuntimeError(
            "split_size can only be 0 if dimension size is 0, but got dimension size "
            f"of {length}"
        )
    whole, rest = divmod(length, size) if size else (1, 0)
    sizes = [size] * whole + [rest] * bool(rest)
    return _several(tensor, "SplitBackward0", _pieces(axis, sizes or [0]))


@function("split_with_sizes", out=False)
def split_with_sizes(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Return views of the sizes given, which have to add up."""
    axis, sizes = axis_of(dim, input.ndim), [int(s) for s in split_sizes]
    length = input.shape[axis]
    if sum(sizes) != length:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {length} (input "
            f"tensor's size at dimension {dim}), but got split_sizes={sizes}"
        )
    return _several(input, "SplitWithSizesBackward0", _pieces(axis, sizes))


@function("chunk", out=False)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return at most `chunks` views of one size, the last one perhaps smaller."""
    if chunks <= 0:
        raise RuntimeError(
            f"chunk expects `chunks` to be greater than 0, got: {chunks}"
        )
    axis = axis_of(dim, input.ndim)
    length = input.shape[axis]
    size = -(-length // chunks)
    if size == 0:
        return split_with_sizes(input, [0] * chunks, dim)
    return split(input, size, dim)


@function("tensor_split", out=False)
def tensor_split(
    input: Tensor, indices_or_sections: Any, dim: int = 0
) -> tuple[Tensor, ...]:
    """Return views between indices, or a number of views of nearly one size."""
    axis = axis_of(dim, input.ndim)
    length = input.shape[axis]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()  # type: ignore[attr-defined]
    if isinstance(indices_or_sections, int):
        whole, rest = divmod(length, indices_or_sections)
        sizes = [whole + (i < rest) for i in range(indices_or_sections)]
        return _several(input, "SliceBackward0", _pieces(axis, sizes))
    before = (slice(None),) * axis
    bounds = [0, *indices_or_sections, None]
    places = [
        (*before, slice(a, b), Ellipsis)
        for a, b in zip(bounds[:-1], bounds[1:], strict=True)
    ]
    return _several(input, "SliceBackward0", places)
