"""Embedded Runge-Kutta methods: steps with an estimate of their error.

    k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y' = y + h sum_i b_i k_i,
    error = h sum_i e_i k_i

The last stage is the slope at the end, where the next step begins. A step is accepted
if the error is within `atol + rtol |y|` in the mean; either way the next one is 0.9
ratio^(-1/q) times as long, within bounds (Hairer, Norsett and Wanner, 1993, section
II.4, where the choice of the first step is from, too).

Public names: `METHODS Method embedded_step error_ratio first_step growth step_times`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.trace import aval_of
from ..ops.comparison import isfinite, le, logical_and, where
from ..ops.elementary import sqrt
from ..ops.piecewise import abs_, maximum, minimum
from ..ops.powers import power
from ..ops.reductions import reduce_sum

__all__ = [
    "METHODS",
    "Method",
    "embedded_step",
    "error_ratio",
    "first_step",
    "growth",
    "step_times",
]


class Method(NamedTuple):
    """The numbers of a method.

    Attributes:
        nodes: c, from the second stage on.
        stages: rows of a, the last of which is b.
        error: e, of all stages.
        order: of the error estimate, plus one.
    """

    nodes: tuple[float, ...]
    stages: tuple[tuple[float, ...], ...]
    error: tuple[float, ...]
    order: int


METHODS = {
    "RK45": Method(  # Dormand and Prince, 1980
        (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
        (
            (1 / 5,),
            (3 / 40, 9 / 40),
            (44 / 45, -56 / 15, 32 / 9),
            (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
            (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
            (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
        ),
        (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
        5,
    ),
    "RK23": Method(  # Bogacki and Shampine, 1989
        (1 / 2, 3 / 4, 1.0),
        ((1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9)),
        (5 / 72, -1 / 12, -1 / 9, 1 / 8),
        3,
    ),
}


def embedded_step(
    method: Method, slope: Any, y: Any, t: Any, k: Any, h: Any
) -> tuple[Any, Any, Any]:
    """Return the next y, its slope and the estimated error of a step of length h.

    Args:
        method: which one.
        slope: `(y, t) -> dy/dt`, for vectors y.
        y, t, k: where the step begins, and the slope there.
        h: its length.
    """
    stages = [k]
    for node, weights in zip(method.nodes, method.stages, strict=True):
        y_next = y + h * _weighted(weights, stages)
        stages.append(slope(y_next, t + node * h))
    return y_next, stages[-1], h * _weighted(method.error, stages)


def _weighted(weights: Any, stages: Any) -> Any:
    terms = [w * k for w, k in zip(weights, stages, strict=True) if w]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def error_ratio(error: Any, y: Any, y_next: Any, rtol: Any, atol: Any) -> Any:
    """Return the error's root mean square, in units of what is allowed."""
    return _mean_square(error / (atol + rtol * maximum(abs_(y), abs_(y_next))))


def _mean_square(x: Any) -> Any:
    return sqrt(reduce_sum(x * x, axis=(0,)) / max(aval_of(x).size, 1))


def growth(method: Method, ratio: Any) -> Any:
    """Return by what to multiply the length of a step, between 0.2 and 10."""
    known = isfinite(ratio)
    safe = where(known, maximum(ratio, 1e-10), 1.0)
    factor = 0.9 * power(safe, -1 / method.order)
    return where(known, maximum(minimum(factor, 10.0), 0.2), 0.2)


def first_step(
    method: Method, slope: Any, y: Any, t: Any, k: Any, rtol: Any, atol: Any
) -> Any:
    """Return the length to begin with."""
    scale = atol + rtol * abs_(y)
    d0, d1 = (_mean_square(v / scale) for v in (y, k))
    usual = logical_and(le(1e-5, d0), le(1e-5, d1))
    h = where(usual, 0.01 * d0 / where(usual, d1, 1.0), 1e-6)
    d2 = _mean_square((slope(y + h * k, t + h) - k) / scale) / h
    top = maximum(d1, d2)
    flat = le(top, 1e-15)
    guess = power(0.01 / where(flat, 1.0, top), 1 / method.order)
    return minimum(100 * h, where(flat, maximum(h * 1e-3, 1e-6), guess))


def step_times(
    method: Method,
    slope: Callable[[Any, Any], Any],
    y: Any,
    start: float,
    stop: float,
    rtol: float,
    atol: float,
    longest: float,
    first: float | None,
) -> tuple[list[float], bool]:
    """Take steps on NumPy arrays; return their times and whether they reach `stop`."""
    t, k, times = start, slope(y, start), [start]
    h = first or float(first_step(method, slope, y, t, k, rtol, atol))
    rejected = False
    while t < stop:
        h = min(h, longest)
        if h < 10 * np.spacing(abs(t)):
            return times, False
        t_next = min(t + h, stop)
        y_next, k_next, error = embedded_step(method, slope, y, t, k, t_next - t)
        ratio = error_ratio(error, y, y_next, rtol, atol)
        factor, ok = float(growth(method, ratio)), bool(ratio < 1)
        h = (t_next - t) * (min(factor, 1.0) if rejected or not ok else factor)
        rejected = not ok
        if ok:
            y, t, k = y_next, t_next, k_next
            times.append(t)
    return times, True
