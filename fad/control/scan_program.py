"""How a `scan` runs: as a loop of its own source, without what need not be in it.

The source is for one length. It is written for long loops, and for those of a length
that comes again; others call the program of a step, which is one for all lengths.

Public names: `scan_program`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..backends.loops import compile_loop
from ..backends.registry import executable, plain_numpy
from ..backends.scalar_source import is_scalar_program
from ..core.ir import Jaxpr
from ..transforms.simplify import simplify
from .fission import Parts, separate

__all__ = ["scan_program"]

Run = Callable[..., list[Any]]

LONG = 1000
"""A loop of so many steps is worth its source, if it runs only once."""

LENGTHS = 64
"""Programs are kept for at most so many lengths."""


def scan_program(
    jaxpr: Jaxpr, length: int, num_consts: int, num_carry: int, reverse: bool
) -> Run:
    """Return a function of (consts, carries, xs) -> (carries, ys), made once."""
    kind = num_consts, num_carry, reverse
    known = jaxpr.cache.setdefault(("loops", *kind), {})
    if len(known) > LENGTHS:
        known.clear()
    again = length in known or length >= LONG
    found: Run | None = known.setdefault(length, None)
    if not again or not length or not plain_numpy():
        return _Steps(jaxpr, length, *kind)
    if found is None:
        found = known[length] = _written(jaxpr, length, *kind)
    return found


def _written(
    jaxpr: Jaxpr, length: int, num_consts: int, num_carry: int, reverse: bool
) -> Run:
    body = simplify(jaxpr)
    parts = separate(body, length, num_consts, num_carry)
    if parts is None:
        return _loop(body, length, num_consts, num_carry, reverse)
    return _InParts(parts, reverse)


def _loop(
    body: Jaxpr, length: int, num_consts: int, num_carry: int, reverse: bool
) -> Run:
    how = _Steps if is_scalar_program(body) else compile_loop
    return how(body, length, num_consts, num_carry, reverse)


class _Steps:
    """A loop that calls the program of a step."""

    def __init__(
        self,
        jaxpr: Jaxpr,
        length: int,
        num_consts: int,
        num_carry: int,
        reverse: bool,
    ) -> None:
        self.step = executable(jaxpr)
        self.out_avals = jaxpr.out_avals[num_carry:]
        self.length, self.reverse = length, reverse
        self.num_consts, self.num_carry = num_consts, num_carry

    def __call__(self, *args: Any) -> list[Any]:
        step, length, n = self.step, self.length, self.num_carry
        consts, rest = args[: self.num_consts], args[self.num_consts :]
        carry, xs = list(rest[:n]), rest[n:]
        make = np.empty if length else np.zeros
        ys = [make((length, *a.shape), a.dtype) for a in self.out_avals]
        for i in range(length - 1, -1, -1) if self.reverse else range(length):
            outs = step(*consts, *carry, *[x[i] for x in xs])
            carry = outs[:n]
            for y, out in zip(ys, outs[n:], strict=True):
                y[i] = out
        return [*carry, *ys]


class _InParts:
    """A loop with what was taken out of it before and behind."""

    def __init__(self, parts: Parts, reverse: bool) -> None:
        parts.make_programs()
        self.num_consts, self.num_carry = len(parts.consts), parts.num_carry
        self.sums, self.carries = parts.sums, parts.carries
        self.once, self.before, self.after = (
            None if p is None else executable(p)
            for p in (parts.once, parts.before, parts.after)
        )
        self.shared = parts.shared_ends() if parts.after is not None else []
        fixed = len(parts.consts) + len(parts.once_values)
        self.loop = None
        if parts.carries:
            count = len(parts.carries)
            self.loop = _loop(parts.loop, parts.length, fixed, count, reverse)

    def __call__(self, *args: Any) -> list[Any]:
        n, k = self.num_consts, self.num_carry
        fixed, carry, rows = list(args[:n]), args[n : n + k], list(args[n + k :])
        if self.once is not None:
            fixed += self.once(*fixed)
        if self.before is not None:
            rows += self.before(*fixed, *rows)
        moving = [carry[j] for j in self.carries]
        outs = [] if self.loop is None else self.loop(*fixed, *moving, *rows)
        count = len(self.carries)
        after: list[Any] = []
        if self.after is not None:
            starts = [carry[j] for j in self.sums]
            after = self.after(*starts, *fixed, *rows, *outs[count:])
            for i in self.shared:
                after[i] = np.array(after[i])
        ends: list[Any] = [None] * k
        for j, v in zip(self.carries, outs[:count], strict=True):
            ends[j] = v
        for j, v in zip(self.sums, after[: len(self.sums)], strict=True):
            ends[j] = v
        return [*ends, *after[len(self.sums) :]]
