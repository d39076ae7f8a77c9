"""Operations under the names of `jax.lax`: on arrays, without NumPy's conveniences.

Public names: `conv_general_dilated conv dynamic_slice dynamic_update_slice
dynamic_index_in_dim slice_in_dim rsqrt top_k` and the elementwise functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import numpy as fnp
from ..core.trace import aval_of
from ..ops.convolution import Window, conv_general, extent
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem, scatter_set
from ..ops.shape import transpose

__all__ = [
    "conv",
    "conv_general_dilated",
    "dynamic_index_in_dim",
    "dynamic_slice",
    "dynamic_update_slice",
    "rsqrt",
    "slice_in_dim",
    "top_k",
]


def rsqrt(x: Any) -> Any:
    """Return 1 / sqrt(x)."""
    return 1.0 / fnp.sqrt(x)


def conv_general_dilated(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: str | Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    feature_group_count: int = 1,
) -> Any:
    """Convolve (correlate, in the signal-processing sense) stacks of images.

    Args:
        lhs: images, of shape `(n, c, *size)` unless `dimension_numbers` says otherwise.
        rhs: kernels, of shape `(o, c / groups, *kernel)`.
        window_strides: steps between outputs, one per dimension of the images.
        padding: "VALID", "SAME", or a pair (before, after) per dimension.
        lhs_dilation, rhs_dilation: steps between elements of images and kernels.
        dimension_numbers: three strings, as ("NHWC", "HWIO", "NHWC").
        feature_group_count: the number of groups of channels.

    Returns:
        An array of shape `(n, o, *out)`, or as `dimension_numbers` says.

    >>> import fad, numpy as np
    >>> x, w = np.ones((1, 1, 4, 4)), np.ones((1, 1, 3, 3))
    >>> fad.lax.conv_general_dilated(x, w, (1, 1), "VALID")[0, 0]
    array([[9., 9.],
           [9., 9.]])
    """
    rank = aval_of(lhs).ndim - 2
    back = None
    if dimension_numbers is not None:
        lhs, rhs, back = _in_order(lhs, rhs, dimension_numbers)
    ones = (1,) * rank
    spread = tuple(lhs_dilation or ones)
    dilation = tuple(rhs_dilation or ones)
    strides = tuple(window_strides)
    if len(strides) != rank:
        raise ValueError(
            f"conv_general_dilated: images of {rank} dimensions need as many strides, "
            f"got {strides}"
        )
    sizes = [extent(n, s) for n, s in zip(aval_of(lhs).shape[2:], spread, strict=True)]
    kernel = [
        extent(n, d) for n, d in zip(aval_of(rhs).shape[2:], dilation, strict=True)
    ]
    pads = _padding(padding, sizes, kernel, strides)
    window = Window(strides, pads, spread, dilation)
    out = conv_general(lhs, rhs, window=window, groups=feature_group_count)
    return out if back is None else transpose(out, axes=back)


def _in_order(lhs: Any, rhs: Any, numbers: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """Transpose to (n, c, ...) and (o, i, ...); return how to transpose back."""
    left, right, out = numbers
    space = [c for c in left if c not in "NC"]
    lhs = transpose(lhs, axes=tuple(left.index(c) for c in ["N", "C", *space]))
    rhs = transpose(rhs, axes=tuple(right.index(c) for c in ["O", "I", *space]))
    found = ["N", "C", *space]
    return lhs, rhs, tuple(found.index(c) for c in out)


def _padding(
    padding: Any, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    if not isinstance(padding, str):
        return tuple((int(a), int(b)) for a, b in padding)
    if padding.upper() == "VALID":
        return ((0, 0),) * len(sizes)
    if padding.upper() != "SAME":
        raise ValueError(
            f"padding must be 'SAME', 'VALID' or pairs (before, after), got {padding!r}"
        )
    pads = []
    for n, k, s in zip(sizes, kernel, strides, strict=True):
        total = max((-(-n // s) - 1) * s + k - n, 0)
        pads.append((total // 2, total - total // 2))
    return tuple(pads)


def conv(lhs: Any, rhs: Any, window_strides: Sequence[int], padding: Any) -> Any:
    """Convolve images `(n, c, *size)` with kernels `(o, c, *kernel)`."""
    return conv_general_dilated(lhs, rhs, window_strides, padding)


def _region(name: str, x: Any, starts: Any, sizes: Sequence[int]) -> list[Any]:
    """Return index arrays of a block whose start may be traced."""
    shape = aval_of(x).shape
    starts = list(starts)
    if len(starts) != len(shape) or len(sizes) != len(shape):
        raise ValueError(
            f"{name}: an array of shape {shape} needs {len(shape)} starts and sizes, "
            f"got {len(starts)} and {len(sizes)}"
        )
    arrays = []
    for axis, (start, size, n) in enumerate(zip(starts, sizes, shape, strict=True)):
        if not 0 <= size <= n:
            raise ValueError(f"{name}: size {size} is too large for shape {shape}")
        start = fnp.clip(fnp.where(start < 0, start + n, start), 0, n - size)
        line = np.arange(size).reshape((-1,) + (1,) * (len(shape) - axis - 1))
        arrays.append(line + start)
    return arrays


def dynamic_slice(x: Any, start_indices: Any, slice_sizes: Sequence[int]) -> Any:
    """Return a block of an array; its start may be traced, its shape is static.

    A start below 0 counts from the end; the block is moved to lie inside the array.

    >>> import fad, numpy as np
    >>> fad.jit(lambda i: fad.lax.dynamic_slice(np.arange(5.0), (i,), (2,)))(2)
    array([2., 3.])
    """
    ids = _region("dynamic_slice", x, start_indices, slice_sizes)
    return getitem(x, *ids, index=(ARRAY,) * len(ids), unique=True) if ids else x


def dynamic_update_slice(x: Any, update: Any, start_indices: Any) -> Any:
    """Return an array with a block replaced by `update`; its start may be traced."""
    ids = _region("dynamic_update_slice", x, start_indices, aval_of(update).shape)
    if not ids:
        return update
    return scatter_set(x, update, *ids, index=(ARRAY,) * len(ids), unique=True)


def dynamic_index_in_dim(
    x: Any, index: Any, axis: int = 0, keepdims: bool = True
) -> Any:
    """Return `x[..., index, ...]` at `axis`; the index may be traced."""
    shape = aval_of(x).shape
    axis = range(len(shape))[axis]
    starts = [index if a == axis else 0 for a in range(len(shape))]
    sizes = [1 if a == axis else n for a, n in enumerate(shape)]
    block = dynamic_slice(x, starts, sizes)
    return block if keepdims else fnp.squeeze(block, axis=axis)


def slice_in_dim(
    x: Any, start: int | None, stop: int | None, stride: int = 1, axis: int = 0
) -> Any:
    """Return `x[..., start:stop:stride, ...]` at `axis`."""
    axis = range(aval_of(x).ndim)[axis]
    return getitem(x, index=(slice(None),) * axis + (slice(start, stop, stride),))


def top_k(x: Any, k: int) -> tuple[Any, Any]:
    """Return the k largest elements along the last axis, and where they are.

    >>> import fad, numpy as np
    >>> fad.lax.top_k(np.array([3.0, 1.0, 2.0]), 2)
    (array([3., 2.]), array([0, 2]))
    """
    order = fnp.flip(fnp.argsort(fnp.flip(x, axis=-1), axis=-1, stable=True), axis=-1)
    where = aval_of(x).shape[-1] - 1 - order[..., :k]
    return fnp.take_along_axis(x, where, axis=-1), where
