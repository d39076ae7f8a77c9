"""Diagonals of matrices inside an array, and their transpose.

    diagonal          out[..., i] = x[..., i - min(offset, 0), ..., i + max(offset, 0)]
    embed_diagonal    zeros with the last axis of x written on that diagonal

Each is the transpose of the other. `axis1` counts rows and `axis2` columns, both of the
larger array and non-negative; the diagonal is the last axis of the smaller one.

Public names: `diagonal embed_diagonal`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from .batching_rules import move_to_front
from .kinds import linear

__all__ = ["diagonal", "embed_diagonal"]


def _infer_diagonal(x: Aval, *, offset: int, axis1: int, axis2: int) -> Aval:
    if axis1 == axis2:
        raise ValueError("axis1 and axis2 of a diagonal cannot be the same")
    rows, columns = x.shape[axis1], x.shape[axis2]
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    kept = [n for i, n in enumerate(x.shape) if i not in (axis1, axis2)]
    return Aval((*kept, length), x.dtype)


def _batch_diagonal(
    size: int, args: Any, dims: Any, *, offset: int, axis1: int, axis2: int
) -> tuple[Any, int]:
    x = move_to_front(args[0], dims[0])
    return diagonal(x, offset=offset, axis1=axis1 + 1, axis2=axis2 + 1), 0


diagonal = linear(
    "diagonal",
    lambda x, *, offset, axis1, axis2: np.diagonal(x, offset, axis1, axis2),
    lambda ct, like, *, offset, axis1, axis2: embed_diagonal(
        ct,
        offset=offset,
        axis1=axis1,
        axis2=axis2,
        shape=(like.shape[axis1], like.shape[axis2]),
    ),
    infer=_infer_diagonal,
    batch=_batch_diagonal,
    structural=True,
    view=True,
)


def _embedded(
    x: Any, axis1: int, axis2: int, shape: tuple[int, int]
) -> tuple[int, ...]:
    out = list(x.shape[:-1])
    for axis, n in sorted(((axis1, shape[0]), (axis2, shape[1]))):
        out.insert(axis, n)
    return tuple(out)


def _embed(
    x: Any, *, offset: int, axis1: int, axis2: int, shape: tuple[int, int]
) -> Any:
    out = np.zeros(_embedded(x, axis1, axis2, shape), x.dtype)
    target = np.diagonal(out, offset, axis1, axis2)
    target.flags.writeable = True  # NumPy makes the view read-only, not its memory
    target[...] = x
    return out


def _batch_embed(
    size: int,
    args: Any,
    dims: Any,
    *,
    offset: int,
    axis1: int,
    axis2: int,
    shape: tuple[int, int],
) -> tuple[Any, int]:
    x = move_to_front(args[0], dims[0])
    out = embed_diagonal(
        x, offset=offset, axis1=axis1 + 1, axis2=axis2 + 1, shape=shape
    )
    return out, 0


embed_diagonal = linear(
    "embed_diagonal",
    _embed,
    lambda ct, *, offset, axis1, axis2, shape: diagonal(
        ct, offset=offset, axis1=axis1, axis2=axis2
    ),
    infer=lambda x, *, offset, axis1, axis2, shape: Aval(
        _embedded(x, axis1, axis2, shape), x.dtype
    ),
    batch=_batch_embed,
    structural=True,
)
