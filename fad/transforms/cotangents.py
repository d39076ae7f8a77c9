"""The cotangents of a reverse pass that have not had their turn yet.

Contributions to one atom are added up, in place where nobody else has the sum so far.
Reading a part of an array, `x[i]`, contributes to few of its elements; such
contributions are *put off* until the atom's turn comes, and then all written into one
array, where each alone would be an array of zeros of its own.

Public names: `Cotangents`, `total`.
"""

from __future__ import annotations

from heapq import heappush
from typing import Any

import numpy as np

from ..core.ir import Eqn, Out
from ..core.owning import is_sole
from ..core.trace import Tracer
from ..ops import arithmetic, comparison
from ..ops.reads import pull_together

__all__ = ["LARGE", "Cotangents", "total"]

LARGE = 1 << 20
"""Cotangents of fewer bytes stay in the cache: overwriting them gains nothing."""

_ndarray = np.ndarray


class Cotangents(dict[Any, Any]):
    """Cotangents by producing equation (a list of them for several outputs) or input.

    Attributes:
        todo: a heap of (-serial, equation): the equations that have a cotangent.
        live: by the same key, the elements that no select has cut off, where known.
        parts: by the same key, what has been put off: pairs (equation, its cotangent);
            the cotangent of the key itself is None if there is nothing else.
    """

    __slots__ = ("todo", "live", "parts")

    def __init__(self) -> None:
        super().__init__()
        self.todo: list[tuple[int, Eqn]] = []
        self.live: dict[Any, Any] = {}
        self.parts: dict[Any, list[tuple[Eqn, Any]]] = {}

    def add(self, v: Any, ct: Any, live: Any = None) -> None:
        """Add a cotangent of atom `v`."""
        old = self.get(v)
        if old.__class__ is ct.__class__ is _ndarray and old.nbytes < LARGE:
            if not self.live:
                self[v] = old + ct
                return
        del old  # there is to be one reference
        if v.__class__ is Out:
            self._add_to_output(v, ct)
            return
        if v not in self:
            self._await(v)
            if live is not None:
                self.live[v] = live
            self[v] = ct
            return
        old = self.pop(v)
        if old is None:  # there are only parts, which are live everywhere
            self[v] = ct
            return
        if old.__class__ is _ndarray and is_sole(old) and _fits(ct, old):
            old += ct
        else:
            old = total(old, ct)
        self[v] = old
        if self.live:
            self._join_live(v, live)

    def take_sole(self, v: Any) -> np.ndarray[Any, Any] | None:
        """Take out the cotangent of `v` if it is an array that nobody else has."""
        if self.get(v).__class__ is not _ndarray:
            return None
        ct: np.ndarray[Any, Any] = self.pop(v)
        if is_sole(ct):
            return ct
        self[v] = ct
        return None

    def _await(self, key: Any) -> None:
        if key.__class__ is Eqn:
            heappush(self.todo, (-key.serial, key))

    def _add_to_output(self, v: Out, ct: Any) -> None:
        """Add to one of several outputs of an equation."""
        outs = self.get(v.eqn)
        if outs is None:
            self._await(v.eqn)
            outs = self[v.eqn] = [None] * len(v.eqn.aval)
        old = outs[v.index]
        outs[v.index] = ct if old is None else total(old, ct)

    def _join_live(self, key: Any, live: Any) -> None:
        old = self.live.pop(key, None)
        if old is not None and live is not None:
            self.live[key] = comparison.logical_or(old, live)

    def put_off(self, eqn: Eqn, ct: Any) -> bool:
        """Put off the pullback of an equation that reads a part of its first input.

        A large part is written at once, so that no more memory is held than needed.

        Returns:
            False if this one has to be done now, by its pullback.
        """
        v = eqn.inputs[0]
        if v.__class__ is Out:
            return False
        if v not in self:
            self._await(v)
            self[v] = None
        self.parts.setdefault(v, []).append((eqn, ct))
        if ct.__class__ is _ndarray and 8 * ct.size > v.aval.size:
            self[v] = self.take(v)
        return True

    def take(self, key: Any) -> Any:
        """Take out the cotangent of `key`, with all that was put off."""
        ct = self.pop(key)
        parts = self.parts.pop(key, None)
        if parts is None:
            return ct
        spare = ct.__class__ is _ndarray and is_sole(ct)
        return pull_together(parts, ct, spare)

    def sets_aside(self, eqn: Eqn, ct: Any) -> bool:
        """Tell whether an equation is left out of the reverse pass (see `second`)."""
        return False

    def settle(self) -> None:
        """Do what was put off and is left when all equations are done: for inputs."""
        for key in list(self.parts):
            self[key] = self.take(key)


def _fits(ct: Any, array: Any) -> bool:
    """Tell whether a cotangent can be added to an array in place."""
    return ct.__class__ is _ndarray and ct.dtype is array.dtype


def total(a: Any, b: Any) -> Any:
    """Add two cotangents."""
    if isinstance(a, Tracer) or isinstance(b, Tracer):
        return arithmetic.add(a, b)
    return a + b
