"""Loops whose body does several steps at once.

    scan of n steps  =  scan of n // k groups of k steps, then the n % k that are left

What a loop costs besides its steps is paid once for each group, and the program of a
group is simplified as a whole.

Public names: `bind_in_groups`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.avals import Aval
from ..core.ir import Jaxpr
from ..core.trace import aval_of, bind
from ..ops.indexing import slice_along
from ..ops.shape import concatenate, index_along, reshape, stack
from ..transforms.staging import eval_jaxpr, stage
from .scan import scan_call

__all__ = ["bind_in_groups"]


def bind_in_groups(
    values: Sequence[Any],
    size: int,
    *,
    jaxpr: Jaxpr,
    length: int,
    num_consts: int,
    num_carry: int,
    reverse: bool,
) -> list[Any]:
    """Bind a scan with `size` steps in its body; parameters are those of `scan_call`.

    In reverse, the steps that are left come first in the arrays.
    """
    lead = num_consts + num_carry
    consts, carry, xs = values[:num_consts], values[num_consts:lead], values[lead:]
    left = length % size
    cut = left if reverse else length - left
    early, late = (
        [slice_along(x, a, b, 0) for x in xs] for a, b in ((0, cut), (cut, length))
    )
    rows, rest = (late, early) if reverse else (early, late)
    groups = length // size
    chunks = [reshape(x, shape=(groups, size, *aval_of(x).shape[1:])) for x in rows]
    common = {"num_consts": num_consts, "num_carry": num_carry, "reverse": reverse}
    body = _group_body(jaxpr, size, **common)
    outs = bind(
        scan_call, *consts, *carry, *chunks, jaxpr=body, length=groups, **common
    )
    carry, ys = outs[:num_carry], outs[num_carry:]
    ys = [reshape(y, shape=(groups * size, *aval_of(y).shape[2:])) for y in ys]
    if not left:
        return [*carry, *ys]
    outs = bind(scan_call, *consts, *carry, *rest, jaxpr=jaxpr, length=left, **common)
    ends = outs[num_carry:]
    pairs = zip(ends, ys, strict=True) if reverse else zip(ys, ends, strict=True)
    return [*outs[:num_carry], *[concatenate(*pair, axis=0) for pair in pairs]]


def _group_body(
    jaxpr: Jaxpr, size: int, *, num_consts: int, num_carry: int, reverse: bool
) -> Jaxpr:
    """Return the program of several steps, made once."""
    key = ("group", size, num_carry, reverse)
    lead = num_consts + num_carry

    def steps(*args: Any) -> list[Any]:
        consts, carry, xs = args[:num_consts], args[num_consts:lead], args[lead:]
        ys: list[Any] = [None] * size
        for i in reversed(range(size)) if reverse else range(size):
            row = [index_along(x, i, 0) for x in xs]
            outs = eval_jaxpr(jaxpr, *consts, *carry, *row)
            carry, ys[i] = outs[:num_carry], outs[num_carry:]
        return [*carry, *[stack(parts) for parts in zip(*ys, strict=True)]]

    if key not in jaxpr.cache:
        avals = list(jaxpr.in_avals)
        avals[lead:] = [Aval((size, *a.shape), a.dtype) for a in avals[lead:]]
        jaxpr.cache[key] = stage(steps, avals)
    found: Jaxpr = jaxpr.cache[key]
    return found
