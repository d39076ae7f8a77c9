"""Which equations a backend may run block by block.

A *group* is a set of equations whose arrays have the same number of rows (slices along
axis 0) and that act on each row alone, or reduce over the rows. They can run on a block
of rows after another, with intermediate results that never leave the cache. An
equation in between that is no part of the group runs before it, if it does not depend
on the group, else after it.

Public names: `Group`, `find_groups`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.avals import Aval
from ..core.ir import Eqn, Jaxpr, Lit, key_of

__all__ = ["Group", "find_groups", "rows_of"]

SMALLEST = 1 << 15
"""Arrays of fewer elements fit in the cache anyway."""

LONGEST_ROW = 1 << 18
"""Elements of a row; of longer ones, not even one fits."""


class Group:
    """Equations that run together, block by block.

    Attributes:
        rows: the number of rows.
        eqns: the members in order.
        totals: members that reduce over the rows; their results are ready at the end.
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.eqns: list[Eqn] = []
        self.totals: set[Eqn] = set()
        self.by_rows: set[Eqn] = set()
        self.tainted: set[Any] = set()  # values that are ready only after the group
        self.before: list[Eqn] = []
        self.after: list[Eqn] = []

    def accepts(self, eqn: Eqn) -> bool:
        """Tell whether an equation can join, given how it reads its inputs."""
        for v, sliced in zip(eqn.inputs, row_inputs(eqn, self.rows), strict=True):
            if key_of(v) in self.tainted or (v in self.by_rows and not sliced):
                return False
        return True

    def add(self, eqn: Eqn) -> None:
        self.eqns.append(eqn)
        if _is_total(eqn):
            self.totals.add(eqn)
            self.tainted.add(eqn)
        else:
            self.by_rows.add(eqn)

    def drop_cheap_ends(self) -> None:
        """Let equations that cost little run after the group, if none waits for them.

        These are small ones and reshapes, which are views of the whole.
        """
        needed: set[Any] = set()
        kept: list[Eqn] = []
        dropped: list[Eqn] = []
        for eqn in reversed(self.eqns):
            cheap = rows_of(eqn)[1] < SMALLEST or _is_shape(eqn)
            if cheap and eqn not in needed:
                dropped.append(eqn)
                self.totals.discard(eqn)
            else:
                kept.append(eqn)
                needed.update(key_of(v) for v in eqn.inputs if not isinstance(v, Lit))
        self.eqns = kept[::-1]
        self.after = dropped[::-1] + self.after

    def set_aside(self, eqn: Eqn) -> None:
        """Let an equation run before or after the group."""
        late = any(
            v in self.by_rows or key_of(v) in self.tainted
            for v in eqn.inputs
            if not isinstance(v, Lit)
        )
        if late:
            self.after.append(eqn)
            self.tainted.update(key_of(v) for v in eqn.outputs)
        else:
            self.before.append(eqn)


def find_groups(jaxpr: Jaxpr) -> list[Eqn | Group]:
    """Return the program as a list of equations and groups, in an order that works."""
    order: list[Eqn | Group] = []
    group: Group | None = None
    effects = set(jaxpr.effects)
    for eqn in jaxpr.eqns:
        if eqn in effects:
            order += [*_finished(group), eqn]
            group = None
            continue
        rows, size = rows_of(eqn)
        joins = group is not None and rows == group.rows and group.accepts(eqn)
        if joins and size < SMALLEST:  # only if it is on the way of large ones
            joins = any(v in group.by_rows for v in eqn.inputs)
        if not joins and rows is not None and size >= SMALLEST:
            order += _finished(group)
            group = Group(rows)
            joins = True
        if group is None:
            order.append(eqn)
        elif joins:
            group.add(eqn)
        else:
            group.set_aside(eqn)
    return order + _finished(group)


def _finished(group: Group | None) -> list[Eqn | Group]:
    if group is None:
        return []
    group.drop_cheap_ends()
    members: list[Eqn | Group] = [group] if len(group.eqns) > 1 else [*group.eqns]
    return [*group.before, *members, *group.after]


def _is_total(eqn: Eqn) -> bool:
    blocks = eqn.prim.blocks
    return blocks is not None and blocks.kind == "reduce" and 0 in eqn.params["axis"]


def _is_shape(eqn: Eqn) -> bool:
    return eqn.prim.blocks is not None and eqn.prim.blocks.kind == "shape"


def rows_of(eqn: Eqn) -> tuple[int | None, int]:
    """Return the rows of an equation that can run by blocks, and its largest size.

    Of one that cannot, the rows are None.
    """
    prim, nothing = eqn.prim, (None, 0)
    if prim.multiple_results:
        return nothing
    blocks = prim.blocks
    wide: Aval = eqn.aval
    if blocks is not None and blocks.kind == "reduce":
        wide = eqn.inputs[0].aval
        if wide.dtype != eqn.aval.dtype:
            return nothing
    elif blocks is not None and blocks.kind == "shape":
        if not _keeps_rows(eqn):
            return nothing
        if eqn.inputs[0].aval.size > wide.size:
            wide = eqn.inputs[0].aval
    elif not (prim.pointwise or (blocks is not None and blocks.kind == "pointwise")):
        return nothing
    if not wide.shape or wide.shape[0] < 2 or wide.dtype.kind not in "fcib":
        return nothing
    if wide.size // wide.shape[0] > LONGEST_ROW:
        return nothing
    return wide.shape[0], wide.size


def _keeps_rows(eqn: Eqn) -> bool:
    """Tell whether a reshape or broadcast maps rows to rows."""
    old, new = eqn.inputs[0].aval.shape, eqn.aval.shape
    if not old or not new or old[0] != new[0]:
        return False
    return (
        eqn.prim.algebra is None or not eqn.prim.algebra.repeats or len(old) == len(new)
    )


def row_inputs(eqn: Eqn, rows: int) -> list[bool]:
    """Tell which inputs are read by rows; the others are read whole."""
    blocks = eqn.prim.blocks
    if blocks is not None and blocks.kind in ("reduce", "shape"):
        return [True]
    rank = len(eqn.aval.shape)
    return [len(v.aval.shape) == rank and v.aval.shape[0] == rows for v in eqn.inputs]


def block_rows(eqns: Sequence[Eqn], block: int) -> int:
    """Return how many rows to run at once, for about `block` bytes per array."""
    widest = 1
    for eqn in eqns:
        for aval in (eqn.aval, *(v.aval for v in eqn.inputs)):
            if aval.shape:
                row = aval.size // aval.shape[0]
                widest = max(widest, row * aval.dtype.itemsize)
    return max(1, block // widest)
