"""Distributions of what transforms make of random numbers.

Public names: `TransformedDistribution`, `LogNormal`, `HalfNormal`, `HalfCauchy`,
`LogisticNormal`, `InverseGamma`.
"""

from __future__ import annotations

import math
from typing import Any

from ..declare import functions
from ..modes import no_grad
from ..size import Size
from . import constraints
from .continuous import Cauchy, Normal
from .distribution import Distribution, sum_rightmost
from .gamma_family import Gamma
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .transforms_elementwise import AbsTransform, ExpTransform, PowerTransform
from .transforms_of_vectors import StickBreakingTransform

__all__ = [
    "HalfCauchy",
    "HalfNormal",
    "InverseGamma",
    "LogNormal",
    "LogisticNormal",
    "TransformedDistribution",
]


class TransformedDistribution(Distribution):
    """What transforms make of the samples of a distribution.

    >>> from fad import torch
    >>> d = torch.distributions
    >>> doubled = d.TransformedDistribution(
    ...     d.Normal(0., 1.), [d.AffineTransform(loc=0., scale=2.)])
    >>> doubled.log_prob(torch.tensor(0.))
    tensor(-1.6121)
    """

    def __init__(
        self, base_distribution: Any, transforms: Any, validate_args: bool | None = None
    ) -> None:
        self.transforms = _listed(transforms)
        whole = ComposeTransform(self.transforms)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        event = len(base_distribution.event_shape)
        if len(shape) < whole.domain.event_dim:
            raise ValueError(
                "base_distribution needs to have shape with size at least "
                f"{whole.domain.event_dim}, but got {shape}."
            )
        forward = whole.forward_shape(shape)
        inner = whole.inverse_shape(forward)
        if tuple(inner) != tuple(shape):
            base_distribution = base_distribution.expand(inner[: len(inner) - event])
        more = whole.domain.event_dim - event
        if more > 0:
            base_distribution = Independent(base_distribution, more)
        self.base_dist = base_distribution
        change = whole.codomain.event_dim - whole.domain.event_dim
        cut = len(forward) - max(whole.codomain.event_dim, event + change)
        super().__init__(forward[:cut], forward[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        batch = Size(batch_shape)
        shape: Any = batch + self._event_shape
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        inner = shape[: len(shape) - len(self.base_dist.event_shape)]
        return self._copied(batch, base_dist=self.base_dist.expand(inner))

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample  # type: ignore[no-any-return]

    @property
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        found = self.transforms[-1].codomain
        more = len(self._event_shape) - found.event_dim
        return constraints.independent(found, more) if more > 0 else found

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            x = self.base_dist.sample(sample_shape)
            return self._forward(x)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._forward(self.base_dist.rsample(sample_shape))

    def _forward(self, x: Any) -> Any:
        for t in self.transforms:
            x = t(x)
        return x

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        event_dim = len(self._event_shape)
        total: Any = 0.0
        y = value
        for t in reversed(self.transforms):
            x = t.inv(y)
            event_dim += t.domain.event_dim - t.codomain.event_dim
            more = event_dim - t.domain.event_dim
            total = total - sum_rightmost(t.log_abs_det_jacobian(x, y), more)
            y = x
        more = event_dim - len(self.base_dist.event_shape)
        return total + sum_rightmost(self.base_dist.log_prob(y), more)

    def _rising(self, probability: Any) -> Any:
        """Turn a probability round if the transforms fall."""
        sign: Any = 1
        for t in self.transforms:
            sign = sign * t.sign
        if isinstance(sign, int) and sign == 1:
            return probability
        return sign * (probability - 0.5) + 0.5

    def cdf(self, value: Any) -> Any:
        for t in reversed(self.transforms):
            value = t.inv(value)
        self.base_dist._validate_sample(value)
        return self._rising(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Any:
        return self._forward(self.base_dist.icdf(self._rising(value)))


def _listed(transforms: Any) -> list[Transform]:
    if isinstance(transforms, Transform):
        return [transforms]
    if isinstance(transforms, list):
        if not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        return transforms
    raise ValueError(f"transforms must be a Transform or list, but was {transforms}")


class LogNormal(TransformedDistribution):
    """The distribution of the exponential of a normal number."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Any:
        return self.base_dist.loc

    @property
    def scale(self) -> Any:
        return self.base_dist.scale

    @property
    def mean(self) -> Any:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Any:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Any:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Any:
        return self.base_dist.entropy() + self.loc


class _Half(TransformedDistribution):
    """The absolute value of a symmetric number around 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _whole: Any

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = self._whole(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Any:
        return self.base_dist.scale

    @property
    def mode(self) -> Any:
        return functions["zeros_like"](self.scale)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        found = self.base_dist.log_prob(value) + math.log(2)
        return functions["where"](value >= 0, found, -math.inf)

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Any) -> Any:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Any:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The absolute value of a normal number."""

    _whole = Normal

    @property
    def mean(self) -> Any:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """The absolute value of a Cauchy number."""

    _whole = Cauchy

    @property
    def mean(self) -> Any:
        return functions["full_like"](self.scale, math.inf)

    @property
    def variance(self) -> Any:
        return self.base_dist.variance


class LogisticNormal(TransformedDistribution):
    """Shares of a whole, broken off by normal numbers."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Any:
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Any:
        return self.base_dist.base_dist.scale


class InverseGamma(TransformedDistribution):
    """The inverse of a gamma number."""

    arg_constraints = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.positive
    has_rsample = True

    def __init__(
        self, concentration: Any, rate: Any, validate_args: bool | None = None
    ) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        inverse = PowerTransform(-base.rate.new_ones(()))
        super().__init__(base, inverse, validate_args=validate_args)

    @property
    def concentration(self) -> Any:
        return self.base_dist.concentration

    @property
    def rate(self) -> Any:
        return self.base_dist.rate

    def _if_above(self, limit: int, found: Any) -> Any:
        return functions["where"](self.concentration > limit, found, math.inf)

    @property
    def mean(self) -> Any:
        return self._if_above(1, self.rate / (self.concentration - 1))

    @property
    def mode(self) -> Any:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Any:
        a = self.concentration
        found = self.rate.square() / ((a - 1).square() * (a - 2))
        return self._if_above(2, found)

    def entropy(self) -> Any:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
