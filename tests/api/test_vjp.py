"""`vjp` and `linear_transpose`: pullbacks, their checks, who owns their arrays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp

X = np.array([1.0, 2.0, 3.0])


def test_pullback_returns_a_tuple_even_for_one_primal():
    y, pull = fad.vjp(fnp.sin, X)
    assert_allclose(y, np.sin(X))
    (ct,) = pull(np.ones(3))
    assert_allclose(ct, np.cos(X))


def test_pullback_may_be_called_many_times_and_is_linear():
    _, pull = fad.vjp(lambda x: x * x * x, X)
    a, b = pull(np.ones(3))[0], pull(np.full(3, 2.0))[0]
    assert_allclose(2 * a, b)
    assert_allclose(a, 3 * X**2)


def test_pytrees_in_and_out():
    f = lambda p, q: {"s": p["a"] * q[0], "t": (q[1],)}
    out, pull = fad.vjp(f, {"a": 2.0, "b": X}, [3.0, 4.0])
    assert out == {"s": 6.0, "t": (4.0,)}
    p, q = pull({"s": 1.0, "t": (5.0,)})
    assert p["a"] == 3.0
    assert_array_equal(p["b"], np.zeros(3))
    assert q == [2.0, 5.0]


def test_aux():
    y, pull, aux = fad.vjp(lambda x: (x * x, x + 1), 3.0, has_aux=True)
    assert (y, aux, pull(1.0)) == (9.0, 4.0, (6.0,))


def test_no_primals():
    y, pull = fad.vjp(lambda: np.float64(3.0))
    assert y == 3.0
    assert pull(1.0) == ()


def test_integer_inputs_and_outputs_have_float0_cotangents():
    y, pull = fad.vjp(lambda x, n: (x * n, n), 2.0, 3)
    ct = pull((1.0, np.zeros((), fad.float0)))
    assert ct[0] == 3.0
    assert ct[1].dtype == fad.float0


def test_output_that_does_not_depend_on_the_input():
    y, pull = fad.vjp(lambda x: np.ones(2), X)
    assert_array_equal(pull(np.ones(2))[0], np.zeros(3))


def test_same_output_twice_adds_up():
    def f(x):
        y = x * x
        return y, y

    _, pull = fad.vjp(f, 3.0)
    assert pull((1.0, 10.0)) == (66.0,)


def test_python_number_for_a_cotangent_takes_the_output_dtype():
    _, pull = fad.vjp(lambda x: fnp.sum(x), np.ones(2, np.float32))
    assert pull(1.0)[0].dtype == np.float32


@pytest.mark.parametrize(
    ("ct", "text"),
    [
        (np.ones(2), r"must have its shape \(3,\), got f64\[2\]"),
        (np.ones(3, np.float32), r"astype\('float64'\)"),
        (np.ones(3, complex), "must have its dtype float64"),
        ((np.ones(3),), "must have the structure"),
        ({"a": np.ones(3)}, "must have the structure"),
        (np.zeros(3, fad.float0), "cannot have dtype float0"),
    ],
)
def test_wrong_cotangent_is_a_value_error(ct, text):
    _, pull = fad.vjp(fnp.sin, X)
    with pytest.raises(ValueError, match=text):
        pull(ct)


def test_has_aux_needs_a_pair():
    with pytest.raises(TypeError, match="must return a pair"):
        fad.vjp(lambda x: x, 1.0, has_aux=True)


def test_output_that_is_no_array_is_refused():
    with pytest.raises(TypeError, match="outputs must be arrays or numbers"):
        fad.vjp(lambda x: "text", 1.0)


def test_pullback_is_differentiable():
    f = lambda x: fad.vjp(lambda y: y * y * x, 3.0)[1](1.0)[0]
    assert fad.grad(f)(5.0) == 6.0
    g = lambda ct: fad.vjp(fnp.sin, 1.0)[1](ct)[0]
    assert_allclose(fad.grad(g)(2.0), np.cos(1.0))


def test_pullback_outlives_the_transforms_it_was_made_under():
    pulls = []

    def f(x):
        pulls.append(fad.vjp(lambda y: y * y, 3.0)[1])
        return x

    fad.grad(f)(1.0)
    assert pulls[0](1.0) == (6.0,)


class TestLinearTranspose:
    def test_of_a_matrix_product(self):
        a = np.arange(6.0).reshape(2, 3)
        transposed = fad.linear_transpose(lambda x: a @ x, X)
        assert_array_equal(transposed(np.array([1.0, 2.0]))[0], a.T @ [1.0, 2.0])

    def test_of_shapes_only(self):
        x = fad.ShapeDtypeStruct((3,), np.float32)
        (ct,) = fad.linear_transpose(lambda x: 2 * fnp.sum(x), x)(np.float32(1.0))
        assert_array_equal(ct, [2.0, 2.0, 2.0])
        assert ct.dtype == np.float32

    def test_of_several_arguments(self):
        f = lambda x, y: x + 3.0 * y
        assert fad.linear_transpose(f, 1.0, 1.0)(2.0) == (2.0, 6.0)

    def test_of_a_linearized_function(self):
        _, lin = fad.linearize(fnp.sin, 1.0)
        assert_allclose(fad.linear_transpose(lin, 1.0)(2.0)[0], 2 * np.cos(1.0))

    @pytest.mark.parametrize("f", [fnp.sin, lambda x: x * x, lambda x: fnp.exp(x) + x])
    def test_of_a_function_that_is_not_linear_names_the_operation(self, f):
        with pytest.raises(NotImplementedError, match="not linear.*fad.linearize"):
            fad.linear_transpose(f, 1.0)(1.0)

    def test_cotangent_is_checked(self):
        with pytest.raises(ValueError, match="shape"):
            fad.linear_transpose(lambda x: 2 * x, X)(np.ones(2))
