"""`grad`, `value_and_grad`, `elementwise_grad`: results, arguments, errors."""

from collections import namedtuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp

X = np.array([1.0, 2.0, 3.0])


def test_gradient_of_a_scalar_function():
    assert_allclose(fad.grad(lambda x: fnp.sum(fnp.sin(x)))(X), np.cos(X), rtol=1e-15)


def test_plain_numpy_functions_are_differentiated():
    assert_allclose(
        fad.grad(lambda x: np.sum(np.sin(x) * x))(X), np.sin(X) + X * np.cos(X)
    )


def test_gradient_has_the_tree_of_its_argument():
    Point = namedtuple("Point", "x y")
    params = {"a": [X, 2.0], "p": Point(1.0, None), "e": ()}
    g = fad.grad(lambda p: fnp.sum(p["a"][0]) * p["a"][1] * p["p"].x)(params)
    assert_array_equal(g["a"][0], [2.0, 2.0, 2.0])
    assert g["a"][1] == 6.0
    assert g["p"] == Point(12.0, None)
    assert g["e"] == ()


def test_argnums_as_int_negative_tuple_and_list():
    f = lambda x, y, z: x * y * y * z
    args = 2.0, 3.0, 5.0
    assert fad.grad(f, 1)(*args) == 60.0
    assert fad.grad(f, -1)(*args) == 18.0
    assert fad.grad(f, (0, 2))(*args) == (45.0, 18.0)
    assert fad.grad(f, [2])(*args) == (18.0,)


def test_argnames_choose_keyword_arguments():
    f = lambda x, y: x * y
    assert fad.grad(f, argnums=(), argnames="y")(2.0, y=3.0) == (2.0,)
    assert fad.grad(f, argnums=0, argnames=("y",))(2.0, y=3.0) == (3.0, 2.0)
    with pytest.raises(TypeError, match="'z', which was not passed by keyword"):
        fad.grad(f, argnames="z")(2.0, y=3.0)


def test_keyword_arguments_are_passed_on_and_not_differentiated():
    assert fad.grad(lambda x, n=1: x**n)(2.0, n=3) == 12.0


def test_value_and_grad():
    value, g = fad.value_and_grad(lambda x: x * x)(3.0)
    assert (value, g) == (9.0, 6.0)


def test_aux_is_returned_beside_and_freed_of_tracers():
    f = lambda x: (x * x, {"x": x, "n": 3, "s": "text"})
    g, aux = fad.grad(f, has_aux=True)(3.0)
    assert g == 6.0
    assert aux == {"x": 3.0, "n": 3, "s": "text"}
    (value, aux), g = fad.value_and_grad(f, has_aux=True)(3.0)
    assert (value, aux["x"], g) == (9.0, 3.0, 6.0)


def test_aux_of_an_inner_level_stays_differentiable_in_the_outer_one():
    inner = lambda x, y: (x * y, y * y)
    outer = lambda y: fad.grad(inner, has_aux=True)(2.0, y)[1]
    assert fad.grad(outer)(3.0) == 6.0


def test_argument_that_is_not_used_has_zero_gradient():
    g = fad.grad(lambda p: p["a"] * 1.0)({"a": 1.0, "b": X})
    assert_array_equal(g["b"], np.zeros(3))


def test_constant_function_has_zero_gradient():
    assert_array_equal(fad.grad(lambda x: 3.0)(X), np.zeros(3))
    assert_array_equal(fad.grad(lambda x: np.float64(3.0))(X), np.zeros(3))


def test_identity_has_gradient_one():
    assert fad.grad(lambda x: x)(3.0) == 1.0


