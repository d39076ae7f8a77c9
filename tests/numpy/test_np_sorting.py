import numpy as np
import pytest
from numpy_agreement import KNOWN_VALUES, check_agrees

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vmap

rng = np.random.default_rng(8)
X = rng.standard_normal((3, 4))
ROUND = np.round(X)
INPUTS = [X, X.astype("f4"), ROUND, ROUND.astype("i1"), X > 0, X + 1j * ROUND]


@pytest.mark.parametrize("x", INPUTS, ids=lambda x: x.dtype.name)
@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_sorting_is_that_of_numpy(name, x):
    for axis in [None, 0, -1, 2]:
        check_agrees(name, x, axis=axis)
        check_agrees(name, x, axis=axis, kind="mergesort")
        check_agrees(name, x, axis=axis, stable=True)
    check_agrees(name, x, kind="stable", stable=True)
    check_agrees(name, x[0, 0])
    check_agrees(name, x[:0])


def test_sorting_puts_nans_last():
    x = np.array([2.0, np.nan, 1.0, -np.inf, np.inf])
    check_agrees("sort", x)
    check_agrees("argsort", x)


def test_order_needs_fields():
    check_agrees("sort", X, order="a")


def test_partition_puts_the_asked_elements_in_their_places():
    for kth in (1, -2, (0, 2), np.array([1, 3])):
        x = fad.vjp(lambda x, kth=kth: fnp.partition(x, kth, axis=1), X)[0]
        np.testing.assert_array_equal(x[:, kth], np.sort(X, 1)[:, kth])
        np.testing.assert_array_equal(np.sort(x, 1), np.sort(X, 1))
        check_agrees("argpartition", X, kth, axis=1)


@pytest.mark.parametrize("x", INPUTS, ids=lambda x: x.dtype.name)
def test_sort_complex(x):
    check_agrees("sort_complex", x)


def test_descending_order_of_the_array_api_standard():
    x = np.array([[2.0, 3.0, 2.0], [1.0, 1.0, 5.0]])
    down = lambda x, axis=-1: fnp.sort(x, axis=axis, descending=True)
    for value in (down(x), fad.jvp(down, (x,), (x,))[0], fad.jit(down)(x)):
        np.testing.assert_array_equal(value, [[3.0, 2.0, 2.0], [5.0, 1.0, 1.0]])
    np.testing.assert_array_equal(down(x, None), [5.0, 3.0, 2.0, 2.0, 1.0, 1.0])
    order = lambda x: fnp.argsort(x, descending=True)
    for value in (order(x), fad.jvp(order, (x,), (x,))[0]):
        np.testing.assert_array_equal(value, [[1, 0, 2], [2, 0, 1]])  # ties in order
    flat = fnp.argsort(x, axis=None, descending=True)
    np.testing.assert_array_equal(flat, [5, 1, 0, 2, 3, 4])
    grad = fad.grad(lambda x: fnp.sum(down(x) * np.arange(3.0)))(x)
    np.testing.assert_array_equal(np.sort(grad, 1), [[0.0, 1.0, 2.0]] * 2)
    np.testing.assert_array_equal(grad[0, 1], 0.0)


def test_searching_in_order():
    table = np.sort(X[0])
    check_agrees("searchsorted", table, X)
    check_agrees("searchsorted", table, X, side="right")
    check_agrees("searchsorted", X[0], 0.0, sorter=np.argsort(X[0]))
    check_agrees("digitize", X, table)
    check_agrees("digitize", X, table[::-1], right=True)
    check_agrees("lexsort", ROUND)
    keys = lambda x: fnp.lexsort((x[0], fnp.round(x[1])))
    want = np.lexsort((X[0], np.round(X[1])))
    np.testing.assert_array_equal(fad.jvp(keys, (X,), (X,))[0], want)


def test_derivatives_are_carried_to_where_elements_came_from():
    check_grads(lambda x: fnp.sort(x, axis=None) ** 2, (X,), order=2)
    check_grads(lambda x: fnp.sort(x, axis=0), (X + 1j * ROUND,), order=2)
    check_grads(lambda x: fnp.partition(x, (1, 2), axis=1), (X,), order=2)
    check_grads(fnp.sort_complex, (X,), order=2)
    check_vmap(lambda x: fnp.sort(x, axis=0), (np.stack([X, -X], 1),), in_axes=1)


def test_searching_has_no_derivative():
    f = lambda x: x * fnp.searchsorted(np.array([0.0, 1.0]), x)
    assert fad.grad(f)(0.5) == 1.0


def test_methods_that_sort_in_place():
    def f(x):
        x = x * 2.0
        x.sort()
        return x * np.arange(3.0)

    x = np.array([3.0, 1.0, 2.0])
    out, pull = fad.vjp(f, x)
    np.testing.assert_array_equal(out, [0.0, 4.0, 12.0])
    np.testing.assert_array_equal(pull(np.ones(3))[0], [4.0, 0.0, 2.0])


def test_methods_that_return_positions():
    f = lambda x: (x.argsort(), x.argpartition(1), x.searchsorted(0.0))
    x = np.array([3.0, -1.0, 2.0])
    order, part, place = fad.jvp(f, (x,), (x,))[0]
    np.testing.assert_array_equal(order, [1, 2, 0])
    assert part[1] == 2
    assert place == np.searchsorted(x, 0.0)


def test_bincount_is_linear_in_weights():
    labels = np.array([1, 0, 3, 3])
    f = lambda w: fnp.bincount(labels, w, 6)
    out = fad.vjp(f, X[0])[0]
    np.testing.assert_array_equal(out, np.bincount(labels, X[0], 6))
    check_grads(f, (X[0],), order=2)
    check_vmap(f, (X,))
    check_agrees("bincount", np.array([1, -1]), ways=KNOWN_VALUES)


def test_counts_of_unknown_labels_are_refused():
    with pytest.raises(TypeError, match="shape of the result depends on values"):
        fad.vmap(fnp.bincount)(np.array([[0, 1], [1, 1]]))
