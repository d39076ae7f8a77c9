"""The equation `scan`: a loop of known length with a carry, over stacked inputs.

    scan[jaxpr length num_consts num_carry reverse] consts, init, xs -> carry, ys

The program takes (consts, carry, x) and returns (carry, y). Reverse mode is a scan the
other way. Its inputs are the residuals of each step: those that are the step's x or y
are the arrays there are already, those that do not change from step to step are kept
once, and the rest is stacked. Cotangents of consts add up in the carry. So time and
memory of a gradient are linear in the length.

Public names: `Scan`, `scan_call`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.avals import Aval
from ..core.ir import Eqn, Jaxpr
from ..core.trace import aval_of, bind
from ..ops.batching_rules import at_front
from ..ops.shape import move_axis
from ..transforms.partial import batch_jaxpr, jvp_jaxpr
from .higher import HigherOrder, or_zeros, spread, strong
from .scan_program import scan_program
from .scan_split import split_scan

__all__ = ["Scan", "scan_call"]


class Scan(HigherOrder):
    """Run a program `length` times."""

    def run(
        self,
        *args: Any,
        jaxpr: Jaxpr,
        length: int,
        num_consts: int,
        num_carry: int,
        reverse: bool,
        **params: Any,
    ) -> list[Any]:
        run = scan_program(jaxpr, length, num_consts, num_carry, reverse)
        return run(*args)

    def infer(
        self, *avals: Aval, jaxpr: Jaxpr, length: int, num_carry: int, **params: Any
    ) -> list[Aval]:
        outs = [strong(a) for a in jaxpr.out_avals]
        ys = [Aval((length, *a.shape), a.dtype) for a in outs[num_carry:]]
        return [*outs[:num_carry], *ys]

    def shares_memory(self, index: int, *, num_carry: int, **params: Any) -> bool:
        return index < num_carry

    def forward(
        self, values: Sequence[Any], inputs: Sequence[Any], **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        parts = split_scan(params, [v is not None for v in inputs])
        return parts.forward(values, params)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        parts = split_scan(eqn.params, [v is not None for v in eqn.inputs])
        return parts.backward(eqn.residuals, ct, eqn.params)

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        parts = split_scan(eqn.params, [v is not None for v in eqn.inputs])
        return parts.forward_linear(eqn.residuals, tangents, eqn.params)

    def is_linear(self, mask: Sequence[bool], **params: Any) -> bool:
        parts = split_scan(params, mask)
        return not any(parts.parts.dependent_residuals())

    def push(
        self, values: Sequence[Any], tangents: Sequence[Any], **params: Any
    ) -> tuple[list[Any], list[Any]]:
        jaxpr, nc, nk = params["jaxpr"], params["num_consts"], params["num_carry"]
        mask = [t is not None for t in tangents]
        free = [False] * (len(jaxpr.outputs) - nk)
        while True:
            program, nonzero = jvp_jaxpr(jaxpr, mask, [*mask[nc : nc + nk], *free])
            if nonzero[:nk] == mask[nc : nc + nk]:
                break
            mask[nc : nc + nk] = nonzero[:nk]
        ts = [
            or_zeros(t, aval_of(v)) if m else None
            for t, m, v in zip(tangents, mask, values, strict=True)
        ]
        carried = [t for t in ts[nc : nc + nk] if t is not None]
        t_consts = [t for t in ts[:nc] if t is not None]
        t_xs = [t for t in ts[nc + nk :] if t is not None]
        body = _reorder_jvp(program, params, mask, nonzero)
        outs = bind(
            self,
            *values[:nc],
            *t_consts,
            *values[nc : nc + nk],
            *carried,
            *values[nc + nk :],
            *t_xs,
            **{
                **params,
                "jaxpr": body,
                "num_consts": nc + len(t_consts),
                "num_carry": nk + len(carried),
            },
        )
        n, k = len(jaxpr.outputs), len(carried)
        primal_outs = [*outs[:nk], *outs[nk + k : n + k]]
        t_outs = [*outs[nk : nk + k], *outs[n + k :]]
        return primal_outs, spread(nonzero, t_outs)

    def batch(
        self, size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        jaxpr, nc, nk = params["jaxpr"], params["num_consts"], params["num_carry"]
        mask = [d is not None for d in dims]
        free = [False] * (len(jaxpr.outputs) - nk)
        while True:
            forced = [*mask[nc : nc + nk], *free]
            program, stacked = batch_jaxpr(jaxpr, size, mask, forced)
            if stacked[:nk] == mask[nc : nc + nk]:
                break
            mask[nc : nc + nk] = stacked[:nk]
        moved = []
        for i, (a, d, m) in enumerate(zip(args, dims, mask, strict=True)):
            if not m:
                moved.append(a)
            elif i < nc + nk:
                moved.append(at_front(size, a, d))
            else:
                moved.append(move_axis(a, d, 1))
        outs = bind(self, *moved, **{**params, "jaxpr": program})
        dims_out = [
            None if not s else 0 if i < nk else 1 for i, s in enumerate(stacked)
        ]
        return outs, dims_out


scan_call = Scan("scan")


def _reorder_jvp(
    program: Jaxpr,
    params: dict[str, Any],
    mask: Sequence[bool],
    nonzero: Sequence[bool],
) -> Jaxpr:
    """Turn (inputs, tangents) -> (outputs, tangents) into a body of a scan."""
    jaxpr, nc, nk = params["jaxpr"], params["num_consts"], params["num_carry"]
    key = ("reordered", tuple(mask), nc, nk)
    if key not in program.cache:
        n = len(jaxpr.inputs)
        a, b = sum(mask[:nc]), sum(mask[nc : nc + nk])
        ins, ts = program.inputs[:n], program.inputs[n:]
        inputs = [
            *ins[:nc], *ts[:a], *ins[nc : nc + nk], *ts[a : a + b],
            *ins[nc + nk :], *ts[a + b :],
        ]  # fmt: skip
        m = len(jaxpr.outputs)
        outs, t_outs = program.outputs[:m], program.outputs[m:]
        c = sum(nonzero[:nk])
        outputs = [*outs[:nk], *t_outs[:c], *outs[nk:], *t_outs[c:]]
        program.cache[key] = Jaxpr(
            inputs, program.const_vars, program.consts, program.eqns, outputs
        )
    found: Jaxpr = program.cache[key]
    return found
