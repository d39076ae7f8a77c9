"""`x.at[i]`: new arrays, every update counts, derivatives exact."""

import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp

X = np.array([1.0, 2.0, 3.0, 4.0])
REPEATS = np.array([0, 0, 2, 0, -2])
VALUES = np.array([2.0, 3.0, 0.5, 1.5, 4.0])
UFUNCS = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "min": np.minimum,
    "max": np.maximum,
}


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize(
    ("index", "values"),
    [
        (REPEATS, VALUES),
        (1, 3.0),
        (slice(1, None, 2), np.array([3.0, 0.5])),
        ([], 2.0),
        (X > 2, np.array([2.5, 5.5])),
        (X > 2, 2.5),
        ((Ellipsis, REPEATS[:, None]), VALUES[:1]),
    ],
)
def test_updates_are_those_of_the_ufunc(name, index, values):
    want = X.copy()
    UFUNCS[name].at(want, index, values)
    update = lambda x: getattr(fnp.at(x)[index], name)(values)
    np.testing.assert_allclose(update(X), want, rtol=1e-15)
    np.testing.assert_allclose(fad.vjp(update, X)[0], want, rtol=1e-15)
    jaxpr = fad.make_jaxpr(update)(X)
    np.testing.assert_allclose(fad.eval_jaxpr(jaxpr, X)[0], want, rtol=1e-15)


@pytest.mark.parametrize("name", UFUNCS)
def test_derivatives_with_repeated_elements(name):
    values = VALUES if name not in ("power", "divide") else VALUES / 3 + 0.7
    f = lambda x, v: getattr(fnp.at(x)[REPEATS], name)(v)
    check_derivatives(f, X + 0.25, values)


@pytest.mark.parametrize("name", [*UFUNCS, "set"])
def test_positions_may_be_traced(name):
    i = np.array([[0, 0, 1], [3, -1, 3], [2, 2, 2]])
    v = np.array([2.0, 5.0, 0.5])
    got = fad.vmap(lambda i: getattr(fnp.at(X)[i], name)(v))(i)
    want = [getattr(fnp.at(X)[row], name)(v) for row in i]
    np.testing.assert_allclose(got, want)


def test_products_with_zeros_have_exact_second_derivatives():
    f = lambda v: fnp.at(np.ones(1))[[0, 0, 0]].multiply(v)[0]
    h = fad.hessian(f)(np.array([0.0, 0.0, 5.0]))
    np.testing.assert_array_equal(
        h, [[0.0, 5.0, 0.0], [5.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    )


def test_set_keeps_the_last_value_and_get_reads():
    got = fnp.at(X)[[1, 1]].set([7.0, 8.0])
    np.testing.assert_array_equal(got, [1.0, 8.0, 3.0, 4.0])
    np.testing.assert_array_equal(fnp.at(X)[1:].get(), X[1:])
    f = lambda x: fnp.at(x)[[1, 1]].set(x[2:] ** 2)
    check_derivatives(f, X)


def test_apply_replaces_by_a_function():
    f = lambda x: (
        x.at[1:].apply(fnp.exp) if hasattr(x, "at") else fnp.at(x)[1:].apply(np.exp)
    )
    check_derivatives(f, X)


def test_the_array_itself_is_untouched():
    x = X.copy()
    fnp.at(x)[0].set(9.0)
    np.testing.assert_array_equal(x, X)

    def f(x):
        y = 2.0 * x
        y.at[0].set(100.0)
        return fnp.sum(y)

    np.testing.assert_array_equal(fad.grad(f)(X), np.full(4, 2.0))


def test_at_of_plain_numbers_and_lists():
    np.testing.assert_array_equal(fnp.at([1.0, 2.0])[0].add(1.0), [2.0, 2.0])
    assert fnp.at(np.float64(2.0))[()].multiply(3.0) == 6.0


def test_a_traced_mask_takes_what_broadcasts():
    f = lambda x: x.at[x > 2].set(0.5)
    np.testing.assert_array_equal(fad.vmap(f)(X[None])[0], [1.0, 2.0, 0.5, 0.5])
    rows = lambda x: x.at[x[:, 0] > 2].set(np.array([7.0, 8.0]))
    got = fad.vmap(rows)(np.array([[[1.0, 2.0], [3.0, 4.0]]]))
    np.testing.assert_array_equal(got[0], [[1.0, 2.0], [7.0, 8.0]])


def test_set_casts_as_assignment_and_arithmetic_refuses_to_narrow():
    np.testing.assert_array_equal(fnp.at(np.array([1, 2]))[0].set(5.7), [5, 2])
    with pytest.raises(TypeError, match="same_kind"):
        fnp.at(np.array([1, 2]))[0].add(0.5)
    with pytest.raises(TypeError, match="same_kind"):
        fnp.at(X)[0].multiply(1j)
    got = fnp.at(X.astype(np.float32))[0].add(np.float64(1.0))
    assert got.dtype == np.float32


def test_out_of_range_raises():
    for index in (4, [0, 4], [-5]):
        with pytest.raises(IndexError):
            fnp.at(X)[index].set(0.0)
        with pytest.raises(IndexError):
            fnp.at(X)[index].add(0.0)
