"""Pullbacks of elementwise operations on large arrays, a block at a time.

A derivative formula makes temporaries. Where they do not fit into the cache each one
is a trip to memory, and those trips are all that large arrays cost. So a formula is
applied to one block of rows after another, whose temporaries stay in the cache. Results
are written over the output's cotangent if nobody else has it, or added to what the
input has already; then no memory is asked for at all.

Public names: `pull_in_blocks`.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.trace import Tracer, staging_trace
from ..ops.kinds import conform
from .cotangents import Cotangents

__all__ = ["pull_in_blocks"]

_BLOCK = 1 << 17  # bytes

Array = np.ndarray[Any, Any]


class _Block:
    """What a formula reads of an equation, for a block of its elements."""

    __slots__ = ("params", "residuals")

    params: dict[str, Any]
    residuals: list[Any]


def pull_in_blocks(eqn: Eqn, ct: Array, spare: bool, env: Cotangents) -> bool:
    """Pull a cotangent back through an elementwise equation, adding to `env`.

    Args:
        ct: the output's cotangent.
        spare: `ct` may be overwritten.
        env: where the inputs' cotangents go.

    Returns:
        False if this equation cannot be done in blocks; then nothing was done.
    """
    plan, residuals = eqn.plan, eqn.residuals
    if not plan.blockwise or ct.shape != eqn.aval.shape or staging_trace() is not None:
        return False
    if any(isinstance(r, Tracer) for r in residuals):
        return False
    axis = max(range(ct.ndim), key=ct.strides.__getitem__)
    rows = max(1, _BLOCK * ct.shape[axis] // ct.nbytes)
    formulas: dict[Any, list[Any]] = {}
    for i, formula in plan.steps:
        formulas.setdefault(eqn.inputs[i], []).append(formula)
    targets = [_Target(v, formulas[v], env, axis, ct) for v in formulas]
    if spare:
        targets[-1].overwrite(ct)
    along = [_own_axis(r, axis, ct) for r in residuals]
    block = _Block()
    block.params = eqn.params
    for start in range(0, ct.shape[axis], rows):
        cut = slice(start, start + rows)
        block.residuals = list(map(_cut, residuals, along, repeat(cut)))
        part = _cut(ct, axis, cut)
        for target in targets:
            target.put(part, block, cut)
    for target in targets:
        target.hand_over()
    return True


class _Target:
    """The cotangent of one input, in the making.

    Attributes:
        formulas: what makes it; their results are added up.
        array: the result: what `env` has already, or a new array.
        axis: the axis along which it is cut; None if it is broadcast along there, and
            every block adds to all of it.
    """

    def __init__(
        self, atom: Any, formulas: list[Any], env: Cotangents, axis: int, ct: Array
    ) -> None:
        self.atom, self.formulas, self.env = atom, formulas, env
        total = env.take_sole(atom)
        self.known = total is not None
        self.array = (
            np.empty(atom.aval.shape, atom.aval.dtype) if total is None else total
        )
        self.axis = _own_axis(self.array, axis, ct)
        self.adds = self.known or self.axis is None
        if self.axis is None and not self.known:
            self.array[...] = 0

    def overwrite(self, ct: Array) -> None:
        """Write the result over the output's cotangent, if it fits there."""
        fits = ct.shape == self.array.shape and ct.dtype == self.array.dtype
        if fits and not self.known:
            self.array = ct

    def put(self, ct: Array, block: _Block, cut: slice) -> None:
        """Apply the formulas to a block and take in the result."""
        d = self.formulas[0](ct, block)
        for formula in self.formulas[1:]:
            d = d + formula(ct, block)
        place = _cut(self.array, self.axis, cut)
        d = conform(d, Aval(place.shape, place.dtype))
        if self.adds:
            np.add(place, d, place)
        else:
            place[...] = d

    def hand_over(self) -> None:
        """Give the result to `env`."""
        array = self.array if self.array.ndim else self.array[()]
        if self.known:
            self.env[self.atom] = array
        else:
            self.env.add(self.atom, array)


def _own_axis(value: Any, axis: int, like: Array) -> int | None:
    """Return the axis of an operand that meets `axis` of `like`.

    It is None where the operand is broadcast along that axis.
    """
    shape = getattr(value, "shape", ())
    own = axis + len(shape) - like.ndim
    if own < 0 or (shape[own] == 1 and like.shape[axis] != 1):
        return None
    return own


def _cut(value: Any, axis: int | None, cut: slice) -> Any:
    return value if axis is None else value[(slice(None),) * axis + (cut,)]
