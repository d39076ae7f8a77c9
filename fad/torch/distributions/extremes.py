"""Distributions of extremes and of powers, made of uniform and exponential numbers.

Public names: `Gumbel`, `Weibull`, `Pareto`, `Kumaraswamy`, `GeneralizedPareto`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..declare import functions
from . import constraints
from .continuous import Exponential, Uniform
from .distribution import Distribution, broadcast
from .transformed import TransformedDistribution
from .transforms_elementwise import AffineTransform, ExpTransform, PowerTransform

__all__ = ["GeneralizedPareto", "Gumbel", "Kumaraswamy", "Pareto", "Weibull"]

EULER = 0.57721566490153286060


class _Made(TransformedDistribution):
    """A distribution with parameters of its own beside those of its base.

    Attributes:
        names: of the parameters.
    """

    names: tuple[str, ...] = ()
    has_rsample = True

    def _made(self) -> tuple[Any, list[Any]]:
        """Return the base distribution and the transforms, from the parameters."""
        raise NotImplementedError

    def _make(self, validate_args: bool | None) -> None:
        TransformedDistribution.__init__(self, *self._made(), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        found = self._expanded(batch_shape, *self.names)
        found.base_dist, found.transforms = found._made()
        return found


class Gumbel(_Made):
    """The distribution of the greatest of many numbers."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    names = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast(loc, scale)
        self._make(validate_args)

    def _made(self) -> tuple[Any, list[Any]]:
        info = np.finfo(self.loc.aval.dtype)
        low = functions["full_like"](self.loc, float(info.tiny))
        high = functions["full_like"](self.loc, 1 - float(info.eps))
        turned = AffineTransform(0, -functions["ones_like"](self.scale))
        placed = AffineTransform(self.loc, -self.scale)
        transforms = [ExpTransform().inv, turned, ExpTransform().inv, placed]
        return Uniform(low, high, validate_args=False), transforms

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Any:
        return self.loc + self.scale * EULER

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def stddev(self) -> Any:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Any:
        return self.stddev.pow(2)

    def entropy(self) -> Any:
        return self.scale.log() + (1 + EULER)


class Pareto(_Made):
    """Pareto's distribution, whose tail is a power."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}
    names = ("alpha", "scale")

    def __init__(
        self, scale: Any, alpha: Any, validate_args: bool | None = None
    ) -> None:
        self.scale, self.alpha = broadcast(scale, alpha)
        self._make(validate_args)

    def _made(self) -> tuple[Any, list[Any]]:
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        return Exponential(self.alpha, validate_args=False), transforms

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Any:
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Any:
        return self.scale

    @property
    def variance(self) -> Any:
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self) -> Any:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(_Made):
    """Weibull's distribution of life times."""

    arg_constraints = {
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    support = constraints.positive
    names = ("scale", "concentration")

    def __init__(
        self, scale: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        self.scale, self.concentration = broadcast(scale, concentration)
        self._make(validate_args)

    @property
    def concentration_reciprocal(self) -> Any:
        return self.concentration.reciprocal()

    def _made(self) -> tuple[Any, list[Any]]:
        power = PowerTransform(exponent=self.concentration_reciprocal)
        ones = functions["ones_like"](self.scale)
        transforms = [power, AffineTransform(loc=0, scale=self.scale)]
        return Exponential(ones, validate_args=False), transforms

    @property
    def mean(self) -> Any:
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Any:
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self) -> Any:
        second = (1 + 2 * self.concentration_reciprocal).lgamma().exp()
        first = (2 * (1 + self.concentration_reciprocal).lgamma()).exp()
        return self.scale.pow(2) * (second - first)

    def entropy(self) -> Any:
        inverse = self.concentration_reciprocal
        return EULER * (1 - inverse) + (self.scale * inverse).log() + 1


class Kumaraswamy(_Made):
    """Kumaraswamy's distribution on the unit interval."""

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    names = ("concentration1", "concentration0")

    def __init__(
        self,
        concentration1: Any,
        concentration0: Any,
        validate_args: bool | None = None,
    ) -> None:
        both = broadcast(concentration1, concentration0)
        self.concentration1, self.concentration0 = both
        self._make(validate_args)

    def _made(self) -> tuple[Any, list[Any]]:
        like = functions["full_like"]
        base = Uniform(like(self.concentration0, 0), like(self.concentration0, 1))
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        return base, transforms

    def _moment(self, n: int) -> Any:
        a, b = self.concentration1, self.concentration0
        more = 1 + n / a
        return b * (more.lgamma() + b.lgamma() - (more + b).lgamma()).exp()

    @property
    def mean(self) -> Any:
        return self._moment(1)

    @property
    def mode(self) -> Any:
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        return log_mode.masked_fill((b < 1) | (a < 1), math.nan).exp()

    @property
    def variance(self) -> Any:
        return self._moment(2) - self.mean.pow(2)

    def entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + EULER
        left = (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic
        return left - a.log() - b.log()


class GeneralizedPareto(Distribution):
    """The distribution of what lies above a high threshold."""

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(
        self,
        loc: Any,
        scale: Any,
        concentration: Any,
        validate_args: bool | None = None,
    ) -> None:
        found = broadcast(loc, scale, concentration)
        self.loc, self.scale, self.concentration = found
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        return self._expanded(batch_shape, "loc", "scale", "concentration")

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        upper = self.loc - self.scale / self.concentration
        upper = functions["where"](self.concentration >= 0, math.inf, upper)
        return constraints.interval(self.loc, upper)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.icdf(functions["rand"](shape, dtype=self.loc.dtype))

    def _is_exponential(self) -> Any:
        zeros = functions["zeros_like"](self.concentration)
        return functions["isclose"](self.concentration, zeros)

    def _safe(self) -> Any:
        """Return the concentration, 1 where it is 0."""
        flat = self._is_exponential()
        return functions["where"](
            flat, functions["ones_like"](self.loc), self.concentration
        )

    def _survival(self, value: Any) -> Any:
        """Return the logarithm of the probability of greater values."""
        z, c = (value - self.loc) / self.scale, self._safe()
        return functions["where"](self._is_exponential(), -z, -(z * c).log1p() / c)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        z, c = (value - self.loc) / self.scale, self._safe()
        power = (1.0 / c + 1) * (z * c).log1p()
        exponent = functions["where"](self._is_exponential(), z, power)
        return -exponent - self.scale.log()

    def log_survival_function(self, value: Any) -> Any:
        """Return the logarithm of the probability of greater values."""
        self._validate_sample(value)
        return self._survival(value)

    def log_cdf(self, value: Any) -> Any:
        """Return the logarithm of the probability of smaller values."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Any) -> Any:
        return self.log_cdf(value).exp()

    def icdf(self, value: Any) -> Any:
        c, left = self._safe(), (-value).log1p()
        power = self.loc + self.scale * (-c * left).expm1() / c
        return functions["where"](
            self._is_exponential(), self.loc - self.scale * left, power
        )

    @property
    def mean(self) -> Any:
        c = self.concentration
        found = self.loc + self.scale / (1 - c)
        return found.masked_fill(c >= 1, math.inf)

    @property
    def variance(self) -> Any:
        c = self.concentration
        found = self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c))
        return found.masked_fill(c >= 0.5, math.inf)

    def entropy(self) -> Any:
        return self.scale.log() + self.concentration + 1

    @property
    def mode(self) -> Any:
        return self.loc
