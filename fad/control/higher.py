"""Operations with programs inside: what `jit`, `cond`, `scan` and `while` share.

Such an operation is differentiated by transforming its programs. Its forward pass under
a tape is another operation of the same kind, whose program also returns residuals
(`forward`); `pullback` and `pushforward` bind operations whose programs come from
`transforms.partial`. All are traced like any other, which gives every order.

Public names: `HigherOrder`, `given`, `is_known`, `is_staging`, `or_zeros`, `strong`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval, zeros
from ..core.errors import NotLinearError
from ..core.ir import new_eqn
from ..core.primitive import Plan, Primitive, mask_key
from ..core.source import user_source
from ..core.trace import Tracer, aval_of, concrete_value, staging_trace

__all__ = ["HigherOrder", "given", "is_known", "is_staging", "or_zeros", "strong"]


class HigherOrder(Primitive):
    """A primitive whose parameters hold jaxprs; it returns a list of outputs."""

    kind = "higher-order"

    def __init__(self, name: str) -> None:
        super().__init__(name, self.run, multiple_results=True)
        self.augmented = self._augmented
        self.push_both = lambda stream, *args, **params: self.push(*args, **params)
        self.inlined = self._on_linear_tape

    def _augmented(
        self, tape: Any, values: Sequence[Any], inputs: Sequence[Any], **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        outs, residuals = self.forward(values, inputs, **params)
        owned = {id(v) for v in values if v.__class__ is np.ndarray}
        if not owned:
            return outs, residuals
        return outs, tuple([_protect(tape, r, owned) for r in residuals])

    def run(self, *args: Any, **params: Any) -> list[Any]:
        """Evaluate on NumPy values."""
        raise NotImplementedError

    def forward(
        self, values: Sequence[Any], inputs: Sequence[Any], **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        """Return outputs and residuals; `inputs` is None where not differentiated."""
        raise NotImplementedError

    def push(
        self, values: Sequence[Any], tangents: Sequence[Any], **params: Any
    ) -> tuple[list[Any], list[Any]]:
        """Return outputs and their tangents, None for zero."""
        raise NotImplementedError

    def is_linear(self, mask: Sequence[bool], **params: Any) -> bool:
        """Tell whether the outputs are linear in the inputs of `mask`."""
        raise NotImplementedError

    def shares_memory(self, index: int, **params: Any) -> bool:
        """Tell whether output `index` may be an array that went in."""
        return True

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (), ())

    def _on_linear_tape(self, *args: Any, **params: Any) -> list[Any]:
        """Record the operation without values, if it is linear (see `LinearTape`)."""
        tracers = [a for a in args if isinstance(a, Tracer)]
        tape = max((a.owner for a in tracers), key=lambda trace: trace.level)
        inputs = [
            a.payload if isinstance(a, Tracer) and a.owner is tape else None
            for a in args
        ]
        mask = [v is not None for v in inputs]
        if not self.is_linear(mask, **params):
            raise NotLinearError(
                f"Transpose of {self.name}: what runs inside is not linear in the "
                f"arguments, at {user_source()}. Linearise it first: "
                "fad.linearize(f, *primals)[1] is the linear map."
            )
        avals = [aval_of(a) for a in args]
        values = [
            zeros(strong(a)) if m else v
            for v, m, a in zip(args, mask, avals, strict=True)
        ]
        _, residuals = self.forward(values, inputs, **params)
        outs = self.infer(*avals, **params)
        plan = self.plan(mask_key(inputs))
        eqn = new_eqn(self, inputs, params, plan, residuals, outs)
        return [Tracer(tape, None, atom) for atom in eqn.outputs]


def _protect(tape: Any, residual: Any, owned: set[int]) -> Any:
    """Guard a residual that is the caller's array, or a view of it, from writes."""
    if residual.__class__ is not np.ndarray:
        return residual
    if id(residual) in owned or id(residual.base) in owned:
        return tape.guard.keep(residual)
    return residual


def strong(aval: Aval) -> Aval:
    """Return the aval of a value that is not weak."""
    return Aval(aval.shape, aval.dtype) if aval.weak else aval


def or_zeros(value: Any, aval: Aval) -> Any:
    """Return a tangent or cotangent, zeros in place of None: one zero, repeated."""
    if value is not None:
        return value
    zero = aval.dtype.type(0)
    return np.broadcast_to(zero, aval.shape) if aval.shape else zero


def given(values: Iterable[Any]) -> tuple[tuple[bool, ...], list[Any]]:
    """Return which values are not None, and those."""
    values = list(values)
    return tuple(v is not None for v in values), [v for v in values if v is not None]


def spread(mask: Sequence[bool], values: Iterable[Any]) -> list[Any]:
    """Return a list with `values` where `mask` is true and None elsewhere."""
    rest = iter(values)
    return [next(rest) if m else None for m in mask]


def is_staging() -> bool:
    """Tell whether operations on plain values are being written down here."""
    trace = staging_trace()
    return trace is not None and not trace.concrete


def is_known(values: Iterable[Any]) -> bool:
    """Tell whether an operation on `values` can be carried out now.

    Under `jit` and `vmap` it cannot; under `grad` and `jvp` alone it can.
    """
    if is_staging():
        return False
    return all(concrete_value(v) is not None for v in values)
