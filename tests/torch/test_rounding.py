"""Rounding helpers against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fad.torch.rounding import c_library, fused_multiply_add, log32, sin_cos32


def _values(seed, count=200):
    return np.random.default_rng(seed).normal(size=count)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("y", "z"), [(1.75, 0.5), (-1e-3, 3.0), (1e5, -7e4), (3.0, 0)])
def test_fused_multiply_add_rounds_the_exact_result_once(dtype, y, z):
    x = _values(0).astype(dtype)
    y, z = float(dtype(y / 3)), float(dtype(z / 3))
    exact = [Fraction(value) * Fraction(y) + Fraction(z) for value in x.tolist()]
    expected = np.array([float(value) for value in exact]).astype(dtype)
    assert_array_equal(fused_multiply_add(x, y, z), expected)


def test_fused_multiply_add_of_huge_values_stays_plain():
    assert fused_multiply_add(np.array([1e300]), 1e10, 0.0) == np.inf


def test_c_library_at_a_pole_gives_infinity():
    assert_array_equal(c_library("log", np.array([0.0, 1.0])), [-np.inf, 0.0])


def test_log32_is_within_a_unit_in_the_last_place():
    x = np.random.default_rng(1).random(5000, np.float32) + np.float32(1e-6)
    exact = np.log(x.astype(np.float64))
    assert (np.abs(log32(x) - exact) <= np.spacing(np.abs(exact).astype("f4"))).all()


def test_sin_cos32_are_near_the_circle():
    x = np.random.default_rng(1).random(5000, np.float32) * np.float32(2 * np.pi)
    sin, cos = sin_cos32(x)
    assert np.abs(sin - np.sin(x.astype(np.float64))).max() < 2**-23
    assert np.abs(cos - np.cos(x.astype(np.float64))).max() < 2**-23
