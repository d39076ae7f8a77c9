import numpy as np
import pytest
from numpy_agreement import check_agrees

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vmap

rng = np.random.default_rng(10)
X = rng.standard_normal((3, 4))
AT = np.array([0.0, 1.0, 2.5, 3.0])
INPUTS = [X, X.astype("f4"), X + 1j, np.arange(12).reshape(3, 4) ** 2]


@pytest.mark.parametrize("x", [*INPUTS, X > 0], ids=lambda x: x.dtype.name)
def test_differences_are_those_of_numpy(x):
    check_agrees("diff", x)
    check_agrees("diff", x, 2, axis=0)
    check_agrees("diff", x, n=7)
    check_agrees("diff", x, prepend=0.0, append=x[:, :2])
    check_agrees("diff", x, -1)
    check_agrees("diff", x, axis=2)
    check_agrees("diff", x[0, 0])
    check_agrees("diff", x[:, :0])


def test_differences_of_neighbours_between_given_ends():
    check_agrees("ediff1d", X)
    check_agrees("ediff1d", X, to_end=1.0, to_begin=X[0, :2])
    check_agrees("ediff1d", INPUTS[3], to_end=0.5)


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("x", INPUTS, ids=lambda x: x.dtype.name)
def test_gradients_are_those_of_numpy(x, edge_order):
    tol = 1e-5 if x.dtype == "f4" else 1e-13
    for spacing in [(), (2.0,), (2.0, AT), (AT[:3] * 2, 0.5)]:
        check_agrees("gradient", x, *spacing, edge_order=edge_order, rtol=tol)
    check_agrees("gradient", x, AT, axis=1, edge_order=edge_order, rtol=tol)
    check_agrees("gradient", x, np.arange(4), axis=-1, edge_order=edge_order, rtol=tol)
    check_agrees("gradient", x, axis=(1, 0), edge_order=edge_order, rtol=tol)


def test_gradient_errors_are_those_of_numpy():
    check_agrees("gradient", X, 1.0, 2.0, 3.0)
    check_agrees("gradient", X, AT[:2], axis=1)
    check_agrees("gradient", X, axis=(0, 0))
    check_agrees("gradient", X, edge_order=3)
    check_agrees("gradient", X[:1])
    check_agrees("gradient", X, X, axis=0)


@pytest.mark.parametrize("x", INPUTS, ids=lambda x: x.dtype.name)
def test_integrals_are_those_of_numpy(x):
    tol = 1e-5 if x.dtype == "f4" else 1e-13
    check_agrees("trapezoid", x, rtol=tol)
    check_agrees("trapezoid", x, dx=0.5, axis=0, rtol=tol)
    check_agrees("trapezoid", x, AT, rtol=tol)
    check_agrees("trapezoid", x, X, axis=0, rtol=tol)


def test_derivatives_by_values_and_by_coordinates():
    check_grads(lambda x, p: fnp.diff(x, 2, 0, prepend=p), (X, X[:1] * 2), order=2)
    check_grads(lambda x, e: fnp.ediff1d(x, e), (X, X[0]), order=2)
    check_grads(lambda y, x: fnp.trapezoid(y, x), (X, AT), order=2)
    check_grads(lambda y, h: fnp.trapezoid(y, dx=h, axis=0), (X, 0.3), order=2)
    for edge_order in (1, 2):
        f = lambda x, h, at, k=edge_order: fnp.gradient(x, h, at, edge_order=k)
        check_grads(f, (X, 0.7, AT), order=2)
    check_vmap(lambda x: fnp.gradient(x, axis=0), (np.stack([X, -X], 1),), in_axes=1)


def test_uniform_coordinates_give_the_uniform_slopes():
    line = np.arange(5.0)
    f = lambda at: fnp.gradient(line**2, at, edge_order=2)
    np.testing.assert_allclose(fad.vjp(f, line)[0], 2 * line, atol=1e-14)
