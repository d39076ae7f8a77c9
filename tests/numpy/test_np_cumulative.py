import numpy as np
import pytest
from numpy_agreement import check_agrees

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vmap

rng = np.random.default_rng(9)
X = rng.standard_normal((3, 4))
HOLES = np.where(X > 0.8, np.nan, X)
INTS = rng.integers(-3, 4, size=(3, 4))
INPUTS = [X, X.astype("f4"), X + 1j, INTS, INTS.astype("i1"), X > 0]
PLAIN = ["cumsum", "cumprod", "nancumsum", "nancumprod"]
STANDARD = ["cumulative_sum", "cumulative_prod"]


@pytest.mark.parametrize("x", INPUTS, ids=lambda x: x.dtype.name)
@pytest.mark.parametrize("name", PLAIN)
def test_values_and_dtypes_are_those_of_numpy(name, x):
    for axis in [None, 0, -1, 3]:
        check_agrees(name, x, axis=axis)
    check_agrees(name, x, dtype="c8")
    check_agrees(name, x[0, 0])
    check_agrees(name, x[:0])


@pytest.mark.parametrize("name", PLAIN[2:])
def test_nans_are_passed_over(name):
    for axis in [None, 0]:
        check_agrees(name, HOLES, axis=axis)
    grad = fad.grad(lambda x: fnp.sum(getattr(fnp, name)(x)))(HOLES)
    np.testing.assert_array_equal(grad[np.isnan(HOLES)], 0.0)
    assert np.isfinite(grad).all()


@pytest.mark.parametrize("name", STANDARD)
@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="new in NumPy 2.1")
def test_functions_of_the_array_standard(name):
    for x in INPUTS:
        for first in (False, True):
            check_agrees(name, x, axis=1, include_initial=first)
            check_agrees(name, x[0], include_initial=first)
    check_agrees(name, X)


@pytest.mark.parametrize("name", PLAIN)
def test_derivatives(name):
    for axis in [None, 0, 1]:
        f = lambda x, axis=axis: getattr(fnp, name)(x, axis=axis)
        check_grads(f, (X,), order=2)
    check_vmap(lambda x: getattr(fnp, name)(x, 0), (np.stack([X, -X], 1),), in_axes=1)


def test_running_product_of_zeros():
    f = lambda x: fnp.sum(fnp.cumprod(x))
    np.testing.assert_array_equal(
        fad.grad(f)(np.array([2.0, 0.0, 3.0, 4.0])), [1.0, 32.0, 0.0, 0.0]
    )


def test_methods():
    f = lambda x: (x.cumsum(), x.cumprod(axis=1))
    out = fad.jvp(f, (X,), (X,))[0]
    np.testing.assert_array_equal(out[0], X.cumsum())
    np.testing.assert_array_equal(out[1], X.cumprod(axis=1))
