"""Examples of a batch that take part in a branch or still run in a loop.

Public names: `lanes_like`, `safe_input`, `any_lane`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval, concrete_aval
from ..core.trace import aval_of
from ..ops.arithmetic import convert
from ..ops.batching_rules import at_front
from ..ops.comparison import gt, where
from ..ops.kinds import constant
from ..ops.reductions import reduce_sum
from ..ops.shape import reshape

__all__ = ["any_lane", "lanes_like", "safe_input"]


def _pick_lane(mask: Any, x: Any) -> Any:
    axis = np.ndim(mask) - 1
    if not x.shape[axis]:
        return np.zeros(_infer_pick(concrete_aval(mask), x).shape, x.dtype)[()]
    index = np.argmax(mask, axis=-1)
    index = index.reshape(index.shape + (1,) * (x.ndim - axis))
    return np.take_along_axis(x, index, axis).squeeze(axis)[()]


def _infer_pick(mask: Aval, x: Aval) -> Aval:
    axis = len(mask.shape) - 1
    return Aval((*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype)


def _batch_pick(size: int, args: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, int]:
    mask, x = (at_front(size, a, d) for a, d in zip(args, dims, strict=True))
    return pick_lane(mask, x), 0


pick_lane = constant("pick_lane", _pick_lane, infer=_infer_pick, batch=_batch_pick)
"""`pick_lane(mask, x)` is the first `x[i]` whose mask is set, without derivative."""


def lanes_like(mask: Any, x: Any) -> Any:
    """Return a mask of examples in a shape that broadcasts against a stack `x`."""
    ndim = len(aval_of(x).shape)
    shape = aval_of(mask).shape
    return reshape(mask, shape=(*shape, *(1,) * (ndim - 1))) if ndim > 1 else mask


def any_lane(mask: Any) -> Any:
    """Tell whether any example is set."""
    return gt(reduce_sum(convert(mask, dtype=np.dtype(np.int64)), axis=(0,)), 0)


def safe_input(taken: Any, x: Any) -> Any:
    """Return a stack in which examples that are not taken equal one that is.

    No cotangent flows back through those.
    """
    return where(lanes_like(taken, x), x, pick_lane(taken, x))
