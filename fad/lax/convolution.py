"""Convolutions under the names and arguments of `jax.lax`.

Public names: `ConvDimensionNumbers conv conv_dimension_numbers conv_general_dilated
conv_transpose conv_with_general_padding pads_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import numpy as fnp
from ..core.trace import aval_of
from ..numpy.convert import cast, operand
from ..ops.convolution import Window, conv_general, extent
from ..ops.shape import invert_axes, transpose

__all__ = [
    "ConvDimensionNumbers",
    "conv",
    "conv_dimension_numbers",
    "conv_general_dilated",
    "conv_transpose",
    "conv_with_general_padding",
    "pads_of",
]


class ConvDimensionNumbers(NamedTuple):
    """Where the axes of a convolution are.

    Attributes:
        lhs_spec: the axes of batch, channels and space in the images.
        rhs_spec: those of output channels, input channels and space in the kernels.
        out_spec: those of batch, channels and space in the result.
    """

    lhs_spec: tuple[int, ...]
    rhs_spec: tuple[int, ...]
    out_spec: tuple[int, ...]


def conv_dimension_numbers(
    lhs_shape: Sequence[int], rhs_shape: Sequence[int], dimension_numbers: Any
) -> ConvDimensionNumbers:
    """Return dimension numbers as axes.

    Args:
        lhs_shape, rhs_shape: of images and kernels.
        dimension_numbers: None for batch and channels first, three strings as ("NHWC",
            "HWIO", "NHWC"), or `ConvDimensionNumbers`. The axes of space have the order
            in which the kernel's string names them.

    >>> import fad
    >>> fad.lax.conv_dimension_numbers((1, 4, 3), (2, 3, 5), ("NWC", "WIO", "NWC"))
    ConvDimensionNumbers(lhs_spec=(0, 2, 1), rhs_spec=(2, 1, 0), out_spec=(0, 2, 1))
    """
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    rank = len(lhs_shape)
    if rank != len(rhs_shape):
        raise TypeError(
            f"a convolution takes images and kernels of as many axes, got shapes "
            f"{tuple(lhs_shape)} and {tuple(rhs_shape)}"
        )
    if dimension_numbers is None:
        return ConvDimensionNumbers(*(tuple(range(rank)),) * 3)
    left, right, out = dimension_numbers
    space = [c for c in right if c not in "IO"]
    named = ((left, "NC"), (right, "OI"), (out, "NC"))
    for spec, first in named:
        if sorted(spec) != sorted([*first, *space]) or len(spec) != rank:
            raise ValueError(
                f"dimension_numbers {dimension_numbers} must name batch N and channels "
                "C of images and result, O and I of kernels, and the same axes of "
                f"space, {rank} in all, each once"
            )
    return ConvDimensionNumbers(
        *(tuple(spec.index(c) for c in [*first, *space]) for spec, first in named)
    )


def conv_general_dilated(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: str | Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:
    """Convolve (correlate, in the signal-processing sense) stacks of images.

    Args:
        lhs: images, of shape `(n, c, *size)` unless `dimension_numbers` says otherwise.
        rhs: kernels, of shape `(o, c / groups, *kernel)`.
        window_strides: steps between outputs, one per dimension of the images.
        padding: "VALID", "SAME", "SAME_LOWER", or a pair (before, after) per dimension.
        lhs_dilation, rhs_dilation: steps between elements of images and kernels.
        dimension_numbers: see `conv_dimension_numbers`.
        feature_group_count: the number of groups of channels.
        batch_group_count: the number of groups of images, each with its own part of
            the kernels.
        precision: accepted for compatibility.
        preferred_element_type: the dtype of the result.

    Returns:
        An array of shape `(n, o, *out)`, or as `dimension_numbers` says.

    >>> import fad, numpy as np
    >>> x, w = np.ones((1, 1, 4, 4)), np.ones((1, 1, 3, 3))
    >>> fad.lax.conv_general_dilated(x, w, (1, 1), "VALID")[0, 0]
    array([[9., 9.],
           [9., 9.]])
    """
    lhs, rhs = operand(lhs), operand(rhs)
    shapes = aval_of(lhs).shape, aval_of(rhs).shape
    specs = conv_dimension_numbers(*shapes, dimension_numbers)
    lhs = transpose(lhs, axes=tuple(specs.lhs_spec))
    rhs = transpose(rhs, axes=tuple(specs.rhs_spec))
    if preferred_element_type is not None:
        lhs, rhs = cast(lhs, preferred_element_type), cast(rhs, preferred_element_type)
    if batch_group_count > 1:
        lhs = _groups_to_channels(lhs, batch_group_count)
        feature_group_count = batch_group_count
    window = _window(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation)
    out = conv_general(lhs, rhs, window=window, groups=feature_group_count)
    return transpose(out, axes=invert_axes(specs.out_spec))


def _groups_to_channels(x: Any, groups: int) -> Any:
    """Put groups of images side by side, as groups of channels."""
    n, c, *size = aval_of(x).shape
    apart = fnp.reshape(x, (groups, n // groups, c, *size))
    return fnp.reshape(fnp.moveaxis(apart, 0, 1), (n // groups, groups * c, *size))


def _window(
    lhs: Any, rhs: Any, window_strides: Any, padding: Any, spread: Any, dilation: Any
) -> Window:
    rank = aval_of(lhs).ndim - 2
    ones = (1,) * rank
    spread, dilation = tuple(spread or ones), tuple(dilation or ones)
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
    return Window(strides, pads_of(padding, sizes, kernel, strides), spread, dilation)


def pads_of(
    padding: Any, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    """Return (before, after) per dimension for a padding, perhaps given by name."""
    if not isinstance(padding, str):
        return tuple((int(a), int(b)) for a, b in padding)
    name = padding.upper()
    if name == "VALID":
        return ((0, 0),) * len(sizes)
    if name not in ("SAME", "SAME_LOWER"):
        raise ValueError(
            f"padding must be 'SAME', 'VALID' or pairs (before, after), got {padding!r}"
        )
    pads = []
    for n, k, s in zip(sizes, kernel, strides, strict=True):
        total = max((-(-n // s) - 1) * s + k - n, 0)
        half = (total // 2, total - total // 2)
        pads.append(half if name == "SAME" else half[::-1])
    return tuple(pads)


def conv(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: Any,
    precision: Any = None,
) -> Any:
    """Convolve images `(n, c, *size)` with kernels `(o, c, *kernel)`."""
    return conv_general_dilated(lhs, rhs, window_strides, padding)


def conv_with_general_padding(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: Any,
    lhs_dilation: Sequence[int] | None,
    rhs_dilation: Sequence[int] | None,
    precision: Any = None,
) -> Any:
    """Convolve images `(n, c, *size)`, dilated, with dilated kernels."""
    return conv_general_dilated(
        lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation
    )


def conv_transpose(
    lhs: Any,
    rhs: Any,
    strides: Sequence[int],
    padding: str | Sequence[tuple[int, int]],
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    transpose_kernel: bool = False,
    precision: Any = None,
) -> Any:
    """Convolve images that are stretched by `strides`: transposed convolution.

    Args:
        padding: "VALID" gives each stretched pixel a whole kernel, "SAME" a result of
            `strides` times the size; pairs are those of the stretched convolution.
        rhs_dilation: steps between elements of the kernels.
        dimension_numbers: see `conv_dimension_numbers`; by default channels come last
            and kernels are `(*kernel, in, out)`.
        transpose_kernel: turn the kernel and swap its channels, for the exact transpose
            of `conv_general_dilated`.

    >>> import fad, numpy as np
    >>> x, w = np.ones((1, 2, 1)), np.ones((2, 1, 1))
    >>> fad.lax.conv_transpose(x, w, (2,), "VALID")[0, :, 0]
    array([1., 1., 1., 1.])
    """
    lhs, rhs = operand(lhs), operand(rhs)
    shapes = aval_of(lhs).shape, aval_of(rhs).shape
    rank = len(shapes[0])
    if dimension_numbers is None:
        space = "DHW"[5 - rank :] if rank > 2 else ""
        dimension_numbers = (f"N{space}C", f"{space}IO", f"N{space}C")
    specs = conv_dimension_numbers(*shapes, dimension_numbers)
    dilation = tuple(rhs_dilation or (1,) * (rank - 2))
    if isinstance(padding, str):
        sizes = [shapes[1][a] for a in specs.rhs_spec[2:]]
        widths = [extent(n, d) for n, d in zip(sizes, dilation, strict=True)]
        padding = [
            _stretched_pad(k, s, padding) for k, s in zip(widths, strides, strict=True)
        ]
    if transpose_kernel:
        rhs = fnp.flip(rhs, tuple(specs.rhs_spec[2:]))
        rhs = fnp.swapaxes(rhs, specs.rhs_spec[0], specs.rhs_spec[1])
    return conv_general_dilated(
        lhs, rhs, (1,) * (rank - 2), padding, strides, dilation, specs
    )


def _stretched_pad(kernel: int, stride: int, padding: str) -> tuple[int, int]:
    if padding.upper() not in ("SAME", "VALID"):
        raise ValueError(f"padding must be 'SAME', 'VALID' or pairs, got {padding!r}")
    if padding.upper() == "SAME":
        total = kernel + stride - 2
        before = kernel - 1 if stride > kernel - 1 else int(np.ceil(total / 2))
    else:
        total = kernel + stride - 2 + max(kernel - stride, 0)
        before = kernel - 1
    return before, total - before
