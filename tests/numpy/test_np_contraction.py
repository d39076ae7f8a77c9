import itertools
import warnings

import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp
from fad.numpy.dispatch import implementations, ufuncs

rng = np.random.default_rng(9)


def real(*shape):
    return np.asarray(rng.standard_normal(shape))[()]


def complex_(*shape):
    return real(*shape) + 1j * real(*shape)


def check(name, *args, order=2, **kwargs):
    """Values, through NumPy's own name too, and derivatives in both modes."""
    want = getattr(np, name)(*args, **kwargs)
    for namespace in (fnp, np):
        f = lambda *xs, space=namespace: getattr(space, name)(*xs, **kwargs)
        out, _ = fad.vjp(f, *args)
        np.testing.assert_allclose(out, want, 1e-12, 1e-13)
        assert np.shape(out) == np.shape(want)
        assert np.asarray(out).dtype == np.asarray(want).dtype
    check_derivatives(f, *args, order=order)


DOTS = [
    ((), ()),
    ((), (3,)),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 2)),
    ((2, 4, 3), (3,)),
    ((2, 4, 3), (3, 2)),
    ((3,), (2, 3, 4)),
    ((4, 2, 3), (5, 3, 4)),
]


@pytest.mark.parametrize(("s", "t"), DOTS)
def test_dot_in_every_combination_of_ranks(s, t):
    check("dot", real(*s), real(*t))


@pytest.mark.parametrize(
    ("s", "t"), [((), (3,)), ((3,), (3,)), ((3,), (2, 3)), ((2, 5, 3), (4, 3))]
)
def test_inner(s, t):
    check("inner", real(*s), real(*t))


def test_vdot_flattens_and_conjugates():
    check("vdot", real(2, 3), real(3, 2))
    check("vdot", complex_(2, 2), complex_(4))


def test_outer_flattens():
    check("outer", real(2, 2), real(3))
    check("outer", real(), real(3))


@pytest.mark.parametrize(
    ("s", "t", "axes"),
    [
        ((2, 3, 4), (3, 4, 5), 2),
        ((2, 3, 4), (4, 3, 5), ([1, -1], [1, 0])),
        ((2, 3), (3, 4), (1, 0)),
        ((2, 3), (4,), 0),
        ((2, 3), (2, 3), 2),
    ],
)
def test_tensordot(s, t, axes):
    check("tensordot", real(*s), real(*t), axes=axes)


@pytest.mark.parametrize(
    ("s", "t"), [((2, 3), (3, 2)), ((2,), (3, 2)), ((), (3,)), ((2, 1, 3), (2, 2))]
)
def test_kron(s, t):
    check("kron", real(*s), real(*t))


@pytest.mark.parametrize(
    ("s", "t", "axes"),
    [
        ((3,), (3,), {}),
        ((4, 3), (3,), {}),
        ((3, 4), (3, 4), dict(axis=0)),
        ((3, 4), (5, 4, 3), dict(axisa=0, axisc=1)),
    ],
)
def test_cross(s, t, axes):
    check("cross", real(*s), real(*t), **axes)


@pytest.mark.parametrize(("s", "t"), [((2,), (2,)), ((4, 2), (3,))])
def test_cross_of_plane_vectors_warns_as_numpy_does(s, t):
    with pytest.warns(DeprecationWarning, match="2-dimensional vectors"):
        fad.vjp(fnp.cross, real(*s), real(*t))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check("cross", real(*s), real(*t))


@pytest.mark.parametrize("offset", [0, 1, -1, 7])
def test_trace(offset):
    check("trace", real(3, 4), offset=offset)
    check("trace", real(2, 3, 4), offset=offset, axis1=-1, axis2=0)


@pytest.mark.parametrize(
    ("name", "s", "t"),
    [
        ("matmul", (2, 3), (3, 4)),
        ("vecdot", (2, 3), (3,)),
        ("vecdot", (4, 1, 3), (5, 3)),
        ("matvec", (2, 3), (3,)),
        ("matvec", (5, 2, 3), (3,)),
        ("matvec", (2, 3), (5, 3)),
        ("vecmat", (2,), (2, 3)),
        ("vecmat", (4, 2), (2, 3)),
    ],
)
def test_products_that_are_ufuncs(name, s, t):
    if name not in vars(np):
        return  # matvec and vecmat came with NumPy 2.2
    check(name, real(*s), real(*t))
    check(name, complex_(*s), complex_(*t))


def test_vecdot_along_another_axis():
    check("vecdot", real(3, 2), real(3, 1), axis=0)


