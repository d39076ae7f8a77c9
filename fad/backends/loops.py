"""The source of a loop: the program of one step, written into a `for`.

    def program(c0, k0, r0):            # constants, carries, rows
        s0 = empty(...)
        for step in range(100):
            v1 = r0[step]
            ...
            s0[step] = v2
            k0 = v3
        return [k0, s0]

A step costs its operations and nothing else: no call, no lists.

Public names: `compile_loop`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.ir import Jaxpr, Lit, key_of
from .grouping import Group
from .numpy_source import Writer, load

__all__ = ["compile_loop"]


def compile_loop(
    jaxpr: Jaxpr, length: int, num_consts: int, num_carry: int, reverse: bool
) -> Callable[..., list[Any]]:
    """Return a function of (constants, carries, stacked rows) -> (carries, stacks).

    Args:
        jaxpr: one step, `(consts, carry, row) -> (carry, values to stack)`.
        length: the number of steps, at least one.
        num_consts, num_carry: how many there are of each.
        reverse: begin with the last row.
    """
    return load(*_LoopWriter(jaxpr, ()).loop(length, num_consts, num_carry, reverse))


class _LoopWriter(Writer):
    def loop(
        self, length: int, num_consts: int, num_carry: int, reverse: bool
    ) -> tuple[str, dict[str, Any]]:
        jaxpr, lead = self.jaxpr, num_consts + num_carry
        for v, value in zip(jaxpr.const_vars, jaxpr.consts, strict=True):
            self.names[v] = self.constant(value)
        whole = [self.name(v) for v in jaxpr.inputs[:lead]]
        rows = [next(self.fresh) for _ in jaxpr.inputs[lead:]]
        body = self.taken(jaxpr.inputs[lead:], rows)
        for i, item in enumerate(self.order):
            body += self.item_lines(i, item)
        stacks = [next(self.fresh) for _ in jaxpr.outputs[num_carry:]]
        body += [
            f"{stack}[step] = {self.result(v)}"
            for stack, v in zip(stacks, jaxpr.outputs[num_carry:], strict=True)
        ]
        carries = whole[num_consts:]
        if carries:
            following = [self.result(v) for v in jaxpr.outputs[:num_carry]]
            body.append(f"{', '.join(carries)} = {', '.join(following)}")
        steps = f"{length - 1}, -1, -1" if reverse else f"{length}"
        lines = [
            f"def program({', '.join([*whole, *rows])}):",
            *self.allocations(stacks, length, jaxpr.outputs[num_carry:]),
            f"    for step in range({steps}):",
            *[f"        {line}" for line in body or ["pass"]],
            f"    return [{', '.join([*carries, *stacks])}]",
        ]
        return "\n".join(lines) + "\n", self.globals

    def taken(self, inputs: Any, rows: list[str]) -> list[str]:
        """Return the lines that take the rows of a step, those that are read."""
        read = {
            key_of(v)
            for e in self.jaxpr.eqns
            for v in e.inputs
            if not isinstance(v, Lit)
        } | {key_of(v) for v in self.jaxpr.outputs if not isinstance(v, Lit)}
        return [
            f"{self.name(v)} = {row}[step]"
            for v, row in zip(inputs, rows, strict=True)
            if v in read
        ]

    def allocations(self, stacks: list[str], length: int, outputs: Any) -> list[str]:
        empty = self.constant(np.empty)
        return [
            f"    {stack} = {empty}({self.constant((length, *v.aval.shape))}, "
            f"{self.constant(v.aval.dtype)})"
            for stack, v in zip(stacks, outputs, strict=True)
        ]

    def item_lines(self, index: int, item: Any) -> list[str]:
        from .blocked import group_lines

        if isinstance(item, Group):
            return group_lines(self, item, index)
        return self.lines(index, item)
