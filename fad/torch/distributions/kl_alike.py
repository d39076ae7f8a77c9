"""Divergences of two distributions of the same kind.

Public names: none; the rules are registered.
"""

from __future__ import annotations

import math
from typing import Any

from .. import linalg
from ..declare import functions
from .circular import ContinuousBernoulli
from .continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from .counts import Binomial
from .discrete import Bernoulli, Categorical, Geometric, Poisson
from .distribution import sum_rightmost
from .extremes import EULER, Gumbel, Pareto
from .gamma_family import Beta, Dirichlet, Gamma
from .independent import Independent
from .kl import kl_divergence, register_kl
from .multivariate_normal import (
    LowRankMultivariateNormal,
    MultivariateNormal,
    half_log_det,
    mahalanobis,
)
from .one_hot import OneHotCategorical
from .transformed import HalfNormal, TransformedDistribution

__all__: list[str] = []


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


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Any:
    p1, p0, q1, q0 = (
        p.concentration1,
        p.concentration0,
        q.concentration1,
        q.concentration0,
    )
    total_p, total_q = p1 + p0, q1 + q0
    norm = q1.lgamma() + q0.lgamma() + total_p.lgamma()
    norm = norm - (p1.lgamma() + p0.lgamma() + total_q.lgamma())
    first = (p1 - q1) * p1.digamma() + (p0 - q0) * p0.digamma()
    return norm + first + (total_q - total_p) * total_p.digamma()


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not "
            "implemented"
        )
    rest = (-p.probs).log1p() - (-q.probs).log1p()
    found = p.total_count * (p.probs * (p.logits - q.logits) + rest)
    return found.masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    both = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return both - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Any:
    norm = p._log_norm() + (-p.probs).log1p() - q._log_norm() - (-q.probs).log1p()
    return p.mean * (p.logits - q.logits) + norm


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    norm = total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    logs = a.digamma() - total.digamma().unsqueeze(-1)
    return norm + ((a - b) * logs).sum(-1)


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    norm = b * (p.rate / q.rate).log() + b.lgamma() - a.lgamma()
    return norm + (a - b) * a.digamma() + (q.rate - p.rate) * (a / p.rate)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Any:
    ratio, ahead, own = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    found = -ratio.log() - ahead + own + ratio * EULER
    return found + (ahead + (1 + ratio).lgamma() - own).exp() - (1 + EULER)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Any:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Any:
    ratio = q.alpha / p.alpha
    found = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return found.masked_fill(p.scale < q.scale, math.inf)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: Any, q: Any) -> Any:
    return _categorical(p._categorical, q._categorical)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    more = len(p.event_shape) - len(p.base_dist.event_shape)
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), more)


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    found = kl_divergence(p.base_dist, q.base_dist)
    return sum_rightmost(found, p.reinterpreted_batch_ndims)


def _factor(d: Any) -> Any:
    """Return the Cholesky factor of a covariance."""
    return (
        getattr(d, "_unbroadcasted_scale_tril", None)
        if isinstance(d, MultivariateNormal)
        else d.scale_tril
    )


def _multivariate(p: Any, q: Any) -> Any:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {_TITLES[type(q)]} with different event shapes "
            "cannot be computed"
        )
    a, b = _factor(p), _factor(q)
    a, b = functions["broadcast_tensors"](a, b)
    trace = linalg.solve_triangular(b, a, upper=False).pow(2).sum((-2, -1))
    distance = mahalanobis(b, q.loc - p.loc)
    n = p.event_shape[0]
    return half_log_det(b) - half_log_det(a) + 0.5 * (trace + distance - n)


_KINDS = (MultivariateNormal, LowRankMultivariateNormal)
_TITLES = {
    MultivariateNormal: "Multivariate Normals",
    LowRankMultivariateNormal: "Low Rank Multivariate Normals",
}
for _p in _KINDS:
    for _q in _KINDS:
        register_kl(_p, _q)(_multivariate)
