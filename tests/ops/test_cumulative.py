import numpy as np
import pytest

import fad
from fad.core.trace import aval_of
from fad.ops import cumulative as ops
from fad.testing import check_grads, check_vjp_jvp_duality, check_vmap

rng = np.random.default_rng(4)
X = rng.standard_normal((3, 7))
ZEROS = np.where(X > 0.4, 0.0, X)


@pytest.mark.parametrize(
    "x", [X, ZEROS, X + 1j * X[::-1]], ids=["x", "zeros", "complex"]
)
@pytest.mark.parametrize("axis", [0, 1])
def test_running_products_to_third_order(axis, x):
    f = lambda x: ops.cumprod(x, axis=axis)
    check_grads(f, (x,), order=3, directions=2, rtol=1e-6, atol=1e-6)
    check_vjp_jvp_duality(f, (x,))
    check_vmap(f, (np.stack([x, -x], 1),), in_axes=1)


def test_running_product_with_zeros_has_the_exact_hessian():
    f = lambda x: ops.cumsum(ops.cumprod(x, axis=0), axis=0, reverse=False)[-1]
    want = [[0.0, 1.0, 5.0], [1.0, 0.0, 0.0], [5.0, 0.0, 0.0]]
    np.testing.assert_array_equal(fad.hessian(f)(np.array([0.0, 5.0, 0.0])), want)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_recurrence_is_its_definition(axis, reverse):
    a, b = X, X + 1.0
    r = np.moveaxis(ops.recurrence(a, b, axis=axis, reverse=reverse), axis, 0)
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    if reverse:
        a, b, r = a[::-1], b[::-1], r[::-1]
    total = np.zeros_like(b[0])
    for k in range(len(r)):
        total = b[k] + a[k] * total
        np.testing.assert_allclose(r[k], total, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("reverse", [False, True])
def test_recurrence_derivatives_by_each_input(reverse):
    f = lambda a, b: ops.recurrence(a, b, axis=1, reverse=reverse)
    check_grads(f, (X, ZEROS), order=2)
    check_vjp_jvp_duality(f, (X, ZEROS))
    for i in (0, 1):
        g = lambda v, i=i: f(v, X) if i == 0 else f(X, v)
        check_grads(g, (ZEROS,), order=2)
    check_vmap(f, (X, np.stack([X, -X], 2)), in_axes=(None, 2))
    check_vmap(f, (np.stack([X, -X], 1), X), in_axes=(1, None))


@pytest.mark.parametrize("reverse", [False, True])
def test_running_sum_is_linear(reverse):
    f = lambda x: ops.cumsum(x, axis=1, reverse=reverse)
    check_grads(f, (X,), order=2)
    check_vjp_jvp_duality(f, (X,))
    assert ops.cumsum.plan(0b11).picks == ()


def test_running_maximum_is_that_of_numpy_with_its_nans():
    x = np.array([[1.0, 3.0, 2.0, np.nan, 5.0], [2.0, 2.0, 1.0, 3.0, 3.0]])
    np.testing.assert_array_equal(ops.cummax(x, 1), np.maximum.accumulate(x, 1))
    np.testing.assert_array_equal(ops.cummin(x, 1), np.minimum.accumulate(x, 1))


@pytest.mark.parametrize("extremum", [ops.cummax, ops.cummin])
def test_running_extrema_derivatives(extremum):
    for axis in (0, 1):
        check_grads(lambda x, axis=axis: extremum(x, axis), (X,), order=2)
        check_vmap(lambda x: extremum(x, 0), (X,), in_axes=axis)


def test_running_maximum_takes_the_last_of_ties():
    (grad,) = fad.vjp(lambda x: ops.cummax(x, 0), np.array([2.0, 2.0, 1.0]))[1](
        np.array([1.0, 10.0, 100.0])
    )
    np.testing.assert_array_equal(grad, [1.0, 110.0, 0.0])


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f2", "f4", "c8"])
def test_inferred_avals_are_those_of_the_results(dtype):
    x = np.ones((2, 3), dtype)
    for prim, params in [
        (ops.cumsum, {"axis": 1, "reverse": True}),
        (ops.cumprod, {"axis": 0}),
        (ops.cumargmax, {"axis": 0}),
    ]:
        assert prim.infer(aval_of(x), **params) == aval_of(prim(x, **params))


def test_long_products_do_not_recurse_or_square_memory():
    x = np.full(20_000, 1.0 + 1e-6)
    grad = fad.grad(lambda x: ops.cumprod(x, axis=0)[-1])(x)
    np.testing.assert_allclose(grad, np.prod(x) / x, rtol=1e-10)
