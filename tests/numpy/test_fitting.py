import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp

rng = np.random.default_rng(2)
X = np.array([0.0, 0.7, 1.1, 2.0, 3.5])
Y = np.array([1.0, -0.5, 2.0, 0.0, 4.0])
W = np.array([1.0, 2.0, 0.5, 1.5, 1.0])
KNOTS, VALUES = np.array([0.0, 1.0, 2.5, 4.0]), np.array([1.0, -2.0, 0.5, 3.0])
POINTS = np.array([-0.5, 0.3, 1.4, 2.9, 4.6])


def traced(f, *args):
    return fad.vjp(f, *args)[0]


@pytest.mark.parametrize("options", [{}, dict(w=W)])
def test_polyfit_agrees_with_numpy(options):
    f = lambda x, y: fnp.polyfit(x, y, 2, **options)
    want = np.polyfit(X, Y, 2, **options)
    np.testing.assert_allclose(traced(f, X, Y), want, rtol=1e-12)
    check_derivatives(f, X, Y, rtol=1e-6, batch=False)


def test_polyfit_is_differentiable_in_weights():
    check_derivatives(lambda w: fnp.polyfit(X, Y, 1, w=w), W, rtol=1e-6, batch=False)


def test_polyfit_of_several_series():
    y = np.stack([Y, Y**2], axis=1)
    f = lambda y: fnp.polyfit(X, y, 2, w=W)
    np.testing.assert_allclose(traced(f, y), np.polyfit(X, y, 2, w=W), rtol=1e-12)


@pytest.mark.parametrize("cov", [True, "unscaled"])
def test_polyfit_covariance(cov):
    f = lambda y: fnp.polyfit(X, y, 2, cov=cov)[1]
    want = np.polyfit(X, Y, 2, cov=cov)[1]
    np.testing.assert_allclose(traced(f, Y), want, rtol=1e-10)


def test_polyfit_in_full():
    found = traced(lambda y: fnp.polyfit(X, y, 2, full=True)[:4], Y)
    for a, b in zip(found, np.polyfit(X, Y, 2, full=True)[:4], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


def test_polyfit_warns_of_a_rank_that_is_too_low():
    with pytest.warns(np.exceptions.RankWarning, match="poorly conditioned"):
        traced(lambda y: fnp.polyfit(np.ones(5), y, 1), Y)


@pytest.mark.parametrize(
    ("x", "y", "deg", "error"),
    [
        (X, Y, -1, ValueError),
        (X[None], Y, 1, TypeError),
        (X[:0], Y[:0], 1, TypeError),
        (X, Y[:4], 1, TypeError),
        (X, Y[:, None, None], 1, TypeError),
    ],
)
def test_polyfit_checks_its_points(x, y, deg, error):
    with pytest.raises(error, match="expected"):
        traced(lambda y: fnp.polyfit(x, y, deg), y)


@pytest.mark.parametrize("options", [{}, dict(left=-1.0, right=7.0), dict(period=3.0)])
def test_interp_agrees_with_numpy_to_the_bit(options):
    x = np.concatenate([POINTS, KNOTS, rng.uniform(-1, 6, 50)])
    f = lambda x: fnp.interp(x, KNOTS, VALUES, **options)
    np.testing.assert_array_equal(traced(f, x), np.interp(x, KNOTS, VALUES, **options))


@pytest.mark.parametrize("options", [{}, dict(left=-1.0, right=7.0), dict(period=6.3)])
def test_interp_is_differentiable_in_points_knots_and_values(options):
    f = lambda x, xp, fp: fnp.interp(x, xp, fp, **options)
    check_derivatives(f, POINTS, KNOTS, VALUES)


def test_interp_is_differentiable_in_ends_and_period():
    f = lambda a, b: fnp.interp(POINTS, KNOTS, VALUES, left=a, right=b)
    check_derivatives(f, 2.0, 3.0)
    check_derivatives(lambda p: fnp.interp(POINTS, KNOTS, VALUES, period=p), 6.3)


def test_interp_of_complex_values():
    z = VALUES * (1 + 2j)
    f = lambda x, z: fnp.interp(x, KNOTS, z)
    np.testing.assert_allclose(traced(f, POINTS, z), np.interp(POINTS, KNOTS, z))
    check_derivatives(f, POINTS, z)


@pytest.mark.parametrize(
    ("x", "slope"), [(1.0, 5 / 3), (0.0, -3.0), (4.0, 5 / 3), (5.0, 0)]
)
def test_slope_of_interp_at_a_knot_is_that_on_its_right(x, slope):
    g = fad.grad(lambda x: fnp.interp(x, KNOTS, VALUES))(x)
    np.testing.assert_allclose(g, slope)


@pytest.mark.parametrize("xp", [[0.0, 1.0, 1.0, 2.0], [0.0, 0.0, 1.0, 1.0]])
def test_interp_over_jumps(xp):
    x = np.array([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0])
    f = lambda x: fnp.interp(x, xp, VALUES)
    np.testing.assert_array_equal(traced(f, x), np.interp(x, xp, VALUES))
    assert np.all(np.isfinite(fad.vjp(f, x)[1](np.ones(6))[0]))


def test_interp_between_one_point():
    f = lambda x: fnp.interp(x, [1.0], [5.0], left=0.0)
    want = np.interp(POINTS, [1.0], [5.0], 0.0)
    np.testing.assert_array_equal(traced(f, POINTS), want)


def test_interp_of_single_precision_is_double_as_in_numpy():
    x = POINTS.astype(np.float32)
    out, pull = fad.vjp(lambda x: fnp.interp(x, KNOTS, VALUES), x)
    assert (out.dtype, pull(np.ones(5))[0].dtype) == (np.float64, np.float32)


def test_interp_is_batched_over_everything():
    xp = np.stack([KNOTS, KNOTS + 0.5])
    found = fad.vmap(fnp.interp, in_axes=(None, 0, None))(POINTS, xp, VALUES)
    for row, knots in zip(found, xp, strict=True):
        np.testing.assert_allclose(row, np.interp(POINTS, knots, VALUES))


@pytest.mark.parametrize(
    ("xp", "fp", "text"),
    [
        (KNOTS[None], VALUES, "1-D"),
        (KNOTS, VALUES[:3], "same length"),
        (KNOTS[:0], VALUES[:0], "empty"),
    ],
)
def test_interp_checks_its_knots(xp, fp, text):
    with pytest.raises(ValueError, match=text):
        traced(lambda x: fnp.interp(x, xp, fp), POINTS)
