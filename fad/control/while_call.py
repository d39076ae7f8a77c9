"""The equation `while`: a loop whose length depends on values.

    while[cond_jaxpr body_jaxpr cond_nconsts body_nconsts] consts, carry -> carry

Forward mode is a loop over carry and tangents. Reverse mode works, too: once values are
there, a loop that took n steps is a `scan` of n steps. Under `grad` alone that is now;
under `jit` and `vmap` the reverse pass is one deferred equation (`control.deferred`).

Under `vmap`, an example whose condition has become false keeps its carry while others
go on; what the body would make of it counts for nothing, neither in values nor in
derivatives.

Public names: `while_call`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backends.registry import executable
from ..core.avals import Aval
from ..core.ir import Eqn, Jaxpr
from ..core.trace import aval_of, bind, concrete_value
from ..ops.batching_rules import at_front
from ..ops.comparison import where
from ..transforms.partial import batch_jaxpr, jvp_jaxpr
from ..transforms.staging import eval_jaxpr, stage
from .deferred import Work, defer, vjp_of
from .higher import HigherOrder, given, is_known, or_zeros, spread, strong
from .lanes import any_lane, lanes_like, safe_inputs
from .scan_split import split_scan

__all__ = ["while_call"]


class _While(HigherOrder):
    """Run a body while a condition holds."""

    def __init__(self) -> None:
        super().__init__("while")

    def run(self, *args: Any, **params: Any) -> list[Any]:
        return _loop(args, **params)[0]

    def infer(self, *avals: Aval, body_jaxpr: Jaxpr, **params: Any) -> list[Aval]:
        return [strong(a) for a in body_jaxpr.out_avals]

    def forward(
        self, values: Sequence[Any], inputs: Sequence[Any], **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        if not is_known(values):
            return bind(self, *values, **params), tuple(values)
        _, n = _loop([concrete_value(v) for v in values], **params)
        steps = _as_scan(n, params)
        parts = split_scan(steps, _scan_mask(inputs, params))
        outs, residuals = parts.forward(values[params["cond_nconsts"] :], steps)
        return outs, (_Taken(n), *residuals)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        params, skip = eqn.params, eqn.params["cond_nconsts"]
        first = eqn.residuals[0] if eqn.residuals else None
        if isinstance(first, _Taken):
            steps = _as_scan(first.steps, params)
            parts = split_scan(steps, _scan_mask(eqn.inputs, params))
            found = parts.backward(eqn.residuals[1:], ct, steps)
            return [None] * skip + found
        which, cts = given(ct)
        mask = [v is not None for v in eqn.inputs]
        avals = [v.aval for v in eqn.inputs if v is not None]
        work = _work(params)
        return spread(
            mask, defer(vjp_of(work, mask, which, avals), *eqn.residuals, *cts)
        )

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        params, skip = eqn.params, eqn.params["cond_nconsts"]
        first = eqn.residuals[0] if eqn.residuals else None
        if isinstance(first, _Taken):
            steps = _as_scan(first.steps, params)
            parts = split_scan(steps, _scan_mask(eqn.inputs, params))
            return parts.forward_linear(eqn.residuals[1:], tangents[skip:], steps)
        return self.push(eqn.residuals, tangents, **params)[1]

    def push(
        self, values: Sequence[Any], tangents: Sequence[Any], **params: Any
    ) -> tuple[list[Any], list[Any]]:
        cond, body = params["cond_jaxpr"], params["body_jaxpr"]
        nc, nb = params["cond_nconsts"], params["body_nconsts"]
        mask = [t is not None for t in tangents[nc:]]
        while True:
            program, nonzero = jvp_jaxpr(body, mask, mask[nb:])
            if nonzero == mask[nb:]:
                break
            mask[nb:] = nonzero
        ts = [
            or_zeros(t, aval_of(v)) if m else None
            for t, v, m in zip(tangents[nc:], values[nc:], mask, strict=True)
        ]
        t_consts, t_carry = (
            [t for t in ts[:nb] if t is not None],
            [t for t in ts[nb:] if t is not None],
        )
        outs = bind(
            self,
            *values[: nc + nb], *t_consts, *values[nc + nb :], *t_carry,
            cond_jaxpr=_ignoring(cond, [aval_of(t) for t in t_carry]),
            body_jaxpr=_with_tangents(program, body, nb, len(t_consts)),
            cond_nconsts=nc, body_nconsts=nb + len(t_consts),
        )  # fmt: skip
        n = len(body.outputs)
        return outs[:n], spread(nonzero, outs[n:])

    def is_linear(self, mask: Sequence[bool], **params: Any) -> bool:
        return False

    def batch(
        self, size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        cond, body = params["cond_jaxpr"], params["body_jaxpr"]
        nc, nb = params["cond_nconsts"], params["body_nconsts"]
        mask = [d is not None for d in dims]
        while True:
            carry = mask[nc + nb :]
            _, stacked = batch_jaxpr(body, size, mask[nc:], carry)
            _, (by_example,) = batch_jaxpr(cond, size, [*mask[:nc], *carry])
            joint = [True] * len(carry) if by_example else stacked
            if joint == carry:
                break
            mask[nc + nb :] = joint
        moved = [
            at_front(size, a, d) if m else a
            for a, d, m in zip(args, dims, mask, strict=True)
        ]
        if not by_example:
            params = {
                **params,
                "cond_jaxpr": batch_jaxpr(cond, size, [*mask[:nc], *carry])[0],
                "body_jaxpr": batch_jaxpr(body, size, mask[nc:], carry)[0],
            }
            return bind(self, *moved, **params), [0 if m else None for m in carry]
        lanes = _lanes(size, mask, **params)
        outs = bind(
            self, *moved[:nc], *moved,
            cond_jaxpr=lanes[0], body_jaxpr=lanes[1],
            cond_nconsts=nc, body_nconsts=nc + nb,
        )  # fmt: skip
        return outs, [0] * len(carry)


while_call = _While()


class _Taken:
    """The number of steps that a loop took; first among its residuals."""

    __slots__ = ("steps",)

    def __init__(self, steps: int) -> None:
        self.steps = steps


def _loop(
    args: Sequence[Any],
    *,
    cond_jaxpr: Jaxpr,
    body_jaxpr: Jaxpr,
    cond_nconsts: int,
    body_nconsts: int,
) -> tuple[list[Any], int]:
    """Run a loop on values; returns the carry and the number of steps."""
    cond, body = executable(cond_jaxpr), executable(body_jaxpr)
    first = args[:cond_nconsts]
    consts = args[cond_nconsts : cond_nconsts + body_nconsts]
    carry = list(args[cond_nconsts + body_nconsts :])
    steps = 0
    while cond(*first, *carry)[0]:
        carry = body(*consts, *carry)
        steps += 1
    return carry, steps


def _as_scan(steps: int, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a `scan` that does `steps` steps of the loop."""
    body = params["body_jaxpr"]
    return {
        "jaxpr": body,
        "length": steps,
        "num_consts": params["body_nconsts"],
        "num_carry": len(body.outputs),
        "reverse": False,
    }


