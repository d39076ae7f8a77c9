"""The error function and its kin: exact values, tails, with SciPy and without.

The values were computed with 40 digits by mpmath.
"""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fad
from fad.ops import error_functions as ops

EXACT = {
    "erf": [(-1.0, -0.8427007929497149), (-1e-9, -1.1283791670955127e-9)]
    + [(0.3, 0.3286267594591274), (2.5, 0.999593047982555), (7.0, 1.0)],
    "erfc": [(-1.0, 1.8427007929497148), (0.3, 0.6713732405408726)]
    + [(2.5, 0.0004069520174449589), (7.0, 4.183825607779414e-23)],
    "erfcx": [(-2.0, 108.94090438997797), (0.3, 0.7345993345676551)]
    + [(4.9, 0.11287909055975874), (5.1, 0.1086110263139328)]
    + [(50.0, 0.011281536265323773)],
    "ndtr": [(-6.0, 9.865876450376981e-10), (0.0, 0.5)],
    "log_ndtr": [(-40.0, -804.6084420137538), (-6.0, -20.736768949974707)]
    + [(-0.5, -1.1759117615936185), (1.0, -0.17275377902344988)]
    + [(5.0, -2.866516129637636e-07)],
    "ndtri": [(1e-10, -6.361340902404057), (0.01, -2.326347874040841)]
    + [(0.3, -0.5244005127080408), (0.5, 0.0), (0.9, 1.2815515655446006)],
    "erfinv": [(0.3286267594591274, 0.3), (-0.8427007929497149, -1.0)]
    + [(1.1283791670955127e-9, 1e-9)],
    "erfcinv": [(4.183825607779414e-23, 7.0), (1.8427007929497148, -1.0)],
}


@pytest.mark.parametrize("name", EXACT)
def test_values_are_exact_as_computed_by_scipy_or_here(name):
    x, expected = map(np.array, zip(*EXACT[name], strict=True))
    assert_allclose(getattr(ops, name)(x), expected, rtol=1e-13)
    assert_allclose(getattr(ops, f"own_{name}")(x), expected, rtol=1e-13)


def test_quantiles_at_the_ends_are_infinite_and_beyond_them_nan():
    p = np.array([0.0, 1.0, -0.1, 1.1, np.nan])
    expected = [-np.inf, np.inf, np.nan, np.nan, np.nan]
    np.testing.assert_array_equal(ops.ndtri(p), expected)
    np.testing.assert_array_equal(ops.erfinv(2 * p - 1), expected)


def test_single_precision_stays_single():
    for name in EXACT:
        assert getattr(ops, name)(np.float32(0.3)).dtype == np.float32


def test_slope_of_log_ndtr_is_exact_in_both_tails():
    """Mills' ratio: phi / Phi is about -x far below 0, and vanishes far above."""
    slope = fad.grad(ops.log_ndtr)
    assert float(slope(-1e6)) == pytest.approx(1e6, rel=1e-11)
    assert float(slope(-40.0)) == pytest.approx(40.024968862, rel=1e-9)
    assert float(slope(9.0)) == pytest.approx(1.0279773571668915e-18, rel=1e-12)
    assert float(slope(1e3)) == 0.0


def test_third_derivative_of_erf():
    third = fad.grad(fad.grad(fad.grad(ops.erf)))
    x = 0.7
    exact = 2 / math.sqrt(math.pi) * math.exp(-x * x) * (4 * x * x - 2)
    assert float(third(x)) == pytest.approx(exact, rel=1e-13)


def test_inverse_functions_have_inverse_slopes():
    x = np.array([-1.2, 0.1, 0.9])
    forward = fad.elementwise_grad(ops.ndtr)(x)
    assert_allclose(fad.elementwise_grad(ops.ndtri)(ops.ndtr(x)), 1 / forward, 1e-12)
