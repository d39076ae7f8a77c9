"""Dimensions: negative ones, tuples of them, and the errors for those out of range.

Public names: `axis_of`, `axes_of`, `kept_shape`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["axes_of", "axis_of", "kept_shape"]


def axis_of(dim: Any, rank: int, wrap_scalar: bool = True) -> int:
    """Return a dimension counted from the front.

    Raises:
        IndexError: it is out of range.
    """
    bound = max(rank, 1) if wrap_scalar else rank
    if not isinstance(dim, int):
        dim = int(dim.__index__())
    if not -bound <= dim < bound:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-bound}, "
            f"{bound - 1}], but got {dim})"
        )
    return int(dim % bound)


def axes_of(dim: Any, rank: int) -> tuple[int, ...]:
    """Return dimensions as a tuple, all for None or an empty one.

    Raises:
        IndexError: one is out of range.
        RuntimeError: one occurs twice.
    """
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(rank))
    dims: Sequence[Any] = dim if isinstance(dim, (tuple, list)) else (dim,)
    axes = tuple([axis_of(d, rank) for d in dims])
    for axis in axes:
        if axes.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    return axes if rank else ()


def kept_shape(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    """Return a shape with the reduced dimensions at length 1."""
    return tuple([1 if i in axes else n for i, n in enumerate(shape)])
