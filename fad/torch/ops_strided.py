"""Views by strides of their own: `as_strided` and its relatives.

PyTorch's strides count elements of the memory that a tensor's base owns, in the order
in which they lie there. The gradient needs the same as places among the elements of
the tensor.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer
from .declare import composite, function, method
from .ops_axes import sharing
from .tensor import Tensor
from .view_steps import strided

__all__: list[str] = []

_strided = composite("AsStridedBackward0", strided)


@function("as_strided", out=False)
def as_strided(
    input: Tensor, size: Any, stride: Any, storage_offset: int | None = None
) -> Tensor:
    """Return a view of the memory with steps of its own.

    Raises:
        RuntimeError: it does not lie inside the memory, or a stride is negative.
    """
    size, stride = tuple(size), tuple(stride)
    _check(size, stride)
    if isinstance(input.value, Tracer):
        places = _positions(size, stride, storage_offset or 0)
        return _strided(input, places=places)  # type: ignore[no-any-return]
    owner = _owner(input)
    memory = _memory(owner.value)
    offset = (
        _offset(input.value, owner.value) if storage_offset is None else storage_offset
    )
    wanted = _positions(size, stride, offset)
    _check_inside(wanted, size, stride, offset, memory)
    places = _among(input.value, owner.value, memory.size, wanted)
    if (places < 0).any():  # the tensor is a view that does not cover them
        input, places = owner, _among(owner.value, owner.value, memory.size, wanted)
        if (places < 0).any():
            raise RuntimeError("as_strided: some elements belong to no tensor")
    out: Tensor = _strided(input, places=places)
    bytes_ = tuple(s * memory.itemsize for s in stride)
    array = np.lib.stride_tricks.as_strided(memory[offset:], size, bytes_)
    return sharing(out, input, array, ((strided, {"places": places}),))


@method()
def as_strided_(
    self: Tensor, size: Any, stride: Any, storage_offset: int | None = None
) -> Tensor:
    """Make the tensor a view of its own memory, with these sizes and strides."""
    new = as_strided(self, size, stride, storage_offset)
    self.value, self.payload = new.value, new.payload
    return self


@function("as_strided_scatter")
def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: Any,
    stride: Any,
    storage_offset: int | None = None,
) -> Tensor:
    """Return a copy in which `src` stands where `as_strided` would look."""
    out: Any = input.clone()  # type: ignore[attr-defined]
    as_strided(out, size, stride, storage_offset).copy_(src)  # type: ignore[attr-defined]
    return out  # type: ignore[no-any-return]


def _check(size: Sequence[int], stride: Sequence[int]) -> None:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(stride)}"
        )


def _owner(x: Tensor) -> Tensor:
    """Return the tensor whose memory it is, if its elements are as large."""
    base = x if x._view is None else x._view.base
    return base if base.value.dtype == x.value.dtype else x


def _memory(array: np.ndarray) -> np.ndarray:
    """Return the elements of an array in the order in which they lie."""
    strides = [s // array.itemsize for s in array.strides]
    last = int(_positions(array.shape, strides, 0).max(initial=-1))
    return np.lib.stride_tricks.as_strided(array, (last + 1,), (array.itemsize,))


def _offset(array: np.ndarray, owner: np.ndarray) -> int:
    start, first = (a.__array_interface__["data"][0] for a in (array, owner))
    return int(start - first) // array.itemsize


def _positions(size: Sequence[int], stride: Sequence[int], offset: int) -> np.ndarray:
    found = np.full(size, offset)
    for axis, (n, s) in enumerate(zip(size, stride, strict=True)):
        shape = [1] * len(size)
        shape[axis] = n
        found += (np.arange(n) * s).reshape(shape)
    return found


def _check_inside(
    wanted: np.ndarray,
    size: Sequence[int],
    stride: Sequence[int],
    offset: int,
    memory: np.ndarray,
) -> None:
    last, item = int(wanted.max(initial=-1)), memory.itemsize
    if last >= memory.size:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset "
            f"{offset}, and itemsize {item} requiring a storage size of "
            f"{(last + 1) * item} are out of bounds for storage of size {memory.nbytes}"
        )


def _among(
    array: np.ndarray, owner: np.ndarray, size: int, wanted: np.ndarray
) -> np.ndarray:
    """Return positions in the memory as places in an array's order, -1 for none."""
    strides = [s // array.itemsize for s in array.strides]
    own = _positions(array.shape, strides, _offset(array, owner)).reshape(-1)
    known = np.full(max(size, int(own.max(initial=0)) + 1), -1)
    known[own] = np.arange(own.size)
    return known[wanted]
