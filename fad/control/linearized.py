"""A jvp rule, linearised: its program in the tangents, written down once.

The rule runs once, on the values of the primals and on tangents without values (a
`LinearTape`). What it does to the tangents is a linear program; `push` runs it forwards
and `pull` transposes it, by the loops that serve every other program.

Public names: `Linearized`, `rule_is_linear`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.errors import (
    ConcretizationTypeError,
    NotLinearError,
    TracerArrayConversionError,
)
from ..core.ir import Eqn, Out, key_of, new_eqn, program
from ..core.pytree import register_pytree_node
from ..core.tape import LinearTape
from ..core.trace import Tracer, concrete_value
from ..transforms.forward import push
from ..transforms.reverse import backward

__all__ = ["Linearized", "rule_is_linear"]


@contextlib.contextmanager
def rule_is_linear(why: str) -> Iterator[None]:
    """Add a note to errors that say that a rule is not linear."""
    try:
        yield
    except (
        NotLinearError,
        ConcretizationTypeError,
        TracerArrayConversionError,
    ) as error:
        error.add_note(f"fad: {why}.")
        raise


class Linearized:
    """A linear map from input to output tangents.

    Attributes:
        inputs, outputs: an atom per input and output, None where the tangent is zero.
        eqns: the program between them.
    """

    __slots__ = ("inputs", "outputs", "eqns")

    def __init__(self, inputs: list[Any], outputs: list[Any]) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.eqns = program(outputs)

    @classmethod
    def of(
        cls, rule: Any, name: str, primals: Sequence[Any], avals: Sequence[Any]
    ) -> tuple[list[Any], Linearized]:
        """Run a flat jvp rule; return the outputs and the map of tangents.

        Args:
            rule: `(primals, tangents) -> (outs, tangents_out)`.
            name: of the function, for messages.
            primals: the values of the inputs.
            avals: of the tangents; None where an input is not differentiated.
        """
        tape = LinearTape()
        boxes = [None if a is None else tape.input(a) for a in avals]
        try:
            with rule_is_linear(
                f"the jvp rule of {name} must be linear in the tangents, since reverse "
                "mode transposes it; or give it a reverse rule by defvjp"
            ):
                outs, t_outs = rule(primals, boxes)
        finally:
            tape.close()
        inputs = [None if b is None else b.payload for b in boxes]
        return outs, cls(inputs, [_atom(tape, name, t) for t in t_outs])

    def map_residuals(self, f: Callable[[Any], Any]) -> None:
        """Replace every residual `r` by `f(r)`."""
        for eqn in self.eqns:
            eqn.residuals = tuple([f(r) for r in eqn.residuals])

    def push(self, tangents: Sequence[Any], avals: Sequence[Any]) -> list[Any]:
        """Return the output tangents, None for zero."""
        pairs = [
            (v, t) for v, t in zip(self.inputs, tangents, strict=True) if v is not None
        ]
        env = push(self.eqns, [v for v, _ in pairs], [t for _, t in pairs])
        return [None if v is None else env.get(key_of(v)) for v in self.outputs]

    def pull(self, cts: Sequence[Any]) -> list[Any]:
        """Return the input cotangents, None for zero."""
        env = backward(tuple(self.outputs), cts)
        return [None if v is None else env.get(v) for v in self.inputs]


def _renew(linear: Linearized, residuals: Iterable[tuple[Any, ...]]) -> Linearized:
    """Return the same map with other residuals, one tuple per equation."""
    new: dict[Any, Any] = {}

    def atom(v: Any) -> Any:
        if isinstance(v, Out):
            return Out(new[v.eqn], v.index, v.aval)
        return new.get(v, v) if isinstance(v, Eqn) else v

    for eqn, kept in zip(linear.eqns, residuals, strict=True):
        inputs = [atom(v) for v in eqn.inputs]
        new[eqn] = new_eqn(eqn.prim, inputs, eqn.params, eqn.plan, kept, eqn.aval)
    return Linearized(linear.inputs, [atom(v) for v in linear.outputs])


register_pytree_node(
    Linearized, lambda linear: ([e.residuals for e in linear.eqns], linear), _renew
)


def _atom(tape: LinearTape, name: str, tangent: Any) -> Any:
    """Return the atom of an output tangent, None for zero."""
    if isinstance(tangent, Tracer) and tangent.owner is tape:
        return tangent.payload
    value = concrete_value(tangent)
    if value is not None and np.any(value):
        raise NotLinearError(
            f"the jvp rule of {name} gives a tangent that is not zero and does not "
            "depend on the input tangents; it must be linear in them"
        )
    return None
