"""The error function, the normal distribution function, and their inverses.

    erf' = 2/sqrt(pi) exp(-x^2)       erfcx(x) = exp(x^2) erfc(x)
    ndtr' = exp(-x^2/2) / sqrt(2 pi)  log_ndtr' = sqrt(2/pi) / erfcx(-x/sqrt(2))
    ndtri' = sqrt(2 pi) exp(ans^2/2)  erfinv' = sqrt(pi)/2 exp(ans^2)

Tails keep their digits: `erfc`, `ndtr` and `log_ndtr` are not differences from 1, and
the derivative of `log_ndtr` is no quotient of two small numbers. SciPy, where it is
installed, computes all but `ndtri`, and complex ones; `ndtri` (Wichura's algorithm
AS 241, 1988) makes normal random numbers, which do not depend on what is installed.

Public names: `erf erfc erfcx erfinv erfcinv ndtr log_ndtr ndtri`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .elementary import exp
from .gamma_functions import as_floats, fast
from .kinds import elementwise

__all__ = ["erf", "erfc", "erfcinv", "erfcx", "erfinv", "log_ndtr", "ndtr", "ndtri"]

_ROOT2, _ROOT_PI = math.sqrt(2.0), math.sqrt(math.pi)
_ROOT_2PI = _ROOT2 * _ROOT_PI

_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def own_erf(x: Any) -> Any:
    """Return erf by Python's math."""
    return np.asarray(_erf(x), np.float64)


def own_erfc(x: Any) -> Any:
    """Return erfc by Python's math."""
    return np.asarray(_erfc(x), np.float64)


def own_erfcx(x: Any) -> Any:
    """Return exp(x^2) erfc(x), by its continued fraction far out."""
    far = np.where(x > 5, x, 6.0)
    fraction = far
    for k in range(40, 0, -1):
        fraction = far + 0.5 * k / fraction
    near = np.where(x > 5, 0.0, x)
    return np.where(
        x > 5, 1 / (_ROOT_PI * fraction), np.exp(near * near) * own_erfc(near)
    )


def own_ndtr(x: Any) -> Any:
    """Return the distribution function of the standard normal."""
    return 0.5 * own_erfc(-x / _ROOT2)


def own_log_ndtr(x: Any) -> Any:
    """Return log(ndtr(x)), also where ndtr underflows."""
    low = x < -1
    below, above = np.where(low, x, -1.0), np.where(low, 1.0, x)
    tail = np.log(0.5 * own_erfcx(-below / _ROOT2)) - 0.5 * below * below
    return np.where(low, tail, np.log1p(-0.5 * own_erfc(above / _ROOT2)))


_MIDDLE = (
    (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3),
    (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3),
)  # fmt: skip
_OUTER = (
    (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9),
)  # fmt: skip
_FAR = (
    (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
     1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
     1.42151175831644588870e-7, 2.04426310338993978564e-15),
)  # fmt: skip


def _quotient(tables: Any, x: Any) -> Any:
    above, below = tables
    top, bottom = above[-1], below[-1]
    for a, b in zip(above[-2::-1], below[-2::-1], strict=True):
        top, bottom = top * x + a, bottom * x + b
    return top / bottom


def _quantile(q: Any, tail: Any) -> Any:
    """Return the normal quantile at 1/2 + q, with `tail` = min(1/2 + q, 1/2 - q)."""
    out = q * _quotient(_MIDDLE, 0.180625 - q * q)
    outer = ~(np.abs(q) <= 0.425)
    if np.any(outer):
        r = np.sqrt(-np.log(tail[outer]))
        size = np.where(
            r <= 5, _quotient(_OUTER, r - 1.6), _quotient(_FAR, np.minimum(r, 30) - 5)
        )
        size = np.where(np.isinf(r), np.inf, size)
        out[outer] = np.copysign(size, q[outer])
    return out


def own_ndtri(p: Any) -> Any:
    """Return the quantile of the standard normal at p."""
    p = np.asarray(p)
    flat = p.reshape(-1)
    return _quantile(flat - 0.5, np.minimum(flat, 1 - flat)).reshape(p.shape)


def own_erfinv(y: Any) -> Any:
    """Return the inverse of erf."""
    y = np.asarray(y)
    flat = y.reshape(-1)
    return _quantile(flat / 2, (1 - np.abs(flat)) / 2).reshape(y.shape) / _ROOT2


def own_erfcinv(y: Any) -> Any:
    """Return the inverse of erfc."""
    y = np.asarray(y)
    flat = y.reshape(-1)
    tail = np.minimum(flat, 2 - flat) / 2
    return -_quantile((flat - 1) / 2, tail).reshape(y.shape) / _ROOT2


def _ndtri(p: Any) -> Any:
    p = as_floats(p)
    with np.errstate(all="ignore"):
        return own_ndtri(p.astype(np.float64)).astype(p.dtype)[()]


erf = elementwise(
    "erf", fast("erf", own_erf), [lambda t, x: t * (exp(-(x * x)) * (2 / _ROOT_PI))]
)
erfc = elementwise(
    "erfc", fast("erfc", own_erfc), [lambda t, x: t * (exp(-(x * x)) * (-2 / _ROOT_PI))]
)
erfcx = elementwise(
    "erfcx",
    fast("erfcx", own_erfcx),
    [lambda t, x, ans: t * (2 * x * ans - 2 / _ROOT_PI)],
)
ndtr = elementwise(
    "ndtr", fast("ndtr", own_ndtr), [lambda t, x: t * (exp(x * x * -0.5) / _ROOT_2PI)]
)
log_ndtr = elementwise(
    "log_ndtr",
    fast("log_ndtr", own_log_ndtr),
    [lambda t, x: t * ((_ROOT2 / _ROOT_PI) / erfcx(x * (-1 / _ROOT2)))],
)
erfinv = elementwise(
    "erfinv",
    fast("erfinv", own_erfinv),
    [lambda t, ans: t * (exp(ans * ans) * (_ROOT_PI / 2))],
)
erfcinv = elementwise(
    "erfcinv",
    fast("erfcinv", own_erfcinv),
    [lambda t, ans: t * (exp(ans * ans) * (-_ROOT_PI / 2))],
)
ndtri = elementwise(
    "ndtri", _ndtri, [lambda t, ans: t * (exp(ans * ans * 0.5) * _ROOT_2PI)]
)
