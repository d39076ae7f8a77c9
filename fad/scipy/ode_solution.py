"""The solution of an ordinary differential equation, with its derivatives.

    dy/dt = f(y, t, args),   y(t_0) = y_0,   at times t

Derivatives do not go through the steps. Forward mode solves the sensitivity equations
along with y; reverse mode solves the adjoint equation backwards in time,

    d lambda/dt = -(df/dy)^T lambda,    d L/d args = integral lambda^T df/d args dt

with y recomputed on the way (Pontryagin; Chen, Rubanova, Bettencourt and Duvenaud,
2018), so its memory does not grow with the number of steps. Both are solutions again,
and so are differentiable at every order.

Public names: `Settings solution`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..control.custom_vjp import custom_vjp
from ..control.scanning import scan
from ..control.while_loop import while_loop
from ..core.avals import zeros
from ..core.trace import aval_of
from ..ops.arithmetic import convert
from ..ops.comparison import isfinite, le, logical_and, lt, where
from ..ops.indexing import getitem, slice_along
from ..ops.piecewise import maximum, minimum
from ..ops.reductions import reduce_sum
from ..ops.shape import concatenate, expand_dims, reshape
from .derivatives import pulled, pushed, ravel
from .runge_kutta import Method, embedded_step, error_ratio, first_step, growth

__all__ = ["Settings", "solution"]


class Settings(NamedTuple):
    """How to solve: the method, the error allowed, the most and the longest steps."""

    method: Method
    rtol: float
    atol: float
    most: float
    longest: float


def _steps(func: Any, settings: Any, y0: Any, t: Any, *args: Any) -> Any:
    """Solve for one vector; rows of the result belong to the times."""
    method, rtol, atol, mxstep, hmax = settings
    slope = lambda y, time: func(y, time, *args)
    first = getitem(t, index=(0,))
    k0 = slope(y0, first)
    h0 = minimum(first_step(method, slope, y0, first, k0, rtol, atol), hmax)

    def advance(carry: Any, target: Any) -> Any:
        def unfinished(state: Any) -> Any:
            _, time, _, _, count = state
            return logical_and(lt(time, target), lt(count, mxstep))

        def step(state: Any) -> Any:
            y, time, k, h, count = state
            room = target - time
            last = le(room, h)
            used = where(last, room, h)
            y_next, k_next, error = embedded_step(method, slope, y, time, k, used)
            ratio = error_ratio(error, y, y_next, rtol, atol)
            ok = logical_and(le(ratio, 1.0), isfinite(ratio))
            factor = growth(method, ratio)
            grown = where(
                logical_and(ok, last), maximum(used * factor, h), used * factor
            )
            reached = where(last, target, time + used)
            return (
                where(ok, y_next, y),
                where(ok, reached, time),
                where(ok, k_next, k),
                minimum(grown, hmax),
                count + 1,
            )

        state = while_loop(unfinished, step, (*carry, 0))
        y, time = state[0], state[1]
        result = where(lt(time, target), np.nan, y)
        return state[:4], result

    _, rows = scan(advance, (y0, first, k0, h0), slice_along(t, 1, aval_of(t).size, 0))
    return concatenate(expand_dims(y0, 0), rows, axis=0)


solution = custom_vjp(_steps, nondiff_argnums=(0, 1))
"""`(func, settings, y0, t, *args)` -> rows of y, a vector, at the times t."""


@solution.defjvp
def _sensitivity(
    func: Any, settings: Any, primals: Any, tangents: Any
) -> tuple[Any, Any]:
    """Solve for y and its tangent together, at fixed times; then move the times."""
    y0, t, *args = primals
    dy0, dt, *dargs = tangents
    n = aval_of(y0).size
    moving = [i for i, a in enumerate(args) if aval_of(a).dtype.kind == "f"]
    count = len(args)

    def both(y_and_dy: Any, time: Any, *given: Any) -> Any:
        args, dargs = given[:count], dict(zip(moving, given[count:], strict=True))
        y, dy = slice_along(y_and_dy, 0, n, 0), slice_along(y_and_dy, n, 2 * n, 0)
        primals = [y, time, *args]
        moved = [dy, None, *[dargs.get(i) for i in range(count)]]
        return concatenate(*pushed(func, primals, moved), axis=0)

    start = dy0 - func(y0, getitem(t, index=(0,)), *args) * getitem(dt, index=(0,))
    rows = solution(
        both,
        settings,
        concatenate(y0, start, axis=0),
        t,
        *args,
        *[dargs[i] for i in moving],
    )
    ys, dys = slice_along(rows, 0, n, 1), slice_along(rows, n, 2 * n, 1)
    return ys, dys + _slopes(func, ys, t, args) * expand_dims(dt, 1)


def _slopes(func: Any, ys: Any, t: Any, args: Any) -> Any:
    """Return f at every time, as rows."""
    return scan(lambda _, row: (0, func(*row, *args)), 0, (ys, t))[1]


def _forward(func: Any, settings: Any, y0: Any, t: Any, *args: Any) -> Any:
    ys = solution(func, settings, y0, t, *args)
    return ys, (ys, t, args)


def _adjoint(func: Any, settings: Any, kept: Any, ct: Any) -> tuple[Any, ...]:
    """Solve the adjoint equation from the last time to the first."""
    ys, t, args = kept
    n = aval_of(ys).shape[1]
    moving = [i for i, a in enumerate(args) if aval_of(a).dtype.kind == "f"]
    zero = [zeros(aval_of(args[i]).tangent()) for i in moving]
    empty, unravel = ravel(zero, "differential equation: arguments")
    empty = convert(empty, dtype=aval_of(ys).dtype)
    total = 2 * n + aval_of(empty).size

    def backwards(state: Any, time: Any, *args: Any) -> Any:
        y, adjoint = slice_along(state, 0, n, 0), slice_along(state, n, 2 * n, 0)
        slope, cts = pulled(func, [y, -time, *args], adjoint)
        found = [cts[0], *[cts[2 + i] for i in moving]]
        found = [reshape(c, shape=(aval_of(c).size,)) for c in found]
        found = [convert(c, dtype=aval_of(y).dtype) for c in found]
        return concatenate(-slope, *found, axis=0)

    def segment(carry: Any, rows: Any) -> Any:
        adjoint, by_args = carry
        y, time, earlier, ct_earlier = rows
        ends = concatenate(expand_dims(-time, 0), expand_dims(-earlier, 0), axis=0)
        state = concatenate(y, adjoint, by_args, axis=0)
        end = getitem(solution(backwards, settings, state, ends, *args), index=(1,))
        adjoint = slice_along(end, n, 2 * n, 0) + ct_earlier
        return (adjoint, slice_along(end, 2 * n, total, 0)), None

    count = aval_of(t).size
    lead = lambda x: slice_along(x, 0, count - 1, 0)
    rest = lambda x: slice_along(x, 1, count, 0)
    (adjoint, by_args), _ = scan(
        segment,
        (getitem(ct, index=(count - 1,)), empty),
        (rest(ys), rest(t), lead(t), lead(ct)),
        reverse=True,
    )
    by_time = reduce_sum(_slopes(func, ys, t, args) * ct, axis=(1,))
    first = func(getitem(ys, index=(0,)), getitem(t, index=(0,)), *args)
    moved = reduce_sum(first * adjoint, axis=(0,))
    start = concatenate(
        expand_dims(moved, 0), np.zeros(count - 1, aval_of(t).dtype), axis=0
    )
    parts = dict(zip(moving, unravel(by_args), strict=True))
    return (adjoint, by_time - start, *[parts.get(i) for i in range(len(args))])


solution.defvjp(_forward, _adjoint)
