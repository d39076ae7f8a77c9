import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp
from fad.numpy.gufunc_signature import Signature

X = np.array([[0.5, -1.5, 2.0], [1.0, 3.0, -0.25]])


def traced(f, *args):
    return fad.vjp(f, *args)[0]


def leaky(t):
    return t if t > 0 else 0.1 * t


def test_vectorized_function_may_branch_on_values():
    f = fnp.vectorize(leaky)
    np.testing.assert_array_equal(traced(f, X), np.vectorize(leaky)(X))
    np.testing.assert_array_equal(
        fad.grad(lambda x: fnp.sum(f(x)))(X), np.where(X > 0, 1.0, 0.1)
    )


def test_vectorize_broadcasts():
    f = fnp.vectorize(lambda a, b: a * b)
    check_derivatives(f, X, np.array([2.0, 3.0, 4.0]))


def test_vectorize_returns_several_outputs():
    f = fnp.vectorize(lambda a: (a, a * a), otypes=[np.float32, float])
    first, second = traced(f, X)
    assert (first.dtype, second.dtype) == (np.float32, np.float64)
    np.testing.assert_array_equal(second, X * X)


def test_vectorize_of_a_scalar_is_a_scalar():
    assert fad.grad(fnp.vectorize(lambda t: t * t))(3.0) == 6.0


def test_vectorize_passes_excluded_arguments_whole():
    f = fnp.vectorize(lambda t, p, q: fnp.polyval(p, t) * q, excluded={1, "q"})
    p = np.array([1.0, 2.0, 3.0])
    found = traced(lambda x: f(x, p, q=2.0), X)
    np.testing.assert_array_equal(found, 2 * np.polyval(p, X))
    check_derivatives(lambda p: f(X[0], p, q=2.0), p)


def test_vectorize_maps_keyword_arguments():
    f = fnp.vectorize(lambda a, b: a - b)
    np.testing.assert_array_equal(traced(lambda x: f(1.0, b=x), X), 1 - X)


def test_vectorize_with_a_signature_keeps_core_axes():
    f = fnp.vectorize(lambda a, b: fnp.sum(a * b), signature="(n),(n)->()")
    weights = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(traced(f, X, weights), X @ weights)
    check_derivatives(f, X, weights)


def test_vectorize_with_a_signature_of_a_new_axis():
    f = fnp.vectorize(lambda a: fnp.array([a, 2 * a]), signature="()->(k)")
    assert traced(f, X).shape == (2, 3, 2)


def test_vectorize_decorates():
    @fnp.vectorize(otypes=[float])
    def square(t):
        """Square it."""
        return t * t

    assert square.__name__ == "square" and square.__doc__ == "Square it."
    np.testing.assert_array_equal(fad.grad(lambda x: fnp.sum(square(x)))(X), 2 * X)


def test_plain_vectorized_call_is_numpys():
    np.testing.assert_array_equal(fnp.vectorize(leaky)(X), np.vectorize(leaky)(X))


def test_vectorized_function_may_close_over_a_tracer():
    f = lambda s: fnp.sum(fnp.vectorize(lambda t: t * s)(X))
    assert fad.grad(f)(2.0) == X.sum()


def test_array_result_without_signature_is_refused():
    with pytest.raises(ValueError, match="signature="):
        traced(fnp.vectorize(lambda t: fnp.array([t, t])), X)


def test_vectorize_on_nothing_is_refused():
    with pytest.raises(ValueError, match="size 0"):
        traced(fnp.vectorize(leaky), np.zeros(0))


def test_frompyfunc():
    f = fnp.frompyfunc(lambda a, b: (a * b, a + b), 2, 2)
    product, total = traced(f, X, 2.0)
    np.testing.assert_array_equal(product, 2 * X)
    np.testing.assert_array_equal(total, X + 2)
    assert f.nin == 2 and f(1, 2) == (2, 3)
    with pytest.raises(TypeError, match="2 inputs"):
        traced(f, X)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_apply_along_axis_of_a_reduction(axis):
    f = lambda x: fnp.apply_along_axis(lambda v: fnp.sum(v * v), axis, x)
    np.testing.assert_allclose(traced(f, X), (X * X).sum(axis))
    check_derivatives(f, X)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_apply_along_axis_puts_new_axes_in_its_place(axis):
    x = np.arange(24.0).reshape(2, 3, 4)

    def outer(v):
        return np.multiply.outer(v, v)[:2]

    f = lambda x: fnp.apply_along_axis(outer, axis, x)
    np.testing.assert_array_equal(traced(f, x), np.apply_along_axis(outer, axis, x))


def test_numpys_apply_along_axis_takes_tracers():
    f = lambda x: np.apply_along_axis(lambda v, k: v[0] * k, 1, x, 3.0)
    np.testing.assert_array_equal(traced(f, X), 3 * X[:, 0])


def test_apply_along_axis_may_close_over_a_tracer():
    f = lambda s: fnp.sum(fnp.apply_along_axis(lambda v: v * s, 0, X))
    assert fad.grad(f)(2.0) == X.sum()


@pytest.mark.parametrize("axes", [0, [0, 2], (-1,)])
def test_apply_over_axes(axes):
    x = np.arange(24.0).reshape(2, 3, 4)
    f = lambda x: fnp.apply_over_axes(fnp.sum, x, axes)
    np.testing.assert_array_equal(traced(f, x), np.apply_over_axes(np.sum, x, axes))


def test_apply_over_axes_wants_the_axis_or_none():
    with pytest.raises(ValueError, match="correct shape"):
        traced(lambda x: fnp.apply_over_axes(lambda a, i: fnp.sum(a), x, 0), X[None])


def test_ndenumerate():
    def f(x):
        return sum((i + 1) * v for (i, j), v in fnp.ndenumerate(x))

    np.testing.assert_array_equal(fad.grad(f)(X), [[1, 1, 1], [2, 2, 2]])


@pytest.mark.parametrize("text", ["(n)", "n->n", "(n)->(n", "(n-1)->()"])
def test_invalid_signatures_are_refused(text):
    with pytest.raises(ValueError, match="not a valid gufunc signature"):
        Signature(text)


def test_signature_refuses_shapes_that_disagree():
    signature = Signature("(m,n),(n)->(m)")
    with pytest.raises(ValueError, match="inconsistent size for core dimension 'n'"):
        signature.match([(2, 3), (4,)])
    with pytest.raises(ValueError, match="enough dimensions"):
        signature.match([(3,), (3,)])
    with pytest.raises(TypeError, match="positional arguments"):
        signature.match([(2, 3)])
    with pytest.raises(ValueError, match="wrong number of outputs"):
        signature.check([[(2,), (2,)]], {"m": 2})
    with pytest.raises(ValueError, match="core dimensions"):
        signature.check([[(2, 2)]], {"m": 2})


def test_vectorize_checks_what_is_excluded():
    with pytest.raises(TypeError, match="positions and names"):
        fnp.vectorize(leaky, excluded={1.5})
    with pytest.raises(ValueError, match="negative position -1"):
        fnp.vectorize(leaky, excluded={-1})


def test_wrong_number_of_outputs_is_a_value_and_a_type_error():
    f = fnp.vectorize(lambda x: (x, x), signature="(n)->(n)")
    for kind in (ValueError, TypeError):
        with pytest.raises(kind, match="wrong number of outputs"):
            traced(f, X)
