import numpy as np
import pytest

import fad
from fad.ops import linalg as ops
from fad.ops.factorizations import cholesky, qr
from fad.ops.norms import norm
from fad.ops.reductions import reduce_sum
from fad.testing import check_grads, check_vjp_jvp_duality

rng = np.random.default_rng(7)


def real(*shape):
    return rng.standard_normal(shape)


def regular(n):
    return real(n, n) + 3 * np.eye(n)


def cofactors(a):
    n = len(a)
    return np.array(
        [
            [
                (-1) ** (i + j)
                * np.linalg.det(np.delete(np.delete(a, i, axis=0), j, axis=1))
                for j in range(n)
            ]
            for i in range(n)
        ]
    )


def of_rank(r, n):
    return real(n, r) @ real(r, n)


@pytest.mark.parametrize("rank", [0, 1, 2, 3, 4])
def test_gradient_of_det_is_the_cofactors_at_every_rank(rank):
    a = of_rank(rank, 4)
    np.testing.assert_allclose(fad.grad(ops.det)(a), cofactors(a), atol=1e-12)
    np.testing.assert_allclose(ops.adjugate(a).T, cofactors(a), atol=1e-12)


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_second_derivative_of_det_at_every_rank(rank):
    a, e, h = of_rank(rank, 3), real(3, 3), 1e-5
    found = fad.jvp(fad.grad(ops.det), (a,), (e,))[1]
    want = (cofactors(a + h * e) - cofactors(a - h * e)) / (2 * h)
    np.testing.assert_allclose(found, want, atol=1e-9)


def test_third_derivative_of_det():
    e = real(3, 3)
    second = lambda a: fad.jvp(fad.grad(ops.det), (a,), (e,))[1]
    found = fad.jvp(second, (real(3, 3),), (e,))[1]
    np.testing.assert_allclose(found, 2 * cofactors(e), atol=1e-12)


def test_singular_and_regular_matrices_stand_in_one_stack():
    a = np.stack([of_rank(2, 3), np.eye(3)])
    grad = fad.grad(lambda a: reduce_sum(ops.det(a), axis=(0,)))(a)
    np.testing.assert_allclose(grad, [cofactors(a[0]), np.eye(3)], atol=1e-12)


def test_slogdet_of_a_singular_matrix_has_infinite_slope_and_no_error():
    a = np.stack([np.ones((2, 2)), 2 * np.eye(2)])
    grad = fad.grad(lambda a: reduce_sum(ops.slogdet(a)[1], axis=(0,)))(a)
    assert np.isinf(grad[0]).all()
    np.testing.assert_allclose(grad[1], np.eye(2) / 2)


def test_gradient_of_log_determinant_does_not_overflow_in_large_matrices():
    a = 1e-3 * np.eye(200)  # the determinant itself underflows
    grad = fad.grad(lambda a: ops.slogdet(a)[1])(a)
    np.testing.assert_allclose(grad, 1e3 * np.eye(200))


def test_phase_of_a_complex_determinant_turns():
    a = regular(3) + 1j * real(3, 3)
    check_grads(lambda a: ops.slogdet(a), (a,), order=2)


def test_solve_is_linear_in_the_right_hand_side():
    a, b = regular(3), real(3, 2)
    (transposed,) = fad.linear_transpose(lambda b: ops.solve(a, b), b)(b)
    np.testing.assert_allclose(transposed, np.linalg.solve(a.T, b))
    assert ops.solve.plan(0b110).picks == (0,)


def test_gradient_of_solve_takes_one_solve():
    pulled = lambda a, b, ct: fad.vjp(ops.solve, a, b)[1](ct)
    program = fad.make_jaxpr(pulled)(regular(3), real(3, 2), real(3, 2))
    names = [e.prim.name for e in program.eqns]
    assert names.count("solve") == 2  # forward and backward


