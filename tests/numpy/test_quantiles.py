import numpy as np
import pytest
from numpy_agreement import check_agrees

import fad
import fad.numpy as fnp
from fad.numpy.quantile_methods import METHODS
from fad.testing import check_grads, check_vmap

rng = np.random.default_rng(7)
X = rng.standard_normal((3, 5))
HOLES = X.copy()
HOLES[0, 1] = HOLES[2, 2] = HOLES[2, 3] = np.nan
W = rng.uniform(0.5, 2.0, size=(3, 5))
W[0, 0] = 0.0
QS = [0, 1, 0.3, np.array([0.2, 0.75, 1.0, 0.0]), np.array([[0.1], [0.4]])]


@pytest.mark.parametrize("method", METHODS)
def test_quantiles_are_those_of_numpy(method):
    for q in QS:
        for axis in [None, 0, -1, (0, 1)]:
            check_agrees("quantile", X, q, axis=axis, method=method)
            check_agrees("nanquantile", HOLES, q, axis=axis, method=method)
        check_agrees("quantile", X.astype("f4"), q, method=method)
        check_agrees("quantile", np.arange(7), q, method=method)


def test_percentiles_are_those_of_numpy():
    for q in (0, 30, 62.5, [20, 75], np.float32(30)):
        check_agrees("percentile", X, q, axis=1, keepdims=True)
        check_agrees("nanpercentile", HOLES, q, axis=0)
        check_agrees("percentile", HOLES, q, axis=0)


def test_weighted_quantiles_are_those_of_numpy():
    for q in (0, 0.3, 1.0, np.array([0.2, 0.9])):
        kwargs = dict(axis=1, method="inverted_cdf")
        check_agrees("quantile", X, q, weights=W, **kwargs)
        check_agrees("quantile", X, q, weights=W[0], **kwargs)
        check_agrees("nanquantile", HOLES, q, weights=W, **kwargs)
    check_agrees("quantile", X, 0.5, weights=W)
    check_agrees("quantile", X, 0.5, weights=-W, ways=("jvp", "vjp"), **kwargs)


def test_bad_arguments_raise_as_in_numpy():
    check_agrees("quantile", X, 1.5, ways=("jvp", "vjp"))
    check_agrees("percentile", X, -1, ways=("jvp", "vjp"))
    check_agrees("quantile", X, 0.5, method="best")
    check_agrees("quantile", X + 1j, 0.5)
    check_agrees("median", X, axis=2)


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians_are_those_of_numpy(name):
    for x in (X, X[:, :4], HOLES, X.astype("f4"), np.arange(6), X > 0):
        for axis in [None, 0, -1]:
            check_agrees(name, x, axis=axis, keepdims=axis == 0)
    check_agrees(name, X, axis=(0, 1))
    check_agrees(name, np.float64(2.0))
    check_agrees(name, np.array([np.inf, np.inf, -np.inf, 0.0]))


@pytest.mark.parametrize(
    "method", ["linear", "hazen", "averaged_inverted_cdf", "lower"]
)
def test_derivatives_by_values(method):
    f = lambda x: fnp.quantile(x, [0.2, 0.5, 0.83], axis=1, method=method) ** 2
    check_grads(f, (X,), order=2)
    check_vmap(f, (np.stack([X, -X], 1),), in_axes=1)


def test_derivatives_by_q():
    check_grads(lambda x, q: fnp.quantile(x, q, axis=1), (X, [0.2, 0.77]), order=2)
    check_grads(lambda q: fnp.nanpercentile(HOLES, q, axis=0), (33.0,), order=2)


def test_derivatives_of_medians():
    for x in (X, X[:, :4]):
        check_grads(lambda x: fnp.median(x, axis=1) ** 2, (x,), order=2)
        check_grads(lambda x: fnp.nanmedian(x, axis=0) ** 2, (x,), order=2)


def test_nans_have_no_derivative():
    x = np.array([3.0, np.nan, 1.0, 2.0])
    np.testing.assert_array_equal(fad.grad(fnp.nanmedian)(x), [0, 0, 0, 1])
    grad = fad.grad(lambda x: fnp.nanquantile(x, 0.25))(x)
    np.testing.assert_array_equal(grad, [0, 0, 0.5, 0.5])


def test_slices_of_nans_warn_and_give_nan():
    x = np.array([[np.nan, np.nan], [1.0, 2.0]])
    for f in (lambda x: fnp.nanmedian(x, 1), lambda x: fnp.nanquantile(x, 0.5, 1)):
        with pytest.warns(RuntimeWarning, match="All-NaN"):
            out = fad.jvp(f, (x,), (x * 0,))[0]
        np.testing.assert_array_equal(out, [np.nan, 1.5])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: fnp.median(x),
        lambda x: fnp.nanmedian(x),
        lambda x: fnp.quantile(x, 0.3),
        lambda x: fnp.nanpercentile(x, 30.0),
        lambda x: fnp.quantile(x, 0.3, method="inverted_cdf"),
    ],
)
def test_results_of_no_axes_are_numbers(f):
    x = np.array([4.0, 1.0, 3.0, 2.0])
    assert type(f(x)) is np.float64
    assert type(fad.vjp(f, x)[0]) is np.float64
    assert type(fad.jvp(f, (x,), (x,))[1]) is np.float64
