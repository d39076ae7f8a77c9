"""Functions of Hermitian matrices, where eigenvalues repeat and where they do not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fad
import fad.numpy as fnp
from fad.lax import spectral_function

rng = np.random.default_rng(17)
Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
S, T = rng.normal(size=(2, 3, 3))

SPECTRA = {
    "apart": [0.1, 0.5, 2.0],
    "one pair": [1.0, 1.0, 2.0],
    "all equal": [1.0, 1.0, 1.0],
    "zeros": [0.0, 0.0, 0.0],
    "close": [1.0, 1.0 + 1e-9, 2.0],
    "less close": [1.0, 1.0 + 1e-4, 1.0 + 3e-4],
}


def with_eigenvalues(values):
    a = (Q * values) @ Q.T
    return (a + a.T) / 2


def symmetric(a):
    return (a + a.T) / 2


@pytest.mark.parametrize("values", SPECTRA.values(), ids=SPECTRA.keys())
def test_exponential_has_the_derivatives_of_expm(values):
    a = with_eigenvalues(values)
    f = lambda a: fnp.sum(spectral_function(fnp.exp, a) * S)
    g = lambda a: fnp.sum(fad.scipy.linalg.expm(symmetric(a)) * S)
    third = lambda f: fad.jvp(
        lambda x: fad.jvp(fad.grad(f), (x,), (T,))[1], (a,), (T,)
    )[1]
    assert_allclose(f(a), g(a), 1e-13)
    assert_allclose(fad.grad(f)(a), fad.grad(g)(a), 1e-11, 1e-11)
    assert_allclose(fad.hessian(f)(a), fad.hessian(g)(a), 1e-9, 1e-9)
    assert_allclose(third(f), third(g), 1e-7, 1e-7)


def test_the_identity_is_the_identity():
    total = lambda a: fnp.sum(spectral_function(lambda w: w, a))
    assert_allclose(fad.grad(total)(np.eye(3)), np.ones((3, 3)), 1e-14)
    assert_allclose(fad.hessian(total)(np.eye(3)), 0, atol=1e-14)


def test_functions_of_the_values_alone_are_right_at_second_order():
    f = lambda a: fnp.trace(spectral_function(lambda w: w**3, a))
    g = lambda a: fnp.trace(symmetric(a) @ symmetric(a) @ symmetric(a))
    a = 2 * np.eye(2)
    assert_allclose(fad.hessian(f)(a), fad.hessian(g)(a), atol=1e-13)


def test_small_gaps_of_small_values_keep_their_digits():
    w = np.array([1e-6, 2e-6, 1.0])
    gaps = w[:, None] - w + np.eye(3)
    slopes = np.where(np.eye(3) == 1, 1 / w, np.log(w[:, None] / w) / gaps)
    grad = fad.grad(lambda a: fnp.sum(spectral_function(fnp.log, a) * S))(np.diag(w))
    assert_allclose(grad, slopes * symmetric(S), 1e-12)


def test_hermitian_matrices():
    a = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    a, t = a + a.conj().T, S + S.T + 1j * (T - T.T)
    square = lambda a: spectral_function(lambda w: w * w, a)
    value, tangent = fad.jvp(square, (a,), (t,))
    assert_allclose(value, a @ a, atol=1e-12)
    assert_allclose(tangent, a @ t + t @ a, atol=1e-12)
    grad = fad.grad(lambda a: fnp.real(fnp.sum(square(a) * S)))(a)
    assert_allclose(np.sum(grad * t).real, np.sum(tangent * S).real, 1e-12)


def test_complex_results_and_constant_functions():
    phase = spectral_function(lambda w: fnp.exp(1j * w), np.diag([0.0, np.pi]))
    assert_allclose(phase, np.diag([1.0, -1.0]), atol=1e-15)
    f = lambda a: fnp.sum(spectral_function(lambda w: 3.0, a))
    assert_allclose(f(np.eye(2)), 6.0)
    assert_array_equal(fad.grad(f)(np.eye(2)), np.zeros((2, 2)))


def test_stacks_under_vmap_and_jit():
    stack = np.stack([with_eigenvalues(v) for v in SPECTRA.values()])
    grad = fad.grad(lambda a: fnp.sum(spectral_function(fnp.exp, a) * S))
    want = np.stack([grad(a) for a in stack])
    assert_allclose(fad.vmap(grad)(stack), want, 1e-12, 1e-13)
    assert_allclose(fad.jit(grad)(stack[0]), want[0], 1e-14)
    assert spectral_function(fnp.exp, stack.astype(np.float32)).dtype == np.float32


def test_a_function_over_a_traced_value_is_refused():
    f = lambda t: fnp.sum(spectral_function(lambda w: t * w, np.eye(2)))
    with pytest.raises(TypeError, match="closes over a traced value"):
        fad.grad(f)(2.0)
