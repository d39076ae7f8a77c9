"""Where in the sorted values a quantile lies, by each method of NumPy.

A method gives a position v among the ranks 0 .. n - 1, from which the two neighbouring
ranks and the way t between them follow, 0 <= t < 1. After R. J. Hyndman and Y. Fan,
"Sample quantiles in statistical packages", The American Statistician 50 (1996).

Public names: `METHODS`, `neighbours`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops.arithmetic import convert
from ..ops.comparison import eq, ge, logical_and
from ..ops.comparison import where as select
from ..ops.piecewise import ceil, clip, floor, mod, rint
from .convert import cast

__all__ = ["METHODS", "neighbours"]

_CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}
"""Hyndman and Fan's alpha and beta."""

METHODS = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    *_CONTINUOUS,
    "linear",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)


def neighbours(method: str, q: Any, n: Any) -> tuple[Any, Any, Any]:
    """Return the lower rank, the upper one and the way between them.

    Args:
        method: one of `METHODS`.
        q: quantiles, of shape (m,).
        n: the number of values, an int or integers of shape (..., 1).

    Returns:
        Integers, integers and floats of shape (..., m); None for the last two where the
        method takes one element and does not interpolate.
    """
    if not isinstance(n, int) and aval_of(q).dtype.kind == "f":
        n = convert(n, dtype=aval_of(q).dtype)
    rank = _ranks(method, q, n)
    if rank is not None:
        return _index(rank, n), None, None
    v = _position(method, q, n)
    low = floor(v)
    t = v - low
    if method == "averaged_inverted_cdf":
        t = select(eq(t, 0), 0.5, 1.0)
    elif method == "midpoint":
        t = select(eq(t, 0), 0.0, 0.5)
    high = select(ge(v, 0), low + 1, low)
    return _index(low, n), _index(high, n), cast(t, aval_of(v).dtype)


def _ranks(method: str, q: Any, n: Any) -> Any:
    """Return the rank of a method that does not interpolate, else None."""
    if method == "lower":
        return floor((n - 1) * q)
    if method == "higher":
        return ceil((n - 1) * q)
    if method == "nearest":
        return rint((n - 1) * q)
    if method == "inverted_cdf":
        v = n * q - 1
        return select(eq(v, floor(v)), floor(v), floor(v) + 1)
    if method == "closest_observation":
        v = n * q - 1 - 0.5
        stay = logical_and(eq(v, floor(v)), eq(mod(floor(v), 2), 1))
        return select(stay, floor(v), floor(v) + 1)
    if method == "linear" and aval_of(q).dtype.kind in "iu":
        return (n - 1) * q
    return None


def _position(method: str, q: Any, n: Any) -> Any:
    if method == "linear":
        return (n - 1) * q
    if method == "averaged_inverted_cdf":
        return n * q - 1
    if method == "midpoint":
        v = (n - 1) * q
        return 0.5 * (floor(v) + ceil(v))
    alpha, beta = _CONTINUOUS[method]
    return n * q + (alpha + q * (1 - alpha - beta)) - 1


def _index(rank: Any, n: Any) -> Any:
    """Return a rank as an integer from 0 to n - 1 (to 0 where n is 0)."""
    top = max(n - 1, 0) if isinstance(n, int) else clip(n - 1, 0, np.inf)
    return convert(clip(rank, 0, top), dtype=np.intp)
