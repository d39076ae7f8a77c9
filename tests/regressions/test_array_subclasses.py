"""Subclasses of ndarray that redefine operations are refused, others are arrays."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import fad
import fad.numpy as fnp

X = np.arange(1.0, 4.0)
MASKED = np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])
MATRIX = X[None].view(np.matrix)  # the constructor warns


class Tagged(np.ndarray):
    """An array with a name."""


@pytest.mark.parametrize("other", [MASKED, MATRIX], ids=["masked", "matrix"])
@pytest.mark.parametrize(
    "operation",
    [
        lambda x, y: x * y,
        lambda x, y: np.multiply(x, y),
        lambda x, y: fnp.add(y, x),
        lambda x, y: fnp.where(y > 1.0, x, 0.0),
        lambda x, y: x**y,
    ],
    ids=["operator", "numpy", "fad", "where", "power"],
)
def test_operations_of_another_meaning_are_not_lost_in_silence(operation, other):
    with pytest.raises(TypeError, match="does not mix with traced values"):
        fad.grad(lambda x: fnp.sum(operation(x, other)))(X)


@pytest.mark.parametrize(
    "transform", [fad.grad, fad.jit, fad.vmap], ids=["grad", "jit", "vmap"]
)
@pytest.mark.parametrize("argument", [MASKED, MATRIX], ids=["masked", "matrix"])
def test_arguments_of_another_meaning_are_refused(transform, argument):
    with pytest.raises(TypeError, match="must be arrays or numbers"):
        transform(fnp.sum)(argument)


def test_other_subclasses_count_as_arrays():
    tagged = X.view(Tagged)
    assert_array_equal(fad.grad(lambda x: fnp.sum(x * tagged))(X), X)


def test_plain_calls_are_numpys():
    assert_array_equal(fnp.sum(MASKED), 4.0)
    assert type(fnp.multiply(MATRIX, 2.0)) is np.matrix