def _scan_mask(inputs: Sequence[Any], params: dict[str, Any]) -> list[bool]:
    return [v is not None for v in inputs[params["cond_nconsts"] :]]


def _work(params: dict[str, Any]) -> Work:
    """Return the loop as a work, made once."""
    body = params["body_jaxpr"]
    key = "while", params["cond_jaxpr"], params["cond_nconsts"], params["body_nconsts"]
    if key not in body.cache:
        body.cache[key] = Work(
            "while", lambda *args: bind(while_call, *args, **params), body.out_avals
        )
    found: Work = body.cache[key]
    return found


def _ignoring(jaxpr: Jaxpr, avals: Sequence[Aval]) -> Jaxpr:
    """Return the program with more inputs, which it does not read."""
    if not avals:
        return jaxpr
    key = ("ignoring", tuple(avals))
    if key not in jaxpr.cache:
        n = len(jaxpr.inputs)
        jaxpr.cache[key] = stage(
            lambda *args: eval_jaxpr(jaxpr, *args[:n]),
            [*jaxpr.in_avals, *map(strong, avals)],
        )
    found: Jaxpr = jaxpr.cache[key]
    return found


def _with_tangents(program: Jaxpr, body: Jaxpr, nb: int, k: int) -> Jaxpr:
    """Put tangents of consts behind the consts, before the carry."""
    key = ("loop", nb, k)
    if key not in program.cache:
        n = len(body.inputs)
        ins, ts = program.inputs[:n], program.inputs[n:]
        program.cache[key] = Jaxpr(
            [*ins[:nb], *ts[:k], *ins[nb:], *ts[k:]],
            program.const_vars,
            program.consts,
            program.eqns,
            program.outputs,
        )
    found: Jaxpr = program.cache[key]
    return found


def _lanes(
    size: int,
    mask: Sequence[bool],
    cond_jaxpr: Jaxpr,
    body_jaxpr: Jaxpr,
    cond_nconsts: int,
    body_nconsts: int,
) -> tuple[Jaxpr, Jaxpr]:
    """Return condition and body of a loop in which each example stops by itself."""
    key = ("lanes", size, tuple(mask), cond_jaxpr)
    if key in body_jaxpr.cache:
        found: tuple[Jaxpr, Jaxpr] = body_jaxpr.cache[key]
        return found
    nc = cond_nconsts
    carry = mask[nc + body_nconsts :]
    cond, _ = batch_jaxpr(cond_jaxpr, size, [*mask[:nc], *carry], [True])
    body, _ = batch_jaxpr(body_jaxpr, size, mask[nc:], carry)

    def going_on(*args: Any) -> list[Any]:
        return [any_lane(eval_jaxpr(cond, *args)[0])]

    def step(*args: Any) -> list[Any]:
        first, consts, old = (
            args[:nc],
            args[nc : nc + body_nconsts],
            args[nc + body_nconsts :],
        )
        (running,) = eval_jaxpr(cond, *first, *old)
        safe = safe_inputs(running, (*consts, *old), mask[nc:], body_jaxpr)
        new = eval_jaxpr(body, *safe)
        return [
            where(lanes_like(running, n), n, o) for n, o in zip(new, old, strict=True)
        ]

    def stacked(jaxpr: Jaxpr, which: Sequence[bool]) -> list[Aval]:
        return [
            Aval((size, *a.shape), a.dtype) if m else a
            for a, m in zip(jaxpr.in_avals, which, strict=True)
        ]

    cond_avals = stacked(cond_jaxpr, [*mask[:nc], *carry])
    body_avals = stacked(body_jaxpr, mask[nc:])
    made = stage(going_on, cond_avals), stage(step, [*cond_avals[:nc], *body_avals])
    body_jaxpr.cache[key] = made
    return made
