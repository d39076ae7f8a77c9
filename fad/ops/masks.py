"""Boolean indexing: the elements where a mask is true, and its transpose.

    select(x, mask)        x[..., mask, ...], the mask's axes being those from `axis` on
    spread_out(y, mask)    zeros with y where the mask is true; the transpose of select

The number of true elements is the parameter `count`: it decides the shape, so the mask
has to be known when the operation is recorded. `select` is a masking operation, as
`where` is: what it does not take has no part in the gradient, so `sqrt(x)[x > 0]` has
no 0 * inf from the zeros of x.

Public names: `select`, `spread_out`, `refuse_traced_mask`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.errors import NonConcreteBooleanIndexError
from ..core.trace import aval_of
from .batching_rules import at_front, move_to_front
from .indexing import Indexed
from .shape import invert_axes, reshape, transpose

__all__ = ["refuse_traced_mask", "select", "spread_out"]


def refuse_traced_mask(traced: bool, mask: Any) -> None:
    """Raise for a boolean index that is not known while tracing."""
    if traced:
        raise NonConcreteBooleanIndexError(
            f"A boolean index {aval_of(mask)!r} is not known while tracing, so the "
            "shape of what it selects is not known. Write fnp.where(mask, x, 0.0), "
            "which keeps the shape; or, to write, x.at[mask].set(value) with a value "
            "that broadcasts to all of x."
        )


def _masked(mask: Any, axis: int) -> Any:
    return (slice(None),) * axis + (mask,)


def _mask_first(ndim: int, axis: int, width: int) -> tuple[int, ...]:
    """Return the axes (stack, mask, before, after) of a stack of examples.

    Args:
        ndim: of an example.
        axis, width: where the mask's axes begin in an example, and how many they are.
    """
    mask = range(1 + axis, 1 + axis + width)
    return (0, *mask, *range(1, 1 + axis), *range(1 + axis + width, 1 + ndim))


def _batch_select(
    size: int, args: Any, dims: Any, *, axis: int, count: int
) -> tuple[Any, int]:
    x, mask = args
    if dims[1] is None:
        x = move_to_front(x, dims[0])
        return select(x, mask, axis=axis + 1, count=count), 0
    x, mask = at_front(size, x, dims[0]), move_to_front(mask, dims[1])
    width = aval_of(mask).ndim - 1
    ndim = aval_of(x).ndim - 1
    x = transpose(x, axes=_mask_first(ndim, axis, width))
    out = select(x, mask, axis=0, count=size * count)
    out = reshape(out, shape=(size, count, *aval_of(out).shape[1:]))
    axes = invert_axes(_mask_first(ndim - width + 1, axis, 1))
    return transpose(out, axes=axes), 0


def _infer_select(x: Aval, mask: Aval, *, axis: int, count: int) -> Aval:
    after = x.shape[axis + len(mask.shape) :]
    return Aval((*x.shape[:axis], count, *after), x.dtype)


select = Indexed(
    "select",
    lambda x, mask, *, axis, count: x[_masked(mask, axis)],
    [
        lambda ct, ids, like, *, axis, count: spread_out(
            ct, *ids, axis=axis, shape=like.shape
        )
    ],
    infer=_infer_select,
    batch=_batch_select,
)
select.masking = True


def _spread_out(y: Any, mask: Any, *, axis: int, shape: Any) -> Any:
    out = np.zeros(shape, y.dtype)
    out[_masked(mask, axis)] = y
    return out


def _batch_spread_out(
    size: int, args: Any, dims: Any, *, axis: int, shape: Any
) -> tuple[Any, int]:
    y, mask = at_front(size, args[0], dims[0]), args[1]
    if dims[1] is None:
        return spread_out(y, mask, axis=axis + 1, shape=(size, *shape)), 0
    mask = move_to_front(mask, dims[1])
    width, ndim = aval_of(mask).ndim - 1, len(shape)
    y = transpose(y, axes=_mask_first(ndim - width + 1, axis, 1))
    found = aval_of(y).shape
    y = reshape(y, shape=(found[0] * found[1], *found[2:]))
    axes = _mask_first(ndim, axis, width)
    stacked = (size, *shape)
    out = spread_out(y, mask, axis=0, shape=tuple(stacked[a] for a in axes))
    return transpose(out, axes=invert_axes(axes)), 0


spread_out = Indexed(
    "spread_out",
    _spread_out,
    [
        lambda ct, ids, like, *, axis, shape: select(
            ct, *ids, axis=axis, count=like.shape[axis]
        )
    ],
    infer=lambda y, mask, *, axis, shape: Aval(shape, y.dtype),
    batch=_batch_spread_out,
)
