"""Second order: the tangents of a gradient, without the gradient.

Forward over reverse runs the reverse pass on values with tangents of a `Stream`. What
it makes of them along the way is needed, values and tangents. But of the inputs'
cotangents only the tangents are asked for, so a product of an input with something
that has no tangent is pulled back for the tangent alone:

    ct(w) = ct(z) x^T  for  z = w x,  hence  tangent of ct(w) = (tangent of ct(z)) x^T

In a linear model that is one of four passes over the data.

Public names: `tangents_of_gradient`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.ir import Eqn, Var
from ..core.trace import Tracer
from .cotangents import Cotangents, total
from .forward import Stream
from .reverse import backward
from .silence import quiet

__all__ = ["tangents_of_gradient"]


class _SettingAside(Cotangents):
    """Cotangents of a reverse pass that leaves products of inputs for later.

    Attributes:
        aside: pairs (equation, its cotangent).
    """

    __slots__ = ("aside",)

    def __init__(self) -> None:
        super().__init__()
        self.aside: list[tuple[Eqn, Any]] = []

    def sets_aside(self, eqn: Eqn, ct: Any) -> bool:
        prim = eqn.prim
        if prim.kind != "multilinear" or prim.pointwise or eqn in self.live:
            return False
        if any(v is not None and v.__class__ is not Var for v in eqn.inputs):
            return False
        if any(isinstance(r, Tracer) for r in eqn.residuals):
            return False
        self.aside.append((eqn, ct))
        return True


def tangents_of_gradient(
    stream: Stream, out: Any, seed: Any, inputs: Sequence[Any]
) -> list[Any]:
    """Return the tangents of the cotangents of atoms, None for zero.

    Args:
        stream: carries the tangents.
        out: the atom to pull back from, and its cotangent `seed`.
        inputs: atoms.
    """
    env = _SettingAside()
    backward([out], [seed], env)
    found = {v: stream.tangent(env.get(v)) for v in inputs}
    with quiet():
        for eqn, ct in env.aside:
            t = stream.tangent(ct)
            if t is None:
                continue
            for v, d in zip(eqn.inputs, eqn.prim.pullback(eqn, t), strict=True):
                if d is not None:
                    found[v] = d if found[v] is None else total(found[v], d)
    return [found[v] for v in inputs]
