"""Pooling layers.

Public names: the module classes, as in `torch.nn`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..tensor import Tensor
from . import functional as F
from .checks import many
from .module import Module
from .modules_layer import Layer

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _MaxPool(Layer):
    """A layer that returns the largest elements of windows."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
        return ", ".join(f"{name}={getattr(self, name)}" for name in shown)


class MaxPool1d(_MaxPool):
    """Return the largest elements of windows of sequences."""

    function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """Return the largest elements of windows of images."""

    function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """Return the largest elements of windows of volumes."""

    function = staticmethod(F.max_pool3d)


class AvgPool1d(Layer):
    """Return the means of windows of sequences."""

    function = staticmethod(F.avg_pool1d)

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = many(kernel_size, 1)
        self.stride = self.kernel_size if stride is None else many(stride, 1)
        self.padding = many(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def extra_repr(self) -> str:
        return _pool_text(self)


def _pool_text(layer: Any) -> str:
    return f"kernel_size={layer.kernel_size}, stride={layer.stride}, padding={layer.padding}"


class AvgPool2d(Layer):
    """Return the means of windows of images."""

    function = staticmethod(F.avg_pool2d)

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def extra_repr(self) -> str:
        return _pool_text(self)


class AvgPool3d(AvgPool2d):
    """Return the means of windows of volumes."""

    function = staticmethod(F.avg_pool3d)


class _LPPool(Layer):
    """A layer that returns p-norms of windows."""

    def __init__(
        self,
        norm_type: float,
        kernel_size: Any,
        stride: Any = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode


class LPPool1d(_LPPool):
    """Return the p-norms of windows of sequences."""

    function = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPool):
    """Return the p-norms of windows of images."""

    function = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPool):
    """Return the p-norms of windows of volumes."""

    function = staticmethod(F.lp_pool3d)


class _AdaptiveAvgPool(Layer):
    """A layer that returns means of as many regions as asked for."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Return means of regions of sequences."""

    function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Return means of regions of images."""

    function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """Return means of regions of volumes."""

    function = staticmethod(F.adaptive_avg_pool3d)


class _AdaptiveMaxPool(Layer):
    """A layer that returns the largest elements of regions."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Return the largest elements of regions of sequences."""

    function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Return the largest elements of regions of images."""

    function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Return the largest elements of regions of volumes."""

    function = staticmethod(F.adaptive_max_pool3d)


class _MaxUnpool(Module):
    """A layer that puts the results of max pooling back where they came from."""

    rank: ClassVar[int]
    function: ClassVar[Any]

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = many(kernel_size, self.rank)
        self.stride = many(kernel_size if stride is None else stride, self.rank)
        self.padding = many(padding, self.rank)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: Any = None
    ) -> Tensor:
        found: Tensor = type(self).function(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )
        return found

    def extra_repr(self) -> str:
        return _pool_text(self)


class MaxUnpool1d(_MaxUnpool):
    """Undo `MaxPool1d`, with zeros where elements were lost."""

    rank = 1
    function = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    """Undo `MaxPool2d`, with zeros where elements were lost."""

    rank = 2
    function = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpool):
    """Undo `MaxPool3d`, with zeros where elements were lost."""

    rank = 3
    function = staticmethod(F.max_unpool3d)


class FractionalMaxPool2d(Layer):
    """Return the largest elements of windows at random places of images."""

    function = staticmethod(F.fractional_max_pool2d)

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.output_size = output_size
        self.output_ratio = output_ratio
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)

    def extra_repr(self) -> str:
        return ""


class FractionalMaxPool3d(FractionalMaxPool2d):
    """Return the largest elements of windows at random places of volumes."""

    function = staticmethod(F.fractional_max_pool3d)
