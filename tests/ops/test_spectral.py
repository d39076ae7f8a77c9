import numpy as np
import pytest

import fad
from fad.ops.arithmetic import real as real_part
from fad.ops.reductions import reduce_prod, reduce_sum
from fad.ops.spectral import eig, eigh, repeated, svd
from fad.ops.stacks import adjoint
from fad.testing import check_grads, check_vjp_jvp_duality

rng = np.random.default_rng(8)


def some(shape, imaginary=0):
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if imaginary else x


def total(x):
    return reduce_sum(real_part(x), axis=tuple(range(x.ndim)))


def hermitian(n, imaginary=0):
    x = some((n, n), imaginary)
    return x + x.conj().T


def with_eigenvalues(*values):
    q, _ = np.linalg.qr(some((len(values), len(values))))
    a = q @ np.diag(values) @ q.T
    return (a + a.T) / 2


@pytest.mark.parametrize("values", [(2.0, 2.0, 2.0), (1.0, 1.0, -2.0), (0.0, 0.0, 0.0)])
def test_functions_of_repeated_eigenvalues_are_exact(values):
    a, s = with_eigenvalues(*values), hermitian(3)
    grad = fad.grad(lambda a: total(eigh(a, uplo="L")[0] ** 3))(a)
    assert np.isfinite(grad).all()
    np.testing.assert_allclose(np.sum(grad * s), np.trace(3 * a @ a @ s), 1e-8, 1e-12)


def test_space_of_a_group_of_equal_eigenvalues_is_exact():
    a = with_eigenvalues(1.0, 1.0, 4.0)
    s, h = hermitian(3), 1e-5

    def projector(a):
        v = eigh(a, uplo="L")[1][:, :2]
        return v @ adjoint(v)

    want = (projector(a + h * s) - projector(a - h * s)) / (2 * h)
    np.testing.assert_allclose(fad.jvp(projector, (a,), (s,))[1], want, atol=1e-8)


def test_vectors_stay_orthonormal_where_eigenvalues_repeat():
    gram = lambda a: adjoint(eigh(a, uplo="L")[1]) @ eigh(a, uplo="L")[1]
    for a in (np.eye(3), with_eigenvalues(1.0, 1.0, 4.0)):
        tangent = fad.jvp(gram, (a,), (hermitian(3),))[1]
        np.testing.assert_allclose(tangent, 0, atol=1e-12)


@pytest.mark.parametrize("imaginary", [0, 1])
@pytest.mark.parametrize("uplo", ["L", "U"])
def test_functions_of_hermitian_matrices_do_not_depend_on_phases(uplo, imaginary):
    def exponential(a):
        w, v = eigh((a + adjoint(a)) / 2, uplo=uplo)
        return (v * (w * w)) @ adjoint(v)

    a, t = hermitian(3, imaginary), hermitian(3, imaginary)
    tangent = fad.jvp(exponential, (a,), (t,))[1]
    np.testing.assert_allclose(tangent, a @ t + t @ a, atol=1e-12)
    check_grads(exponential, (a,), order=2)


def test_gradient_of_eigh_is_hermitian():
    grad = fad.grad(lambda a: total(eigh(a, uplo="L")[1]))(hermitian(3))
    np.testing.assert_allclose(grad, grad.T, atol=1e-13)


@pytest.mark.parametrize("imaginary", [0, 1])
def test_eigenvectors_follow_the_scaling_of_lapack(imaginary):
    a = some((4, 4), imaginary) + np.diag([0.0, 3.0, 6.0, 9.0])
    check_grads(eig, (a,), order=2, rtol=1e-4)


def test_trace_of_powers_by_eigenvalues():
    a = some((4, 4))  # complex pairs
    grad = fad.grad(lambda a: total(eig(a)[0] ** 3))(a)
    np.testing.assert_allclose(grad, 3 * (a @ a).T, atol=1e-10)
    assert grad.dtype == np.float64


@pytest.mark.parametrize("imaginary", [0, 1])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_product_of_svd_is_the_matrix_with_its_derivatives(shape, full, imaginary):
    a, t, k = some(shape, imaginary), some(shape, imaginary), min(shape)

    def product(a):
        u, s, vh = svd(a, full_matrices=full)
        return (u[:, :k] * s) @ vh[:k]

    np.testing.assert_allclose(fad.jvp(product, (a,), (t,))[1], t, atol=1e-11)
    np.testing.assert_allclose(fad.vjp(product, a)[1](t)[0], t, atol=1e-11)
    check_vjp_jvp_duality(lambda a: svd(a, full_matrices=full), (a,), rtol=1e-8)


@pytest.mark.parametrize("imaginary", [0, 1])
@pytest.mark.parametrize("shape", [(4, 2), (2, 4)])
def test_null_space_of_a_full_svd_is_differentiated(shape, imaginary):
    def projector(a):
        u, _, vh = svd(a, full_matrices=True)
        null = u[:, 2:] if shape[0] > 2 else adjoint(vh[2:])
        return null @ adjoint(null)

    check_grads(projector, (some(shape, imaginary),), order=2, rtol=1e-5)


def test_singular_values_of_the_identity():
    grad = fad.grad(lambda a: total(svd(a, full_matrices=False)[1] ** 2))
    np.testing.assert_allclose(grad(np.eye(3)), 2 * np.eye(3), atol=1e-14)


def test_orthogonal_factor_is_exact_where_singular_values_are_equal():
    def polar(a):
        u, _, vh = svd(a, full_matrices=False)
        return u @ vh

    t = some((3, 3))
    q, _ = np.linalg.qr(some((3, 3)))
    for a in (np.eye(3), q):
        skew = a.T @ t - t.T @ a
        want = a @ skew / 2
        np.testing.assert_allclose(fad.jvp(polar, (a,), (t,))[1], want, atol=1e-12)


def test_singular_values_at_zero_have_derivative_zero():
    grad = fad.grad(lambda a: total(svd(a, full_matrices=False)[1]))(np.zeros((2, 3)))
    np.testing.assert_array_equal(grad, np.zeros((2, 3)))


def test_product_of_singular_values_to_second_order():
    f = lambda a: reduce_prod(svd(a, full_matrices=False)[1], axis=(0,))
    check_grads(f, (some((3, 2)),), order=2, rtol=1e-5)


def test_values_that_differ_by_rounding_count_as_repeated():
    w = np.array([1.0, 1.0 + 1e-15, 1.0 + 1e-9])
    want = [[True, True, False], [True, True, False], [False, False, True]]
    np.testing.assert_array_equal(repeated(w), want)


@pytest.mark.parametrize("shape", [(0, 2, 2), (0, 0), (2, 0), (0, 3)])
def test_empty_matrices(shape):
    out, pull = fad.vjp(lambda a: svd(a, full_matrices=False), np.zeros(shape))
    (grad,) = pull([np.zeros_like(o) for o in out])
    assert grad.shape == shape
