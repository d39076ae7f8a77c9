"""Reductions by any operation, windows, running sums and sorting of fad.lax."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import lax

rng = np.random.default_rng(1)
X = rng.standard_normal((3, 5))


def hypot(a, b):
    return fnp.sqrt(a * a + b * b)


@pytest.mark.parametrize("jit", [lambda f: f, fad.jit])
@pytest.mark.parametrize(
    ("operation", "neutral", "want"),
    [
        (lax.add, 0.0, np.sum),
        (lambda a, b: b * a, 1.0, np.prod),
        (lax.max, -np.inf, np.max),
        (fnp.minimum, np.inf, np.min),
        (hypot, 0.0, np.linalg.norm),
    ],
)
def test_reduce_by_well_known_and_other_operations(operation, neutral, want, jit):
    for axes in [(0,), (1,), (-1,)]:
        got = jit(lambda x, axes=axes: lax.reduce(x, neutral, operation, axes))(X)
        np.testing.assert_allclose(got, want(X, axis=axes[0]))
    got = jit(lambda x: lax.reduce(x, neutral, operation, (0, 1)))(X)
    np.testing.assert_allclose(got, want(X.ravel()))
    assert lax.reduce(X[:, :0], neutral, operation, (1,)).shape == (3,)


def test_reduce_keeps_the_order_of_elements():
    last = lambda a, b: b
    np.testing.assert_array_equal(lax.reduce(X, 0.0, last, (1,)), X[:, -1])


def test_reduce_of_trees_and_its_errors():
    both = lambda a, b: (fnp.minimum(a[0], b[0]), fnp.maximum(a[1], b[1]))
    low, high = lax.reduce((X, X), (np.inf, -np.inf), both, (1,))
    np.testing.assert_array_equal(low, X.min(1))
    np.testing.assert_array_equal(high, X.max(1))
    with pytest.raises(TypeError, match="structure of the operands"):
        lax.reduce((X, X), 0.0, both, (1,))
    with pytest.raises(TypeError, match="return the structure"):
        lax.reduce(X, 0.0, lambda a, b: (a, b), (1,))


def test_derivatives_of_reduce():
    f = lambda x: lax.reduce(x, 0.0, hypot, (1,))
    fad.testing.check_grads(f, (X,), order=2)
    np.testing.assert_allclose(fad.vmap(f)(X[:, None])[:, 0], np.linalg.norm(X, axis=1))


def test_reductions_by_name():
    np.testing.assert_allclose(lax.reduce_sum(X, (0,)), X.sum(0))
    np.testing.assert_allclose(lax.reduce_prod(X, (0, 1)), X.prod())
    np.testing.assert_array_equal(lax.reduce_max(X, (1,)), X.max(1))
    np.testing.assert_array_equal(lax.reduce_min(X, (1,)), X.min(1))
    np.testing.assert_array_equal(lax.reduce_or(X > 0, (1,)), (X > 0).any(1))
    np.testing.assert_array_equal(lax.reduce_and(X > 0, (1,)), (X > 0).all(1))
    np.testing.assert_array_equal(lax.reduce_xor(X > 0, (0,)), (X > 0).sum(0) % 2)
    where = lax.argmax(X, 1, np.int32)
    np.testing.assert_array_equal(where, X.argmax(1))
    assert where.dtype == np.int32
    np.testing.assert_array_equal(lax.argmin(X, 0), X.argmin(0))


def test_windows():
    got = lax.reduce_window(X, 0.0, lax.add, (2, 3))
    want = np.array(
        [[X[i : i + 2, j : j + 3].sum() for j in range(3)] for i in range(2)]
    )
    np.testing.assert_allclose(got, want)
    got = lax.reduce_window(X, -np.inf, lax.max, (2, 2), (2, 2), "SAME")
    padded = np.pad(X, ((0, 1), (0, 1)), constant_values=-np.inf)
    np.testing.assert_array_equal(
        got, padded.reshape(2, 2, 3, 2).transpose(0, 2, 1, 3).reshape(2, 3, 4).max(-1)
    )
    line = np.arange(1.0, 5.0)
    spread = lax.reduce_window(
        line, 0.0, lax.add, (2,), (1,), ((1, 0),), base_dilation=(2,)
    )
    np.testing.assert_array_equal(spread, [1, 1, 2, 2, 3, 3, 4])
    wide = lax.reduce_window(line, 0.0, lax.add, (2,), window_dilation=(2,))
    np.testing.assert_array_equal(wide, [4, 6])


def test_gradient_of_max_pooling():
    pool = lambda x: lax.reduce_window(x, -np.inf, lax.max, (2, 2), (1, 2))
    fad.testing.check_grads(pool, (X,), order=1)


def test_running_results():
    np.testing.assert_allclose(lax.cumsum(X, 1), X.cumsum(1))
    np.testing.assert_allclose(
        lax.cumsum(X, axis=1, reverse=True), X[:, ::-1].cumsum(1)[:, ::-1]
    )
    np.testing.assert_allclose(lax.cumprod(X), X.cumprod(0))
    np.testing.assert_array_equal(lax.cummax(X, 1), np.maximum.accumulate(X, 1))
    np.testing.assert_array_equal(lax.cummin(X, -1), np.minimum.accumulate(X, 1))
    np.testing.assert_allclose(lax.cumlogsumexp(X, 1), np.log(np.exp(X).cumsum(1)))
    with pytest.raises(ValueError, match="out of bounds"):
        lax.cumsum(X, axis=2)


def test_sorting():
    np.testing.assert_array_equal(lax.sort(X, dimension=0), np.sort(X, 0))
    keys, values = lax.sort_key_val(X, -X)
    np.testing.assert_array_equal(keys, np.sort(X))
    np.testing.assert_array_equal(values, -keys)
    first = np.array([1, 0, 1, 0])
    second = np.array([4.0, 3.0, 2.0, 1.0])
    got = lax.sort((first, second, np.arange(4)), num_keys=2)
    np.testing.assert_array_equal(got[2], [3, 1, 2, 0])
    with pytest.raises(ValueError, match="num_keys"):
        lax.sort((first, second), num_keys=3)
    values, where = lax.top_k(X, 2, axis=0)
    np.testing.assert_array_equal(values, np.sort(X, 0)[:0:-1])
    np.testing.assert_array_equal(np.take_along_axis(X, where, 0), values)
    with pytest.raises(ValueError, match="k must be"):
        lax.top_k(X, 6)
