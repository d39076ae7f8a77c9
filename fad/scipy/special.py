"""Special functions, under the names and with the arguments of `scipy.special`.

Without SciPy:

    logistic    expit logit log_expit softmax log_softmax logsumexp
    errors      erf erfc erfcx erfinv erfcinv ndtr log_ndtr ndtri
    gamma       gammaln digamma psi polygamma multigammaln
    entropies   xlogy xlog1py entr rel_entr kl_div
    bessel      i0

With SciPy:

    gamma       gamma rgamma loggamma gammasgn beta betaln gammainc gammaincc
                gammaincinv betainc betaincc betaincinv zeta
    bessel      jv jn j0 j1 yv yn y0 y1 iv ive i1 i0e i1e kv kn kve k0 k1
    integrals   expn exp1 expi dawsn erfi wofz lambertw

Parameters of incomplete functions are differentiable; the orders of Bessel functions
are not, and say so.

>>> import fad
>>> fad.grad(fad.scipy.special.erf)(0.0).round(6)
np.float64(1.128379)
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..numpy.convert import operand
from ..numpy.logistic import expit, logit, logsumexp
from ..ops import bessel_functions as bessel
from ..ops import entropies, error_functions, gamma_functions
from ..ops import incomplete_functions as incomplete
from ..ops import special as ops
from ..ops.comparison import eq, ge, gt, logical_and, where
from ..ops.elementary import exp, log
from .arguments import inexact, numbers

__all__ = [
    "beta",
    "betainc",
    "betaincc",
    "betaincinv",
    "betaln",
    "dawsn",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "exp1",
    "expi",
    "expit",
    "expn",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaincinv",
    "gammaln",
    "gammasgn",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "iv",
    "ive",
    "j0",
    "j1",
    "jn",
    "jv",
    "k0",
    "k1",
    "kl_div",
    "kn",
    "kv",
    "kve",
    "lambertw",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "loggamma",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "rel_entr",
    "rgamma",
    "softmax",
    "wofz",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "yn",
    "yv",
    "zeta",
]


def _one(operation: Any, text: str) -> Any:
    """Return the public function of an operation on one array."""

    def function(x: Any) -> Any:
        return operation(inexact(x))

    return _public(function, operation, text)


def _two(operation: Any, text: str) -> Any:
    """Return the public function of an operation on two real arrays."""

    def function(x: Any, y: Any) -> Any:
        return operation(*numbers(x, y))

    return _public(function, operation, text)


def _three(operation: Any, text: str) -> Any:
    """Return the public function of an operation on three real arrays."""

    def function(a: Any, b: Any, x: Any) -> Any:
        return operation(*numbers(a, b, x))

    return _public(function, operation, text)


def _ordered(operation: Any, text: str) -> Any:
    """Return the public function of an operation on an order and an array."""

    def function(v: Any, z: Any) -> Any:
        return operation(operand(v), inexact(z))

    return _public(function, operation, text)


def _public(function: Any, operation: Any, text: str) -> Any:
    function.__name__ = function.__qualname__ = getattr(operation, "name", "function")
    function.__doc__ = text
    return function


erf = _one(error_functions.erf, "Return the error function.")
erfc = _one(error_functions.erfc, "Return 1 - erf(x), exact in its tail.")
erfcx = _one(error_functions.erfcx, "Return exp(x^2) erfc(x).")
erfinv = _one(error_functions.erfinv, "Return the inverse of `erf`.")
erfcinv = _one(error_functions.erfcinv, "Return the inverse of `erfc`.")
ndtr = _one(error_functions.ndtr, "Return the normal distribution function.")
log_ndtr = _one(error_functions.log_ndtr, "Return the logarithm of `ndtr`.")
ndtri = _one(error_functions.ndtri, "Return the inverse of `ndtr`.")

gammaln = _one(gamma_functions.gammaln, "Return log|gamma(x)|.")
digamma = _one(gamma_functions.digamma, "Return the derivative of `gammaln`.")
psi = digamma
gamma = _one(incomplete.gamma, "Return the gamma function.")
gammasgn = _one(incomplete.gammasgn, "Return the sign of the gamma function.")
rgamma = _one(incomplete.rgamma, "Return 1 / gamma(x), which is 0 at the poles.")
loggamma = _one(incomplete.loggamma, "Return the principal branch of log gamma(z).")
beta = _two(incomplete.beta, "Return gamma(a) gamma(b) / gamma(a + b).")
betaln = _two(incomplete.betaln, "Return log|beta(a, b)|.")
gammainc = _two(incomplete.gammainc, "Return the regularised lower gamma function.")
gammaincc = _two(incomplete.gammaincc, "Return 1 - gammainc(a, x).")
gammaincinv = _two(incomplete.gammaincinv, "Return x with gammainc(a, x) = p.")
betainc = _three(incomplete.betainc, "Return the regularised incomplete beta function.")
betaincc = _three(incomplete.betaincc, "Return 1 - betainc(a, b, x).")
betaincinv = _three(incomplete.betaincinv, "Return x with betainc(a, b, x) = p.")

j0 = _one(bessel.j0, "Return the Bessel function J_0.")
j1 = _one(bessel.j1, "Return the Bessel function J_1.")
y0 = _one(bessel.y0, "Return the Bessel function Y_0.")
y1 = _one(bessel.y1, "Return the Bessel function Y_1.")
i0 = _one(ops.i0, "Return the modified Bessel function I_0.")
i1 = _one(bessel.i1, "Return the modified Bessel function I_1.")
k0 = _one(bessel.k0, "Return the modified Bessel function K_0.")
k1 = _one(bessel.k1, "Return the modified Bessel function K_1.")
i0e = _one(bessel.i0e, "Return exp(-|x|) I_0(x).")
i1e = _one(bessel.i1e, "Return exp(-|x|) I_1(x).")
jv = _ordered(bessel.jv, "Return the Bessel function J of order v.")
yv = _ordered(bessel.yv, "Return the Bessel function Y of order v.")
iv = _ordered(bessel.iv, "Return the modified Bessel function I of order v.")
kv = _ordered(bessel.kv, "Return the modified Bessel function K of order v.")
kve = _ordered(bessel.kve, "Return exp(z) K_v(z).")
jn, yn, kn = jv, yv, kv


def ive(v: Any, z: Any) -> Any:
    """Return exp(-|Re z|) I_v(z)."""
    return bessel.scaled_iv(operand(v), inexact(z))


exp1 = _one(incomplete.exp1, "Return the exponential integral E_1.")
expi = _one(incomplete.expi, "Return the exponential integral Ei.")
dawsn = _one(incomplete.dawsn, "Return Dawson's integral.")
erfi = _one(incomplete.erfi, "Return -i erf(iz).")
wofz = _one(incomplete.wofz, "Return the Faddeeva function exp(-z^2) erfc(-iz).")
xlogy = _two(entropies.xlogy, "Return x log(y), and 0 where x is 0.")
xlog1py = _two(entropies.xlog1py, "Return x log(1 + y), and 0 where x is 0.")


def static_order(name: str, n: Any) -> int:
    """Return an order as an int.

    Raises:
        TypeError: it is traced, an array, or no integer.
    """
    if isinstance(n, Tracer):
        raise TypeError(
            f"{name}: the order must be a plain integer, not {n!r:.60}: it is no "
            "variable to differentiate or batch over"
        )
    order = operator.index(n.item() if isinstance(n, (np.ndarray, np.generic)) else n)
    if order < 0:
        raise ValueError(f"{name}: the order must not be negative, got {order}")
    return order


def polygamma(n: Any, x: Any) -> Any:
    """Return the n-th derivative of `digamma`, for a static integer n."""
    return gamma_functions.polygamma(inexact(x), n=static_order("polygamma", n))


def expn(n: Any, x: Any) -> Any:
    """Return the exponential integral E_n, for a static integer n."""
    x = inexact(x)
    n = static_order("expn", n)
    return incomplete.expn(x, n=n) if n else exp(-x) / x


def zeta(x: Any, q: Any = None) -> Any:
    """Return Riemann's zeta function of x, or Hurwitz', the sum of (k + q)^-x.

    It is differentiable in q.
    """
    if q is None:
        return incomplete.riemann_zeta(inexact(x))
    return incomplete.zeta(*numbers(x, q))


def lambertw(z: Any, k: int = 0) -> Any:
    """Return branch k of the inverse of w exp(w), complex."""
    return incomplete.lambertw(inexact(z), k=operator.index(k))


def multigammaln(a: Any, d: int) -> Any:
    """Return the logarithm of the multivariate gamma function of dimension d."""
    a, d = inexact(a), static_order("multigammaln", d)
    total = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        total = gamma_functions.gammaln(a - 0.5 * j) + total
    return total


def entr(x: Any) -> Any:
    """Return -x log(x); 0 at 0 and -inf below."""
    x = inexact(x)
    inside = ge(x, 0)
    safe = where(inside, x, 1.0)
    return where(inside, -entropies.xlogy(safe, safe), -np.inf)


def rel_entr(x: Any, y: Any) -> Any:
    """Return x log(x / y); 0 where x is 0 and y >= 0, else inf where either is <= 0."""
    x, y = numbers(x, y)
    inside = logical_and(gt(x, 0), gt(y, 0))
    p, q = where(inside, x, 1.0), where(inside, y, 1.0)
    nothing = logical_and(eq(x, 0), ge(y, 0))
    return where(inside, p * log(p / q), where(nothing, 0.0, np.inf))


def kl_div(x: Any, y: Any) -> Any:
    """Return x log(x / y) - x + y, with the domain of `rel_entr`."""
    x, y = numbers(x, y)
    return rel_entr(x, y) - x + y


def log_expit(x: Any) -> Any:
    """Return the logarithm of the logistic function."""
    return -ops.softplus(-inexact(x))


def softmax(x: Any, axis: Any = None) -> Any:
    """Return exp(x) over the sum of exp(x) along `axis` (None for all)."""
    return exp(log_softmax(x, axis))


def log_softmax(x: Any, axis: Any = None) -> Any:
    """Return x - logsumexp(x) along `axis` (None for all)."""
    x = inexact(x)
    return x - logsumexp(x, axis=axis, keepdims=True) if aval_of(x).ndim else x - x
