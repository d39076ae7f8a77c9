"""How every trace treats a function with a derivative rule of its own.

A call of such a function is one operation, `custom_jvp_call` or `custom_vjp_call`, on
the leaves of its differentiated arguments. Its parameter `call` holds the function and
its rules as flat functions, and each trace asks of it what it needs:

    stream (jvp)         the jvp rule, or else the bwd rule transposed
    tape (grad, vjp)     fwd now and bwd later, or else the jvp rule linearised now and
                         transposed later
    tape (linearize)     the jvp rule linearised, or else the bwd rule transposed
    batch (vmap)         the same operation on batched rules, see `custom_batch`
    staging (make_jaxpr) one equation: the function's jaxpr in `jaxpr`, the rules kept
    linear tape          the function itself, op by op

The rules run on values one level below the trace, so outer transforms differentiate
through the operations of the rule, at every order.

**Closures.** A rule says nothing about values that the function closes over. Those of
outer transforms are ordinary values to it. One of a `vmap` inside is met by batching
the call over that vmap too; one that is being differentiated at the same level or
inside has no derivative, and is refused.

Public names: `Call`, `CustomCall`, `Residuals`, `call_custom`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import UnexpectedTracerError
from ..core.ir import Jaxpr, new_eqn
from ..core.primitive import Plan, Primitive
from ..core.pytree import register_pytree_node
from ..core.source import user_source
from ..core.tape import Tape
from ..core.trace import Trace, Tracer, aval_of, bind
from ..transforms.batching import Batch
from ..transforms.forward import Stream
from ..transforms.reverse import transpose
from ..transforms.staging import Staging, eval_jaxpr, hoist_tracers, stage
from .linearized import Linearized, rule_is_linear

__all__ = ["Call", "CustomCall", "Residuals", "call_custom"]


@dataclass(slots=True)
class Residuals:
    """What a fwd rule keeps for bwd: leaves, and whatever puts them together."""

    leaves: list[Any]
    about: Any


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A function and its rules as functions of flat lists; None for an absent rule.

    Attributes:
        name: of the function, for messages.
        fun: `(*leaves) -> outs`.
        jvp: `(primals, tangents) -> (outs, tangents_out)`; None for a zero tangent.
        fwd: `(primals, perturbed) -> (outs, Residuals)`.
        bwd: `(residuals, cts) -> cts_in`; None for a zero cotangent.
    """

    name: str
    fun: Callable[..., list[Any]]
    jvp: Callable[..., tuple[list[Any], list[Any]]] | None
    fwd: Callable[..., tuple[list[Any], Residuals]] | None
    bwd: Callable[..., list[Any]] | None

    def __str__(self) -> str:
        return self.name


class ClosedOver(UnexpectedTracerError):
    """A function with a custom rule closes over a tracer of an inner trace."""

    def __init__(self, name: str, tracer: Tracer) -> None:
        self.trace = tracer.owner
        super().__init__(
            f"{name}, which has a custom derivative rule, closes over a value "
            f"{tracer.aval!r} that is being transformed by {tracer.owner.name}, at "
            f"{user_source()}. Its rule says nothing of derivatives by that value: "
            "pass it as an argument and let the rule cover it, or cut it off with "
            "fad.stop_gradient."
        )


def call_custom(
    prim: Primitive,
    leaves: Sequence[Any],
    params: dict[str, Any],
    inside: Batch | None = None,
) -> list[Any]:
    """Bind a custom call; if it closes over an inner vmap's values, batch it first.

    Args:
        inside: a vmap over which the call is batched already.
    """
    try:
        outs: list[Any] = bind(prim, *leaves, **params)
    except ClosedOver as closed:
        if not isinstance(closed.trace, Batch) or closed.trace is inside:
            raise
        outs = closed.trace.process(prim, tuple(leaves), params)
    return outs


def _evaluate(*leaves: Any, call: Call, jaxpr: Jaxpr | None = None) -> list[Any]:
    return call.fun(*leaves) if jaxpr is None else eval_jaxpr(jaxpr, *leaves)


def _infer(*avals: Any, call: Call, jaxpr: Jaxpr | None = None) -> list[Any]:
    return (jaxpr or stage(call.fun, avals)).out_avals


