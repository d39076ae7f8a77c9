import numpy as np
import pytest

import fad
from fad.ops.fft import fft, ifft, irfft, resize_axis, rfft, rotate, swap_norm

rng = np.random.default_rng(3)
NORMS = ["backward", "ortho", "forward"]


def cplx(*shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def matrix_of(f, n, dtype):
    """The columns of a linear map, one basis vector after the other."""
    return np.stack([f(e) for e in np.eye(n, dtype=dtype)], axis=-1)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [1, 2, 5, 6])
@pytest.mark.parametrize("prim", [fft, ifft])
def test_full_transform_is_its_own_transpose(prim, n, norm):
    ct = cplx(n)
    f = lambda x: prim(x, axis=0, norm=norm)
    (found,) = fad.vjp(f, cplx(n))[1](ct)
    np.testing.assert_allclose(found, matrix_of(f, n, complex).T @ ct, atol=1e-14)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_transpose_of_rfft_pairs_real_parts(n, norm):
    f = lambda x: rfft(x, n=n, axis=0, norm=norm)
    ct = cplx(n // 2 + 1)
    (found,) = fad.vjp(f, rng.standard_normal(n))[1](ct)
    assert found.dtype == np.float64
    expected = (matrix_of(f, n, float).T @ ct).real
    np.testing.assert_allclose(found, expected, atol=1e-14)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_transpose_of_irfft_ignores_imaginary_parts_that_it_ignores(n, norm):
    m = n // 2 + 1
    f = lambda z: irfft(z, n=n, axis=0, norm=norm)
    ct = rng.standard_normal(n)
    (found,) = fad.vjp(f, cplx(m))[1](ct)
    across, along = matrix_of(f, m, complex), matrix_of(lambda e: f(1j * e), m, complex)
    np.testing.assert_allclose(found.real, across.T @ ct, atol=1e-14)
    np.testing.assert_allclose(found.imag, -along.T @ ct, atol=1e-14)
    assert abs(found[0].imag) < 1e-15


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_single_precision_stays(dtype):
    x = np.arange(6).astype(dtype)
    out, pull = fad.vjp(lambda x: fft(x, axis=0, norm="ortho"), x)
    assert out.dtype == np.complex64
    assert pull(out)[0].dtype == dtype


def test_single_precision_stays_between_real_and_half():
    x = np.arange(6, dtype=np.float32)
    out, pull = fad.vjp(lambda x: rfft(x, n=6, axis=0, norm="backward"), x)
    assert (out.dtype, pull(out)[0].dtype) == (np.complex64, np.float32)
    back, pull = fad.vjp(lambda z: irfft(z, n=6, axis=0, norm="backward"), out)
    assert (back.dtype, pull(back)[0].dtype) == (np.float32, np.complex64)


def test_chain_of_transforms_keeps_no_residuals():
    def f(x):
        return irfft(rfft(x, n=6, axis=0, norm="ortho"), n=6, axis=0, norm="ortho")

    jaxpr = fad.make_jaxpr(lambda t: fad.jvp(f, (np.ones(6),), (t,))[1])(np.ones(6))
    assert [e.prim.name for e in jaxpr.eqns] == ["rfft", "irfft"]


def test_batch_axis_is_transformed_around_not_through():
    x = rng.standard_normal((4, 3, 5))
    f = fad.vmap(lambda x: fft(x, axis=0, norm="backward"), in_axes=1, out_axes=1)
    np.testing.assert_array_equal(f(x), np.fft.fft(x, axis=0))


@pytest.mark.parametrize("n", [2, 4, 7])
def test_resize_axis_is_what_numpy_does_to_n_points(n):
    x = rng.standard_normal((3, 4))
    np.testing.assert_array_equal(
        np.fft.fft(resize_axis(x, n, 1), axis=1), np.fft.fft(x, n, axis=1)
    )


@pytest.mark.parametrize("shift", [-7, -1, 0, 2, 5, 8])
def test_rotate_is_roll(shift):
    x = np.arange(10).reshape(2, 5)
    np.testing.assert_array_equal(rotate(x, shift, 1), np.roll(x, shift, 1))


def test_rotate_of_nothing_is_nothing():
    assert rotate(np.zeros((0, 2)), 1, 0).shape == (0, 2)


def test_swap_norm_names_the_three_norms():
    with pytest.raises(ValueError, match='"backward", "ortho" or "forward"'):
        swap_norm("both")
