import types

import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp
from fad.numpy import linalg
from fad.numpy.dispatch import implementations

rng = np.random.default_rng(10)
START = rng.bit_generator.state


@pytest.fixture(autouse=True)
def _same_numbers_for_every_test():
    rng.bit_generator.state = START


def real(*shape):
    return rng.standard_normal(shape)


def complex_(*shape):
    return real(*shape) + 1j * real(*shape)


def regular(n, draw=real):
    return draw(n, n) + 3 * np.eye(n)


def apart(x):
    """Elements of the directions of x whose sizes, and sums of sizes, lie apart."""
    sizes = 1.2 ** rng.permutation(x.size).reshape(x.shape)
    sizes += 0.05 * rng.random(x.shape)  # else there may be singular matrices
    return x / np.abs(x) * sizes


def results(out):
    return list(out) if isinstance(out, tuple) else [out]


def check(name, *args, pick=None, order=2, rtol=1e-6, batch=True, **kwargs):
    """Values and types as NumPy's, through its own name too, and derivatives."""
    want = getattr(np.linalg, name)(*args, **kwargs)
    for space in (linalg, np.linalg):
        out, _ = fad.vjp(lambda *xs, s=space: getattr(s, name)(*xs, **kwargs), *args)
        assert type(out) is type(want) or not isinstance(want, tuple)
        for got, expected in zip(results(out), results(want), strict=True):
            assert np.asarray(got).dtype == np.asarray(expected).dtype
            assert np.shape(got) == np.shape(expected)
            np.testing.assert_allclose(got, expected, 1e-9, 1e-12)
    for i in range(len(results(want))) if pick is None else pick:
        f = lambda *xs, i=i: results(getattr(linalg, name)(*xs, **kwargs))[i]
        check_derivatives(f, *args, order=order, rtol=rtol, batch=batch)


def test_namespace_is_numpys():
    assert set(linalg.__all__) == set(np.linalg.__all__)
    assert fnp.linalg is linalg
    for name in np.linalg.__all__:
        function = getattr(np.linalg, name)
        if isinstance(function, types.FunctionType) or callable(function):
            assert name == "LinAlgError" or function in implementations, name
    assert linalg.LinAlgError is np.linalg.LinAlgError


draws = pytest.mark.parametrize("draw", [real, complex_])


@draws
def test_solve(draw):
    check("solve", regular(3, draw), draw(3))
    check("solve", regular(3, draw), draw(3, 2))
    check("solve", draw(2, 3, 3) + 3 * np.eye(3), draw(2, 3, 1))
    check("solve", draw(2, 3, 3) + 3 * np.eye(3), draw(3), batch=False)


@draws
@pytest.mark.parametrize("name", ["inv", "det", "slogdet"])
def test_functions_of_square_matrices(name, draw):
    check(name, regular(3, draw))
    check(name, draw(2, 3, 3) + 3 * np.eye(3))


@draws
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(upper, draw):
    def f(a):
        return linalg.cholesky((a + fnp.conj(fnp.swapaxes(a, -1, -2))) / 2, upper=upper)

    check_derivatives(f, regular(3, draw) + 3 * np.eye(3), rtol=1e-6)
    a = regular(3, draw)
    a = a @ a.conj().T
    out, _ = fad.vjp(lambda a: linalg.cholesky(a, upper=upper), a)
    np.testing.assert_array_equal(out, np.linalg.cholesky(a, upper=upper))


@draws
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)])
def test_qr(shape, draw):
    check("qr", draw(*shape))
    check("qr", draw(*shape), mode="r")
    check("qr", draw(*shape), mode="complete", pick=[1])


@draws
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_svd(shape, draw):
    check("svd", draw(*shape), pick=[1], rtol=1e-5)
    check("svd", draw(*shape), compute_uv=False, rtol=1e-5)
    check("svdvals", draw(*shape), rtol=1e-5)


