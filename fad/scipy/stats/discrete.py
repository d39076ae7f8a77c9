"""Discrete distributions; they are differentiable in their parameters.

Probabilities of values that are no integers of the support are 0, with derivative 0.

Public names: `bernoulli binom geom poisson`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from ...ops import incomplete_functions as incomplete
from ...ops.arithmetic import stop_gradient
from ...ops.comparison import eq, ge, le, logical_and, where
from ...ops.elementary import exp, log, log1p
from ...ops.entropies import xlog1py, xlogy
from ...ops.gamma_functions import gammaln
from ...ops.piecewise import floor
from ..arguments import numbers
from .distribution import bind_arguments

__all__ = ["bernoulli", "binom", "geom", "poisson"]


class Discrete:
    """A family of distributions on integers, with a location.

    Args:
        name: as in SciPy.
        shapes: names of its parameters.
        logpmf: a function of (k, *shapes).
        cdf: a function of (k, *shapes), k an integer in the support.
        low: the first integer of the support.
        high: a function of the parameters: the last one, or None.
    """

    def __init__(
        self,
        name: str,
        shapes: Sequence[str],
        logpmf: Callable[..., Any],
        cdf: Callable[..., Any],
        low: int = 0,
        high: Callable[..., Any] | None = None,
    ) -> None:
        self.name, self.shapes = name, tuple(shapes)
        self._logpmf, self._cdf = logpmf, cdf
        self.low, self.high = low, high

    def __repr__(self) -> str:
        return f"<distribution {self.name}(k, {', '.join(self.shapes)}, loc)>"

    def logpmf(self, *args: Any, **kwargs: Any) -> Any:
        """Return the logarithm of the probability of k."""
        k, shapes = self._standard("logpmf", args, kwargs)
        possible = logical_and(eq(k, floor(k)), ge(k, self.low))
        if self.high is not None:
            possible = logical_and(possible, le(k, self.high(*shapes)))
        safe = where(possible, k, float(self.low))
        return where(possible, self._logpmf(safe, *shapes), -inf)

    def pmf(self, *args: Any, **kwargs: Any) -> Any:
        """Return the probability of k."""
        return exp(self.logpmf(*args, **kwargs))

    def cdf(self, *args: Any, **kwargs: Any) -> Any:
        """Return the probability of values up to k."""
        k, shapes = self._standard("cdf", args, kwargs)
        k = floor(k)
        inside = ge(k, self.low)
        if self.high is not None:
            inside = logical_and(inside, le(k, self.high(*shapes) - 1))
        safe = where(inside, k, float(self.low))
        beyond = where(ge(k, self.low), 1.0, 0.0)
        return where(inside, self._cdf(safe, *shapes), beyond)

    def _standard(
        self, what: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Any, list[Any]]:
        names = ["k", *self.shapes, "loc"]
        values = bind_arguments(f"{self.name}.{what}", names, args, kwargs)
        k, *shapes, loc = numbers(*values)
        return stop_gradient(k - loc), shapes


poisson = Discrete(
    "poisson",
    ["mu"],
    lambda k, mu: xlogy(k, mu) - mu - gammaln(k + 1),
    lambda k, mu: incomplete.gammaincc(k + 1, mu),
)
bernoulli = Discrete(
    "bernoulli",
    ["p"],
    lambda k, p: xlogy(k, p) + xlog1py(1 - k, -p),
    lambda k, p: 1 - p + 0.0 * k,
    high=lambda p: 1.0,
)
binom = Discrete(
    "binom",
    ["n", "p"],
    lambda k, n, p: (
        gammaln(n + 1)
        - gammaln(k + 1)
        - gammaln(n - k + 1)
        + xlogy(k, p)
        + xlog1py(n - k, -p)
    ),
    lambda k, n, p: incomplete.betaincc(k + 1, where(le(n - k, 0), 1.0, n - k), p),
    high=lambda n, p: n,
)
geom = Discrete(
    "geom",
    ["p"],
    lambda k, p: xlog1py(k - 1, -p) + log(p),
    lambda k, p: 1 - exp(k * log1p(-p)),
    low=1,
)
