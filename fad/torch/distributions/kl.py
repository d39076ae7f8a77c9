"""Divergences: how far one distribution is from another.

    KL(p || q) = E_p [log p - log q]

Public names: `kl_divergence`, `register_kl`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .continuous import Exponential, Laplace, Normal, Uniform
from .discrete import Bernoulli, Categorical, Poisson
from .distribution import Distribution

__all__ = ["kl_divergence", "register_kl"]

Rule = Callable[[Any, Any], Any]
_rules: dict[tuple[type, type], Rule] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """Declare the divergence of two classes of distributions.

    Raises:
        TypeError: one is no distribution.
    """
    for cls, name in ((type_p, "type_p"), (type_q, "type_q")):
        if not (isinstance(cls, type) and issubclass(cls, Distribution)):
            raise TypeError(
                f"Expected {name} to be a Distribution subclass but got {cls}"
            )

    def declare(rule: Rule) -> Rule:
        _rules[type_p, type_q] = rule
        return rule

    return declare


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """Return KL(p || q), shape ``batch_shape``.

    Raises:
        NotImplementedError: no rule is known for the two classes.

    >>> from fad import torch
    >>> d = torch.distributions
    >>> d.kl_divergence(d.Normal(0., 1.), d.Normal(1., 1.))
    tensor(0.5000)
    """
    for a in type(p).__mro__:
        for b in type(q).__mro__:
            if (a, b) in _rules:
                return _rules[a, b](p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
        f"{type(q).__name__}"
    )


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    shift = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + shift - 1 - ratio.log())


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    gap = (p.loc - q.loc).abs()
    return -ratio.log() + gap / q.scale + ratio * (-gap / p.scale).exp() - 1


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), float("inf"))


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    softplus = (-q.logits).exp().log1p(), q.logits.exp().log1p()
    one = p.probs * (softplus[0] - (-p.logits).exp().log1p())
    zero = (1 - p.probs) * (softplus[1] - p.logits.exp().log1p())
    return one + zero


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    t = p.probs * (p.logits - q.logits)
    t = t.masked_fill((q.probs == 0).expand_as(t), float("inf"))
    return t.masked_fill((p.probs == 0).expand_as(t), 0.0).sum(-1)
