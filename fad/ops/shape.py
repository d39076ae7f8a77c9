"""Shape: reshape, transpose, broadcast, flip, concatenate, diagonals.

All are linear maps that move or repeat elements; each transpose is another of them.

Public names: `reshape transpose broadcast_to flip concatenate diagonal embed_diagonal
stack index_along expand_dims move_axis invert_axes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from ..core.views import same_axes
from .batching_rules import at_front, move_to_front
from .kinds import linear

__all__ = [
    "broadcast_to",
    "concatenate",
    "diagonal",
    "embed_diagonal",
    "expand_dims",
    "flip",
    "index_along",
    "invert_axes",
    "move_axis",
    "ravel",
    "reshape",
    "stack",
    "transpose",
]


def _batch_reshape(size: int, args: Any, dims: Any, *, shape: Any) -> tuple[Any, Any]:
    x = move_to_front(args[0], dims[0])
    return reshape(x, shape=(size, *shape)), 0


reshape = linear(
    "reshape",
    lambda x, *, shape: np.asarray(x).reshape(shape),
    lambda ct, like: reshape(ct, shape=like.shape),
    infer=lambda x, *, shape: Aval(shape, x.dtype),
    batch=_batch_reshape,
    structural=True,
    view=same_axes,
)


def ravel(x: Any) -> Any:
    """Return the elements in one dimension."""
    return reshape(x, shape=(aval_of(x).size,))


def invert_axes(axes: Sequence[int]) -> tuple[int, ...]:
    """Return the permutation that undoes `axes`."""
    inverse = [0] * len(axes)
    for i, a in enumerate(axes):
        inverse[a] = i
    return tuple(inverse)


def _batch_transpose(size: int, args: Any, dims: Any, *, axes: Any) -> tuple[Any, Any]:
    (x,), (d,) = args, dims
    shifted = tuple(a + (a >= d) for a in axes)
    return transpose(x, axes=(d, *shifted)), 0


transpose = linear(
    "transpose",
    lambda x, *, axes: np.transpose(x, axes),
    lambda ct, *, axes: transpose(ct, axes=invert_axes(axes)),
    infer=lambda x, *, axes: Aval(tuple(x.shape[a] for a in axes), x.dtype),
    batch=_batch_transpose,
    structural=True,
    view=True,
)


def _batch_broadcast(size: int, args: Any, dims: Any, *, shape: Any) -> tuple[Any, Any]:
    x = move_to_front(args[0], dims[0])
    inner = aval_of(x).shape[1:]
    x = reshape(x, shape=(size, *(1,) * (len(shape) - len(inner)), *inner))
    return broadcast_to(x, shape=(size, *shape)), 0


def _broadcast_to(x: Any, *, shape: tuple[int, ...]) -> Any:
    if np.ndim(x):
        return np.broadcast_to(x, shape)
    # What pulls back a sum comes here: NumPy's function takes four times as long.
    x = np.asarray(x)
    out: Any = np.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
    out.setflags(write=False)
    return out


broadcast_to = linear(
    "broadcast_to",
    _broadcast_to,
    lambda ct: ct,  # summed to the input's shape, as every cotangent is
    infer=lambda x, *, shape: Aval(shape, x.dtype),
    batch=_batch_broadcast,
    structural=True,
    view=True,
)


def _batch_flip(size: int, args: Any, dims: Any, *, axis: Any) -> tuple[Any, Any]:
    (d,) = dims
    return flip(args[0], axis=tuple(a + (a >= d) for a in axis)), d


flip = linear(
    "flip",
    lambda x, *, axis: np.flip(x, axis),
    lambda ct, *, axis: flip(ct, axis=axis),
    infer=lambda x, *, axis: Aval(x.shape, x.dtype),
    batch=_batch_flip,
    structural=True,
    view=True,
)


def _infer_concatenate(*avals: Aval, axis: int) -> Aval:
    examples = [
        np.zeros((), a.dtype)[()].item() if a.weak else np.empty(0, a.dtype)
        for a in avals
    ]
    first = avals[0].shape
    for a in avals[1:]:
        if len(a.shape) != len(first) or any(
            m != n
            for i, (m, n) in enumerate(zip(a.shape, first, strict=True))
            if i != axis
        ):
            raise ValueError(
                f"concatenate: shapes {first} and {a.shape} differ in an axis other "
                f"than the concatenation axis {axis}"
            )
    width = sum(a.shape[axis] for a in avals)
    return Aval((*first[:axis], width, *first[axis + 1 :]), np.result_type(*examples))


def _split_like(ct: Any, avals: Sequence[Aval], *, axis: int) -> list[Any]:
    from .indexing import slice_along

    pieces, start = [], 0
    for a in avals:
        stop = start + a.shape[axis]
        pieces.append(slice_along(ct, start, stop, axis))
        start = stop
    return pieces


def _batch_concatenate(
    size: int, args: Any, dims: Any, *, axis: int
) -> tuple[Any, Any]:
    parts = [at_front(size, a, d) for a, d in zip(args, dims, strict=True)]
    return concatenate(*parts, axis=axis + 1), 0


concatenate = linear(
    "concatenate",
    lambda *xs, axis: np.concatenate(xs, axis),
    _split_like,
    infer=_infer_concatenate,
    batch=_batch_concatenate,
    variadic=True,
    structural=True,
)


def _batch_diagonal(
    size: int, args: Any, dims: Any, *, offset: int, axis1: int, axis2: int
) -> tuple[Any, int]:
    x = move_to_front(args[0], dims[0])
    return diagonal(x, offset=offset, axis1=axis1 + 1, axis2=axis2 + 1), 0


def embed_diagonal(ct: Any, like: Aval, *, offset: int, axis1: int, axis2: int) -> Any:
    """Return zeros of the shape of `like` with `ct` on a diagonal.

    In a matrix with n columns, laid out by rows, the diagonal is every n+1-th element.
    """
    from .indexing import scatter

    ndim = len(like.shape)
    others = [a for a in range(ndim) if a not in (axis1, axis2)]
    rows, columns = like.shape[axis1], like.shape[axis2]
    rest = [like.shape[a] for a in others]
    start = offset if offset >= 0 else -offset * columns
    count = ct.shape[-1]
    stop = start + (count - 1) * (columns + 1) + 1 if count else start
    index = (Ellipsis, slice(start, stop, columns + 1))
    flat = scatter(ct, index=index, shape=(*rest, rows * columns))
    square = reshape(flat, shape=(*rest, rows, columns))
    return transpose(square, axes=invert_axes([*others, axis1, axis2]))


def _infer_diagonal(x: Aval, *, offset: int, axis1: int, axis2: int) -> Aval:
    rest = [n for a, n in enumerate(x.shape) if a not in (axis1, axis2)]
    rows, columns = x.shape[axis1], x.shape[axis2]
    count = min(rows + min(offset, 0), columns - max(offset, 0))
    return Aval((*rest, max(count, 0)), x.dtype)


diagonal = linear(
    "diagonal",
    lambda x, *, offset, axis1, axis2: np.diagonal(x, offset, axis1, axis2),
    lambda ct, like, *, offset, axis1, axis2: embed_diagonal(
        ct, like, offset=offset, axis1=axis1, axis2=axis2
    ),
    infer=_infer_diagonal,
    batch=_batch_diagonal,
    structural=True,
    view=True,
)


def expand_dims(x: Any, axis: int) -> Any:
    """Insert an axis of size 1 at `axis` (non-negative)."""
    shape = aval_of(x).shape
    return reshape(x, shape=(*shape[:axis], 1, *shape[axis:]))


def stack(parts: Sequence[Any]) -> Any:
    """Join values of one shape along a new first axis."""
    return concatenate(*[expand_dims(p, 0) for p in parts], axis=0)


def index_along(x: Any, i: int, axis: int) -> Any:
    """Return `x[..., i, ...]` with `i` at `axis`."""
    from .indexing import getitem

    return getitem(x, index=(slice(None),) * axis + (i,))


def move_axis(x: Any, source: int, target: int) -> Any:
    """Move axis `source` of `x` to position `target` (both non-negative)."""
    if source == target:
        return x
    axes = [a for a in range(aval_of(x).ndim) if a != source]
    axes.insert(target, source)
    return transpose(x, axes=tuple(axes))
