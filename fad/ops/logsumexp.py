"""log sum exp over axes, as a reduction: its weights are the softmax.

    reduce_logsumexp(x)   m + log sum exp(x - m),  m the largest element
    softmax(x)            exp(x - m) / sum exp(x - m) = d logsumexp(x) / dx

Infinite maxima share the weight evenly, and elements of -inf have none, also where
there is nothing else. Large arrays are done a block of rows at a time, so that the
steps between `x` and the result stay in the cache.

`exp_below` is their common first step, which a program takes once if it needs both
(`ops.algebra`).

Public names: `reduce_logsumexp`, `softmax`, `exp_below`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .infer_rules import same
from .kinds import elementwise, opaque
from .reductions import Axes, Reduction, keep_axes, reduce_sum
from .shape import reshape

__all__ = ["exp_below", "reduce_logsumexp", "softmax"]

_BLOCK = 1 << 17  # elements


def _blocks(x: Any, axis: Axes) -> Iterator[slice]:
    """Yield slices of the first axis that cut `x` into blocks."""
    rows = len(x) if 0 in axis else max(1, _BLOCK * len(x) // x.size)
    for start in range(0, len(x), rows):
        yield slice(start, start + rows)


def _exponentials(x: Any, axis: Axes, out: Any) -> tuple[Any, Any]:
    """Put exp(x - m) in `out`; return its sums and m, of which infinite ones are 0."""
    top = np.maximum.reduce(x, axis, keepdims=True)
    finite = np.isfinite(top)
    if not finite.all():
        top = np.where(finite | np.isnan(top), top, 0)
    np.exp(np.subtract(x, top, out), out)
    return np.add.reduce(out, axis, keepdims=True), top


def _logsumexp(x: Any, *, axis: Axes) -> Any:
    if not axis or x.size == 0:
        return np.logaddexp.reduce(x, axis)
    out = np.empty(keep_axes(x.shape, axis), x.dtype)
    with np.errstate(divide="ignore", over="ignore"):  # log(0) of nothing, exp(inf)
        for rows in _blocks(x, axis):
            part = x[rows]
            total, top = _exponentials(part, axis, np.empty_like(part))
            np.add(np.log(total), top, out if 0 in axis else out[rows])
    return out.reshape([n for i, n in enumerate(x.shape) if i not in axis])[()]


def _softmax(x: Any, *, axis: Axes) -> Any:
    if not axis or x.size == 0:
        return np.ones_like(x)[()]
    out = np.empty_like(x)
    with np.errstate(over="ignore", invalid="ignore"):
        for rows in _blocks(x, axis):
            part = out[rows]
            total, _ = _exponentials(x[rows], axis, part)
            if np.isinf(total).any():  # only the infinite elements have a share
                np.copyto(part, np.isposinf(x[rows]), where=np.isinf(total))
                total = np.add.reduce(part, axis, keepdims=True)
            np.divide(part, np.where(total == 0, 1, total), part)
    return out


def _exp_below(x: Any, top: Any) -> Any:
    with np.errstate(over="ignore", invalid="ignore"):
        out = np.subtract(x, top)
        if not np.isfinite(top).all():  # inf - inf is 0, and -inf stays
            out = np.where((x == top) & np.isinf(x), np.minimum(x, 0), out)
        return np.exp(out, out) if out.__class__ is np.ndarray else np.exp(out)


exp_below = elementwise(
    "exp_below", _exp_below, [lambda t, ans: t * ans, lambda t, ans: -t * ans]
)
"""exp(x - top), top being the largest of some elements and x one of them: if both are
infinite it is 1, or 0 where there is nothing but -inf."""


def _jvp(ans: Any, primals: Any, tangents: Any, *, axis: Axes) -> Any:
    weighted = ans * tangents[0]
    mean = reshape(reduce_sum(weighted, axis=axis), shape=keep_axes(ans.shape, axis))
    return weighted - ans * mean


def _batch(size: int, args: Any, dims: Any, *, axis: Axes) -> tuple[Any, int]:
    (d,) = dims
    return softmax(args[0], axis=tuple([a + (a >= d) for a in axis])), d


softmax = opaque("softmax", _softmax, _jvp, infer=same, batch=_batch)

reduce_logsumexp = Reduction(
    "reduce_logsumexp",
    np.logaddexp,
    lambda x, ans, axis: softmax(x, axis=axis),
    empty=True,
)
reduce_logsumexp.impl = _logsumexp

for _prim in (softmax, exp_below, reduce_logsumexp):
    _prim.fresh = True
