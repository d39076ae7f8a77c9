"""Activations.

Public names: the module classes, as in `torch.nn`.
"""

from __future__ import annotations

import warnings
from typing import Any

from ..tensor import Tensor
from . import functional as F
from .init import constant_
from .module import Module
from .modules_layer import Layer, new_parameter

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class ReLU(Layer):
    """Return max(x, 0)."""

    function = staticmethod(F.relu)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class SELU(Layer):
    """Return the self-normalising exponential unit."""

    function = staticmethod(F.selu)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class SiLU(Layer):
    """Return x sigmoid(x)."""

    function = staticmethod(F.silu)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class Mish(Layer):
    """Return x tanh(softplus(x))."""

    function = staticmethod(F.mish)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class Hardswish(Layer):
    """Return x relu6(x + 3) / 6."""

    function = staticmethod(F.hardswish)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class Hardsigmoid(Layer):
    """Return relu6(x + 3) / 6."""

    function = staticmethod(F.hardsigmoid)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class ELU(Layer):
    """Return x where it is positive, alpha (exp(x) - 1) elsewhere."""

    function = staticmethod(F.elu)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace


class CELU(Layer):
    """Return x where it is positive, alpha (exp(x / alpha) - 1) elsewhere."""

    function = staticmethod(F.celu)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace


class LeakyReLU(Layer):
    """Return x where it is positive, negative_slope x elsewhere."""

    function = staticmethod(F.leaky_relu)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace


class Threshold(Layer):
    """Return x where it is above the threshold, a value elsewhere."""

    function = staticmethod(F.threshold)

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace


class Softplus(Layer):
    """Return log(1 + exp(beta x)) / beta."""

    function = staticmethod(F.softplus)

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold


class GLU(Layer):
    """Return a sigmoid(b) of the halves a and b."""

    function = staticmethod(F.glu)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim


class Sigmoid(Layer):
    """Return 1 / (1 + exp(-x))."""

    function = staticmethod(F.sigmoid)


class Tanh(Layer):
    """Return the hyperbolic tangent."""

    function = staticmethod(F.tanh)


class LogSigmoid(Layer):
    """Return log(1 / (1 + exp(-x)))."""

    function = staticmethod(F.logsigmoid)


class Softsign(Layer):
    """Return x / (1 + |x|)."""

    function = staticmethod(F.softsign)


class Tanhshrink(Layer):
    """Return x - tanh(x)."""

    function = staticmethod(F.tanhshrink)


class Hardtanh(Layer):
    """Return x limited to [min_val, max_val]."""

    function = staticmethod(F.hardtanh)

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        for old, new, value in (
            ("min_value", "min_val", min_value),
            ("max_value", "max_val", max_value),
        ):
            if value is not None:
                warnings.warn(
                    f"keyword argument `{old}` is deprecated and rename to `{new}`",
                    FutureWarning,
                    stacklevel=2,
                )
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )


Hardtanh.names = ("min_val", "max_val", "inplace")


class ReLU6(Hardtanh):
    """Return x limited to [0, 6]."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def options(self) -> dict[str, Any]:
        return {"min_val": 0.0, "max_val": 6.0, "inplace": self.inplace}


class GELU(Layer):
    """Return x times the normal distribution function of x."""

    function = staticmethod(F.gelu)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardshrink(Layer):
    """Return x, and 0 where its size is at most lambd."""

    function = staticmethod(F.hardshrink)

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softshrink(Hardshrink):
    """Return x moved by lambd towards 0."""

    function = staticmethod(F.softshrink)


class RReLU(Layer):
    """Return x where it is positive, elsewhere x times a slope, random in training."""

    function = staticmethod(F.rrelu)

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def options(self) -> dict[str, Any]:
        return super().options() | {"training": self.training}


class PReLU(Module):
    """Return x where it is positive, x times a learned slope elsewhere."""

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = new_parameter((num_parameters,), dtype, device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the slopes anew."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softmax(Layer):
    """Return exp(x) normalised to sum 1 along a dimension."""

    function = staticmethod(F.softmax)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def options(self) -> dict[str, Any]:
        return {"dim": self.dim, "_stacklevel": 5}


class LogSoftmax(Softmax):
    """Return the logarithm of the softmax along a dimension."""

    function = staticmethod(F.log_softmax)


class Softmin(Softmax):
    """Return softmax(-x)."""

    function = staticmethod(F.softmin)


class Softmax2d(Module):
    """Return the softmax over the channels of images."""

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead"
            )
        return F.softmax(input, -3, _stacklevel=5)
