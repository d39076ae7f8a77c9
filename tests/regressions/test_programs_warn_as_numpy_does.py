"""Derivatives and compiled programs warn of nothing that the plain call does not."""

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


@pytest.mark.parametrize(
    "f",
    [
        fnp.sqrt,
        fnp.cbrt,
        lambda x: x**0.5,
        lambda x: fnp.arcsin(1.0 - x),
        lambda x: fnp.where(x > 0, fnp.sqrt(x), 0.0),
        lambda x: fnp.linalg.norm(fnp.stack([x, x])),
    ],
)
def test_infinite_slopes_are_silent_in_both_modes(f):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, slope = fad.jvp(f, (0.0,), (1.0,))
        assert value == f(0.0)
        assert slope == fad.grad(f)(0.0)
        push = fad.linearize(f, 0.0)[1]
        assert push(1.0) == slope


def test_values_warn_in_forward_mode_as_in_numpy():
    with pytest.warns(RuntimeWarning, match="invalid value"):
        fad.jvp(fnp.sqrt, (-1.0,), (1.0,))
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        fad.jvp(fnp.sqrt, (0.0,), (1.0,))
