"""fad.scipy.optimize.minimize: SciPy's solvers with exact derivatives on pytrees."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy_or_error import needs_scipy

import fad
import fad.numpy as fnp
from fad.scipy.derivatives import hessian_product, ravel, value_and_gradient
from fad.scipy.optimize import minimize

START = {"x": -1.0, "y": np.zeros(2)}


def rosenbrock(p):
    return (1 - p["x"]) ** 2 + 100 * fnp.sum((p["y"] - p["x"] ** 2) ** 2)


@pytest.mark.parametrize(
    "method",
    [None, "BFGS", "L-BFGS-B", "Newton-CG", "trust-ncg", "trust-exact", "SLSQP"],
)
@needs_scipy
def test_solvers_find_the_minimum_and_keep_the_structure(method):
    result = minimize(rosenbrock, START, method=method, tol=1e-9)
    assert set(result.x) == {"x", "y"}
    assert_allclose(result.x["x"], 1, atol=2e-4)
    assert_allclose(result.x["y"], [1, 1], atol=4e-4)
    assert set(result.jac) == {"x", "y"}


@needs_scipy
def test_gradients_and_hessian_products_are_exact_so_steps_are_few():
    """Newton's method finds the minimum of a quadratic function in a step or two."""
    scales = np.logspace(0, 3, 6)
    quadratic = lambda x: fnp.sum(scales * (x - 1) ** 2)
    result = minimize(quadratic, np.zeros(6), method="trust-exact")
    assert_allclose(result.x, 1, rtol=1e-10)
    assert result.nit <= 4


@needs_scipy
def test_compiled_functions_take_the_same_way():
    plain = minimize(rosenbrock, START, method="BFGS")
    compiled = minimize(rosenbrock, START, method="BFGS", jit=True)
    assert compiled.nit == plain.nit
    assert_allclose(compiled.x["y"], plain.x["y"], 1e-8)


@needs_scipy
def test_callback_sees_every_iteration_and_may_stop():
    seen = []

    def watch(progress):
        seen.append(progress)
        if progress.nit == 3:
            raise StopIteration

    minimize(rosenbrock, START, callback=watch)
    assert [p.nit for p in seen] == [1, 2, 3]
    assert [p.fun for p in seen] == [float(rosenbrock(p.x)) for p in seen]


@needs_scipy
def test_bounds_may_be_pytrees_like_the_start():
    low, high = {"x": -2.0, "y": 0.0}, {"x": 0.5, "y": np.array([3.0, 3.0])}
    result = minimize(rosenbrock, START, method="L-BFGS-B", bounds=(low, high))
    assert_allclose(result.x["x"], 0.5)
    assert_allclose(result.x["y"], 0.25, atol=1e-4)


@needs_scipy
def test_bounds_may_be_pairs():
    f = lambda x: fnp.sum((x - 2) ** 2)
    result = minimize(f, np.zeros(2), bounds=[(0, 1), (0, 3)])
    assert_allclose(result.x, [1, 2], atol=1e-6)


@needs_scipy
def test_solver_without_derivatives_and_further_arguments():
    f = lambda x, a: (x - a) ** 2
    result = minimize(f, 0.0, args=(3.0,), method="Nelder-Mead")
    assert float(result.x) == pytest.approx(3, abs=1e-3)


@needs_scipy
def test_single_precision_leaves_stay_single():
    result = minimize(lambda x: fnp.sum((x - 1) ** 2), np.zeros(2, np.float32))
    assert result.x.dtype == np.float32


@needs_scipy
def test_traced_start_is_refused_with_the_remedy():
    solve = lambda a: minimize(lambda x: (x - a) ** 2, a).x
    with pytest.raises(TypeError, match=r"fad\.lax\.custom_root"):
        fad.grad(solve)(1.0)


@needs_scipy
def test_function_that_is_no_scalar_is_refused():
    with pytest.raises(TypeError, match="returns one real number"):
        minimize(lambda x: x, np.zeros(2))


def test_vectors_of_pytrees_and_their_derivatives():
    vector, unravel = ravel(START, "here")
    np.testing.assert_array_equal(vector, [-1, 0, 0])
    f = lambda v: rosenbrock(unravel(v))
    value, gradient = value_and_gradient(f, vector)
    assert float(value) == 204
    np.testing.assert_array_equal(gradient, [-804, -200, -200])
    column = hessian_product(f, vector, np.array([0.0, 1.0, 0.0]))
    np.testing.assert_array_equal(column, [400, 200, 0])
    with pytest.raises(TypeError, match="here must be of real numbers"):
        ravel([1j], "here")
