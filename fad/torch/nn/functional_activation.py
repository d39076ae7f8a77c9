"""Smooth activation functions.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

import math
from typing import Any

from ...core.trace import aval_of
from ...ops import comparison, elementary, special
from ...ops.activations import sigmoid as logistic
from ...ops.error_functions import ndtr
from ...ops.indexing import getitem
from ..declare import composite, functions
from ..dims import axis_of
from ..tensor import Tensor
from .checks import replaced, require_floating

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "logsigmoid",
    "mish",
    "selu",
    "sigmoid",
    "silu",
    "softplus",
    "softsign",
    "tanh",
    "tanhshrink",
]

where = comparison.where
_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-x))."""
    found: Tensor = functions["sigmoid"](input)
    return found


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent."""
    found: Tensor = functions["tanh"](input)
    return found


def _elu(x: Any, *, alpha: float, scale: float, inner: float) -> Any:
    return where(x > 0, x * scale, elementary.expm1(x * inner) * (alpha * scale))


_elu_node = composite("EluBackward0", _elu)

_celu_node = composite("CeluBackward0", _elu)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where it is positive, alpha (exp(x) - 1) elsewhere."""
    require_floating(input, "elu_cpu")
    return replaced(inplace, _elu_node, input, alpha=alpha, scale=1.0, inner=1.0)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return `elu` scaled so that networks normalise themselves."""
    require_floating(input, "elu_cpu")
    alpha, scale = _SELU_ALPHA, _SELU_SCALE
    return replaced(inplace, _elu_node, input, alpha=alpha, scale=scale, inner=1.0)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where it is positive, alpha (exp(x / alpha) - 1) elsewhere."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    require_floating(input, "elu_cpu")
    inner = 1.0 / alpha
    return replaced(inplace, _celu_node, input, alpha=alpha, scale=1.0, inner=inner)


def _glu(x: Any, *, axis: int) -> Any:
    half = aval_of(x).shape[axis] // 2
    before = (slice(None),) * axis
    first = getitem(x, index=(*before, slice(0, half)))
    return first * logistic(getitem(x, index=(*before, slice(half, None))))


_glu_node = composite("GluBackward0", _glu)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return a sigmoid(b), where a and b are the halves of x along a dimension."""
    if not input.ndim:
        raise RuntimeError(
            "glu does not support scalars because halving size must be even"
        )
    axis = axis_of(dim, input.ndim)
    size = input.shape[axis]
    if size % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {axis} is size {size}"
        )
    require_floating(input, "glu_cpu")
    found: Tensor = _glu_node(input, axis=axis)
    return found


def _gelu_tanh(x: Any) -> Any:
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    return 0.5 * x * (1 + elementary.tanh(inner))


_GELU = {
    "none": composite("GeluBackward0", lambda x: x * ndtr(x)),
    "tanh": composite("GeluBackward0", _gelu_tanh),
}


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """Return x times the normal distribution function of x."""
    if approximate not in _GELU:
        raise RuntimeError("approximate argument must be either none or tanh.")
    require_floating(input, "GeluKernelImpl")
    found: Tensor = _GELU[approximate](input)
    return found


_logsigmoid = composite("LogSigmoidBackward0", lambda x: -special.softplus(-x))


def logsigmoid(input: Tensor) -> Tensor:
    """Return log(1 / (1 + exp(-x)))."""
    require_floating(input, "log_sigmoid_cpu")
    found: Tensor = _logsigmoid(input)
    return found


def tanhshrink(input: Tensor) -> Tensor:
    """Return x - tanh(x)."""
    return input - tanh(input)


def softsign(input: Tensor) -> Tensor:
    """Return x / (1 + |x|)."""
    return input / (input.abs() + 1)  # type: ignore[attr-defined]


def _softplus(x: Any, *, beta: float, threshold: float) -> Any:
    return where(x * beta > threshold, x, special.softplus(x * beta) / beta)


_softplus_node = composite("SoftplusBackward0", _softplus)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + exp(beta x)) / beta, and x where beta x is above the threshold."""
    require_floating(input, "softplus_cpu")
    found: Tensor = _softplus_node(input, beta=beta, threshold=threshold)
    return found


_silu = composite("SiluBackward0", lambda x: x * logistic(x))

_mish = composite("MishBackward0", lambda x: x * elementary.tanh(special.softplus(x)))


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x sigmoid(x)."""
    require_floating(input, "silu_cpu", "fc")
    return replaced(inplace, _silu, input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x tanh(softplus(x))."""
    require_floating(input, "mish_cpu")
    return replaced(inplace, _mish, input)
