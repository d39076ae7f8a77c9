"""`cond` and `switch`: run one of several programs.

    cond[branches=(f0, f1, ...)] index, operands -> outputs of f_index

The residuals of a branch go into slots which the branches share; those of the others
are filled with zeros. An index that differs from example to example (`vmap`) becomes a
select, for which every branch runs on every example. To keep values and derivatives of
the branches not taken from leaking (0 * inf = nan), an example that does not take a
branch is replaced, as that branch's input, by one that does.

Public names: `cond`, `switch`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backends.registry import executable
from ..core.avals import Aval, zeros
from ..core.ir import Eqn, Jaxpr, Var
from ..core.pytree import tree_unflatten
from ..core.trace import Tracer, aval_of, bind, concrete_value
from ..ops.arithmetic import convert
from ..ops.batching_rules import move_to_front
from ..ops.comparison import eq, gt, lt, ne, where
from ..transforms.partial import Split, batch_jaxpr, jvp_jaxpr, split
from ..transforms.staging import eval_jaxpr, stage
from .bodies import (
    Body,
    fits_weakly,
    leaves_of,
    share_closure,
    trace_body,
    with_dtypes,
)
from .call import jit_call
from .disabling import jit_is_disabled
from .higher import HigherOrder, given, is_known, or_zeros, spread, strong
from .lanes import any_lane, lanes_like, safe_input

__all__ = ["cond", "cond_call", "switch"]


class _Cond(HigherOrder):
    """Run the branch that the first input, an integer in range, says."""

    def __init__(self) -> None:
        super().__init__("cond")

    def run(self, index: Any, *args: Any, branches: tuple[Jaxpr, ...]) -> list[Any]:
        return executable(branches[int(index)])(*args)

    def infer(
        self, index: Aval, *avals: Aval, branches: tuple[Jaxpr, ...]
    ) -> list[Aval]:
        return [strong(a) for a in branches[0].out_avals]

    def forward(
        self,
        values: Sequence[Any],
        inputs: Sequence[Any],
        *,
        branches: tuple[Jaxpr, ...],
    ) -> tuple[list[Any], tuple[Any, ...]]:
        parts = split_branches(branches, [v is not None for v in inputs[1:]])
        outs = bind(self, *values, branches=parts.fwd)
        n = parts.num_outs
        operands = [values[1 + i] for i in parts.operands]
        return outs[:n], (values[0], *operands, *outs[n:])

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        parts = split_branches(
            eqn.params["branches"], [v is not None for v in eqn.inputs[1:]]
        )
        which, cts = given(ct)
        found = bind(self, *eqn.residuals, *cts, branches=parts.bwd(which))
        result: list[Any] = [None] * len(eqn.inputs)
        for i, c in zip(parts.traced, found, strict=True):
            result[1 + i] = c
        return result

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        parts = split_branches(
            eqn.params["branches"], [v is not None for v in eqn.inputs[1:]]
        )
        which, ts = given(tangents[1 + i] for i in parts.traced)
        found = bind(self, *eqn.residuals, *ts, branches=parts.lin(which))
        return spread(parts.linked, found)

    def push(
        self,
        values: Sequence[Any],
        tangents: Sequence[Any],
        *,
        branches: tuple[Jaxpr, ...],
    ) -> tuple[list[Any], list[Any]]:
        mask, ts = given(tangents[1:])
        nonzero = [
            any(column)
            for column in zip(*(jvp_jaxpr(b, mask)[1] for b in branches), strict=True)
        ]
        programs = tuple(jvp_jaxpr(b, mask, nonzero)[0] for b in branches)
        outs = bind(self, *values, *ts, branches=programs)
        n = len(nonzero)
        return outs[:n], spread(nonzero, outs[n:])

    def is_linear(self, mask: Sequence[bool], *, branches: tuple[Jaxpr, ...]) -> bool:
        if mask[0]:
            return False
        return not any(any(split(b, mask[1:]).dependent_residuals()) for b in branches)

    def batch(
        self,
        size: int,
        args: Sequence[Any],
        dims: Sequence[Any],
        *,
        branches: tuple[Jaxpr, ...],
    ) -> tuple[Any, Any]:
        moved = [
            a if d is None else move_to_front(a, d)
            for a, d in zip(args, dims, strict=True)
        ]
        mask = [d is not None for d in dims[1:]]
        if dims[0] is not None:
            return _select_branches(size, moved[0], moved[1:], mask, branches), [
                0
            ] * len(branches[0].outputs)
        stacked = [
            any(column)
            for column in zip(
                *(batch_jaxpr(b, size, mask)[1] for b in branches), strict=True
            )
        ]
        programs = tuple(batch_jaxpr(b, size, mask, stacked)[0] for b in branches)
        outs = bind(self, *moved, branches=programs)
        return outs, [0 if s else None for s in stacked]


cond_call = _Cond()


def _select_branches(
    size: int,
    index: Any,
    args: Sequence[Any],
    mask: Sequence[bool],
    branches: tuple[Jaxpr, ...],
) -> list[Any]:
    """Run branches on all examples and select; all outputs have the batch in front.

    A branch that no example takes does not run.
    """
    results: list[Any] = []
    for k, branch in enumerate(branches):
        taken = eq(index, k)
        inputs = [
            safe_input(taken, a) if m else a for a, m in zip(args, mask, strict=True)
        ]
        everywhere = [True] * len(branch.outputs)
        program, _ = batch_jaxpr(branch, size, mask, everywhere)
        outs = run_branch(any_lane(taken), (_nothing(program), program), inputs)
        if k:
            outs = [
                where(lanes_like(taken, o), o, r)
                for o, r in zip(outs, results, strict=True)
            ]
        results = outs
    return results


def run_branch(
    index: Any, branches: tuple[Jaxpr, ...], args: Sequence[Any], name: str = "branch"
) -> list[Any]:
    """Run a branch: as a call if the index is known, else as a `cond`."""
    outs: list[Any]
    if is_known([index, *args]):
        k = int(concrete_value(index))
        outs = bind(jit_call, *args, jaxpr=branches[k], name=f"{name}_{k}")
    else:
        index = convert(index, dtype=np.dtype(np.int64))
        outs = bind(cond_call, index, *args, branches=branches)
    return outs


def _nothing(jaxpr: Jaxpr) -> Jaxpr:
    """Return a program of the same signature that gives zeros."""
    if "nothing" not in jaxpr.cache:
        outs = [zeros(strong(a)) for a in jaxpr.out_avals]
        jaxpr.cache["nothing"] = stage(lambda *args: outs, jaxpr.in_avals)
    found: Jaxpr = jaxpr.cache["nothing"]
    return found


class _SplitBranches:
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


def split_branches(branches: tuple[Jaxpr, ...], mask: Sequence[bool]) -> _SplitBranches:
    """Return the split of branches, made once."""
    key = ("split branches", branches[1:], tuple(mask))
    cache = branches[0].cache
    if key not in cache:
        cache[key] = _SplitBranches(branches, mask)
    found: _SplitBranches = cache[key]
    return found


def cond(
    pred: Any,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    *operands: Any,
    operand: Any = None,
) -> Any:
    """Return `true_fun(*operands)` if `pred` is true, else `false_fun(*operands)`.

    Both functions are traced and must return the same structure, shapes and dtypes.
    Only one of them runs, except under `vmap` with a `pred` that differs from example
    to example: then both run, without letting infinities or nan of the branch not taken
    into values or derivatives.

    Args:
        pred: a scalar: a boolean, or a number, which is true unless it is zero.
        true_fun, false_fun: functions of the operands.
        operands: pytrees of arrays.
        operand: a single operand by keyword.

    Raises:
        TypeError: `pred` is not a scalar, or the results differ in structure or type.

    >>> import fad, numpy as np
    >>> f = lambda x: fad.lax.cond(x > 0, np.log, lambda u: 2.0 * u, x)
    >>> float(fad.grad(f)(4.0)), float(fad.grad(f)(-1.0))
    (0.25, 2.0)
    """
    if not (callable(true_fun) and callable(false_fun)):
        raise TypeError(
            "cond takes (pred, true_fun, false_fun, *operands), where true_fun and "
            f"false_fun are functions; got {true_fun!r:.60} and {false_fun!r:.60}"
        )
    if operand is not None:
        if operands:
            raise TypeError("cond: pass operands by position or by operand=, not both")
        operands = (operand,)
    aval = _scalar_aval("cond", "predicate", pred)
    if aval.dtype.kind != "b":
        pred = ne(pred, 0) if isinstance(pred, Tracer) else pred != 0
    if jit_is_disabled() and concrete_value(pred) is not None:
        return (true_fun if concrete_value(pred) else false_fun)(*operands)
    return _dispatch("cond", pred, [false_fun, true_fun], operands)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Return `branches[index](*operands)`; the index is clamped into range.

    Args:
        index: an integer scalar: below 0 counts as 0, too large as the last.
        branches: functions of the operands with results of one structure and type.
        operands: pytrees of arrays.

    Raises:
        ValueError: there are no branches.
        TypeError: the index is not an integer scalar, or the results differ.

    >>> import fad, numpy as np
    >>> float(fad.lax.switch(7, [np.sin, np.exp], 0.0))
    1.0
    """
    branches = list(branches)
    if not branches:
        raise ValueError("switch needs at least one branch")
    for branch in branches:
        if not callable(branch):
            raise TypeError(f"switch branches are functions, got {branch!r:.60}")
    aval = _scalar_aval("switch", "index", index)
    if aval.dtype.kind not in "iu":
        raise TypeError(f"switch needs an integer index, got {aval!r}")
    last = len(branches) - 1
    if jit_is_disabled() and concrete_value(index) is not None:
        return branches[min(max(int(concrete_value(index)), 0), last)](*operands)
    index = convert(index, dtype=np.dtype(np.int64))
    index = where(lt(index, 0), 0, where(gt(index, last), last, index))
    return _dispatch("switch", index, branches, operands)


