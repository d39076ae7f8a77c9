"""Piecewise functions: ties, bounds, kinks and remainders, in both modes."""

import numpy as np
import pytest

import fad
import fad.numpy as fnp
from fad.ops import piecewise as ops

EXTREMA = [ops.maximum, ops.minimum, ops.fmax, ops.fmin]


def slopes(f, *x):
    """Gradients in reverse mode, checked against forward mode."""
    found = fad.grad(f, argnums=tuple(range(len(x))))(*x)
    for i, d in enumerate(found):
        unit = tuple(float(i == j) for j in range(len(x)))
        forward = fad.jvp(f, x, unit)[1]
        np.testing.assert_array_equal(forward, d)
    return tuple(map(float, found))


@pytest.mark.parametrize("prim", EXTREMA)
def test_ties_split_evenly_in_both_modes(prim):
    assert slopes(prim, 1.0, 1.0) == (0.5, 0.5)
    assert slopes(lambda t: prim(t, t), 2.0) == (1.0,)


@pytest.mark.parametrize("prim", EXTREMA)
def test_tie_has_the_common_second_derivative(prim):
    f = lambda t: prim(t**3, t * t * t)
    assert fad.grad(fad.grad(f))(2.0) == 12.0


def test_maximum_and_minimum_add_up_to_the_sum():
    f = lambda t: ops.maximum(t, 0.0) + ops.minimum(t, 0.0)
    assert slopes(f, 0.0) == (1.0,)


def test_loser_of_a_maximum_gets_zero_of_an_infinite_cotangent():
    f = lambda t: fnp.sqrt(ops.maximum(t, 0.0))
    assert fad.grad(f)(-1.0) == 0.0


def test_fmax_gives_all_to_the_number_beside_a_nan():
    assert slopes(ops.fmax, np.nan, 1.0) == (0.0, 1.0)
    assert slopes(ops.fmin, 1.0, np.nan) == (1.0, 0.0)
    assert slopes(ops.fmax, np.nan, np.nan) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.0, (0.0, 1.0, 0.0)),
        (1.0, (1.0, 0.0, 0.0)),
        (1.5, (1.0, 0.0, 0.0)),
        (2.0, (1.0, 0.0, 0.0)),
        (3.0, (0.0, 0.0, 1.0)),
    ],
)
def test_clip_gives_the_bound_to_the_value(x, expected):
    assert slopes(ops.clip, x, 1.0, 2.0) == expected


def test_clip_with_crossed_bounds_is_the_upper_one():
    assert slopes(ops.clip, 1.5, 2.0, 1.0) == (0.0, 0.0, 1.0)


def test_abs_is_flat_at_zero_at_every_order():
    assert slopes(ops.abs_, 0.0) == (0.0,)
    assert fad.grad(fad.grad(ops.abs_))(0.0) == 0.0
    assert slopes(ops.fabs, -3.0) == (-1.0,)


def test_complex_abs_is_flat_at_zero_at_every_order():
    f = lambda t: ops.abs_(t * (1 + 2j))
    assert slopes(f, 0.0) == (0.0,)
    assert fad.grad(fad.grad(f))(0.0) == 0.0
    assert fad.grad(ops.abs_)(np.complex128(0)) == 0
    assert fad.grad(ops.abs_)(np.complex128(1j)) == -1j


def test_complex_abs_directional_derivatives():
    z, v = np.complex128(0.6 - 1.1j), np.complex128(-0.4 + 0.9j)
    d = fad.jvp(lambda z: ops.abs_(z) ** 2, (z,), (v,))[1]
    assert d == pytest.approx(2 * (z.conjugate() * v).real, rel=1e-15)
    second = fad.jvp(lambda z: fad.jvp(ops.abs_, (z,), (v,))[1], (z,), (v,))[1]
    across = (z.conjugate() * v).imag ** 2 / abs(z) ** 3
    assert second == pytest.approx(across, rel=1e-14)


def test_complex_sign_turns_only():
    z, v = np.complex128(0.6 - 1.1j), np.complex128(-0.4 + 0.9j)
    value, d = fad.jvp(fnp.sign, (z,), (v,))
    assert value == pytest.approx(np.sign(z), rel=1e-15)
    assert d == pytest.approx(1j * value * (v / z).imag, rel=1e-14)
    assert fad.jvp(fnp.sign, (np.complex128(0),), (v,))[1] == 0


@pytest.mark.parametrize("x", [5.0, -5.0])
@pytest.mark.parametrize("y", [2.0, -2.0])
def test_remainders_follow_their_quotient_in_mixed_signs(x, y):
    assert slopes(ops.mod, x, y) == (1.0, -np.floor(x / y))
    assert slopes(ops.fmod, x, y) == (1.0, -np.trunc(x / y))


def test_quotient_is_the_one_that_the_rounded_remainder_has():
    assert slopes(ops.mod, 1.0, 0.1)[1] == -9.0
    assert slopes(ops.fmod, 1.0, 0.1)[1] == -9.0


def test_copysign_slopes():
    assert slopes(ops.copysign, -2.0, 3.0) == (-1.0, 0.0)
    assert slopes(ops.copysign, 2.0, -0.0) == (-1.0, 0.0)
    assert slopes(ops.copysign, 0.0, 3.0) == (0.0, 0.0)


def test_heaviside_passes_its_middle_value_at_zero():
    assert slopes(ops.heaviside, 0.0, 0.3) == (0.0, 1.0)
    assert slopes(ops.heaviside, 1.0, 0.3) == (0.0, 0.0)


@pytest.mark.parametrize("prim", [ops.floor, ops.ceil, ops.rint, ops.trunc, ops.sign])
def test_steps_are_constants(prim):
    assert fad.grad(lambda x: prim(x) * x)(2.5) == prim(2.5)


def test_parts_of_a_float():
    assert slopes(ops.modf_fraction, -2.5) == (1.0,)
    assert slopes(ops.frexp_mantissa, 6.0) == (0.125,)
    assert slopes(lambda x: ops.ldexp(x, 3), 1.5) == (8.0,)
    assert slopes(ops.nextafter, 1.0, 2.0) == (1.0, 0.0)


def test_unwrap_moves_tangents_unchanged():
    p = np.array([0.1, 3.0, -3.0])
    value, t = fad.jvp(fnp.unwrap, (p,), (np.arange(3.0),))
    np.testing.assert_array_equal(value, np.unwrap(p))
    np.testing.assert_array_equal(t, np.arange(3.0))
    (d,) = fad.vjp(fnp.unwrap, p)[1](np.arange(3.0))
    np.testing.assert_array_equal(d, np.arange(3.0))
