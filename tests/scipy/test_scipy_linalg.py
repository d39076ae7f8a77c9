"""fad.scipy.linalg: solutions solve, factors multiply, and derivatives."""

import numpy as np
import pytest
from derivative_checks import check_derivatives
from numpy.testing import assert_allclose

import fad
from fad.ops.matrix_equations import own_sqrtm
from fad.scipy import linalg

_r = np.random.default_rng(3)
A = _r.normal(size=(3, 3))
B = _r.normal(size=(3, 2))
POSITIVE = A @ A.T + np.eye(3)
SKEW = np.array([[0.0, 2.0], [-2.0, 0.0]])


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("trans", [0, "T", "C"])
def test_triangular_solution_solves(lower, unit, trans):
    a = A + 1j * A.T
    t = np.tril(a) if lower else np.triu(a)
    if unit:
        np.fill_diagonal(t, 1)
    x = linalg.solve_triangular(a, B[:, 0], trans, lower, unit)
    matrix = {0: t, "T": t.T, "C": t.conj().T}[trans]
    assert_allclose(matrix @ x, B[:, 0], atol=1e-12)


def test_triangular_systems_are_differentiable_and_ignore_the_other_triangle():
    f = lambda a, b: linalg.solve_triangular(a + 3 * np.eye(3), b, lower=True)
    check_derivatives(f, A, B)
    gradient = fad.grad(lambda a: f(a, B).sum())(A)
    np.testing.assert_array_equal(np.triu(gradient, 1), 0)


def test_cholesky_solution_solves_and_is_differentiable():
    for lower in (True, False):
        x = linalg.cho_solve(linalg.cho_factor(POSITIVE, lower), B)
        assert_allclose(POSITIVE @ x, B, atol=1e-12)
    f = lambda a, b: linalg.cho_solve(linalg.cho_factor(a @ a.T + np.eye(3)), b)
    check_derivatives(f, A, B, rtol=1e-6)


def test_cholesky_factor_is_upper_by_default():
    u = linalg.cholesky(POSITIVE)
    assert_allclose(u.T @ u, POSITIVE)
    assert_allclose(linalg.cholesky(POSITIVE, lower=True), u.T)


@pytest.mark.parametrize("scale", [1e-6, 0.3, 1.0, 40.0])
def test_exponential_of_a_rotation(scale):
    angle = 2 * scale
    c, s = np.cos(angle), np.sin(angle)
    assert_allclose(linalg.expm(scale * SKEW), [[c, s], [-s, c]], atol=1e-13)


def test_exponential_of_a_matrix_without_eigenvectors_and_of_stacks():
    jordan = np.array([[1.0, 1.0], [0.0, 1.0]])
    e = np.e
    assert_allclose(linalg.expm(jordan), [[e, e], [0, e]], 1e-14)
    stack = np.stack([np.zeros((2, 2)), jordan, 30 * SKEW])
    assert_allclose(linalg.expm(stack), [linalg.expm(m) for m in stack], 1e-12, 1e-14)


def test_exponential_is_differentiable_in_every_mode():
    check_derivatives(linalg.expm, A, rtol=1e-6)
    check_derivatives(linalg.expm, np.stack([A, 4 * A]), rtol=1e-5, order=1)
    eager = fad.jacfwd(linalg.expm)(2 * A)
    assert_allclose(fad.jacrev(linalg.expm)(2 * A), eager, 1e-10, 1e-10)
    assert_allclose(fad.jit(fad.jacrev(linalg.expm))(2 * A), eager, 1e-10, 1e-10)


def test_square_root_squares_and_is_differentiable():
    root = linalg.sqrtm(POSITIVE)
    assert_allclose(root @ root, POSITIVE, 1e-12)
    assert_allclose(own_sqrtm(POSITIVE), root, 1e-10)
    check_derivatives(linalg.sqrtm, POSITIVE, rtol=1e-6)


def test_square_root_keeps_the_dtype():
    a = np.diag([-1.0, 4.0])
    assert np.isnan(linalg.sqrtm(a)).all()
    assert_allclose(linalg.sqrtm(a + 0j), np.diag([1j, 2]), atol=1e-12)
    assert linalg.sqrtm(POSITIVE.astype(np.float32)).dtype == np.float32


def test_sylvester_solution_solves_and_is_differentiable():
    a, b = A + 3 * np.eye(3), np.array([[1.0, 0.5], [-0.5, 2.0]])
    x = linalg.solve_sylvester(a, b, B)
    assert_allclose(a @ x + x @ b, B, atol=1e-12)
    check_derivatives(linalg.solve_sylvester, a, b, B)


def test_block_diagonal():
    got = linalg.block_diag(np.ones((1, 2)), 3.0, [4.0, 5.0])
    expected = [[1, 1, 0, 0, 0], [0, 0, 3, 0, 0], [0, 0, 0, 4, 5]]
    np.testing.assert_array_equal(got, expected)
    check_derivatives(linalg.block_diag, A, B)


def test_structured_matrices():
    c, r = np.array([1.0, 2.0, 3.0]), np.array([9.0, 5.0])
    np.testing.assert_array_equal(linalg.toeplitz(c, r), [[1, 5], [2, 1], [3, 2]])
    np.testing.assert_array_equal(linalg.toeplitz(c)[0], c)
    np.testing.assert_array_equal(linalg.hankel(c, r), [[1, 2], [2, 3], [3, 5]])
    np.testing.assert_array_equal(linalg.circulant(c)[:, 1], [3, 1, 2])
    check_derivatives(linalg.toeplitz, c, r)
    check_derivatives(linalg.circulant, c)


def test_complex_toeplitz_without_a_row_is_hermitian():
    t = linalg.toeplitz(np.array([1.0, 2 + 1j]))
    np.testing.assert_array_equal(t, t.conj().T)


def test_banded_solution_solves_and_is_differentiable():
    ab = np.array([[0.0, 1.0, 2.0], [4.0, 5.0, 6.0], [1.0, -1.0, 0.0]])
    full = np.array([[4.0, 1.0, 0.0], [1.0, 5.0, 2.0], [0.0, -1.0, 6.0]])
    assert_allclose(full @ linalg.solve_banded((1, 1), ab, B), B, atol=1e-13)
    f = lambda ab, b: linalg.solve_banded((1, 1), ab, b)
    check_derivatives(f, ab, B, batch=False)


def test_other_functions_follow_scipys_conventions():
    q, r = linalg.qr(B)
    assert q.shape == (3, 3) and r.shape == (3, 2)
    q, r = linalg.qr(B, mode="economic")
    assert_allclose(q @ r, B, atol=1e-13)
    assert_allclose(
        linalg.solve(POSITIVE, B, assume_a="pos"), np.linalg.solve(POSITIVE, B)
    )
    values, vectors = linalg.eigh(POSITIVE)
    assert_allclose(vectors * values @ vectors.T, POSITIVE)
    u, s, vh = linalg.svd(B, full_matrices=False)
    assert_allclose(u * s @ vh, B, atol=1e-13)


def test_errors_say_what_does_not_match():
    with pytest.raises(ValueError, match="trans is 0, 1, 2"):
        linalg.solve_triangular(A, B, "X")
    with pytest.raises(ValueError, match="mode is one of"):
        linalg.qr(A, mode="complete")
    with pytest.raises(ValueError, match="do not match"):
        fad.jit(linalg.solve_sylvester)(A, A, B)
    with pytest.raises(ValueError, match="blocks are matrices"):
        linalg.block_diag(np.ones((1, 1, 1)))
