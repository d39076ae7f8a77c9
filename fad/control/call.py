"""The equation `jit[jaxpr]`: run a program.

It is one equation for every transform: its derivative is the split program
(`transforms.partial`), so `grad(jit(f))` runs `f` once, and compiled programs are used
again by every transform.

Public names: `CallLike`, `jit_call`, `shared_outputs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backends.registry import executable
from ..core.avals import Aval
from ..core.ir import Eqn, Jaxpr, Lit, Var, key_of
from ..core.trace import bind
from ..ops.arithmetic import stop_gradient
from ..ops.batching_rules import move_to_front
from ..transforms.partial import batch_jaxpr, jvp_jaxpr, split
from ..transforms.simplify import simplify
from ..transforms.staging import eval_jaxpr
from .higher import HigherOrder, given, spread, strong

__all__ = ["CallLike", "jit_call", "shared_outputs"]


class CallLike(HigherOrder):
    """Run the program `jaxpr`; derivatives and batches are programs, too."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.inlined = lambda *args, jaxpr, **params: eval_jaxpr(jaxpr, *args)

    def bind_program(
        self, args: Sequence[Any], jaxpr: Jaxpr, suffix: str, params: dict[str, Any]
    ) -> list[Any]:
        """Bind a derived program as an operation of this kind."""
        raise NotImplementedError

    def run(self, *args: Any, jaxpr: Jaxpr, **params: Any) -> list[Any]:
        return executable(jaxpr)(*args)

    def infer(self, *avals: Aval, jaxpr: Jaxpr, **params: Any) -> list[Aval]:
        return [strong(a) for a in jaxpr.out_avals]

    def shares_memory(self, index: int, *, jaxpr: Jaxpr, **params: Any) -> bool:
        return index in shared_outputs(jaxpr)

    def forward(
        self, values: Sequence[Any], inputs: Sequence[Any], **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        parts = split(params["jaxpr"], [v is not None for v in inputs])
        outs = self.bind_program(values, parts.fwd, "_fwd", params)
        return outs[: parts.num_outs], tuple(outs[parts.num_outs :])

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        parts = split(eqn.params["jaxpr"], [v is not None for v in eqn.inputs])
        which, cts = given(ct)
        program, nonzero = parts.bwd(which)
        args = [*eqn.residuals, *cts]
        found = self.bind_program(args, program, "_bwd", eqn.params)
        result: list[Any] = [None] * len(eqn.inputs)
        for i, c in zip(parts.traced, spread(nonzero, found), strict=True):
            result[i] = c
        return result

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        parts = split(eqn.params["jaxpr"], [v is not None for v in eqn.inputs])
        which, ts = given(tangents[i] for i in parts.traced)
        program, nonzero = parts.lin(which)
        args = [*eqn.residuals, *ts]
        return spread(nonzero, self.bind_program(args, program, "_lin", eqn.params))

    def push(
        self, values: Sequence[Any], tangents: Sequence[Any], **params: Any
    ) -> tuple[list[Any], list[Any]]:
        mask, ts = given(tangents)
        program, nonzero = jvp_jaxpr(params["jaxpr"], mask)
        outs = self.bind_program([*values, *ts], program, "_jvp", params)
        n = len(nonzero)
        return outs[:n], spread(nonzero, outs[n:])

    def batch(
        self, size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        moved = [
            a if d is None else move_to_front(a, d)
            for a, d in zip(args, dims, strict=True)
        ]
        mask = [d is not None for d in dims]
        program, stacked = batch_jaxpr(params["jaxpr"], size, mask)
        outs = self.bind_program(moved, program, "", params)
        return outs, [0 if s else None for s in stacked]


class _Call(CallLike):
    transparent = True

    def bind_program(
        self, args: Sequence[Any], jaxpr: Jaxpr, suffix: str, params: dict[str, Any]
    ) -> list[Any]:
        outs: list[Any] = bind(self, *args, jaxpr=jaxpr, name=params["name"] + suffix)
        return outs


jit_call = _Call("jit")


def shared_outputs(jaxpr: Jaxpr) -> list[int]:
    """Return which outputs may share memory with inputs, constants or other outputs."""
    if "shared" not in jaxpr.cache:
        jaxpr.cache["shared"] = _shared_outputs(simplify(jaxpr))
    found: list[int] = jaxpr.cache["shared"]
    return found


def _shared_outputs(jaxpr: Jaxpr) -> list[int]:
    roots: dict[Any, Any] = {}
    for eqn in jaxpr.eqns:
        if eqn.prim.view or eqn.prim is stop_gradient:
            first = key_of(eqn.inputs[0])
            roots[eqn] = roots.get(first, first)
    seen: set[Any] = set()
    shared = []
    for i, atom in enumerate(jaxpr.outputs):
        if isinstance(atom, Lit):
            continue
        root = roots.get(key_of(atom), key_of(atom))
        if root in seen or _goes_through(root):
            shared.append(i)
        seen.add(root)
    return shared


def _goes_through(root: Any) -> bool:
    """Tell whether an atom that is no view may be an array that came in."""
    if isinstance(root, (Var, Lit)):
        return True
    if isinstance(root, tuple):
        eqn, index = root
        if isinstance(eqn.prim, HigherOrder):
            return eqn.prim.shares_memory(index, **eqn.params)
    return False