def test_svd_of_hermitian_matrices():
    a = regular(3)
    a = a + a.T
    for got, want in zip(
        fad.vjp(lambda a: linalg.svd(a, hermitian=True), a)[0],
        np.linalg.svd(a, hermitian=True),
        strict=True,
    ):
        np.testing.assert_allclose(np.abs(got), np.abs(want), 1e-10)
    f = lambda a: linalg.svd(a + a.T, hermitian=True, compute_uv=False)
    check_derivatives(f, regular(3), rtol=1e-5)


@draws
@pytest.mark.parametrize("uplo", ["L", "U", "l"])
def test_eigenvalues_of_hermitian_matrices(uplo, draw):
    a = regular(3, draw)
    a = a + a.conj().T
    f = lambda a: linalg.eigvalsh((a + fnp.conj(a.mT)) / 2, uplo)
    check_derivatives(f, a, rtol=1e-6)
    out, _ = fad.vjp(lambda a: linalg.eigh(a, uplo), a)
    want = np.linalg.eigh(a, uplo)
    assert type(out) is type(want)
    np.testing.assert_array_equal(out.eigenvectors, want.eigenvectors)


def test_unknown_triangle_is_refused():
    with pytest.raises(ValueError, match="'L' or 'U'"):
        fad.grad(lambda a: fnp.sum(linalg.eigvalsh(a, "X")))(np.eye(2))


def test_eigenvalues_are_real_where_numpys_are():
    check("eig", np.diag([1.0, 4.0, 9.0]) + 0.3 * real(3, 3), rtol=1e-5, batch=False)
    rotation = np.array([[0.5, -2.0], [1.5, 0.3]])
    check("eigvals", rotation)
    assert fad.vmap(linalg.eigvals)(np.eye(2)[None]).dtype == np.complex128


@draws
@pytest.mark.parametrize("n", [-2, -1, 0, 1, 2, 3, 5])
def test_matrix_power(n, draw):
    check("matrix_power", regular(3, draw) / 2, n=n, rtol=1e-5)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)])
def test_pinv(shape):
    check("pinv", real(*shape), rtol=1e-5)
    check("pinv", complex_(*shape), rcond=1e-10, order=1)


def test_pinv_has_one_tolerance():
    with pytest.raises(ValueError, match="can't be both set"):
        fad.grad(lambda a: linalg.pinv(a, 0.1, rtol=0.1)[0, 0])(real(2, 2))
    f = lambda a: linalg.pinv(a, rtol=None)
    np.testing.assert_array_equal(
        fad.vjp(f, np.ones((2, 2)))[0], np.linalg.pinv(np.ones((2, 2)), rtol=None)
    )


@draws
@pytest.mark.parametrize(
    ("a", "b"), [((5, 3), (5,)), ((5, 3), (5, 2)), ((3, 5), (3,)), ((3, 3), (3, 2))]
)
def test_lstsq(a, b, draw):
    a, b = draw(*a), draw(*b)
    check("lstsq", a, b, pick=[0, 3], rtol=1e-5, batch=False)
    if a.shape[0] > a.shape[1]:
        check("lstsq", a, b, pick=[1], rtol=1e-5)


def test_lstsq_of_deficient_rank_has_the_least_norm():
    left, right, b = real(4, 2), real(2, 3), real(4)
    f = lambda left, right, b: linalg.lstsq(left @ right, b)[0]
    np.testing.assert_allclose(
        fad.vjp(f, left, right, b)[0], np.linalg.lstsq(left @ right, b)[0]
    )
    check_derivatives(f, left, right, b, rtol=1e-5)


@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc"])
def test_cond(p):
    check("cond", regular(3), p=p, order=1, rtol=1e-5)


@pytest.mark.parametrize("p", [1, -1, np.inf, "fro"])
def test_condition_of_a_singular_matrix_is_infinite(p):
    out, _ = fad.vjp(lambda a: linalg.cond(a, p), np.ones((2, 2)))
    assert out == np.inf


