"""Give a tangent or cotangent the shape and dtype it has to have.

Public names: `match` (call it through `kinds.conform`).
"""

from __future__ import annotations

from typing import Any

from ..core.avals import Aval
from .arithmetic import convert, real
from .reductions import reduce_sum
from .shape import broadcast_to, reshape

__all__ = ["match"]


def match(value: Any, aval: Aval) -> Any:
    """Sum surplus axes, broadcast missing ones, then take `aval`'s dtype."""
    if value.shape != aval.shape:
        value = _match_shape(value, aval.shape)
    if value.dtype != aval.dtype:
        if value.dtype.kind == "c" and aval.dtype.kind != "c":
            value = real(value)
        if value.dtype != aval.dtype:
            value = convert(value, dtype=aval.dtype)
    return value


def _match_shape(value: Any, shape: tuple[int, ...]) -> Any:
    surplus = len(value.shape) - len(shape)
    if surplus > 0 and value.shape[surplus:] == shape:
        return reduce_sum(value, axis=tuple(range(surplus)))
    axes = tuple(range(surplus)) + tuple(
        i + surplus
        for i, n in enumerate(shape)
        if i + surplus >= 0 and n == 1 and value.shape[i + surplus] != 1
    )
    if axes:
        value = reduce_sum(value, axis=axes)
        kept = tuple(n for i, n in enumerate(shape) if i + surplus not in axes)
        if value.shape == kept:
            return value if kept == shape else reshape(value, shape=shape)
    return broadcast_to(value, shape=shape)
