"""Split a program into a forward pass and what is left for its derivative.

For operations with a jaxpr inside (jit, scan, cond, checkpoint) the derivative must be
a program too. It is got by tracing the interpreters themselves: the jaxpr is evaluated
on a `Tape` while a `Staging` trace watches. The staged program computes the outputs and
the residuals; the tape's equations, with their residuals as inputs, are the linear
part. It can be pulled back or pushed forward, again while a staging trace watches.

    fwd   inputs                -> outputs, residuals
    bwd   residuals, cotangents -> cotangents of the differentiated inputs
    lin   residuals, tangents   -> tangents of the outputs
    jvp   inputs, tangents      -> outputs, tangents of the outputs

Public names: `Split`, `split`, `jvp_jaxpr`, `batch_jaxpr`, `depends`, `subprogram`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.avals import Aval, zeros
from ..core.ir import Eqn, Jaxpr, Out, key_of, new_eqn, program
from ..core.pytree import TreeDef, tree_flatten, tree_unflatten
from ..core.tape import Tape
from ..core.trace import Tracer, aval_of, full_lower
from ..ops.batching_rules import at_front
from .batching import Batch
from .forward import Stream, push
from .reverse import backward
from .staging import eval_jaxpr, stage

__all__ = ["Split", "batch_jaxpr", "depends", "jvp_jaxpr", "split", "subprogram"]


class _Residuals:
    """Equations of a tape whose traced residuals are holes to be filled."""

    def __init__(self, eqns: Sequence[Eqn]) -> None:
        self.eqns = eqns
        self.holes: list[Any] = []  # the traced values, in order of first use
        known: dict[int, int] = {}
        self.templates: list[tuple[list[Any], TreeDef]] = []
        for eqn in eqns:
            leaves, tree = tree_flatten(eqn.residuals)
            self.templates.append(([self._template(v, known) for v in leaves], tree))
            eqn.residuals = ()  # nothing but `fill` reads them

    def _template(self, leaf: Any, known: dict[int, int]) -> Any:
        if not isinstance(leaf, Tracer):
            return _Known(leaf)
        index = known.setdefault(id(leaf.payload), len(self.holes))
        if index == len(self.holes):
            self.holes.append(leaf)
        return index

    def fill(self, values: Sequence[Any]) -> dict[Any, Any]:
        """Return new equations by old ones, with `values` in the holes."""
        new: dict[Any, Any] = {}
        for eqn, (template, tree) in zip(self.eqns, self.templates, strict=True):
            leaves = [t.value if isinstance(t, _Known) else values[t] for t in template]
            inputs = [_renew(v, new) for v in eqn.inputs]
            residuals = tree_unflatten(tree, leaves)
            new[eqn] = new_eqn(
                eqn.prim, inputs, eqn.params, eqn.plan, residuals, eqn.aval
            )
        return new


class _Known:
    """A residual that is a constant of the program."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _renew(atom: Any, new: dict[Any, Any]) -> Any:
    if isinstance(atom, Out):
        return Out(new[atom.eqn], atom.index, atom.aval)
    return new.get(atom, atom) if isinstance(atom, Eqn) else atom


