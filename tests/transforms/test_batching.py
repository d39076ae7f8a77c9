"""Batching: tracers that look like one example and carry the stack."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import fad
from fad.ops.arithmetic import add, mul
from fad.ops.elementary import sin
from fad.transforms.batching import Batch

XS = np.arange(6.0).reshape(3, 2)


def test_aval_is_that_of_an_example():
    batch = Batch(3)
    assert str(batch.input(XS, 0).aval) == "f64[2]"
    assert str(Batch(2).input(XS, 1).aval) == "f64[3]"


def test_unbox_gives_stack_and_axis():
    batch = Batch(3)
    stacked, dim = batch.unbox(batch.input(XS, 0))
    assert stacked is XS
    assert dim == 0
    assert batch.unbox(5.0) == (5.0, None)


def test_axes_that_differ_and_ranks_that_differ_are_aligned():
    batch = Batch(3)
    x, y = batch.input(XS, 0), batch.input(XS.T * 10, 1)
    stacked, dim = batch.unbox(add(x, y))
    assert_array_equal(np.moveaxis(stacked, dim, 0), XS * 11)
    s = batch.input(np.array([1.0, 2.0, 3.0]), 0)
    stacked, dim = batch.unbox(mul(s, x))
    assert_array_equal(np.moveaxis(stacked, dim, 0), XS * [[1.0], [2.0], [3.0]])
    stacked, dim = batch.unbox(mul(s, np.ones((4, 2))))
    assert np.moveaxis(stacked, dim, 0).shape == (3, 4, 2)


def test_one_number_per_example_meets_few_others():
    batch, x = Batch(3), np.array([1.0, 2.0, 3.0])
    few, many = np.array([10.0, 20.0]), np.arange(8.0).reshape(2, 4)
    product = mul(few, batch.input(x, 0))
    stacked, dim = batch.unbox(add(product, product))
    assert dim == 1 and stacked.flags.c_contiguous  # many examples are quick at the end
    assert_array_equal(stacked.T, 2 * np.outer(x, few))
    stacked, dim = batch.unbox(sin(product) * few)
    assert_array_equal(np.moveaxis(stacked, dim, 0), np.sin(np.outer(x, few)) * few)
    stacked, dim = batch.unbox(mul(batch.input(x, 0), many))
    assert dim == 0 and stacked.shape == (3, 2, 4)
    assert_array_equal(stacked, x[:, None, None] * many)


def test_operations_without_examples_cost_nothing():
    assert isinstance(sin(XS), np.ndarray)


def test_resumed_opens_a_finished_batch_for_a_while():
    batch = Batch(3)
    x = batch.input(XS, 0)
    batch.open = 0
    with batch.resumed():
        with batch.resumed():
            sin(x)
        sin(x)
    with pytest.raises(TypeError, match="escaped"):
        sin(x)


def test_errors_name_the_examples_shapes():
    with pytest.raises(ValueError) as caught:
        fad.vmap(lambda x: x + np.ones(4))(XS)
    assert any("add(f64[2], f64[4])" in note for note in caught.value.__notes__)
