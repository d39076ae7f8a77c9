"""`while_loop` and `fori_loop`: loops whose length may depend on values.

    while[cond_jaxpr body_jaxpr cond_nconsts body_nconsts] consts, carry -> carry

Forward mode is a loop over carry and tangents. Reverse mode works, too: once values are
there, a loop that took n steps is a `scan` of n steps. Under `grad` alone that is now;
under `jit` and `vmap` the reverse pass is one deferred equation (`control.deferred`).

Under `vmap`, an example whose condition has become false keeps its carry while others
go on; what the body would make of it counts for nothing, neither in values nor in
derivatives.

Public names: `while_loop`, `fori_loop`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backends.registry import executable
from ..core.avals import Aval
from ..core.ir import Eqn, Jaxpr
from ..core.pytree import tree_unflatten
from ..core.trace import aval_of, bind, concrete_value
from ..ops.arithmetic import add, convert
from ..ops.batching_rules import at_front
from ..ops.comparison import lt, where
from ..transforms.partial import batch_jaxpr, jvp_jaxpr
from ..transforms.staging import eval_jaxpr, stage
from .bodies import leaves_of, trace_body
from .carries import trace_carrying
from .deferred import Work, defer, vjp_of
from .disabling import jit_is_disabled
from .higher import HigherOrder, given, is_known, or_zeros, spread, strong
from .lanes import any_lane, lanes_like, safe_input
from .scan import split_scan
from .scanning import scan

__all__ = ["fori_loop", "while_call", "while_loop"]


class _While(HigherOrder):
    """Run a body while a condition holds."""

    def __init__(self) -> None:
        super().__init__("while")

    def run(self, *args: Any, **params: Any) -> list[Any]:
        return _loop(args, **params)[0]

    def infer(self, *avals: Aval, body_jaxpr: Jaxpr, **params: Any) -> list[Aval]:
        return [strong(a) for a in body_jaxpr.out_avals]

    def forward(
        self, values: Sequence[Any], inputs: Sequence[Any], **params: Any
    ) -> tuple[list[Any], tuple[Any, ...]]:
        if not is_known(values):
            return bind(self, *values, **params), tuple(values)
        _, n = _loop([concrete_value(v) for v in values], **params)
        steps = _as_scan(n, params)
        parts = split_scan(steps, _scan_mask(inputs, params))
        outs, residuals = parts.forward(values[params["cond_nconsts"] :], steps)
        return outs, (_Taken(n), *residuals)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        params, skip = eqn.params, eqn.params["cond_nconsts"]
        first = eqn.residuals[0] if eqn.residuals else None
        if isinstance(first, _Taken):
            steps = _as_scan(first.steps, params)
            parts = split_scan(steps, _scan_mask(eqn.inputs, params))
            found = parts.backward(eqn.residuals[1:], ct, steps)
            return [None] * skip + found
        which, cts = given(ct)
        mask = [v is not None for v in eqn.inputs]
        avals = [v.aval for v in eqn.inputs if v is not None]
        work = _work(params)
        return spread(
            mask, defer(vjp_of(work, mask, which, avals), *eqn.residuals, *cts)
        )

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> list[Any]:
        params, skip = eqn.params, eqn.params["cond_nconsts"]
        first = eqn.residuals[0] if eqn.residuals else None
        if isinstance(first, _Taken):
            steps = _as_scan(first.steps, params)
            parts = split_scan(steps, _scan_mask(eqn.inputs, params))
            return parts.forward_linear(eqn.residuals[1:], tangents[skip:], steps)
        return self.push(eqn.residuals, tangents, **params)[1]

    def push(
        self, values: Sequence[Any], tangents: Sequence[Any], **params: Any
    ) -> tuple[list[Any], list[Any]]:
        cond, body = params["cond_jaxpr"], params["body_jaxpr"]
        nc, nb = params["cond_nconsts"], params["body_nconsts"]
        mask = [t is not None for t in tangents[nc:]]
        while True:
            program, nonzero = jvp_jaxpr(body, mask, mask[nb:])
            if nonzero == mask[nb:]:
                break
            mask[nb:] = nonzero
        ts = [
            or_zeros(t, aval_of(v)) if m else None
            for t, v, m in zip(tangents[nc:], values[nc:], mask, strict=True)
        ]
        t_consts, t_carry = (
            [t for t in ts[:nb] if t is not None],
            [t for t in ts[nb:] if t is not None],
        )
        outs = bind(
            self,
            *values[: nc + nb], *t_consts, *values[nc + nb :], *t_carry,
            cond_jaxpr=_ignoring(cond, [aval_of(t) for t in t_carry]),
            body_jaxpr=_with_tangents(program, body, nb, len(t_consts)),
            cond_nconsts=nc, body_nconsts=nb + len(t_consts),
        )  # fmt: skip
        n = len(body.outputs)
        return outs[:n], spread(nonzero, outs[n:])

    def is_linear(self, mask: Sequence[bool], **params: Any) -> bool:
        return False

    def batch(
        self, size: int, args: Sequence[Any], dims: Sequence[Any], **params: Any
    ) -> tuple[Any, Any]:
        cond, body = params["cond_jaxpr"], params["body_jaxpr"]
        nc, nb = params["cond_nconsts"], params["body_nconsts"]
        mask = [d is not None for d in dims]
        while True:
            carry = mask[nc + nb :]
            _, stacked = batch_jaxpr(body, size, mask[nc:], carry)
            _, (by_example,) = batch_jaxpr(cond, size, [*mask[:nc], *carry])
            joint = [True] * len(carry) if by_example else stacked
            if joint == carry:
                break
            mask[nc + nb :] = joint
        moved = [
            at_front(size, a, d) if m else a
            for a, d, m in zip(args, dims, mask, strict=True)
        ]
        if not by_example:
            params = {
                **params,
                "cond_jaxpr": batch_jaxpr(cond, size, [*mask[:nc], *carry])[0],
                "body_jaxpr": batch_jaxpr(body, size, mask[nc:], carry)[0],
            }
            return bind(self, *moved, **params), [0 if m else None for m in carry]
        lanes = _lanes(size, mask, **params)
        outs = bind(
            self, *moved[:nc], *moved,
            cond_jaxpr=lanes[0], body_jaxpr=lanes[1],
            cond_nconsts=nc, body_nconsts=nc + nb,
        )  # fmt: skip
        return outs, [0] * len(carry)


while_call = _While()


class _Taken:
    """The number of steps that a loop took; first among its residuals."""

    __slots__ = ("steps",)

    def __init__(self, steps: int) -> None:
        self.steps = steps


def _loop(
    args: Sequence[Any],
    *,
    cond_jaxpr: Jaxpr,
    body_jaxpr: Jaxpr,
    cond_nconsts: int,
    body_nconsts: int,
) -> tuple[list[Any], int]:
    """Run a loop on values; returns the carry and the number of steps."""
    cond, body = executable(cond_jaxpr), executable(body_jaxpr)
    first = args[:cond_nconsts]
    consts = args[cond_nconsts : cond_nconsts + body_nconsts]
    carry = list(args[cond_nconsts + body_nconsts :])
    steps = 0
    while cond(*first, *carry)[0]:
        carry = body(*consts, *carry)
        steps += 1
    return carry, steps


def _as_scan(steps: int, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a `scan` that does `steps` steps of the loop."""
    body = params["body_jaxpr"]
    return {
        "jaxpr": body,
        "length": steps,
        "num_consts": params["body_nconsts"],
        "num_carry": len(body.outputs),
        "reverse": False,
    }


