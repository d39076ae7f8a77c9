"""Zeros where a mask is false, by bits and by `np.where`."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fad.ops.bitmask import zero_unless

R = np.random.default_rng(3)
X = R.standard_normal((100, 60))
X[0, :5] = [np.inf, -np.inf, np.nan, -0.0, 0.0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.float16])
@pytest.mark.parametrize("shape", [(100, 60), (60,), (100, 1), ()])
def test_zero_unless_is_where(dtype, shape):
    x, mask = X.astype(dtype), R.random(shape) < 0.5
    found = zero_unless(mask, x)
    assert found.dtype == dtype
    assert_array_equal(found, np.where(mask, x, dtype(0)))


def test_zero_unless_broadcasts_the_array():
    mask = R.random((50, 3000)) < 0.5
    x = R.standard_normal(3000)
    assert_array_equal(zero_unless(mask, x), np.where(mask, x, 0))
