"""gammaln, digamma, polygamma: against exact values, with SciPy and without.

The values were computed with 40 digits by mpmath.
"""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fad
from fad.ops import gamma_functions as ops

X = np.array([-2.5, 1e-3, 0.5, 1.5, 3.0, 20.0, 1e5])
GAMMALN = [-0.056243716497674054, 6.907178885383853, 0.5723649429247001]
GAMMALN += [-0.12078223763524522, 0.6931471805599453, 39.339884187199495]
GAMMALN += [1051287.7089736569]
DIGAMMA = [1.103156640645243, -1000.5755719318103, -1.9635100260214235]
DIGAMMA += [0.03648997397857652, 0.9227843350984671, 2.970523992242149]
DIGAMMA += [11.512920464961896]


def own(name, x):
    """What is computed without SciPy: it runs with NumPy's warnings off."""
    with np.errstate(all="ignore"):
        return getattr(ops, f"own_{name}")(x)


def test_gammaln_is_exact_as_computed_by_scipy_or_here():
    assert_allclose(ops.gammaln(X), GAMMALN, rtol=1e-13)
    assert_allclose(own("gammaln", X), GAMMALN, rtol=1e-13)


def test_digamma_is_exact_as_computed_by_scipy_or_here():
    assert_allclose(ops.digamma(X), DIGAMMA, rtol=2e-14)
    assert_allclose(own("digamma", X), DIGAMMA, rtol=2e-14)


def test_own_gammaln_is_that_of_python():
    x = np.linspace(0.05, 30, 400)
    expected = [math.lgamma(v) for v in x]
    assert_allclose(own("gammaln", x), expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    ("n", "x", "exact"),
    [
        (1, 0.5, math.pi**2 / 2),
        (2, 3.0, -0.15411380631918858),
        (3, -1.5, 194.59427621918763),
        (5, 20.0, 8.48426620615823e-06),
    ],
)
def test_polygamma_is_exact(n, x, exact):
    assert float(ops.polygamma(x, n=n)) == pytest.approx(exact, rel=1e-14)


def test_derivatives_of_gammaln_are_polygamma_functions_at_every_order():
    f = ops.gammaln
    for order in range(5):
        f = fad.grad(f)
        expected = ops.polygamma(2.3, n=order)
        assert float(f(2.3)) == pytest.approx(float(expected), rel=1e-14)


def test_poles():
    poles = np.array([0.0, -1.0, -7.0])
    np.testing.assert_array_equal(own("gammaln", poles), [np.inf] * 3)
    assert not np.isfinite(own("digamma", poles)).any()
    assert not np.isfinite(ops.polygamma(poles, n=1)).any()
    assert ops.gammaln(np.inf) == np.inf
