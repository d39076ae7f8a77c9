"""take, put, choose, compress and their kin: values as NumPy's, derivatives exact."""

import numpy as np
import pytest
from derivative_checks import check_derivatives
from numpy_agreement import KNOWN_VALUES, check_agrees

import fad
import fad.numpy as fnp
from fad.core.errors import TracerArrayConversionError

_r = np.random.default_rng(6)
V = _r.standard_normal(6)
M = _r.standard_normal((3, 4))
C = _r.standard_normal((2, 3, 4))
ORDER = np.argsort(M, axis=0)

CALLS = [
    ("take", M, [0, 5, 5]),
    ("take", M, [[0, -1], [1, 1]], 1),
    ("take", C, 1, -1),
    ("take", V, [7, -9], None, None, "wrap"),
    ("take", V, [7, -9], None, None, "clip"),
    ("take", V, 6),
    ("take", V, np.array([1.5])),
    ("take", V, [0], 1),
    ("take", V, [0], None, None, "nonsense"),
    ("take", V, []),
    ("take", np.zeros(0), [0]),
    ("take_along_axis", M, ORDER, 0),
    ("take_along_axis", M, ORDER[:1], 0),
    ("take_along_axis", M, np.array([[1], [0], [3]]), -1),
    ("take_along_axis", M, np.array([3, 3, 0]), None),
    ("take_along_axis", M, np.array([3, 3, 0]), 0),
    ("take_along_axis", M, ORDER.astype(float), 0),
    ("diag_indices_from", np.eye(3)),
    ("tril_indices_from", M, 1),
    ("triu_indices_from", M),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda c: f"{c[0]}-{c[2:]}"[:50])
def test_values_and_errors_are_numpys(call):
    check_agrees(*call)


DIFFERENTIABLE = [
    lambda x: fnp.take(x, [0, 5, 5]),
    lambda x: fnp.take(x, [[0, -1], [1, 1]], axis=1),
    lambda x: fnp.take(x, [7, -9], mode="wrap"),
    lambda x: fnp.take_along_axis(x, ORDER, 0),
    lambda x: fnp.take_along_axis(x, np.array([[1], [0], [3]]), 1),
    lambda x: fnp.choose([0, 1, 0, 2], x),
    lambda x: fnp.choose([[0, 1, 5, -2]], [x[0], 2.0, x[1, 1]], mode="wrap"),
    lambda x: fnp.compress([True, False, True], x, axis=0),
    lambda x: fnp.compress([False, True], x),
    lambda x: fnp.extract(M > -9, x),
    lambda x: x[fnp.ix_([0, 2], [3, 3])],
    lambda x: x[fnp.ix_([True, False, True], [1, 0])],
]


@pytest.mark.parametrize("f", DIFFERENTIABLE)
def test_derivatives_are_exact(f):
    check_derivatives(f, M, order=1)


def test_choose_and_compress_agree_with_numpy():
    for call in (
        lambda np_, x: np_.choose([0, 1, 0, 2], x),
        lambda np_, x: np_.choose(np.array([1, 0, 1, 1]) > 0, [x[0], 5.0]),
        lambda np_, x: np_.compress([0, 1, 1], x, axis=1),
        lambda np_, x: np_.extract(M > 0, x),
        lambda np_, x: np_.choose([0, 3], [x[0, :2], x[1, :2]], mode="clip"),
    ):
        got = fad.vjp(lambda x, call=call: call(fnp, x), M)[0]
        np.testing.assert_array_equal(got, call(np, M))
    with pytest.raises(ValueError, match="invalid entry in choice array"):
        fad.vjp(lambda x: fnp.choose([3], x), M)
    with pytest.raises(IndexError):
        fad.vjp(lambda x: fnp.compress([True] * 5, x, axis=1), M)


@pytest.mark.parametrize("name", ["nonzero", "argwhere", "flatnonzero"])
def test_positions_of_known_values(name):
    check_agrees(name, np.round(M), ways=KNOWN_VALUES)
    with pytest.raises(TypeError, match="not known while tracing"):
        fad.vmap(getattr(fnp, name))(M)


@pytest.mark.parametrize("order", ["C", "F"])
def test_positions_may_be_traced(order):
    flat = np.array([0, 5, 11])
    got = fad.vmap(lambda i: fnp.unravel_index(i, (3, 4), order))(flat)
    want = np.unravel_index(flat, (3, 4), order)
    np.testing.assert_array_equal(got, want)
    back = fad.vmap(lambda i, j: fnp.ravel_multi_index((i, j), (3, 4), order=order))
    np.testing.assert_array_equal(back(*want), flat)
    taken = fad.vmap(lambda i: fnp.take(M, i, mode="clip"))(np.array([3, 99]))
    np.testing.assert_array_equal(taken, np.take(M, [3, 99], mode="clip"))


def test_compress_leaks_no_nan_from_what_it_leaves_out():
    f = lambda x: fnp.sum(fnp.compress([False, True], fnp.sqrt(x)))
    np.testing.assert_array_equal(fad.grad(f)(np.array([0.0, 4.0])), [0.0, 0.25])


def test_plain_index_helpers_are_numpys():
    for a, b in zip(fnp.ix_([0, 1], [2]), np.ix_([0, 1], [2]), strict=True):
        np.testing.assert_array_equal(a, b)
    assert fnp.unravel_index(5, (3, 4)) == np.unravel_index(5, (3, 4))
    assert fnp.ravel_multi_index((1, 1), (3, 4)) == 5


@pytest.mark.parametrize(
    "name", ["put", "place", "putmask", "copyto", "put_along_axis"]
)
def test_plain_arrays_take_no_traced_values(name):
    arguments = {
        "put": ([0],),
        "place": (M > 0,),
        "putmask": (M > 0,),
        "copyto": (),
        "put_along_axis": (ORDER,),
    }[name]
    more = {"put_along_axis": (0,)}.get(name, ())
    with pytest.raises(TracerArrayConversionError, match="Two ways out"):
        fad.grad(lambda x: getattr(fnp, name)(M.copy(), *arguments, x, *more))(1.0)


def test_copyto_refuses_unsafe_casts():
    with pytest.raises(TypeError, match="same_kind"):
        fad.vjp(lambda x: fnp.copyto(x, M * 1j), M)
    x = fad.vjp(lambda x: [fnp.copyto(x, M * 1j, casting="unsafe"), x][1], M * 1j)[0]
    np.testing.assert_array_equal(x, M * 1j)


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (7, 3), (3, 7), (2, 2, 2)])
def test_fill_diagonal(shape, wrap):
    x = np.arange(float(np.prod(shape))).reshape(shape)
    want = x.copy()
    np.fill_diagonal(want, [5.0, 6.0], wrap)
    got = fad.vjp(lambda x: [fnp.fill_diagonal(x, [5.0, 6.0], wrap), x][1], x)[0]
    np.testing.assert_array_equal(got, want)
    with pytest.raises(ValueError):
        fad.vjp(lambda x: fnp.fill_diagonal(x[0], 1.0), np.ones((2, 3)))
