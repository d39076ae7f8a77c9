"""fad.scipy.signal: convolution in any rank, mode and method."""

import itertools

import numpy as np
import pytest
from derivative_checks import check_derivatives
from numpy.testing import assert_allclose

from fad.scipy import signal

_r = np.random.default_rng(4)
SHAPES = [((5,), (3,)), ((3,), (6,)), ((4, 5), (2, 3)), ((2, 3, 3), (2, 1, 2))]


def full_convolution(x, y):
    """By the definition: every pair of elements adds to the sum of their places."""
    out = np.zeros([m + n - 1 for m, n in zip(x.shape, y.shape, strict=True)])
    for i, j in itertools.product(np.ndindex(*x.shape), np.ndindex(*y.shape)):
        out[tuple(np.add(i, j))] += x[i] * y[j]
    return out


@pytest.mark.parametrize("method", ["direct", "fft"])
@pytest.mark.parametrize(("first", "second"), SHAPES)
def test_full_convolution_is_its_definition_and_differentiable(first, second, method):
    x, y = _r.normal(size=first), _r.normal(size=second)
    f = lambda x, y: signal.convolve(x, y, "full", method)
    assert_allclose(f(x, y), full_convolution(x, y), atol=1e-12)
    check_derivatives(f, x, y)


def test_same_is_the_middle_of_the_shape_of_the_first_input():
    x, y = np.arange(1.0, 6), np.array([1.0, 2.0, 3.0])
    full = full_convolution(x, y)
    assert_allclose(signal.convolve(x, y, "same"), full[1:6])
    assert_allclose(signal.convolve(y, x, "same"), full[2:5])


def test_valid_is_where_one_covers_the_other():
    x, y = _r.normal(size=(4, 5)), _r.normal(size=(2, 3))
    full = full_convolution(x, y)
    assert_allclose(signal.convolve(x, y, "valid"), full[1:4, 2:5])
    assert_allclose(signal.convolve(y, x, "valid"), full[1:4, 2:5])
    with pytest.raises(ValueError, match="one must be at least as large"):
        signal.convolve(np.ones((2, 5)), np.ones((3, 1)), "valid")


def test_correlation_conjugates_and_reverses():
    x, y = np.array([1.0, 2j]), np.array([3j, 4.0])
    expected = np.convolve(x, y[::-1].conj())
    assert_allclose(signal.correlate(x, y), expected)
    assert_allclose(signal.correlate(x, y, method="fft"), expected, atol=1e-14)
    plane = _r.normal(size=(3, 3))
    centre = signal.correlate2d(plane, plane)[2, 2]
    assert centre == pytest.approx((plane**2).sum())


def test_integers_stay_integers_by_either_method():
    x, y = np.arange(4), np.arange(3)
    for method in ("direct", "fft"):
        got = signal.convolve(x, y, method=method)
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, np.convolve(x, y))


def test_long_inputs_go_by_fft_and_agree():
    x, y = _r.normal(size=3000), _r.normal(size=2500)
    assert_allclose(
        signal.convolve(x, y), signal.convolve(x, y, method="direct"), 0, 1e-9
    )
    assert_allclose(signal.fftconvolve(x, y), signal.convolve(x, y), 0, 1e-12)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: signal.convolve(np.ones(2), np.ones((2, 2))), "same dimensionality"),
        (lambda: signal.convolve(np.ones(2), np.ones(2), "middle"), "mode is one of"),
        (lambda: signal.convolve(np.ones(2), np.ones(2), method="x"), "method is auto"),
        (lambda: signal.convolve2d(np.ones(2), np.ones(2)), "must both be 2-D"),
    ],
)
def test_wrong_arguments_are_explained(call, text):
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.parametrize("mode", ["full", "valid", "same"])
def test_convolution_along_some_axes_sums_over_others(mode):
    x, y = _r.standard_normal((2, 6, 3)), _r.standard_normal((3, 4, 2))
    f = lambda x, y: signal.convolve(x, y, mode, axes=([1], [1]), dot_axes=([2], [0]))
    want = [
        [
            sum(signal.convolve(x[i, :, k], y[k, :, j], mode) for k in range(3))
            for j in range(2)
        ]
        for i in range(2)
    ]
    assert_allclose(f(x, y), want)
    check_derivatives(f, x, y)
    apart = signal.convolve(x, y, mode, axes=([-2], [-2]))
    assert apart.shape[:4] == (2, 3, 3, 2)


def test_axes_of_a_convolution_come_in_pairs():
    with pytest.raises(ValueError, match="as many axes"):
        signal.convolve(np.ones((2, 3)), np.ones((2, 3)), axes=([0, 1], [0]))