def _scan_mask(inputs: Sequence[Any], params: dict[str, Any]) -> list[bool]:
    return [v is not None for v in inputs[params["cond_nconsts"] :]]


def _work(params: dict[str, Any]) -> Work:
    """Return the loop as a work, made once."""
    body = params["body_jaxpr"]
    key = "while", params["cond_jaxpr"], params["cond_nconsts"], params["body_nconsts"]
    if key not in body.cache:
        body.cache[key] = Work(
            "while", lambda *args: bind(while_call, *args, **params), body.out_avals
        )
    found: Work = body.cache[key]
    return found


def _ignoring(jaxpr: Jaxpr, avals: Sequence[Aval]) -> Jaxpr:
    """Return the program with more inputs, which it does not read."""
    if not avals:
        return jaxpr
    key = ("ignoring", tuple(avals))
    if key not in jaxpr.cache:
        n = len(jaxpr.inputs)
        jaxpr.cache[key] = stage(
            lambda *args: eval_jaxpr(jaxpr, *args[:n]),
            [*jaxpr.in_avals, *map(strong, avals)],
        )
    found: Jaxpr = jaxpr.cache[key]
    return found


def _with_tangents(program: Jaxpr, body: Jaxpr, nb: int, k: int) -> Jaxpr:
    """Put tangents of consts behind the consts, before the carry."""
    key = ("loop", nb, k)
    if key not in program.cache:
        n = len(body.inputs)
        ins, ts = program.inputs[:n], program.inputs[n:]
        program.cache[key] = Jaxpr(
            [*ins[:nb], *ts[:k], *ins[nb:], *ts[k:]],
            program.const_vars,
            program.consts,
            program.eqns,
            program.outputs,
        )
    found: Jaxpr = program.cache[key]
    return found


