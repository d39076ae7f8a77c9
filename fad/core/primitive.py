"""Primitives: the whole truth about one operation.

A primitive is declared once (see `fad.ops.kinds`); its kind is a subclass that supplies
the rules which every interpreter reads:

    impl         evaluate on NumPy arrays
    infer        avals of the outputs from avals of the inputs
    plan         which residuals to keep when some inputs are differentiated
    pushforward  tangents of the inputs -> tangents of the outputs     (jvp)
    pullback     cotangents of the outputs -> cotangents of the inputs (vjp)
    batch        the same operation on a stack of examples             (vmap)

A derivative formula is a plain function. Its first parameter is the tangent or
cotangent; its other parameter names say what it reads:

    x, y, z, w   the value of input 0, 1, 2, 3
    ans          the output (a list of them for several)
    args         the values of all inputs
    avals        the avals of all inputs
    out          the aval of the output
    like         the aval of the input whose cotangent it returns (in transposes)
    keyword-only static parameters of the equation

Public names: `Primitive`, `Formula`, `Plan`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from operator import itemgetter
from types import FunctionType
from typing import Any

from .ir import Eqn
from .trace import bind

__all__ = [
    "ANS",
    "ARGS",
    "AVALS",
    "Formula",
    "Plan",
    "Primitive",
    "mask_key",
    "registry",
]

ANS, ARGS, AVALS, OUT, LIKE = -1, -2, -3, -4, -5
_FREE = (OUT, LIKE)  # an equation has these without keeping anything
_POSITIONS = {
    "x": 0,
    "y": 1,
    "z": 2,
    "w": 3,
    "ans": ANS,
    "args": ARGS,
    "avals": AVALS,
    "out": OUT,
    "like": LIKE,
}


class Formula:
    """A derivative formula with the residuals and parameters that it reads.

    Attributes:
        function: the formula.
        reads: input positions, or ANS, ARGS, AVALS, OUT, LIKE, in parameter order.
        params: names of the static parameters it takes by keyword.
    """

    __slots__ = ("function", "reads", "params")

    def __init__(self, function: Callable[..., Any]) -> None:
        code = function.__code__  # inspect.signature costs far more, at import
        positional, total = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
        names = code.co_varnames
        self.function = function
        self.reads = tuple([_POSITIONS[name] for name in names[1:positional]])
        self.params = names[positional:total]

    def bind_to(
        self, picks: tuple[int, ...], position: int
    ) -> Callable[[Any, Eqn], Any]:
        """Return `call(t, eqn)` for input `position`, given the kept residuals."""
        function, params = self.function, self.params
        where = [r if r in _FREE else picks.index(r) for r in self.reads]
        if not params and len(where) == 2 and where[0] >= 0 and where[1] == LIKE:
            only = where[0]
            return lambda t, eqn: function(
                t, eqn.residuals[only], eqn.inputs[position].aval
            )
        if params or OUT in where or LIKE in where:

            def call(t: Any, eqn: Eqn) -> Any:
                kept = [
                    eqn.residuals[k]
                    if k >= 0
                    else eqn.aval
                    if k == OUT
                    else eqn.inputs[position].aval
                    for k in where
                ]
                return function(t, *kept, **{name: eqn.params[name] for name in params})

            return call
        if not where:
            return lambda t, eqn: function(t)
        if len(where) == 1:
            first = where[0]
            return lambda t, eqn: function(t, eqn.residuals[first])
        if len(where) == 2:
            first, second = where
            return lambda t, eqn: function(
                t, eqn.residuals[first], eqn.residuals[second]
            )
        return lambda t, eqn: function(t, *[eqn.residuals[k] for k in where])


def on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a formula that calls the implementations of its primitives.

    It does the same where nothing is traced or staged, and sooner.
    """
    scope = function.__globals__
    names = {n: scope[n] for n in function.__code__.co_names if n in scope}
    for name, value in names.items():
        if isinstance(value, Primitive):
            names[name] = value.impl
    names["__builtins__"] = builtins
    return FunctionType(function.__code__, names, closure=function.__closure__)


