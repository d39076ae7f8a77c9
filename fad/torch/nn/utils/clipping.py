"""Clipping gradients: by the norm of all together, or each element by its value.

Public names: `get_total_norm`, `clip_grads_with_norm_`, `clip_grad_norm_`,
`clip_grad_norm`, `clip_grad_value_`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

from ...declare import functions
from ...modes import no_grad
from ...tensor import Tensor

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]

_NOT_FINITE = (
    "The total norm of order {} for gradients from `parameters` is non-finite, so it "
    "cannot be clipped. To disable this error and scale the gradients by the "
    "non-finite norm anyway, set `error_if_nonfinite=False`"
)


def _tensors(parameters: Any, name: str) -> list[Any]:
    """Return parameters as a list, which one tensor may stand for."""
    if isinstance(parameters, Tensor):
        return [parameters]
    found = list(parameters)
    if not found and not isinstance(parameters, (list, tuple)):
        warnings.warn(
            f"`parameters` is an empty generator, no gradient clipping will occur in "
            f"{name}.",
            stacklevel=4,
        )
    return found


@no_grad
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of tensors, as if they were one vector.

    Raises:
        RuntimeError: it is not finite, and that is asked for.
    """
    found = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    order = float(norm_type)
    if not found:
        empty: Tensor = functions["tensor"](0.0)
        return empty
    norms: list[Any] = [t.norm(order) for t in found]  # type: ignore[attr-defined]
    stacked: Any = functions["stack"](norms)
    total: Tensor = stacked.norm(order)
    if error_if_nonfinite and not math.isfinite(total.item()):  # type: ignore[attr-defined]
        raise RuntimeError(_NOT_FINITE.format(order))
    return total


@no_grad
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scale gradients in place so that their norm, which is known, is at most a limit."""
    grads = [p.grad for p in _tensors(parameters, "clip_grads_with_norm_")]
    factor: Any = float(max_norm) / (total_norm + 1e-6)  # type: ignore[operator]
    factor = factor.clamp(max=1.0)
    for grad in grads:
        if grad is not None:
            grad.mul_(factor)


@no_grad
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale gradients in place so that the norm of all together is at most a limit.

    Returns:
        The norm before.

    >>> from fad import torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> (3 * w[0] + 4 * w[1]).backward()
    >>> torch.nn.utils.clip_grad_norm_([w], 1.0), w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    found = _tensors(parameters, "clip_grad_norm_")
    grads = [p.grad for p in found if p.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(found, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Do what `clip_grad_norm_` does, under its old name."""
    warnings.warn(
        "torch.nn.utils.clip_grad_norm is now deprecated in favor of "
        "torch.nn.utils.clip_grad_norm_.",
        FutureWarning,
        stacklevel=2,
    )
    total: Tensor = clip_grad_norm_(
        parameters, max_norm, norm_type, error_if_nonfinite, foreach
    )
    return total


@no_grad
def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor],
    clip_value: float,
    foreach: bool | None = None,
) -> None:
    """Hold every element of the gradients between -clip_value and clip_value."""
    limit = float(clip_value)
    for p in _tensors(parameters, "clip_grad_value_"):
        if p.grad is not None:
            p.grad.clamp_(min=-limit, max=limit)
