"""Mixtures of distributions of one family.

Public names: `MixtureSameFamily`.
"""

from __future__ import annotations

from typing import Any

from ..declare import functions
from ..modes import no_grad
from ..size import Size
from . import constraints
from .discrete import Categorical
from .distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A distribution chosen among the last batch dimension of another one.

    Args:
        mixture_distribution: a `Categorical` that chooses.
        component_distribution: what is chosen from.
    """

    arg_constraints = {}

    def __init__(
        self,
        mixture_distribution: Any,
        component_distribution: Any,
        validate_args: bool | None = None,
    ) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._check()
        self._num_component = component_distribution.batch_shape[-1]
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        batch = component_distribution.batch_shape[:-1]
        super().__init__(batch, event, validate_args=validate_args)

    def _check(self) -> None:
        mixture, component = self._mixture_distribution, self._component_distribution
        if not isinstance(mixture, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of "
                "torch.distributions.Categorical"
            )
        if not isinstance(component, Distribution):
            raise ValueError(
                "The Component distribution need to be an instance of "
                "torch.distributions.Distribution"
            )
        inner = component.batch_shape[:-1]
        for a, b in zip(reversed(mixture.batch_shape), reversed(inner), strict=False):
            if a != 1 and b != 1 and a != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture.batch_shape}) is not "
                    "compatible with `component_distribution.batch_shape`"
                    f"({inner})"
                )
        count, known = mixture.logits.shape[-1], component.batch_shape[-1]
        if count != known:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({known})"
            )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        shape = Size(batch_shape)
        parts = (*shape, self._num_component)
        return self._copied(
            shape,
            _component_distribution=self._component_distribution.expand(parts),
            _mixture_distribution=self._mixture_distribution.expand(shape),
        )

    @constraints.dependent_property
    def support(self) -> Any:
        inner = self._component_distribution.support
        return constraints.MixtureSameFamilyConstraint(inner)

    @property
    def mixture_distribution(self) -> Any:
        """What chooses."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        """What is chosen from."""
        return self._component_distribution

    def _weights(self) -> Any:
        probs = self._mixture_distribution.probs
        return probs.reshape(*probs.shape, *[1] * self._event_ndims)

    def _summed(self, values: Any) -> Any:
        return (self._weights() * values).sum(-1 - self._event_ndims)

    @property
    def mean(self) -> Any:
        return self._summed(self._component_distribution.mean)

    @property
    def variance(self) -> Any:
        inner = self._summed(self._component_distribution.variance)
        dim = -1 - self._event_ndims
        shift = self._component_distribution.mean - self.mean.unsqueeze(dim)
        return inner + self._summed(shift.pow(2.0))

    def cdf(self, x: Any) -> Any:
        found = self._component_distribution.cdf(self._widened(x))
        return (found * self._mixture_distribution.probs).sum(-1)

    def _widened(self, x: Any) -> Any:
        return x.unsqueeze(-1 - self._event_ndims)

    def log_prob(self, x: Any) -> Any:
        self._validate_sample(x)
        found = self._component_distribution.log_prob(self._widened(x))
        weights = self._mixture_distribution.logits.log_softmax(-1)
        return (found + weights).logsumexp(-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            dim = len(sample_shape) + len(self._batch_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            ones = [1] * (self._event_ndims + 1)
            chosen = chosen.reshape(*chosen.shape, *ones)
            shape = (*chosen.shape[: dim + 1], *self._event_shape)
            return functions["gather"](drawn, dim, chosen.expand(shape)).squeeze(dim)

    def __repr__(self) -> str:
        shown = f"{self._mixture_distribution},\n  {self._component_distribution}"
        return f"MixtureSameFamily(\n  {shown})"
