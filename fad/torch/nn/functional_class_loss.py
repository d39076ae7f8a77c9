"""Losses that judge the choice of a class.

`nll_loss` reads one entry of each example; one whose target is `ignore_index` counts
for nothing, also in the gradient, and a mean over no example is nan.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import numpy as fnp
from ...core.trace import aval_of, concrete_value
from ...ops import arithmetic, comparison, special
from ...ops.indexing import take_along_axis
from ...ops.shape import expand_dims, reshape
from ..declare import composite, functions, operation
from ..filling import scalar_name
from ..tensor import Tensor
from .checks import known_to_hold
from .loss_reduction import checked_reduction, reduced, reduced_tensor

__all__ = [
    "cross_entropy",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "soft_margin_loss",
]

where = comparison.where


def _picked(
    x: Any, target: Any, weight: Any, *, axis: int, ignore: int, reduction: str
) -> Any:
    """Return -weight[target] x[target] for every example, reduced."""
    dtype = aval_of(x).dtype
    valid = comparison.ne(target, ignore)
    safe = where(valid, target, 0)
    picked = take_along_axis(x, expand_dims(safe, axis), axis=axis)
    loss = -reshape(picked, shape=aval_of(safe).shape)
    scale = fnp.ones((), dtype) if weight is None else fnp.take(weight, safe)
    scale = where(valid, scale, np.zeros((), dtype))
    loss = where(valid, loss * scale, 0)
    if reduction == "mean":
        return fnp.sum(loss) / fnp.sum(fnp.broadcast_to(scale, aval_of(safe).shape))
    return fnp.sum(loss) if reduction == "sum" else loss


_nll = composite("NllLossBackward0", _picked)
_nll_many = composite("NllLoss2DBackward0", _picked)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log likelihood of the target classes.

    Args:
        input: logarithms of probabilities, shape ``(n, classes, *)`` or ``(classes,)``.
        target: classes, shape ``(n, *)`` or ``()``.
        weight: a weight for each class, shape ``(classes,)``.

    Raises:
        ValueError, RuntimeError: the shapes do not fit.
        IndexError: a target is no class.
    """
    reduction = checked_reduction(reduction, size_average, reduce)
    _check_shapes(input, target)
    axis = 0 if input.ndim == 1 else 1
    _check_classes(input, target, weight, input.shape[axis], ignore_index)
    single = input.ndim == 1 and target.ndim == 1
    if single:
        target = target.reshape(())
    apply = _nll if input.ndim <= 2 else _nll_many
    found: Tensor = apply(
        input, target, weight, axis=axis, ignore=ignore_index, reduction=reduction
    )
    return found.reshape(1) if single and reduction == "none" else found


def _check_shapes(input: Tensor, target: Tensor) -> None:
    shape, given = list(input.shape), list(target.shape)
    if not shape:
        raise ValueError(f"Expected 1 or more dimensions (got {input.ndim})")
    if len(shape) == 1:
        if len(given) == 1 and given[0] != 1:
            raise ValueError(
                f"For 1D input, 1D target must have size 1, but got target size: {given[0]}"
            )
        return
    if given and shape[0] != given[0]:
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size "
            f"({given[0]})."
        )
    if len(shape) == 2:
        if len(given) > 1:
            raise RuntimeError(
                "0D or 1D target tensor expected, multi-target not supported"
            )
        return
    if given != [shape[0], *shape[2:]]:
        if len(shape) == 4:
            raise RuntimeError(f"size mismatch (got input: {shape} , target: {given}")
        raise RuntimeError(
            f"Expected target size {[shape[0], *shape[2:]]}, got {given}"
        )


