"""Derivatives of the incomplete gamma and beta functions in their parameters.

Let f be the density of log(X) for a gamma variable X, and psi the mean of log(X). With

    W_n(a, u) = 1/f(u) integral_-inf^u (v - psi(a))^n f(v) dv

the derivative of the distribution function P(a, x) by a is W_1 f at u = log(x), and
that of a sample x = x(a) at fixed P is, by the implicit function theorem,
d log(x) = -W_1(a, u) da. All further derivatives are in the family:

    dW_n/du = (u - psi)^n - (a - e^u) W_n
    dW_n/da = W_(n+1) - (u - psi) W_n - n psi'(a) W_(n-1)

The integral from u to infinity, with the opposite sign, has the same derivatives and
for n = 1 the same value, so each is computed on the side where nothing cancels. Then f
falls from u on, and the trapezoid rule after v = u -+ scale exp(s - exp(-s)) converges
to machine precision (Takahasi and Mori, 1974).

The beta distribution has the same with u = logit(x), and two exponents.

Public names: `gamma_tail`, `beta_tail`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .elementary import exp
from .gamma_functions import as_floats, digamma, own_digamma, polygamma
from .kinds import elementwise
from .special import logistic, softplus

__all__ = ["beta_tail", "gamma_tail"]

_STEP = 1 / 12
_TIMES = np.arange(-52, 58) * _STEP


def _integrate(f: Callable[[Any], Any], scale: Any) -> Any:
    """Integrate f(s) over s > 0, for f that falls like exp(-s / scale) or faster."""
    total = np.zeros_like(scale)
    for time in _TIMES:
        fall = math.exp(-time)
        s = math.exp(time - fall)
        total = total + f(scale * s) * (s * (1 + fall) * _STEP)
    return total * scale


def _power(x: Any, n: int) -> Any:
    return x**n if n else np.ones_like(x)


def _gamma_tail(a: Any, u: Any, *, n: int) -> Any:
    dtype = np.result_type(as_floats(a).dtype, as_floats(u).dtype)
    a, u = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(u, np.float64))
    shape, a, u = a.shape, a.reshape(-1), u.reshape(-1)
    with np.errstate(all="ignore"):
        x = np.exp(u)
        small = (a < 1) & (x < 1)
        lower = (a >= 1) & (x <= a)
        upper = ~(small | lower)
        out = np.empty_like(a)
        for where, rule in ((small, _series), (lower, _below), (upper, _above)):
            if where.any():
                out[where] = rule(a[where], u[where], x[where], n)
    return out.astype(dtype).reshape(shape)[()]


def _below(a: Any, u: Any, x: Any, n: int) -> Any:
    c = u - own_digamma(a)
    scale = 1 / (a - x + np.sqrt(a))
    return _integrate(
        lambda s: _power(c - s, n) * np.exp(-a * s - x * np.expm1(-s)), scale
    )


def _above(a: Any, u: Any, x: Any, n: int) -> Any:
    c = u - own_digamma(a)
    scale = 1 / (x - a + np.sqrt(x))
    return -_integrate(
        lambda s: _power(c + s, n) * np.exp(a * s - x * np.expm1(s)), scale
    )


def _series(a: Any, u: Any, x: Any, n: int) -> Any:
    """Expand exp(-e^v) in powers of e^v; each term is integrated by parts."""
    c = u - own_digamma(a)
    total, factor = np.zeros_like(a), np.ones_like(a)
    for k in range(20):
        part = _power(c, 0) / (a + k)
        for m in range(1, n + 1):
            part = (_power(c, m) - m * part) / (a + k)
        if n == 1 and k == 0:
            part = (u - own_digamma(a + 1)) / a
        total = total + factor * part
        factor = factor * -x / (k + 1)
    return total * np.exp(x)


def _gamma_by_a(t: Any, x: Any, y: Any, ans: Any, *, n: int) -> Any:
    slope = gamma_tail(x, y, n=n + 1) - (y - digamma(x)) * ans
    if n:
        slope = slope - n * polygamma(x, n=1) * gamma_tail(x, y, n=n - 1)
    return t * slope


def _gamma_by_u(t: Any, x: Any, y: Any, ans: Any, *, n: int) -> Any:
    first = (y - digamma(x)) ** n if n else 1.0
    return t * (first - (x - exp(y)) * ans)


gamma_tail = elementwise("gamma_tail", _gamma_tail, [_gamma_by_a, _gamma_by_u])
"""`gamma_tail(a, u, n=n)` is W_n(a, u)."""


def _log_logistic(u: Any) -> Any:
    return -np.logaddexp(0, -u)


def _beta_tail(a: Any, b: Any, u: Any, *, m: int, n: int) -> Any:
    dtype = np.result_type(*[as_floats(v).dtype for v in (a, b, u)])
    a, b, u = np.broadcast_arrays(*[np.asarray(v, np.float64) for v in (a, b, u)])
    with np.errstate(all="ignore"):
        x, y = np.exp(_log_logistic(u)), np.exp(_log_logistic(-u))
        excess = a * y - b * x  # the slope of log f
        side = np.where(excess >= 0, 1.0, -1.0)
        low, high = _log_logistic(u), _log_logistic(-u)
        mean = own_digamma(a + b)
        c, d = mean - own_digamma(a), mean - own_digamma(b)
        scale = 1 / (np.abs(excess) + np.sqrt(np.where(side > 0, a * x, b * y)) + 1e-3)
        scale = np.minimum(scale, 8 / np.minimum(a, b))

        def f(s: Any) -> Any:
            v = u - side * s
            p, q = _log_logistic(v), _log_logistic(-v)
            power = _power(p + c, m) * _power(q + d, n)
            return power * np.exp(a * (p - low) + b * (q - high))

        out = side * _integrate(f, scale)
    return out.astype(dtype)[()]


def _beta_by_a(t: Any, x: Any, y: Any, z: Any, ans: Any, *, m: int, n: int) -> Any:
    mean = digamma(x + y)
    slope = beta_tail(x, y, z, m=m + 1, n=n)
    slope = slope - (mean - digamma(x) - softplus(-z)) * ans
    if m:
        change = polygamma(x + y, n=1) - polygamma(x, n=1)
        slope = slope + m * change * beta_tail(x, y, z, m=m - 1, n=n)
    if n:
        slope = slope + n * polygamma(x + y, n=1) * beta_tail(x, y, z, m=m, n=n - 1)
    return t * slope


def _beta_by_b(t: Any, x: Any, y: Any, z: Any, ans: Any, *, m: int, n: int) -> Any:
    mean = digamma(x + y)
    slope = beta_tail(x, y, z, m=m, n=n + 1)
    slope = slope - (mean - digamma(y) - softplus(z)) * ans
    if n:
        change = polygamma(x + y, n=1) - polygamma(y, n=1)
        slope = slope + n * change * beta_tail(x, y, z, m=m, n=n - 1)
    if m:
        slope = slope + m * polygamma(x + y, n=1) * beta_tail(x, y, z, m=m - 1, n=n)
    return t * slope


def _beta_by_u(t: Any, x: Any, y: Any, z: Any, ans: Any, *, m: int, n: int) -> Any:
    mean = digamma(x + y)
    first: Any = 1.0
    if m:
        first = first * (mean - digamma(x) - softplus(-z)) ** m
    if n:
        first = first * (mean - digamma(y) - softplus(z)) ** n
    return t * (first - (x * logistic(-z) - y * logistic(z)) * ans)


beta_tail = elementwise("beta_tail", _beta_tail, [_beta_by_a, _beta_by_b, _beta_by_u])
"""`beta_tail(a, b, u, m=m, n=n)`: W with the powers m of log(x) and n of log(1 - x)."""
