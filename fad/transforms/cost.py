"""What a program costs: operations, bytes moved, and the most memory alive at a time.

Counted from the jaxpr by the kind of each primitive:

    pointwise      one operation per output element
    products       2 * sqrt(|a| |b| |out|), which is 2 m k n for a matrix product
    structural     none; one addition per element that a reduction adds up
    opaque         n operations per element of an input whose last axis has size n
    with programs  the sum of what runs inside: `scan` times its length, the dearest
                   branch of `cond`, one step of `while`

A view costs no memory. The counts are estimates for comparing programs.

Public names: `Cost`, `cost`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..core.avals import Aval
from ..core.ir import Eqn, Jaxpr, Lit, key_of

__all__ = ["Cost", "cost"]


class Cost(NamedTuple):
    """The cost of one call.

    Attributes:
        flops: arithmetic operations.
        bytes: read and written by all operations.
        peak_bytes: the most memory alive at a time, arguments and results included.
    """

    flops: int
    bytes: int
    peak_bytes: int


def cost(jaxpr: Jaxpr) -> Cost:
    """Return the cost of a program."""
    if "cost" not in jaxpr.cache:
        jaxpr.cache["cost"] = _cost(jaxpr)
    found: Cost = jaxpr.cache["cost"]
    return found


def _cost(jaxpr: Jaxpr) -> Cost:
    last = _last_uses(jaxpr)
    sizes = {key_of(v): nbytes(v.aval) for v in (*jaxpr.inputs, *jaxpr.const_vars)}
    alive = peak = sum(sizes.values())
    flops = moved = 0
    for i, eqn in enumerate(jaxpr.eqns):
        inner = _inner(eqn)
        if inner is None:
            flops += _flops(eqn)
            moved += sum(nbytes(a) for a in eqn.avals_out)
            moved += sum(nbytes(v.aval) for v in eqn.inputs)
            extra = 0
        else:
            flops += inner.flops
            moved += inner.bytes
            own = sum(nbytes(a) for a in eqn.avals_out)
            own += sum(nbytes(v.aval) for v in eqn.inputs)
            extra = max(inner.peak_bytes - own, 0)
        for v in eqn.outputs:
            sizes[key_of(v)] = 0 if eqn.prim.view else nbytes(v.aval)
            alive += sizes[key_of(v)]
        peak = max(peak, alive + extra)
        for key in last.get(i, ()):
            alive -= sizes[key]
    return Cost(flops, moved, peak)


def nbytes(aval: Aval) -> int:
    """Return the bytes of a value."""
    return aval.size * aval.dtype.itemsize


def _flops(eqn: Eqn) -> int:
    prim = eqn.prim
    out = sum(a.size for a in eqn.avals_out)
    ins: list[int] = [v.aval.size for v in eqn.inputs]
    if prim.structural:
        return max(ins[0] - out, 0) if ins else 0
    if prim.pointwise:
        return out
    if prim.kind == "multilinear":
        product = float(out)
        for n in ins:
            product *= n
        return round(2 * math.sqrt(product))
    if prim.kind == "opaque":
        rows = [(v.aval.shape or (1,))[-1] for v in eqn.inputs]
        return sum(n * row for n, row in zip(ins, rows, strict=True))
    return max([out, *ins])


def _inner(eqn: Eqn) -> Cost | None:
    """Return the cost of the programs inside an equation, None if there are none."""
    found = [_jaxprs(p) for p in eqn.params.values()]
    programs = [cost(j) for group in found for j in group]
    if not programs:
        return None
    if any(len(group) > 1 for group in found):  # branches
        return Cost(*(max(column) for column in zip(*programs, strict=True)))
    times = eqn.params.get("length", 1)
    return Cost(
        times * sum(c.flops for c in programs),
        times * sum(c.bytes for c in programs),
        max(c.peak_bytes for c in programs),
    )


def _jaxprs(param: Any) -> list[Jaxpr]:
    if isinstance(param, Jaxpr):
        return [param]
    if isinstance(param, tuple):
        return [p for p in param if isinstance(p, Jaxpr)]
    return []


def _last_uses(jaxpr: Jaxpr) -> dict[int, list[Any]]:
    """Return, by equation index, what is dead after it; outputs and inputs stay."""
    kept = {key_of(v) for v in (*jaxpr.outputs, *jaxpr.const_vars, *jaxpr.inputs)}
    last: dict[Any, int] = {}
    for i, eqn in enumerate(jaxpr.eqns):
        for v in (*eqn.outputs, *eqn.inputs):
            if not isinstance(v, Lit) and key_of(v) not in kept:
                last[key_of(v)] = i
    dead: dict[int, list[Any]] = {}
    for key, i in last.items():
        dead.setdefault(i, []).append(key)
    return dead
