import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp

P, Q = np.array([2.0, -3.0, 0.5, 4.0]), np.array([1.0, 0.25])
T = np.linspace(-1.0, 2.0, 6)


def traced(f, *args):
    return fad.vjp(f, *args)[0]


def test_polyval_in_coefficients_and_points():
    np.testing.assert_array_equal(traced(fnp.polyval, P, T), np.polyval(P, T))
    check_derivatives(fnp.polyval, P, T)


def test_polyval_of_a_plain_poly1d_at_traced_points():
    p = np.poly1d(P)
    np.testing.assert_array_equal(traced(p, T), p(T))
    np.testing.assert_array_equal(traced(lambda t: fnp.polyval(p, t), T), p(T))


def test_poly1d_of_traced_coefficients_is_refused_with_the_way_out():
    with pytest.raises(TypeError, match="polyval, polymul"):
        traced(fnp.poly1d, P)
    with pytest.raises(TypeError, match="polymul"):
        traced(lambda p: fnp.polyval(p, np.poly1d([1.0, 2.0])), P)


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul"])
@pytest.mark.parametrize("pair", [(P, Q), (Q, P), (Q, Q), (P, np.float64(2.0))])
def test_arithmetic(name, pair):
    f = getattr(fnp, name)
    np.testing.assert_allclose(traced(f, *pair), getattr(np, name)(*pair), rtol=1e-15)
    if np.ndim(pair[1]):
        check_derivatives(f, *pair)


def test_polymul_drops_leading_zeros_as_numpy_does():
    p = np.array([0.0, 0.0, 1.0, 2.0])
    np.testing.assert_array_equal(traced(fnp.polymul, p, Q), np.polymul(p, Q))
    np.testing.assert_array_equal(traced(fnp.polymul, 0 * p, Q), np.polymul(0 * p, Q))


@pytest.mark.parametrize("pair", [(P, Q), (Q, P), (P, P[:3]), (np.polymul(P, Q), Q)])
def test_polydiv(pair):
    for found, want in zip(traced(fnp.polydiv, *pair), np.polydiv(*pair), strict=True):
        np.testing.assert_array_equal(found, want)


def test_polydiv_is_differentiable():
    check_derivatives(lambda u, v: fnp.polydiv(u, v)[0], P, Q, rtol=1e-6)
    check_derivatives(lambda u, v: fnp.polydiv(u, v)[1], P, Q, rtol=1e-6, batch=False)


@pytest.mark.parametrize("m", [0, 1, 2, 3, 4, 6])
def test_polyder(m):
    f = lambda p: fnp.polyder(p, m)
    np.testing.assert_array_equal(traced(f, P), np.polyder(P, m))
    check_derivatives(f, P)


@pytest.mark.parametrize(("m", "k"), [(0, None), (1, None), (2, 3.0), (2, [1.0, 2.0])])
def test_polyint(m, k):
    f = lambda p: fnp.polyint(p, m, k)
    np.testing.assert_array_equal(traced(f, P), np.polyint(P, m, k))
    check_derivatives(f, P)


def test_polyint_is_differentiable_in_its_constants():
    check_derivatives(lambda k: fnp.polyint(P, 2, k), Q)


@pytest.mark.parametrize("name", ["polyder", "polyint"])
def test_orders_are_not_negative(name):
    with pytest.raises(ValueError, match="must be positive"):
        traced(lambda p: getattr(fnp, name)(p, -1), P)


def test_polyint_wants_a_constant_for_each_order():
    with pytest.raises(ValueError, match="rank-1"):
        traced(lambda p: fnp.polyint(p, 3, [1.0, 2.0]), P)


@pytest.mark.parametrize(
    "p",
    [
        [1.0, -6.0, 11.0, -6.0],
        [1.0, 0.5, 2.0],
        [0.0, 2.0, -3.0, 0.0, 0.0],
        [0.0, 0.0],
        [3.0],
        [1.0 + 2j, 0.0, -1.0],
    ],
)
def test_roots_agree_with_numpy(p):
    p = np.array(p)
    found, want = traced(fnp.roots, p), np.roots(p)
    np.testing.assert_allclose(found, want, rtol=1e-14)
    assert found.dtype == want.dtype


@pytest.mark.parametrize("p", [[1.0, -6.5, 11.0, -6.0], [1.0, 0.5, 2.0], [2.0, -3.0]])
def test_roots_are_differentiable(p):
    check_derivatives(fnp.roots, np.array(p), rtol=1e-6, batch=False)


def test_roots_need_known_coefficients():
    with pytest.raises(TypeError, match="how many roots"):
        fad.make_jaxpr(fnp.roots)(P)


@pytest.mark.parametrize("zeros", [[1.0, 2.0, -0.5], [1 + 2j, 1 - 2j], [1j, 2.0]])
def test_poly(zeros):
    z = np.array(zeros)
    found, want = traced(fnp.poly, z), np.poly(z)
    np.testing.assert_allclose(found, want, rtol=1e-14)
    assert found.dtype == want.dtype


def test_poly_undoes_roots():
    monic = P / P[0]
    jacobian = fad.jacfwd(lambda p: fnp.real(fnp.poly(fnp.roots(p))))(monic)
    expected = np.eye(4)
    expected[:, 0] = -monic  # poly gives a leading 1, whatever the scale of p
    expected[0] = 0
    np.testing.assert_allclose(jacobian, expected, atol=1e-10)


def test_poly_of_a_matrix_is_its_characteristic_polynomial():
    a = np.array([[2.0, 1.0], [0.5, 3.0]])
    np.testing.assert_allclose(traced(fnp.poly, a), np.poly(a))
    check_derivatives(fnp.poly, a, order=1, rtol=1e-6, batch=False)


def test_poly_wants_roots_or_a_square_matrix():
    with pytest.raises(ValueError, match="square 2d"):
        traced(fnp.poly, np.ones((2, 3)))


@pytest.mark.parametrize("count", [None, 0, 1, 4])
@pytest.mark.parametrize("increasing", [True, False])
def test_vander(count, increasing):
    f = lambda x: fnp.vander(x, count, increasing)
    np.testing.assert_array_equal(traced(f, P), np.vander(P, count, increasing))
    if count != 0:
        check_derivatives(f, P)