def test_ufunc_products_take_dtype():
    x = real(2, 2)
    out, _ = fad.vjp(lambda x: fnp.matmul(x, x, dtype=np.complex128), x)
    assert out.dtype == np.complex128


def test_operator_and_method():
    x, y = real(2, 3), real(3)
    grad = fad.grad(lambda x: fnp.sum(x @ y) + fnp.sum(x.dot(y)))(x)
    np.testing.assert_allclose(grad, 2 * np.broadcast_to(y, (2, 3)))
    reflected = fad.grad(lambda y: fnp.sum(x @ y))(y)
    np.testing.assert_allclose(reflected, x.sum(0))


def test_einsum_takes_both_call_forms():
    a, b = real(3, 4), real(4, 3)
    for args in [
        (a, [0, 1], b, [1, 2], [2, 0]),
        (a, [0, 1], b, [1, 2]),
        (a, [26, 0], b, [0, 1]),
        (a, [..., 0], b, [0, 1], [..., 1]),
    ]:
        f = lambda a, b, args=args: fnp.einsum(a, args[1], b, *args[3:])
        np.testing.assert_allclose(fad.vjp(f, a, b)[0], np.einsum(*args))
        check_derivatives(f, a, b)


def test_einsum_of_repeated_subscripts():
    w, x = real(4, 4), real(4, 2)
    total = lambda w, x: fnp.sum(fnp.einsum("nd,nn->d", x, w))
    gw, gx = fad.grad(total, argnums=(0, 1))(w, x)
    np.testing.assert_allclose(gw, np.diag(x.sum(1)))
    np.testing.assert_allclose(gx, np.repeat(np.diag(w)[:, None], 2, 1))


def test_einsum_casts():
    f = lambda x: fnp.einsum("i,i->", x, x, dtype=np.complex128)
    out, pull = fad.vjp(f, real(3))
    assert out.dtype == np.complex128
    assert pull(np.complex128(1))[0].dtype == np.float64


def test_einsum_of_batched_integers_keeps_their_dtype():
    x = rng.integers(0, 5, (2, 3, 3)).astype(np.int8)
    out = fad.vmap(lambda a: fnp.einsum("ij->", a))(x)
    np.testing.assert_array_equal(out, np.einsum("bij->b", x))
    assert out.dtype == np.int8


def test_einsum_path_sees_shapes():
    found = []

    def f(a):
        found.append(fnp.einsum_path("ij,jk,kl", a, a, np.ones((3, 1)))[0])
        return fnp.sum(a)

    fad.grad(f)(real(3, 3))
    want = np.einsum_path("ij,jk,kl", np.ones((3, 3)), np.ones((3, 3)), np.ones((3, 1)))
    assert found == [want[0]]


@pytest.mark.parametrize("mode", ["full", "same", "valid", 0, 1, 2])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolution_of_every_pair_of_lengths(name, mode):
    if name == "correlate" and isinstance(mode, int):
        mode = ("valid", "same", "full")[mode]
    for n, m in itertools.product(range(1, 6), repeat=2):
        x, y = complex_(n), complex_(m)
        f = lambda x, y: getattr(fnp, name)(x, y, mode)
        out, _ = fad.vjp(f, x, y)
        want = getattr(np, name)(x, y, mode)
        np.testing.assert_allclose(out, want, atol=1e-13)
    check_derivatives(f, real(4), real(3))
    check_derivatives(f, real(2), real(5))


def test_wrong_mode_of_convolution_is_named():
    with pytest.raises(ValueError, match="got 'middle'"):
        fad.grad(lambda x: fnp.convolve(x, x, "middle")[0])(real(3))


def test_shapes_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="shape-mismatch for sum"):
        fad.grad(lambda x: fnp.tensordot(x, x, 1)[0, 0])(real(2, 3))
    with pytest.raises(ValueError, match="matmul"):
        fad.grad(lambda x: fnp.sum(x @ x))(real(2, 3))


def test_out_is_refused():
    with pytest.raises(TypeError, match="out= cannot take"):
        fad.grad(lambda x: fnp.dot(x, x, out=np.zeros(())))(real(3))


def test_numpys_own_names_are_answered():
    names = "dot vdot inner outer tensordot einsum einsum_path kron cross trace".split()
    for name in [*names, "convolve", "correlate"]:
        assert getattr(np, name) in implementations
    for name in {"matmul", "vecdot", "matvec", "vecmat"} & vars(np).keys():
        assert getattr(np, name) in ufuncs
