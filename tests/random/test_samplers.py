"""Samplers have the distributions they are named after; seeds are fixed.

Continuous samples are compared with the distribution function by the statistic of
Kolmogorov and Smirnov: sqrt(n) D is above 1.95 once in 1000 times. Discrete ones are
compared with their probabilities, in standard deviations.
"""

import math

import numpy as np
import pytest

import fad
from fad import random

N = 4000
KEY = random.key(42)
phi = np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))


def erlang(k, scale=1.0):
    """The distribution function of the sum of k exponential variables."""
    return lambda x: (
        1
        - np.exp(-x / scale)
        * sum((x / scale) ** i / math.factorial(i) for i in range(k))
    )


def truncated(low, high):
    return lambda x: (phi(x) - phi(low)) / (phi(high) - phi(low))


CONTINUOUS = {
    "uniform": (lambda k, s: random.uniform(k, s), lambda x: x),
    "uniform between": (
        lambda k, s: random.uniform(k, s, minval=-1.0, maxval=3.0),
        lambda x: (x + 1) / 4,
    ),
    "normal": (lambda k, s: random.normal(k, s), phi),
    "normal, single": (lambda k, s: random.normal(k, s, np.float32), phi),
    "exponential": (lambda k, s: random.exponential(k, s), erlang(1)),
    "laplace": (
        lambda k, s: random.laplace(k, s),
        lambda x: np.where(x < 0, np.exp(-abs(x)) / 2, 1 - np.exp(-abs(x)) / 2),
    ),
    "gumbel": (lambda k, s: random.gumbel(k, s), lambda x: np.exp(-np.exp(-x))),
    "logistic": (lambda k, s: random.logistic(k, s), lambda x: 1 / (1 + np.exp(-x))),
    "cauchy": (
        lambda k, s: random.cauchy(k, s),
        lambda x: np.arctan(x) / np.pi + 0.5,
    ),
    "truncated": (
        lambda k, s: random.truncated_normal(k, -1.0, 2.0, s),
        truncated(-1, 2),
    ),
    "truncated, upper tail": (
        lambda k, s: -random.truncated_normal(k, 8.0, 9.0, s),
        truncated(-9, -8),
    ),
    "gamma 1": (lambda k, s: random.gamma(k, 1.0, s), erlang(1)),
    "gamma 3": (lambda k, s: random.gamma(k, 3.0, s), erlang(3)),
    "gamma 1/2": (
        lambda k, s: np.sqrt(2 * random.gamma(k, 0.5, s)),
        lambda x: 2 * phi(x) - 1,
    ),
    "chisquare": (lambda k, s: random.chisquare(k, 4.0, s), erlang(2, 2.0)),
    "beta": (
        lambda k, s: random.beta(k, 2.0, 3.0, s),
        lambda x: x**2 * (6 - 8 * x + 3 * x**2),
    ),
    "beta below 1": (
        lambda k, s: random.beta(k, 0.5, 0.5, s),
        lambda x: 2 / np.pi * np.arcsin(np.sqrt(x)),
    ),
    "t, 2": (
        lambda k, s: random.t(k, 2.0, s),
        lambda x: 0.5 + x / (2 * np.sqrt(2 + x * x)),
    ),
    "f": (lambda k, s: random.f(k, 2.0, 4.0, s), lambda x: 1 - (1 + x / 2) ** -2.0),
    "pareto": (lambda k, s: random.pareto(k, 3.0, s), lambda x: 1 - x**-3.0),
    "weibull": (
        lambda k, s: random.weibull_min(k, 2.0, 1.5, s),
        lambda x: 1 - np.exp(-((x / 2) ** 1.5)),
    ),
    "rayleigh": (
        lambda k, s: random.rayleigh(k, 2.0, s),
        lambda x: 1 - np.exp(-(x * x) / 8),
    ),
    "triangular": (
        lambda k, s: random.triangular(k, 0.0, 1.0, 4.0, s),
        lambda x: np.where(x < 1, x * x / 4, 1 - (4 - x) ** 2 / 12),
    ),
    "maxwell": (
        lambda k, s: random.maxwell(k, s),
        lambda x: 2 * phi(x) - 1 - np.sqrt(2 / np.pi) * x * np.exp(-x * x / 2),
    ),
    "wald": (
        lambda k, s: random.wald(k, 2.0, s),
        lambda x: (
            phi((x / 2 - 1) / np.sqrt(x)) + np.exp(1) * phi(-(x / 2 + 1) / np.sqrt(x))
        ),
    ),
    "generalized normal": (
        lambda k, s: random.generalized_normal(k, 2.0, s),
        lambda x: phi(x * math.sqrt(2)),
    ),
    "lognormal": (
        lambda k, s: random.lognormal(k, 0.5, s),
        lambda x: phi(2 * np.log(x)),
    ),
    "radius in a ball": (
        lambda k, s: np.linalg.norm(random.ball(k, 3, 2, s), axis=-1),
        lambda x: x**3,
    ),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_sampler_has_its_distribution_function(name):
    draw, distribution = CONTINUOUS[name]
    x = np.sort(np.asarray(draw(KEY, (N,)), np.float64))
    p = distribution(x)
    steps = np.arange(N + 1) / N
    gap = max(np.max(steps[1:] - p), np.max(p - steps[:-1]))
    assert math.sqrt(N) * gap < 1.95


def poisson_probabilities(lam, size):
    k = np.arange(size)
    logs = [i * math.log(lam) - lam - math.lgamma(i + 1) for i in k]
    return np.exp(logs)


DISCRETE = {
    "randint": (lambda k, s: random.randint(k, s, 0, 7), np.full(7, 1 / 7)),
    "bernoulli": (lambda k, s: random.bernoulli(k, 0.3, s), [0.7, 0.3]),
    "rademacher": (lambda k, s: (random.rademacher(k, s) + 1) // 2, [0.5, 0.5]),
    "poisson 3": (lambda k, s: random.poisson(k, 3.0, s), poisson_probabilities(3, 9)),
    "poisson 30": (
        lambda k, s: random.poisson(k, 30.0, s),
        poisson_probabilities(30, 50),
    ),
    "binomial": (
        lambda k, s: random.binomial(k, 4, 0.3, s),
        [math.comb(4, i) * 0.3**i * 0.7 ** (4 - i) for i in range(5)],
    ),
    "geometric": (
        lambda k, s: random.geometric(k, 0.4, s),
        [0.0, *(0.4 * 0.6**i for i in range(8))],
    ),
    "categorical": (
        lambda k, s: random.categorical(k, np.log([0.1, 0.2, 0.7]), shape=s),
        [0.1, 0.2, 0.7],
    ),
    "choice": (lambda k, s: random.choice(k, 4, s), np.full(4, 0.25)),
    "weighted choice": (
        lambda k, s: random.choice(k, 3, s, p=np.array([0.5, 0.0, 0.5])),
        [0.5, 0.0, 0.5],
    ),
}


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_sampler_has_its_probabilities(name):
    draw, probabilities = DISCRETE[name]
    p = np.asarray(probabilities)
    counts = np.bincount(np.asarray(draw(KEY, (N,))).astype(int), minlength=p.size)
    deviation = np.sqrt(N * p * (1 - p)) + 1e-9
    assert np.all(np.abs(counts[: p.size] - N * p) < 4 * deviation)


def test_multivariate_normal_has_its_covariance_by_every_method():
    cov = np.array([[2.0, 0.6], [0.6, 1.0]])
    mean = np.array([1.0, -2.0])
    for method in ("cholesky", "eigh", "svd"):
        x = random.multivariate_normal(KEY, mean, cov, (N,), method=method)
        np.testing.assert_allclose(x.mean(0), mean, atol=0.1)
        np.testing.assert_allclose(np.cov(x.T), cov, atol=0.15)


def test_dirichlet_vectors_are_on_the_simplex_and_have_their_mean():
    alpha = np.array([0.01, 1.0, 3.0])
    x = random.dirichlet(KEY, alpha, (N,))
    np.testing.assert_allclose(x.sum(-1), 1, rtol=1e-12)
    np.testing.assert_allclose(x.mean(0), alpha / alpha.sum(), atol=0.02)


def test_orthogonal_matrices_are_orthogonal_and_unitary_ones_unitary():
    for dtype in (float, complex):
        q = random.orthogonal(KEY, 4, (3,), dtype)
        product = np.matmul(q, q.conj().swapaxes(-1, -2))
        np.testing.assert_allclose(
            product, np.broadcast_to(np.eye(4), (3, 4, 4)), 0, 1e-12
        )
    assert random.orthogonal(KEY, 2, m=5).shape == (2, 5)


def test_permutation_moves_whole_rows_unless_independent():
    x = np.arange(20).reshape(10, 2)
    rows = random.permutation(KEY, x)
    assert np.all(rows[:, 1] == rows[:, 0] + 1)
    assert sorted(rows[:, 0]) == list(x[:, 0])
    free = random.permutation(KEY, x, independent=True)
    assert not np.all(free[:, 1] == free[:, 0] + 1)
    np.testing.assert_array_equal(np.sort(free, 0), x)


@pytest.mark.parametrize("p", [None, np.array([0.1, 0.2, 0.3, 0.4])])
def test_choice_without_replacement_repeats_nothing(p):
    for i in range(20):
        got = random.choice(random.fold_in(KEY, i), 4, (4,), replace=False, p=p)
        assert sorted(got) == [0, 1, 2, 3]


def test_categorical_without_replacement_repeats_nothing_and_keeps_batches():
    logits = np.zeros((2, 5))
    got = random.categorical(KEY, logits, shape=(4, 2), replace=False)
    assert got.shape == (4, 2)
    assert all(len(set(column)) == 4 for column in got.T)


def test_choosing_too_many_without_replacement_is_refused():
    with pytest.raises(ValueError, match="5 elements were asked for"):
        random.choice(KEY, 4, (5,), replace=False)


def test_choice_along_an_axis_takes_slices():
    x = np.arange(12.0).reshape(3, 4)
    assert random.choice(KEY, x, (2, 2), axis=1).shape == (3, 2, 2)


def test_uniform_numbers_stay_below_one_in_single_precision():
    x = random.uniform(KEY, (200_000,), np.float32)
    assert x.dtype == np.float32
    assert 0 <= x.min() and x.max() < 1


def test_randint_reaches_both_ends_of_negative_ranges_and_its_dtype():
    x = random.randint(KEY, (500,), -2, 2, np.int8)
    assert x.dtype == np.int8
    assert set(x.tolist()) == {-2, -1, 0, 1}


def test_parameters_that_do_not_broadcast_to_the_shape_are_refused():
    with pytest.raises(ValueError, match="broadcast"):
        random.gamma(KEY, np.ones(3), (3, 2))


def test_edge_values_of_gamma_and_poisson_parameters():
    np.testing.assert_array_equal(random.gamma(KEY, np.array([0.0, -1.0])), [0, np.nan])
    np.testing.assert_array_equal(random.poisson(KEY, np.array([0.0, -1.0])), [0, -1])


EVERYWHERE = {
    "normal": lambda k: random.normal(k, (2, 2)),
    "gamma": lambda k: random.gamma(k, 0.7, (3,)),
    "poisson": lambda k: random.poisson(k, np.array([3.0, 30.0])),
    "permutation": lambda k: random.permutation(k, 5),
    "choice": lambda k: random.choice(k, 5, (3,), p=np.ones(5) / 5),
    "dirichlet": lambda k: random.dirichlet(k, np.ones(3)),
    "categorical": lambda k: random.categorical(k, np.zeros(4), shape=(3,)),
    "multivariate_normal": lambda k: random.multivariate_normal(
        k, np.ones(2), np.eye(2)
    ),
    "randint": lambda k: random.randint(k, (4,), 0, 9),
    "split": lambda k: random.split(k, 3),
    "fold_in": lambda k: random.fold_in(k, 3),
}


@pytest.mark.parametrize("name", EVERYWHERE)
def test_numbers_are_the_same_eagerly_under_jit_and_under_vmap(name):
    draw = EVERYWHERE[name]
    keys = random.split(KEY, 3)
    expected = np.stack([draw(key) for key in keys])
    np.testing.assert_array_equal(fad.vmap(draw)(keys), expected)
    np.testing.assert_array_equal(fad.jit(fad.vmap(draw))(keys), expected)
    jitted = fad.jit(draw)
    np.testing.assert_array_equal(np.stack([jitted(key) for key in keys]), expected)
