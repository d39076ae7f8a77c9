import inspect

import numpy as np
import pytest
from numpy_agreement import check_agrees

import fad
import fad.numpy as fnp
from fad.testing import check_grads, check_vmap

rng = np.random.default_rng(1)
X = rng.standard_normal((3, 4))
INTS = rng.integers(-3, 4, size=(3, 4))
MASK = X > 0
INPUTS = {
    "f8": X,
    "f4": X.astype("f4"),
    "f2": X.astype("f2"),
    "c16": X + 1j * X[::-1],
    "i8": INTS,
    "i1": INTS.astype("i1"),
    "bool": MASK,
}
NUMBERS = ["sum", "prod", "max", "min", "amax", "amin", "ptp"]
LOGIC = ["all", "any", "count_nonzero"]


@pytest.mark.parametrize("dtype", INPUTS)
@pytest.mark.parametrize("name", NUMBERS + LOGIC)
def test_values_and_dtypes_are_those_of_numpy(name, dtype):
    for axis in [None, 0, -1, (0, 1), (1,), ()]:
        check_agrees(name, INPUTS[dtype], axis=axis)
    check_agrees(name, INPUTS[dtype], axis=1, keepdims=True)
    check_agrees(name, INPUTS[dtype][0, 0])


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions_are_those_of_numpy(name):
    for axis in [None, 0, -1, 5]:
        for keepdims in [False, True]:
            check_agrees(name, INTS * 1.0, axis=axis, keepdims=keepdims)
    check_agrees(name, np.float64(3.0), axis=0)
    check_agrees(name, np.array([1.0, np.nan, 3.0]))
    check_agrees(name, np.zeros((0, 3)))


@pytest.mark.parametrize("name", NUMBERS[:4])
def test_initial_and_where(name):
    for x in (X, INPUTS["f4"], INTS):
        check_agrees(name, x, initial=2)
        check_agrees(name, x, axis=0, initial=np.float64(1.5), where=MASK)
        check_agrees(name, x, axis=1, keepdims=True, initial=0, where=MASK[:1])
        check_agrees(name, x, where=MASK)
    check_agrees(name, np.zeros((0, 3)), axis=0, initial=1.0)


def test_dtype_is_taken_before_summing():
    check_agrees("sum", INPUTS["i1"], dtype="i1")
    check_agrees("sum", INPUTS["f2"], dtype="f8", axis=0)
    check_agrees("prod", X, dtype="c16")


def test_errors_are_those_of_numpy():
    for name in NUMBERS + LOGIC:
        check_agrees(name, X, axis=2)
        check_agrees(name, X, axis=(0, 0))
    for name in NUMBERS[2:]:
        check_agrees(name, np.zeros((0, 3)))
        check_agrees(name, np.zeros((0, 3)), axis=1)


@pytest.mark.parametrize("name", NUMBERS)
def test_out_is_refused_for_traced_values(name):
    with pytest.raises(TypeError, match="out="):
        fad.grad(lambda x: getattr(fnp, name)(x, out=np.zeros(())))(X)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "all", "any"])
def test_methods_and_numpy_functions_reach_the_same(name):
    f = lambda x: (
        getattr(x, name)(axis=1),
        getattr(np, name)(x, 1),
        getattr(fnp, name)(x, axis=1),
    )
    for out in fad.jvp(f, (X,), (X,))[0]:
        np.testing.assert_array_equal(out, getattr(np, name)(X, axis=1))


@pytest.mark.parametrize("name", [*NUMBERS, *LOGIC, "argmax", "argmin"])
def test_signatures_are_those_of_numpy(name):
    parameters = inspect.signature(getattr(fnp, name)).parameters
    assert list(parameters) == list(inspect.signature(getattr(np, name)).parameters)


@pytest.mark.parametrize("name", NUMBERS)
def test_derivatives(name):
    for axis in [None, 1]:
        f = lambda x, axis=axis: getattr(fnp, name)(x, axis=axis, keepdims=True) ** 2
        check_grads(f, (X,), order=2)
    check_vmap(lambda x: getattr(fnp, name)(x, axis=0), (np.stack([X, -X], 2),), 2)


def test_initial_takes_part_in_ties_and_has_a_derivative():
    f = lambda x, start: fnp.max(x, initial=start)
    gx, gs = fad.grad(f, argnums=(0, 1))(np.array([1.0, 3.0]), 3.0)
    np.testing.assert_array_equal(gx, [0.0, 0.5])
    assert gs == 0.5
    check_grads(lambda x, s: fnp.prod(x, initial=s, where=MASK), (X, 1.5), order=2)


def test_masked_elements_take_no_part_in_ties():
    f = lambda x: fnp.max(x, initial=-np.inf, where=np.array([True, False]))
    np.testing.assert_array_equal(fad.grad(f)(np.array([2.0, 2.0])), [1.0, 0.0])


def test_float32_gradients_stay_float32():
    for name in NUMBERS:
        assert fad.grad(getattr(fnp, name))(INPUTS["f4"]).dtype == np.float32


def test_ptp_of_equal_elements_cancels():
    np.testing.assert_array_equal(fad.grad(fnp.ptp)(np.ones(3)), np.zeros(3))


def test_repeatedly_prepending_the_maximum_conserves_the_cotangent():
    def f(x):
        for _ in range(2):
            x = fnp.concatenate([fnp.reshape(fnp.max(x, axis=0), (1, 1)), x])
        return fnp.sum(x)

    np.testing.assert_array_equal(fad.grad(f)(np.array([[1.0]])), [[3.0]])
