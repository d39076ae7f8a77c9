"""odeint: solutions with closed forms, and derivatives in every mode."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fad
import fad.numpy as fnp
from fad.scipy.integrate import odeint

TIMES = np.array([0.0, 0.5, 1.2])
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def decay(y, t, rate):
    return -rate * y


def pendulum(y, t, a):
    return fnp.stack([y[1], -a * fnp.sin(y[0]) + 0.3 * fnp.cos(t)])


def decayed(y0, times, rate):
    return odeint(decay, y0, times, rate, **TIGHT)


def test_exponential_decay():
    assert_allclose(decayed(2.0, TIMES, 1.5), 2 * np.exp(-1.5 * TIMES), 1e-9)


def test_equation_that_depends_on_time():
    got = odeint(lambda y, t: 3 * t**2, 1.0, TIMES)
    assert_allclose(got, 1 + TIMES**3, 1e-7)


def test_pytrees_keep_their_structure_and_dtypes():
    y0 = {"a": np.ones(2), "b": np.float32(1)}
    got = odeint(lambda y, t: {"a": -y["a"], "b": y["b"]}, y0, TIMES)
    assert_allclose(got["a"], np.exp(-TIMES)[:, None] * np.ones(2), 1e-6)
    assert_allclose(got["b"], np.exp(TIMES), 1e-6)
    assert got["b"].dtype == np.float32


def exact_jacobians(y0, times, rate):
    e = np.exp(-rate * (times - times[0]))
    by_times = np.diag(-rate * y0 * e)
    by_times[:, 0] += rate * y0 * e
    return e, by_times, -(times - times[0]) * y0 * e


@pytest.mark.parametrize("jacobian", [fad.jacrev, fad.jacfwd])
def test_derivatives_by_initial_value_times_and_arguments(jacobian):
    got = jacobian(decayed, argnums=(0, 1, 2))(2.0, TIMES, 1.5)
    for g, expected in zip(got, exact_jacobians(2.0, TIMES, 1.5), strict=True):
        assert_allclose(g, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    "second",
    [
        lambda f: fad.jacfwd(fad.grad(f)),
        lambda f: fad.grad(fad.grad(f)),
        lambda f: fad.jacfwd(fad.jacfwd(f)),
    ],
)
def test_second_derivative_in_every_mode(second):
    f = lambda rate: decayed(2.0, TIMES, rate)[-1]
    expected = 1.2**2 * 2 * np.exp(-1.5 * 1.2)
    assert float(second(f)(1.5)) == pytest.approx(expected, rel=1e-7)


def test_adjoint_of_a_system_agrees_with_its_sensitivities():
    y0 = np.array([0.4, 0.1])
    f = lambda y0, a: odeint(pendulum, y0, TIMES, a, **TIGHT)
    reverse = fad.jacrev(f, argnums=(0, 1))(y0, 1.3)
    forward = fad.jacfwd(f, argnums=(0, 1))(y0, 1.3)
    for r, g in zip(reverse, forward, strict=True):
        assert_allclose(r, g, rtol=1e-7, atol=1e-8)


def test_what_the_function_closes_over_is_differentiated():
    end = lambda w: odeint(lambda y, t: -w * y, 1.0, np.array([0.0, 1.0]), **TIGHT)[-1]
    assert float(fad.grad(end)(2.0)) == pytest.approx(-np.exp(-2), rel=1e-8)


def test_jit_and_vmap():
    f = lambda rate: decayed(2.0, TIMES, rate)[-1]
    rates = np.array([0.5, 1.5])
    expected = 2 * np.exp(-1.2 * rates)
    assert_allclose(fad.jit(f)(1.5), expected[1], 1e-9)
    assert_allclose(fad.vmap(f)(rates), expected, 1e-9)
    assert_allclose(fad.vmap(fad.grad(f))(rates), -1.2 * expected, 1e-8)


def test_too_few_steps_give_nan_and_a_longest_step_is_kept():
    assert np.isnan(odeint(decay, 1.0, TIMES, 1.0, mxstep=1)[-1])
    assert_allclose(odeint(decay, 1.0, TIMES, 1.0, hmax=0.01), np.exp(-TIMES), 1e-7)


def test_single_time_returns_the_initial_value():
    np.testing.assert_array_equal(odeint(decay, 1.5, TIMES[:1], 1.0), [1.5])


def test_wrong_arguments_are_explained():
    with pytest.raises(ValueError, match="t must be a vector of times"):
        odeint(decay, 1.0, 2.0, 1.0)
    with pytest.raises(ValueError, match="must return a derivative like y0"):
        odeint(lambda y, t: fnp.stack([y, y]), 1.0, TIMES)
    with pytest.raises(TypeError, match="must be of real numbers"):
        odeint(lambda y, t: y, 1j, TIMES)
