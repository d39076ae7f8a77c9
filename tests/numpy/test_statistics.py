import numpy as np
import pytest
from numpy_agreement import check_agrees

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vmap

rng = np.random.default_rng(6)
X = rng.standard_normal((3, 4))
Z = X + 1j * rng.standard_normal((3, 4))
W = rng.uniform(0.5, 2.0, size=(3, 4))
MASK = X > -0.5
INPUTS = [X, X.astype("f4"), X.astype("f2"), Z, np.arange(12).reshape(3, 4), X > 0]


@pytest.mark.parametrize("x", INPUTS, ids=lambda x: x.dtype.name)
@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_values_and_dtypes_are_those_of_numpy(name, x):
    for axis in [None, 0, -1, (0, 1)]:
        check_agrees(name, x, axis=axis, keepdims=axis == 0)
    check_agrees(name, x, axis=1, where=MASK)
    check_agrees(name, x, axis=5)
    if x.dtype.kind != "c":
        check_agrees(name, x, dtype="f4")


@pytest.mark.parametrize("name", ["var", "std"])
def test_degrees_of_freedom_and_given_means(name):
    for ddof in (1, 2, 3, 4):
        check_agrees(name, X, axis=0, ddof=ddof)
    check_agrees(name, X, axis=1, correction=1)
    check_agrees(name, X, ddof=1, correction=1)
    check_agrees(name, X, axis=1, mean=X.mean(axis=1, keepdims=True))


@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.parametrize("x", [X, Z], ids=["real", "complex"])
def test_derivatives(name, x):
    for axis in [None, 0]:
        f = lambda x, axis=axis: getattr(fnp, name)(x, axis=axis) ** 2
        check_grads(f, (x,), order=2)
    check_vmap(lambda x: getattr(fnp, name)(x, axis=0), (np.stack([x, -x], 1),), 1)


def test_variance_about_a_given_mean_is_differentiable_in_it():
    f = lambda x, m: fnp.var(x, axis=1, mean=m, ddof=1)
    check_grads(f, (X, X[:, :1]), order=2)


def test_spread_of_equal_values_has_no_slope():
    x = np.full(4, 3.0)
    for f in (fnp.std, fnp.var, fnp.nanstd):
        np.testing.assert_array_equal(fad.grad(f)(x), np.zeros(4))
        assert fad.jvp(f, (x,), (np.arange(4.0),))[1] == 0
    np.testing.assert_array_equal(fad.hessian(fnp.std)(x), np.zeros((4, 4)))


def test_methods():
    f = lambda x: (x.mean(axis=1), x.std(axis=1, ddof=1))
    out = fad.jvp(f, (X,), (X,))[0]
    np.testing.assert_array_equal(out[0], X.mean(axis=1))
    np.testing.assert_array_equal(out[1], X.std(axis=1, ddof=1))


def test_averages():
    for x in (X, X.astype("f4"), Z, np.arange(12).reshape(3, 4)):
        check_agrees("average", x)
        check_agrees("average", x, axis=0, returned=True)
        check_agrees("average", x, 1, np.array([1, 2, 3, 4]), True)
        check_agrees("average", x, None, W, True)
        check_agrees("average", x, (1, 0), W.T, keepdims=True)
    check_agrees("average", X, None, np.ones(4))
    check_agrees("average", X, 0, np.ones(4))
    check_agrees("average", X, 0, np.zeros(3), ways=("jvp", "vjp"))
    check_grads(lambda x, w: fnp.average(x, 1, w, True), (X, W), order=2)
    check_grads(lambda x, w: fnp.average(x, 1, w), (X, W[0]), order=2)


def test_covariances_are_those_of_numpy():
    for x in (X, X.astype("f4"), Z, np.arange(12).reshape(3, 4) % 5):
        check_agrees("cov", x, rtol=1e-6 if x.dtype == "f4" else 1e-12)
    f, a = np.array([1, 2, 1, 3]), W[0]
    for kwargs in (
        dict(rowvar=False), dict(bias=True), dict(ddof=0), dict(fweights=f),
        dict(aweights=a), dict(fweights=f, aweights=a), dict(y=X[::-1]), dict(ddof=4),
    ):  # fmt: skip
        check_agrees("cov", X, rtol=1e-12, **kwargs)
    check_agrees("cov", X[0])
    check_agrees("cov", X[0], X[1], rtol=1e-12)
    check_agrees("cov", X, fweights=f + 0.5, ways=("jvp", "vjp"))
    check_agrees("cov", X, aweights=-a, ways=("jvp", "vjp"))
    check_agrees("cov", X, aweights=a[:2])


def test_correlations_are_those_of_numpy():
    for x in (X, Z):
        check_agrees("corrcoef", x, rtol=1e-12)
        check_agrees("corrcoef", x, rowvar=False, rtol=1e-12)
    check_agrees("corrcoef", X[0])
    check_agrees("corrcoef", X[0], X[1], rtol=1e-12)


def test_covariance_derivatives():
    check_grads(fnp.cov, (X,), order=2)
    check_grads(fnp.cov, (Z,), order=2)
    check_grads(lambda x, a: fnp.cov(x, aweights=a), (X, W[0]), order=2)
    check_grads(lambda x: fnp.corrcoef(x)[0, 1:], (X,), order=2)
    check_vmap(fnp.cov, (np.stack([X, -2 * X], 1),), in_axes=1)


def test_a_variable_correlates_with_itself_at_every_scale():
    grad = fad.grad(lambda x: fnp.corrcoef(x)[0, 0])(X)
    np.testing.assert_allclose(grad, 0, atol=1e-15)
