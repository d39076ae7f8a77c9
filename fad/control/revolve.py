"""The equation `revolve`: a scan whose reverse pass stores few states.

The reverse pass of a loop of n steps needs the states in reverse order. With room for s
snapshots of the carry it runs parts of the loop again: it goes forward to a state in
the middle, keeps it, reverses what is behind it with one snapshot less, then what is
before it. Any n up to C(s + t, s) is reversed with at most t runs of each step, which
is optimal [1]. Residuals are kept for one step at a time.

The schedule runs when values are there (`control.deferred`).

[1] A. Griewank, A. Walther, Algorithm 799: Revolve, 2000.

Public names: `revolve_call`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.trace import bind
from ..ops.arithmetic import add
from ..ops.shape import index_along, stack
from .call import jit_call
from .deferred import Work, defer
from .higher import given, or_zeros, spread, strong
from .scan import Scan
from .scan_split import ScanSplit, split_scan

__all__ = ["revolve_call", "split_point"]


class _Revolve(Scan):
    """A scan with a parameter `snapshots`: how many carries its reverse pass keeps."""

    def forward(
        self, values: Sequence[Any], inputs: Sequence[Any], **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        return bind(self, *values, **params), tuple(values)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        parts = split_scan(eqn.params, [v is not None for v in eqn.inputs])
        which, cts = given(ct)
        traced = parts.parts.traced
        avals = [
            _whole(parts, i, eqn.params["length"], parts.jaxpr.in_avals[i])
            for i in traced
        ]
        n = len(eqn.inputs)
        params = eqn.params

        def call(*args: Any) -> list[Any]:
            full = spread(which, args[n:])
            return _Reversal(parts, params, args[:n], full).run()

        found = defer(Work("revolve", call, avals), *eqn.residuals, *cts)
        result: list[Any] = [None] * n
        for i, c in zip(traced, found, strict=True):
            result[i] = c
        return result

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        return self.push(eqn.residuals, tangents, **eqn.params)[1]


revolve_call = _Revolve("revolve")


def _whole(parts: ScanSplit, i: int, length: int, aval: Aval) -> Aval:
    """Return the aval of input i of the loop, given that of a step."""
    stacked = i >= parts.nc + parts.nk
    return Aval((length, *aval.shape), aval.dtype) if stacked else strong(aval)


class _Reversal:
    """The reverse pass of one loop.

    Attributes:
        carry_ct: cotangents of the carry, by carry.
        totals: cotangents of the constants so far.
        xs_ct: cotangents of the inputs by step, those in time order.
    """

    def __init__(
        self,
        parts: ScanSplit,
        params: dict[str, Any],
        values: Sequence[Any],
        cts: Sequence[Any],
    ) -> None:
        nc, nk = parts.nc, parts.nk
        self.parts, self.params = parts, params
        self.length = params["length"]
        self.consts, self.start = values[:nc], list(values[nc : nc + nk])
        self.xs = values[nc + nk :]
        outs = parts.jaxpr.out_avals
        self.carry_ct = [or_zeros(cts[i], outs[i]) for i in parts.carries]
        self.ys_ct = cts[nk:]
        self.totals: list[Any] = [None] * len(parts.consts)
        self.xs_ct: list[list[Any]] = [[None] * self.length for _ in parts.xs]
        carried = [i in parts.carries for i in range(nk)]
        which = (*carried, *(c is not None for c in self.ys_ct))
        self.program, self.nonzero = parts.parts.bwd(which)

    def run(self) -> list[Any]:
        if self.length:
            self.reverse(0, self.length, self.start, self.params["snapshots"])
        ins, parts = self.parts.jaxpr.in_avals, self.parts
        consts = [
            or_zeros(t, ins[i]) for t, i in zip(self.totals, parts.consts, strict=True)
        ]
        xs = []
        for column, i in zip(self.xs_ct, parts.xs, strict=True):
            aval = strong(ins[parts.nc + parts.nk + i])
            if not column:
                xs.append(np.zeros((0, *aval.shape), aval.dtype))
                continue
            rows = [or_zeros(c, aval) for c in column]
            xs.append(stack(rows[::-1] if self.params["reverse"] else rows))
        return [*consts, *self.carry_ct, *xs]

    def inputs(self, step: int) -> list[Any]:
        return [index_along(x, self.place(step), 0) for x in self.xs]

    def place(self, step: int) -> int:
        return self.length - 1 - step if self.params["reverse"] else step

    def advance(self, carry: list[Any], first: int, last: int) -> list[Any]:
        """Return the carry before step `last`, from that before step `first`."""
        jaxpr = self.parts.jaxpr
        for step in range(first, last):
            outs = bind(
                jit_call, *self.consts, *carry, *self.inputs(step),
                jaxpr=jaxpr, name="step",
            )  # fmt: skip
            carry = outs[: self.parts.nk]
        return carry

    def reverse(self, first: int, last: int, carry: list[Any], snapshots: int) -> None:
        """Reverse the steps from `first` to `last`; `carry` is that before `first`."""
        while last - first > 1 and snapshots > 0:
            middle = first + split_point(last - first, snapshots)
            self.reverse(
                middle, last, self.advance(carry, first, middle), snapshots - 1
            )
            last = middle
        for step in range(last - 1, first - 1, -1):
            self.step(step, self.advance(carry, first, step))

    def step(self, step: int, carry: list[Any]) -> None:
        """Pull the cotangents back through one step."""
        parts = self.parts.parts
        outs = bind(
            jit_call, *self.consts, *carry, *self.inputs(step),
            jaxpr=parts.fwd, name="step_fwd",
        )  # fmt: skip
        place = self.place(step)
        cts = [index_along(c, place, 0) for c in self.ys_ct if c is not None]
        found = spread(
            self.nonzero,
            bind(
                jit_call, *outs[parts.num_outs :], *self.carry_ct, *cts,
                jaxpr=self.program, name="step_bwd",
            ),
        )  # fmt: skip
        a, b = len(self.parts.consts), len(self.parts.carries)
        for k, c in enumerate(found[:a]):
            old = self.totals[k]
            self.totals[k] = c if old is None else old if c is None else add(old, c)
        avals = [self.parts.jaxpr.out_avals[i] for i in self.parts.carries]
        self.carry_ct = [
            or_zeros(c, v) for c, v in zip(found[a : a + b], avals, strict=True)
        ]
        for column, c in zip(self.xs_ct, found[a + b :], strict=True):
            column[step] = c


def split_point(steps: int, snapshots: int) -> int:
    """Return after how many steps to take a snapshot.

    >>> [split_point(n, 2) for n in (2, 3, 6, 10)]
    [1, 1, 3, 6]
    """
    runs = 1
    while comb(snapshots + runs, snapshots) < steps:
        runs += 1
    behind = comb(snapshots - 1 + runs, snapshots - 1)
    return max(1, min(steps - 1, steps - behind))
