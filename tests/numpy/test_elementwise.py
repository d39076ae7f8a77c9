"""Elementwise functions that are not ufuncs, predicates, and sums of exponentials."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.core.trace import Tracer

INF, NAN = np.inf, np.nan
X = np.array([-1.5, 0.25, 2.0])


def value(x):
    return value(x.value) if isinstance(x, Tracer) else x


def inside(f, x):
    """Return what `f` returns under jvp, without the box."""
    seen = []
    fad.jvp(lambda x: (seen.append(f(x)), x)[1], (x,), (np.ones_like(x),))
    return value(seen[0])


def total(f):
    return fad.grad(lambda x: fnp.sum(f(x)))


@pytest.mark.parametrize(
    "call",
    [
        lambda np, x: np.where(x > 0, x, -x),
        lambda np, x: np.where(x, 1.0, x),
        lambda np, x: np.select([x > 1, x > 0], [x * 2, x * 3], x),
        lambda np, x: np.select([x > 1], [x]),
        lambda np, x: np.piecewise(x, [x < 0, x > 1], [lambda x: -x, 5.0]),
        lambda np, x: np.piecewise(x, [x < 0], [-1.0, lambda x: x * x]),
        lambda np, x: np.piecewise(x, x < 0, [lambda x, k: x * k, 0.0], 3.0),
        lambda np, x: np.choose([0, 1, 0], [x, -x]),
        lambda np, x: np.choose([0, 5, -3], [x, -x], mode="wrap"),
        lambda np, x: np.choose([0, 5, -3], [x, -x], mode="clip"),
        lambda np, x: np.clip(x, -1.0, 1.0),
        lambda np, x: np.clip(x, None, 1.0),
        lambda np, x: np.clip(x, -1.0, None),
        lambda np, x: np.clip(x, min=-1.0),
        lambda np, x: np.clip(x, max=1),
        lambda np, x: np.clip(x),
        lambda np, x: np.nan_to_num(x / [1.0, 0.0, -0.0]),
        lambda np, x: np.nan_to_num(x * [NAN, 1, INF], nan=7.0, posinf=8.0),
        lambda np, x: np.nan_to_num((x * 1j) / [1.0, 0.0, 1.0]),
        lambda np, x: np.real(x * (1 + 2j)),
        lambda np, x: np.imag(x * (1 + 2j)),
        lambda np, x: np.real(x),
        lambda np, x: np.imag(x),
        lambda np, x: np.angle(x * 1j),
        lambda np, x: np.angle(x),
        lambda np, x: np.angle(x * 1j, deg=True),
        lambda np, x: np.round(x, 1),
        lambda np, x: np.around(x),
        lambda np, x: np.fix(x),
        lambda np, x: np.sinc(x),
        lambda np, x: np.i0(x),
        lambda np, x: np.unwrap(x * 4),
        lambda np, x: np.unwrap(x * 4, period=3.0),
        lambda np, x: np.real_if_close(x + 0j),
        lambda np, x: np.real_if_close(x + 1j),
        lambda np, x: np.isclose(x, [-1.5, 0.25 + 1e-9, 2.1]),
        lambda np, x: np.isclose(x * [NAN, 1, 1], [NAN, 1, 2], equal_nan=True),
        lambda np, x: np.isreal(x + [0, 1j, 0]),
        lambda np, x: np.iscomplex(x + [0, 1j, 0]),
        lambda np, x: np.isreal(x),
        lambda np, x: np.isneginf(x / [0.0, 1.0, 1.0]),
        lambda np, x: np.isposinf(x / [1.0, 0.0, 1.0]),
    ],
)
def test_values_and_dtypes_are_numpys(call):
    with np.errstate(all="ignore"):
        got, expected = inside(lambda x: call(fnp, x), X), call(np, X)
    np.testing.assert_allclose(got, expected, rtol=1e-15)
    assert np.asarray(got).dtype == expected.dtype


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: fnp.select([x > 1, x > 0], [x * 2, x * 3], x), [1.0, 3.0, 2.0]),
        (lambda x: fnp.piecewise(x, [x < 0], [-1.0, lambda x: x * x]), [0.0, 0.5, 4.0]),
        (lambda x: fnp.choose([0, 1, 0], [x, -x]), [1.0, -1.0, 1.0]),
        (lambda x: fnp.clip(x, -1.5, 1.0), [1.0, 1.0, 0.0]),
        (lambda x: fnp.clip(x, None, 2.0), [1.0, 1.0, 1.0]),
        (lambda x: fnp.round(x, 1) * x, [-1.5, 0.2, 2.0]),
        (lambda x: fnp.unwrap(4 * x), [4.0, 4.0, 4.0]),
        (lambda x: fnp.relu(x), [0.0, 1.0, 1.0]),
    ],
)
def test_slopes(f, expected):
    np.testing.assert_array_equal(total(f)(X), expected)


def test_piecewise_ignores_functions_outside_their_piece():
    f = lambda x: fnp.piecewise(x, [x > 0], [fnp.log, lambda x: x * x])
    np.testing.assert_array_equal(total(f)(np.array([0.0, 2.0])), [0.0, 0.5])


def test_nan_to_num_is_flat_where_it_replaces():
    x = np.array([NAN, INF, -INF, 2.0])
    assert total(fnp.nan_to_num)(x).tolist() == [0.0, 0.0, 0.0, 1.0]


def test_clip_sends_the_slope_to_the_bound_that_acts():
    slopes = fad.grad(lambda x, a, b: fnp.clip(x, a, b), argnums=(0, 1, 2))
    assert slopes(0.5, 1.0, 2.0) == (0.0, 1.0, 0.0)
    assert slopes(2.0, 1.0, 2.0) == (1.0, 0.0, 0.0)


def test_errors_are_numpys():
    with pytest.raises(ValueError, match="both or neither"):
        fad.grad(lambda x: fnp.where(x > 0, x))(1.0)
    with pytest.raises(ValueError, match="same length"):
        fad.grad(lambda x: fnp.select([x > 0], []))(1.0)
    with pytest.raises(TypeError, match="boolean"):
        fad.grad(lambda x: fnp.select([x], [x]))(1.0)
    with pytest.raises(ValueError, match="functions are expected"):
        fad.grad(lambda x: fnp.piecewise(x, [x > 0], [1, 2, 3]))(1.0)
    with pytest.raises(ValueError, match="invalid entry"):
        fad.grad(lambda x: fnp.choose(2, [x, x]))(1.0)
    with pytest.raises(ValueError, match="not both"):
        fad.grad(lambda x: fnp.clip(x, 0.0, min=0.0))(1.0)
    with pytest.raises(TypeError, match="out="):
        fad.grad(lambda x: fnp.round(x, 1, np.empty(())))(1.0)


def test_questions_about_whole_arrays_have_python_answers():
    def f(x):
        assert fnp.allclose(x, X) is True
        assert fnp.array_equal(x, X) is True
        assert fnp.array_equal(x, X[:2]) is False
        assert fnp.array_equal(x * NAN, X * NAN, equal_nan=True) is True
        assert fnp.array_equiv(x, X[None]) is True
        assert fnp.array_equiv(x, X[:2]) is False
        assert fnp.isrealobj(x) and fnp.iscomplexobj(x * 1j)
        return fnp.sum(x)

    fad.grad(f)(X)


def test_questions_about_unknown_values_stay_traced():
    close = fad.vmap(lambda x: fnp.allclose(x, 2.0))
    np.testing.assert_array_equal(close(X), [False, False, True])


def test_real_functions_of_complex_keep_the_convention():
    z = np.array([0.6 - 1.1j, 2.0])
    np.testing.assert_allclose(total(fnp.angle)(z), -1j / z, rtol=1e-15)
    np.testing.assert_allclose(total(fnp.imag)(z), [-1j, -1j])


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def test_gradient_of_logsumexp_is_softmax():
    np.testing.assert_allclose(fad.grad(fnp.logsumexp)(X), softmax(X), rtol=1e-15)
    p = softmax(X)
    exact = np.diag(p) - np.outer(p, p)
    np.testing.assert_allclose(fad.hessian(fnp.logsumexp)(X), exact, atol=1e-16)


@pytest.mark.parametrize(
    ("x", "weights"),
    [
        ([-INF, -INF], [0.0, 0.0]),
        ([INF, 0.0], [1.0, 0.0]),
        ([0.0, -INF], [1.0, 0.0]),
        ([INF, INF], [0.5, 0.5]),
        ([1000.0, 1000.0], [0.5, 0.5]),
    ],
)
def test_logsumexp_with_infinities(x, weights):
    x = np.array(x)
    assert fad.grad(fnp.logsumexp)(x).tolist() == weights
    assert fnp.logsumexp(x) == np.logaddexp.reduce(x)
    assert np.isfinite(fad.hessian(fnp.logsumexp)(x)).all()


def test_logsumexp_leaves_masked_elements_out():
    mask = np.array([True, False, True])
    x = np.array([0.0, NAN, 1.0])
    value, slope = fad.value_and_grad(lambda x: fnp.logsumexp(x, where=mask))(x)
    assert value == np.logaddexp(0.0, 1.0)
    light, heavy = softmax(np.array([0.0, 1.0]))
    np.testing.assert_allclose(slope, [light, 0.0, heavy])


def test_logsumexp_with_factors():
    x, b = np.array([0.0, 800.0, 1.0]), np.array([1.0, 0.0, 2.0])
    f = lambda x, b: fnp.logsumexp(x, b=b)
    value, (dx, db) = fad.value_and_grad(f, argnums=(0, 1))(x, b)
    assert value == pytest.approx(np.log(1 + 2 * np.e))
    np.testing.assert_allclose(dx, [np.exp(-value), 0.0, 2 * np.exp(1 - value)])
    np.testing.assert_allclose(db[[0, 2]], np.exp(x[[0, 2]] - value))
    assert fnp.logsumexp(x, b=0 * b) == -INF


def test_logsumexp_over_axes():
    x = np.arange(6.0).reshape(2, 3)
    for axis in (0, 1, -1, (0, 1), None):
        exact = np.log(np.sum(np.exp(x), axis, keepdims=True))
        np.testing.assert_allclose(fnp.logsumexp(x, axis, keepdims=True), exact)
    assert fnp.logsumexp(np.empty((0, 2)), axis=0).tolist() == [-INF, -INF]
    assert fnp.logsumexp(np.float32([1, 2])).dtype == np.float32
    assert fnp.logsumexp([1, 2]) == np.logaddexp(1, 2)
