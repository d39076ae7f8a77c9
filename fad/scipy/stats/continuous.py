"""Continuous distributions by their standardised functions.

Tails are computed as such and not as differences from 1: `sf` of a symmetric
distribution is `cdf` of -z, and logarithms come from log1p and expm1.

Public names: `beta cauchy chi2 expon gamma laplace logistic lognorm norm pareto t
uniform`.
"""

from __future__ import annotations

import math
from math import inf
from typing import Any

from ...ops import incomplete_functions as incomplete
from ...ops.comparison import lt, where
from ...ops.elementary import arctan2, exp, expm1, log, log1p, tan
from ...ops.entropies import xlog1py, xlogy
from ...ops.error_functions import log_ndtr, ndtr, ndtri
from ...ops.gamma_functions import gammaln
from ...ops.piecewise import abs_, sign
from ...ops.special import logistic as expit
from ...ops.special import logit, softplus
from .distribution import Continuous

__all__ = [
    "beta",
    "cauchy",
    "chi2",
    "expon",
    "gamma",
    "laplace",
    "logistic",
    "lognorm",
    "norm",
    "pareto",
    "t",
    "uniform",
]

LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)
LOG_2, LOG_PI = math.log(2.0), math.log(math.pi)


def log_minus_exp(y: Any) -> Any:
    """Return log(1 - exp(-y)) for y > 0, by whichever form keeps its digits."""
    small = lt(y, LOG_2)
    near, far = where(small, y, 0.5), where(small, 1.0, y)
    return where(small, log(-expm1(-near)), log1p(-exp(-far)))


norm = Continuous(
    "norm",
    logpdf=lambda z: z * z * -0.5 - LOG_ROOT_2PI,
    cdf=ndtr,
    sf=lambda z: ndtr(-z),
    logcdf=log_ndtr,
    logsf=lambda z: log_ndtr(-z),
    ppf=ndtri,
)

lognorm = Continuous(
    "lognorm",
    ["s"],
    logpdf=lambda z, s: (
        (log(z) / s) ** 2 * -0.5 - log(z) - log(s + 0.0 * z) - LOG_ROOT_2PI
    ),
    cdf=lambda z, s: ndtr(log(z) / s),
    sf=lambda z, s: ndtr(-(log(z) / s)),
    logcdf=lambda z, s: log_ndtr(log(z) / s),
    logsf=lambda z, s: log_ndtr(-(log(z) / s)),
    ppf=lambda q, s: exp(ndtri(q) * s),
    support=(0.0, inf),
)

expon = Continuous(
    "expon",
    logpdf=lambda z: -z,
    cdf=lambda z: -expm1(-z),
    sf=lambda z: exp(-z),
    logcdf=log_minus_exp,
    logsf=lambda z: -z,
    ppf=lambda q: -log1p(-q),
    support=(0.0, inf),
)


def _laplace_cdf(z: Any) -> Any:
    tail = exp(-abs_(z)) * 0.5
    return where(lt(z, 0), tail, 1 - tail)


def _laplace_logcdf(z: Any) -> Any:
    low = lt(z, 0)
    below, above = where(low, z, 0.0), where(low, 0.0, z)
    return where(low, below - LOG_2, log1p(exp(-above) * -0.5))


def _laplace_ppf(q: Any) -> Any:
    low = lt(q, 0.5)
    size = log(2 * where(low, q, 1 - q))
    return where(low, size, -size)


laplace = Continuous(
    "laplace",
    logpdf=lambda z: -abs_(z) - LOG_2,
    cdf=_laplace_cdf,
    sf=lambda z: _laplace_cdf(-z),
    logcdf=_laplace_logcdf,
    logsf=lambda z: _laplace_logcdf(-z),
    ppf=_laplace_ppf,
)

uniform = Continuous(
    "uniform",
    logpdf=lambda z: 0.0 * z,
    cdf=lambda z: z,
    sf=lambda z: 1 - z,
    logcdf=log,
    logsf=lambda z: log1p(-z),
    ppf=lambda q: q,
    support=(0.0, 1.0),
)


def _cauchy_cdf(z: Any) -> Any:
    return arctan2(1.0, -z) * (1 / math.pi)


cauchy = Continuous(
    "cauchy",
    logpdf=lambda z: -log1p(z * z) - LOG_PI,
    cdf=_cauchy_cdf,
    sf=lambda z: _cauchy_cdf(-z),
    ppf=lambda q: tan((q - 0.5) * math.pi),
)

logistic = Continuous(
    "logistic",
    logpdf=lambda z: -softplus(z) - softplus(-z),
    cdf=expit,
    sf=lambda z: expit(-z),
    logcdf=lambda z: -softplus(-z),
    logsf=lambda z: -softplus(z),
    ppf=logit,
)

pareto = Continuous(
    "pareto",
    ["b"],
    logpdf=lambda z, b: log(b + 0.0 * z) - (b + 1) * log(z),
    cdf=lambda z, b: -expm1(-(b * log(z))),
    sf=lambda z, b: exp(-(b * log(z))),
    logsf=lambda z, b: -(b * log(z)),
    ppf=lambda q, b: exp(-(log1p(-q) / b)),
    support=(1.0, inf),
)

gamma = Continuous(
    "gamma",
    ["a"],
    logpdf=lambda z, a: xlogy(a - 1, z) - z - gammaln(a),
    cdf=lambda z, a: incomplete.gammainc(a, z),
    sf=lambda z, a: incomplete.gammaincc(a, z),
    ppf=lambda q, a: incomplete.gammaincinv(a, q),
    support=(0.0, inf),
)

chi2 = Continuous(
    "chi2",
    ["df"],
    logpdf=lambda z, df: (
        xlogy(df * 0.5 - 1, z) - z * 0.5 - gammaln(df * 0.5) - df * (0.5 * LOG_2)
    ),
    cdf=lambda z, df: incomplete.gammainc(df * 0.5, z * 0.5),
    sf=lambda z, df: incomplete.gammaincc(df * 0.5, z * 0.5),
    ppf=lambda q, df: incomplete.gammaincinv(df * 0.5, q) * 2,
    support=(0.0, inf),
)

beta = Continuous(
    "beta",
    ["a", "b"],
    logpdf=lambda z, a, b: (
        xlogy(a - 1, z)
        + xlog1py(b - 1, -z)
        - (gammaln(a) + gammaln(b) - gammaln(a + b))
    ),
    cdf=lambda z, a, b: incomplete.betainc(a, b, z),
    sf=lambda z, a, b: incomplete.betaincc(a, b, z),
    ppf=lambda q, a, b: incomplete.betaincinv(a, b, q),
    support=(0.0, 1.0),
)


def _student_ppf(q: Any, df: Any) -> Any:
    """Invert by the beta quantile of the smaller tail."""
    tail = where(lt(q, 0.5), q, 1 - q)
    x = incomplete.betaincinv(df * 0.5, 0.5, 2 * tail)
    size = exp(0.5 * (log(df + 0.0 * x) + log1p(-x) - log(x)))
    return size * sign(q - 0.5)


t = Continuous(
    "t",
    ["df"],
    logpdf=lambda z, df: incomplete.student_log_density(df + 0.0 * z, z),
    cdf=lambda z, df: incomplete.stdtr(df, z),
    sf=lambda z, df: incomplete.stdtr(df, -z),
    ppf=_student_ppf,
)
