"""Samples that keep their probability as the parameters of their family move."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import fad
from fad.ops.random_variates import held_beta, held_gamma, random_loggamma

A = np.array([0.3, 1.0, 2.5, 40.0])


def test_values_are_the_samples():
    x = np.array([0.1, 0.2, 3.0, np.inf])
    assert_array_equal(held_gamma(A, x), x)
    assert_array_equal(held_beta(A, 2.0, x / 4), x / 4)
    assert np.isnan(held_gamma(np.nan, 1.0))


def test_beta_with_one_shape_of_one_is_a_power_of_a_uniform_number():
    """x = u^(1/a), so dx/da = -x log(x) / a."""
    x = np.array([0.1, 0.5, 0.7, 0.99])
    slope = fad.elementwise_grad(lambda a: held_beta(a, 1.0, x))
    assert_allclose(slope(A), -x * np.log(x) / A, rtol=1e-10)
    second = fad.elementwise_grad(slope)(A)
    assert_allclose(second, x * np.log(x) * (np.log(x) + 2) / A**2, rtol=1e-9)


def test_gamma_moves_as_the_variates_of_keys_do():
    k0, k1 = np.arange(4, dtype=np.uint64), np.arange(4, 8, dtype=np.uint64)
    x = np.exp(random_loggamma(k0, k1, A))
    slope = fad.elementwise_grad(lambda a: held_gamma(a, x))(A)
    by_key = fad.elementwise_grad(lambda a: random_loggamma(k0, k1, a))(A)
    assert_allclose(slope, x * by_key, rtol=1e-12)
