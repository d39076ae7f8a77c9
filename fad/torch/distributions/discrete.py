"""Discrete distributions.

Public names: `Bernoulli`, `Geometric`, `Poisson`, `Categorical`, `OfCategorical`,
`OneProbability`, `Probabilities`, `clamp_probs`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.trace import Tracer
from ..declare import functions
from ..modes import enable_grad, no_grad
from ..nn import functional as F
from ..nn.checks import known_to_hold
from ..size import Size
from . import constraints
from .distribution import Distribution, ExponentialFamily, broadcast

__all__ = [
    "Bernoulli",
    "Categorical",
    "Geometric",
    "OfCategorical",
    "OneProbability",
    "Poisson",
    "Probabilities",
    "clamp_probs",
]


def clamp_probs(probs: Any) -> Any:
    """Move probabilities off 0 and 1, so that their logarithms are finite."""
    eps = float(np.finfo(probs.aval.dtype).eps)
    return probs.clamp(min=eps, max=1 - eps)


class Probabilities(Distribution):
    """A distribution that is given by `probs` or by `logits`; the other one follows."""

    def _choose(self, probs: Any, logits: Any) -> tuple[str, Any]:
        """Return which of the two is given, and its value."""
        if (probs is None) == (logits is None):
            raise ValueError(
                "Either `probs` or `logits` must be specified, but not both."
            )
        self._given = "probs" if logits is None else "logits"
        return self._given, probs if logits is None else logits

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        with enable_grad():
            if name == "probs" and "logits" in own:
                found = self._probs_of(own["logits"])
            elif name == "logits" and "probs" in own:
                found = self._logits_of(clamp_probs(own["probs"]))
            else:
                raise AttributeError(
                    f"'{type(self).__name__}' object has no attribute '{name}'"
                )
        if not isinstance(found.value, Tracer):  # it would outlive its transform
            own[name] = found
        return found

    def _probs_of(self, logits: Any) -> Any:
        raise NotImplementedError

    def _logits_of(self, probs: Any) -> Any:
        raise NotImplementedError

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        shape, rank = Size(batch_shape), len(self._batch_shape)
        known = {n: self.__dict__[n] for n in ("probs", "logits") if n in self.__dict__}
        wide = {n: v.expand((*shape, *v.shape[rank:])) for n, v in known.items()}
        return self._copied(shape, **wide)


class OneProbability(Probabilities):
    """One probability for each distribution."""

    def _hold(self, probs: Any, logits: Any, *others: Any) -> list[Any]:
        """Keep the one that is given; return the others, broadcast with it."""
        name, given = self._choose(probs, logits)
        *wide, self.__dict__[name] = broadcast(*others, given)
        return wide

    @property
    def param_shape(self) -> Any:
        """The shape of the probabilities."""
        return self.__dict__[self._given].shape

    def _probs_of(self, logits: Any) -> Any:
        return logits.sigmoid()

    def _logits_of(self, probs: Any) -> Any:
        return probs.log() - (-probs).log1p()


class _ByProbs(OneProbability):
    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._hold(probs, logits)
        super().__init__(self.param_shape, validate_args=validate_args)


class Bernoulli(_ByProbs, ExponentialFamily):
    """1 with a probability, 0 otherwise.

    >>> from fad import torch
    >>> torch.distributions.Bernoulli(torch.tensor(0.25)).log_prob(torch.tensor(1.))
    tensor(-1.3863)
    """

    arg_constraints = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.boolean
    has_enumerate_support = True

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        mode = (self.probs >= 0.5).to(self.probs.dtype)
        return mode.masked_fill(self.probs == 0.5, float("nan"))

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return functions["bernoulli"](self.probs.expand(shape))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = functions["broadcast_tensors"](self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Any:
        return F.binary_cross_entropy_with_logits(
            self.logits, self.probs, reduction="none"
        )

    def enumerate_support(self, expand: bool = True) -> Any:
        values = functions["arange"](2, dtype=self.probs.dtype)
        values = values.view(-1, *[1] * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values


class Geometric(_ByProbs):
    """The number of failures before the first success."""

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(probs, logits, validate_args)
        if self._validate_args and logits is None:
            value = self.probs
            if known_to_hold((value > 0).logical_not()):
                invalid = value.reshape(-1)[(value > 0).logical_not().reshape(-1)]
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to be positive but "
                    f"found invalid values:\n{invalid}"
                )

    arg_constraints = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    @property
    def mean(self) -> Any:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Any:
        return functions["zeros_like"](self.probs)

    @property
    def variance(self) -> Any:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        tiny = float(np.finfo(self.probs.aval.dtype).tiny)
        with no_grad():
            u = self.probs.new_empty(shape).uniform_(tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        value, probs = functions["broadcast_tensors"](value, self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Any:
        cross = F.binary_cross_entropy_with_logits(
            self.logits, self.probs, reduction="none"
        )
        return cross / self.probs


class Poisson(ExponentialFamily):
    """The number of events at a rate."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        return self._expanded(batch_shape, "rate")

    @property
    def mean(self) -> Any:
        return self.rate

    @property
    def mode(self) -> Any:
        return self.rate.floor()

    @property
    def variance(self) -> Any:
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return functions["poisson"](self.rate.expand(shape))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        rate, value = functions["broadcast_tensors"](self.rate, value)
        return functions["xlogy"](value, rate) - rate - (value + 1).lgamma()