def _lanes(
    size: int,
    mask: Sequence[bool],
    cond_jaxpr: Jaxpr,
    body_jaxpr: Jaxpr,
    cond_nconsts: int,
    body_nconsts: int,
) -> tuple[Jaxpr, Jaxpr]:
    """Return condition and body of a loop in which each example stops by itself."""
    key = ("lanes", size, tuple(mask), cond_jaxpr)
    if key in body_jaxpr.cache:
        found: tuple[Jaxpr, Jaxpr] = body_jaxpr.cache[key]
        return found
    nc = cond_nconsts
    carry = mask[nc + body_nconsts :]
    cond, _ = batch_jaxpr(cond_jaxpr, size, [*mask[:nc], *carry], [True])
    body, _ = batch_jaxpr(body_jaxpr, size, mask[nc:], carry)

    def going_on(*args: Any) -> list[Any]:
        return [any_lane(eval_jaxpr(cond, *args)[0])]

    def step(*args: Any) -> list[Any]:
        first, consts, old = (
            args[:nc],
            args[nc : nc + body_nconsts],
            args[nc + body_nconsts :],
        )
        (running,) = eval_jaxpr(cond, *first, *old)
        safe = [
            safe_input(running, v) if m else v
            for v, m in zip((*consts, *old), mask[nc:], strict=True)
        ]
        new = eval_jaxpr(body, *safe)
        return [
            where(lanes_like(running, n), n, o) for n, o in zip(new, old, strict=True)
        ]

    def stacked(jaxpr: Jaxpr, which: Sequence[bool]) -> list[Aval]:
        return [
            Aval((size, *a.shape), a.dtype) if m else a
            for a, m in zip(jaxpr.in_avals, which, strict=True)
        ]

    cond_avals = stacked(cond_jaxpr, [*mask[:nc], *carry])
    body_avals = stacked(body_jaxpr, mask[nc:])
    made = stage(going_on, cond_avals), stage(step, [*cond_avals[:nc], *body_avals])
    body_jaxpr.cache[key] = made
    return made


def while_loop(
    cond_fun: Callable[..., Any], body_fun: Callable[..., Any], init_val: Any
) -> Any:
    """Apply `body_fun` while `cond_fun` holds, and return the last value.

    As if::

        val = init_val
        while cond_fun(val):
            val = body_fun(val)
        return val

    Forward and reverse mode work; reverse mode keeps what each step needs, and runs the
    loop once more under `jit` and `vmap`. Under `vmap` each example stops by itself.

    Args:
        cond_fun: from the value to a boolean scalar.
        body_fun: from the value to the next, of the same structure, shapes and dtypes.
        init_val: a pytree of arrays.

    Raises:
        TypeError: the condition is not a boolean scalar, or the value changes its type.

    >>> import fad
    >>> f = lambda x: fad.lax.while_loop(lambda u: u < 10.0, lambda u: 2.0 * u, x)
    >>> float(f(3.0)), float(fad.grad(f)(3.0))
    (12.0, 4.0)
    """
    if not (callable(cond_fun) and callable(body_fun)):
        raise TypeError("while_loop takes (cond_fun, body_fun, init_val)")
    leaves, avals, tree = leaves_of("while_loop: init_val", (init_val,))
    if jit_is_disabled():
        while cond_fun(init_val):
            init_val = body_fun(init_val)
        return init_val
    body, start = trace_carrying(
        "while_loop", lambda val: (body_fun(val),), tree, leaves, avals
    )
    carry_avals = body.jaxpr.in_avals[len(body.closure) :]
    cond = trace_body("while_loop condition", cond_fun, tree, carry_avals)
    _check_condition(cond.out_avals)
    outs = bind(
        while_call, *cond.closure, *body.closure, *start,
        cond_jaxpr=cond.jaxpr, body_jaxpr=body.jaxpr,
        cond_nconsts=len(cond.closure), body_nconsts=len(body.closure),
    )  # fmt: skip
    (val,) = tree_unflatten(body.tree, outs)
    return val


def _check_condition(avals: Sequence[Aval]) -> None:
    if len(avals) != 1 or avals[0].shape or avals[0].dtype.kind != "b":
        raise TypeError(
            "while_loop: the condition must return one boolean scalar, got "
            f"{', '.join(map(repr, avals)) or 'nothing'}; compare, or use fnp.any or "
            "fnp.all"
        )


def fori_loop(
    lower: Any,
    upper: Any,
    body_fun: Callable[..., Any],
    init_val: Any,
    *,
    unroll: int | bool | None = None,
) -> Any:
    """Apply `body_fun(i, val)` for i from `lower` to `upper - 1`.

    With plain integers for bounds it is a `scan`, otherwise a `while_loop`; both can be
    differentiated in every mode.

    Args:
        lower, upper: integer scalars.
        body_fun: `(i, val) -> val` of the same structure, shapes and dtypes.
        init_val: a pytree of arrays.
        unroll: accepted for compatibility.

    >>> import fad
    >>> float(fad.grad(lambda x: fad.lax.fori_loop(0, 3, lambda i, v: v * x, 1.0))(2.0))
    12.0
    """
    for what, bound in (("lower", lower), ("upper", upper)):
        aval = aval_of(bound)
        if aval.shape or aval.dtype.kind not in "iu":
            raise TypeError(
                f"fori_loop: {what} must be an integer scalar, got {aval!r}"
            )
    first, last = concrete_value(lower), concrete_value(upper)
    if first is not None and last is not None:
        steps = np.arange(int(first), max(int(first), int(last)))
        return scan(lambda val, i: (body_fun(i, val), None), init_val, steps)[0]
    lower = convert(lower, dtype=np.dtype(np.int64))
    upper = convert(upper, dtype=np.dtype(np.int64))
    _, val = while_loop(
        lambda carry: lt(carry[0], upper),
        lambda carry: (add(carry[0], 1), body_fun(carry[0], carry[1])),
        (lower, init_val),
    )
    return val
