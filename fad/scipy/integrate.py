"""Ordinary differential equations: `odeint`, differentiable by further equations.

    dy/dt = f(y, t, args),   y(t_0) = y_0,   returned at the times t

Steps are those of Dormand and Prince (1980), of order 5 with an error estimate of
order 4. Derivatives do not go through the steps. Forward mode solves the sensitivity
equations along with y; reverse mode solves the adjoint equation backwards in time,

    d lambda/dt = -(df/dy)^T lambda,    d L/d args = integral lambda^T df/d args dt

with y recomputed on the way (Pontryagin; Chen, Rubanova, Bettencourt and Duvenaud,
2018), so its memory does not grow with the number of steps. Both are solved by `odeint`
again, and so are differentiable at every order. SciPy is not needed.

Public names: `odeint`.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from ..control.closures import closure_convert
from ..control.custom_vjp import custom_vjp
from ..control.scanning import scan
from ..control.while_loop import while_loop
from ..core.avals import zeros
from ..core.pytree import tree_flatten, tree_map, tree_unflatten
from ..core.trace import aval_of
from ..numpy.convert import operand
from ..ops.arithmetic import convert
from ..ops.comparison import isfinite, le, logical_and, lt, where
from ..ops.elementary import sqrt
from ..ops.indexing import getitem, slice_along
from ..ops.piecewise import abs_, maximum, minimum
from ..ops.powers import power
from ..ops.reductions import reduce_max, reduce_sum
from ..ops.shape import concatenate, expand_dims, reshape
from .arguments import inexact
from .derivatives import pulled, pushed, ravel

__all__ = ["odeint"]

_NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (
    71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40,
)  # fmt: skip


def odeint(
    func: Any,
    y0: Any,
    t: Any,
    *args: Any,
    rtol: float = 1.4e-8,
    atol: float = 1.4e-8,
    mxstep: float = inf,
    hmax: float = inf,
) -> Any:
    """Solve dy/dt = func(y, t, *args) from `y0` at t[0].

    Args:
        func: returns the derivative, a pytree like `y0`. It is traced: no Python
            branches on values.
        y0: a pytree of real arrays, differentiable.
        t: increasing times (n,), differentiable.
        *args: pytrees of arrays for `func`, differentiable, as is what `func` closes
            over.
        rtol, atol: the error allowed in a step, relative to y and absolute.
        mxstep: the most steps between two of the times; then the result is nan.
        hmax: the longest step.

    Returns:
        A pytree like `y0` whose leaves have a leading axis for the times.

    >>> import fad, numpy as np
    >>> end = lambda rate: fad.scipy.integrate.odeint(
    ...     lambda y, t, rate: -rate * y, 1.0, np.array([0.0, 1.0]), rate)[-1]
    >>> round(float(end(2.0)), 6), round(float(fad.grad(end)(2.0)), 6)
    (0.135335, -0.135335)
    """
    times = inexact(t)
    if len(aval_of(times).shape) != 1 or not aval_of(times).size:
        raise ValueError(f"odeint: t must be a vector of times, got {aval_of(times)!r}")
    vector, unravel = ravel(y0, "odeint: the initial value")
    dtype = aval_of(vector).dtype
    args = tuple(tree_map(_as_operand, args))

    def slope(y: Any, time: Any, *args: Any) -> Any:
        out, _ = ravel(func(unravel(y), time, *args), "odeint: the derivative")
        if aval_of(out).shape != aval_of(y).shape:
            raise ValueError(
                "odeint: func must return a derivative like y0; together they have "
                f"{aval_of(out).size} and {aval_of(y).size} numbers"
            )
        return convert(out, dtype=dtype)

    times = convert(times, dtype=dtype)
    converted, consts = closure_convert(
        slope, vector, getitem(times, index=(0,)), *args
    )
    leaves, tree = tree_flatten((args, tuple(consts)))

    def flat(y: Any, time: Any, *leaves: Any) -> Any:
        args, consts = tree_unflatten(tree, leaves)
        return converted(y, time, *args, *consts)

    settings = (float(rtol), float(atol), float(mxstep), float(hmax))
    found = _solve(flat, settings, vector, times, *leaves)
    return _unravel_rows(found, y0)


def _as_operand(x: Any) -> Any:
    return operand(x)


def _unravel_rows(rows: Any, y0: Any) -> Any:
    """Return a matrix of one row for each time as a pytree like `y0`."""
    leaves, tree = tree_flatten(y0)
    parts, start = [], 0
    count = aval_of(rows).shape[0]
    for leaf in leaves:
        aval = aval_of(operand(leaf))
        part = slice_along(rows, start, start + aval.size, 1)
        start += aval.size
        dtype = aval.dtype if aval.dtype.kind == "f" else np.dtype(float)
        parts.append(convert(reshape(part, shape=(count, *aval.shape)), dtype=dtype))
    return tree_unflatten(tree, parts)


def _steps(func: Any, settings: Any, y0: Any, t: Any, *args: Any) -> Any:
    """Solve for one vector; rows of the result belong to the times."""
    rtol, atol, mxstep, hmax = settings
    slope = lambda y, time: func(y, time, *args)
    first = getitem(t, index=(0,))
    k0 = slope(y0, first)
    h0 = minimum(_first_step(slope, y0, first, k0, rtol, atol), hmax)

    def advance(carry: Any, target: Any) -> Any:
        def unfinished(state: Any) -> Any:
            _, time, _, _, count = state
            return logical_and(lt(time, target), lt(count, mxstep))

        def step(state: Any) -> Any:
            y, time, k, h, count = state
            room = target - time
            last = le(room, h)
            used = where(last, room, h)
            y_next, k_next, error = _dormand_prince(slope, y, time, k, used)
            ratio = _norm(error, y, y_next, rtol, atol)
            ok = logical_and(le(ratio, 1.0), isfinite(ratio))
            factor = _factor(ratio)
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


def _dormand_prince(slope: Any, y: Any, t: Any, k: Any, h: Any) -> tuple[Any, Any, Any]:
    """Return the next y, its slope and the estimated error of a step of length h."""
    stages = [k]
    for node, weights in zip(_NODES, _STAGES, strict=True):
        y_next = y + h * _weighted(weights, stages)
        stages.append(slope(y_next, t + node * h))
    return y_next, stages[-1], h * _weighted(_ERROR, stages)


def _weighted(weights: Any, stages: Any) -> Any:
    terms = [w * k for w, k in zip(weights, stages, strict=True) if w]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _norm(error: Any, y: Any, y_next: Any, rtol: float, atol: float) -> Any:
    """Return the error's root mean square, in units of what is allowed."""
    allowed = atol + rtol * maximum(abs_(y), abs_(y_next))
    ratio = error / allowed
    size = max(aval_of(error).size, 1)
    return sqrt(reduce_sum(ratio * ratio, axis=(0,)) / size)


