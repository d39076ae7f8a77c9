import numpy as np
import pytest

import fad
from fad.core.trace import aval_of
from fad.ops import reductions as ops
from fad.ops.elementary import exp, sqrt
from fad.testing import check_grads, check_vjp_jvp_duality, check_vmap

rng = np.random.default_rng(3)
X = rng.standard_normal((2, 3, 4))
ALL = ["reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_fmax"]


@pytest.mark.parametrize("axis", [(), (1,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("name", ALL)
def test_derivatives_of_both_modes_and_orders(name, axis):
    f = lambda x: exp(0.3 * getattr(ops, name)(x, axis=axis))
    check_grads(f, (X,), order=2)
    check_vjp_jvp_duality(f, (X,))
    check_vmap(f, (np.stack([X, -X], 1),), in_axes=1)


def test_product_with_zeros_is_exact_to_third_order():
    f = lambda x: ops.reduce_prod(x, axis=(0,))
    x = np.array([0.0, 2.0, 0.0, 0.0])
    third = fad.jacfwd(fad.jacrev(fad.grad(f)))(x)
    want = np.zeros((4, 4, 4))
    for i, j, k in [(0, 2, 3), (0, 3, 2), (2, 0, 3), (2, 3, 0), (3, 0, 2), (3, 2, 0)]:
        want[i, j, k] = 2.0
    np.testing.assert_array_equal(third, want)


def test_product_over_several_axes_with_zeros():
    x = np.arange(6.0).reshape(2, 3)
    grad = fad.grad(lambda x: ops.reduce_prod(x, axis=(0, 1)))(x)
    np.testing.assert_array_equal(grad, [[120.0, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize("name", ["reduce_max", "reduce_fmax"])
def test_ties_share_evenly_in_both_modes(name):
    x = np.array([[4.0, 9.0, 9.0], [1.0, 1.0, 1.0]])
    f = lambda x: getattr(ops, name)(x, axis=(1,))
    want = np.array([[0.0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]])
    (grad,) = fad.vjp(f, x)[1](np.ones(2))
    np.testing.assert_allclose(grad, want)
    t = rng.standard_normal(x.shape)
    np.testing.assert_allclose(fad.jvp(f, (x,), (t,))[1], (want * t).sum(1))


def test_max_of_infinities_and_nans_has_weights_that_sum_to_one():
    grad = fad.grad(lambda x: ops.reduce_max(x, axis=(0,)))
    inf, nan = np.inf, np.nan
    np.testing.assert_array_equal(grad(np.array([inf, 1.0, inf])), [0.5, 0, 0.5])
    np.testing.assert_array_equal(grad(np.array([-inf, -inf])), [0.5, 0.5])
    np.testing.assert_array_equal(grad(np.array([1.0, nan, 3.0])), [0, 1, 0])


def test_fmax_passes_over_nans():
    grad = fad.grad(lambda x: ops.reduce_fmax(x, axis=(0,)))
    np.testing.assert_array_equal(grad(np.array([1.0, np.nan, 3.0])), [0, 0, 1])
    np.testing.assert_array_equal(grad(np.array([np.nan, np.nan])), [0, 0])


def test_a_select_after_a_reduction_leaks_no_nan():
    from fad.ops.comparison import where

    for name in ALL:
        reduce = getattr(ops, name)
        f = lambda x, reduce=reduce: where(x[0] > 1, reduce(sqrt(x), axis=(0,)), x[1])
        np.testing.assert_array_equal(fad.grad(f)(np.array([0.0, 0.0])), [0, 1])


def test_extrema_of_nothing_raise_as_in_numpy():
    empty = np.zeros((0, 3))
    for call in (
        lambda: fad.grad(lambda x: ops.reduce_max(x, axis=(0, 1)))(empty),
        lambda: fad.make_jaxpr(lambda x: ops.reduce_min(x, axis=(0,)))(empty),
    ):
        with pytest.raises(ValueError, match="no identity"):
            call()
    assert ops.reduce_max(empty, axis=(1,)).shape == (0,)


def test_sum_of_nothing_is_zero_with_a_gradient_of_the_right_shape():
    grad = fad.grad(lambda x: ops.reduce_sum(x, axis=(0, 1)))(np.zeros((0, 3)))
    assert grad.shape == (0, 3)


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u4", "i8", "f2", "f4", "f8", "c8", "c16"]
)
@pytest.mark.parametrize("name", [*ALL, "reduce_and", "reduce_or"])
def test_inferred_avals_are_those_of_the_results(name, dtype):
    x = np.ones((2, 3), dtype)
    prim = getattr(ops, name)
    for axis in [(), (0,), (0, 1)]:
        assert prim.infer(aval_of(x), axis=axis) == aval_of(prim(x, axis=axis))
    assert prim.infer(aval_of(x[0, 0]), axis=()) == aval_of(prim(x[0, 0], axis=()))


def test_a_chain_of_sums_keeps_nothing():
    out, linear = fad.linearize(lambda x: ops.reduce_sum(x, axis=(0,)), np.ones((3, 2)))
    np.testing.assert_array_equal(out, [3.0, 3.0])
    np.testing.assert_array_equal(linear(np.full((3, 2), 2.0)), [6.0, 6.0])
    assert ops.reduce_sum.plan(0b11).picks == (-3,)  # the avals alone
