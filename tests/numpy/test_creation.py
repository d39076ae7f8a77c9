import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp
from fad.core.errors import TracerArrayConversionError

X = np.array([0.5, -1.5, 2.0])


def traced(f, *args):
    """Run `f` on tracers and return its value."""
    return fad.vjp(f, *args)[0]


def test_array_of_nested_sequences():
    f = lambda x: fnp.array([[x[0], 2.0], (1, x[1] * x[0])])
    np.testing.assert_array_equal(traced(f, X), [[0.5, 2.0], [1.0, -0.75]])
    check_derivatives(f, X)


def test_array_of_rows_and_plain_rows():
    f = lambda x: fnp.array([x, [1.0, 2.0, 3.0]])
    check_derivatives(f, X)


@pytest.mark.parametrize("dtype", [np.float32, complex])
def test_array_casts(dtype):
    assert traced(lambda x: fnp.array([x, x], dtype), X).dtype == dtype


def test_array_of_parts_promotes_as_numpy():
    f = lambda x: fnp.array([x, 1.0])
    assert traced(f, np.float32(1)).dtype == np.array([np.float32(1), 1.0]).dtype


def test_array_adds_axes():
    assert traced(lambda x: fnp.array(x, ndmin=3), X).shape == (1, 1, 3)


def test_array_of_ragged_parts_is_refused():
    with pytest.raises(ValueError, match="parts of one shape"):
        traced(lambda x: fnp.array([x, x[:2]]), X)


def test_array_cannot_avoid_copying_parts():
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        traced(lambda x: fnp.array([x, x], copy=False), X)


def test_asarray_returns_the_tracer_itself():
    seen = []
    traced(lambda x: seen.append(fnp.asarray(x) is x) or x, X)
    assert seen == [True]


def test_array_copies():
    def f(x):
        y = fnp.array(x)
        y[0] = 0.0
        return x + y

    np.testing.assert_array_equal(traced(f, X), [0.5, -3.0, 4.0])


def test_asarray_of_a_number_decides_dtypes_from_then_on():
    f = lambda x: fnp.asarray(x) * np.float32(2)
    assert fad.grad(f)(1.0).dtype == np.float64


@pytest.mark.parametrize("name", ["ascontiguousarray", "asfortranarray"])
def test_contiguous_arrays_have_an_axis(name):
    f = lambda x: getattr(fnp, name)(x)
    np.testing.assert_array_equal(traced(f, np.float64(2.0)), [2.0])


def test_other_devices_are_refused():
    with pytest.raises(ValueError, match="cpu"):
        traced(lambda x: fnp.asarray(x, device="gpu"), X)


def test_asarray_chkfinite():
    np.testing.assert_array_equal(traced(fnp.asarray_chkfinite, X), X)
    with pytest.raises(ValueError, match="infs or NaNs"):
        traced(fnp.asarray_chkfinite, np.array([1.0, np.nan]))
    with pytest.raises(TypeError, match="not known"):
        fad.make_jaxpr(fnp.asarray_chkfinite)(X)


def test_require_and_astype():
    assert traced(lambda x: fnp.require(x, np.float32, ["C"]), X).dtype == np.float32
    assert traced(lambda x: fnp.astype(x, np.complex64), X).dtype == np.complex64
    check_derivatives(lambda x: fnp.astype(x, complex) * (1 + 2j), X, order=1)
    with pytest.raises(TypeError, match="should be a NumPy array"):
        fnp.astype([1.0], float)


LIKES = [
    ("zeros_like", ()),
    ("ones_like", ()),
    ("full_like", (-0.0,)),
    ("full_like", ([1.0, 2.0, 3.0],)),
]


@pytest.mark.parametrize(("name", "args"), LIKES)
@pytest.mark.parametrize(
    "options", [{}, dict(dtype=np.float32), dict(dtype=int), dict(dtype=bool)]
)
def test_likes_agree_with_numpy(name, args, options):
    want = getattr(np, name)(X, *args, **options)
    found = traced(lambda x: getattr(fnp, name)(x, *args, **options), X)
    np.testing.assert_array_equal(found, want)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(want))
    assert found.dtype == want.dtype


@pytest.mark.parametrize("shape", [(), 2, (2, 3)])
def test_likes_of_another_shape(shape):
    f = lambda x: fnp.full_like(x, 7.0, shape=shape)
    np.testing.assert_array_equal(traced(f, X), np.full_like(X, 7.0, shape=shape))


def test_likes_have_derivative_zero():
    f = lambda x: fnp.sum(x * fnp.ones_like(x) + fnp.zeros_like(x))
    np.testing.assert_array_equal(fad.grad(f)(X), np.ones(3))


def test_full_is_differentiable_in_its_value():
    check_derivatives(lambda x: fnp.full((2, 3), x), X)
    check_derivatives(lambda x, v: fnp.full_like(x, v), X, np.float64(2.0))


def test_full_like_wants_a_value_that_fits():
    with pytest.raises(ValueError):
        traced(lambda x: fnp.full_like(x, np.ones((2, 3))), X)


@pytest.mark.parametrize("make", [fnp.zeros_like, fnp.empty_like, np.zeros_like])
def test_traced_values_are_written_into_an_array_made_like_them(make):
    def f(x):
        out = make(x)
        for i in range(3):
            out[i] = x[i] ** 2
        return fnp.sum(out)

    np.testing.assert_array_equal(fad.grad(f)(X), 2 * X)


def test_plain_arrays_refuse_traced_values_and_name_the_ways_out():
    def f(x):
        out = np.zeros(3)
        out[0] = x[0]
        return out

    with pytest.raises(TracerArrayConversionError, match="Two ways out: build"):
        fad.grad(f)(X)


def test_arrays_that_depend_on_no_value_are_plain_while_staging():
    jaxpr = fad.make_jaxpr(lambda x: x + fnp.zeros(3) + fnp.eye(3)[0])(X)
    assert {e.prim.name for e in jaxpr.eqns} == {"add"}


def test_sizes_must_be_known():
    with pytest.raises(TypeError, match="integer"):
        fad.make_jaxpr(lambda n: fnp.zeros(n))(3)


def test_fromiter_keeps_derivatives():
    f = lambda x: fnp.fromiter((v * v for v in x), float)
    check_derivatives(f, X)
    np.testing.assert_array_equal(fnp.fromiter(range(3), int), [0, 1, 2])


def test_fromiter_takes_as_many_as_it_is_told():
    f = lambda x: fnp.fromiter(iter(x), float, 2)
    np.testing.assert_array_equal(traced(f, X), X[:2])
    with pytest.raises(ValueError, match="too short"):
        traced(lambda x: fnp.fromiter(iter(x), float, 4), X)


def test_fromfunction_passes_options_on():
    f = lambda x: fnp.fromfunction(lambda i, j, w: i + j * w, (2, 3), w=x[0])
    check_derivatives(f, X, order=1)
