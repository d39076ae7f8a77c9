"""Activations that write their result into the input: ``relu_`` and its like.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..inplace import write_into
from ..tensor import Tensor
from . import functional_activation as smooth
from . import functional_piecewise as piecewise

__all__ = [
    "celu_",
    "elu_",
    "hardtanh_",
    "leaky_relu_",
    "relu_",
    "rrelu_",
    "selu_",
    "threshold_",
]


def _writing(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def in_place(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return write_into(input, function, args, kwargs)

    in_place.__name__ = in_place.__qualname__ = f"{function.__name__}_"
    in_place.__doc__ = f"Write {function.__name__} of the input into it."
    return in_place


celu_ = _writing(smooth.celu)
elu_ = _writing(smooth.elu)
hardtanh_ = _writing(piecewise.hardtanh)
leaky_relu_ = _writing(piecewise.leaky_relu)
relu_ = _writing(piecewise.relu)
rrelu_ = _writing(piecewise.rrelu)
selu_ = _writing(smooth.selu)
threshold_ = _writing(piecewise.threshold)
