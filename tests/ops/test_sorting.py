import numpy as np
import pytest

import fad
from fad.ops import sorting as ops
from fad.testing import check_grads, check_vjp_jvp_duality, check_vmap

rng = np.random.default_rng(5)
X = rng.standard_normal((3, 5))


@pytest.mark.parametrize("axis", [0, 1])
def test_sort_and_partition_are_gathers(axis):
    for f in (lambda x: ops.sort(x, axis), lambda x: ops.partition(x, (0, 2), axis)):
        check_grads(f, (X,), order=2)
        check_vjp_jvp_duality(f, (X,))
        check_vmap(f, (np.stack([X, -X], 1),), in_axes=1)


def test_stable_sort_of_ties_keeps_the_order():
    x = np.array([2.0, 1.0, 2.0, 1.0])
    jacobian = fad.jacrev(lambda x: ops.sort(x, 0, "stable"))(x)
    np.testing.assert_array_equal(jacobian, np.eye(4)[[1, 3, 0, 2]])


def test_orders_batch_as_loops():
    f = lambda x: ops.argsort(x, axis=0, kind="stable")
    check_vmap(f, (X,), in_axes=1)
    check_vmap(lambda x: ops.argpartition(x, kth=1, axis=0), (X,), in_axes=1)
    keys = lambda a, b: ops.lexsort(a, b, axis=0)
    check_vmap(keys, (X, np.round(X[:, 0])), in_axes=(1, None))


@pytest.mark.parametrize("which", [0, 1])
def test_look_ups_batch_over_values_and_over_tables(which):
    table = np.sort(X, axis=1)
    args = (table, X[0]) if which == 0 else (table[0], X)
    in_axes = (0, None) if which == 0 else (None, 0)
    check_vmap(lambda a, v: ops.searchsorted(a, v, side="left"), args, in_axes)
    check_vmap(lambda a, v: ops.digitize(v, a, right=True), args, in_axes)
    check_vmap(lambda a, v: ops.isin(v, a, invert=False) * 1, args, in_axes)


def test_bincount_adds_weights_up_and_looks_totals_up():
    labels = np.array([2, 0, 2, 5])
    w = np.array([1.0, 10.0, 100.0, 1000.0])
    f = lambda w: ops.bincount(labels, w, length=6)
    np.testing.assert_array_equal(f(w), [10, 0, 101, 0, 0, 1000])
    np.testing.assert_array_equal(
        fad.vjp(f, w)[1](np.arange(6.0))[0], [2.0, 0.0, 2.0, 5.0]
    )
    check_grads(f, (w,), order=2)


@pytest.mark.parametrize("dtype", ["i8", "f4", "f8", "c16"])
def test_bincount_keeps_the_dtype_of_weights(dtype):
    w = np.array([1, 2, 3]).astype(dtype)
    total = ops.bincount(np.array([1, 1, 0]), w, length=2)
    assert total.dtype == w.dtype
    np.testing.assert_array_equal(total, [3, 3])


def test_bincount_batches_labels_and_weights():
    labels = np.array([[0, 1, 1], [2, 2, 0]])
    w = rng.standard_normal((2, 3))
    f = lambda x, w: ops.bincount(x, w, length=3)
    check_vmap(f, (labels, w))
    check_vmap(f, (labels[0], w), in_axes=(None, 0))
    check_vmap(f, (labels, w[0]), in_axes=(0, None))
