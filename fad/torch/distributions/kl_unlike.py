"""Divergences of two distributions of different kinds.

Where p draws what q never does, the divergence is infinite.

Public names: none; the rules are registered.
"""

from __future__ import annotations

import math
from typing import Any

from ..declare import functions
from .circular import ContinuousBernoulli
from .continuous import Exponential, Laplace, Normal, Uniform
from .counts import Binomial
from .discrete import Bernoulli, Poisson
from .extremes import EULER, Gumbel, Pareto
from .gamma_family import Beta, Gamma
from .kl import register_kl

__all__: list[str] = []

_INFINITE: dict[Any, tuple[tuple[Any, ...], str]] = {
    Beta: ((Pareto,), "concentration1"),
    ContinuousBernoulli: ((Pareto,), "probs"),
    Exponential: ((Beta, ContinuousBernoulli, Pareto, Uniform), "rate"),
    Gamma: ((Beta, ContinuousBernoulli, Pareto, Uniform), "concentration"),
    Gumbel: (
        (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
        "loc",
    ),
    Laplace: (
        (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
        "loc",
    ),
    Normal: (
        (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
        "loc",
    ),
    Pareto: ((Beta, ContinuousBernoulli, Uniform), "scale"),
    Poisson: ((Bernoulli, Binomial), "rate"),
}
"""By p, the q whose support does not contain what p draws, and a parameter of p."""


def _declare_infinite() -> None:
    for p_type, (others, name) in _INFINITE.items():
        for q_type in others:

            def rule(p: Any, q: Any, name: str = name) -> Any:
                return functions["full_like"](getattr(p, name), math.inf)

            register_kl(p_type, q_type)(rule)


_declare_infinite()


def _x_log_x(x: Any) -> Any:
    return functions["xlogy"](x, x)


def _against_exponential(mean: Any, q: Any) -> Any:
    """Return -E log q, for numbers of a mean."""
    return -q.rate.log() + q.rate * mean


def _against_normal(mean: Any, variance: Any, q: Any) -> Any:
    norm = 0.5 * math.log(2 * math.pi) + q.scale.log()
    return norm + (variance + (mean - q.loc).pow(2)) / (2 * q.scale.pow(2))


def _against_gamma(mean: Any, mean_log: Any, q: Any) -> Any:
    norm = q.concentration.lgamma() - q.concentration * q.rate.log()
    return norm - (q.concentration - 1) * mean_log + q.rate * mean


def _against_bernoulli(mean: Any, q: Any) -> Any:
    """Return -E log q, for a continuous Bernoulli q."""
    return -mean * q.logits - (-q.probs).log1p() - q._log_norm()


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _beta_bernoulli(p: Any, q: Any) -> Any:
    return -p.entropy() + _against_bernoulli(p.mean, q)


@register_kl(Beta, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
@register_kl(Gamma, Exponential)
def _to_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() + _against_exponential(p.mean, q)


@register_kl(Beta, Gamma)
def _beta_gamma(p: Any, q: Any) -> Any:
    total = p.concentration1 + p.concentration0
    mean_log = p.concentration1.digamma() - total.digamma()
    return -p.entropy() + _against_gamma(p.mean, mean_log, q)


@register_kl(Beta, Normal)
@register_kl(ContinuousBernoulli, Normal)
@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
@register_kl(Gumbel, Normal)
@register_kl(Laplace, Normal)
@register_kl(Uniform, Normal)
def _to_normal(p: Any, q: Any) -> Any:
    return -p.entropy() + _against_normal(p.mean, p.variance, q)


@register_kl(Pareto, Normal)
def _pareto_normal(p: Any, q: Any) -> Any:
    return _to_normal(p, q).masked_fill(p.alpha <= 2, math.inf)


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _unit_uniform(p: Any, q: Any) -> Any:
    found = -p.entropy() + (q.high - q.low).log()
    beyond = (q.low > 0) | (q.high < 1)
    if isinstance(p, ContinuousBernoulli):
        beyond = (q.low >= 0) | (q.high <= 1)
    return found.masked_fill(beyond, math.inf)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Any, q: Any) -> Any:
    mean_log = -EULER - p.rate.log()
    return -p.entropy() + _against_gamma(p.mean, mean_log, q)


@register_kl(Exponential, Gumbel)
@register_kl(Gamma, Gumbel)
def _to_gumbel(p: Any, q: Any) -> Any:
    shape = getattr(p, "concentration", 1)
    scaled, ahead = p.rate * q.scale, q.loc / q.scale
    power = ahead.exp() * (1 + scaled.reciprocal()).pow(-shape)
    return -p.entropy() + q.scale.log() + p.mean / q.scale - ahead + power


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Any, q: Any) -> Any:
    own, ahead = p.loc / q.scale, q.loc / q.scale
    ratio = (p.scale / q.scale).pow(2)
    power = (-own + 0.5 * ratio + ahead).exp()
    return own - ahead + power - 0.5 * (1 + (ratio * 2 * math.pi).log())


@register_kl(Normal, Laplace)
def _normal_laplace(p: Any, q: Any) -> Any:
    gap, ratio = p.loc - q.loc, p.scale / q.scale
    z = gap / p.scale
    size = math.sqrt(2 / math.pi) * p.scale * (-0.5 * z.pow(2)).exp()
    size = size + gap * (math.sqrt(0.5) * z).erf()
    return -ratio.log() + size / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p: Any, q: Any) -> Any:
    found = -p.entropy() + _against_exponential(p.mean, q)
    return found.masked_fill(p.alpha <= 1, math.inf)


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Any, q: Any) -> Any:
    mean_log = p.scale.log() + p.alpha.reciprocal()
    found = -p.entropy() + _against_gamma(p.mean, mean_log, q)
    return found.masked_fill(p.alpha <= 1, math.inf)


def _uniform_log(p: Any) -> Any:
    """Return the mean of the logarithm of uniform numbers."""
    width = p.high - p.low
    return (_x_log_x(p.high) - _x_log_x(p.low) - width) / width


@register_kl(Uniform, Beta)
def _uniform_beta(p: Any, q: Any) -> Any:
    width, a, b = p.high - p.low, q.concentration1, q.concentration0
    other = (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    norm = a.lgamma() + b.lgamma() - (a + b).lgamma()
    found = (b - 1) * other + norm - width.log() - (a - 1) * _uniform_log(p)
    return found.masked_fill((p.high > 1) | (p.low < 0), math.inf)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_bernoulli(p: Any, q: Any) -> Any:
    found = -p.entropy() + _against_bernoulli(p.mean, q)
    return found.masked_fill((p.high >= 1) | (p.low <= 0), math.inf)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Any, q: Any) -> Any:
    found = -p.entropy() + _against_exponential(p.mean, q)
    return found.masked_fill(p.low < 0, math.inf)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Any, q: Any) -> Any:
    found = -p.entropy() + _against_gamma(p.mean, _uniform_log(p), q)
    return found.masked_fill(p.low < 0, math.inf)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Any, q: Any) -> Any:
    ratio = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return ratio.log() + 0.5 * (high + low) - ratio * ((-high).exp() - (-low).exp())


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Any, q: Any) -> Any:
    norm = (q.alpha * q.scale.pow(q.alpha) * (p.high - p.low)).log()
    found = _uniform_log(p) * (q.alpha + 1) - norm
    return found.masked_fill(p.low < q.scale, math.inf)
