"""Special functions that NumPy has, and the logistic family, exact in their tails.

    sinc^(n)(x) = pi^n  integral_0^1 s^n cos(pi x s + n pi/2) ds
    i0^(n)(x)   = 1/pi  integral_0^pi cos^n(a) exp(x cos a) da
    logaddexp'  = logistic(x - y) with respect to x        softplus' = logistic

The derivatives of `sinc` and `i0` are families of functions with the order as a static
parameter, so every order is accurate, also at 0. `gap(x, y)` is x - y where infinities
make sense: 0 for equal ones, and -inf if both are -inf, so that the weights of
logaddexp(inf, inf) are 1/2 each and those of logaddexp(-inf, -inf) are 0.

Public names: `sinc sinc_derivative i0 i0_derivative logaddexp logaddexp2 gap logistic
softplus logit angle`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .arithmetic import div0
from .elementary import LN2
from .kinds import elementwise

__all__ = [
    "angle",
    "gap",
    "i0",
    "i0_derivative",
    "logaddexp",
    "logaddexp2",
    "logistic",
    "logit",
    "sinc",
    "sinc_derivative",
    "softplus",
]


def _sinc_derivative(x: Any, *, n: int) -> Any:
    """Return the n-th derivative: power series near 0, recursion elsewhere."""
    x = np.asarray(x)
    u = math.pi * (x if x.dtype.kind in "fc" else x.astype(float))
    near = np.abs(u) <= 1 + n / 2
    out = np.empty(u.shape, u.dtype)
    out[near] = _sinc_series(u[near], n)
    out[~near] = _sinc_recursion(u[~near], n)
    out *= math.pi**n
    return out if out.ndim else out[()]


def _sinc_series(u: Any, n: int) -> Any:
    """Sum (-1)^k u^(2k-n) / ((2k+1) (2k-n)!) over 2k >= n."""
    k = (n + 1) // 2
    power = 2 * k - n
    term = (-1) ** k * u**power
    total = term / (2 * k + 1)
    while power < 2 * n + 30:
        term = term * (-u * u / ((power + 1) * (power + 2)))
        power += 2
        k += 1
        total = total + term / (2 * k + 1)
    return total


def _sinc_recursion(u: Any, n: int) -> Any:
    """Use u j^(m) + m j^(m-1) = sin^(m)(u), for j(u) = sin(u) / u."""
    s, c = np.sin(u), np.cos(u)
    cycle = (s, c, -s, -c)
    j = s / u
    for m in range(1, n + 1):
        j = (cycle[m % 4] - m * j) / u
    return j


sinc_derivative = elementwise(
    "sinc_derivative",
    _sinc_derivative,
    [lambda t, x, *, n: t * sinc_derivative(x, n=n + 1)],
)
"""`sinc_derivative(x, n=n)` is the n-th derivative of sin(pi x) / (pi x)."""

sinc = elementwise("sinc", np.sinc, [lambda t, x: t * sinc_derivative(x, n=1)])


def _i0_derivative(x: Any, *, n: int) -> Any:
    """Integrate by the midpoint rule, which converges geometrically here.

    Over a quarter circle the integrand is cos^n(a) cosh(x cos a), or sinh for odd n: of
    one sign, so nothing cancels. M points on the full circle leave an error of about
    I_(M-n)(x), which is below 1e-16 I_0(x) for the M chosen.
    """
    x = np.asarray(x)
    x = x if x.dtype.kind == "f" else x.astype(float)
    size = np.abs(x[np.isfinite(x)])
    largest = min(float(size.max()), 750.0) if size.size else 0.0
    count = math.ceil((24 + n + 10 * math.sqrt(largest)) / 4)
    half = np.sinh if n % 2 else np.cosh
    total = np.zeros(x.shape, x.dtype)
    for i in range(count):
        c = math.cos((i + 0.5) * math.pi / (2 * count))
        total = total + c**n * half(x * c)
    return total / count


i0_derivative = elementwise(
    "i0_derivative",
    _i0_derivative,
    [lambda t, x, *, n: t * i0_derivative(x, n=n + 1)],
)
"""`i0_derivative(x, n=n)` is the n-th derivative of the Bessel function I_0."""

i0 = elementwise("i0", lambda x: np.i0(x)[()], [lambda t, x: t * i0_derivative(x, n=1)])


def _logistic(x: Any) -> Any:
    if np.iscomplexobj(x):
        return 1 / (1 + np.exp(-np.asarray(x)))[()]
    small = np.exp(-np.abs(x))
    return np.where(np.greater_equal(x, 0), 1, small)[()] / (1 + small)


logistic = elementwise(
    "logistic",
    _logistic,
    [lambda t, x, ans: t * (ans * logistic(-x))],
    scalar="logistic",
)
"""1 / (1 + exp(-x)) without overflow. 1 - ans would lose the upper tail's digits."""


def _softplus(x: Any) -> Any:
    if np.iscomplexobj(x):
        return np.log1p(np.exp(x))
    return np.logaddexp(x, 0)


softplus = elementwise(
    "softplus", _softplus, [lambda t, x: t * logistic(x)], scalar="softplus"
)
"""log(1 + exp(x)) without overflow."""

logit = elementwise(
    "logit",
    lambda x: np.log(x) - np.log1p(np.negative(x)),
    [lambda t, x: t / (x * (1 - x))],
)
"""log(x / (1 - x)), the inverse of `logistic`."""


def _gap(x: Any, y: Any) -> Any:
    if np.isfinite(y).all():
        return np.subtract(x, y)
    equal = np.equal(x, y)
    if not equal.any():
        return np.subtract(x, y)
    with np.errstate(invalid="ignore"):
        out = np.subtract(x, y)
        nothing = np.logical_and(equal, np.equal(x, -np.inf))
        fill = np.where(nothing, -np.inf, 0.0).astype(out.dtype)
    return np.where(equal, fill, out)[()]


gap = elementwise("gap", _gap, [lambda t: t, lambda t: -t])

logaddexp = elementwise(
    "logaddexp",
    np.logaddexp,
    [
        lambda t, x, y: t * logistic(gap(x, y)),
        lambda t, x, y: t * logistic(gap(y, x)),
    ],
    scalar="logaddexp",
)
logaddexp2 = elementwise(
    "logaddexp2",
    np.logaddexp2,
    [
        lambda t, x, y: t * logistic(gap(x, y) * LN2),
        lambda t, x, y: t * logistic(gap(y, x) * LN2),
    ],
)

angle = elementwise("angle", np.angle, [lambda t, x: t * div0(-1j, x)])
"""The argument of a complex number: d angle = Im(dz / z), and 0 at the origin."""
