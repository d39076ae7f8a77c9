"""Losses that compare pairs and triples: rankings, distances, angles.

Public names: the functions, as in `torch.nn.functional`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..declare import functions
from ..tensor import Tensor
from .functional_linear import pairwise_distance
from .loss_reduction import checked_reduction, reduced_tensor

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the input where the target is 1, max(0, margin - input) where it is -1."""
    reduction = checked_reduction(reduction, size_average, reduce)
    where = functions["where"]
    x, y = (input, target)  # type: Any, Any
    far = where(y != 1, (margin - x).clamp_min(0), 0.0)
    near = where(y != -1, x, 0.0)
    return reduced_tensor(far + near, reduction)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, -target (input1 - input2) + margin)."""
    reduction = checked_reduction(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got "
            f"sizes: input1: {input1.shape}, input2: {input2.shape}, target: "
            f"{target.shape} "
        )
    gap: Any = -target * (input1 - input2) + margin
    return reduced_tensor(gap.clamp_min(0), reduction)


def _ranked(near: Any, far: Any, margin: float, reduction: str) -> Tensor:
    """Return max(0, margin + near - far), reduced."""
    return reduced_tensor((margin + near - far).clamp_min(0), reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, margin + |anchor - positive| - |anchor - negative|).

    Args:
        swap: take the distance of the positive to the negative where it is shorter.
    """
    reduction = checked_reduction(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same "
            f"number of dimensions, but got: anchor {anchor.ndim}D, positive "
            f"{positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = functions["minimum"](far, pairwise_distance(positive, negative, p, eps))
    return _ranked(near, far, margin, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return the triplet margin loss for a distance of one's own."""
    reduction = checked_reduction(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = pairwise_distance if distance_function is None else distance_function
    near = distance(anchor, positive)
    far = distance(anchor, negative)
    if swap:
        far = functions["minimum"](far, distance(positive, negative))
    return _ranked(near, far, margin, reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return 1 - cos where the target is 1, max(0, cos - margin) where it is -1."""
    reduction = checked_reduction(reduction, size_average, reduce)
    _check_pairs(input1, input2, target)
    x, y, t = (input1, input2, target)  # type: Any, Any, Any
    epsilon = 1e-12
    dot = (x * y).sum(-1)
    size1 = (x * x).sum(-1) + epsilon
    size2 = (y * y).sum(-1) + epsilon
    cosine = dot / (size1 * size2).sqrt()
    where = functions["where"]
    near = where(t == 1, 1 - cosine, 0.0)
    far = where(t == -1, (cosine - margin).clamp_min(0), 0.0)
    return reduced_tensor(near + far, reduction)


def _check_pairs(x: Tensor, y: Tensor, target: Tensor) -> None:
    if target.ndim > 1:
        raise RuntimeError(
            "0D or 1D target tensor expected, multi-target not supported"
        )
    rank = target.ndim + 1
    if x.ndim != rank or y.ndim != rank:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {rank}D input tensors, but found inputs "
            f"with sizes {list(x.shape)} and {list(y.shape)}."
        )
