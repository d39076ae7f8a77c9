"""Kinds of primitives: a declaration gives the formulas, the kind gives the rules.

    kind          jvp                     vjp                          batch
    elementwise   sum of formula(t)       formula(ct), un-broadcast    align ranks
    linear        apply itself            transpose                    declared
    multilinear   Leibniz                 one transpose per input      declared
    opaque        declared                transposed linear jvp       declared or a loop
    constant      zero                    zero                         as declared

An elementwise Jacobian is diagonal, so one formula serves tangents and cotangents.
Shapes and dtypes are put right in one place, `conform`: a cotangent is summed over
broadcast axes and takes the dtype of its input, a tangent takes the output's.

Public names: `elementwise`, `linear`, `multilinear`, `opaque`, `constant`, `conform`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.avals import zeros
from ..core.ir import Eqn
from ..core.primitive import ANS, ARGS, Plan, Primitive
from ..core.trace import aval_of
from .batching_rules import loop_over_examples
from .formula_kinds import (
    Elementwise,
    Linear,
    Multilinear,
    conform,
    elementwise,
    linear,
    multilinear,
)

__all__ = [
    "Constant",
    "Elementwise",
    "Linear",
    "Multilinear",
    "Opaque",
    "conform",
    "constant",
    "elementwise",
    "linear",
    "multilinear",
    "opaque",
]

Rule = Callable[..., Any]


class Opaque(Primitive):
    """A primitive known by its jvp; its vjp is the transposed linearised jvp."""

    kind = "opaque"

    def __init__(self, name: str, impl: Rule, jvp: Rule, **options: Any) -> None:
        super().__init__(name, impl, **options)
        self.jvp = jvp

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (ARGS, ANS), ())

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        if all(t is None for t in tangents):
            return [None] * len(eqn.aval) if self.multiple_results else None
        ans, primals = eqn.residuals
        full = [
            zeros(aval_of(p).tangent()) if t is None else t
            for p, t in zip(primals, tangents, strict=True)
        ]
        t_out = self.jvp(ans, primals, full, **eqn.params)
        if self.multiple_results:
            return [
                None if t is None else conform(t, a)
                for t, a in zip(t_out, eqn.aval, strict=True)
            ]
        return conform(t_out, eqn.aval)

    pullback = None  # type: ignore[assignment]  # the transposed pushforward serves


def opaque(
    name: str,
    impl: Rule,
    jvp: Rule,
    *,
    infer: Rule,
    batch: Rule | None = None,
    multiple_results: bool = False,
) -> Opaque:
    """Declare a primitive by its jvp, `jvp(ans, primals, tangents, **params)`.

    `tangents` are arrays (zeros where an input is not differentiated; `float0` zeros
    for integers). The formula must be linear in them; it returns the output's tangent,
    or a list of them (None for zero) when `multiple_results`.
    """
    return Opaque(
        name, impl, jvp, infer=infer, multiple_results=multiple_results,
        batch=batch or loop_over_examples(name),
    )  # fmt: skip


class Constant(Primitive):
    """A primitive whose derivative is zero wherever it exists."""

    kind = "constant"
    constant = True

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (), (), constant=True)

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        return [None] * len(eqn.aval) if self.multiple_results else None

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        return [None] * len(eqn.inputs)


class _PointwiseConstant(Constant):
    pointwise = True
    infer = Elementwise.infer
    batch = Elementwise.batch


def constant(
    name: str,
    impl: Rule,
    *,
    infer: Rule | None = None,
    batch: Rule | None = None,
    multiple_results: bool = False,
    scalar: str | None = None,
) -> Constant:
    """Declare a primitive of zero derivative: pointwise unless `infer` is given."""
    if infer is None:
        prim: Constant = _PointwiseConstant(name, impl)
    else:
        prim = Constant(
            name, impl, infer=infer, multiple_results=multiple_results,
            batch=batch or loop_over_examples(name),
        )  # fmt: skip
    prim.scalar = scalar
    return prim
