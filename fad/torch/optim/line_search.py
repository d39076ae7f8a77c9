"""A step length that satisfies the strong Wolfe conditions (Nocedal & Wright, ch. 3).

First an interval is found that holds such a step, by ever longer steps; then it is
narrowed by the minimum of the cubic through both ends.

Public names: `Point`, `strong_wolfe`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Point", "strong_wolfe"]

_DECREASE, _CURVATURE = 1e-4, 0.9


class Point(NamedTuple):
    """A step length with the value, the gradient and the slope there."""

    t: Any
    f: float
    g: Any
    slope: Any


def _cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Return where the cubic with the values and slopes of two points is least."""
    low, high = bounds or (min(a.t, b.t), max(a.t, b.t))
    if b.t < a.t:
        a, b = b, a
    d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = np.sqrt(square)
    width = b.slope - a.slope + 2 * d2
    with np.errstate(all="ignore"):
        least = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / width)
    return min(max(least, low), high)


def strong_wolfe(
    evaluate: Callable[[Any], tuple[float, Any]],
    direction: Any,
    start: Point,
    t: Any,
    tolerance: float = 1e-9,
    limit: int = 25,
) -> tuple[Point, int]:
    """Return a point on the line that satisfies the conditions, and the evaluations.

    Args:
        evaluate: gives value and gradient at a step length.
        direction: where the line goes.
        start: the point of length 0.
        t: the first length to try.
    """

    def at(t: Any) -> Point:
        f, g = evaluate(t)
        return Point(t, f, g, g @ direction)

    ends, rounds, done = _bracket(at, start, t, limit)
    evaluations = rounds + 1
    reach = np.abs(direction).max()
    stuck = False
    while not done and rounds < limit:
        low, high = _ordered(ends)
        if abs(high.t - low.t) * reach < tolerance:
            break
        t, stuck = _inner(_cubic_minimum(*ends), ends, stuck)
        new = at(t)
        evaluations, rounds = evaluations + 1, rounds + 1
        ends, done = _narrowed(ends, new, start)
    return _ordered(ends)[0], evaluations


def _bracket(
    at: Callable[[Any], Point], start: Point, t: Any, limit: int
) -> tuple[list[Point], int, bool]:
    """Return the ends of an interval, the rounds, and whether its point will do."""
    before, new = start, at(t)
    for rounds in range(limit):
        too_high = new.f > start.f + _DECREASE * new.t * start.slope
        if too_high or (rounds > 1 and new.f >= before.f):
            return [before, new], rounds, False
        if abs(new.slope) <= -_CURVATURE * start.slope:
            return [new], rounds, True
        if new.slope >= 0:
            return [before, new], rounds, False
        bounds = (new.t + 0.01 * (new.t - before.t), new.t * 10)
        t = _cubic_minimum(before, new, bounds)
        before, new = new, at(t)
    return [start, new], max(limit, 0), False


def _ordered(ends: list[Point]) -> tuple[Point, Point]:
    """Return the end of the lower value, and the other."""
    first, last = ends[0], ends[-1]
    return (first, last) if first.f <= last.f else (last, first)


def _inner(t: Any, ends: list[Point], stuck: bool) -> tuple[Any, bool]:
    """Return a length kept away from the ends, and whether it is close to one."""
    low, high = sorted((ends[0].t, ends[1].t))
    margin = 0.1 * (high - low)
    if min(high - t, t - low) >= margin:
        return t, False
    if stuck or t >= high or t <= low:
        return (high - margin if abs(t - high) < abs(t - low) else low + margin), False
    return t, True


def _narrowed(ends: list[Point], new: Point, start: Point) -> tuple[list[Point], bool]:
    """Return the interval with a new point as one of its ends."""
    low, high = _ordered(ends)
    if new.f > start.f + _DECREASE * new.t * start.slope or new.f >= low.f:
        return [low, new], False
    done = bool(abs(new.slope) <= -_CURVATURE * start.slope)
    if not done and new.slope * (high.t - low.t) >= 0:
        high = low
    return [new, high], done
