"""Staging: trace a function into a jaxpr, and evaluate a jaxpr.

A `Staging` trace is ambient while its function runs: it captures every operation, also
those that touch no tracer. Its tracers have no value; Python cannot branch on them.

Public names: `Staging`, `stage`, `hoist_tracers`, `eval_jaxpr`.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.dtypes import is_weak
from ..core.errors import UnexpectedTracerError
from ..core.guard import LONG_COPY_LIMIT, Guard
from ..core.ir import Eqn, Jaxpr, Lit, Var, has_effect, key_of, new_eqn, program
from ..core.modes import current_modes
from ..core.primitive import Primitive
from ..core.source import user_source
from ..core.tape import annotate
from ..core.trace import Trace, Tracer, ambient, aval_of, bind
from ..core.views import as_view, snapshot

__all__ = [
    "Staging",
    "check_no_tracer_is_left",
    "eval_jaxpr",
    "hoist_tracers",
    "stage",
]


class Staging(Trace):
    """An abstract trace that writes every operation down.

    An array that the function closes over is a constant. It is captured as it is now:
    the function may write into it afterwards, as NumPy code does with a buffer.
    """

    __slots__ = ("consts", "effects", "guard")
    concrete = False
    name = "make_jaxpr or jit"

    def __init__(self) -> None:
        super().__init__()
        self.consts: dict[Any, tuple[Var, Any]] = {}
        self.effects: list[Eqn] = []
        self.guard = Guard(LONG_COPY_LIMIT)

    def input(self, aval: Aval) -> Tracer:
        """Box an argument known by its aval only."""
        return Tracer(self, None, Var(aval))

    def aval(self, tracer: Tracer) -> Aval:
        aval: Aval = tracer.payload.aval
        return aval

    def atom(self, value: Any) -> Any:
        """Return the atom of a value: its own, a literal, or a constant variable."""
        if isinstance(value, Tracer) and value.owner is self:
            return value.payload
        if is_weak(value) or isinstance(value, np.generic):
            return Lit(value, aval_of(value))
        key, value = self._captured(value)
        known = self.consts.get(key)
        if known is None:
            known = self.consts[key] = (Var(aval_of(value)), value)
        return known[0]

    def _captured(self, value: Any) -> tuple[Any, Any]:
        """Return a constant that later writes do not reach, and what identifies it."""
        if isinstance(value, Tracer):
            return (id(value.value), id(value.payload)), snapshot(value)
        if isinstance(value, np.ndarray):
            value = self.guard.keep_once(value)
        return id(value), value

    def process(
        self, prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        if not self.open:
            self.escaped(prim.name)
        if prim.staged is not None:
            return prim.staged(self, args, params)
        try:
            aval = prim.infer(*[aval_of(a) for a in args], **params)
        except Exception as error:
            annotate(error, prim, list(args))
            raise
        atoms = [self.atom(a) for a in args]
        eqn = new_eqn(prim, atoms, params, None, (), aval, user_source())
        if prim.multiple_results:
            if has_effect(prim, params):
                self.effects.append(eqn)
            return [Tracer(self, None, atom) for atom in eqn.outputs]
        box = Tracer(self, None, eqn)
        return as_view(box, prim, args, params) if prim.view else box


def stage(f: Callable[..., Sequence[Any]], avals: Sequence[Aval]) -> Jaxpr:
    """Trace `f`, which takes and returns flat values, into a jaxpr."""
    trace = Staging()
    boxes = [trace.input(a) for a in avals]
    inputs = [b.payload for b in boxes]
    try:
        with ambient(trace):
            outs = f(*boxes)
            atoms = [trace.atom(o) for o in outs]
    finally:
        trace.open = 0
        trace.guard.release()
    eqns = program([*atoms, *trace.effects])
    used = {key_of(v) for e in eqns for v in e.inputs} | {key_of(v) for v in atoms}
    consts = [pair for pair in trace.consts.values() if pair[0] in used]
    modes = current_modes()
    if modes is not None and modes.leaks:
        reference = weakref.ref(trace)
        del trace, boxes, outs
        check_no_tracer_is_left(reference)
    return Jaxpr(inputs, [v for v, _ in consts], [c for _, c in consts], eqns, atoms)


def check_no_tracer_is_left(reference: weakref.ref[Any]) -> None:
    """Raise UnexpectedTracerError if somebody still holds tracers of a trace."""
    gc.collect()
    trace = reference()
    if trace is None:
        return
    left = [t for t in gc.get_referrers(trace) if isinstance(t, Tracer)]
    if left:
        shown = ", ".join(repr(t.aval) for t in left[:3])
        plural = "s" * (len(left) != 1)
        raise UnexpectedTracerError(
            f"a function under {trace.name} left {len(left)} tracer{plural} behind "
            f"({shown}), in a global, a closure or an attribute; return what is needed "
            "later instead"
        )


def hoist_tracers(jaxpr: Jaxpr) -> tuple[Jaxpr, list[Any]]:
    """Make inputs of the constants that are tracers of outer traces.

    Returns:
        The program, with those inputs in front, and their values.
    """
    pairs = list(zip(jaxpr.const_vars, jaxpr.consts, strict=True))
    outer = [(v, c) for v, c in pairs if isinstance(c, Tracer)]
    if not outer:
        return jaxpr, []
    rest = [(v, c) for v, c in pairs if not isinstance(c, Tracer)]
    hoisted = Jaxpr(
        [*(v for v, _ in outer), *jaxpr.inputs],
        [v for v, _ in rest],
        [c for _, c in rest],
        jaxpr.eqns,
        jaxpr.outputs,
    )
    return hoisted, [c for _, c in outer]


def eval_jaxpr(jaxpr: Jaxpr, *args: Any) -> list[Any]:
    """Evaluate a jaxpr on values of any trace; returns the list of outputs.

    Raises:
        TypeError: the number of arguments is wrong.
    """
    if len(args) != len(jaxpr.inputs):
        raise TypeError(
            f"the jaxpr takes {len(jaxpr.inputs)} arguments, got {len(args)}"
        )
    env: dict[Any, Any] = dict(zip(jaxpr.inputs, args, strict=True))
    env.update(zip(jaxpr.const_vars, jaxpr.consts, strict=True))

    def read(atom: Any) -> Any:
        return atom.value if isinstance(atom, Lit) else env[key_of(atom)]

    for eqn in jaxpr.eqns:
        outs = bind(eqn.prim, *map(read, eqn.inputs), **eqn.params)
        if not eqn.prim.multiple_results:
            outs = [outs]
        for atom, out in zip(eqn.outputs, outs, strict=True):
            env[key_of(atom)] = out
    return [read(v) for v in jaxpr.outputs]
