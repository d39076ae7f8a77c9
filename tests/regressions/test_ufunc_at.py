"""`ufunc.at` on traced arrays: every element counts, in any trace."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fad
import fad.numpy as fnp

X = np.array([1.5, 2.0, 3.0])
V = np.array([0.5, 4.0, 2.0])
UFUNCS = [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.hypot]
PLACES = [0, 0, 2]


def _at(ufunc):
    def f(x, v):
        y = 1.0 * x
        ufunc.at(y, PLACES, v)
        return y

    return f


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_repeated_elements_are_updated_every_time(ufunc):
    f = _at(ufunc)
    expected = X.copy()
    ufunc.at(expected, PLACES, V)
    assert_allclose(fad.vjp(f, X, V)[0], expected, rtol=1e-15)
    assert_allclose(fad.jit(f)(X, V), expected, rtol=1e-15)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_derivatives_agree_with_differences(ufunc):
    fad.testing.check_grads(_at(ufunc), (X, V), order=2)


def test_indices_may_be_traced():
    def f(x, places):
        y = 1.0 * x
        np.multiply.at(y, places, 2.0)
        return fnp.sum(y)

    assert fad.jit(f)(X, np.array([0, 0, 1])) == 4 * 1.5 + 2 * 2.0 + 3.0


def test_many_updates_take_one_step():
    n = 20_000
    jaxpr = fad.make_jaxpr(lambda v: _times(v, n))(np.ones(n))
    assert len(jaxpr.eqns) < 300


def _times(v, n):
    y = fnp.ones_like(v[:10])
    np.multiply.at(y, np.arange(n) % 10, v)
    return y
