"""The logarithm of the gamma function and its derivatives, the polygamma functions.

    gammaln' = psi0        polygamma(n)' = polygamma(n + 1)
    psi_n(x) = (-1)^(n+1) n! zeta(n + 1, x)        zeta(s, x) = sum_k (x + k)^-s

They are computed far out by their asymptotic series, to which small
arguments are shifted by the recurrence f(x) -> f(x + 1), and negative ones reflected.
SciPy, where it is installed, computes `gammaln` and `digamma` faster, and `digamma` of
complex numbers too.

The poles are at 0, -1, -2...: there `gammaln` is inf and the others are nan or inf.

Public names: `gammaln digamma polygamma`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .kinds import elementwise
from .scipy_extra import installed, scipy_module

__all__ = ["digamma", "gammaln", "polygamma"]

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_FAR = 15.0  # where the series with these Bernoulli numbers is exact


def as_floats(x: Any) -> Any:
    """Return an array of a floating dtype, for the implementations."""
    x = np.asarray(x)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def fast(name: str, own: Any) -> Any:
    """Return an implementation: SciPy's ufunc `name` if there is one, else `own`."""

    def implementation(x: Any) -> Any:
        if installed():
            return getattr(scipy_module("special"), name)(x)
        if np.iscomplexobj(x):
            scipy_module("special", f"{name} of complex numbers")
        x = as_floats(x)
        with np.errstate(all="ignore"):
            return own(x.astype(np.float64)).astype(x.dtype)[()]

    return implementation


def own_gammaln(x: Any) -> Any:
    """Return log|gamma(x)|: Stirling's series, shifted and reflected."""
    y = np.where(x < 0.5, 1 - x, x)
    shifted, product = y, np.ones_like(y)
    for _ in range(int(_FAR)):
        near = shifted < _FAR
        product = np.where(near, product * shifted, product)
        shifted = np.where(near, shifted + 1, shifted)
    series = _stirling(shifted)
    log = (shifted - 0.5) * np.log(shifted) - shifted + 0.5 * math.log(2 * math.pi)
    out = np.where(np.isinf(shifted), np.inf, log + series - np.log(product))
    out = np.where((y == 1) | (y == 2), 0.0, out)
    sine = np.abs(np.sin(math.pi * np.remainder(x, 2)))
    sine = np.where(x == np.floor(x), 0.0, sine)
    return np.where(x < 0.5, math.log(math.pi) - np.log(sine) - out, out)


def _stirling(x: Any) -> Any:
    total = np.zeros_like(x)
    for k, b in enumerate(_BERNOULLI, start=1):
        total = total + b / (2 * k * (2 * k - 1)) * x ** (1 - 2 * k)
    return total


def own_digamma(x: Any) -> Any:
    """Return psi0: its asymptotic series, shifted and reflected."""
    y = np.where(x < 0, 1 - x, x)
    shifted, total = y, np.zeros_like(y)
    for _ in range(int(_FAR)):
        near = shifted < _FAR
        total = np.where(near, total - 1 / shifted, total)
        shifted = np.where(near, shifted + 1, shifted)
    total = total + np.log(shifted) - 0.5 / shifted
    for k, b in enumerate(_BERNOULLI, start=1):
        total = total - b / (2 * k) * shifted ** (-2 * k)
    cotangent = 1 / np.tan(math.pi * np.remainder(x, 1))
    out = np.where(x < 0, total - math.pi * cotangent, total)
    pole = (x < 0) & (x == np.floor(x))
    return np.where(x == 0, np.copysign(np.inf, -x), np.where(pole, np.nan, out))


def _zeta(s: int, x: Any) -> Any:
    """Return Hurwitz' zeta function by the formula of Euler and Maclaurin.

    Negative x are shifted too, by as many steps as they take.
    """
    lowest = float(np.min(x.real, initial=_FAR, where=np.isfinite(x)))
    total, y = np.zeros_like(x), x
    for _ in range(math.ceil(_FAR - max(lowest, -1e4))):
        near = y.real < _FAR
        total = np.where(near, total + y ** float(-s), total)
        y = np.where(near, y + 1, y)
    total = total + y ** (1.0 - s) / (s - 1) + 0.5 * y ** float(-s)
    factor, power = float(s), y ** float(-s - 1)
    for k, b in enumerate(_BERNOULLI, start=1):
        total = total + b / math.factorial(2 * k) * factor * power
        factor *= (s + 2 * k - 1) * (s + 2 * k)
        power = power / (y * y)
    return total


def _polygamma(x: Any, *, n: int) -> Any:
    if n == 0:
        return _digamma(x)
    x = as_floats(x)
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        sign = 1.0 if n % 2 else -1.0
        out = sign * math.factorial(n) * _zeta(n + 1, x.astype(wide))
    return out.astype(x.dtype)[()]


_digamma = fast("digamma", own_digamma)

polygamma = elementwise(
    "polygamma", _polygamma, [lambda t, x, *, n: t * polygamma(x, n=n + 1)]
)
"""`polygamma(x, n=n)`: the n-th derivative of `digamma`, n a non-negative integer."""

digamma = elementwise("digamma", _digamma, [lambda t, x: t * polygamma(x, n=1)])

gammaln = elementwise(
    "gammaln", fast("gammaln", own_gammaln), [lambda t, x: t * digamma(x)]
)
