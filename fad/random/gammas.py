"""Gamma variates and the families made of them, differentiable in their shapes.

    gamma(a)        exp(loggamma(a))         d by implicit reparameterisation
    beta(a, b)      x / (x + y)              of two gamma variates
    dirichlet       softmax of loggamma      no underflow for small concentrations
    chisquare(k)    2 gamma(k / 2)
    t(df)           normal * sqrt(df / chisquare(df))
    f(m, n)         (chisquare(m) / m) / (chisquare(n) / n)

A variate is held at a fixed quantile while its shape parameter moves, at every order.

Public names: `gamma loggamma beta dirichlet chisquare t f generalized_normal ball
wald`.
"""

from __future__ import annotations

from typing import Any

from ..core.trace import aval_of
from ..numpy.convert import cast, operand
from ..numpy.logistic import logsumexp
from ..ops.comparison import where
from ..ops.elementary import exp, log, sqrt
from ..ops.powers import power
from ..ops.random_variates import random_loggamma
from ..ops.reductions import reduce_sum
from ..ops.shape import broadcast_to, expand_dims
from ..ops.special import logistic
from .keys import keys_for, shape_of, split
from .uniforms import _at, exponential, float_dtype, normal, shared_shape, unit

__all__ = [
    "ball",
    "beta",
    "chisquare",
    "dirichlet",
    "f",
    "gamma",
    "generalized_normal",
    "loggamma",
    "t",
    "wald",
]


def loggamma(key: Any, a: Any, shape: Any = None, dtype: Any = float) -> Any:
    """Return logarithms of gamma variates; for small `a` these variates underflow."""
    dtype = float_dtype("loggamma", dtype)
    a = cast(operand(a), dtype)
    shape = shared_shape("loggamma", shape, a)
    return random_loggamma(*keys_for("loggamma", key, shape), a)


def gamma(key: Any, a: Any, shape: Any = None, dtype: Any = float) -> Any:
    """Return gamma variates of shape parameter `a` and scale 1.

    Args:
        key: one key.
        a: positive; differentiable by implicit reparameterisation.
        shape: of the result, to which `a` broadcasts; None for that of `a`.
        dtype: float32 or float64.

    >>> import fad
    >>> from fad import random
    >>> key, draws = random.key(0), 4000
    >>> mean = lambda a: random.gamma(key, a, (draws,)).mean()
    >>> round(float(fad.grad(mean)(3.0)), 1)  # the mean of the distribution is a
    1.0
    """
    return exp(loggamma(key, a, shape, dtype))


def beta(key: Any, a: Any, b: Any, shape: Any = None, dtype: Any = float) -> Any:
    """Return beta variates, differentiable in `a` and `b`."""
    dtype = float_dtype("beta", dtype)
    a, b = cast(operand(a), dtype), cast(operand(b), dtype)
    shape = shared_shape("beta", shape, a, b)
    keys = split(key)
    x = loggamma(_at(keys, 0), a, shape, dtype)
    return logistic(x - loggamma(_at(keys, 1), b, shape, dtype))


def dirichlet(key: Any, alpha: Any, shape: Any = None, dtype: Any = float) -> Any:
    """Return Dirichlet vectors, differentiable in `alpha`.

    Args:
        key: one key.
        alpha: concentrations (..., n).
        shape: of the batch; the result has the shape (*shape, n).
        dtype: float32 or float64.

    >>> from fad import random
    >>> round(float(random.dirichlet(random.key(0), [1.0, 1.0, 1.0]).sum()), 9)
    1.0
    """
    dtype = float_dtype("dirichlet", dtype)
    alpha = cast(operand(alpha), dtype)
    *batch, n = aval_of(alpha).shape
    batch = tuple(batch) if shape is None else shape_of("dirichlet", shape)
    x = loggamma(key, alpha, (*batch, n), dtype)
    total = logsumexp(x, axis=-1, keepdims=True)
    return exp(x - total)


def chisquare(key: Any, df: Any, shape: Any = None, dtype: Any = float) -> Any:
    """Return chi-square variates of `df` degrees of freedom."""
    dtype = float_dtype("chisquare", dtype)
    return 2 * gamma(key, cast(operand(df), dtype) * 0.5, shape, dtype)


def t(key: Any, df: Any, shape: Any = None, dtype: Any = float) -> Any:
    """Return Student's t variates of `df` degrees of freedom."""
    dtype = float_dtype("t", dtype)
    half = cast(operand(df), dtype) * 0.5
    shape = shared_shape("t", shape, half)
    keys = split(key)
    z = normal(_at(keys, 0), shape, dtype)
    log_gamma = loggamma(_at(keys, 1), half, shape, dtype)
    return z * exp((log(half) - log_gamma) * 0.5)


def f(key: Any, dfnum: Any, dfden: Any, shape: Any = None, dtype: Any = float) -> Any:
    """Return F variates: ratios of two chi-squares over their degrees of freedom."""
    dtype = float_dtype("f", dtype)
    m, n = cast(operand(dfnum), dtype), cast(operand(dfden), dtype)
    shape = shared_shape("f", shape, m, n)
    keys = split(key)
    above = loggamma(_at(keys, 0), m * 0.5, shape, dtype) - log(m)
    below = loggamma(_at(keys, 1), n * 0.5, shape, dtype) - log(n)
    return exp(above - below)


def generalized_normal(key: Any, p: Any, shape: Any = (), dtype: Any = float) -> Any:
    """Return numbers of density proportional to exp(-|x|^p)."""
    dtype = float_dtype("generalized_normal", dtype)
    p = cast(operand(p), dtype)
    shape = shape_of("generalized_normal", shape)
    keys = split(key)
    size = exp(loggamma(_at(keys, 0), 1 / p, shape, dtype) / p)
    u = unit("generalized_normal", _at(keys, 1), shape, dtype)
    return where(u < 0.5, -size, size)


def ball(key: Any, d: int, p: float = 2, shape: Any = (), dtype: Any = float) -> Any:
    """Return points uniform in the unit ball of the p-norm in `d` dimensions.

    The method is that of Barthe, Guedon, Mendelson and Naor (2005).
    """
    shape = shape_of("ball", shape)
    keys = split(key)
    g = generalized_normal(_at(keys, 0), p, (*shape, d), dtype)
    e = exponential(_at(keys, 1), shape, dtype)
    total = reduce_sum(power(abs(g), float(p)), axis=(len(shape),)) + e
    return g / expand_dims(power(total, 1 / p), len(shape))


def wald(key: Any, mean: Any, shape: Any = None, dtype: Any = float) -> Any:
    """Return inverse Gaussian variates of the given mean and scale 1.

    The method is that of Michael, Schucany and Haas (1976).
    """
    dtype = float_dtype("wald", dtype)
    mean = cast(operand(mean), dtype)
    shape = shared_shape("wald", shape, mean)
    mean = broadcast_to(mean, shape=shape)
    keys = split(key)
    z = normal(_at(keys, 0), shape, dtype)
    u = unit("wald", _at(keys, 1), shape, dtype)
    y = z * z * mean
    x = 2 * mean / (2 + y + sqrt(y * (4 + y)))
    return where(u * (mean + x) <= mean, x, mean * (mean / x))
