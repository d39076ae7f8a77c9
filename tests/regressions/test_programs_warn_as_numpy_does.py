"""Compiled programs give no warning that the eager call does not give."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import fad
import fad.numpy as fnp


@pytest.mark.parametrize("n", [7, 200_000], ids=["small", "in blocks"])
@pytest.mark.parametrize("extremum", [fnp.maximum, fnp.minimum], ids=["max", "min"])
def test_extrema_written_over_their_input_use_out_by_keyword(extremum, n):
    x = np.linspace(0.0, 3.0, n)
    f = lambda x: extremum(2.0 * x, 0.5) + 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_array_equal(fad.jit(f)(x), f(x))


def test_extract_takes_a_known_condition_while_staging():
    known = np.array([True, False, True])
    f = fad.jit(lambda x: fnp.extract(known, x))
    assert_array_equal(f(np.arange(3.0)), [0.0, 2.0])
