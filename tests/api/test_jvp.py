"""`jvp`: tangents, pytrees, and the checks of its arguments."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp

X = np.array([1.0, 2.0, 3.0])


def test_value_and_tangent():
    y, t = fad.jvp(fnp.sin, (X,), (2 * X,))
    assert_array_equal(y, np.sin(X))
    assert_allclose(t, 2 * X * np.cos(X))


def test_pytrees_and_lists_of_arguments():
    f = lambda p, q: {"s": p["a"] * q}
    y, t = fad.jvp(f, [{"a": 2.0}, 3.0], [{"a": 1.0}, 10.0])
    assert (y, t) == ({"s": 6.0}, {"s": 23.0})


def test_aux():
    assert fad.jvp(lambda x: (x * x, x), (3.0,), (1.0,), has_aux=True) == (
        9.0,
        6.0,
        3.0,
    )


def test_integers_take_float0_tangents():
    y, t = fad.jvp(lambda x, n: (x * n, n), (2.0, 3), (1.0, np.zeros((), fad.float0)))
    assert t[0] == 3.0
    assert t[1].dtype == fad.float0


def test_output_that_does_not_depend_on_the_input_has_zero_tangent():
    _, t = fad.jvp(lambda x: (np.ones(2), 3.0), (X,), (X,))
    assert_array_equal(t[0], np.zeros(2))
    assert t[1] == 0.0


def test_output_that_is_the_input():
    y, t = fad.jvp(lambda x: x, (X,), (2 * X,))
    assert_array_equal(y, X)
    assert_array_equal(t, 2 * X)


def test_dtype_is_kept():
    x = np.ones(2, np.float32)
    y, t = fad.jvp(lambda x: fnp.sin(x) * 2.0, (x,), (x,))
    assert y.dtype == t.dtype == np.float32


@pytest.mark.parametrize(
    ("primals", "tangents"), [(1.0, (1.0,)), ((1.0,), 1.0), (X, X), ({}, {})]
)
def test_arguments_must_be_tuples_or_lists(primals, tangents):
    with pytest.raises(TypeError, match=r"for one argument write \(x,\)"):
        fad.jvp(fnp.sin, primals, tangents)


@pytest.mark.parametrize(
    ("primal", "tangent", "error", "text"),
    [
        (1.0, (1.0,), TypeError, "must have the structure"),
        ({"a": 1.0}, {"b": 1.0}, TypeError, "must have the structure"),
        (X, np.ones(2), ValueError, r"must have its shape \(3,\)"),
        (X, 1.0, ValueError, "must have its shape"),
        (X, np.ones(3, np.float32), TypeError, "must have its dtype float64"),
        (1.0, 1j, TypeError, "must have its dtype float64"),
        (1.0, np.zeros((), fad.float0), TypeError, "cannot have dtype float0"),
        (3, 1, TypeError, "must have dtype float0"),
        (3, 1.0, TypeError, "must have dtype float0"),
        (1.0, "text", TypeError, "must be arrays or numbers"),
        (1.0, None, TypeError, "must have the structure"),
    ],
)
def test_wrong_tangent(primal, tangent, error, text):
    with pytest.raises(error, match=text):
        fad.jvp(lambda x: x, (primal,), (tangent,))


def test_wrong_number_of_tangents():
    with pytest.raises(TypeError, match="must have the structure"):
        fad.jvp(lambda x, y: x, (1.0, 2.0), (1.0,))


def test_complex_tangents_of_functions_that_are_not_analytic():
    z, t = np.complex128(1 + 2j), np.complex128(3 - 1j)
    assert fad.jvp(fnp.conj, (z,), (t,))[1] == np.conj(t)
    assert fad.jvp(fnp.real, (z,), (t,))[1] == 3.0
    assert fad.jvp(lambda x: fnp.real(x * fnp.conj(x)), (z,), (t,))[1] == 2.0


def test_jvp_of_jvp():
    f = lambda x: fad.jvp(fnp.sin, (x,), (1.0,))[1]
    assert_allclose(fad.jvp(f, (0.5,), (1.0,))[1], -np.sin(0.5))


def test_tangents_may_be_differentiated():
    f = lambda t: fad.jvp(fnp.sin, (0.5,), (t,))[1]
    assert_allclose(fad.grad(f)(3.0), np.cos(0.5))


@pytest.mark.parametrize("tangent", [1, True], ids=["int", "bool"])
def test_python_integers_are_no_tangents_of_floats(tangent):
    with pytest.raises(TypeError, match="dtype float64"):
        fad.jvp(fnp.sin, (1.0,), (tangent,))
    with pytest.raises(ValueError, match="dtype float64"):
        fad.vjp(fnp.sin, 1.0)[1](tangent)


def test_python_floats_are_tangents_of_every_floating_dtype():
    _, t = fad.jvp(fnp.sin, (np.float32(0.0),), (1.0,))
    assert t.dtype == np.float32
    _, t = fad.jvp(lambda z: 2.0 * z, (1j,), (1.0,))
    assert t == 2.0


def test_primals_and_tangents_are_of_one_kind():
    with pytest.raises(TypeError, match="got a tuple and a list"):
        fad.jvp(fnp.sin, (1.0,), [1.0])
