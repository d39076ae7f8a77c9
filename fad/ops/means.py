"""The mean over axes, as one linear operation: a sum divided by a number.

Public names: `reduce_mean`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.avals import Aval
from .kinds import linear
from .reductions import batch_reduction, drop_axes, spread

__all__ = ["reduce_mean"]

Axes = tuple[int, ...]


def _count(shape: tuple[int, ...], axis: Axes) -> float:
    return float(math.prod([shape[a] for a in axis]))


def _mean(x: Any, *, axis: Axes) -> Any:
    return np.add.reduce(x, axis) / _count(np.shape(x), axis)


reduce_mean = linear(
    "reduce_mean",
    _mean,
    lambda ct, avals, *, axis: spread(
        ct / _count(avals[0].shape, axis), avals[0].shape, axis
    ),
    infer=lambda x, *, axis: Aval(drop_axes(x.shape, axis), x.dtype),
    batch=batch_reduction(lambda: reduce_mean),
    structural=True,
)
"""`reduce_mean(x, axis=(0,))` of floating or complex x; nan of no elements."""
