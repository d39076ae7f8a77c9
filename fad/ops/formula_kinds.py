"""The kinds of primitives that are declared by a formula per input.

    elementwise   the Jacobian is diagonal: one formula serves tangents and cotangents
    multilinear   a formula is the transpose by one input; jvp is Leibniz' rule
    linear        jvp is the operation itself; the formulas are transposes

See `fad.ops.kinds` for all of them, and `fad.core.primitive` for what a formula reads.

Public names: `elementwise`, `linear`, `multilinear`, `conform`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval, zeros
from ..core.ir import Eqn
from ..core.primitive import AVALS, Formula, Plan, Primitive
from ..core.trace import Tracer, aval_of, bind, staging_trace
from .batching_rules import batch_pointwise, loop_over_examples
from .infer_rules import infer_elementwise

__all__ = [
    "Elementwise",
    "Linear",
    "Multilinear",
    "conform",
    "elementwise",
    "linear",
    "multilinear",
]

Rule = Callable[..., Any]
_ndarray = np.ndarray


_FEW = 1 << 12
"""Elements of an array that takes longer to multiply than a call does."""


def conform(value: Any, aval: Aval) -> Any:
    """Return a tangent or cotangent with the shape and dtype of `aval`.

    Surplus or broadcast axes are summed, missing ones broadcast; a complex value for a
    real aval gives its real part (the adjoint of widening real to complex).
    """
    if value.shape != aval.shape or value.dtype != aval.dtype:
        from .conforming import match

        return match(value, aval)
    return value


class _Formulas(Primitive):
    """A primitive whose derivative is given by a formula per input."""

    def __init__(
        self, name: str, impl: Rule, formulas: Sequence[Rule | None], **options: Any
    ) -> None:
        super().__init__(name, impl, **options)
        self.formulas = [None if f is None else Formula(f) for f in formulas]

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        used = [
            (i, f)
            for i, (f, traced) in enumerate(zip(self.formulas, mask, strict=True))
            if traced and f is not None
        ]
        reads = [r for _, f in used for r in f.reads]
        return Plan(mask, reads, used, constant=not used)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        cts: list[Any] = [None] * len(eqn.inputs)
        for i, formula in eqn.plan.steps:  # type: ignore[union-attr]
            d = formula(ct, eqn)
            if live is not None and eqn.residuals:
                d = _silence(d, live)
            aval = eqn.inputs[i].aval
            if d.shape != aval.shape or d.dtype is not aval.dtype:
                d = conform(d, aval)
            cts[i] = d
        return cts


def _silence(d: Any, live: Any) -> Any:
    """Replace what a formula made of a cut-off cotangent, perhaps 0 * inf, by 0."""
    from .comparison import where

    return where(live, d, np.zeros((), aval_of(d).dtype)[()])


class Elementwise(_Formulas):
    """Output element i is a scalar function of input elements i, after broadcasting."""

    kind = "elementwise"
    pointwise = True

    def infer(self, *avals: Aval, **params: Any) -> Aval:
        return infer_elementwise(self, avals, params)

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        total = None
        for i, formula in eqn.plan.steps:  # type: ignore[union-attr]
            t = tangents[i]
            if t is not None:
                d = formula(t, eqn)
                total = d if total is None else _add(total, d)
        return None if total is None else conform(total, eqn.aval)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        if eqn.residuals:
            return _Formulas.pullback(self, eqn, ct, live)  # at once: it is hot
        cts: list[Any] = [None] * len(eqn.inputs)
        for i, formula in eqn.plan.steps:
            aval = eqn.inputs[i].aval
            d = ct
            if d.shape != aval.shape:  # a constant slope: sum before it multiplies
                d = conform(d, Aval(aval.shape, d.dtype))
            d = formula(d, eqn)
            cts[i] = d if d.dtype is aval.dtype else conform(d, aval)
        return cts

    def batch(
        self, size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        return batch_pointwise(self, args, dims, params)


class _Unary(Elementwise):
    """A function of one array and nothing else; formulas call it often."""

    def __call__(self, x: Any) -> Any:  # type: ignore[override]
        if x.__class__ is _ndarray and staging_trace() is None:
            return self.impl(x)  # what `bind` comes to
        return bind(self, x)


def elementwise(
    name: str,
    impl: Rule,
    partials: Sequence[Rule | None],
    *,
    scalar: str | None = None,
) -> Elementwise:
    """Declare an elementwise primitive.

    Args:
        partials: per input the formula `(t, ...) -> t * df/dinput`, or None where the
            derivative is zero. See `fad.core.primitive` for what it may read.
        scalar: the scalar function's name for native lowering.
    """
    alone = len(partials) == 1 and not Formula(partials[0]).params
    prim = (_Unary if alone else Elementwise)(name, impl, partials)
    prim.scalar = scalar
    return prim


class Multilinear(_Formulas):
    """Linear in each input separately: products of all kinds."""

    kind = "multilinear"

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        used = [
            (i, f) for i, f in enumerate(self.formulas) if mask[i] and f is not None
        ]
        reads = [r for _, f in used for r in f.reads]
        factors = [j for i, _ in used for j in range(len(mask)) if j != i]
        return Plan(mask, reads + factors, used, constant=not used)

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        total = None
        picks = eqn.plan.picks  # type: ignore[union-attr]
        for i, _ in eqn.plan.steps:  # type: ignore[union-attr]
            if tangents[i] is not None:
                args = [
                    tangents[i] if j == i else eqn.residuals[picks.index(j)]
                    for j in range(len(tangents))
                ]
                d = bind(self, *args, **eqn.params)
                total = d if total is None else _add(total, d)
        return None if total is None else conform(total, eqn.aval)


def multilinear(
    name: str,
    impl: Rule,
    transposes: Sequence[Rule],
    *,
    infer: Rule | None = None,
    batch: Rule | None = None,
    pointwise: bool = False,
    scalar: str | None = None,
) -> Multilinear:
    """Declare a primitive that is linear in each input.

    Args:
        transposes: per input the formula `(ct, ...) -> cotangent of that input`.
        infer: `(*avals, **params) -> aval`; pointwise primitives have it already.
        batch: `(size, args, dims, **params) -> (out, out_dim)`; pointwise ones have it.
        pointwise: an elementwise product.
    """
    cls = _PointwiseMultilinear if pointwise else Multilinear
    prim = cls(name, impl, transposes, infer=infer, batch=batch)
    prim.scalar = scalar
    return prim


class _PointwiseMultilinear(Multilinear):
    pointwise = True
    infer = Elementwise.infer
    batch = Elementwise.batch

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        first, second = eqn.inputs
        if (
            first is second
            and live is None
            and type(ct) is np.ndarray
            and ct.size > _FEW
        ):
            once, *_ = eqn.plan.steps  # type: ignore[union-attr]
            d = conform(once[1](ct, eqn), first.aval)  # of x * x: the same twice
            return [d, d]
        return _Formulas.pullback(self, eqn, ct, live)


class Linear(_Formulas):
    """Jointly linear in some inputs; the others (masks, indices) are operands."""

    kind = "linear"

    def __init__(
        self,
        name: str,
        impl: Rule,
        transpose: Rule | Sequence[Rule | None],
        *,
        variadic: bool = False,
        **options: Any,
    ) -> None:
        formulas = [transpose] if callable(transpose) else list(transpose)
        super().__init__(name, impl, formulas, **options)
        self.variadic = variadic

    def is_operand(self, i: int) -> bool:
        """Tell whether input i is an operand that the map is not linear in."""
        return not self.variadic and self.formulas[i] is None

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        traced = [i for i, m in enumerate(mask) if m and not self.is_operand(i)]
        if not traced:
            return Plan(mask, (), (), constant=True)
        operands = [i for i in range(len(mask)) if self.is_operand(i)]
        widths = [AVALS] if len(mask) > len(operands) + 1 else []
        if self.variadic:
            used = [(0, self.formulas[0])]
        else:
            used = [(i, self.formulas[i]) for i in traced]
        reads = [r for _, f in used for r in f.reads]  # type: ignore[union-attr]
        return Plan(mask, [*reads, *operands, *widths], used)  # type: ignore[arg-type]

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        if all(t is None for t in tangents):
            return None
        picks, kept = eqn.plan.picks, eqn.residuals  # type: ignore[union-attr]
        args = [
            kept[picks.index(i)]
            if self.is_operand(i)
            else zeros(kept[picks.index(AVALS)][i])
            if t is None
            else t
            for i, t in enumerate(tangents)
        ]
        return conform(bind(self, *args, **eqn.params), eqn.aval)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        if not self.variadic:
            return super().pullback(eqn, ct, live)
        ((_, formula),) = eqn.plan.steps  # type: ignore[union-attr]
        return [
            None if v is None else conform(d, v.aval)
            for v, d in zip(eqn.inputs, formula(ct, eqn), strict=True)
        ]


def linear(
    name: str,
    impl: Rule,
    transpose: Rule | Sequence[Rule | None],
    *,
    infer: Rule,
    batch: Rule | None = None,
    variadic: bool = False,
    structural: bool = False,
    view: bool | Rule = False,
) -> Linear:
    """Declare a primitive that is linear in its inputs together.

    Args:
        transpose: one formula `(ct, ...)` for a single linear input, or one per input
            with None for operands (masks, indices), or, when `variadic`, one formula
            that returns a list for any number of linear inputs.
        infer: `(*avals, **params) -> aval`.
        batch: `(size, args, dims, **params) -> (out, out_dim)`; else a loop.
        structural: it only moves, drops, repeats or adds up elements.
        view: NumPy returns a view: True always; or a function `(aval, aval of the
            output, **params)` that returns True, False, or None for it depends on the
            memory layout.
    """
    prim = Linear(
        name, impl, transpose, variadic=variadic, infer=infer,
        batch=batch or loop_over_examples(name),
    )  # fmt: skip
    prim.structural = structural
    prim.view = view  # type: ignore[assignment]
    return prim


def _add(a: Any, b: Any) -> Any:
    if isinstance(a, Tracer) or isinstance(b, Tracer):
        from .arithmetic import add

        return add(a, b)
    return a + b
