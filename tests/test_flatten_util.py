"""A pytree as one vector, and back."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.flatten_util import ravel_pytree

TREE = {"w": np.arange(6.0).reshape(2, 3), "b": (1.5, None), "n": np.arange(2)}


def test_there_and_back():
    vector, unravel = ravel_pytree(TREE)
    np.testing.assert_array_equal(vector, [1.5, 0, 1, 0, 1, 2, 3, 4, 5])
    back = unravel(vector + 1.0)
    np.testing.assert_array_equal(back["w"], TREE["w"] + 1)
    assert back["b"] == (2.5, None)
    assert back["n"].dtype == TREE["n"].dtype


def test_dtypes_are_promoted_and_restored():
    vector, unravel = ravel_pytree((np.float32(1), np.array([2j]), np.int8([3])))
    assert vector.dtype == np.complex128
    assert [np.asarray(v).dtype.char for v in unravel(vector)] == ["f", "D", "b"]


@pytest.mark.parametrize("tree", [(), None, [np.zeros((0, 2))]])
def test_trees_without_elements(tree):
    vector, unravel = ravel_pytree(tree)
    assert vector.shape == (0,)
    assert repr(unravel(vector)) == repr(tree)


def test_leaves_of_one_dtype_take_that_of_the_vector():
    vector, unravel = ravel_pytree({"w": np.ones(2), "b": 1.5})
    assert unravel(vector.astype(np.float32))["w"].dtype == np.float32
    assert unravel(vector * 1j)["b"] == 1.5j


def test_vectors_of_another_kind_are_refused():
    vector, unravel = ravel_pytree(TREE)
    with pytest.raises(ValueError, match="has 9 elements"):
        unravel(vector[1:])
    with pytest.raises(TypeError, match="dtype float64"):
        unravel(vector.astype(np.float32))


def test_gradients_go_through_both_ways():
    def loss(tree):
        return fnp.sum(tree["w"] ** 2) * tree["b"][0]

    params = {"w": TREE["w"], "b": (1.5, None)}
    vector, unravel = ravel_pytree(params)
    by_vector = fad.jit(fad.grad(lambda v: loss(unravel(v))))(vector)
    by_tree = fad.grad(loss)(params)
    np.testing.assert_allclose(by_vector, ravel_pytree(by_tree)[0])
    inside = fad.grad(lambda t: fnp.sum(ravel_pytree(t)[0] ** 2))(params)
    np.testing.assert_allclose(inside["w"], 2 * params["w"])
    rows = fad.vmap(lambda t: ravel_pytree(t)[0])({"w": TREE["w"]})
    np.testing.assert_array_equal(rows, TREE["w"])
