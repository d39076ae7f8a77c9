"""Convolution layers and their transposes.

Weights start uniform after He et al. with gain 1/sqrt(3): in +-1 / sqrt(fan_in), as do
biases.

Public names: `Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from ..tensor import Tensor
from . import functional as F
from . import init
from .checks import many
from .module import Module
from .modules_layer import new_parameter

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
]

_PADDINGS = ("circular", "reflect", "replicate", "zeros")


def _per_dimension(value: Any, rank: int) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank


class _Conv(Module):
    """What all convolution layers share.

    Attributes:
        rank: the number of spatial dimensions.
        function: the convolution.
        transposed: it is the transpose.
    """

    rank: ClassVar[int]
    function: ClassVar[Callable[..., Tensor]]
    transposed: ClassVar[bool] = False

    def _build(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        output_padding: Any,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: Any,
    ) -> None:
        _check(in_channels, out_channels, stride, padding, groups, padding_mode)
        rank = self.rank
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _per_dimension(kernel_size, rank)
        self.stride = _per_dimension(stride, rank)
        named = isinstance(padding, str)
        self.padding = padding if named else _per_dimension(padding, rank)
        self.dilation = _per_dimension(dilation, rank)
        self.output_padding = _per_dimension(output_padding, rank)
        self.groups = groups
        self.padding_mode = padding_mode
        ends = (in_channels, out_channels // groups)
        if not self.transposed:
            ends = (out_channels, in_channels // groups)
        self.weight = new_parameter((*ends, *self.kernel_size), dtype, device)
        if bias:
            self.bias = new_parameter(out_channels, dtype, device)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = self.weight.shape[1] * math.prod(self.kernel_size)
            if fan_in:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        zeros, ones = (0,) * self.rank, (1,) * self.rank
        for name, usual in (
            ("padding", (zeros, 0)),
            ("dilation", (ones,)),
            ("output_padding", (zeros,)),
            ("groups", (1,)),
        ):
            value = getattr(self, name)
            if value not in usual:
                text += f", {name}={value}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


def _check(
    in_channels: int,
    out_channels: int,
    stride: Any,
    padding: Any,
    groups: int,
    mode: str,
) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(
                f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}"
            )
        if padding == "same" and any(s != 1 for s in many(stride, 1)):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if mode not in _PADDINGS:
        shown = ", ".join(map(repr, _PADDINGS))
        raise ValueError(
            f"padding_mode must be one of {{{shown}}}, but got padding_mode='{mode}'"
        )


class _Forward(_Conv):
    """A convolution layer."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._build(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            0,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._ends(), mode=self.padding_mode)
            padding = 0
        return type(self).function(
            input,
            self.weight,
            self.bias,
            self.stride,
            padding,
            self.dilation,
            self.groups,
        )

    def _ends(self) -> list[int]:
        """Return the padding of both ends, the last dimension first."""
        if self.padding == "valid":
            return [0, 0] * self.rank
        ends = []
        for i in range(self.rank - 1, -1, -1):
            if self.padding == "same":
                total = self.dilation[i] * (self.kernel_size[i] - 1)
                ends += [total // 2, total - total // 2]
            else:
                ends += [self.padding[i]] * 2
        return ends


class Conv1d(_Forward):
    """Return the convolution of sequences ``(n, channels, length)`` with a kernel."""

    rank = 1
    function = staticmethod(F.conv1d)


class Conv2d(_Forward):
    """Return the convolution of images ``(n, channels, height, width)`` with a kernel."""

    rank = 2
    function = staticmethod(F.conv2d)


class Conv3d(_Forward):
    """Return the convolution of volumes ``(n, channels, depth, height, width)``."""

    rank = 3
    function = staticmethod(F.conv3d)


class _Transposed(_Conv):
    """A transposed convolution layer."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(
                'Only "zeros" padding mode is supported for ' + type(self).__name__
            )
        self._build(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self.output_padding
        if output_size is not None:
            extra = self._extra_for(input, output_size)
        return type(self).function(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            extra,
            self.groups,
            self.dilation,
        )

    def _extra_for(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """Return the output padding that makes a size.

        Raises:
            ValueError: none does.
        """
        rank, sizes = self.rank, list(output_size)
        batched = input.ndim == rank + 2
        whole = rank + 2 if batched else rank + 1
        if len(sizes) == whole:
            sizes = sizes[-rank:]
        if len(sizes) != rank:
            raise ValueError(
                f"ConvTranspose{rank}D: for {input.ndim}D input, output_size must have "
                f"{rank} or {whole} elements (got {len(sizes)})"
            )
        least = [
            (n - 1) * s - 2 * p + d * (k - 1) + 1
            for n, s, p, d, k in zip(
                input.shape[-rank:],
                self.stride,
                self.padding,
                self.dilation,
                self.kernel_size,
                strict=True,
            )
        ]
        most = [m + s - 1 for m, s in zip(least, self.stride, strict=True)]
        for size, low, high in zip(sizes, least, most, strict=True):
            if not low <= size <= high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range "
                    f"from {least} to {most} (for an input of {input.shape[-rank:]})"
                )
        return tuple(size - low for size, low in zip(sizes, least, strict=True))


class ConvTranspose1d(_Transposed):
    """Return the transposed convolution of sequences."""

    rank = 1
    function = staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    """Return the transposed convolution of images."""

    rank = 2
    function = staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_Transposed):
    """Return the transposed convolution of volumes."""

    rank = 3
    function = staticmethod(F.conv_transpose3d)
