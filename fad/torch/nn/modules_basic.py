"""Modules that hold no parameters, and `Linear`: each calls a function of its own.

Activations and losses are declared by a table, `_declare`: the constructor's arguments
with their defaults, which are also what the repr shows, and the function that is called.

Public names: the module classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..tensor import Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter

__all__ = ["Dropout", "Flatten", "Identity", "Linear"]


class Identity(Module):
    """Return the input; arguments of the constructor are ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        return input


class Linear(Module):
    """Return x W^T + b, with W of shape `(out_features, in_features)`.

    Both start uniform in +-1/sqrt(in_features).

    >>> from fad import torch
    >>> torch.nn.Linear(2, 3)
    Linear(in_features=2, out_features=3, bias=True)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        from .. import empty

        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty((out_features, in_features), dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Return the linear map of the input's last dimension."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Flatten(Module):
    """Join the dimensions from `start_dim` to `end_dim`."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the flattened input."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Return the dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Dropout(Module):
    """While training, put zeros at random places and scale the rest by 1/(1-p)."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(
                f"dropout probability has to be between 0 and 1, but got {p}"
            )
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with elements dropped."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the probability."""
        return f"p={self.p}, inplace={self.inplace}"


_BUFFERS = ("weight", "pos_weight")


def _declare(
    name: str, function: Callable[..., Any], shown: str | None = None, **defaults: Any
) -> None:
    """Make the module class `name` that calls a function with its own settings.

    Args:
        shown: the repr's inside, a format of the settings; default "a=.., b=..".
        defaults: the settings with their defaults, in order.
    """
    names = tuple(defaults)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        Module.__init__(self)
        if len(args) > len(names) or kwargs.keys() - set(names):
            raise TypeError(f"{name}.__init__() takes the arguments {', '.join(names)}")
        settings = {**defaults, **dict(zip(names, args, strict=False)), **kwargs}
        for key, value in settings.items():
            if key in _BUFFERS:
                self.register_buffer(key, value)
            else:
                setattr(self, key, value)

    def forward(self: Any, *inputs: Tensor) -> Tensor:
        settings = {key: getattr(self, key) for key in names}
        result: Tensor = function(*inputs, **settings)
        return result

    def extra_repr(self: Any) -> str:
        if shown is not None:
            return shown.format(**{key: getattr(self, key) for key in names})
        parts = [f"{key}={getattr(self, key)}" for key in names if key != "inplace"]
        return ", ".join([*parts, *["inplace=True"] * getattr(self, "inplace", False)])

    body = {"__init__": __init__, "forward": forward, "extra_repr": extra_repr}
    doc = f"The module of `torch.nn.functional.{function.__name__}`."
    globals()[name] = type(name, (Module,), {**body, "__doc__": doc})
    globals()[name].__module__ = __name__
    __all__.append(name)


_declare("Sigmoid", F.sigmoid)
_declare("Tanh", F.tanh)
_declare("LogSigmoid", F.logsigmoid)
_declare("Softsign", F.softsign)
_declare("Tanhshrink", F.tanhshrink)
_declare("GELU", F.gelu, "approximate={approximate!r}", approximate="none")
_declare("Softplus", F.softplus, beta=1.0, threshold=20.0)
_declare("Softmax", F.softmax, dim=None)
_declare("LogSoftmax", F.log_softmax, dim=None)
_declare("Softmin", F.softmin, dim=None)
_declare("GLU", F.glu, dim=-1)

_declare("ReLU", F.relu, inplace=False)
_declare("ReLU6", F.relu6, inplace=False)
_declare("LeakyReLU", F.leaky_relu, negative_slope=0.01, inplace=False)
_declare("ELU", F.elu, alpha=1.0, inplace=False)
_declare("CELU", F.celu, alpha=1.0, inplace=False)
_declare("SELU", F.selu, inplace=False)
_declare("SiLU", F.silu, inplace=False)
_declare("Mish", F.mish, inplace=False)
_declare("Hardtanh", F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False)
_declare("Hardswish", F.hardswish, inplace=False)
_declare("Hardsigmoid", F.hardsigmoid, inplace=False)
_declare("Hardshrink", F.hardshrink, "{lambd}", lambd=0.5)
_declare("Softshrink", F.softshrink, "{lambd}", lambd=0.5)

_MEAN = {"reduction": "mean"}
_OLD = {"size_average": None, "reduce": None}
_declare("MSELoss", F.mse_loss, "", **_OLD, **_MEAN)
_declare("L1Loss", F.l1_loss, "", **_OLD, **_MEAN)
_declare("SmoothL1Loss", F.smooth_l1_loss, "", **_OLD, **_MEAN, beta=1.0)
_declare("HuberLoss", F.huber_loss, "", **_MEAN, delta=1.0)
_declare(
    "CrossEntropyLoss",
    F.cross_entropy,
    "",
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
    label_smoothing=0.0,
)
_declare(
    "NLLLoss",
    F.nll_loss,
    "",
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
)
_declare("BCELoss", F.binary_cross_entropy, "", weight=None, **_OLD, **_MEAN)
_declare(
    "BCEWithLogitsLoss",
    F.binary_cross_entropy_with_logits,
    "",
    weight=None,
    **_OLD,
    **_MEAN,
    pos_weight=None,
)
_declare("KLDivLoss", F.kl_div, "", **_OLD, **_MEAN, log_target=False)
