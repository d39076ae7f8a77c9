"""Take out of a loop what need not be in it.

Of the program of a step, (consts, carry, x) -> (carry', y), only what turns a carry
into the next one has to wait for the step before. The rest is done for all steps at
once:

    once     what depends on consts alone
    before   what depends on x and consts
    loop     the way from a carry to the next
    after    what follows from the carries: y, and sums over steps, which are carries
             c' = c + t that nothing else reads

The gradient of a recurrent net has few operations left in its loop; the sums of outer
products that make the gradient of its weights become one product of matrices.

Public names: `Parts`, `separate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..core.avals import Aval
from ..core.ir import Eqn, Jaxpr, Lit, key_of, program
from ..core.trace import bind
from ..ops.arithmetic import add
from ..ops.reductions import reduce_sum
from ..transforms.partial import batch_jaxpr
from ..transforms.simplify import simplify
from ..transforms.staging import eval_jaxpr, stage
from .call import shared_outputs

__all__ = ["Parts", "separate"]

MOST = 1 << 25
"""Bytes that a value may take for all steps together; all that are kept, twice that."""

_BATCHABLE = ("elementwise", "linear", "multilinear", "opaque", "constant")
"""Kinds of operations that NumPy does for many steps as it does for one."""


def separate(body: Jaxpr, length: int, num_consts: int, num_carry: int) -> Parts | None:
    """Return the parts of a loop, or None where they would be no gain."""
    if body.effects or body.consts:
        return None
    parts = Parts(body, length, num_consts, num_carry)
    return parts if parts.worth_while() else None


class Parts:
    """A loop in parts; see the module.

    Attributes:
        sums: positions of the carries that are sums.
        carries: positions of the others.
        once, before, loop, after: programs of

            consts                             -> once
            consts, once, xs                   -> rows       (stacked)
            consts, once | carries | xs, rows  -> carries, marks
            consts, once, sums, xs, rows, marks (stacked) -> sums, ys
    """

    def __init__(
        self, body: Jaxpr, length: int, num_consts: int, num_carry: int
    ) -> None:
        self.body, self.length = body, length
        lead = num_consts + num_carry
        self.consts, self.carry = body.inputs[:num_consts], body.inputs[num_consts:lead]
        self.xs = body.inputs[lead:]
        self.num_carry = num_carry
        self.sums = [j for j in range(num_carry) if self._is_sum(j)]
        self.carries = [j for j in range(num_carry) if j not in self.sums]
        self._sort_equations()

    def _is_sum(self, j: int) -> bool:
        carry, out = self.carry[j], self.body.outputs[j]
        if not isinstance(out, Eqn) or out.prim is not add:
            return False
        if out.aval.weak or out.aval.dtype.kind not in "fc":
            return False
        reads = [v for e in self.body.eqns for v in e.inputs]
        ends = list(self.body.outputs)
        return (
            out.inputs.count(carry) == 1
            and reads.count(carry) == 1
            and carry not in ends
            and ends.count(out) == 1
            and out not in reads
            and all(v.aval == out.aval for v in out.inputs)
        )

    def _sort_equations(self) -> None:
        """Decide for each equation where it belongs."""
        body = self.body
        moved = _reached(body.eqns, self.carry)
        stepped = _reached(body.eqns, self.xs)
        roots = [body.outputs[j] for j in self.carries]
        needed = set(program(roots))
        terms = [self._term(j) for j in self.sums]
        self.ends = [*terms, *body.outputs[self.num_carry :]]
        wanted = set(program([*roots, *self.ends]))
        live = [e for e in body.eqns if e in wanted]
        depends = lambda e, keys: any(key_of(v) in keys for v in e.outputs)
        self.in_loop = [e for e in live if depends(e, moved) and e in needed]
        self.in_after = [e for e in live if depends(e, moved) and e not in needed]
        fixed = [e for e in live if not depends(e, moved)]
        self.in_before = [e for e in fixed if depends(e, stepped)]
        self.in_once = [e for e in fixed if not depends(e, stepped)]
        loop_reads = _read(self.in_loop, roots)
        after_reads = _read(self.in_after, self.ends)
        self.once_values = _made(
            self.in_once, [loop_reads, after_reads, _read(self.in_before)]
        )
        self.rows = _made(self.in_before, [loop_reads, after_reads])
        marks = [*[self.carry[j] for j in self.carries], *_outputs(self.in_loop)]
        self.marks = [v for v in marks if key_of(v) in after_reads]

    def _term(self, j: int) -> Any:
        out, carry = self.body.outputs[j], self.carry[j]
        a, b = out.inputs
        return b if a is carry else a

    def worth_while(self) -> bool:
        """Tell whether something leaves the loop, and fits in memory for all steps."""
        stacked = [*_outputs(self.in_before), *_outputs(self.in_after), *self.marks]
        if not stacked and not self.in_once:
            return False
        crossing = [*self.once_values, *self.rows, *self.marks]
        if any(v.aval.weak for v in crossing):
            return False
        eqns = [*self.in_before, *self.in_after]
        if any(e.prim.kind not in _BATCHABLE for e in eqns):
            return False
        kept = sum(map(_bytes, [*self.rows, *self.marks])) * self.length
        return (
            kept <= 2 * MOST
            and max(map(_bytes, stacked), default=0) <= MOST // self.length
        )

    def make_programs(self) -> None:
        """Write the parts as programs."""
        consts, once, xs = self.consts, self.once_values, self.xs
        fixed = [*consts, *once]
        each = [*xs, *self.rows]
        carries = [self.carry[j] for j in self.carries]
        nexts = [self.body.outputs[j] for j in self.carries]
        self.once = _staged(self.in_once, consts, once) if once else None
        self.before = None
        if self.rows:
            step = _staged(self.in_before, [*fixed, *xs], self.rows)
            self.before = self._for_all(step, len(fixed))
        self.loop = _staged(
            self.in_loop, [*fixed, *carries, *each], [*nexts, *self.marks]
        )
        self.after = None
        if self.ends:
            step = _staged(self.in_after, [*fixed, *each, *self.marks], self.ends)
            self.after = self._after(self._for_all(step, len(fixed)), len(fixed))

    def _for_all(self, step: Jaxpr, num_fixed: int) -> Jaxpr:
        """Return the program of all steps, with values in rows."""
        count = len(step.inputs)
        mask = [i >= num_fixed for i in range(count)]
        return batch_jaxpr(step, self.length, mask, [True] * len(step.outputs))[0]

    def _after(self, batched: Jaxpr, num_fixed: int) -> Jaxpr:
        """Return the program that also adds the terms up, in front of its outputs."""
        starts = [self.carry[j].aval for j in self.sums]
        count = len(starts)

        def run(*args: Any) -> list[Any]:
            begin, rest = args[:count], args[count:]
            outs = eval_jaxpr(batched, *rest)
            totals = [
                bind(add, a, bind(reduce_sum, t, axis=(0,)))
                for a, t in zip(begin, outs[:count], strict=True)
            ]
            return [*totals, *outs[count:]]

        return stage(run, [*starts, *batched.in_avals])

    def shared_ends(self) -> list[int]:
        """Return which results of `after` share memory with something else.

        The stacks of the loop belong to nobody else.
        """
        program = simplify(self.after)  # type: ignore[arg-type]
        marks = program.inputs[len(program.inputs) - len(self.marks) :]
        given: set[Any] = set()
        shared = []
        for i in shared_outputs(program):
            atom = program.outputs[i]
            if atom not in marks or atom in given:
                shared.append(i)
            given.add(atom)
        return shared


def _reached(eqns: Sequence[Eqn], inputs: Iterable[Any]) -> set[Any]:
    """Return what depends on some inputs, those among it."""
    reached = {key_of(v) for v in inputs}
    for e in eqns:
        if any(key_of(v) in reached for v in e.inputs if not isinstance(v, Lit)):
            reached.update(key_of(v) for v in e.outputs)
    return reached


def _read(eqns: Iterable[Eqn], also: Iterable[Any] = ()) -> set[Any]:
    """Return what equations read."""
    atoms = [*[v for e in eqns for v in e.inputs], *also]
    return {key_of(v) for v in atoms if not isinstance(v, Lit)}


def _bytes(atom: Any) -> int:
    return int(atom.aval.size * atom.aval.dtype.itemsize)


def _outputs(eqns: Iterable[Eqn]) -> list[Any]:
    return [v for e in eqns for v in e.outputs]


def _made(eqns: Iterable[Eqn], readers: Iterable[set[Any]]) -> list[Any]:
    """Return the results of equations that somebody reads."""
    read = set().union(*readers)
    return [v for v in _outputs(eqns) if key_of(v) in read]


def _staged(
    eqns: Sequence[Eqn], inputs: Sequence[Any], outputs: Sequence[Any]
) -> Jaxpr:
    """Return the program of some equations, from and to given atoms."""

    def run(*args: Any) -> list[Any]:
        env = {key_of(v): a for v, a in zip(inputs, args, strict=True)}
        read = lambda v: v.value if isinstance(v, Lit) else env[key_of(v)]
        for e in eqns:
            outs = bind(e.prim, *map(read, e.inputs), **e.params)
            outs = outs if e.prim.multiple_results else [outs]
            env.update(zip(map(key_of, e.outputs), outs, strict=True))
        return [read(v) for v in outputs]

    return stage(run, [Aval(v.aval.shape, v.aval.dtype, v.aval.weak) for v in inputs])
