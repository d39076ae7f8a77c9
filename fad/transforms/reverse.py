"""Reverse mode: cotangents from outputs to inputs, one loop over a program backwards.

    ct(x) += d out / d x * ct(out)        for every equation, the last one first

`backward` reads residuals, calls each primitive's pullback and adds up what reaches a
variable. A primitive known only by its jvp has its pushforward written down on a
`LinearTape` and transposed by this same loop.

**A branch not taken.** `where(mask, f(x), g(x))` sends a zero cotangent to the elements
not taken; times an infinite slope it would become nan. Zero times anything ought to be
zero there, so the loop carries, beside a cotangent that a select has cut off, a boolean
array of its *live* elements through pointwise and structural equations; pullbacks put
zeros elsewhere by another `where`, which makes the same hold at every order.

Public names: `backward`, `pullback_to`, `transpose`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.checks import check_results
from ..core.ir import Eqn
from ..core.modes import current_modes
from ..core.owning import is_sole
from ..core.tape import LinearTape
from ..core.trace import Tracer, aval_of, staging_trace
from ..ops import arithmetic, comparison
from ..ops.indexing import getitem
from ..ops.kinds import conform
from .blocks import pull_in_blocks
from .cotangents import LARGE, Cotangents
from .silence import quiet

__all__ = ["backward", "transpose"]

_ndarray = np.ndarray


def backward(
    outs: Sequence[Any], cts: Sequence[Any], env: Cotangents | None = None
) -> Cotangents:
    """Run reverse mode from the variables `outs` and their cotangents.

    Equations wait in a heap by serial number: an equation's turn comes when all its
    users, which are younger, have had theirs. What has been used is freed at once.

    Args:
        outs: atoms; a list is emptied, so that nothing here holds the program.
        cts: cotangents, None for zero.
        env: an empty `Cotangents`, if another than the usual one.

    Returns:
        The cotangents of the input variables.
    """
    env = Cotangents() if env is None else env
    for v, ct in zip(outs, cts, strict=True):
        if v is not None and ct is not None:
            env.add(v, ct)
    if isinstance(outs, list):
        outs.clear()
    v = ct = None
    with quiet():
        (_run if current_modes() is None else _run_checked)(env)
    return env


def _run(env: Cotangents) -> None:
    todo = env.todo
    while todo:
        eqn = heappop(todo)[1]
        ct = env.take(eqn) if env.parts else env.pop(eqn)
        cts = d = None  # so that `ct` may prove to be the only reference
        if not env.live and eqn.plan.simple:
            at = _follow_chain(env, eqn, ct)
            if at is None:
                continue
            eqn, ct = at
        prim = eqn.prim
        if env.live or prim.masking is not None:
            _masked_step(env, eqn, ct)
            continue
        if prim is getitem and env.put_off(eqn, ct) or env.sets_aside(eqn, ct):
            continue
        if ct.__class__ is _ndarray and ct.nbytes >= LARGE and prim.pointwise:
            if pull_in_blocks(eqn, ct, is_sole(ct), env):
                continue
        pullback: Any = prim.pullback
        cts = (pullback or transposed_pushforward)(eqn, ct)
        for v, d in zip(eqn.inputs, cts):  # noqa: B905  (hot)
            if d is not None:
                if v.__class__ is Eqn and v not in env:
                    env[v] = d
                    heappush(todo, (-v.serial, v))
                else:
                    env.add(v, d)
    ct = cts = d = None
    env.settle()


def _follow_chain(env: Cotangents, eqn: Eqn, ct: Any) -> tuple[Eqn, Any] | None:
    """Pull back through elementwise equations on small arrays, one after another.

    It is what `_run` does; but where the equation that made an input is the next to
    have its turn, the heap and the dictionary are not asked.

    Returns:
        The equation where this ends, and its cotangent; None if that is done as well.
    """
    todo, plainly = env.todo, staging_trace() is None
    small = ct.__class__ is _ndarray and ct.nbytes < LARGE
    while small and eqn.plan.simple:
        aval, following = eqn.aval, None
        only = eqn.plan.only
        if only and plainly and type(kept := eqn.residuals[0]) is _ndarray:
            v, d = eqn.inputs[only[0]], only[1](ct, kept)
            if v.aval is aval and type(v) is Eqn and v not in env:
                if type(d) is _ndarray and d.dtype is aval.dtype:
                    if not todo or todo[0][0] > -v.serial:
                        eqn, ct = v, d
                        continue
            env.add(v, conform(d, v.aval))
            return None
        for i, formula in eqn.plan.steps:
            v = eqn.inputs[i]
            d = formula(ct, eqn)
            if v.aval is not aval or d.dtype is not aval.dtype:
                d = conform(d, v.aval)
            if type(v) is not Eqn or v in env:
                env.add(v, d)
            elif following is None:
                following, ct_following = v, d
            elif v is following:
                ct_following = ct_following + d
            else:
                env[v] = d
                heappush(todo, (-v.serial, v))
        if following is None:
            return None
        eqn, ct = following, ct_following
        if todo and todo[0][0] < -eqn.serial:
            env[eqn] = ct
            heappush(todo, (-eqn.serial, eqn))
            return None
        small = type(ct) is _ndarray and (eqn.aval is aval or ct.nbytes < LARGE)
    return eqn, ct


def _run_checked(env: Cotangents) -> None:
    """Run as `_run` does, checking each cotangent (`fad.debug_nans`)."""
    while env.todo:
        eqn = heappop(env.todo)[1]
        _masked_step(env, eqn, env.pop(eqn), f"the reverse pass of {eqn.prim.name}")


def _masked_step(env: Cotangents, eqn: Eqn, ct: Any, what: str | None = None) -> None:
    """Do one equation while some cotangents have elements cut off by a select."""
    live = env.live.pop(eqn, None)
    prim = eqn.prim
    if prim.pullback is None:
        cts = transposed_pushforward(eqn, ct)
    else:
        cts = prim.pullback(eqn, ct, live if prim.pointwise else None)
    if what is not None:
        check_results(what, cts, eqn.source)
    lives = _input_lives(eqn, live, cts)
    for v, d, alive in zip(eqn.inputs, cts, lives, strict=True):
        if d is not None:
            env.add(v, d, alive)


def _input_lives(eqn: Eqn, live: Any, cts: Sequence[Any]) -> list[Any]:
    """Return for each input where its cotangent is live, None for everywhere."""
    prim = eqn.prim
    if callable(prim.masking):
        branches = prim.masking(eqn.residuals[eqn.plan.picks.index(0)])
        shape = eqn.aval.shape
        joint = [
            b if live is None or b is None else comparison.logical_and(live, b)
            for b in branches
        ]
        return [
            None if d is None or b is None else _fit(b, shape, aval_of(d))
            for b, d in zip(joint, cts, strict=True)
        ]
    if live is None and not prim.masking:
        return [None] * len(cts)
    if prim.pointwise:
        return [
            None if d is None else _fit(live, eqn.aval.shape, aval_of(d)) for d in cts
        ]
    if prim.structural:
        taken = _ones(eqn.aval.shape) if live is None else live
        counted = arithmetic.convert(taken, dtype=eqn.aval.dtype)
        counts = prim.pullback(eqn, counted)
        return [None if d is None else comparison.ne(d, 0) for d in counts]
    return [None] * len(cts)


def _fit(live: Any, shape: tuple[int, ...], aval: Aval) -> Any:
    """Bring a live mask to an input's shape: live where any broadcast element is."""
    if aval_of(live).shape == aval.shape:
        return live
    counted = arithmetic.mul(arithmetic.convert(live, dtype="float64"), _ones(shape))
    return comparison.ne(conform(counted, Aval(aval.shape, counted.dtype)), 0)