def test_rank_is_a_constant():
    a = np.diag([3.0, 1.0, 0.0])
    ranks = []

    def f(a):
        ranks.append(linalg.matrix_rank(a))
        ranks.append(linalg.matrix_rank(a, tol=2.0))
        ranks.append(linalg.matrix_rank(a, rtol=0.5))
        ranks.append(linalg.matrix_rank(a[0]))
        return fnp.sum(a)

    fad.grad(f)(a)
    assert ranks == [2, 1, 1, 1]
    np.testing.assert_array_equal(
        fad.vmap(linalg.matrix_rank)(np.stack([a, 0 * a])), [2, 0]
    )


VECTOR_ORDERS = [None, 0, 1, 2, -1, -2, 3, 2.5, 0.5, np.inf, -np.inf]
MATRIX_ORDERS = [None, "fro", "f", "nuc", 1, -1, 2, -2, np.inf, -np.inf]


@draws
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("ord", VECTOR_ORDERS)
def test_norms_of_vectors(ord, keepdims, draw):
    for shape, axis in [((4,), None), ((3, 2), 0), ((2, 3, 2), -2)]:
        x = apart(draw(*shape))
        check("norm", x, ord=ord, axis=axis, keepdims=keepdims, rtol=1e-5)


@draws
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("ord", MATRIX_ORDERS)
def test_norms_of_matrices(ord, keepdims, draw):
    for shape, axis in [((3, 2), None), ((2, 3, 2), (2, 0)), ((2, 3, 2), (-2, -1))]:
        x = apart(draw(*shape))
        check("norm", x, ord=ord, axis=axis, keepdims=keepdims, rtol=1e-5)


@pytest.mark.parametrize("axis", [None, 0, (0, 2), (2, 1, 0)])
def test_vector_norm_takes_several_axes(axis):
    for ord in (0, 1, 2, 3, np.inf):
        x = apart(real(2, 3, 2))
        check("vector_norm", x, axis=axis, ord=ord, rtol=1e-5)
        check("vector_norm", x, axis=axis, ord=ord, keepdims=True, order=1)


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, 2, np.inf])
def test_matrix_norm(ord):
    check("matrix_norm", apart(real(2, 3, 2)), ord=ord, rtol=1e-5)


def test_norm_of_any_rank_and_of_integers():
    check("norm", real(2, 3, 2))
    staged = fad.make_jaxpr(linalg.norm)(np.array([3, 4]))
    assert fad.eval_jaxpr(staged, np.array([3, 4]))[0] == 5.0


def test_kinks_of_norms():
    grad = lambda ord, x: fad.grad(lambda x: linalg.norm(x, ord))(np.array(x))
    np.testing.assert_array_equal(grad(None, [0.0, 0.0]), [0, 0])
    np.testing.assert_array_equal(grad(1, [0.0, 1.0, -2.0]), [0, 1, -1])
    np.testing.assert_array_equal(grad(np.inf, [2.0, 1.0, -2.0]), [0.5, 0, -0.5])
    np.testing.assert_allclose(grad(2, np.eye(3)), np.eye(3) / 3)
    np.testing.assert_array_equal(grad("nuc", np.zeros((2, 2))), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("ord", "axis", "message"),
    [
        ("fro", 0, "Invalid norm order 'fro' for vectors"),
        (7, None, "Invalid norm order 7 for matrices"),
        (2, (1, -1), "Duplicate axes"),
    ],
)
def test_invalid_norms_are_refused(ord, axis, message):
    with pytest.raises(ValueError, match=message):
        fad.grad(lambda x: linalg.norm(x, ord, axis))(np.ones((2, 2)))