def _factor(ratio: Any) -> Any:
    """Return by what to multiply the step: 0.9 ratio^(-1/5), between 0.2 and 10."""
    known = isfinite(ratio)
    safe = where(known, maximum(ratio, 1e-10), 1.0)
    factor = 0.9 * power(safe, -0.2)
    return where(known, maximum(minimum(factor, 10.0), 0.2), 0.2)


def _first_step(slope: Any, y: Any, t: Any, k: Any, rtol: float, atol: float) -> Any:
    """Choose the first step by Hairer, Norsett and Wanner (1993), section II.4."""
    scale = atol + rtol * abs_(y)
    d0, d1 = (_largest(v / scale) for v in (y, k))
    tiny = logical_and(le(1e-5, d0), le(1e-5, d1))
    h = where(tiny, 0.01 * d0 / where(tiny, d1, 1.0), 1e-6)
    d2 = _largest((slope(y + h * k, t + h) - k) / scale) / h
    top = maximum(d1, d2)
    flat = le(top, 1e-15)
    guess = power(0.01 / where(flat, 1.0, top), 0.2)
    return minimum(100 * h, where(flat, maximum(h * 1e-3, 1e-6), guess))


def _largest(x: Any) -> Any:
    return reduce_max(abs_(x), axis=(0,)) if aval_of(x).size else 0.0


_solve = custom_vjp(_steps, nondiff_argnums=(0, 1))


@_solve.defjvp
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
    rows = _solve(
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
    ys = _solve(func, settings, y0, t, *args)
    return ys, (ys, t, args)


def _adjoint(func: Any, settings: Any, kept: Any, ct: Any) -> tuple[Any, ...]:
    """Solve the adjoint equation from the last time to the first."""
    ys, t, args = kept
    n = aval_of(ys).shape[1]
    moving = [i for i, a in enumerate(args) if aval_of(a).dtype.kind == "f"]
    zero = [zeros(aval_of(args[i]).tangent()) for i in moving]
    empty, unravel = ravel(zero, "odeint: arguments")
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
        end = getitem(_solve(backwards, settings, state, ends, *args), index=(1,))
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


_solve.defvjp(_forward, _adjoint)
