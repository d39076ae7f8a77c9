"""The tape: a concrete trace that records what derivatives will need.

`grad`, `vjp` and `linearize` open a `Tape`. Every operation is evaluated at once, one
level below. If its output depends on a differentiated input, an equation is made that
keeps the variables of those inputs and, of the values, only the residuals that their
derivative formulas name: a chain of linear operations keeps nothing. Everything else
passes through unboxed, so constants cost what they cost in NumPy.

`LinearTape` records the same equations without values: it is how a linear function is
written down before it is transposed.

Public names: `Tape`, `LinearTape`, `annotate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .avals import Aval
from .dtypes import WEAK_DTYPES
from .errors import NotLinearError
from .guard import COPY_LIMIT, LONG_COPY_LIMIT, Guard
from .ir import Eqn, Out, Var, new_eqn, next_serial
from .primitive import ANS, ARGS, AVALS, mask_key
from .source import user_source
from .trace import NO_PARAMS, Trace, Tracer, aval_of, bind, staging_trace
from .views import as_view, snapshot

if TYPE_CHECKING:
    from .primitive import Plan, Primitive

__all__ = ["LinearTape", "Tape", "annotate", "pick_residuals", "settle_weak"]

_ndarray = np.ndarray
_ONE = 0b11  # the key of `Primitive.plan` for one input, differentiated
_new = object.__new__


class Tape(Trace):
    """Record equations over concrete values, with their residuals.

    Args:
        outlives: the equations are kept after the transform's call has returned.
    """

    __slots__ = ("guard", "staged")
    name = "grad"

    def __init__(self, outlives: bool = False) -> None:
        super().__init__()
        self.guard = Guard(LONG_COPY_LIMIT if outlives else COPY_LIMIT)
        self.staged = staging_trace() is not None

    def input(self, value: Any) -> Tracer:
        """Box a differentiated argument under a new variable."""
        value = self._protect(value)
        return Tracer(self, value, Var(aval_of(value)))

    def _protect(self, value: Any) -> Any:
        """Return a value that its owner's later writes do not reach."""
        if value.__class__ is _ndarray:
            return self.guard.keep(value)
        return snapshot(value)

    def close(self) -> None:
        """End the tape: a tracer used from now on has escaped."""
        self.open = 0

    def process(
        self, prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        if not self.open:
            self.escaped(prim.name)
        values = []
        inputs = []
        nested = self.staged
        key, bit = 0, 1
        for a in args:
            if isinstance(a, Tracer):
                if a.owner is self:
                    inputs.append(a.payload)
                    a = a.value
                    key |= bit
                    if isinstance(a, Tracer):
                        nested = True
                else:
                    inputs.append(None)
                    nested = True
            else:
                inputs.append(None)
            values.append(a)
            bit += bit
        plan = prim.plans.get(key + bit) or prim.plan(key + bit)
        if nested or not plan.plain:
            return self._process(prim, plan, args, inputs, values, params)
        try:
            ans = prim.impl(*values, **params) if params else prim.impl(*values)
        except Exception as error:
            annotate(error, prim, values)
            raise
        if ans.__class__ is not _ndarray:
            return self.record(prim, plan, inputs, values, params, ans)
        # What follows is `record` for an array, written out: it is the hot path.
        aval = inputs[plan.first].aval
        dtype = ans.dtype
        if aval.dtype is not dtype or aval.shape != ans.shape or aval.weak:
            if dtype.kind not in "fc":
                return ans
            aval = Aval(ans.shape, dtype)
        for i in plan.consts:
            if values[i].__class__ is not float:
                values[i] = self._protect(values[i])
        single = plan.single
        if single is None:
            residuals = pick_residuals(plan, values, ans) if plan.picks else ()
        elif single == ANS:
            residuals = (ans,)
        elif single >= 0:
            residuals = (values[single],)
        else:
            residuals = pick_residuals(plan, values, ans)
        box: Tracer = _new(Tracer)
        box.owner = self
        box.value = ans
        box.payload = new_eqn(prim, inputs, params, plan, residuals, aval)
        return as_view(box, prim, args, params) if plan.view else box

    def process_one(self, prim: Primitive, x: Tracer) -> Any:
        """Do what `process` does, for an elementwise function of one array."""
        plan, value = prim.plans.get(_ONE), x.value
        if plan is None or not plan.simple or type(value) is not _ndarray:
            return self.process(prim, (x,), NO_PARAMS)
        if self.staged or not self.open:
            return self.process(prim, (x,), NO_PARAMS)
        try:
            ans = prim.impl(value)
        except Exception as error:
            annotate(error, prim, [value])
            raise
        atom = x.payload
        aval = atom.aval
        if type(ans) is not _ndarray or ans.dtype is not aval.dtype:
            return self.record(prim, plan, [atom], [value], NO_PARAMS, ans)
        single = plan.single
        if single is None:
            residuals = pick_residuals(plan, [value], ans) if plan.picks else ()
        else:
            residuals = (ans if single == ANS else value,)
        eqn: Eqn = _new(Eqn)  # `new_eqn`, written out
        eqn.prim = prim
        eqn.inputs = (atom,)
        eqn.params = NO_PARAMS
        eqn.plan = plan
        eqn.residuals = residuals
        eqn.aval = aval
        eqn.serial = next_serial()
        eqn.source = None
        box: Tracer = _new(Tracer)
        box.owner = self
        box.value = ans
        box.payload = eqn
        return box

    def _process(
        self,
        prim: Primitive,
        plan: Plan,
        args: tuple[Any, ...],
        inputs: list[Any],
        values: list[Any],
        params: dict[str, Any],
    ) -> Any:
        """Do an operation in full generality."""
        residuals = None
        try:
            if prim.augmented is not None:
                ans, residuals = prim.augmented(self, values, inputs, **params)
            else:
                ans = bind(prim, *values, **params)
        except Exception as error:
            annotate(error, prim, values)
            raise
        if prim.constant or plan.constant:
            return ans
        if residuals is None:
            box = self.record(prim, plan, inputs, values, params, ans)
        else:
            box = self._box_many(prim, plan, inputs, params, residuals, ans)
        return as_view(box, prim, args, params) if prim.view else box

    def record(
        self,
        prim: Primitive,
        plan: Plan,
        inputs: list[Any],
        values: list[Any],
        params: dict[str, Any],
        ans: Any,
    ) -> Any:
        """Make the equation of an evaluated operation and box its output."""
        if prim.multiple_results:
            residuals = self._residuals(plan, values, ans)
            return self._box_many(prim, plan, inputs, params, residuals, ans)
        ans = settle_weak(prim, values, ans)
        aval = aval_of(ans)
        if aval.dtype.kind not in "fc":
            return ans
        residuals = self._residuals(plan, values, ans)
        return Tracer(self, ans, new_eqn(prim, inputs, params, plan, residuals, aval))

    def _box_many(
        self,
        prim: Primitive,
        plan: Plan,
        inputs: list[Any],
        params: dict[str, Any],
        residuals: tuple[Any, ...],
        outs: Any,
    ) -> list[Any]:
        """Make the equation of an operation with several outputs and box them."""
        avals = [aval_of(o) for o in outs]
        eqn = new_eqn(prim, inputs, params, plan, residuals, avals)
        return [
            Tracer(self, o, Out(eqn, i, aval)) if aval.dtype.kind in "fc" else o
            for i, (o, aval) in enumerate(zip(outs, avals, strict=True))
        ]

    def _residuals(self, plan: Plan, values: list[Any], ans: Any) -> tuple[Any, ...]:
        for i in plan.consts:
            values[i] = self._protect(values[i])
        return pick_residuals(plan, values, ans)


def pick_residuals(plan: Plan, values: list[Any], ans: Any) -> tuple[Any, ...]:
    """Return what a plan keeps of an evaluated operation."""
    if plan.keep is not None:
        kept: tuple[Any, ...] = plan.keep((*values, ans))
        return kept
    return tuple([values[p] if p >= 0 else _pick(p, values, ans) for p in plan.picks])


def _pick(what: int, values: list[Any], ans: Any) -> Any:
    if what == ANS:
        return ans
    if what == ARGS:
        return tuple(values)
    if what == AVALS:
        return tuple([aval_of(v) for v in values])
    raise AssertionError(what)


def settle_weak(prim: Primitive, values: list[Any], ans: Any) -> Any:
    """Keep the result of arithmetic on Python scalars a Python scalar, that is weak."""
    if isinstance(ans, np.generic) and prim.pointwise:
        for v in values:
            if v.__class__ not in WEAK_DTYPES:
                return ans
        return ans.item()
    return ans


def annotate(error: Exception, prim: Primitive, values: list[Any]) -> None:
    """Add the operation, its avals and the user's line to an error, once."""
    if any(note.startswith("fad:") for note in getattr(error, "__notes__", ())):
        return
    shown = ", ".join(_describe(v) for v in values)
    error.add_note(f"fad: in {prim.name}({shown}), called at {user_source()}")


def _describe(value: Any) -> str:
    try:
        return repr(aval_of(value))
    except TypeError:
        return type(value).__name__


class LinearTape(Trace):
    """Record equations that are linear in the tape's inputs, without values."""

    __slots__ = ()
    concrete = False
    name = "linear_transpose"

    def input(self, aval: Aval) -> Tracer:
        """Box an argument known by its aval only."""
        return Tracer(self, None, Var(Aval(aval.shape, aval.dtype)))

    def close(self) -> None:
        self.open = 0

    def aval(self, tracer: Tracer) -> Aval:
        aval: Aval = tracer.payload.aval
        return aval

    def process(
        self, prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        if not self.open:
            self.escaped(prim.name)
        if prim.inlined is not None:
            return prim.inlined(*args, **params)
        inputs = [
            a.payload if isinstance(a, Tracer) and a.owner is self else None
            for a in args
        ]
        plan = prim.plan(mask_key(inputs))
        residuals = self._residuals(prim, plan, args)
        outs = prim.infer(*[aval_of(a) for a in args], **params)
        eqn = new_eqn(prim, inputs, params, plan, residuals, outs)
        boxes = [Tracer(self, None, atom) for atom in eqn.outputs]
        return boxes if prim.multiple_results else boxes[0]

    def _residuals(
        self, prim: Primitive, plan: Plan, args: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        needed = {p for p in plan.picks if p >= 0 and plan.mask[p]}
        if plan.constant or needed or ANS in plan.picks or ARGS in plan.picks:
            avals = ", ".join(repr(aval_of(a)) for a in args)
            raise NotLinearError(
                f"Transpose of {prim.name}({avals}): the function is not linear in its "
                f"arguments, because {prim.name} is not linear in the inputs that "
                f"depend on them, at {user_source()}. Linearise it first: "
                "fad.linearize(f, *primals)[1] is the linear map."
            )
        return tuple(
            args[p] if p >= 0 else _pick(p, list(args), None) for p in plan.picks
        )