class Split:
    """The parts of a program differentiated in the inputs of `mask`.

    Attributes:
        fwd: the augmented forward program.
        num_outs: how many of its outputs are outputs; the rest are residuals.
        traced: positions of the differentiated inputs.
        linked: which outputs depend on them.
    """

    def __init__(self, jaxpr: Jaxpr, mask: Sequence[bool]) -> None:
        self.jaxpr = jaxpr
        self.traced = [
            i
            for i, (m, a) in enumerate(zip(mask, jaxpr.in_avals, strict=True))
            if m and a.dtype.kind in "fc"
        ]
        self.num_outs = len(jaxpr.outputs)
        self.fwd = stage(self._forward, jaxpr.in_avals)
        self._programs: dict[Any, tuple[Jaxpr, list[bool]]] = {}

    def _forward(self, *args: Any) -> list[Any]:
        tape = Tape()
        boxes = list(args)
        for i in self.traced:
            boxes[i] = tape.input(args[i])
        self.in_atoms = [boxes[i].payload for i in self.traced]
        outs = eval_jaxpr(self.jaxpr, *boxes)
        self.out_atoms = [
            o.payload if isinstance(o, Tracer) and o.owner is tape else None
            for o in outs
        ]
        values = [full_lower(tape, o) for o in outs]
        tape.close()
        self.residuals = _Residuals(program(self.out_atoms))
        holes, self.residuals.holes = self.residuals.holes, []
        self.residual_avals = [aval_of(h) for h in holes]
        self.linked = [v is not None for v in self.out_atoms]
        return [*values, *holes]

    def dependent_residuals(self) -> list[bool]:
        """Tell which residuals depend on the differentiated inputs."""
        inputs = [self.fwd.inputs[i] for i in self.traced]
        return depends(self.fwd, inputs, self.fwd.outputs[self.num_outs :])

    def bwd(self, given: Sequence[bool]) -> tuple[Jaxpr, list[bool]]:
        """Return (residuals, cotangents of the outputs in `given`) -> cotangents.

        Returns:
            The program, whose outputs are the cotangents of `traced` that are not zero,
            and which have one.
        """
        chosen = tuple(g and m for g, m in zip(given, self.linked, strict=True))
        avals = [a for a, g in zip(self.jaxpr.out_avals, given, strict=True) if g]
        return self._program(
            ("bwd", tuple(given)), avals, self._backward, chosen, given
        )

    def lin(self, given: Sequence[bool]) -> tuple[Jaxpr, list[bool]]:
        """Return (residuals, tangents of the `traced` inputs in `given`) -> tangents.

        Returns:
            The program, whose outputs are the tangents that are not zero, and which
            outputs have one.
        """
        avals = [
            self.jaxpr.in_avals[i] for i, g in zip(self.traced, given, strict=True) if g
        ]
        return self._program(("lin", tuple(given)), avals, self._push, given, given)

    def _program(
        self,
        key: Any,
        avals: Sequence[Aval],
        interpret: Callable[..., list[Any]],
        chosen: Sequence[bool],
        given: Sequence[bool],
    ) -> tuple[Jaxpr, list[bool]]:
        if key not in self._programs:
            nonzero: list[bool] = []
            n = len(self.residual_avals)

            def f(*args: Any) -> list[Any]:
                rest = iter(args[n:])
                full = [next(rest) if g else None for g in given]
                full = [v if c else None for v, c in zip(full, chosen, strict=True)]
                found = interpret(self.residuals.fill(args[:n]), full)
                nonzero[:] = [v is not None for v in found]
                return [v for v in found if v is not None]

            strong = [Aval(a.shape, a.dtype) for a in (*self.residual_avals, *avals)]
            self._programs[key] = stage(f, strong), nonzero
        return self._programs[key]

    def _backward(self, new: dict[Any, Any], cts: Sequence[Any]) -> list[Any]:
        outs = [None if v is None else _renew(v, new) for v in self.out_atoms]
        env = backward(tuple(outs), cts)
        return [env.get(v) for v in self.in_atoms]

    def _push(self, new: dict[Any, Any], tangents: Sequence[Any]) -> list[Any]:
        env = push(list(new.values()), self.in_atoms, tangents)
        return [
            None if v is None else env.get(key_of(_renew(v, new)))
            for v in self.out_atoms
        ]


def depends(jaxpr: Jaxpr, inputs: Sequence[Any], outputs: Sequence[Any]) -> list[bool]:
    """Tell which atoms of a program depend on some of its inputs."""
    reached = {key_of(v) for v in inputs}
    for eqn in jaxpr.eqns:
        if any(key_of(v) in reached for v in eqn.inputs):
            reached.update(key_of(v) for v in eqn.outputs)
    return [key_of(v) in reached for v in outputs]


def subprogram(
    jaxpr: Jaxpr, outputs: Sequence[Any], inputs: Sequence[Any] | None = None
) -> Jaxpr:
    """Return the program of some atoms of `jaxpr`; dead equations are left out.

    With other `inputs`, which the atoms depend on alone, effects are left out, too.
    """
    eqns = program([*outputs, *(jaxpr.effects if inputs is None else ())])
    used = {key_of(v) for e in eqns for v in e.inputs} | {key_of(v) for v in outputs}
    pairs = zip(jaxpr.const_vars, jaxpr.consts, strict=True)
    consts = [(v, c) for v, c in pairs if v in used]
    return Jaxpr(
        jaxpr.inputs if inputs is None else inputs,
        [v for v, _ in consts],
        [c for _, c in consts],
        eqns,
        outputs,
    )


