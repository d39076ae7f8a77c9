"""The derivatives of a `scan`: loops of the same length over residuals.

Each step of the reverse loop reads the residuals of its step. Those that are the step's
x or y are the arrays there are already, those that do not change from step to step are
kept once, and the rest is stacked. Cotangents of consts add up in the carry.

Public names: `ScanSplit`, `split_scan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.avals import Aval, zeros
from ..core.ir import Jaxpr, Lit, Var, key_of
from ..core.trace import bind
from ..ops.arithmetic import add
from ..transforms.partial import depends, split, subprogram
from ..transforms.staging import eval_jaxpr, stage
from .call import jit_call
from .higher import given, or_zeros, spread, strong

__all__ = ["ScanSplit", "split_scan"]


class ScanSplit:
    """The derivatives of a scan's program in the inputs of `mask`.

    Attributes:
        mask: the differentiated inputs, with the carries that depend on them.
        parts: the split of the program.
        where: for each residual ("const" | "once" | "x" | "y" | "stack", index).
    """

    def __init__(
        self, jaxpr: Jaxpr, mask: Sequence[bool], num_consts: int, num_carry: int
    ) -> None:
        self.jaxpr, self.nc, self.nk = jaxpr, num_consts, num_carry
        mask = list(mask)
        carries = slice(num_consts, num_consts + num_carry)
        while True:
            self.parts = split(jaxpr, mask)
            linked = self.parts.linked[:num_carry]
            joint = [a or b for a, b in zip(mask[carries], linked, strict=True)]
            if joint == mask[carries]:
                break
            mask[carries] = joint
        traced = self.parts.traced
        self.consts = [i for i in traced if i < num_consts]
        self.carries = [
            i - num_consts for i in traced if num_consts <= i < num_consts + num_carry
        ]
        self.xs = [
            i - num_consts - num_carry for i in traced if i >= num_consts + num_carry
        ]
        self._place_residuals()
        self._programs: dict[Any, Any] = {}

    def _place_residuals(self) -> None:
        """Decide where each residual is kept; make the forward pass."""
        fwd, n = self.parts.fwd, self.parts.num_outs
        positions = {v: i for i, v in enumerate(fwd.inputs)}
        ys = {
            key_of(v): k
            for k, v in enumerate(fwd.outputs[self.nk : n])
            if not isinstance(v, Lit)
        }
        holes = fwd.outputs[n:]
        varies = depends(fwd, fwd.inputs[self.nc :], holes)
        stacked: list[Any] = []
        once: list[Any] = []
        self.where: list[tuple[str, int]] = []
        for hole, changes in zip(holes, varies, strict=True):
            i = positions.get(hole) if isinstance(hole, Var) else None
            if i is not None and i < self.nc:
                self.where.append(("const", i))
            elif i is not None and i >= self.nc + self.nk:
                self.where.append(("x", i - self.nc - self.nk))
            elif not changes:
                self.where.append(("once", len(once)))
                once.append(hole)
            elif key_of(hole) in ys:
                self.where.append(("y", ys[key_of(hole)]))
            else:
                self.where.append(("stack", len(stacked)))
                stacked.append(hole)
        self.body = subprogram(fwd, [*fwd.outputs[:n], *stacked])
        self.once = subprogram(fwd, once, fwd.inputs[: self.nc]) if once else None

    def forward(
        self, values: Sequence[Any], params: dict[str, Any]
    ) -> tuple[list[Any], tuple[Any, ...]]:
        """Run the augmented loop; returns outputs and residuals."""
        from .scan import scan_call

        outs = bind(scan_call, *values, **{**params, "jaxpr": self.body})
        n = self.parts.num_outs
        once: list[Any] = []
        if self.once is not None:
            once = bind(jit_call, *values[: self.nc], jaxpr=self.once, name="once")
        pools = {
            "const": values[: self.nc],
            "x": values[self.nc + self.nk :],
            "y": outs[self.nk : n],
            "stack": outs[n:],
            "once": once,
        }
        residuals = tuple([pools[kind][i] for kind, i in self.where])
        return outs[:n], residuals

    def _sort(self, residuals: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the residuals that are kept once, and those with one per step."""
        once, each = [], []
        for (kind, _), r in zip(self.where, residuals, strict=True):
            (once if kind in ("const", "once") else each).append(r)
        return once, each

    def _unsort(self, once: Sequence[Any], each: Sequence[Any]) -> list[Any]:
        a, b = iter(once), iter(each)
        return [next(a if k in ("const", "once") else b) for k, _ in self.where]

    def _step_avals(self) -> tuple[list[Aval], list[Aval]]:
        return self._sort([strong(a) for a in self.parts.residual_avals])

    def backward(
        self, residuals: Sequence[Any], cts: Sequence[Any], params: dict[str, Any]
    ) -> list[Any]:
        """Run the loop backwards; returns a cotangent per input, None for zero."""
        nc, nk = self.nc, self.nk
        which, ct_ys = given(cts[nk:])
        body, nonzero_xs = self._backward_body(which)
        once, each = self._sort(residuals)
        outs = self.jaxpr.out_avals
        ct_carry = [or_zeros(cts[i], outs[i]) for i in self.carries]
        totals = [zeros(strong(self.jaxpr.in_avals[i])) for i in self.consts]
        from .scan import scan_call

        found = bind(
            scan_call, *once, *ct_carry, *totals, *each, *ct_ys,
            jaxpr=body, length=params["length"], num_consts=len(once),
            num_carry=len(ct_carry) + len(totals), reverse=not params["reverse"],
        )  # fmt: skip
        result: list[Any] = [None] * len(self.jaxpr.inputs)
        a, b = len(self.carries), len(self.carries) + len(self.consts)
        for i, c in zip(self.carries, found[:a], strict=True):
            result[nc + i] = c
        for i, c in zip(self.consts, found[a:b], strict=True):
            result[i] = c
        for i, c in zip(self.xs, spread(nonzero_xs, found[b:]), strict=True):
            result[nc + nk + i] = c
        return result

    def _backward_body(self, which: tuple[bool, ...]) -> tuple[Jaxpr, list[bool]]:
        key = "bwd", which
        if key in self._programs:
            found: tuple[Jaxpr, list[bool]] = self._programs[key]
            return found
        outs = self.jaxpr.out_avals
        carried = [i in self.carries for i in range(self.nk)]
        program, nonzero = self.parts.bwd((*carried, *which))
        once, each = self._step_avals()
        a, b = len(self.consts), len(self.carries)
        nonzero_xs = nonzero[a + b :]
        carry_avals = [strong(outs[i]) for i in self.carries]
        total_avals = [strong(self.jaxpr.in_avals[i]) for i in self.consts]
        y_avals = [strong(v) for v, g in zip(outs[self.nk :], which, strict=True) if g]

        def step(*args: Any) -> list[Any]:
            rest = iter(args)
            kept_once = [next(rest) for _ in once]
            ct_carry = [next(rest) for _ in carry_avals]
            totals = [next(rest) for _ in total_avals]
            kept = self._unsort(kept_once, [next(rest) for _ in each])
            found = spread(nonzero, eval_jaxpr(program, *kept, *ct_carry, *rest))
            new_totals = [
                t if c is None else add(t, c)
                for t, c in zip(totals, found[:a], strict=True)
            ]
            new_carry = [
                or_zeros(c, v)
                for c, v in zip(found[a : a + b], carry_avals, strict=True)
            ]
            return [
                *new_carry,
                *new_totals,
                *(c for c in found[a + b :] if c is not None),
            ]

        avals = [*once, *carry_avals, *total_avals, *each, *y_avals]
        self._programs[key] = made = stage(step, avals), nonzero_xs
        return made

    def forward_linear(
        self, residuals: Sequence[Any], tangents: Sequence[Any], params: dict[str, Any]
    ) -> list[Any]:
        """Push tangents through the loop; returns one per output, None for zero."""
        nc, nk = self.nc, self.nk
        consts, t_consts = given(tangents[i] for i in self.consts)
        xs, t_xs = given(tangents[nc + nk + i] for i in self.xs)
        body, nonzero_ys = self._linear_body(consts, xs)
        once, each = self._sort(residuals)
        outs = self.jaxpr.out_avals
        t_carry = [or_zeros(tangents[nc + i], outs[i]) for i in self.carries]
        from .scan import scan_call

        found = bind(
            scan_call, *once, *t_consts, *t_carry, *each, *t_xs,
            jaxpr=body, length=params["length"], num_consts=len(once) + len(t_consts),
            num_carry=len(t_carry), reverse=params["reverse"],
        )  # fmt: skip
        carried = [i in self.carries for i in range(nk)]
        return spread([*carried, *nonzero_ys], found)

    def _linear_body(
        self, consts: tuple[bool, ...], xs: tuple[bool, ...]
    ) -> tuple[Jaxpr, list[bool]]:
        key = "lin", consts, xs
        if key in self._programs:
            found: tuple[Jaxpr, list[bool]] = self._programs[key]
            return found
        ins, outs, nc, nk = self.jaxpr.in_avals, self.jaxpr.out_avals, self.nc, self.nk
        carries = (True,) * len(self.carries)
        program, nonzero = self.parts.lin((*consts, *carries, *xs))
        once, each = self._step_avals()
        const_avals = [
            strong(ins[i]) for i, g in zip(self.consts, consts, strict=True) if g
        ]
        carry_avals = [strong(outs[i]) for i in self.carries]
        x_avals = [
            strong(ins[nc + nk + i]) for i, g in zip(self.xs, xs, strict=True) if g
        ]

        def step(*args: Any) -> list[Any]:
            rest = iter(args)
            kept_once = [next(rest) for _ in once]
            ts = [next(rest) for _ in (*const_avals, *carry_avals)]
            kept = self._unsort(kept_once, [next(rest) for _ in each])
            found = spread(nonzero, eval_jaxpr(program, *kept, *ts, *rest))
            new_carry = [or_zeros(found[i], outs[i]) for i in self.carries]
            return [*new_carry, *(t for t in found[nk:] if t is not None)]

        avals = [*once, *const_avals, *carry_avals, *each, *x_avals]
        self._programs[key] = made = stage(step, avals), nonzero[nk:]
        return made


def split_scan(params: dict[str, Any], mask: Sequence[bool]) -> ScanSplit:
    """Return the split of a scan, made once for each set of differentiated inputs."""
    jaxpr, nc, nk = params["jaxpr"], params["num_consts"], params["num_carry"]
    key = ("split scan", tuple(mask), nc, nk)
    if key not in jaxpr.cache:
        jaxpr.cache[key] = ScanSplit(jaxpr, mask, nc, nk)
    found: ScanSplit = jaxpr.cache[key]
    return found
