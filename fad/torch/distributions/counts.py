"""Distributions of counts in repeated trials.

Public names: `Binomial`, `NegativeBinomial`, `Multinomial`.
"""

from __future__ import annotations

import math
from typing import Any

from ..declare import functions
from ..modes import no_grad
from ..nn import functional as F
from . import constraints
from .discrete import Categorical, OfCategorical, OneProbability
from .gamma_family import Gamma

__all__ = ["Binomial", "Multinomial", "NegativeBinomial"]


class _Trials(OneProbability):
    """A number of trials with a probability, one of each for a distribution."""

    def _set(
        self, total_count: Any, probs: Any, logits: Any, validate_args: bool | None
    ) -> None:
        (count,) = self._hold(probs, logits, total_count)
        self.total_count = count.type_as(self.__dict__[self._given])
        super().__init__(self.param_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        return self._expanded(batch_shape, "total_count", "probs", "logits")


class Binomial(_Trials):
    """The number of successes.

    >>> from fad import torch
    >>> torch.distributions.Binomial(2, torch.tensor(0.5)).log_prob(torch.tensor(1.))
    tensor(-0.6931)
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self._set(total_count, probs, logits, validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Any:
        return self.total_count * self.probs

    @property
    def mode(self) -> Any:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return functions["binomial"](
                self.total_count.expand(shape), self.probs.expand(shape)
            )

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        n, logits = self.total_count, self.logits
        orders = [(v + 1).lgamma() for v in (n, value, n - value)]
        above = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        norm = n * above + n * (-logits.abs()).exp().log1p() - orders[0]
        return value * logits - orders[1] - orders[2] - norm

    def entropy(self) -> Any:
        if not self.total_count.min() == self.total_count.max():
            raise NotImplementedError(
                "Inhomogeneous total count not supported by `entropy`."
            )
        found = self.log_prob(self.enumerate_support(False))
        return -(found.exp() * found).sum(0)

    def enumerate_support(self, expand: bool = True) -> Any:
        total = int(self.total_count.max())
        if not self.total_count.min() == total:
            raise NotImplementedError(
                "Inhomogeneous total count not supported by `enumerate_support`."
            )
        values = functions["arange"](1 + total, dtype=self.__dict__[self._given].dtype)
        values = values.view(-1, *[1] * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values


class NegativeBinomial(_Trials):
    """The number of successes before a number of failures."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self._set(total_count, probs, logits, validate_args)

    @property
    def mean(self) -> Any:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Any:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Any:
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            rates = Gamma(self.total_count, (-self.logits).exp(), validate_args=False)
            return functions["poisson"](rates.sample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        n, logits = self.total_count, self.logits
        power = n * F.logsigmoid(-logits) + value * F.logsigmoid(logits)
        norm = -(n + value).lgamma() + (1.0 + value).lgamma() + n.lgamma()
        return power - norm.masked_fill(n + value == 0.0, 0.0)


class Multinomial(OfCategorical):
    """The numbers of successes of several kinds, along the last dimension."""

    def __init__(
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=categorical.probs)
        self._by_classes(categorical, validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Any:
        return self.probs * self.total_count

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        drawn = drawn.movedim(0, -1)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))
        counts = counts.scatter_add(-1, drawn, functions["ones_like"](drawn))
        return counts.type_as(self.probs)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = functions["broadcast_tensors"](self.logits, value)
        order = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        logits = logits.masked_fill((value == 0) & (logits == -math.inf), 0)
        return order + (logits * value).sum(-1)

    def entropy(self) -> Any:
        n = functions["tensor"](self.total_count)
        term = n * self._categorical.entropy() - (n + 1).lgamma()
        support = self._binomial.enumerate_support(expand=False)[1:]
        chances = self._binomial.log_prob(support).exp()
        return term + (chances * (support + 1).lgamma()).sum([0, -1])
