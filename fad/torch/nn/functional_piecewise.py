"""Activation functions in pieces: the relu family, limits, shrinkage, thresholds.

Edge gradients are PyTorch's: 0 on the bounds of hardtanh, relu6 and hardsigmoid, the
negative side's at 0 for the leaky ones, 0 at -3 and 1 at 3 for hardswish.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops import comparison, piecewise
from ...ops.arithmetic import stop_gradient
from ..declare import composite, functions
from ..tensor import Tensor, wrap
from .checks import replaced, require_floating, source

__all__ = [
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "prelu",
    "relu",
    "relu6",
    "rrelu",
    "softshrink",
    "threshold",
]

where = comparison.where


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(x, 0)."""
    return replaced(inplace, functions["relu"].__wrapped__, input)  # type: ignore[attr-defined]


def _between(x: Any, *, low: float, high: float) -> Any:
    inside = comparison.logical_and(x > low, x < high)
    return where(inside, x, stop_gradient(piecewise.clip(x, low, high)))


_hardtanh = composite("HardtanhBackward0", _between)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return x limited to [min_val, max_val].

    Raises:
        ValueError: the bounds are in the wrong order.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    kind = input.aval.dtype.kind
    if kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    if kind in "iu":
        min_val, max_val = int(min_val), int(max_val)
    return replaced(inplace, _hardtanh, input, low=min_val, high=max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x limited to [0, 6]."""
    return hardtanh(input, 0.0, 6.0, inplace)


def _leaky(x: Any, *, slope: float) -> Any:
    return where(x > 0, x, x * slope)


_leaky_node = composite("LeakyReluBackward0", _leaky)

_rrelu_eval = composite("RreluWithNoiseBackward0", _leaky)

_rrelu_train = composite("RreluWithNoiseBackward0", lambda x, noise: x * noise)


def leaky_relu(
    input: Tensor, negative_slope: float = 0.01, inplace: bool = False
) -> Tensor:
    """Return x where it is positive, negative_slope x elsewhere."""
    require_floating(input, "leaky_relu_cpu")
    return replaced(inplace, _leaky_node, input, slope=negative_slope)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Return `leaky_relu` with a slope drawn for each element when training."""
    if lower > upper:
        raise RuntimeError(
            "Lower bound should be less than or equal to the upper bound"
        )
    require_floating(
        input, "rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu"
    )
    if not training:
        return replaced(inplace, _rrelu_eval, input, slope=(lower + upper) / 2)
    negative = np.asarray(input.detach().numpy()) <= 0  # type: ignore[attr-defined]
    noise = np.ones(input.shape, input.aval.dtype)
    drawn = source().uniform53(int(negative.sum()))
    noise[negative] = drawn * (upper - lower) + lower
    return replaced(inplace, _rrelu_train, input, wrap(noise))


_prelu_node = composite(
    "PreluKernelBackward0", lambda x, weight: where(x > 0, x, weight * x)
)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return x where it is positive, weight x elsewhere, a weight for each channel.

    Raises:
        RuntimeError: the number of weights is neither 1 nor that of the channels.
    """
    if input.aval.dtype != weight.aval.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {input.dtype.title} and "
            f"{weight.dtype.title}"
        )
    count = weight.aval.size
    if count != 1:
        if not input.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim > 1 else 1
        if count != channels:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter "
                f"numbers = {count} and channel size = {channels}."
            )
    require_floating(input, "prelu_cpu")
    shape = (
        tuple([count if i == 1 else 1 for i in range(input.ndim)])
        if count != 1
        else ((1,) * input.ndim)
    )
    if shape != tuple(weight.shape):
        weight = weight.reshape(shape)
    found: Tensor = _prelu_node(input, weight)
    return found


def _hardshrink(x: Any, *, lambd: float) -> Any:
    return where(comparison.logical_and(x >= -lambd, x <= lambd), 0, x)


def _softshrink(x: Any, *, lambd: float) -> Any:
    return where(x > lambd, x - lambd, where(x < -lambd, x + lambd, x * 0))


_hardshrink_node = composite("HardshrinkBackward0", _hardshrink)

_softshrink_node = composite("SoftshrinkBackward0", _softshrink)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return x, and 0 where its size is at most lambd."""
    require_floating(input, "hardshrink_cpu")
    found: Tensor = _hardshrink_node(input, lambd=lambd)
    return found


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return x moved by lambd towards 0."""
    require_floating(input, "softshrink_check")
    if lambd < 0:
        limit = float(np.finfo(input.aval.dtype).max)
        raise RuntimeError(
            f"lambda must be in range [0, {limit:g}] for input dtype "
            f"{input.dtype.title}, but found {lambd:g}"
        )
    found: Tensor = _softshrink_node(input, lambd=lambd)
    return found


def _hardsigmoid(x: Any) -> Any:
    return _between(x + 3, low=0, high=6) / 6


def _hardswish(x: Any) -> Any:
    return where(x <= -3, x * 0, where(x < 3, x * (x + 3) / 6, x))


_hardsigmoid_node = composite("HardsigmoidBackward0", _hardsigmoid)

_hardswish_node = composite("HardswishBackward0", _hardswish)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return relu6(x + 3) / 6."""
    require_floating(input, "hardsigmoid_cpu")
    return replaced(inplace, _hardsigmoid_node, input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x relu6(x + 3) / 6."""
    require_floating(input, "hardswish_cpu")
    return replaced(inplace, _hardswish_node, input)


_threshold = composite(
    "ThresholdBackward0",
    lambda x, *, threshold, value: where(x <= threshold, value, x),
)


def threshold(
    input: Tensor, threshold: float, value: float, inplace: bool = False
) -> Tensor:
    """Return x where it is above the threshold, a value elsewhere."""
    if input.aval.dtype.kind in "iu":
        threshold, value = int(threshold), int(value)
    return replaced(inplace, _threshold, input, threshold=threshold, value=value)
