"""Gamma, beta, their incomplete forms, and integrals of exponentials, by SciPy.

With f the density of the gamma or beta distribution and W from `tail_moments`,

    P(a, x) = gammainc       dP = f dx + W_1 x f da
    its inverse x(a, p)      dx = dp / f - W_1 x da

so parameters are differentiable too, at every order. `rgamma` = 1 / gamma is entire,
and its derivative is exact at the poles of gamma.

Public names: `gamma rgamma loggamma beta betaln gammainc gammaincc gammaincinv betainc
betaincc betaincinv expn exp1 expi dawsn erfi wofz zeta riemann_zeta gammasgn
lambertw stdtr student_log_density`.
"""

from __future__ import annotations

import math
from typing import Any

from ..core.primitive import Primitive
from .arithmetic import is_complex, real
from .bessel_functions import function, unknown
from .comparison import eq, where
from .elementary import cos, exp, log, log1p, sin
from .entropies import xlog1py, xlogy
from .gamma_functions import digamma, gammaln
from .kinds import constant, elementwise
from .piecewise import sign
from .scipy_extra import Backed
from .special import logit
from .tail_moments import beta_tail, gamma_tail

__all__ = [
    "beta",
    "betainc",
    "betaincc",
    "betaincinv",
    "betaln",
    "dawsn",
    "erfi",
    "exp1",
    "expi",
    "expn",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaincinv",
    "gammasgn",
    "lambertw",
    "loggamma",
    "rgamma",
    "riemann_zeta",
    "stdtr",
    "student_log_density",
    "wofz",
    "zeta",
]

ROOT_PI = math.sqrt(math.pi)


def _several(name: str, *slopes: Any) -> Backed:
    def declare(special: Any) -> Primitive:
        return elementwise(name, getattr(special, name), slopes)

    return Backed(name, declare, "special")


gamma = function("gamma", lambda t, x, ans: t * (ans * digamma(x)))
loggamma = function("loggamma", lambda t, x: t * digamma(x))


def _slope_of_rgamma(t: Any, x: Any, ans: Any) -> Any:
    """Left of 1/2 use 1/gamma(x) = sin(pi x) gamma(1 - x) / pi."""
    low = (real(x) if is_complex(x) else x) < 0.5
    left, right = where(low, x, 0.0), where(low, 1.0, x)
    mirrored = gamma(1 - left)
    sine, cosine = sin(left * math.pi), cos(left * math.pi)
    below = (cosine - sine * (digamma(1 - left) * (1 / math.pi))) * mirrored
    return t * where(low, below, -(rgamma(right) * digamma(right)))


rgamma = function("rgamma", _slope_of_rgamma)

beta = _several(
    "beta",
    lambda t, x, y, ans: t * (ans * (digamma(x) - digamma(x + y))),
    lambda t, x, y, ans: t * (ans * (digamma(y) - digamma(x + y))),
)
betaln = _several(
    "betaln",
    lambda t, x, y: t * (digamma(x) - digamma(x + y)),
    lambda t, x, y: t * (digamma(y) - digamma(x + y)),
)


def gamma_density(a: Any, x: Any) -> Any:
    """Return the density of the gamma distribution at x >= 0."""
    return exp(xlogy(a - 1, x) - x - gammaln(a))


def _inner(x: Any, last: float) -> tuple[Any, Any]:
    """Return where x is inside (0, last), and x with a harmless value elsewhere."""
    inside = (x > 0) * (x < last)
    return inside, where(inside, x, 0.5)


def _gammainc_by_a(t: Any, x: Any, y: Any) -> Any:
    inside, y = _inner(y, math.inf)
    slope = gamma_tail(x, log(y), n=1) * (y * gamma_density(x, y))
    return t * where(inside, slope, 0)


gammainc = _several("gammainc", _gammainc_by_a, lambda t, x, y: t * gamma_density(x, y))
gammaincc = _several(
    "gammaincc",
    lambda t, x, y: -_gammainc_by_a(t, x, y),
    lambda t, x, y: -(t * gamma_density(x, y)),
)


def gamma_quantile_by_a(t: Any, x: Any, ans: Any) -> Any:
    """Return how a quantile `ans` of the gamma distribution moves with its shape x."""
    return -(t * (gamma_tail(x, log(ans), n=1) * ans))


gammaincinv = _several(
    "gammaincinv",
    gamma_quantile_by_a,
    lambda t, x, ans: t / gamma_density(x, ans),
)


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """Return the density of the beta distribution at x in [0, 1]."""
    log_beta = gammaln(a) + gammaln(b) - gammaln(a + b)
    return exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - log_beta)


def _betainc_by(m: int, n: int) -> Any:
    def formula(t: Any, x: Any, y: Any, z: Any) -> Any:
        inside, z = _inner(z, 1)
        density = beta_density(x, y, z) * (z * (1 - z))
        return t * where(inside, beta_tail(x, y, logit(z), m=m, n=n) * density, 0)

    return formula


