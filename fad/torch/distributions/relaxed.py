"""Continuous relaxations of discrete distributions, differentiable in their parameters.

Public names: `RelaxedBernoulli`, `LogitRelaxedBernoulli`, `RelaxedOneHotCategorical`,
`ExpRelaxedCategorical`.
"""

from __future__ import annotations

from typing import Any

from ..declare import functions
from . import constraints
from .discrete import Categorical, OfCategorical, OneProbability, clamp_probs
from .transformed import TransformedDistribution
from .transforms_elementwise import ExpTransform, SigmoidTransform

__all__ = [
    "ExpRelaxedCategorical",
    "LogitRelaxedBernoulli",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
]


class LogitRelaxedBernoulli(OneProbability):
    """The logits of relaxed Bernoulli numbers."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._hold(probs, logits)
        super().__init__(self.param_shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(functions["rand"](shape, dtype=probs.dtype))
        logits = u.log() - (-u).log1p() + probs.log() - (-probs).log1p()
        return logits / self.temperature

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = functions["broadcast_tensors"](self.logits, value)
        gap = logits - value.mul(self.temperature)
        return self.temperature.log() + gap - 2 * gap.exp().log1p()


class _Relaxed(TransformedDistribution):
    has_rsample = True

    @property
    def temperature(self) -> Any:
        """How far from discrete it is."""
        return self.base_dist.temperature

    @property
    def probs(self) -> Any:
        return self.base_dist.probs

    @property
    def logits(self) -> Any:
        return self.base_dist.logits


class RelaxedBernoulli(_Relaxed):
    """Numbers near 0 and 1, by a temperature."""

    arg_constraints = LogitRelaxedBernoulli.arg_constraints
    support = constraints.unit_interval

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)


class ExpRelaxedCategorical(OfCategorical):
    """The logarithms of relaxed one-hot vectors."""

    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._by_classes(Categorical(probs, logits), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        u = clamp_probs(functions["rand"](shape, dtype=self.logits.dtype))
        scores = (self.logits - (-(u.log())).log()) / self.temperature
        return scores - scores.logsumexp(-1, True)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        n = self._categorical._num_events
        logits, value = functions["broadcast_tensors"](self.logits, value)
        scale = functions["full_like"](self.temperature, float(n)).lgamma()
        scale = scale - self.temperature.log().mul(-(n - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(-1, True)).sum(-1) + scale


class RelaxedOneHotCategorical(_Relaxed):
    """Vectors near one-hot ones, by a temperature."""

    arg_constraints = Categorical.arg_constraints
    support = constraints.simplex

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(
            temperature, probs, logits, validate_args=validate_args
        )
        super().__init__(base, ExpTransform(), validate_args=validate_args)
