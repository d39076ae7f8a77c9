"""Derivatives of the gamma and beta distribution functions in their parameters.

The values were computed by mpmath, with differences in 40 digits.
"""

import math

import numpy as np
import pytest

import fad
from fad.ops.gamma_functions import gammaln
from fad.ops.tail_moments import beta_tail, gamma_tail


def by_a(a, x):
    """dP/da of the regularised incomplete gamma function."""
    density = math.exp(a * math.log(x) - x) / math.gamma(a)
    return float(gamma_tail(a, math.log(x), n=1)) * density


@pytest.mark.parametrize(
    ("a", "x", "exact"),
    [
        (0.05, 1e-4, -5.646861750179569),
        (2.5, 1.7, -0.26654260855002465),
        (2.5, 9.0, -0.004741679548193881),
        (40.0, 20.0, -3.866345540913452e-05),
        (40.0, 70.0, -2.3242573829994364e-05),
    ],
)
def test_incomplete_gamma_by_its_parameter_in_both_tails(a, x, exact):
    assert by_a(a, x) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize(
    ("a", "x", "exact"),
    [
        (0.5, 0.2, 1.0339378610953087),
        (2.5, 1.7, 0.10987928786794805),
        (2.5, 9.0, -0.006217598371257099),
    ],
)
def test_incomplete_gamma_by_its_parameter_twice(a, x, exact):
    """dP/da = W_1 exp(a u - e^u - log gamma(a)), by the rule of the family."""

    def slope(a):
        u = math.log(x)
        return gamma_tail(a, u, n=1) * np.exp(a * u - x - gammaln(a))

    assert float(fad.grad(slope)(a)) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "x", "exact_a", "exact_b"),
    [
        (2.0, 3.0, 0.3, -0.2460937277467235, 0.1295450609648719),
        (0.5, 4.0, 0.7, -0.007821440730207683, 0.0033426731775483506),
        (30.0, 20.0, 0.9, -6.564719775444203e-09, 2.243412114177566e-08),
    ],
)
def test_incomplete_beta_by_its_parameters(a, b, x, exact_a, exact_b):
    u = math.log(x) - math.log1p(-x)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    density = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta)
    found = [float(beta_tail(a, b, u, m=m, n=1 - m)) * density for m in (1, 0)]
    assert found == pytest.approx([exact_a, exact_b], rel=1e-11)


def test_sides_of_the_integral_agree_where_they_meet():
    """At x = a the rule changes from one side to the other."""
    a = np.array([1.0, 3.0, 400.0])
    u = np.log(a)
    left, right = (gamma_tail(a, u + d, n=1) for d in (-1e-9, 1e-9))
    np.testing.assert_allclose(left, right, rtol=1e-7)


def test_extreme_arguments_are_finite():
    a = np.array([1e-6, 1e-2, 1.0, 1e6])
    u = np.array([-600.0, -40.0, 6.0, math.log(1e6) + 0.01])
    assert np.isfinite(gamma_tail(a, u, n=1)).all()