_by_a, _by_b = _betainc_by(1, 0), _betainc_by(0, 1)

betainc = _several(
    "betainc", _by_a, _by_b, lambda t, x, y, z: t * beta_density(x, y, z)
)
betaincc = _several(
    "betaincc",
    lambda t, x, y, z: -_by_a(t, x, y, z),
    lambda t, x, y, z: -_by_b(t, x, y, z),
    lambda t, x, y, z: -(t * beta_density(x, y, z)),
)


def beta_quantile_by(m: int, n: int) -> Any:
    """Return how a quantile moves with a, for (m, n) = (1, 0), or b, for (0, 1)."""

    def formula(t: Any, x: Any, y: Any, ans: Any) -> Any:
        tail = beta_tail(x, y, log(ans) - log1p(-ans), m=m, n=n)
        return -(t * (tail * (ans * (1 - ans))))

    return formula


betaincinv = _several(
    "betaincinv",
    beta_quantile_by(1, 0),
    beta_quantile_by(0, 1),
    lambda t, x, y, ans: t / beta_density(x, y, ans),
)

exp1 = function("exp1", lambda t, x: -(t * (exp(-x) / x)))
expi = function("expi", lambda t, x: t * (exp(x) / x))
dawsn = function("dawsn", lambda t, x, ans: t * (1 - 2 * x * ans))
erfi = function("erfi", lambda t, x: t * (exp(x * x) * (2 / ROOT_PI)))


def _slope_of_expn(t: Any, x: Any, *, n: int) -> Any:
    return -(t * (exp(-x) / x)) if n == 1 else -(t * expn(x, n=n - 1))


expn = Backed(
    "expn",
    lambda special: elementwise(
        "expn", lambda x, *, n: special.expn(n, x), [_slope_of_expn]
    ),
    "special",
)
"""`expn(x, n=n)` for n = 1, 2, ..."""

wofz = Backed(
    "wofz",
    lambda special: elementwise(
        "wofz",
        special.wofz,
        [lambda t, x, ans: t * (2j / ROOT_PI - 2 * x * ans)],
    ),
    "special",
)
zeta = Backed(
    "zeta",
    lambda special: elementwise(
        "zeta",
        special.zeta,
        [
            unknown("zeta", "its first argument, the exponent"),
            lambda t, x, y: -(t * (x * zeta(x + 1, y))),
        ],
    ),
    "special",
)
riemann_zeta = Backed(
    "riemann_zeta",
    lambda special: elementwise(
        "riemann_zeta",
        lambda x: special.zeta(x),
        [unknown("zeta", "its first argument, the exponent")],
    ),
    "special",
)
gammasgn = Backed(
    "gammasgn", lambda special: constant("gammasgn", special.gammasgn), "special"
)
lambertw = Backed(
    "lambertw",
    lambda special: elementwise(
        "lambertw",
        lambda x, *, k: special.lambertw(x, k),
        [lambda t, ans, *, k: t / (exp(ans) * (1 + ans))],
    ),
    "special",
)
"""`lambertw(x, k=k)`: branch k of the inverse of w exp(w), complex."""


def _student_by_df(t: Any, x: Any, y: Any) -> Any:
    """Return d/d(df) of Student's distribution function, odd in the variable.

    At 0 it is 0; the term in y there carries the mixed second derivative.
    """
    at_zero = eq(y, 0)
    z = where(at_zero, 1.0, y)
    part = x / (x + z * z)
    log_g = 0.5 * x * log(part) + 0.5 * log1p(-part)
    log_g = log_g - gammaln(x * 0.5) + gammaln(x * 0.5 + 0.5) - 0.5 * math.log(math.pi)
    tail = beta_tail(x * 0.5, 0.5, log(x) - log(z * z), m=1, n=0)
    away = exp(log_g) * (0.5 * tail + 1 / x) * (0.5 * -sign(z))
    by_df = 0.5 * (digamma(x * 0.5 + 0.5) - digamma(x * 0.5) - 1 / x)
    return t * where(at_zero, y * student_density(x, 0.0 * x) * by_df, away)


def student_log_density(df: Any, x: Any) -> Any:
    """Return the logarithm of the density of Student's t distribution."""
    scale = gammaln(df * 0.5 + 0.5) - gammaln(df * 0.5) - 0.5 * log(df * math.pi)
    return scale - (df + 1) * 0.5 * log1p(x * x / df)


def student_density(df: Any, x: Any) -> Any:
    """Return the density of Student's t distribution."""
    return exp(student_log_density(df, x))


stdtr = _several("stdtr", _student_by_df, lambda t, x, y: t * student_density(x, y))
"""`stdtr(df, x)`: the distribution function of Student's t distribution."""
