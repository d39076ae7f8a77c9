"""Reads of parts of one array, pulled back together.

Each read `x[index]` alone would pull its cotangent back to an array of zeros of the
shape of x, to be added to the others. Here all are added up in one array:

    scatter_all(*ys)   zeros with each y added at an index of its own, `indices`, which
                       have no index arrays; its transpose reads at each index

Public names: `pull_together`, `scatter_all`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.trace import Tracer
from .arithmetic import add
from .batching_rules import at_front
from .indexing import add_at, getitem
from .kinds import linear

__all__ = ["pull_together", "scatter_all"]


def _scatter_all(*ys: Any, indices: Any, shape: Any) -> Any:
    out = np.zeros(shape, np.result_type(*ys))
    for y, index in zip(ys, indices, strict=True):
        out[index] += y
    return out if shape else out[()]


def _batch_scatter_all(
    size: int, args: Any, dims: Any, *, indices: Any, shape: Any
) -> tuple[Any, int]:
    ys = [at_front(size, y, d) for y, d in zip(args, dims, strict=True)]
    stacked = [(slice(None), *(i if isinstance(i, tuple) else (i,))) for i in indices]
    return scatter_all(*ys, indices=tuple(stacked), shape=(size, *shape)), 0


scatter_all = linear(
    "scatter_all",
    _scatter_all,
    lambda ct, *, indices, shape: [getitem(ct, index=i) for i in indices],
    infer=lambda *ys, indices, shape: Aval(
        shape, np.result_type(*[y.dtype for y in ys])
    ),
    batch=_batch_scatter_all,
    variadic=True,
    structural=True,
)
scatter_all.fresh = True


def pull_together(parts: Sequence[tuple[Eqn, Any]], total: Any, spare: bool) -> Any:
    """Add the pullbacks of several reads of one array to its cotangent so far.

    Args:
        parts: pairs of a `getitem` equation and its cotangent.
        total: what there is already, None for nothing.
        spare: `total` is an array that may be overwritten.
    """
    like = parts[0][0].inputs[0].aval
    values = [v for eqn, ct in parts for v in (total, ct, *eqn.residuals)]
    if not any(isinstance(v, Tracer) for v in values):
        if total is None:
            total = np.zeros(like.shape, like.dtype)
        elif not spare:
            total = np.array(total)
        for eqn, ct in parts:
            add_at(total, ct, eqn.residuals[::-1], **eqn.params)
        return total if like.shape else total[()]
    basic = [part for part in parts if not part[0].residuals]
    found = [getitem.pullback(eqn, ct)[0] for eqn, ct in parts if eqn.residuals]
    if basic:
        indices = tuple([eqn.params["index"] for eqn, _ in basic])
        cts = [ct for _, ct in basic]
        found.append(scatter_all(*cts, indices=indices, shape=like.shape))
    for ct in found:
        total = ct if total is None else add(total, ct)
    return total
