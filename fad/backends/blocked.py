"""Run a group of equations in blocks of rows that stay in the cache.

    for i in range(0, rows, step):
        x_ = x[i : i + step]
        t0_ = mul(x_, y[i : i + step], b0[: ...])     # a buffer of one block
        exp(t0_, out[i : i + step])                   # read elsewhere: the whole array
        ...

Each element is read from memory once and written once, whatever number of operations
lie between. Buffers are used again as soon as their value is dead. Where arrays are
large the loop is a function of its bounds, and pieces run on several cores (`threads`).

Public names: `group_lines`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.ir import Eqn, Lit
from .buffers import aligned_empty
from .grouping import Group, block_rows, row_inputs, rows_of
from .threads import LARGE, run_pieces

if TYPE_CHECKING:
    from .numpy_source import Writer

__all__ = ["group_lines"]

BLOCK = 1 << 17
"""Bytes of an array in a block; some ten of them fit in the second cache."""


def group_lines(writer: Writer, group: Group, index: int) -> list[str]:
    """Return the source of a group, which stands at a position of the program."""
    return _GroupWriter(writer, group, index).lines()


class _GroupWriter:
    def __init__(self, writer: Writer, group: Group, index: int) -> None:
        self.writer = writer
        self.group = group
        self.index = index
        self.rows = group.rows
        self.step = min(block_rows(group.eqns, BLOCK), group.rows)
        self.whole = self._read_outside()
        self.last = self._last_uses()
        self.head: list[str] = []
        self.start: list[str] = []  # what each piece begins with
        self.body: list[str] = []
        self.local: dict[Any, str] = {}  # values of this block by name
        self.free: dict[Any, list[str]] = {}  # buffers by shape of a row and dtype
        self.buffer_of: dict[Any, str] = {}
        self.sizes: dict[str, Any] = {}

    def _read_outside(self) -> set[Eqn]:
        """Return the members whose whole result is needed after the group."""
        inside, users = set(self.group.eqns), self.writer.users
        results = {v for v in self.writer.jaxpr.outputs if isinstance(v, Eqn)}
        return {
            e
            for e in inside
            if e in results or any(u not in inside for u in users.get(e, ()))
        }

    def _last_uses(self) -> dict[Any, int]:
        last: dict[Any, int] = {}
        for i, eqn in enumerate(self.group.eqns):
            for v in eqn.inputs:
                last[v] = i
        return last

    def lines(self) -> list[str]:
        totals: dict[str, Any] = {}
        for i, eqn in enumerate(self.group.eqns):
            args = [
                self.argument(v, sliced)
                for v, sliced in zip(
                    eqn.inputs, row_inputs(eqn, self.rows), strict=True
                )
            ]
            if eqn in self.group.totals:
                self.total(eqn, args, totals)
            else:
                self.member(i, eqn, args)
            self.release(i, eqn)
        tail = self.rows % self.step
        inner = [f"j = i + {self.step}"]
        if tail:
            inner.append(f"if j > {self.rows}:")
            inner.append(f"    j = {self.rows}")
            inner += [f"    {b} = {b}[:{tail}]" for b in self.sizes]
        inner += self.body
        large = max(rows_of(eqn)[1] for eqn in self.group.eqns) >= LARGE
        return self.in_pieces(inner, totals) if large else self.at_once(inner)

    def at_once(self, inner: list[str]) -> list[str]:
        """Return the lines of the loop over all rows."""
        loop = [f"for i in range(0, {self.rows}, {self.step}):", *_indented(inner)]
        names = sorted({*self.local.values(), *self.sizes, "i", "j"})
        return [*self.head, *self.start, *loop, f"del {', '.join(names)}"]

    def in_pieces(self, inner: list[str], totals: dict[str, Any]) -> list[str]:
        """Return the lines of a function of the bounds, and of its calls."""
        name = f"piece{self.index}"
        function = [
            f"def {name}(start, stop):",
            *_indented(self.start),
            f"    for i in range(start, stop, {self.step}):",
            *_indented(_indented(inner)),
            f"    return [{', '.join(totals)}]",
        ]
        run = self.writer.constant(run_pieces)
        combines = self.writer.constant(tuple(totals.values()))
        call = f"{run}({name}, {self.rows}, {self.step}, {combines})"
        target = f"[{', '.join(totals)}] = " if totals else ""
        return [*self.head, *function, target + call, f"del {name}"]

    def argument(self, atom: Any, sliced: bool) -> str:
        if isinstance(atom, Lit):
            return self.writer.read(atom)
        if atom in self.local:
            return self.local[atom]
        name = self.writer.read(atom)
        if not sliced:
            return name
        local = self.local[atom] = f"{name}_"
        self.body.append(f"{local} = {name}[i:j]")
        return local

    def member(self, i: int, eqn: Eqn, args: list[str]) -> None:
        """Write the line of an equation whose result has the group's rows."""
        blocks = eqn.prim.blocks
        replaced = {}
        if blocks is not None and blocks.kind == "shape":
            rest = tuple(eqn.aval.shape[1:])
            replaced["shape"] = f"(j - i, {', '.join(map(str, rest))})"
        local = self.local[eqn] = f"t{len(self.local)}_"
        out = self.output(i, eqn)
        if out is None:
            self.body.append(f"{local} = {self.writer.call(eqn, args, **replaced)}")
        elif writes_out(eqn):
            into = self.writer.into(eqn, out)
            self.body.append(f"{local} = {self.writer.call(eqn, [*args, into])}")
        else:
            self.body.append(f"{local} = {out}")
            self.body.append(
                f"{local}[...] = {self.writer.call(eqn, args, **replaced)}"
            )

    def output(self, i: int, eqn: Eqn) -> str | None:
        """Return where the result goes: a slice, a buffer, or None for a new array."""
        if eqn in self.whole:
            over = self.overwritten(i, eqn)
            if over is not None:
                self.writer.take_over(eqn, over)
                return self.local[over]
            name = self.writer.name(eqn)
            empty = self.writer.constant(np.empty)
            shape = self.writer.constant(tuple(eqn.aval.shape))
            dtype = self.writer.constant(eqn.aval.dtype)
            self.head.append(f"{name} = {empty}({shape}, {dtype})")
            return f"{name}[i:j]"
        if not writes_out(eqn):
            return None
        kind = tuple(eqn.aval.shape[1:]), eqn.aval.dtype
        for v in eqn.inputs:  # write over an input that dies here
            if (
                v in self.buffer_of
                and self.last[v] == i
                and not self.viewed(v)
                and self.sizes[self.buffer_of[v]] == kind
            ):
                self.buffer_of[eqn] = self.buffer_of.pop(v)
                return self.buffer_of[eqn]
        pool = self.free.setdefault(kind, [])
        if pool:
            buffer = pool.pop()
        else:
            buffer = f"b{len(self.sizes)}_"
            self.sizes[buffer] = kind
            empty = self.writer.constant(aligned_empty)
            shape = self.writer.constant((self.step, *kind[0]))
            dtype = self.writer.constant(kind[1])
            self.start.append(f"{buffer} = {empty}({shape}, {dtype})")
        self.buffer_of[eqn] = buffer
        return buffer

    def overwritten(self, i: int, eqn: Eqn) -> Any:
        """Return an array read by rows that dies here, to be written over, or None."""
        if not writes_out(eqn):
            return None
        for v in eqn.inputs:
            if (
                v in self.local
                and v not in self.group.by_rows
                and self.last[v] == i
                and v.aval == eqn.aval
                and self.writer.life.spare(v, self.index)
                and not self.read_whole(v)
            ):
                return v
        return None

    def read_whole(self, atom: Any) -> bool:
        """Tell whether a member reads all of a value, not only its own rows."""
        return any(
            v is atom and not sliced
            for e in self.group.eqns
            for v, sliced in zip(e.inputs, row_inputs(e, self.rows), strict=True)
        )

    def release(self, i: int, eqn: Eqn) -> None:
        """Give buffers back whose value is not read any more."""
        for v in dict.fromkeys(eqn.inputs):
            if v in self.buffer_of and self.last[v] == i and not self.viewed(v):
                buffer = self.buffer_of.pop(v)
                self.free[self.sizes[buffer]].append(buffer)

    def viewed(self, atom: Any) -> bool:
        """Tell whether a view of a value may live on."""
        return any(
            not writes_out(e) and e not in self.group.totals
            for e in self.writer.users.get(atom, ())
        )

    def total(self, eqn: Eqn, args: list[str], totals: dict[str, Any]) -> None:
        """Write the lines of a reduction over the rows."""
        name = self.writer.name(eqn)
        combine = self.writer.constant(eqn.prim.blocks.combine)
        call = self.writer.call(eqn, args)
        self.start.append(f"{name} = None")
        part = f"p{name}_"
        self.local[("total", eqn)] = part
        self.body.append(f"{part} = {call}")
        self.body.append(
            f"{name} = {part} if {name} is None else {combine}({name}, {part})"
        )
        totals[name] = eqn.prim.blocks.combine


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def writes_out(eqn: Eqn) -> bool:
    """Tell whether an operation takes an array to write its result to."""
    impl = eqn.prim.impl
    return (
        eqn.prim.pointwise
        and isinstance(impl, np.ufunc)
        and impl.nout == 1
        and impl.nin == len(eqn.inputs)
        and not eqn.params
    )
