"""The derivatives of the branches of a `cond`, with residuals in shared slots.

Branches keep different residuals. One that is an operand is that operand; the others
take slots, each of one shape and dtype, which branches share. A branch fills the slots
that it does not use with zeros.

Public names: `SplitBranches`, `split_branches`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.avals import Aval, zeros
from ..core.ir import Jaxpr, Var
from ..transforms.partial import Split, split
from ..transforms.staging import eval_jaxpr, stage
from .higher import or_zeros, spread, strong

__all__ = ["SplitBranches", "split_branches"]


class SplitBranches:
    """The derivatives of branches, with residuals in shared slots.

    Attributes:
        operands: inputs that are residuals themselves.
        slots: avals of the other residuals.
    """

    def __init__(self, branches: tuple[Jaxpr, ...], mask: Sequence[bool]) -> None:
        self.parts = [split(b, mask) for b in branches]
        self.traced = self.parts[0].traced
        self.num_outs = self.parts[0].num_outs
        self.linked = [
            any(column) for column in zip(*(p.linked for p in self.parts), strict=True)
        ]
        self.operands: list[int] = []
        self.slots: list[Aval] = []
        self.places = [self._place(p) for p in self.parts]
        self.fwd = tuple(
            self._fwd(p, places)
            for p, places in zip(self.parts, self.places, strict=True)
        )
        self._programs: dict[Any, tuple[Jaxpr, ...]] = {}

    def _place(self, part: Split) -> list[tuple[str, int]]:
        """Say for each residual of a branch where it is kept."""
        positions = {v: i for i, v in enumerate(part.fwd.inputs)}
        free = list(range(len(self.slots)))
        places: list[tuple[str, int]] = []
        holes = part.fwd.outputs[self.num_outs :]
        for hole, aval in zip(holes, part.residual_avals, strict=True):
            if isinstance(hole, Var) and hole in positions:
                i = positions[hole]
                if i not in self.operands:
                    self.operands.append(i)
                places.append(("operand", i))
                continue
            aval = strong(aval)
            slot = next((j for j in free if self.slots[j] == aval), None)
            if slot is None:
                slot = len(self.slots)
                self.slots.append(aval)
            else:
                free.remove(slot)
            places.append(("slot", slot))
        return places

    def _fwd(self, part: Split, places: list[tuple[str, int]]) -> Jaxpr:
        def fwd(*args: Any) -> list[Any]:
            outs = eval_jaxpr(part.fwd, *args)
            kept: list[Any] = [None] * len(self.slots)
            for (kind, j), value in zip(places, outs[self.num_outs :], strict=True):
                if kind == "slot":
                    kept[j] = value
            filled = [
                zeros(a) if v is None else v
                for v, a in zip(kept, self.slots, strict=True)
            ]
            return [*outs[: self.num_outs], *filled]

        return stage(fwd, part.jaxpr.in_avals)

    def bwd(self, which: tuple[bool, ...]) -> tuple[Jaxpr, ...]:
        """Return branches (operands, slots, cotangents in `which`) -> cotangents."""
        avals = [
            a for a, g in zip(self.parts[0].jaxpr.out_avals, which, strict=True) if g
        ]
        wanted = [self.parts[0].jaxpr.in_avals[i] for i in self.traced]
        return self._derive("bwd", which, avals, wanted)

    def lin(self, which: tuple[bool, ...]) -> tuple[Jaxpr, ...]:
        """Return branches (operands, slots, tangents in `which`) -> tangents."""
        in_avals, out_avals = self.parts[0].jaxpr.in_avals, self.fwd[0].out_avals
        avals = [in_avals[i] for i, g in zip(self.traced, which, strict=True) if g]
        wanted = [a for a, m in zip(out_avals, self.linked) if m]  # noqa: B905
        return self._derive("lin", which, avals, wanted)

    def _derive(
        self, way: str, which: tuple[bool, ...], avals: list[Aval], wanted: list[Aval]
    ) -> tuple[Jaxpr, ...]:
        key = way, which
        if key not in self._programs:
            self._programs[key] = tuple(
                self._derive_one(way, which, avals, wanted, part, places)
                for part, places in zip(self.parts, self.places, strict=True)
            )
        return self._programs[key]

    def _derive_one(
        self,
        way: str,
        which: tuple[bool, ...],
        avals: list[Aval],
        wanted: list[Aval],
        part: Split,
        places: list[tuple[str, int]],
    ) -> Jaxpr:
        program, nonzero = part.bwd(which) if way == "bwd" else part.lin(which)
        n = len(self.operands)

        def derivative(*args: Any) -> list[Any]:
            kept = [
                args[self.operands.index(j)] if kind == "operand" else args[n + j]
                for kind, j in places
            ]
            found = eval_jaxpr(program, *kept, *args[n + len(self.slots) :])
            full = spread(nonzero, found)
            if way == "lin":
                full = [v for v, m in zip(full, self.linked, strict=True) if m]
            return [or_zeros(v, a) for v, a in zip(full, wanted, strict=True)]

        in_avals = [strong(self.parts[0].jaxpr.in_avals[i]) for i in self.operands]
        return stage(derivative, [*in_avals, *self.slots, *map(strong, avals)])


def split_branches(branches: tuple[Jaxpr, ...], mask: Sequence[bool]) -> SplitBranches:
    """Return the split of branches, made once."""
    key = ("split branches", branches[1:], tuple(mask))
    cache = branches[0].cache
    if key not in cache:
        cache[key] = SplitBranches(branches, mask)
    found: SplitBranches = cache[key]
    return found