def _check_classes(
    input: Tensor, target: Tensor, weight: Tensor | None, classes: int, ignore: int
) -> None:
    if target.aval.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(
            "expected target dtype to be Long or Byte, but got "
            f"{scalar_name(target.aval.dtype)}"
        )
    if weight is not None:
        if weight.aval.size != classes:
            raise RuntimeError(
                f"weight tensor should be defined either for all {classes} classes or no "
                f"classes but got weight tensor of shape: {list(weight.shape)}"
            )
        if weight.aval.dtype != input.aval.dtype:
            raise RuntimeError(
                f"expected scalar type {scalar_name(input.aval.dtype)} but found "
                f"{scalar_name(weight.aval.dtype)}"
            )
    value = concrete_value(target.value)
    if value is None:
        return
    bad = ((value < 0) | (value >= classes)) & (value != ignore)
    if bad.any():
        raise IndexError(f"Target {int(value[bad].flat[0])} is out of bounds.")


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross entropy of logits.

    Args:
        input: logits, shape ``(n, classes, *)`` or ``(classes,)``.
        target: classes, shape ``(n, *)``, or probabilities, of the shape of `input`.
        weight: a weight for each class.
        label_smoothing: the share of the target that is spread over all classes.
    """
    reduction = checked_reduction(reduction, size_average, reduce)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(
            f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}"
        )
    axis = 0 if input.ndim == 1 else 1
    if input.shape == target.shape:
        _check_probabilities(input, target, weight, ignore_index, axis)
        logs = functions["log_softmax"](input, axis)
        return _soft_entropy(logs, target, weight, axis, reduction, label_smoothing)
    logs = functions["log_softmax"](input, axis)
    loss = nll_loss(
        logs, target, weight, ignore_index=ignore_index, reduction=reduction
    )
    if not label_smoothing:
        return loss
    spread = _smooth(logs, target, weight, axis, ignore_index, reduction)
    share = label_smoothing / input.shape[axis]
    return loss * (1 - label_smoothing) + spread * share


def _check_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore: int, axis: int
) -> None:
    if target.aval.dtype.kind != "f":
        raise RuntimeError(
            "Expected floating point type for target with class probabilities, got "
            f"{scalar_name(target.aval.dtype)}"
        )
    if ignore >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    classes = input.shape[axis]
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(
            "cross_entropy: weight tensor should be defined either for all "
            f"{classes} classes or no classes but got weight tensor of shape: "
            f"{list(weight.shape)}"
        )


def _along(weight: Tensor, rank: int, axis: int) -> Tensor:
    """Return a weight for each class, to multiply with."""
    return weight.view([-1 if i == axis else 1 for i in range(rank)])  # type: ignore[attr-defined,no-any-return]


def _soft_entropy(
    logs: Any,
    target: Any,
    weight: Tensor | None,
    axis: int,
    reduction: str,
    smoothing: float,
) -> Tensor:
    classes = logs.shape[axis]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / classes
    if weight is not None:
        target = target * _along(weight, logs.ndim, axis)
    loss = logs * target
    if reduction == "none":
        return -loss.sum(axis)  # type: ignore[no-any-return]
    if reduction == "sum":
        return -loss.sum()  # type: ignore[no-any-return]
    return _share((-loss.sum(), math.prod(logs.shape) // classes))


_share = operation("DivBackward1", arithmetic.div)


def _smooth(
    logs: Any,
    target: Any,
    weight: Tensor | None,
    axis: int,
    ignore: int,
    reduction: str,
) -> Any:
    """Return the loss of a target spread over all classes, without its share."""
    terms = logs if weight is None else logs * _along(weight, logs.ndim, axis)
    loss = -terms.sum(axis)
    ignored = target.reshape(loss.shape) == ignore
    loss = loss.masked_fill(ignored, 0.0)
    if reduction == "none":
        return loss
    if reduction == "sum":
        return loss.sum()
    if weight is None:
        return loss.sum() / (~ignored).sum()
    safe = target.reshape(loss.shape).masked_fill(ignored, 0)
    return loss.sum() / weight[safe].masked_fill(ignored, 0.0).sum()  # type: ignore[index]


_soft_margin = composite(
    "SoftMarginLossBackward0",
    lambda x, y, *, reduction: reduced(special.softplus(-y * x), reduction),
)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return log(1 + exp(-target input)) for targets 1 and -1."""
    reduction = checked_reduction(reduction, size_average, reduce)
    functions["broadcast_tensors"](input, target)
    if target.aval.dtype != input.aval.dtype:
        target = target.to(input.dtype)  # type: ignore[attr-defined]
    found: Tensor = _soft_margin(input, target, reduction=reduction)
    return found