class CustomCall(Primitive):
    """The primitive of calls to functions with custom rules."""

    kind = "custom"
    transparent = True

    def __init__(self, name: str) -> None:
        super().__init__(name, _evaluate, infer=_infer, multiple_results=True)

    inlined = staticmethod(_evaluate)

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (), ())

    def push_both(
        self,
        stream: Stream,
        values: Sequence[Any],
        tangents: Sequence[Any],
        *,
        call: Call,
        jaxpr: Jaxpr | None = None,
    ) -> tuple[list[Any], list[Any]]:
        if call.jvp is not None:
            outs, t_outs = call.jvp(values, tangents)
        else:
            outs, kept = call.fwd(values, [t is not None for t in tangents])  # type: ignore[misc]
            avals = [aval_of(o) for o in outs]
            t_outs = _push_through_bwd(call, kept, tangents, avals)
        refuse_tracers_of(stream, call.name, outs)
        return outs, [_below(stream, call, t) for t in t_outs]

    def augmented(
        self,
        tape: Tape,
        values: Sequence[Any],
        inputs: Sequence[Any],
        *,
        call: Call,
        jaxpr: Jaxpr | None = None,
    ) -> tuple[list[Any], tuple[Any, ...]]:
        if call.fwd is None:
            avals = [None if v is None else v.aval for v in inputs]
            outs, linear = Linearized.of(call.jvp, call.name, values, avals)
            refuse_tracers_of(tape, call.name, outs)
            linear.map_residuals(lambda r: _protect(tape, call, r))
            return outs, (linear,)
        outs, kept = call.fwd(values, [v is not None for v in inputs])
        refuse_tracers_of(tape, call.name, outs)
        kept.leaves = [_protect(tape, call, r) for r in kept.leaves]
        primals = (
            None if call.jvp is None else [_protect(tape, call, v) for v in values]
        )
        return outs, (_Ruled(call, kept, primals),)

    def pushforward(self, eqn: Any, tangents: Sequence[Any]) -> list[Any]:
        if all(t is None for t in tangents):
            return [None] * len(eqn.aval)
        pushed: list[Any] = eqn.residuals[0].push(tangents, eqn.aval)
        return pushed

    def pullback(self, eqn: Any, ct: Any, live: Any = None) -> list[Any]:
        pulled: list[Any] = eqn.residuals[0].pull(ct)
        return [
            None if v is None else d for v, d in zip(eqn.inputs, pulled, strict=True)
        ]

    def batched(
        self, trace: Batch, args: Sequence[Any], params: dict[str, Any]
    ) -> list[Any]:
        from .custom_batch import batch_call

        call, jaxpr = params["call"], params.get("jaxpr")
        pairs = [trace.unbox(a) for a in args]
        mapped = batch_call(trace, call, jaxpr, [d for _, d in pairs])
        outs = call_custom(self, [v for v, _ in pairs], {"call": mapped}, trace)
        return [trace.input(o, 0) for o in outs]

    def staged(
        self, trace: Staging, args: Sequence[Any], params: dict[str, Any]
    ) -> list[Any]:
        from .custom_batch import close_call

        call, jaxpr = params["call"], params.get("jaxpr")
        if jaxpr is None:
            found = stage(call.fun, [aval_of(a) for a in args])
            jaxpr, closed_over = hoist_tracers(found)
            call = close_call(call, jaxpr, len(closed_over))
            args = [*closed_over, *args]
            if any(c.owner.level > trace.level for c in closed_over):
                return call_custom(self, args, {"call": call, "jaxpr": jaxpr})
        atoms = [trace.atom(a) for a in args]
        params = {"call": call, "jaxpr": jaxpr}
        eqn = new_eqn(self, atoms, params, None, (), jaxpr.out_avals, user_source())
        return [Tracer(trace, None, atom) for atom in eqn.outputs]


class _Ruled:
    """The residual of a call with a reverse rule."""

    def __init__(self, call: Call, kept: Residuals, primals: list[Any] | None) -> None:
        self.call = call
        self.kept = kept
        self.primals = primals

    def pull(self, cts: Sequence[Any]) -> list[Any]:
        return self.call.bwd(self.kept, cts)  # type: ignore[misc]

    def push(self, tangents: Sequence[Any], avals: Sequence[Any]) -> list[Any]:
        if self.call.jvp is not None:
            return self.call.jvp(self.primals, tangents)[1]
        return _push_through_bwd(self.call, self.kept, tangents, avals)


register_pytree_node(
    _Ruled,
    lambda r: ((r.kept.leaves, r.primals), (r.call, r.kept.about)),
    lambda about, parts: _Ruled(about[0], Residuals(parts[0], about[1]), parts[1]),
)


def _push_through_bwd(
    call: Call, kept: Residuals, tangents: Sequence[Any], avals: Sequence[Any]
) -> list[Any]:
    """Push tangents by the transpose of the linear map cts -> bwd(kept, cts)."""
    inexact = [i for i, a in enumerate(avals) if a.dtype.kind in "fc"]

    def linear(*boxes: Any) -> tuple[Sequence[Any], Sequence[Any]]:
        cts: list[Any] = [None] * len(avals)
        for i, box in zip(inexact, boxes, strict=True):
            cts[i] = box
        with rule_is_linear(
            f"Forward mode of {call.name}, which has a reverse rule only, transposes "
            "its bwd rule, which must be linear in the cotangents; or give it a "
            "forward rule by defjvp"
        ):
            return call.bwd(kept, cts), tangents  # type: ignore[misc]

    found = transpose(linear, [avals[i] for i in inexact])
    t_outs: list[Any] = [None] * len(avals)
    for i, t in zip(inexact, found, strict=True):
        t_outs[i] = t
    return t_outs


def refuse_tracers_of(
    trace: Trace, name: str, values: Sequence[Any], inner_only: bool = False
) -> None:
    """Refuse tracers of `trace` itself and of those opened inside, or of the latter.

    Raises:
        ClosedOver: there is one; it came from a closure of the function `name`.
    """
    for v in values:
        if isinstance(v, Tracer) and v.owner.level >= trace.level:
            if v.owner is not trace or not inner_only:
                raise ClosedOver(name, v)


def _below(trace: Trace, call: Call, value: Any) -> Any:
    """Unbox a tracer of `trace` itself; refuse one of an inner trace."""
    if isinstance(value, Tracer) and value.owner.level >= trace.level:
        if value.owner is not trace:
            raise ClosedOver(call.name, value)
        return value.value
    return value


def _protect(tape: Tape, call: Call, value: Any) -> Any:
    """Bring a residual below the tape's level, safe from later writes."""
    value = _below(tape, call, value)
    return tape.guard.keep(value) if isinstance(value, np.ndarray) else value
