"""`vmap`: axes, pytrees, errors, and what is and is not possible inside."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp

XS = np.arange(6.0).reshape(3, 2)
Y = np.array([10.0, 20.0])


def test_maps_over_the_first_axis():
    assert_array_equal(fad.vmap(lambda x: fnp.sum(x * x))(XS), (XS**2).sum(1))


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_in_axes_and_out_axes(axis):
    assert_array_equal(
        fad.vmap(lambda x: 2 * x, in_axes=axis, out_axes=axis)(XS), 2 * XS
    )
    assert_array_equal(
        fad.vmap(lambda x: 2 * x, in_axes=axis)(XS), 2 * np.moveaxis(XS, axis, 0)
    )


def test_arguments_that_are_not_mapped():
    f = lambda x, y: x * y
    assert_array_equal(fad.vmap(f, in_axes=(0, None))(XS, Y), XS * Y)
    assert_array_equal(fad.vmap(f, in_axes=[None, 0])(Y, XS), XS * Y)


def test_in_axes_as_pytree_prefixes():
    f = lambda p, q: p["a"] * p["b"][0] + q
    out = fad.vmap(f, in_axes=({"a": 0, "b": None}, 1))({"a": XS, "b": (Y,)}, XS.T)
    assert_array_equal(out, XS * Y + XS)
    out = fad.vmap(f, in_axes=(0, None))({"a": XS, "b": (XS,)}, 1.0)
    assert_array_equal(out, XS * XS + 1)


def test_out_axes_as_pytree_prefixes_and_none():
    f = lambda x: {"a": x, "b": (x * 2, 3.0)}
    out = fad.vmap(f, out_axes={"a": 1, "b": (0, None)})(XS)
    assert_array_equal(out["a"], XS.T)
    assert_array_equal(out["b"][0], 2 * XS)
    assert out["b"][1] == 3.0


def test_keyword_arguments_are_mapped_over_axis_0():
    f = lambda x, y: x + y
    assert_array_equal(fad.vmap(f, in_axes=1)(XS.T, y=XS), 2 * XS)


def test_constant_output_is_repeated():
    assert_array_equal(fad.vmap(lambda x: 7.0)(XS), [7.0, 7.0, 7.0])
    assert_array_equal(fad.vmap(lambda x: Y)(XS), [Y, Y, Y])


def test_axis_size_without_mapped_arguments():
    assert_array_equal(fad.vmap(lambda y: y, in_axes=None, axis_size=2)(Y), [Y, Y])


def test_zero_examples():
    assert fad.vmap(lambda x: fnp.sin(x))(np.zeros((0, 2))).shape == (0, 2)
    g = fad.vmap(fad.grad(lambda x: fnp.sum(x * x)))(np.zeros((0, 2)))
    assert g.shape == (0, 2)


def test_closures_over_arrays_and_outer_values():
    f = lambda y: fnp.sum(fad.vmap(lambda x: x * y)(XS))
    assert_array_equal(fad.grad(f)(Y), XS.sum(0))


def test_gradient_through_vmap_has_the_shape_of_a_shared_argument():
    f = lambda s: fnp.sum(fad.vmap(lambda x: fnp.sin(x) * s)(Y))
    g = fad.grad(f)(2.0)
    assert g.shape == ()
    assert_allclose(g, np.sin(Y).sum())


def test_per_example_gradients():
    w = np.array([1.0, -1.0])
    loss = lambda w, x: (w @ x) ** 2
    g = fad.vmap(fad.grad(loss), in_axes=(None, 0))(w, XS)
    assert_allclose(g, 2 * (XS @ w)[:, None] * XS)


def test_nested():
    f = lambda x, y: x * y
    outer = fad.vmap(fad.vmap(f, in_axes=(None, 0)), in_axes=(0, None))
    assert_array_equal(outer(Y, Y), np.outer(Y, Y))
    assert_array_equal(fad.vmap(fad.vmap(fnp.sin, 1), 0)(XS[None]), np.sin(XS.T[None]))


def test_of_derivatives_in_every_mix():
    f = lambda x: fnp.sin(x) * x
    d2 = 2 * np.cos(Y) - Y * np.sin(Y)
    fwd = lambda f: lambda x: fad.jvp(f, (x,), (1.0,))[1]
    for outer in (fad.grad, fwd):
        for inner in (fad.grad, fwd):
            assert_allclose(fad.vmap(outer(inner(f)))(Y), d2)


def test_example_looks_like_one_example():
    seen = []

    def f(x):
        seen.append((x.shape, x.ndim, x.dtype, len(x), x.size))
        return x

    fad.vmap(f, in_axes=1)(np.zeros((4, 3, 2), np.float32))
    assert seen == [((4, 2), 2, np.float32, 4, 8)]


def test_branching_on_an_example_teaches_where():
    with pytest.raises(TypeError, match="vmap.*where.condition, a, b"):
        fad.vmap(lambda x: x if x > 0 else -x)(Y)


def test_branching_on_what_is_not_mapped_is_fine():
    f = lambda x, n: x * n if n > 1 else x
    assert_array_equal(fad.vmap(f, in_axes=(0, None))(Y, 3), 3 * Y)


@pytest.mark.parametrize(
    ("args", "options", "text"),
    [
        (
            (XS, Y),
            {},
            "different sizes.*leaf 0 f64.3,2. has size 3.*leaf 1 f64.2. has si",
        ),
        ((XS,), {"in_axes": 2}, r"axis 2 of f64\[3,2\], which has 2 axes"),
        ((XS,), {"in_axes": -3}, "axis -3"),
        ((1.0,), {}, "axis 0 of ~f64.., which has 0 axes"),
        ((XS,), {"in_axes": None}, "at least one argument that is mapped"),
        ((), {}, "at least one argument that is mapped"),
        ((XS, Y), {"in_axes": (0,)}, "1 entries for the 2 positional arguments"),
        ((XS,), {"in_axes": ({"a": 0},)}, "pytree prefix"),
        ((XS,), {"axis_size": 4}, "axis_size=4"),
        ((XS,), {"out_axes": None}, "differs from example to example"),
        ((XS,), {"out_axes": 2}, "axis 2"),
        ((XS,), {"out_axes": (0, 0)}, "out_axes must be a pytree prefix"),
    ],
)
def test_wrong_axes(args, options, text):
    with pytest.raises(ValueError, match=text):
        fad.vmap(lambda *args: args[0] if args else 1.0, **options)(*args)


@pytest.mark.parametrize("in_axes", [1.0, "0", (0.5,)])
def test_axes_must_be_integers(in_axes):
    with pytest.raises(TypeError, match="must be an int|must be integers"):
        fad.vmap(lambda x: x, in_axes=in_axes)(XS)


def test_arguments_and_outputs_must_be_arrays():
    with pytest.raises(TypeError, match="arguments must be arrays or numbers"):
        fad.vmap(lambda x: x)("text")
    with pytest.raises(TypeError, match="outputs must be arrays or numbers"):
        fad.vmap(lambda x: "text")(XS)


def test_dtypes_are_kept():
    assert fad.vmap(lambda x: x * 2)(XS.astype(np.float32)).dtype == np.float32
    assert fad.vmap(lambda x: x * 2)(np.arange(3)).dtype == np.arange(3).dtype


def test_wraps_name_and_docstring():
    def f(x):
        """Doc."""
        return x

    assert (fad.vmap(f).__name__, fad.vmap(f).__doc__) == ("f", "Doc.")
