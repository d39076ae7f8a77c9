"""Reductions: sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from .kinds import linear
from .shape import broadcast_to, reshape

__all__ = ["reduce_sum"]


def drop_axes(shape: tuple[int, ...], axis: tuple[int, ...]) -> tuple[int, ...]:
    """Return `shape` without the axes in `axis`."""
    return tuple(n for i, n in enumerate(shape) if i not in axis)


def keep_axes(shape: tuple[int, ...], axis: tuple[int, ...]) -> tuple[int, ...]:
    """Return `shape` with size 1 at the axes in `axis`."""
    return tuple(1 if i in axis else n for i, n in enumerate(shape))


def spread(ct: Any, shape: tuple[int, ...], axis: tuple[int, ...]) -> Any:
    """Undo a reduction's shape: repeat `ct` along the axes that were reduced."""
    if ct.shape:
        ct = reshape(ct, shape=keep_axes(shape, axis))
    return broadcast_to(ct, shape=shape)


def batch_reduction(prim: Any) -> Any:
    """Return the batching rule of a reduction over `axis`."""

    def rule(size: int, args: Any, dims: Any, *, axis: Any, **params: Any) -> Any:
        (d,) = dims
        shifted = tuple(a + (a >= d) for a in axis)
        out_dim = d - sum(a < d for a in shifted)
        return prim()(args[0], axis=shifted, **params), out_dim

    return rule


reduce_sum = linear(
    "reduce_sum",
    lambda x, *, axis: np.add.reduce(x, axis),
    lambda ct, avals, *, axis: spread(ct, avals[0].shape, axis),
    infer=lambda x, *, axis: Aval(
        drop_axes(x.shape, axis), np.add.reduce(np.empty(0, x.dtype)).dtype
    ),
    batch=batch_reduction(lambda: reduce_sum),
    structural=True,
)