class Plan:
    """What an equation keeps when the inputs in `mask` are differentiated.

    Attributes:
        mask: which inputs are differentiated.
        picks: what is kept, in order: input positions, ANS, ARGS or AVALS.
        single: the one entry of `picks` if it has one.
        keep: takes `picks` out of (*inputs, ans), None if ARGS or AVALS are among them.
        consts: the input positions among `picks` that are not differentiated; their
            arrays belong to the caller and are protected from later writes.
        steps: pairs (input position, call(t, eqn)) of the formulas to run.
        only: (input position, call(t, residual)) on arrays, if there is one formula,
            and what it reads is the one residual.
        constant: no output depends differentiably on the inputs in `mask`.
        first: the first differentiated input.
        plain: nothing about the operation needs more than an equation (set by
            `Primitive.plan`): one output, no function inside.
        view: NumPy may return a view (set by `Primitive.plan`).
        blockwise: the formulas, if those of an elementwise operation, can be applied to
            one block of elements after another.
        simple: the pullback of an elementwise operation is its formulas, and nothing
            else (set by `Primitive.plan`).
    """

    __slots__ = (
        "mask",
        "picks",
        "single",
        "keep",
        "consts",
        "steps",
        "only",
        "constant",
        "first",
        "plain",
        "view",
        "blockwise",
        "simple",
    )

    def __init__(
        self,
        mask: tuple[bool, ...],
        reads: Sequence[int],
        formulas: Sequence[tuple[int, Formula]],
        constant: bool = False,
    ) -> None:
        self.mask = mask
        self.picks = tuple(sorted({r for r in reads if r not in _FREE}, reverse=True))
        self.single = self.picks[0] if len(self.picks) == 1 else None
        plain = len(self.picks) > 1 and self.picks[-1] >= ANS
        self.keep = itemgetter(*self.picks) if plain else None
        self.consts = tuple(
            i
            for i, traced in enumerate(mask)
            if not traced and (i in self.picks or ARGS in self.picks)
        )
        self.steps = tuple((i, f.bind_to(self.picks, i)) for i, f in formulas)
        self.only = None
        if len(formulas) == len(self.picks) == 1:
            ((i, formula),) = formulas
            if formula.reads == self.picks and not formula.params:
                self.only = (i, on_arrays(formula.function))
        self.constant = constant
        self.first = mask.index(True) if True in mask else 0
        self.plain = False
        self.view = False
        self.simple = False
        reads = [r for _, f in formulas for r in f.reads]
        self.blockwise = bool(self.picks) and min((*self.picks, *reads)) >= ANS


