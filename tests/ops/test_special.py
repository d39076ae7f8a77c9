"""Special functions: accuracy at every order, in tails and at infinities."""

import math

import numpy as np
import pytest

import fad
from fad.ops import special as ops

INF = np.inf


def nth(f, order):
    for _ in range(order):
        f = fad.grad(f)
    return f


def sinc_taylor(x, n):
    """The n-th derivative of sinc from its power series, summed exactly enough."""
    u, terms = math.pi * x, []
    for k in range((n + 1) // 2, 60):
        m = 2 * k - n
        terms.append((-1) ** k * u**m / ((2 * k + 1) * math.factorial(m)))
    return math.pi**n * math.fsum(terms)


@pytest.mark.parametrize("order", range(7))
@pytest.mark.parametrize("x", [0.0, 1e-9, -1e-4, 0.1, 0.5, -0.8, 1.3])
def test_sinc_is_accurate_at_and_near_zero_at_every_order(order, x):
    exact = sinc_taylor(x, order)
    scale = math.pi**order / (order + 1)
    assert float(nth(ops.sinc, order)(x)) == pytest.approx(
        exact, rel=1e-12, abs=1e-14 * scale
    )


def test_sinc_derivatives_keep_relative_accuracy_at_tiny_arguments():
    assert nth(ops.sinc, 1)(1e-7) == pytest.approx(-3.289868133696453e-07, rel=1e-14)
    assert nth(ops.sinc, 4)(0.0) == pytest.approx(math.pi**4 / 5, rel=1e-15)


def test_sinc_derivative_far_out():
    x = 12.3
    u = math.pi * x
    exact = math.pi * (math.cos(u) / u - math.sin(u) / u**2)
    assert nth(ops.sinc, 1)(x) == pytest.approx(exact, rel=1e-14)


def bessel(n, x):
    """I_n(x) from its power series, whose terms are all positive."""
    return math.fsum(
        (x / 2) ** (2 * k + n) / (math.factorial(k) * math.factorial(k + n))
        for k in range(80)
    )


@pytest.mark.parametrize("x", [0.0, 1e-8, 0.3, 2.0, 9.0, 30.0])
def test_i0_has_the_derivatives_that_bessel_functions_have(x):
    assert nth(ops.i0, 1)(x) == pytest.approx(bessel(1, x), rel=1e-14)
    second = (bessel(0, x) + bessel(2, x)) / 2
    assert nth(ops.i0, 2)(x) == pytest.approx(second, rel=1e-14)
    third = (3 * bessel(1, x) + bessel(3, x)) / 4
    assert nth(ops.i0, 3)(x) == pytest.approx(third, rel=1e-14)


@pytest.mark.parametrize("prim", [ops.logaddexp, ops.logaddexp2])
@pytest.mark.parametrize(
    ("x", "y", "weights"),
    [
        (-INF, -INF, (0.0, 0.0)),
        (INF, 0.0, (1.0, 0.0)),
        (0.0, -INF, (1.0, 0.0)),
        (0.0, INF, (0.0, 1.0)),
        (INF, INF, (0.5, 0.5)),
        (INF, -INF, (1.0, 0.0)),
        (2.0, 2.0, (0.5, 0.5)),
        (800.0, -800.0, (1.0, 0.0)),
    ],
)
def test_weights_of_logaddexp_at_infinities(prim, x, y, weights):
    assert fad.grad(prim, argnums=(0, 1))(x, y) == weights


def test_weights_of_logaddexp_keep_their_digits():
    light = fad.grad(ops.logaddexp)(0.0, 40.0)
    assert light == pytest.approx(math.exp(-40) / (1 + math.exp(-40)), rel=1e-15)


def test_hessian_of_logaddexp_is_finite_at_infinities():
    second = fad.grad(fad.grad(ops.logaddexp))
    assert second(0.0, 0.0) == 0.25
    assert second(-INF, -INF) == second(INF, 0.0) == 0.0


@pytest.mark.parametrize("x", [-1000.0, -40.0, 0.0, 40.0, 1000.0])
def test_logistic_family_keeps_its_tails(x):
    logistic = 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
    assert ops.logistic(x) == pytest.approx(logistic, rel=1e-15)
    assert fad.grad(ops.softplus)(x) == pytest.approx(logistic, rel=1e-15)
    slope = math.exp(-abs(x)) / (1 + math.exp(-abs(x))) ** 2
    assert fad.grad(ops.logistic)(x) == pytest.approx(slope, rel=1e-14)
    assert nth(ops.softplus, 2)(x) == pytest.approx(slope, rel=1e-14)


def test_softplus_at_zero_and_infinities():
    slope = fad.grad(ops.softplus)
    assert (slope(0.0), slope(INF), slope(-INF)) == (0.5, 1.0, 0.0)


def test_logit_undoes_logistic():
    f = lambda x: ops.logit(ops.logistic(x))
    assert f(0.7) == pytest.approx(0.7)
    assert fad.grad(f)(0.7) == pytest.approx(1.0)


def test_angle_is_the_imaginary_part_of_the_logarithm():
    z, v = np.complex128(0.6 - 1.1j), np.complex128(-0.4 + 0.9j)
    assert fad.jvp(ops.angle, (z,), (v,))[1] == pytest.approx((v / z).imag, rel=1e-15)
    assert fad.grad(ops.angle)(z) == pytest.approx(-1j / z, rel=1e-15)
    assert fad.grad(ops.angle)(np.complex128(0)) == 0
    assert fad.grad(ops.angle)(-2.0) == 0.0


@pytest.mark.parametrize(
    "prim", [ops.sinc, ops.i0, ops.logistic, ops.softplus, ops.logit]
)
def test_float32_stays_float32(prim):
    x = np.array([0.4], np.float32)
    y, t = fad.jvp(prim, (x,), (x,))
    assert y.dtype == t.dtype == np.float32
