"""Pullbacks of elementwise operations on large arrays, a block at a time.

A derivative formula makes temporaries. Where they do not fit into the cache each one is
a trip to memory, and those trips are all that large arrays cost. So a formula is applied
to one block of rows after another, whose temporaries stay in the cache. Results are
written over the output's cotangent if nobody else has it, or added to what the input
has already; then no memory is asked for at all.

Public names: `LARGE`, `pull_in_blocks`.
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

__all__ = ["LARGE", "pull_in_blocks"]

LARGE = 1 << 20
"""Cotangents of fewer bytes are not worth it: they stay in the cache anyway."""

_BLOCK = 1 << 17  # bytes

Array = np.ndarray[Any, Any]


class _Block:
    """What a formula reads of an equation, for a block of its elements."""

    __slots__ = ("params", "residuals")


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
    if any([isinstance(r, Tracer) for r in residuals]):
        return False
    axis = max(range(ct.ndim), key=ct.strides.__getitem__)
    rows = max(1, _BLOCK * ct.shape[axis] // ct.nbytes)
    last = len(plan.steps) - 1
    targets = [
        _Target(eqn.inputs[i], env, axis, ct, spare and k == last)
        for k, (i, _) in enumerate(plan.steps)
    ]
    along = [_own_axis(r, axis, ct) for r in residuals]
    block = _Block()
    block.params = eqn.params
    for start in range(0, ct.shape[axis], rows):
        cut = slice(start, start + rows)
        block.residuals = list(map(_cut, residuals, along, repeat(cut)))
        part = _cut(ct, axis, cut)
        for target, (_, formula) in zip(targets, plan.steps, strict=True):
            target.put(formula(part, block), cut)
    for target in targets:
        target.hand_over()
    return True


class _Target:
    """The cotangent of one input, in the making.

    Attributes:
        array: the result; `env`'s own total, the output's cotangent, or a new one.
        adds: what is put is added to what is there.
    """

    def __init__(
        self, atom: Any, env: Cotangents, axis: int, ct: Array, spare: bool
    ) -> None:
        self.atom, self.env = atom, env
        shape, dtype = atom.aval.shape, atom.aval.dtype
        total = env.take_sole(atom)
        self.known = total is not None
        if total is not None:
            self.array = total
        elif spare and ct.shape == shape and ct.dtype == dtype:
            self.array = ct
        else:
            self.array = np.empty(shape, dtype)
        self.axis = _own_axis(self.array, axis, ct)
        self.adds = self.known or self.axis is None
        if self.axis is None and not self.known:
            self.array[...] = 0

    def put(self, d: Any, cut: slice) -> None:
        """Take in what the formula made of a block."""
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
