"""The gamma distribution and those that are made of gamma numbers.

Public names: `Gamma`, `Chi2`, `Dirichlet`, `Beta`, `StudentT`, `FisherSnedecor`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..declare import functions
from ..nn import functional as F
from ..size import Size
from . import constraints
from .distribution import Distribution, ExponentialFamily, broadcast

__all__ = ["Beta", "Chi2", "Dirichlet", "FisherSnedecor", "Gamma", "StudentT"]


def _tiny(x: Any) -> float:
    return float(np.finfo(x.aval.dtype).tiny)


class Gamma(ExponentialFamily):
    """The gamma distribution.

    >>> from fad import torch
    >>> torch.distributions.Gamma(2., 1.).log_prob(torch.tensor(1.))
    tensor(-1.)
    """

    arg_constraints = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.nonnegative
    has_rsample = True

    def __init__(
        self, concentration: Any, rate: Any, validate_args: bool | None = None
    ) -> None:
        self.concentration, self.rate = broadcast(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        return self._expanded(batch_shape, "concentration", "rate")

    @property
    def mean(self) -> Any:
        return self.concentration / self.rate

    @property
    def mode(self) -> Any:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Any:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        drawn = functions["_standard_gamma"](self.concentration.expand(shape))
        value = drawn / self.rate.expand(shape)
        value.data.clamp_(min=_tiny(value))  # gradients do not see it
        return value

    def log_prob(self, value: Any) -> Any:
        value = functions["as_tensor"](value, dtype=self.rate.dtype)
        self._validate_sample(value)
        a, xlogy = self.concentration, functions["xlogy"]
        found = xlogy(a, self.rate) + xlogy(a - 1, value)
        return found - self.rate * value - a.lgamma()

    def entropy(self) -> Any:
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1.0 - a) * a.digamma()

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        return functions["igamma"](self.concentration, self.rate * value)


class Chi2(Gamma):
    """The sum of the squares of normal numbers."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self.concentration * 2


class Dirichlet(ExponentialFamily):
    """Shares of a whole, by concentrations along the last dimension."""

    arg_constraints = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.ndim < 1:
            raise ValueError(
                "`concentration` parameter must be at least one-dimensional."
            )
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        shape = Size(batch_shape)
        wide = self.concentration.expand(shape + self._event_shape)
        return self._copied(shape, concentration=wide)

    @property
    def mean(self) -> Any:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Any:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        flat = (self.concentration < 1).all(dim=-1)
        best = F.one_hot(mode[flat].argmax(dim=-1), above.shape[-1])
        mode[flat] = best.to(mode.dtype)
        return mode

    @property
    def variance(self) -> Any:
        total = self.concentration.sum(-1, True)
        rest = total - self.concentration
        return self.concentration * rest / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return functions["_sample_dirichlet"](self.concentration.expand(shape))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        a = self.concentration
        found = functions["xlogy"](a - 1.0, value).sum(-1) + a.sum(-1).lgamma()
        return found - a.lgamma().sum(-1)

    def entropy(self) -> Any:
        a, k = self.concentration, self.concentration.shape[-1]
        total = a.sum(-1)
        found = a.lgamma().sum(-1) - total.lgamma()
        return found - (k - total) * total.digamma() - ((a - 1.0) * a.digamma()).sum(-1)


class Beta(ExponentialFamily):
    """The first of two shares of a whole."""

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        concentration1: Any,
        concentration0: Any,
        validate_args: bool | None = None,
    ) -> None:
        both = functions["stack"](broadcast(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        shape = Size(batch_shape)
        return self._copied(shape, _dirichlet=self._dirichlet.expand(shape))

    @property
    def concentration1(self) -> Any:
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Any:
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Any:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Any:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Any:
        total = self.concentration1 + self.concentration0
        product = self.concentration1 * self.concentration0
        return product / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return self._dirichlet.log_prob(functions["stack"]([value, 1.0 - value], -1))

    def entropy(self) -> Any:
        return self._dirichlet.entropy()


class StudentT(Distribution):
    """Student's distribution: a normal number over the root of a mean of squares."""

    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        df: Any,
        loc: Any = 0.0,
        scale: Any = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = broadcast(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        found = self._expanded(batch_shape, "df", "loc", "scale")
        found._chi2 = self._chi2.expand(batch_shape)
        return found

    @property
    def mean(self) -> Any:
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        found = self.scale.pow(2) * self.df / (self.df - 2)
        found = found.masked_fill(self.df <= 2, math.inf)
        return found.masked_fill(self.df <= 1, math.nan)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        x = functions["randn"](shape, dtype=self.df.dtype)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * (z / self.df).rsqrt())

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        df = self.df
        y = (value - self.loc) / self.scale
        norm = self.scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi)
        norm = norm + (0.5 * df).lgamma() - (0.5 * (df + 1.0)).lgamma()
        return -0.5 * (df + 1.0) * (y**2.0 / df).log1p() - norm

    def entropy(self) -> Any:
        df, more = self.df, 0.5 * (self.df + 1)
        log_beta = (0.5 * df).lgamma() + math.log(math.pi) / 2 - more.lgamma()
        turn = more * (more.digamma() - (0.5 * df).digamma())
        return self.scale.log() + turn + 0.5 * df.log() + log_beta


class FisherSnedecor(Distribution):
    """The ratio of two means of squares of normal numbers."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        found = self._expanded(batch_shape, "df1", "df2")
        found._gamma1 = self._gamma1.expand(batch_shape)
        found._gamma2 = self._gamma2.expand(batch_shape)
        return found

    @property
    def mean(self) -> Any:
        df2 = self.df2.masked_fill(self.df2 <= 2, math.nan)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Any:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, math.nan)

    @property
    def variance(self) -> Any:
        df1, df2 = self.df1, self.df2.masked_fill(self.df2 <= 4, math.nan)
        ratio = 2 * df2.pow(2) * (df1 + df2 - 2)
        return ratio / (df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Any = ()) -> Any:
        first = self._gamma1.rsample(sample_shape)
        second = self._gamma2.rsample(sample_shape)
        tiny = _tiny(second)
        return (first / second.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        norm = (a + b).lgamma() - a.lgamma() - b.lgamma()
        power = a * ratio.log() + (a - 1) * value.log()
        return norm + power - (a + b) * (ratio * value).log1p()