def _ones(shape: tuple[int, ...]) -> Any:
    return np.broadcast_to(np.float64(1), shape)


def transposed_pushforward(eqn: Eqn, ct: Any) -> list[Any]:
    """Pull back through a primitive known by its jvp: transpose its linearisation."""
    traced = [i for i, v in enumerate(eqn.inputs) if v is not None]
    cts = ct if eqn.prim.multiple_results else [ct]

    def forward(*tangents: Any) -> tuple[Sequence[Any], Sequence[Any]]:
        full: list[Any] = [None] * len(eqn.inputs)
        for i, t in zip(traced, tangents, strict=True):
            full[i] = t
        out = eqn.prim.pushforward(eqn, full)
        return (out if eqn.prim.multiple_results else [out]), cts

    found = transpose(forward, [eqn.inputs[i].aval for i in traced])
    result: list[Any] = [None] * len(eqn.inputs)
    for i, d in zip(traced, found, strict=True):
        result[i] = d
    return result


def transpose(
    linear: Callable[..., tuple[Sequence[Any], Sequence[Any]]], avals: Iterable[Aval]
) -> list[Any]:
    """Apply the transpose of a linear function to cotangents.

    Args:
        linear: takes one value per aval; returns its outputs and their cotangents,
            None for zero.
        avals: of the inputs.

    Returns:
        One cotangent per input, None for zero.

    Raises:
        NotLinearError: `linear` is not linear.
    """
    tape = LinearTape()
    boxes = [tape.input(a) for a in avals]
    atoms = [b.payload for b in boxes]
    try:
        outs, cts = linear(*boxes)
    finally:
        tape.close()
    pairs = [
        (o.payload, ct)
        for o, ct in zip(outs, cts, strict=True)
        if ct is not None and isinstance(o, Tracer) and o.owner is tape
    ]
    env = backward([v for v, _ in pairs], [ct for _, ct in pairs])
    return [env.get(v) for v in atoms]