class Categorical(Probabilities):
    """One of several classes, with probabilities along the last dimension.

    >>> from fad import torch
    >>> d = torch.distributions.Categorical(torch.tensor([0.25, 0.25, 0.5]))
    >>> d.log_prob(torch.tensor(2)), d.entropy()
    (tensor(-0.6931), tensor(1.0397))
    """

    arg_constraints = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, given = self._choose(probs, logits)
        if given.ndim < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if logits is None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = logits - logits.logsumexp(-1, keepdim=True)
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1], validate_args=validate_args)

    def _probs_of(self, logits: Any) -> Any:
        return logits.softmax(-1)

    def _logits_of(self, probs: Any) -> Any:
        return probs.log()

    @property
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def param_shape(self) -> Any:
        """The shape of the probabilities."""
        return self.__dict__[self._given].shape

    @property
    def mean(self) -> Any:
        return functions["full"](
            self._batch_shape, float("nan"), dtype=self.probs.dtype
        )

    variance = mean

    @property
    def mode(self) -> Any:
        return self.probs.argmax(-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = Size(sample_shape)
        flat = self.probs.detach().reshape(-1, self._num_events)
        drawn = functions["multinomial"](flat, shape.numel(), True).T
        return drawn.reshape(self._extended_shape(shape))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        value = value.long().unsqueeze(-1)
        value, logits = functions["broadcast_tensors"](value, self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        logits = self.logits.clamp(min=float(np.finfo(self.logits.aval.dtype).min))
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        values = functions["arange"](self._num_events)
        values = values.view(-1, *[1] * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values

    def __repr__(self) -> str:
        known = [n for n in ("probs", "logits") if n in self.__dict__]
        shown = ", ".join(f"{n}: {self.__dict__[n].shape}" for n in known)
        return f"{type(self).__name__}({shown})"


class OfCategorical(Distribution):
    """A distribution of vectors that is made of a categorical one, `_categorical`."""

    arg_constraints = Categorical.arg_constraints
    _categorical: Categorical

    def _by_classes(self, categorical: Categorical, validate_args: Any) -> None:
        self._categorical = categorical
        shape = categorical.param_shape
        Distribution.__init__(self, shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        shape = Size(batch_shape)
        return self._copied(shape, _categorical=self._categorical.expand(shape))

    @property
    def param_shape(self) -> Any:
        """The shape of the probabilities."""
        return self._categorical.param_shape

    @property
    def probs(self) -> Any:
        return self._categorical.probs

    @property
    def logits(self) -> Any:
        return self._categorical.logits
