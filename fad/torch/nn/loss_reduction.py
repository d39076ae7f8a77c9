"""How losses reduce: to a mean, a sum, or not at all.

Public names: `checked_reduction`, `reduced`, `reduced_tensor`, `warn_of_sizes`.
"""

from __future__ import annotations

import warnings
from typing import Any

from ... import numpy as fnp
from ..tensor import Tensor

__all__ = ["checked_reduction", "reduced", "reduced_tensor", "warn_of_sizes"]


def checked_reduction(
    reduction: Any, size_average: bool | None = None, reduce: bool | None = None
) -> str:
    """Return a reduction, from its name or from the old flags.

    Raises:
        ValueError: there is none of this name.
    """
    if size_average is not None or reduce is not None:
        if reduce is None or reduce:
            averaged = size_average is None or size_average
            reduction = "mean" if averaged else "sum"
        else:
            reduction = "none"
        warnings.warn(
            "size_average and reduce args will be deprecated, please use "
            f"reduction='{reduction}' instead.",
            stacklevel=3,
        )
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return str(reduction)


def reduced(x: Any, reduction: str) -> Any:
    """Reduce an array or tracer."""
    if reduction == "mean":
        return fnp.mean(x)
    return fnp.sum(x) if reduction == "sum" else x


def reduced_tensor(x: Any, reduction: str) -> Tensor:
    """Reduce a tensor, by a node of its own."""
    if reduction == "mean":
        return x.mean()  # type: ignore[no-any-return]
    return x.sum() if reduction == "sum" else x  # type: ignore[no-any-return]


def warn_of_sizes(input: Tensor, target: Tensor) -> None:
    """Warn of a target that has another size than the input."""
    if input.shape != target.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}). This will likely lead to incorrect results due to "
            "broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )
