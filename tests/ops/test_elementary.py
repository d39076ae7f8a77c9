"""Elementary functions: values at the edges, digits, branches, dtypes."""

import numpy as np
import pytest

import fad
from fad.ops import elementary as ops

REAL_ONLY = {"cbrt", "deg2rad", "rad2deg"}
UNARY = [n for n in ops.__all__ if n not in {"hypot", "arctan2"}]
POINTS = {"arccosh": 1.7}


def derivative(f, x, order=1):
    for _ in range(order):
        f = fad.grad(f)
    return float(f(x))


@pytest.mark.parametrize("name", sorted(set(UNARY) - REAL_ONLY))
def test_derivative_equals_the_complex_step(name):
    x = POINTS.get(name, 0.37)
    step = getattr(np, name)(complex(x, 1e-30)).imag / 1e-30
    assert derivative(getattr(ops, name), x) == pytest.approx(step, rel=1e-14)


@pytest.mark.parametrize("name", sorted(set(UNARY) - REAL_ONLY))
def test_complex_derivative_is_the_limit_of_differences(name):
    prim, numpy = getattr(ops, name), getattr(np, name)
    z, h = 0.4 + 0.3j, 1e-3
    steps = [h * 1j**k for k in range(4)]  # exact up to h**4 for holomorphic functions
    difference = sum(numpy(z + s) / s for s in steps) / 4
    exact = fad.jvp(prim, (np.complex128(z),), (np.complex128(1),))[1]
    assert exact == pytest.approx(difference, rel=1e-9)


@pytest.mark.parametrize("name", UNARY)
def test_float32_stays_float32(name):
    x = np.array([POINTS.get(name, 0.37)], np.float32)
    value, tangent = fad.jvp(getattr(ops, name), (x,), (x,))
    (cotangent,) = fad.vjp(getattr(ops, name), x)[1](value)
    assert value.dtype == tangent.dtype == cotangent.dtype == np.float32


@pytest.mark.parametrize(
    ("name", "x", "slope"),
    [
        ("sqrt", 0.0, np.inf),
        ("cbrt", 0.0, np.inf),
        ("log", 0.0, np.inf),
        ("arcsin", 1.0, np.inf),
        ("arcsin", -1.0, np.inf),
        ("arccos", 1.0, -np.inf),
        ("arccosh", 1.0, np.inf),
        ("arctanh", 1.0, np.inf),
    ],
)
def test_slope_at_the_end_of_the_domain_is_infinite(name, x, slope):
    with np.errstate(divide="ignore"):
        assert derivative(getattr(ops, name), x) == slope


def test_expm1_keeps_its_digits_far_left():
    assert derivative(ops.expm1, -40.0) == pytest.approx(np.exp(-40.0), rel=1e-15)


def test_arcsin_keeps_its_digits_near_one():
    x = 1 - 2.0**-52
    exact = 1 / np.sqrt(2.0**-52 * (2 - 2.0**-52))
    assert derivative(ops.arcsin, x) == pytest.approx(exact, rel=1e-15)


def test_hypot_is_flat_at_the_origin():
    assert fad.grad(ops.hypot, argnums=(0, 1))(0.0, 0.0) == (0.0, 0.0)
    assert fad.grad(ops.hypot, argnums=(0, 1))(3.0, 4.0) == (0.6, 0.8)


def test_arctan2_knows_the_quadrant():
    slopes = fad.grad(ops.arctan2, argnums=(0, 1))
    assert slopes(0.0, 1.0) == (1.0, 0.0)
    assert slopes(1.0, -1.0) == (-0.5, -0.5)


def test_higher_derivatives_of_tan():
    x, s = 0.3, 1 / np.cos(0.3) ** 2
    assert derivative(ops.tan, x, 2) == pytest.approx(2 * s * np.tan(x), rel=1e-13)
    third = 2 * s * (3 * s - 2)
    assert derivative(ops.tan, x, 3) == pytest.approx(third, rel=1e-13)


def test_functions_of_their_own_output_keep_only_that():
    from fad.core.primitive import ANS, mask_key

    for prim in (ops.exp, ops.exp2, ops.sqrt, ops.cbrt, ops.tan, ops.tanh):
        assert prim.plan(mask_key([1])).picks == (ANS,)