@pytest.mark.parametrize(
    "shapes",
    [
        [(3,), (3, 4), (4, 2), (2,)],
        [(3, 4), (4, 2)],
        [(3, 4), (4, 2), (2, 5), (5, 1)],
        [(3,), (3,)],
    ],
)
def test_multi_dot(shapes):
    xs = [real(*s) for s in shapes]
    f = lambda *xs: linalg.multi_dot(xs)
    assert np.shape(fad.vjp(f, *xs)[0]) == np.shape(np.linalg.multi_dot(xs))
    np.testing.assert_allclose(fad.vjp(f, *xs)[0], np.linalg.multi_dot(xs))
    check_derivatives(f, *xs)


def test_multi_dot_takes_the_cheap_order():
    xs = [np.ones((30, 1)), np.ones((1, 30)), np.ones((30, 1))]
    program = fad.make_jaxpr(lambda *xs: linalg.multi_dot(xs))(*xs)
    assert [e.aval.shape for e in program.eqns[:2]] == [(1, 1), (30, 1)]


def test_tensor_equations():
    check("tensorinv", real(2, 3, 6))
    check("tensorinv", real(6, 2, 3), ind=1)
    check("tensorsolve", real(2, 3, 6), real(2, 3))
    check("tensorsolve", real(3, 6, 2), real(3, 2), axes=(1,))


def test_products_and_diagonals():
    check("cross", real(4, 3), real(3))
    check("outer", real(3), real(4))
    check("matmul", real(2, 3), real(3, 4))
    check("vecdot", complex_(2, 3), complex_(2, 3))
    check("tensordot", real(2, 3), real(3, 4), axes=1)
    check("trace", real(2, 3, 3), offset=1)
    check("diagonal", real(2, 3, 4), offset=-1)
    check("matrix_transpose", real(2, 3, 4))


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize(
    "name", "inv det slogdet cholesky eigh eig svd qr pinv norm cond svdvals".split()
)
def test_single_precision_stays_single(name, dtype):
    a = regular(3).astype(dtype)
    a = a @ a.conj().T
    f = getattr(linalg, name)
    out, _ = fad.vjp(f, a)
    for got, want in zip(
        results(out), results(getattr(np.linalg, name)(a)), strict=True
    ):
        assert got.dtype == want.dtype
    grad = fad.grad(lambda a: sum(fnp.sum(fnp.abs(x)) for x in results(f(a))))(a)
    assert grad.dtype == dtype and np.isfinite(grad).all()


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("inv", (0, 3, 3)),
        ("inv", (0, 0)),
        ("det", (0, 3, 3)),
        ("det", (0, 0)),
        ("slogdet", (0, 2, 2)),
        ("cholesky", (0, 2, 2)),
        ("eigh", (0, 2, 2)),
        ("eig", (0, 2, 2)),
        ("svd", (0, 2, 3)),
        ("svd", (2, 0)),
        ("qr", (0, 3, 2)),
        ("qr", (3, 0)),
        ("pinv", (0, 2)),
        ("norm", (0,)),
        ("norm", (0, 3)),
    ],
)
def test_empty_arrays(name, shape):
    out, pull = fad.vjp(getattr(linalg, name), np.zeros(shape))
    want = getattr(np.linalg, name)(np.zeros(shape))
    for got, expected in zip(results(out), results(want), strict=True):
        assert np.shape(got) == np.shape(expected)
    (grad,) = pull(fad.tree.map(lambda x: x * 0, out))
    assert grad.shape == shape


@pytest.mark.parametrize(
    ("name", "a"),
    [
        ("inv", np.ones((2, 3))),
        ("inv", np.ones((2, 2))),
        ("det", np.ones(3)),
        ("cholesky", -np.eye(2)),
        ("qr", np.ones(3)),
        ("cond", np.ones((0, 2, 0))),
        ("eigvals", np.ones((2, 3))),
    ],
)
def test_errors_are_numpys(name, a):
    with pytest.raises(np.linalg.LinAlgError):
        fad.vjp(getattr(linalg, name), a)


def test_raw_qr_is_refused_with_what_to_use():
    with pytest.raises(NotImplementedError, match="use mode 'reduced'"):
        fad.vjp(lambda a: linalg.qr(a, "raw"), np.eye(2))
