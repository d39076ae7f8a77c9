"""Gradients through samples: of a variate at a fixed quantile, and of expectations."""

import math

import numpy as np
import pytest
from derivative_checks import check_derivatives

import fad
import fad.numpy as fnp
from fad import random
from fad.ops.tail_moments import gamma_tail

KEY = random.key(5)


def gamma_quantile(a, p):
    """The quantile of an Erlang distribution by bisection; a = 1, 2, 3."""
    low, high = 0.0, 60.0
    for _ in range(200):
        x = (low + high) / 2
        below = 1 - math.exp(-x) * sum(x**i / math.factorial(i) for i in range(a))
        low, high = (x, high) if below < p else (low, x)
    return x


def lower_integral(a, x, n=200_000):
    """The gamma distribution function by the midpoint rule in log(x)."""
    v = math.log(x) - (np.arange(n) + 0.5) * (60 / a / n)
    density = np.exp(a * v - np.exp(v) - math.lgamma(a))
    return density.sum() * (60 / a / n)


@pytest.mark.parametrize(("a", "x"), [(0.3, 0.1), (1.0, 2.0), (4.0, 1.0), (4.0, 9.0)])
def test_derivative_of_a_gamma_variate_keeps_its_probability(a, x):
    """dP/da + dP/dx dx/da = 0."""
    h = 1e-3
    rows = [
        (lower_integral(a + d, x) - lower_integral(a - d, x)) / (2 * d)
        for d in (h, h / 2)
    ]
    by_a = (4 * rows[1] - rows[0]) / 3
    density = math.exp((a - 1) * math.log(x) - x - math.lgamma(a))
    slope = -gamma_tail(a, math.log(x), n=1) * x
    assert float(slope) == pytest.approx(-by_a / density, rel=2e-7)


def test_gradient_of_samples_in_every_mode():
    f = lambda a: random.gamma(KEY, a, (4,))
    forward = fad.jvp(f, (2.5,), (1.0,))[1]
    reverse = fad.jacrev(f)(2.5)
    x = f(2.5)
    expected = [-gamma_tail(2.5, np.log(v), n=1) * v for v in x]
    np.testing.assert_allclose(forward, expected, 1e-12)
    np.testing.assert_allclose(reverse, expected, 1e-12)
    batched = fad.vmap(fad.grad(lambda a: f(a)[0]))(np.array([2.5, 2.5]))
    np.testing.assert_allclose(batched, [expected[0]] * 2, 1e-12)


def test_second_derivative_of_a_gamma_variate_is_that_of_the_quantile():
    """With a from 1 to 3, at the median: differences of exact quantiles are coarse."""
    u = math.log(gamma_quantile(2, 0.5))
    log_x = lambda a, u: u
    slope = lambda a, u: -gamma_tail(a, u, n=1)
    along = lambda a, u: fad.jvp(slope, (a, u), (1.0, float(slope(a, u))))[1]
    assert float(log_x(2.0, u)) == u
    first, second = float(slope(2.0, u)), float(along(2.0, u))
    steps = [math.log(gamma_quantile(k, 0.5)) for k in (1, 2, 3)]
    assert first == pytest.approx((steps[2] - steps[0]) / 2, rel=0.15)
    assert second == pytest.approx(steps[2] - 2 * steps[1] + steps[0], rel=0.4)


@pytest.mark.parametrize(
    ("draw", "moment", "exact"),
    [
        (lambda p: random.gamma(KEY, p, (3000,)), lambda x: x, lambda p: 1.0),
        (lambda p: random.gamma(KEY, p, (3000,)), lambda x: x * x, lambda p: 2 * p + 1),
        (
            lambda p: random.beta(KEY, p, 2.0, (3000,)),
            lambda x: x,
            lambda p: 2 / (p + 2) ** 2,
        ),
        (
            lambda p: random.exponential(KEY, (3000,)) / p,
            lambda x: x,
            lambda p: -1 / p**2,
        ),
        (
            lambda p: random.dirichlet(KEY, fnp.stack([p, 1.0, 2.0]), (3000,))[:, 0],
            lambda x: x,
            lambda p: 3 / (p + 3) ** 2,
        ),
        (
            lambda p: random.chisquare(KEY, p, (3000,)),
            lambda x: x,
            lambda p: 1.0,
        ),
        (
            lambda p: random.t(KEY, p + 8.0, (3000,)),
            lambda x: x * x,
            lambda p: -2 / (p + 6) ** 2,
        ),
    ],
)
def test_gradient_of_a_sampled_mean_is_that_of_the_expectation(draw, moment, exact):
    p = 2.5
    slopes = fad.jvp(lambda p: moment(draw(p)), (p,), (1.0,))[1]
    error = slopes.std() / math.sqrt(slopes.size)
    assert abs(slopes.mean() - exact(p)) < 4 * error + 1e-12


def test_small_shapes_give_finite_gradients_of_the_logarithm():
    a = np.array([1e-3, 0.02, 0.3])
    value, slope = fad.jvp(lambda a: random.loggamma(KEY, a), (a,), (np.ones(3),))
    assert np.isfinite(value).all() and np.isfinite(slope).all()
    assert (slope > 0).all()


def test_samplers_of_fixed_quantiles_have_exact_derivatives():
    check_derivatives(
        lambda a, b: random.truncated_normal(KEY, a, b, (4,)), -0.5, 1.5, batch=False
    )
    check_derivatives(
        lambda s, c: random.weibull_min(KEY, s, c, (4,)), 2.0, 1.5, batch=False
    )
    check_derivatives(lambda b: random.pareto(KEY, b, (4,)), 3.0, batch=False)
    check_derivatives(
        lambda a, b: random.uniform(KEY, (4,), float, a, b), 1.0, 3.0, batch=False
    )


@pytest.mark.parametrize("method", ["cholesky", "eigh"])
def test_multivariate_normal_is_differentiable_in_mean_and_covariance(method):
    cov = np.array([[2.0, 0.6], [0.6, 1.0]])
    f = lambda mean, a: random.multivariate_normal(
        KEY, mean, a @ a.T + cov, (3,), method=method
    )
    check_derivatives(f, np.array([1.0, 2.0]), cov, batch=False, rtol=1e-6)


def test_single_precision_samples_have_single_precision_gradients():
    f = lambda a: fnp.sum(random.gamma(KEY, a, (3,), np.float32))
    assert fad.grad(f)(np.float32(2.0)).dtype == np.float32