def test_output_that_is_an_input_of_several():
    assert fad.grad(lambda x, y: y, argnums=(0, 1))(1.0, 2.0) == (0.0, 1.0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gradient_has_the_dtype_of_its_input(dtype):
    x = np.array([1.0, 2.0], dtype)
    g = fad.grad(lambda x: fnp.sum(x * np.array([2.0, 3.0])))(x)
    assert g.dtype == dtype
    assert_array_equal(g, [2.0, 3.0])


def test_gradient_of_a_python_number_is_a_numpy_scalar():
    g = fad.grad(lambda x: x * x)(3.0)
    assert type(g) is np.float64
    assert type(fad.value_and_grad(lambda x: x * x)(3.0)[0]) is np.float64


def test_python_number_does_not_widen_single_precision():
    x = np.ones(2, np.float32)
    g = fad.grad(lambda s, x: fnp.sum(s * x), argnums=(0, 1))(2.0, x)
    assert g[1].dtype == np.float32
    value = fad.value_and_grad(lambda s: fnp.sum(s * x))(2.0)[0]
    assert value.dtype == np.float32


def test_infinite_slope_of_a_python_number_is_inf_without_exception():
    assert fad.grad(fnp.sqrt)(0.0) == np.inf


def test_gradient_shape_is_the_input_shape_whatever_was_broadcast():
    g = fad.grad(lambda x: fnp.sum(x * np.ones((4, 3))))(np.ones((1, 3)))
    assert_array_equal(g, np.full((1, 3), 4.0))


def test_repeated_use_adds_up():
    assert fad.grad(lambda x: x * x + x * 3.0 + x)(2.0) == 8.0


def test_empty_arrays():
    assert fad.grad(lambda x: fnp.sum(x * x))(np.zeros((0, 3))).shape == (0, 3)


class TestComplex:
    def test_gradient_of_a_real_function_is_du_dx_minus_i_du_dy(self):
        assert fad.grad(lambda z: fnp.real(z))(1j) == 1.0 + 0.0j
        assert fad.grad(lambda z: fnp.imag(z))(1j) == -1.0j
        assert fad.grad(lambda z: fnp.real(z * fnp.conj(z)))(3 + 4j) == 6 - 8j
        assert fad.grad(lambda z: fnp.real(z * z))(1 + 1j) == 2 + 2j

    def test_holomorphic(self):
        g = fad.grad(lambda z: z * z * z, holomorphic=True)(1 + 2j)
        assert g == 3 * (1 + 2j) ** 2

    def test_holomorphic_needs_complex_input_and_output(self):
        with pytest.raises(TypeError, match="needs complex inputs, got ~f64"):
            fad.grad(lambda z: z, holomorphic=True)(1.0)
        with pytest.raises(TypeError, match="needs a complex output"):
            fad.grad(lambda z: fnp.real(z), holomorphic=True)(1j)

    def test_complex_output_needs_holomorphic(self):
        with pytest.raises(TypeError, match="Pass holomorphic=True"):
            fad.grad(lambda z: z * z)(1j)

    def test_real_input_through_complex_values(self):
        g = fad.grad(lambda x: fnp.real((x * 1j) ** 2))(3.0)
        assert g == -6.0
        assert g.dtype == np.float64


class TestIntegers:
    @pytest.mark.parametrize("x", [3, np.int32(3), True, np.array([1, 2])])
    def test_are_refused_with_a_hint(self, x):
        with pytest.raises(
            TypeError, match=r"floating or complex.*(float\(x\)|astype)"
        ):
            fad.grad(lambda x: fnp.sum(x * 1.0))(x)

    def test_allow_int_gives_float0_zeros(self):
        g = fad.grad(lambda x, n: x * n, argnums=(0, 1), allow_int=True)(2.0, 3)
        assert g[0] == 3.0
        assert g[1].dtype == fad.float0

    def test_undifferentiated_integers_and_any_object_are_fine(self):
        assert fad.grad(lambda x, n, s: x * n)(2.0, 3, "text") == 3.0

    def test_integer_output_is_refused(self):
        with pytest.raises(TypeError, match="needs an output of a floating dtype"):
            fad.grad(lambda x: 3)(1.0)


@pytest.mark.parametrize("x", ["text", object(), np.array(["a"])])
def test_what_is_no_number_is_refused(x):
    with pytest.raises(TypeError, match="must be arrays or numbers"):
        fad.grad(lambda x: x)(x)


@pytest.mark.parametrize("f", [lambda x: x, lambda x: x.reshape(3), lambda x: x[None]])
def test_output_that_is_no_scalar_is_refused(f):
    with pytest.raises(TypeError, match="scalar-output.*elementwise_grad"):
        fad.grad(f)(X)


def test_output_of_shape_1_is_refused():
    with pytest.raises(TypeError, match="scalar-output"):
        fad.grad(lambda x: x)(np.ones(1))


@pytest.mark.parametrize("out", [None, (1.0, 2.0), {"a": 1.0}, "text"])
def test_output_that_is_no_array_is_refused(out):
    with pytest.raises(TypeError, match="scalar-output"):
        fad.grad(lambda x: out)(1.0)


def test_has_aux_needs_a_pair():
    with pytest.raises(TypeError, match="must return a pair"):
        fad.grad(lambda x: x * x, has_aux=True)(1.0)


def test_argnums_out_of_range_says_how_many_are_needed():
    with pytest.raises(TypeError, match="at least 3 positional arguments.*has 1"):
        fad.grad(lambda x: x, argnums=2)(1.0)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="needs a function"):
        fad.grad(3.0)


def test_wraps_name_and_docstring():
    def loss(x):
        """The loss."""
        return x

    assert fad.grad(loss).__name__ == "loss"
    assert fad.grad(loss).__doc__ == "The loss."


class TestElementwiseGrad:
    def test_is_the_diagonal_of_the_jacobian(self):
        assert_allclose(fad.elementwise_grad(fnp.sin)(X), np.cos(X))

    def test_of_several_arguments(self):
        f = lambda x, y: x * y * y
        gx, gy = fad.elementwise_grad(f, argnums=(0, 1))(X, 2 * X)
        assert_allclose(gx, 4 * X**2)
        assert_allclose(gy, 4 * X**2)

    def test_repeats(self):
        f = fnp.sin
        for expected in (np.cos(X), -np.sin(X), -np.cos(X)):
            f = fad.elementwise_grad(f)
            assert_allclose(f(X), expected)


def test_stop_gradient_maps_over_pytrees():
    f = lambda x: x * fad.stop_gradient({"a": [x]})["a"][0]
    assert fad.grad(f)(3.0) == 3.0
    assert fad.jvp(f, (3.0,), (1.0,)) == (9.0, 3.0)


def test_elementwise_grad_refuses_integers():
    with pytest.raises(TypeError, match="floating or complex dtype") as caught:
        fad.elementwise_grad(fnp.tanh)(1)
    assert "allow_int" not in str(caught.value)  # which is an option of grad


@pytest.mark.parametrize(
    "function",
    [
        lambda t: fnp.sum(fnp.expand_dims(t, 0) * 2),
        lambda t: fnp.reshape(t, (1,))[0] * 2,
        lambda t: fnp.concatenate([fnp.expand_dims(t, 0), np.ones(2)])[0] * 2,
        lambda t: 2 * t,
    ],
)
def test_gradient_by_a_number_is_a_numpy_scalar(function):
    assert type(fad.grad(function)(1.0)) is np.float64
    assert type(fad.jit(fad.grad(function))(1.0)) is np.float64
    assert type(fad.grad(function)(np.float32(1))) is np.float32


def test_an_argument_chosen_twice_is_refused():
    for nums in ((0, 0), (1, -1)):
        with pytest.raises(ValueError, match="twice"):
            fad.grad(lambda x, y: x * y, argnums=nums)(1.0, 2.0)
