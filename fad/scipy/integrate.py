"""Ordinary differential equations: `odeint` and `solve_ivp`, differentiable.

Both solve dy/dt = f from an initial value, by Runge-Kutta steps of adaptive length.
Derivatives by the initial value, the times, the arguments and what f closes over come
from further differential equations (`ode_solution`). SciPy is not needed.

Public names: `odeint`, `solve_ivp`, `OdeResult`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from .. import numpy as fnp
from ..control.closures import closure_convert
from ..core.pytree import tree_flatten, tree_map, tree_unflatten
from ..core.trace import aval_of, concrete_value
from ..numpy.convert import operand
from ..ops.arithmetic import convert
from ..ops.indexing import getitem, slice_along
from ..ops.shape import concatenate, expand_dims, move_axis, reshape
from .arguments import inexact
from .derivatives import ravel
from .ode_solution import Settings, solution
from .runge_kutta import METHODS, step_times

__all__ = ["OdeResult", "odeint", "solve_ivp"]


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
    settings = Settings(
        METHODS["RK45"], float(rtol), float(atol), float(mxstep), float(hmax)
    )
    problem = _Problem("odeint", func, y0, getitem(times, index=(0,)), args)
    return problem.at(times, settings)


class _Problem:
    """An initial value problem on pytrees, as one on vectors.

    Attributes:
        vector: the initial value.
        flat: `(y, time, *leaves) -> dy/dt` on vectors.
        leaves: the arguments, and what the function closes over.
    """

    def __init__(
        self, name: str, func: Callable[..., Any], y0: Any, start: Any, args: Any
    ) -> None:
        self.y0 = y0
        self.vector, unravel = ravel(y0, f"{name}: the initial value")
        dtype = self.dtype = aval_of(self.vector).dtype

        def slope(y: Any, time: Any, *args: Any) -> Any:
            out, _ = ravel(func(unravel(y), time, *args), f"{name}: the derivative")
            if aval_of(out).shape != aval_of(y).shape:
                raise ValueError(
                    f"{name}: the function must return a derivative like y0; together "
                    f"they have {aval_of(out).size} and {aval_of(y).size} numbers"
                )
            return convert(out, dtype=dtype)

        args = tuple(tree_map(operand, args))
        start = convert(start, dtype=dtype)
        converted, consts = closure_convert(slope, self.vector, start, *args)
        self.leaves, tree = tree_flatten((args, tuple(consts)))

        def flat(y: Any, time: Any, *leaves: Any) -> Any:
            args, consts = tree_unflatten(tree, leaves)
            return converted(y, time, *args, *consts)

        self.flat = flat

    def at(self, times: Any, settings: Settings) -> Any:
        """Return y at times from the start on, as a pytree with an axis in front."""
        times = convert(times, dtype=self.dtype)
        rows = solution(self.flat, settings, self.vector, times, *self.leaves)
        return _unravel_rows(rows, self.y0)


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


@dataclass(frozen=True)
class OdeResult:
    """What `solve_ivp` found.

    Attributes:
        t: the times (n,).
        y: a pytree like y0; leaves have a last axis for the times.
        sol: with `dense_output`, a function of one time or a vector of times.
        status: 0 if the end was reached, -1 if the steps became too short.
        message: the same in words.
        t_events, y_events: None; events are not supported.
    """

    t: Any
    y: Any
    sol: Callable[[Any], Any] | None
    status: int
    message: str
    t_events: None = None
    y_events: None = None

    @property
    def success(self) -> bool:
        """Whether the end was reached."""
        return self.status >= 0


_MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    -1: "Required step size is less than spacing between numbers.",
}


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Sequence[Any],
    y0: Any,
    method: str = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Sequence[Any] | None = None,
    *,
    rtol: float = 1e-3,
    atol: float = 1e-6,
    max_step: float = inf,
    first_step: float | None = None,
) -> OdeResult:
    """Solve dy/dt = fun(t, y, *args) from y(t_span[0]) = y0 to t_span[1].

    Args:
        fun: returns the derivative, a pytree like `y0`. It is traced: no Python
            branches on values.
        t_span: the first and the last time, in either order, differentiable.
        y0: a pytree of real arrays, differentiable.
        method: "RK45" or "RK23".
        t_eval: times (n,) in `t_span`, in order, differentiable. By default the times
            of the steps, whose number must be known: not under `jit` or `vmap`.
        dense_output: give `sol`, which solves to the times that it is asked for.
        events: not supported.
        vectorized: has no effect, as `fun` gets one y at a time.
        args: pytrees of arrays for `fun`, differentiable, as is what `fun` closes over.
        rtol, atol: the error allowed in a step, relative to y and absolute.
        max_step: the longest step.
        first_step: the length to begin with; None chooses one.

    Returns:
        The solution, see `OdeResult`.

    Raises:
        NotImplementedError: `events` are given.
        ValueError: the method is another, or times are not in order or in `t_span`.

    >>> import fad, numpy as np
    >>> def end(rate):
    ...     decay = lambda t, y, rate: -rate * y
    ...     found = fad.scipy.integrate.solve_ivp(
    ...         decay, (0.0, 1.0), np.ones(1), args=(rate,), rtol=1e-9, atol=1e-9)
    ...     return found.y[0, -1]
    >>> round(float(end(2.0)), 6), round(float(fad.grad(end)(2.0)), 6)
    (0.135335, -0.135335)
    """
    if events is not None:
        raise NotImplementedError(
            "solve_ivp: events are not supported; solve to t_eval and look for the "
            "event between two times, e.g. with fad.lax.custom_root"
        )
    if method not in METHODS:
        raise ValueError(
            f"solve_ivp: method must be one of {', '.join(METHODS)}, got {method!r}"
        )
    start, stop = (inexact(v) for v in t_span)
    ends = [_known(v) for v in (start, stop)]
    back = None not in ends and ends[1] < ends[0]
    sign = -1.0 if back else 1.0

    def forwards(y: Any, time: Any, *args: Any) -> Any:
        return tree_map(lambda v: sign * v, fun(sign * time, y, *args))

    problem = _Problem("solve_ivp", forwards, y0, sign * start, args or ())
    settings = Settings(METHODS[method], float(rtol), float(atol), inf, float(max_step))
    status = 0
    if t_eval is None:
        own, reached = _own_times(problem, settings, sign, ends, first_step)
        parts = [start, *own[1:-1], stop] if reached else [start, *own[1:]]
        times = concatenate(*[expand_dims(inexact(v), 0) for v in parts], axis=0)
        status = 0 if reached else -1
    else:
        times = inexact(t_eval)
        _check_times(_known(times), ends, sign)

    def at(times: Any) -> Any:
        """Return y at times in order, with a last axis for them."""
        all_times = concatenate(expand_dims(start, 0), times, axis=0)
        rows = problem.at(sign * all_times, settings)
        count = aval_of(all_times).shape[0]
        return tree_map(
            lambda v: move_axis(slice_along(v, 1, count, 0), 0, aval_of(v).ndim - 1),
            rows,
        )

    sol = _dense(at, sign) if dense_output else None
    return OdeResult(times, at(times), sol, status, _MESSAGES[status])


def _known(value: Any) -> Any:
    """Return a value as an array of NumPy, None while it is traced or one of many."""
    found = concrete_value(value)
    return found if np.shape(found) == aval_of(value).shape else None


def _own_times(
    problem: _Problem, settings: Settings, sign: float, ends: Any, first: float | None
) -> tuple[list[float], bool]:
    """Return the times of the steps, and whether they reach the end."""
    vector = _known(problem.vector)
    leaves = [_known(v) for v in problem.leaves]
    if vector is None or None in ends or any(v is None for v in leaves):
        raise ValueError(
            "solve_ivp: how many steps it takes depends on values, which are not known "
            "here (under jit, vmap or in a loop). Pass t_eval, the times you want."
        )
    start, stop = (sign * float(v) for v in ends)
    times, reached = step_times(
        settings.method,
        lambda y, t: problem.flat(y, t, *leaves),
        vector,
        start,
        stop,
        settings.rtol,
        settings.atol,
        settings.longest,
        first,
    )
    return [sign * t for t in times], reached


def _check_times(times: Any, ends: Any, sign: float) -> None:
    """Raise if times that are known are not in order, or out of the interval."""
    if times is None:
        return
    if np.any(sign * np.diff(times) <= 0):
        raise ValueError("solve_ivp: values in t_eval are not properly sorted")
    known = [v for v in ends if v is not None]
    if len(known) == 2 and times.size:
        low, high = min(known), max(known)
        if times.min() < low or times.max() > high:
            raise ValueError("solve_ivp: values in t_eval are not within t_span")


def _dense(at: Callable[[Any], Any], sign: float) -> Callable[[Any], Any]:
    """Return the solution as a function of one time, or of a vector in any order."""

    def sol(t: Any) -> Any:
        times = inexact(t)
        if not aval_of(times).shape:
            found = at(expand_dims(times, 0))
            return tree_map(lambda v: getitem(v, index=(Ellipsis, 0)), found)
        order = fnp.argsort(sign * times)
        found = at(fnp.take(times, order))
        back = fnp.argsort(order)
        return tree_map(lambda v: fnp.take(v, back, axis=-1), found)

    return sol
