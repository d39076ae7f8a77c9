"""Losses that compare numbers: squares, absolute values, likelihoods.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...ops import comparison, elementary, special
from ...ops.arithmetic import stop_gradient
from ..declare import composite, functions, operation, promoted, with_sizes
from ..filling import scalar_name
from ..modes import no_grad
from ..tensor import Tensor, wrap
from .checks import known_to_hold, require_floating
from .loss_reduction import checked_reduction, reduced, reduced_tensor, warn_of_sizes

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "gaussian_nll_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
]

where = comparison.where


def _compared(
    node: str,
    fun: Callable[..., Any],
    x: Tensor,
    y: Tensor,
    reduction: str,
    **params: Any,
) -> Tensor:
    """Return a loss of two tensors, broadcast, as one node."""
    apply = operation(node, lambda x, y: reduced(fun(x, y, **params), reduction))
    return with_sizes(apply, x, y, promoted(x, y))


def _weighted(loss: Tensor, weight: Tensor, input: Tensor, reduction: str) -> Tensor:
    """Return a loss with a weight for each element; a mean is by the weights."""
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction == "mean":
        return loss.sum() / weight.sum()  # type: ignore[attr-defined,no-any-return]
    return reduced_tensor(loss, reduction)


def _square(x: Any, y: Any) -> Any:
    return fnp.square(x - y)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the mean squared difference."""
    warn_of_sizes(input, target)
    reduction = checked_reduction(reduction, size_average, reduce)
    if weight is not None:
        return _weighted((input - target) ** 2, weight, input, reduction)
    if input.aval.dtype.kind in "biu" and target.aval.dtype.kind in "biu":
        title = scalar_name(input.aval.dtype)
        raise NotImplementedError(f"\"mse_cpu\" not implemented for '{title}'")
    return _compared("MseLossBackward0", _square, input, target, reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the mean absolute difference."""
    warn_of_sizes(input, target)
    reduction = checked_reduction(reduction, size_average, reduce)
    loss: Tensor = (input - target).abs()  # type: ignore[attr-defined]
    if weight is not None:
        return _weighted(loss, weight, input, reduction)
    return reduced_tensor(loss, reduction)


def _smooth_l1(x: Any, y: Any, *, beta: float) -> Any:
    gap = x - y
    size = fnp.abs(gap)
    return where(size < beta, 0.5 * gap * gap / beta, size - 0.5 * beta)


def _huber(x: Any, y: Any, *, delta: float) -> Any:
    gap = x - y
    size = fnp.abs(gap)
    return where(size < delta, 0.5 * gap * gap, delta * (size - 0.5 * delta))


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Return a loss that is square below `beta` and absolute above."""
    warn_of_sizes(input, target)
    reduction = checked_reduction(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return _compared(
        "SmoothL1LossBackward0", _smooth_l1, input, target, reduction, beta=beta
    )


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Return a loss that is square below `delta` and linear above."""
    warn_of_sizes(input, target)
    reduction = checked_reduction(reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    kind = "none" if weight is not None else reduction
    loss = _compared("HuberLossBackward0", _huber, input, target, kind, delta=delta)
    return loss if weight is None else _weighted(loss, weight, input, reduction)


def _binary_entropy(x: Any, y: Any, w: Any, *, reduction: str) -> Any:
    """Return -(y log x + (1 - y) log(1 - x)), with logarithms of at least -100.

    The gradient is (x - y) / max(x (1 - x), 1e-12). So where x is next to 0 or 1 the
    value is constant and the slope is that of a parabola, added and taken away.
    """
    edge = x * (1 - x) < 1e-12
    inner = where(edge, 0.5, x)
    loss = -(y * elementary.log(inner) + (1 - y) * elementary.log1p(-inner))
    still = stop_gradient(x)
    logs = [fnp.maximum(log, -100.0) for log in _logs(still)]
    bend = (0.5 * x * x - stop_gradient(y) * x) * 1e12
    flat = -(y * logs[0] + (1 - y) * logs[1]) + (bend - stop_gradient(bend))
    loss = where(edge, flat, loss)
    return reduced(loss if w is None else loss * w, reduction)


def _logs(x: Any) -> tuple[Any, Any]:
    return elementary.log(x), elementary.log1p(-x)


_bce = composite("BinaryCrossEntropyBackward0", _binary_entropy)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the cross entropy of probabilities of yes.

    Raises:
        ValueError: the sizes differ.
        RuntimeError: input or target is outside [0, 1].
    """
    reduction = checked_reduction(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}) is deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(input.shape)  # type: ignore[attr-defined]
    require_floating(input, "binary_cross_entropy")
    for other in (target, weight):
        if other is not None and other.aval.dtype != input.aval.dtype:
            raise RuntimeError(
                f"Found dtype {scalar_name(other.aval.dtype)} but expected "
                f"{scalar_name(input.aval.dtype)}"
            )
    for what, x in (("input", input), ("target", target)):
        value = x.value
        if isinstance(value, np.ndarray) and not ((value >= 0) & (value <= 1)).all():
            raise RuntimeError(f"all elements of {what} should be between 0 and 1")
    found: Tensor = _bce(input, target, weight, reduction=reduction)
    return found


def _logit_entropy(x: Any, y: Any, w: Any, pos: Any, *, reduction: str) -> Any:
    tail = special.softplus(-x)
    if pos is not None:
        tail = tail * (1 + (pos - 1) * y)
    loss = (1 - y) * x + tail
    return reduced(loss if w is None else loss * w, reduction)


_bce_logits = composite("BinaryCrossEntropyWithLogitsBackward0", _logit_entropy)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the cross entropy of log-odds, without overflow.

    Raises:
        ValueError: the sizes differ.
    """
    reduction = checked_reduction(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    if target.aval.dtype.kind in "biu":
        raise RuntimeError(
            f"result type {input.dtype.title} can't be cast to the desired output type "
            f"{target.dtype.title}"
        )
    found: Tensor = _bce_logits(input, target, weight, pos_weight, reduction=reduction)
    return found


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Return target (log target - input), summed or averaged.

    Args:
        input: logarithms of probabilities.
        target: probabilities, or their logarithms if `log_target`.
        reduction: also ``"batchmean"``, the sum over the number of examples.
    """
    kind = "sum" if reduction == "batchmean" else reduction
    if reduction == "mean" and size_average is None and reduce is None:
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the "
            "support size.'batchmean' divides only by the batch size, and aligns with "
            "the KL div math definition.'mean' will be changed to behave the same as "
            "'batchmean' in the next major release.",
            stacklevel=2,
        )
    kind = checked_reduction(kind, size_average, reduce)
    y: Any = target
    if log_target:
        loss = y.exp() * (y - input)
    else:
        loss = functions["xlogy"](y, y) - y * input
    total = reduced_tensor(loss, kind)
    if reduction == "batchmean" and input.ndim:
        return total / input.shape[0]
    return total


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log likelihood of Poisson counts.

    Args:
        input: the rates, or their logarithms if `log_input`.
        target: the counts.
        full: add Stirling's approximation of log(target!).
    """
    reduction = checked_reduction(reduction, size_average, reduce)
    x, y = (input, target)  # type: Any, Any
    loss = x.exp() - y * x if log_input else x - y * (x + eps).log()
    if full:
        stirling = y * y.log() - y + 0.5 * (2 * math.pi * y).log()
        loss = loss + stirling.masked_fill(y <= 1, 0)
    return reduced_tensor(loss, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log likelihood of normal values with given variances.

    Raises:
        ValueError: a variance is negative, or their size does not fit.
    """
    if isinstance(var, float):
        var = wrap(np.full(input.shape, var, input.aval.dtype))
    if var.shape != input.shape:
        shape = tuple(input.shape)
        if shape[:-1] == tuple(var.shape):
            var = var.unsqueeze(-1)
        elif shape[:-1] != tuple(var.shape[:-1]) or var.shape[-1] != 1:
            fits = len(var.shape) <= len(shape) and all(
                m in (1, n) for m, n in zip(var.shape[::-1], shape[::-1], strict=False)
            )
            if not fits:
                raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    if known_to_hold(var < 0):
        raise ValueError("var has negative entry/entries")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced_tensor(loss, reduction)
