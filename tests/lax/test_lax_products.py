"""Products, transposed and grouped convolutions, linear algebra of fad.lax."""

import numpy as np
import pytest

import fad
from fad import lax

rng = np.random.default_rng(2)
A, B = rng.standard_normal((5, 2, 3)), rng.standard_normal((5, 3, 4))


@pytest.mark.parametrize(
    ("numbers", "spec"),
    [
        ((((2,), (1,)), ((0,), (0,))), "bij,bjk->bik"),
        ((((0, 2), (0, 1)), ((), ())), "bij,bjk->ik"),
        ((((2,), (1,)), ((), ())), "bij,cjk->bick"),
        ((((), ()), ((0,), (0,))), "bij,bkl->bijkl"),
        ((((), ()), ((), ())), "bij,ckl->bijckl"),
    ],
)
def test_dot_general_is_an_einsum(numbers, spec):
    product = lambda a, b: lax.dot_general(a, b, numbers)
    np.testing.assert_allclose(product(A, B), np.einsum(spec, A, B))
    fad.testing.check_grads(product, (A, B), order=2)
    stacked = fad.vmap(product, (0, None), -1)(A[None], B)
    np.testing.assert_allclose(stacked[..., 0], product(A, B))


def test_products_want_matching_axes():
    np.testing.assert_allclose(lax.dot(A[0], B[0]), A[0] @ B[0])
    np.testing.assert_allclose(lax.batch_matmul(A, B), A @ B)
    assert lax.dot(np.int8([1]), np.int8([2]), preferred_element_type=int).dtype == int
    with pytest.raises(TypeError, match="one size"):
        lax.dot(A[0], A[0])
    with pytest.raises(TypeError, match="named once"):
        lax.dot_general(A, A, (((1, 1), (1, 1)), ((), ())))
    with pytest.raises(TypeError, match="vectors and matrices"):
        lax.dot(A, B)


def test_dimension_numbers_by_letters_and_by_axes():
    numbers = lax.conv_dimension_numbers((1,) * 4, (1,) * 4, ("NHWC", "HWIO", "NCHW"))
    assert numbers == ((0, 3, 1, 2), (3, 2, 0, 1), (0, 1, 2, 3))
    x, w = rng.standard_normal((2, 5, 6, 3)), rng.standard_normal((2, 3, 3, 4))
    by_axes = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=numbers)
    turned = lax.conv_general_dilated(
        x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), (1, 1), "SAME"
    )
    np.testing.assert_allclose(by_axes, turned)
    with pytest.raises(ValueError, match="each once"):
        lax.conv_dimension_numbers((1,) * 4, (1,) * 4, ("NHWC", "HWIO", "NHWH"))
    with pytest.raises(TypeError, match="as many axes"):
        lax.conv_dimension_numbers((1,) * 4, (1,) * 3, None)


def test_same_padding_below():
    x, w = np.arange(4.0).reshape(1, 1, 4), np.ones((1, 1, 2))
    got = lax.conv(x, w, (1,), "SAME_LOWER")
    np.testing.assert_array_equal(got[0, 0], [0, 1, 3, 5])


def test_groups_of_images():
    x, w = rng.standard_normal((4, 3, 6)), rng.standard_normal((2, 3, 2))
    got = lax.conv_general_dilated(x, w, (1,), "VALID", batch_group_count=2)
    halves = [
        lax.conv(x[2 * g : 2 * g + 2], w[g : g + 1], (1,), "VALID") for g in (0, 1)
    ]
    np.testing.assert_allclose(got, np.concatenate(halves, axis=1))


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_transposed_convolution_is_the_transpose(padding, stride, width):
    y = rng.standard_normal((2, 5, 3))
    w = rng.standard_normal((width, 4, 3))
    got = lax.conv_transpose(y, w, (stride,), padding, transpose_kernel=True)
    numbers = ("NWC", "WIO", "NWC")
    forward = lambda x: lax.conv_general_dilated(
        x, w, (stride,), padding, dimension_numbers=numbers
    )
    x = fad.ShapeDtypeStruct(got.shape, got.dtype)
    if fad.eval_shape(forward, x).shape == y.shape:
        np.testing.assert_allclose(fad.linear_transpose(forward, x)(y)[0], got)
    assert got.shape[1] == (
        5 * stride if padding == "SAME" else 5 * stride + max(width - stride, 0)
    )


def test_factorizations():
    s = A[0] @ A[0].T + np.eye(2)
    np.testing.assert_allclose(lax.linalg.cholesky(s), np.linalg.cholesky(s))
    skewed = s + [[0.0, 1.0], [-1.0, 0.0]]
    np.testing.assert_allclose(lax.linalg.cholesky(skewed), np.linalg.cholesky(s))
    vectors, values = lax.linalg.eigh(s)
    np.testing.assert_allclose(vectors * values @ vectors.T, s)
    q, r = lax.linalg.qr(B[0], full_matrices=False)
    np.testing.assert_allclose(q @ r, B[0])
    u, w, vh = lax.linalg.svd(B[0], full_matrices=False)
    np.testing.assert_allclose(u * w @ vh, B[0])
    np.testing.assert_allclose(lax.linalg.svd(B[0], compute_uv=False), w)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_solve(left, lower, transposed, unit):
    a = rng.standard_normal((2, 3, 3)) + 3 * np.eye(3)
    b = rng.standard_normal((2, 3, 4) if left else (2, 4, 3))
    options = dict(lower=lower, transpose_a=transposed, unit_diagonal=unit)
    solve = lambda a, b: lax.linalg.triangular_solve(a, b, left_side=left, **options)
    t = np.tril(a) if lower else np.triu(a)
    if unit:
        t[:, range(3), range(3)] = 1.0
    t = t.swapaxes(1, 2) if transposed else t
    x = solve(a, b)
    np.testing.assert_allclose(t @ x if left else x @ t, b)
    fad.testing.check_grads(solve, (a, b), order=1)
    row = solve(a[0], b[0, :, 0] if left else b[0, 0])
    np.testing.assert_allclose(row, x[0, :, 0] if left else x[0, 0])


def test_complex_triangular_solve_with_the_adjoint():
    a = np.array([[2.0, 1j], [0.0, 1.0]])
    b = np.array([1.0, 2.0])
    x = lax.linalg.triangular_solve(
        a, b, left_side=True, transpose_a=True, conjugate_a=True
    )
    np.testing.assert_allclose(a.conj().T @ x, b)
