"""Examples of a batch that take part in a branch or still run in a loop.

Public names: `lanes_like`, `safe_inputs`, `any_lane`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval, concrete_aval
from ..core.ir import Eqn, Jaxpr
from ..core.trace import aval_of
from ..ops.arithmetic import convert
from ..ops.batching_rules import at_front
from ..ops.comparison import gt, where
from ..ops.kinds import constant
from ..ops.reductions import reduce_sum
from ..ops.shape import reshape
from .collectives import exchange, gather, permute, scatter_sum

__all__ = ["any_lane", "lanes_like", "safe_inputs"]


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


def safe_inputs(
    taken: Any, args: Sequence[Any], mask: Sequence[bool], jaxpr: Jaxpr
) -> list[Any]:
    """Return stacks in which examples that are not taken equal one that is.

    No cotangent flows back through those. If the program adds up over examples, or
    exchanges their values, all keep their own.
    """
    if _communicates(jaxpr):
        return list(args)
    return [
        where(lanes_like(taken, a), a, pick_lane(taken, a)) if m else a
        for a, m in zip(args, mask, strict=True)
    ]


def _communicates(jaxpr: Jaxpr) -> bool:
    """Tell whether a program has collectives, inner programs included."""
    if "communicates" not in jaxpr.cache:
        jaxpr.cache["communicates"] = any(
            eqn.prim in _COLLECTIVES or any(map(_communicates, _programs(eqn)))
            for eqn in jaxpr.eqns
        )
    return bool(jaxpr.cache["communicates"])


_COLLECTIVES = (exchange, gather, permute, scatter_sum)


def _programs(eqn: Eqn) -> list[Jaxpr]:
    params = eqn.params.values()
    several = [v if isinstance(v, tuple) else (v,) for v in params]
    return [j for column in several for j in column if isinstance(j, Jaxpr)]