def test_vmap_over_right_hand_sides_factors_the_matrix_once():
    f = fad.vmap(ops.solve, in_axes=(None, 0))
    a, b = regular(3), real(5, 3, 2)
    program = fad.make_jaxpr(f)(a, b)
    (eqn,) = [e for e in program.eqns if e.prim is ops.solve]
    assert eqn.aval.shape == (3, 10)
    np.testing.assert_allclose(f(a, b), np.linalg.solve(a, b))


def test_singular_matrix_is_refused_with_numpys_error():
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        fad.grad(lambda a: ops.inv(a, strict=True)[0, 0])(np.ones((2, 2)))


@pytest.mark.parametrize("shape", [(5, 2), (2, 5), (4, 4)])
@pytest.mark.parametrize("rank", [1, 2])
def test_pinv_along_changes_that_keep_the_rank(shape, rank):
    left, right = real(shape[0], rank), real(rank, shape[1])
    f = lambda left, right: ops.pinv(left @ right)
    check_grads(f, (left, right), order=2, rtol=1e-5)


def test_cholesky_has_the_symmetric_gradient():
    a = regular(3) @ regular(3).T
    a = (a + a.T) / 2 + np.eye(3)
    for upper in (False, True):
        half = lambda a, upper=upper: reduce_sum(
            cholesky(a, upper=upper) * np.eye(3), axis=(0, 1)
        )
        grad = fad.grad(half)(a)
        np.testing.assert_array_equal(grad, grad.T)
    two = np.array([[2.0, 0.5], [0.5, 1.0]])
    log = lambda a: ops.slogdet(cholesky(a, upper=False))[1] * 2
    np.testing.assert_allclose(fad.grad(log)(two), np.linalg.inv(two))


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
@pytest.mark.parametrize("imaginary", [0, 1j])
def test_product_of_qr_is_the_matrix_with_its_derivatives(shape, complete, imaginary):
    a = real(*shape) + imaginary * real(*shape)
    t = real(*shape) + imaginary * real(*shape)

    def product(a):
        q, r = qr(a, complete=complete)
        return q @ r

    np.testing.assert_allclose(fad.jvp(product, (a,), (t,))[1], t, atol=1e-12)
    np.testing.assert_allclose(fad.vjp(product, a)[1](t)[0], t, atol=1e-12)
    check_vjp_jvp_duality(lambda a: qr(a, complete=complete), (a,))


def test_complement_of_a_complete_qr_is_differentiated():
    def projector(a):
        q, _ = qr(a, complete=True)
        return q[:, 2:] @ q[:, 2:].T

    check_grads(projector, (real(4, 2),), order=2)


def test_norm_at_the_origin_has_the_least_subgradient():
    f = lambda x: norm(x, ord=2.0, axis=(0,))
    np.testing.assert_array_equal(fad.grad(f)(np.zeros(3)), np.zeros(3))
    np.testing.assert_array_equal(fad.grad(lambda x: f(x) ** 2)(np.zeros(3)), 0.0)
    cubic = lambda x: norm(x, ord=3.0, axis=(0,))
    np.testing.assert_array_equal(fad.grad(cubic)(np.zeros(3)), np.zeros(3))


def test_zero_rows_of_norms_get_zero_gradients_beside_others():
    f = lambda m: reduce_sum(norm(m, ord=2.0, axis=(1,)) ** 2, axis=(0,))
    grad = fad.grad(f)(np.array([[0.0, 0.0], [3.0, 4.0]]))
    np.testing.assert_array_equal(grad, [[0.0, 0.0], [6.0, 8.0]])


def test_zero_elements_of_a_norm_of_low_order_get_zero():
    grad = fad.grad(lambda x: norm(x, ord=0.5, axis=(0,)))(np.array([0.0, 4.0]))
    np.testing.assert_array_equal(grad, [0.0, 1.0])


def test_gradient_of_a_complex_norm_is_the_covector():
    grad = fad.grad(lambda x: norm(x, ord=2.0, axis=(0,)))(np.array([3.0 + 4.0j, 0.0]))
    np.testing.assert_allclose(grad, [0.6 - 0.8j, 0.0])
