"""Forward mode: tangents along with values.

    t(out) = sum over inputs of d out / d x * t(x)

`Stream` is the trace of `jvp`: it pushes each equation forward as it is recorded and
drops it, so that no program is held. `push` is the same step over a stored program, for
`linearize`. Both call the primitive's `pushforward`.

Public names: `Stream`, `push`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.ir import Eqn, key_of, new_eqn
from ..core.primitive import Primitive, mask_key
from ..core.tape import annotate, pick_residuals, settle_weak
from ..core.trace import Trace, Tracer, aval_of, bind
from ..core.views import as_view
from .silence import quiet, silenced

__all__ = ["Stream", "push"]


class Stream(Trace):
    """A concrete trace whose tracers carry a tangent as payload.

    Attributes:
        silenced: settings for `np.errstate`, under which formulas do not warn.
    """

    __slots__ = ("silenced",)
    name = "jvp"

    def __init__(self) -> None:
        super().__init__()
        self.silenced = silenced()

    def input(self, value: Any, tangent: Any) -> Any:
        """Box an argument with its tangent; a zero tangent (None) needs no box."""
        return value if tangent is None else Tracer(self, value, tangent)

    def close(self) -> None:
        """End the stream: a tracer used from now on has escaped."""
        self.open = 0

    def tangent(self, out: Any) -> Any:
        """Return the tangent of a value, None if it has none."""
        return out.payload if isinstance(out, Tracer) and out.owner is self else None

    def process(
        self, prim: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        if not self.open:
            self.escaped(prim.name)
        mine = [isinstance(a, Tracer) and a.owner is self for a in args]
        values = [a.value if m else a for a, m in zip(args, mine, strict=True)]
        tangents = [a.payload if m else None for a, m in zip(args, mine, strict=True)]
        try:
            if prim.push_both is not None:
                ans, t_out = self._push_both(prim, values, tangents, params)
                return self._box(prim, ans, t_out)
            ans = bind(prim, *values, **params)
        except Exception as error:
            annotate(error, prim, values)
            raise
        plan = prim.plan(mask_key(tangents))
        if plan.constant:
            return ans
        if not prim.multiple_results:
            ans = settle_weak(prim, values, ans)
        aval = [aval_of(a) for a in ans] if prim.multiple_results else aval_of(ans)
        residuals = pick_residuals(plan, values, ans)
        eqn = new_eqn(prim, tangents, params, plan, residuals, aval)
        box = self._box(prim, ans, self._push(eqn, tangents))
        return as_view(box, prim, args, params) if prim.view else box

    def _push_both(
        self,
        prim: Primitive,
        values: Sequence[Any],
        tangents: Sequence[Any],
        params: dict[str, Any],
    ) -> tuple[Any, Any]:
        """Return outputs and their tangents, of an operation that pushes itself."""
        push_both: Any = prim.push_both
        found: tuple[Any, Any] = push_both(self, values, tangents, **params)
        return found

    def _push(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        """Push tangents, silently: a slope may be infinite where the value is not.

        Linear operations keep no residuals and need no silence.
        """
        if not eqn.residuals or not self.silenced:
            return eqn.prim.pushforward(eqn, tangents)
        with np.errstate(**self.silenced):
            return eqn.prim.pushforward(eqn, tangents)

    def _box(self, prim: Primitive, ans: Any, tangent: Any) -> Any:
        if not prim.multiple_results:
            return self._box_one(ans, tangent)
        return [self._box_one(a, t) for a, t in zip(ans, tangent, strict=True)]

    def _box_one(self, ans: Any, tangent: Any) -> Any:
        if tangent is None or aval_of(ans).dtype.kind not in "fc":
            return ans
        return Tracer(self, ans, tangent)


def push(
    eqns: Sequence[Eqn], inputs: Sequence[Any], tangents: Sequence[Any]
) -> dict[Any, Any]:
    """Push tangents of the atoms `inputs` through a stored program.

    Returns:
        The tangents by `key_of(atom)`; a zero tangent is absent.
    """
    env = {v: t for v, t in zip(inputs, tangents, strict=True) if t is not None}
    with quiet():
        for eqn in eqns:
            ts = [None if v is None else env.get(key_of(v)) for v in eqn.inputs]
            out = eqn.prim.pushforward(eqn, ts)
            if not eqn.prim.multiple_results:
                out = [out]
            for atom, t in zip(eqn.outputs, out, strict=True):
                if t is not None:
                    env[key_of(atom)] = t
    return env