def split(jaxpr: Jaxpr, mask: Sequence[bool]) -> Split:
    """Return the split of a program, made once per set of differentiated inputs."""
    key = ("split", tuple(mask))
    if key not in jaxpr.cache:
        jaxpr.cache[key] = Split(jaxpr, mask)
    found: Split = jaxpr.cache[key]
    return found


def jvp_jaxpr(
    jaxpr: Jaxpr, mask: Sequence[bool], all_out: Sequence[bool] | None = None
) -> tuple[Jaxpr, list[bool]]:
    """Return the program of (inputs, tangents of the inputs in `mask`).

    Args:
        jaxpr: the program.
        mask: which inputs have a tangent.
        all_out: outputs whose tangent is returned in any case, zeros if need be.

    Returns:
        The program, whose outputs are those of `jaxpr` and the tangents that are not
        zero, and which outputs have one.
    """
    forced = tuple(all_out or [False] * len(jaxpr.outputs))
    key = ("jvp", tuple(mask), forced)
    if key not in jaxpr.cache:
        nonzero: list[bool] = []

        def both(*args: Any) -> list[Any]:
            n = len(jaxpr.inputs)
            tangents = iter(args[n:])
            stream = Stream()
            boxes = [
                stream.input(a, next(tangents)) if m else a
                for a, m in zip(args[:n], mask, strict=True)
            ]
            outs = eval_jaxpr(jaxpr, *boxes)
            stream.close()
            ts = [_tangent(stream, o, f) for o, f in zip(outs, forced, strict=True)]
            nonzero[:] = [t is not None for t in ts]
            values = [full_lower(stream, o) for o in outs]
            return [*values, *(t for t in ts if t is not None)]

        ins = [a for a, m in zip(jaxpr.in_avals, mask, strict=True) if m]
        avals = [*jaxpr.in_avals, *(Aval(a.shape, a.dtype) for a in ins)]
        jaxpr.cache[key] = stage(both, avals), nonzero
    found: tuple[Jaxpr, list[bool]] = jaxpr.cache[key]
    return found


def _tangent(stream: Stream, out: Any, forced: bool) -> Any:
    found = stream.tangent(out)
    return zeros(aval_of(out).tangent()) if found is None and forced else found


def batch_jaxpr(
    jaxpr: Jaxpr, size: int, mask: Sequence[bool], all_out: Sequence[bool] | None = None
) -> tuple[Jaxpr, list[bool]]:
    """Return the program of a stack of examples; batch axes are at 0.

    Args:
        jaxpr: the program of one example.
        size: the number of examples.
        mask: which inputs are stacked.
        all_out: outputs to be stacked in any case.

    Returns:
        The program, and which of its outputs are stacked.
    """
    forced = tuple(all_out or [False] * len(jaxpr.outputs))
    key = ("batch", size, tuple(mask), forced)
    if key not in jaxpr.cache:
        stacked: list[bool] = []

        def batched(*args: Any) -> list[Any]:
            batch = Batch(size)
            boxes = [
                batch.input(a, 0) if m else a for a, m in zip(args, mask, strict=True)
            ]
            outs = [batch.unbox(o) for o in eval_jaxpr(jaxpr, *boxes)]
            batch.open = False
            stacked[:] = [
                d is not None or f for (_, d), f in zip(outs, forced, strict=True)
            ]
            return [
                at_front(size, o, d) if s else o
                for (o, d), s in zip(outs, stacked, strict=True)
            ]

        avals = [
            Aval((size, *a.shape), a.dtype) if m else a
            for a, m in zip(jaxpr.in_avals, mask, strict=True)
        ]
        jaxpr.cache[key] = stage(batched, avals), stacked
    found: tuple[Jaxpr, list[bool]] = jaxpr.cache[key]
    return found
