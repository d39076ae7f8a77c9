import inspect

import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp

rng = np.random.default_rng(5)
X = rng.standard_normal((4, 5))
Z = X + 1j * rng.standard_normal((4, 5))

ONE_AXIS = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MANY_AXES = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]
OF_REAL = {"rfft", "ihfft", "rfft2", "rfftn"}


def both(name):
    return getattr(np.fft, name), getattr(fnp.fft, name)


def test_every_public_name_is_here():
    assert set(np.fft.__all__) <= set(fnp.fft.__all__)
    for name in np.fft.__all__:
        want, found = both(name)
        assert list(inspect.signature(found).parameters) == list(
            inspect.signature(want).parameters
        )


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [None, 3, 6])
@pytest.mark.parametrize("name", ONE_AXIS)
def test_transforms_along_one_axis(name, n, norm):
    want, found = both(name)
    x = X if name in OF_REAL else Z
    for axis in (0, -1):
        f = lambda x, axis=axis: found(x, n, axis, norm)
        np.testing.assert_array_equal(fad.vjp(f, x)[0], want(x, n, axis, norm))
    check_derivatives(f, x, order=1)


@pytest.mark.parametrize("name", MANY_AXES)
@pytest.mark.parametrize(
    "options",
    [{}, dict(axes=(1, 0)), dict(s=(3, 6), axes=(0, 1)), dict(s=(-1, 4), axes=(0, 1))],
)
def test_transforms_over_axes(name, options):
    want, found = both(name)
    x = X if name in OF_REAL else Z
    f = lambda x: found(x, **options, norm="ortho")
    np.testing.assert_array_equal(fad.vjp(f, x)[0], want(x, **options, norm="ortho"))
    check_derivatives(f, x, order=1)


def test_axes_may_be_given_twice():
    f = lambda x: fnp.fft.fftn(x, axes=(0, 0))
    np.testing.assert_array_equal(fad.vjp(f, Z)[0], np.fft.fftn(Z, axes=(0, 0)))


def test_plain_numpy_calls_reach_the_transforms():
    f = lambda x: np.sum(np.abs(np.fft.rfft(x)) ** 2)
    x = rng.standard_normal(5)
    np.testing.assert_allclose(fad.grad(f)(x), 5 * x + x.sum())


@pytest.mark.parametrize("axes", [None, 0, (1,), (0, 1)])
@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts(name, axes):
    want, found = both(name)
    f = lambda x: found(x, axes)
    np.testing.assert_array_equal(fad.vjp(f, X)[0], want(X, axes))
    check_derivatives(f, X, order=1)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
@pytest.mark.parametrize("n", [1, 6, 7])
def test_frequencies_are_differentiable_in_the_spacing(name, n):
    want, found = both(name)
    value, tangent = fad.jvp(lambda d: found(n, d), (0.5,), (1.0,))
    np.testing.assert_allclose(value, want(n, 0.5), rtol=1e-15)
    np.testing.assert_allclose(tangent, -want(n, 0.5) / 0.5, rtol=1e-15)


def test_second_derivative_through_a_power_spectrum():
    f = lambda x: fnp.sum(fnp.abs(fnp.fft.fft(x)) ** 4)
    check_derivatives(f, rng.standard_normal(4))


def test_complex_samples_are_refused_by_rfft():
    with pytest.raises(TypeError, match="use fft for complex"):
        fad.vjp(fnp.fft.rfft, Z)


def test_no_points_are_refused():
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        fad.vjp(lambda x: fnp.fft.fft(x, 0), X)


def test_axis_out_of_range():
    with pytest.raises(np.exceptions.AxisError):
        fad.vjp(lambda x: fnp.fft.fft(x, axis=2), X)


def test_sizes_without_axes_warn_as_in_numpy():
    with pytest.warns(DeprecationWarning, match="deprecated in NumPy 2.0"):
        fad.vjp(lambda x: fnp.fft.fftn(x, s=(2, 2)), X)


def test_out_is_refused():
    with pytest.raises(TypeError, match="out="):
        fad.vjp(lambda x: fnp.fft.fft(x, out=np.zeros(5, complex)), X)


def test_staged_transforms_run_again():
    jaxpr = fad.make_jaxpr(lambda x: fnp.fft.irfft(fnp.fft.rfft(x), 5))(X)
    (out,) = fad.eval_jaxpr(jaxpr, X)
    np.testing.assert_allclose(out, X, atol=1e-14)
