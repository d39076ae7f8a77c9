"""Powers at 0, of negative bases, and of every kind of exponent, at every order."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp


def forward(f):
    return lambda x: fad.jvp(f, (x,), (1.0,))[1]


def derivatives(f, x, count, d=fad.grad):
    found = []
    for _ in range(count):
        f = d(f)
        found.append(float(f(x)))
    return found


@pytest.mark.parametrize("d", [fad.grad, forward])
def test_polynomial_by_array_of_exponents_is_finite_at_zero(d):
    coefficients, k = np.array([5.0, -2.0, 7.0, 1.5]), np.arange(4)
    polynomial = lambda t: fnp.sum(coefficients * t**k)
    assert derivatives(polynomial, 0.0, 4, d) == [-2.0, 14.0, 9.0, 0.0]
    floats = lambda t: fnp.sum(coefficients * t ** k.astype(float))
    assert derivatives(floats, 0.0, 4, d) == [-2.0, 14.0, 9.0, 0.0]


@pytest.mark.parametrize("exponent", [2, 2.0, np.float64(2), np.array(2)])
def test_square_has_second_derivative_two_at_zero(exponent):
    assert derivatives(lambda t: t**exponent, 0.0, 3) == [0.0, 2.0, 0.0]
    assert fad.hessian(lambda t: t**exponent)(0.0) == 2.0


@pytest.mark.parametrize("exponent", [3, 3.0, np.float64(3), np.array([3])])
def test_integral_exponent_needs_no_logarithm_of_a_negative_base(exponent):
    f = lambda t: fnp.sum(t**exponent)
    assert derivatives(f, -2.0, 4) == [12.0, -12.0, 6.0, 0.0]


@pytest.mark.parametrize("exponent", [0, 0.0, np.float64(0), np.array(0)])
@pytest.mark.parametrize("x", [0.0, 2.0, np.inf])
def test_power_zero_is_constant(exponent, x):
    assert fad.grad(lambda t: t**exponent)(x) == 0.0


@pytest.mark.parametrize("exponent", [1.875, np.float64(1.875)])
def test_fractional_exponent_above_one_is_flat_at_zero(exponent):
    assert fad.grad(lambda t: t**exponent)(0.0) == 0.0


def test_square_root_as_power_is_steep_at_zero():
    with np.errstate(divide="ignore"):
        assert fad.grad(lambda t: t**0.5)(0.0) == np.inf
        assert fad.grad(lambda t: t**-0.5)(0.0) == -np.inf


def test_negative_exponents():
    assert derivatives(lambda t: t**-2, -2.0, 3) == [0.25, 0.375, 0.75]
    assert derivatives(lambda t: t**2.5, 4.0, 3) == [20.0, 7.5, 0.9375]


def test_exponent_slope_at_base_zero():
    slope = fad.grad(lambda y: fnp.power(0.0, y))
    assert slope(2.0) == slope(0.0) == 0.0


def test_only_a_differentiated_exponent_makes_nan_of_a_negative_base():
    with np.errstate(invalid="ignore"):
        assert np.isnan(fad.grad(fnp.power, argnums=1)(-2.0, 3.0))
        assert np.isnan(fad.grad(lambda t: t**1.5)(-2.0))
    assert fad.grad(fnp.power, argnums=0)(-2.0, 3.0) == 12.0


def test_mixed_derivative_at_exponent_zero():
    mixed = fad.grad(lambda y: fad.grad(fnp.power)(2.0, y))
    assert mixed(0.0) == pytest.approx(0.5)


def test_python_number_to_traced_exponent():
    assert fad.grad(lambda t: 2**t)(3.0) == pytest.approx(8 * np.log(2.0), rel=1e-15)
    f = lambda t: np.float64(2.0) ** t
    assert fad.grad(f)(3.0) == pytest.approx(8 * np.log(2.0), rel=1e-15)


def test_integer_exponent_beside_a_differentiated_base():
    assert fad.grad(lambda t, n: t**n)(2.0, 5) == 80.0


def test_complex_powers():
    z = np.complex128(0.5 + 0.7j)
    d = fad.jvp(lambda z: z**3, (z,), (np.complex128(1),))[1]
    assert d == pytest.approx(3 * z**2, rel=1e-15)
    w = np.complex128(-1.5)
    d = fad.jvp(lambda y: fnp.power(-1.5, y), (np.complex128(0.3j),), (1 + 0j,))[1]
    assert d == pytest.approx(w**0.3j * np.log(w), rel=1e-14)


@pytest.mark.parametrize("exponent", [2, 3, 2.0, 0.5, -1])
def test_float32_stays_float32(exponent):
    x = np.array([0.5], np.float32)
    y, t = fad.jvp(lambda x: x**exponent, (x,), (x,))
    assert y.dtype == t.dtype == np.float32


def test_float_power_is_at_least_double():
    x = np.array([0.5], np.float32)
    y, t = fad.jvp(lambda x: fnp.float_power(x, 3), (x,), (x,))
    assert y.dtype == t.dtype == np.float64
    assert fad.grad(lambda x: fnp.sum(fnp.float_power(x, 3)))(x).dtype == np.float32


def test_integers_keep_their_kind_while_staging():
    out = fad.eval_shape(lambda n: (n**2, n**2.0, n**3, n**3.0), np.int64(3))
    assert [o.dtype.kind for o in out] == ["i", "f", "i", "f"]
