"""Blocks at traced places: dynamic slices along an axis, gather and scatter."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad import lax

rng = np.random.default_rng(0)
X = rng.standard_normal((10, 5))
ROWS = lax.GatherDimensionNumbers((1,), (0,), (0,))
WRITE_ROWS = lax.ScatterDimensionNumbers((1,), (0,), (0,))


def test_slices_along_one_axis():
    at = fad.jit(lambda i: lax.dynamic_slice_in_dim(X, i, 2, axis=1))
    np.testing.assert_array_equal(at(1), X[:, 1:3])
    want = X.copy()
    want[:, 2:4] = 7.0
    put = fad.jit(lambda i: lax.dynamic_update_slice_in_dim(X, want[:, 2:4], i, 1))
    np.testing.assert_array_equal(put(2), want)
    want = X.copy()
    want[3] = X[0]
    for update in (X[0], X[:1]):
        got = lax.dynamic_update_index_in_dim(X, update, 3, 0)
        np.testing.assert_array_equal(got, want)


def test_index_take():
    i, j = np.array([3, 1]), np.array([0, 4])
    np.testing.assert_array_equal(lax.index_take(X, (i, j), (0, 1)), X[i, j])
    np.testing.assert_array_equal(lax.index_take(X, (j,), (1,)), X.T[j])


@pytest.mark.parametrize("jit", [lambda f: f, fad.jit])
def test_gather_reads_rows_and_parts_of_rows(jit):
    i = np.array([[2], [9], [2]])
    got = jit(lambda x, i: lax.gather(x, i, ROWS, (1, 5)))(X, i)
    np.testing.assert_array_equal(got, X[i[:, 0]])
    numbers = lax.GatherDimensionNumbers((0, 2), (), (1, 0))
    got = jit(lambda x, i: lax.gather(x, i, numbers, (3, 2)))(X, np.array([[1, 6]]))
    np.testing.assert_array_equal(got[:, 0], X[6:9, 1:3])


def test_gather_walks_batching_axes_together():
    numbers = lax.GatherDimensionNumbers((), (1,), (1,), (0,), (0,))
    i = rng.integers(0, 5, (10, 3, 1))
    got = lax.gather(X, i, numbers, (1, 1))
    np.testing.assert_array_equal(got, np.take_along_axis(X, i[..., 0], 1))


def test_gather_out_of_bounds_moves_or_fills_blocks():
    i = np.array([[0], [10], [-1]])
    read = lambda x, **options: lax.gather(x, i, ROWS, (1, 5), **options)
    np.testing.assert_array_equal(read(X), X[[0, 9, 0]])
    np.testing.assert_array_equal(read(X, mode="clip"), X[[0, 9, 0]])
    filled = read(X, mode="fill")
    np.testing.assert_array_equal(filled[0], X[0])
    assert np.isnan(filled[1:]).all()
    assert (read(X, mode="fill", fill_value=3.0)[1:] == 3.0).all()
    lowest = read(X.astype(np.int32), mode="fill")[1:]
    assert (lowest == np.iinfo(np.int32).min).all() and lowest.dtype == np.int32
    assert (read(X.astype(np.uint8), mode="fill")[1:] == 255).all()
    assert read(X > 0, mode="fill")[1:].all()
    with pytest.raises(ValueError, match="mode must be 'clip'"):
        read(X, mode="wrap")


def test_gather_and_its_gradient_under_vmap():
    i = np.array([[2], [2], [0]])
    read = lambda x: lax.gather(x, i, ROWS, (1, 5))
    stack = np.stack([X, -X])
    np.testing.assert_array_equal(fad.vmap(read)(stack), stack[:, [2, 2, 0]])
    each = fad.vmap(lambda i: lax.gather(X, i, ROWS, (1, 5)), in_axes=2)
    np.testing.assert_array_equal(each(np.stack([i, i + 1], 2))[1], X[[3, 3, 1]])
    fad.testing.check_grads(lambda x: fnp.sin(read(x)), (X,), order=2)


OPERATIONS = {
    lax.scatter_add: np.add,
    lax.scatter_sub: np.subtract,
    lax.scatter_mul: np.multiply,
    lax.scatter_min: np.minimum,
    lax.scatter_max: np.maximum,
}


@pytest.mark.parametrize("scatter", OPERATIONS, ids=lambda f: f.__name__)
def test_scatter_combines_all_updates_of_an_element(scatter):
    i, u = np.array([[2], [0], [2], [10]]), rng.standard_normal((4, 3))
    want = X.copy()
    for k in range(3):
        row = want[i[k, 0], :3]
        want[i[k, 0], :3] = OPERATIONS[scatter](row, u[k])
    write = lambda x, u: scatter(x, i, u, WRITE_ROWS)
    np.testing.assert_allclose(write(X, u), want)
    np.testing.assert_allclose(fad.jit(write)(X, u), want)
    np.testing.assert_allclose(fad.vmap(write, (None, 0))(X, u[None])[0], want)
    fad.testing.check_grads(write, (X, u), order=2)


def test_scatter_writes_and_drops_or_moves_what_does_not_fit():
    i = np.array([[4], [12]])
    u = np.stack([np.zeros(5), np.ones(5)])
    want = X.copy()
    want[4] = 0.0
    np.testing.assert_array_equal(lax.scatter(X, i, u, WRITE_ROWS), want)
    want[9] = 1.0
    np.testing.assert_array_equal(lax.scatter(X, i, u, WRITE_ROWS, mode="clip"), want)