class Primitive:
    """One operation with all its rules; the kinds in `fad.ops.kinds` subclass it.

    Calling a primitive binds it: `sin(x)` is `bind(sin, x)`.

    Attributes:
        name: as printed in jaxprs.
        impl: `impl(*arrays, **params)` on NumPy values.
        multiple_results: whether `impl` returns a list of outputs.
        pointwise: output element i depends on input elements i only, once broadcast.
        structural: moves, drops, repeats or adds up elements without scaling them.
        masking: its pullback cuts cotangents off, see `transforms.reverse`: a function
            of the mask (`where`), or True for a structural primitive, which cuts off
            what it does not take.
        view: NumPy returns a view of the first input where it can.
        scalar: the name of the scalar function that computes one element, if any.
        algebra: laws that simplify programs, see `fad.ops.algebra`.
        blocks: how it acts on blocks of rows, likewise.
        fresh: `impl` returns an array of its own, no input and no view of one.
        over: `impl` that writes its result over the first input, an array, which nobody
            else has.
        transparent: it runs the program `jaxpr` in its parameters, and nothing else.
        effect: it does something besides returning outputs, and stays in programs that
            do not read those.

    Operations with a function inside may take over what a trace does with them:

        augmented: `(tape, values, inputs, **params) -> (outputs, residuals)`, the
            forward pass that also returns what the derivative needs, so that nothing
            runs twice.
        push_both: `(stream, values, tangents, **params) -> (outputs, tangents)`.
        batched, staged: `(trace, args, params) -> outputs` under vmap and make_jaxpr.
        inlined: `(*args, **params) -> outputs`, what a linear tape records instead.
    """

    kind = "primitive"
    pointwise = False
    structural = False
    masking: Callable[..., Any] | bool | None = None
    view = False
    constant = False
    scalar: str | None = None
    algebra: Any = None
    blocks: Any = None
    fresh = False
    over: Callable[..., Any] | None = None
    transparent = False
    effect = False
    augmented: Callable[..., Any] | None = None
    push_both: Callable[..., Any] | None = None
    batched: Callable[..., Any] | None = None
    staged: Callable[..., Any] | None = None
    inlined: Callable[..., Any] | None = None

    def __init__(
        self,
        name: str,
        impl: Callable[..., Any],
        *,
        infer: Callable[..., Any] | None = None,
        batch: Callable[..., Any] | None = None,
        multiple_results: bool = False,
    ) -> None:
        self.name = name
        self.impl = impl
        self.multiple_results = multiple_results
        self.plans: dict[int, Plan] = {}
        if infer is not None:
            self.infer = infer  # type: ignore[method-assign]
        if batch is not None:
            self.batch = batch  # type: ignore[method-assign]
        registry[name] = self

    __call__ = bind

    def __repr__(self) -> str:
        return f"<{self.kind} primitive {self.name}>"

    def plan(self, key: int) -> Plan:
        """Return the plan for a set of differentiated inputs, made once.

        Args:
            key: bit i is set when input i is differentiated; above the bits of the n
                inputs stands a one, 1 << n. `mask_key` computes it from booleans.
        """
        plan = self.plans.get(key)
        if plan is None:
            n = key.bit_length() - 1
            mask = tuple(bool(key >> i & 1) for i in range(n))
            plan = self.make_plan(mask)
            special = plan.constant or self.constant or self.augmented
            plan.plain = not (special or self.multiple_results)
            plan.view = bool(self.view)
            plan.simple = self.pointwise and self.masking is None and bool(plan.steps)
            self.plans[key] = plan
        return plan

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        raise NotImplementedError(f"primitive {self.name} has no derivative rule")

    def infer(self, *avals: Any, **params: Any) -> Any:
        """Return the aval of the output (a list of them when `multiple_results`)."""
        raise NotImplementedError(f"primitive {self.name} has no shape rule")

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        """Return the output's tangent, or None for zero (a list when several).

        Args:
            eqn: the equation, with residuals.
            tangents: one per input, None for zero.
        """
        raise NotImplementedError(f"primitive {self.name} has no forward rule")

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        """Return the cotangent of each input, None where it is zero.

        A kind may set it to None: the reverse interpreter then transposes the
        linearised pushforward.

        Args:
            eqn: the equation, with residuals.
            ct: the output's cotangent (a list, None for zero, when several).
            live: None, or a boolean array of the output's shape: the elements whose
                cotangent is not cut off by a select (see `transforms.reverse`).
        """
        raise NotImplementedError(f"primitive {self.name} has no reverse rule")

    def batch(
        self, size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        """Return (outputs, their batch axes) for inputs stacked along `dims`."""
        raise NotImplementedError(f"primitive {self.name} has no batching rule")


def mask_key(inputs: Sequence[Any]) -> int:
    """Return the key of `Primitive.plan` for inputs that are None or differentiated."""
    key = 1 << len(inputs)
    for i, v in enumerate(inputs):
        if v is not None:
            key |= 1 << i
    return key


registry: dict[str, Primitive] = {}
"""Every primitive by name: what the rule tests walk."""
