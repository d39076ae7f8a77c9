"""`linearize`: the derivative at a point, as a map that is used again and again."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp

X = np.array([1.0, 2.0, 3.0])


def test_linear_map_takes_tangents_as_arguments():
    y, lin = fad.linearize(lambda x, y: x * y, X, 2 * X)
    assert_array_equal(y, 2 * X**2)
    assert_array_equal(lin(np.ones(3), np.zeros(3)), 2 * X)
    assert_array_equal(lin(np.zeros(3), np.ones(3)), X)


def test_function_runs_once():
    calls = []

    def f(x):
        calls.append(1)
        return fnp.sin(x)

    _, lin = fad.linearize(f, 1.0)
    assert_allclose([lin(1.0), lin(2.0)], [np.cos(1.0), 2 * np.cos(1.0)])
    assert len(calls) == 1


def test_pytrees_and_aux():
    f = lambda p: ({"s": p["a"] ** 2}, p["b"])
    y, lin, aux = fad.linearize(f, {"a": 3.0, "b": 4}, has_aux=True)
    assert (y, aux) == ({"s": 9.0}, 4)
    assert lin({"a": 1.0, "b": np.zeros((), fad.float0)}) == {"s": 6.0}


def test_outputs_without_tangent():
    y, lin = fad.linearize(lambda x: (x, 3.0, 4), 1.0)
    t = lin(2.0)
    assert t[:2] == (2.0, 0.0)
    assert t[2].dtype == fad.float0


def test_linear_map_is_differentiable_and_batchable():
    _, lin = fad.linearize(fnp.sin, 0.5)
    assert_allclose(fad.grad(lin)(3.0), np.cos(0.5))
    assert_allclose(fad.vmap(lin)(X), X * np.cos(0.5))


def test_linearize_under_grad():
    f = lambda x: fad.linearize(fnp.sin, x)[1](1.0)
    assert_allclose(fad.grad(f)(0.5), -np.sin(0.5))


@pytest.mark.parametrize(
    ("tangents", "text"),
    [
        ((np.ones(2),), "must have its shape"),
        ((np.ones(3, np.float32),), "must have its dtype"),
    ],
)
def test_wrong_tangent_is_a_value_error(tangents, text):
    _, lin = fad.linearize(fnp.sin, X)
    with pytest.raises(ValueError, match=text):
        lin(*tangents)


def test_wrong_number_of_tangents():
    _, lin = fad.linearize(fnp.sin, X)
    with pytest.raises(TypeError, match="must have the structure"):
        lin(X, X)