def _margins(
    x: Any, target: Any, weight: Any, *, p: int, margin: float, reduction: str
) -> Any:
    """Return sums over other classes of max(0, margin - x[target] + x)^p / classes."""
    rows, classes = aval_of(x).shape
    places = expand_dims(target, 1)
    own = take_along_axis(x, places, axis=1)
    gap = margin - own + x
    gap = where(gap > 0, gap, 0)
    if p == 2:
        gap = gap * gap
    if weight is not None:
        gap = gap * reshape(fnp.take(weight, target), shape=(rows, 1))
    other = comparison.ne(np.arange(classes), places)
    return reduced(fnp.sum(where(other, gap, 0), axis=1) / classes, reduction)


_multi_margin = composite("MultiMarginLossBackward0", _margins)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return how far other classes come within a margin of the target class."""
    reduction = checked_reduction(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    classes = input.shape[-1]
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(
            f"inconsistent weight size, expected {classes} but got {list(weight.shape)}"
        )
    rows = input if input.ndim == 2 else input.reshape(1, -1)
    ids = target.reshape(-1)
    if ids.aval.size != rows.shape[0]:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number "
            f"of input samples (batch size). Expected target size [{rows.shape[0]}], but "
            f"got {list(target.shape)}. Input has shape {list(input.shape)}."
        )
    if known_to_hold((ids < 0) | (ids >= classes)):
        raise RuntimeError("target out of range")
    out: Tensor = _multi_margin(
        rows, ids, weight, p=p, margin=margin, reduction=reduction
    )
    return out.reshape(()) if input.ndim < 2 and reduction == "none" else out


def _label_margins(x: Any, target: Any, *, reduction: str) -> Any:
    """Return sums over labels i and other classes j of max(0, 1 - x_i + x_j) / n."""
    classes = aval_of(x).shape[1]
    used = comparison.eq(fnp.cumsum(target < 0, axis=1), 0)  # up to the first -1
    safe = where(used, target, 0)
    hits = comparison.eq(expand_dims(safe, 2), np.arange(classes))
    is_label = fnp.any(comparison.logical_and(expand_dims(used, 2), hits), axis=1)
    labelled = take_along_axis(x, safe, axis=1)
    gap = 1 - expand_dims(labelled, 2) + expand_dims(x, 1)
    others = comparison.logical_not(expand_dims(is_label, 1))
    counted = comparison.logical_and(expand_dims(used, 2), others)
    gap = where(comparison.logical_and(counted, gap > 0), gap, 0)
    return reduced(fnp.sum(gap, axis=(1, 2)) / classes, reduction)


_multilabel_margin = composite("MultilabelMarginLossBackward0", _label_margins)


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return how far other classes come within 1 of several target classes.

    Args:
        target: classes in each row, up to the first -1.
    """
    reduction = checked_reduction(reduction, size_average, reduce)
    rows = input if input.ndim == 2 else input.reshape(1, -1)
    out: Tensor = _multilabel_margin(
        rows, target.reshape(rows.shape), reduction=reduction
    )
    return out.reshape(()) if input.ndim < 2 and reduction == "none" else out


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean over classes of the cross entropy of yes and no."""
    from .functional_activation import logsigmoid

    if size_average is not None or reduce is not None:
        reduction = checked_reduction(reduction, size_average, reduce)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    axis = input.ndim - 1
    mean = loss.sum(axis) / input.shape[axis]  # type: ignore[attr-defined]
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    return reduced_tensor(mean, reduction)
