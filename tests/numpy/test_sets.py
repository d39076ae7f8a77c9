import numpy as np
import pytest
from numpy_agreement import KNOWN_VALUES, check_agrees

import fad
import fad.numpy as fnp
from fad.testing import check_grads

rng = np.random.default_rng(12)
X = rng.standard_normal((3, 4))
ROUND = np.round(X)
HOLES = np.where(X > 0.7, np.nan, ROUND)
INPUTS = [ROUND, HOLES, ROUND.astype("f4"), ROUND + 1j]


@pytest.mark.parametrize("x", INPUTS, ids=["f8", "nan", "f4", "c16"])
def test_unique_values_are_those_of_numpy(x):
    check_agrees("unique", x, ways=KNOWN_VALUES)
    check_agrees("unique", x, True, True, True, ways=KNOWN_VALUES)
    check_agrees("unique", x, return_counts=True, equal_nan=False, ways=KNOWN_VALUES)
    check_agrees("unique", x, axis=2, ways=KNOWN_VALUES)
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        check_agrees(name, x, ways=KNOWN_VALUES)


def test_array_standard_results_have_named_fields():
    out = fad.jvp(fnp.unique_all, (ROUND,), (X,))[0]
    want = np.unique_all(ROUND)
    assert out._fields == want._fields
    np.testing.assert_array_equal(fad.vjp(fnp.unique_values, ROUND)[0], want.values)


def test_unique_slices():
    x = np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]])
    for axis in (0, 1, -1):
        check_agrees("unique", x, axis=axis, ways=KNOWN_VALUES)
        check_agrees("unique", x, True, True, axis=axis, ways=KNOWN_VALUES)


@pytest.mark.parametrize("name", ["union1d", "intersect1d", "setdiff1d", "setxor1d"])
def test_set_operations_are_those_of_numpy(name):
    for x in INPUTS[:3]:
        for y in (np.array([0, 1, 5]), np.array([0.0, 1.0, np.nan]), np.zeros(0)):
            check_agrees(name, x, y, ways=KNOWN_VALUES)
    if name != "union1d":
        unsorted = np.array([3.0, 1.0, 2.0])
        check_agrees(name, unsorted, np.array([2.0, 7.0]), True, ways=KNOWN_VALUES)


def test_intersection_tells_positions():
    check_agrees("intersect1d", ROUND, np.array([0.0, 1.0]), ways=KNOWN_VALUES)
    check_agrees("intersect1d", ROUND, ROUND[0], False, True, ways=KNOWN_VALUES)


def test_membership_works_on_unknown_values():
    check_agrees("isin", ROUND, np.array([0.0, 1.0]))
    check_agrees("isin", ROUND, np.array([0.0, 1.0]), invert=True)


def test_values_are_gathered_from_the_input():
    check_grads(fnp.unique, (X,), order=2)
    check_grads(lambda x: fnp.unique(x, axis=1), (X,), order=2)
    check_grads(fnp.union1d, (X, X[0] + 0.1), order=2)
    check_grads(fnp.setxor1d, (X, X[0] + 0.1), order=2)
    check_grads(lambda x: fnp.setdiff1d(x, np.zeros(1)), (X,), order=2)


def test_of_equal_values_the_first_takes_the_derivative():
    grad = fad.grad(lambda x: fnp.unique(x)[1])(np.array([2.0, 1.0, 2.0]))
    np.testing.assert_array_equal(grad, [1.0, 0.0, 0.0])


def test_unknown_values_are_refused():
    with pytest.raises(TypeError, match="not known while tracing under vmap"):
        fad.vmap(fnp.unique)(X)