def _scalar_aval(name: str, what: str, value: Any) -> Aval:
    try:
        aval = aval_of(value)
    except TypeError:
        raise TypeError(
            f"{name}: the {what} must be a scalar number or boolean, got "
            f"{value!r:.60} of type {type(value).__name__}"
        ) from None
    if aval.shape:
        hint = (
            "; use fnp.where to choose element by element, or vmap to choose example "
            "by example"
        )
        raise TypeError(
            f"{name}: the {what} must be a scalar, got {aval!r} of shape {aval.shape}"
            + hint
        )
    return aval


def _dispatch(
    name: str,
    index: Any,
    functions: Sequence[Callable[..., Any]],
    operands: tuple[Any, ...],
) -> Any:
    leaves, avals, tree = leaves_of(f"{name}: operands", operands)
    bodies = [
        trace_body(f"{name} branch {k}", f, tree, avals)
        for k, f in enumerate(functions)
    ]
    bodies = _same_results(name, bodies)
    jaxprs, closure = share_closure(bodies)
    args = [*closure, *leaves]
    outs = run_branch(index, tuple(jaxprs), args, f"{name}_branch")
    return tree_unflatten(bodies[0].tree, outs)


def _same_results(name: str, bodies: list[Body]) -> list[Body]:
    """Check that branches agree, weak outputs taking the dtype of others."""
    first = bodies[0]
    for k, body in enumerate(bodies[1:], 1):
        if body.tree != first.tree:
            raise TypeError(
                f"{name}: the branches must return the same structure, but "
                f"{_branch(name, 0)} returns {first.tree} and {_branch(name, k)} "
                f"returns {body.tree}"
            )
    joint = []
    for column in zip(*(b.out_avals for b in bodies), strict=True):
        known = next((a for a in column if not a.weak), None)
        if known is None:
            dtype = np.result_type(*[a.dtype for a in column])
            known = Aval(column[0].shape, dtype)
        joint.append(strong(known))
    for k, body in enumerate(bodies):
        for i, (found, a) in enumerate(zip(body.out_avals, joint, strict=True)):
            fits = found.dtype == a.dtype or fits_weakly(found, a.dtype)
            if found.shape != a.shape or not fits:
                raise TypeError(
                    f"{name}: the branches must return values of the same shapes and "
                    f"dtypes, but output {i} is {found!r} in {_branch(name, k)} and "
                    f"{a!r} in another; convert one of them, for example with "
                    "x.astype(...) or fnp.broadcast_to"
                )
    return [with_dtypes(b, joint) for b in bodies]


def _branch(name: str, k: int) -> str:
    if name == "cond":
        return ("false_fun", "true_fun")[k]
    return f"branch {k}"
