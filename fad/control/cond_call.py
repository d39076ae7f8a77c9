"""The equation `cond`: run one of several programs.

    cond[branches=(f0, f1, ...)] index, operands -> outputs of f_index

An index that differs from example to example (`vmap`) becomes a select, for which every
branch runs that some example takes. To keep values and derivatives of branches not
taken from leaking (0 * inf = nan), an example that does not take a branch is replaced,
as that branch's input, by one that does.

Public names: `cond_call`, `run_branch`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backends.registry import executable
from ..core.avals import Aval, zeros
from ..core.ir import Eqn, Jaxpr
from ..core.trace import bind, concrete_value
from ..ops.arithmetic import convert
from ..ops.batching_rules import move_to_front
from ..ops.comparison import eq, where
from ..transforms.partial import batch_jaxpr, jvp_jaxpr, split
from ..transforms.staging import stage
from .call import jit_call
from .cond_split import split_branches
from .higher import HigherOrder, given, is_known, spread, strong
from .lanes import any_lane, lanes_like, safe_inputs

__all__ = ["cond_call", "run_branch"]


class _Cond(HigherOrder):
    """Run the branch that the first input, an integer in range, says."""

    def __init__(self) -> None:
        super().__init__("cond")

    def run(self, index: Any, *args: Any, branches: tuple[Jaxpr, ...]) -> list[Any]:
        return executable(branches[int(index)])(*args)

    def infer(
        self, index: Aval, *avals: Aval, branches: tuple[Jaxpr, ...]
    ) -> list[Aval]:
        return [strong(a) for a in branches[0].out_avals]

    def forward(
        self,
        values: Sequence[Any],
        inputs: Sequence[Any],
        *,
        branches: tuple[Jaxpr, ...],
    ) -> tuple[list[Any], tuple[Any, ...]]:
        parts = split_branches(branches, [v is not None for v in inputs[1:]])
        outs = bind(self, *values, branches=parts.fwd)
        n = parts.num_outs
        operands = [values[1 + i] for i in parts.operands]
        return outs[:n], (values[0], *operands, *outs[n:])

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        parts = split_branches(
            eqn.params["branches"], [v is not None for v in eqn.inputs[1:]]
        )
        which, cts = given(ct)
        found = bind(self, *eqn.residuals, *cts, branches=parts.bwd(which))
        result: list[Any] = [None] * len(eqn.inputs)
        for i, c in zip(parts.traced, found, strict=True):
            result[1 + i] = c
        return result

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        parts = split_branches(
            eqn.params["branches"], [v is not None for v in eqn.inputs[1:]]
        )
        which, ts = given(tangents[1 + i] for i in parts.traced)
        found = bind(self, *eqn.residuals, *ts, branches=parts.lin(which))
        return spread(parts.linked, found)

    def push(
        self,
        values: Sequence[Any],
        tangents: Sequence[Any],
        *,
        branches: tuple[Jaxpr, ...],
    ) -> tuple[list[Any], list[Any]]:
        mask, ts = given(tangents[1:])
        nonzero = [
            any(column)
            for column in zip(*(jvp_jaxpr(b, mask)[1] for b in branches), strict=True)
        ]
        programs = tuple(jvp_jaxpr(b, mask, nonzero)[0] for b in branches)
        outs = bind(self, *values, *ts, branches=programs)
        n = len(nonzero)
        return outs[:n], spread(nonzero, outs[n:])

    def is_linear(self, mask: Sequence[bool], *, branches: tuple[Jaxpr, ...]) -> bool:
        if mask[0]:
            return False
        return not any(any(split(b, mask[1:]).dependent_residuals()) for b in branches)

    def batch(
        self,
        size: int,
        args: Sequence[Any],
        dims: Sequence[Any],
        *,
        branches: tuple[Jaxpr, ...],
    ) -> tuple[Any, Any]:
        moved = [
            a if d is None else move_to_front(a, d)
            for a, d in zip(args, dims, strict=True)
        ]
        mask = [d is not None for d in dims[1:]]
        if dims[0] is not None:
            return _select_branches(size, moved[0], moved[1:], mask, branches), [
                0
            ] * len(branches[0].outputs)
        stacked = [
            any(column)
            for column in zip(
                *(batch_jaxpr(b, size, mask)[1] for b in branches), strict=True
            )
        ]
        programs = tuple(batch_jaxpr(b, size, mask, stacked)[0] for b in branches)
        outs = bind(self, *moved, branches=programs)
        return outs, [0 if s else None for s in stacked]


cond_call = _Cond()


def _select_branches(
    size: int,
    index: Any,
    args: Sequence[Any],
    mask: Sequence[bool],
    branches: tuple[Jaxpr, ...],
) -> list[Any]:
    """Run branches on all examples and select; all outputs have the batch in front.

    A branch that no example takes does not run.
    """
    results: list[Any] = []
    for k, branch in enumerate(branches):
        taken = eq(index, k)
        inputs = safe_inputs(taken, args, mask, branch)
        everywhere = [True] * len(branch.outputs)
        program, _ = batch_jaxpr(branch, size, mask, everywhere)
        outs = run_branch(any_lane(taken), (_nothing(program), program), inputs)
        if k:
            outs = [
                where(lanes_like(taken, o), o, r)
                for o, r in zip(outs, results, strict=True)
            ]
        results = outs
    return results


def run_branch(
    index: Any, branches: tuple[Jaxpr, ...], args: Sequence[Any], name: str = "branch"
) -> list[Any]:
    """Run a branch: as a call if the index is known, else as a `cond`."""
    outs: list[Any]
    if is_known([index, *args]):
        k = int(concrete_value(index))
        outs = bind(jit_call, *args, jaxpr=branches[k], name=f"{name}_{k}")
    else:
        index = convert(index, dtype=np.dtype(np.int64))
        outs = bind(cond_call, index, *args, branches=branches)
    return outs


def _nothing(jaxpr: Jaxpr) -> Jaxpr:
    """Return a program of the same signature that gives zeros."""
    if "nothing" not in jaxpr.cache:
        outs = [zeros(strong(a)) for a in jaxpr.out_avals]
        jaxpr.cache["nothing"] = stage(lambda *args: outs, jaxpr.in_avals)
    found: Jaxpr = jaxpr.cache["nothing"]
    return found
