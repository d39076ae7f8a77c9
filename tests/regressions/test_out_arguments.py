"""`out=` writes into traced arrays, and refuses what would lose derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import fad
import fad.numpy as fnp

X = np.arange(1.0, 7.0).reshape(2, 3)


def _chain(x):
    y = 1.0 * x
    np.cumsum(x, axis=0, out=y)
    np.clip(y, 2.0, 6.0, out=y)
    total = fnp.zeros_like(y[0])
    np.sum(y, axis=0, out=total)
    return fnp.sum(total**2)


def test_functions_write_into_traced_arrays():
    with np.errstate(all="raise"):
        assert_array_equal(fad.grad(_chain)(X), [[14.0, 16.0, 18.0], [14.0, 0.0, 0.0]])


def test_writes_into_traced_arrays_are_staged():
    assert fad.jit(_chain)(X) == _chain(X.copy())


def test_method_writes_into_its_own_array():
    def f(x):
        y = 1.0 * x
        y.clip(2.0, 4.0, out=y)
        return fnp.sum(y)

    assert_array_equal(fad.grad(f)(X), [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])


def test_result_is_the_array_written_to():
    def f(x):
        y = 1.0 * x
        assert fnp.cumsum(x, axis=1, out=y) is y
        return fnp.sum(y)

    assert_array_equal(fad.grad(f)(X), [[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda x: np.sum(x, axis=0, out=1.0 * x),
            ValueError,
            r"out= of shape \(2, 3\)",
        ),
        (lambda x: np.sum(x, axis=0, out=np.ones(3)), TypeError, "plain array"),
        (lambda x: np.cumsum(x, 0, None, 1.0 * x), TypeError, "by keyword"),
        (lambda x: np.cumsum(1j * x, out=x.ravel()), TypeError, "same_kind"),
    ],
    ids=["shape", "plain", "positional", "dtype"],
)
def test_what_cannot_be_written_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        fad.grad(lambda x: fnp.sum(call(x)))(X)


def test_nan_to_num_without_copy_writes_in_place():
    def f(x):
        y = 2.0 * x
        np.nan_to_num(y, copy=False, nan=7.0)
        return fnp.sum(y)

    x = np.array([np.nan, 1.0])
    value, slope = fad.value_and_grad(f)(x)
    assert value == 9.0
    assert_array_equal(slope, [0.0, 2.0])
