"""fad.scipy.stats: densities, distribution functions, and their derivatives."""

import math

import numpy as np
import pytest
from derivative_checks import check_derivatives
from numpy.testing import assert_allclose
from scipy_or_error import needs_scipy

import fad
from fad.scipy import stats

INF = np.inf
FAMILIES = {
    "norm": ((), np.array([-0.7, 0.3, 1.1])),
    "expon": ((), np.array([0.3, 0.9, 2.0])),
    "laplace": ((), np.array([-0.7, 0.3, 1.1])),
    "uniform": ((), np.array([0.3, 0.6, 0.9])),
    "cauchy": ((), np.array([-0.7, 0.3, 1.1])),
    "logistic": ((), np.array([-0.7, 0.3, 1.1])),
    "lognorm": ((0.7,), np.array([0.3, 0.9, 2.0])),
    "pareto": ((2.5,), np.array([1.6, 2.0, 3.0])),
    "t": ((3.3,), np.array([-0.7, 0.3, 1.1])),
    "gamma": ((2.2,), np.array([0.3, 0.9, 2.0])),
    "chi2": ((5.0,), np.array([0.3, 0.9, 2.0])),
    "beta": ((1.7, 0.8), np.array([0.3, 0.6, 0.9])),
}
NEEDS_SCIPY = {"t", "gamma", "chi2", "beta"}
FUNCTIONS = ["logpdf", "pdf", "cdf", "logcdf", "sf", "logsf", "ppf"]
LOC, SCALE = 0.1, 1.3


def cases(scipy):
    """Cases that need SciPy, or those that do not: densities never do."""
    return [
        (name, function)
        for name in FAMILIES
        for function in FUNCTIONS
        if (name in NEEDS_SCIPY and "pdf" not in function) is scipy
    ]


def check(name, function):
    shapes, x = FAMILIES[name]
    f = getattr(getattr(stats, name), function)
    if function == "ppf":
        x = np.array([0.2, 0.45, 0.8])
    parameters = [np.float64(v) for v in (*shapes, LOC, SCALE)]
    check_derivatives(f, x, *parameters, rtol=2e-6, batch=False)


@pytest.mark.parametrize(("name", "function"), cases(scipy=False))
def test_derivatives_in_all_arguments(name, function):
    check(name, function)


@pytest.mark.parametrize(("name", "function"), cases(scipy=True))
@needs_scipy
def test_derivatives_in_all_arguments_of_incomplete_functions(name, function):
    check(name, function)


def consistent(name):
    """The slope of cdf is pdf; sf is its complement; logs are logs; ppf inverts."""
    shapes, x = FAMILIES[name]
    d, rest = getattr(stats, name), (*shapes, LOC, SCALE)
    slope = fad.elementwise_grad(lambda x: d.cdf(x, *rest))(x)
    assert_allclose(slope, d.pdf(x, *rest), 1e-12)
    assert_allclose(d.cdf(x, *rest) + d.sf(x, *rest), 1, 1e-13)
    assert_allclose(np.log(d.cdf(x, *rest)), d.logcdf(x, *rest), 1e-12, 1e-14)
    assert_allclose(np.log(d.sf(x, *rest)), d.logsf(x, *rest), 1e-12, 1e-14)
    assert_allclose(np.log(d.pdf(x, *rest)), d.logpdf(x, *rest), 1e-12, 1e-14)
    assert_allclose(d.ppf(d.cdf(x, *rest), *rest), x, 1e-10)


@pytest.mark.parametrize("name", sorted(FAMILIES.keys() - NEEDS_SCIPY))
def test_functions_of_a_family_agree_with_each_other(name):
    consistent(name)


@pytest.mark.parametrize("name", sorted(NEEDS_SCIPY))
@needs_scipy
def test_functions_of_a_family_with_incomplete_functions_agree(name):
    consistent(name)


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (lambda: stats.norm.logpdf(1.0), -0.5 - 0.5 * math.log(2 * math.pi)),
        (lambda: stats.norm.logsf(40.0), -804.6084420137538),
        (lambda: stats.expon.logcdf(1e-20), math.log(1e-20)),
        (lambda: stats.laplace.logsf(50.0), -50 - math.log(2)),
        (lambda: stats.cauchy.cdf(-1e10), 1e-10 / math.pi),
        (lambda: stats.logistic.logcdf(-800.0), -800.0),
        (lambda: stats.t.pdf(0.0, 1.0), 1 / math.pi),
        (lambda: stats.gamma.logpdf(0.0, 1.0), 0.0),
        (lambda: stats.chi2.pdf(2.0, 2.0), math.exp(-1) / 2),
        (lambda: stats.beta.pdf(0.25, 2.0, 1.0), 0.5),
        (lambda: stats.uniform.pdf(2.0, 1.0, 4.0), 0.25),
        (lambda: stats.poisson.pmf(2, 3.0), 4.5 * math.exp(-3)),
        (lambda: stats.bernoulli.pmf(1, 0.3), 0.3),
        (lambda: stats.binom.pmf(2, 4, 0.5), 0.375),
        (lambda: stats.geom.pmf(3, 0.5), 0.125),
        (lambda: stats.geom.cdf(3, 0.5), 0.875),
        (lambda: stats.bernoulli.cdf(0.5, 0.3), 0.7),
    ],
)
def test_known_values(value, exact):
    assert float(value()) == pytest.approx(exact, rel=1e-14)


def test_outside_of_the_support_nothing_is_probable_and_derivatives_are_zero():
    x = np.array([-1.0, 2.0])
    np.testing.assert_array_equal(stats.uniform.logpdf(x), [-INF, -INF])
    np.testing.assert_array_equal(stats.uniform.cdf(x), [0, 1])
    np.testing.assert_array_equal(stats.uniform.sf(x), [1, 0])
    assert float(fad.grad(stats.gamma.pdf, argnums=1)(-1.0, 2.0)) == 0
    assert float(fad.grad(stats.expon.logpdf)(-1.0)) == 0
    np.testing.assert_array_equal(stats.poisson.pmf(np.array([-1.0, 0.5]), 2.0), [0, 0])
    assert np.isnan(stats.expon.logpdf(np.nan))


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("poisson", (2.3,)),
        ("bernoulli", (0.3,)),
        ("binom", (7.0, 0.3)),
        ("geom", (0.3,)),
    ],
)
def test_probabilities_sum_to_one_and_are_differentiable(name, shapes):
    d = getattr(stats, name)
    k = np.arange(60.0)
    pmf = lambda p: d.pmf(k, *shapes[:-1], p)
    assert_allclose(pmf(shapes[-1]).sum(), 1, 1e-8)
    check_derivatives(pmf, np.float64(shapes[-1]), batch=False)


@needs_scipy
def test_distribution_functions_of_counts_are_sums_of_probabilities():
    k = np.arange(7.0)
    for d, shapes in ((stats.poisson, (2.3,)), (stats.binom, (6.0, 0.3))):
        assert_allclose(np.cumsum(d.pmf(k, *shapes)), d.cdf(k, *shapes), 1e-12)
        check_derivatives(
            lambda p, d=d, s=shapes: d.cdf(k, *s[:-1], p), 0.4, batch=False
        )


@needs_scipy
def test_students_distribution_function_at_its_centre():
    hessian = fad.hessian(stats.t.cdf, argnums=(0, 1))(0.0, 3.0)
    slope_of_density = fad.grad(stats.t.pdf, argnums=1)(0.0, 3.0)
    assert float(hessian[0][1]) == pytest.approx(float(slope_of_density), rel=1e-12)
    assert float(hessian[1][0]) == pytest.approx(float(slope_of_density), rel=1e-12)


def test_multivariate_normal_is_the_product_of_independent_ones():
    x, mean, variance = np.array([[1.0, 2.0], [0.0, -1.0]]), np.ones(2), [2.0, 3.0]
    expected = stats.norm.logpdf(x, mean, np.sqrt(variance)).sum(-1)
    got = stats.multivariate_normal.logpdf(x, mean, np.array(variance))
    assert_allclose(got, expected, 1e-14)
    assert_allclose(stats.multivariate_normal.pdf(x, mean, variance), np.exp(expected))


def test_multivariate_normal_has_a_symmetric_gradient_by_its_covariance():
    """Of -1/2 (x^T C^-1 x + log det C): 1/2 (C^-1 x x^T C^-1 - C^-1)."""
    x, cov = np.array([1.0, -0.5]), np.array([[2.0, 0.6], [0.6, 1.0]])
    inverse = np.linalg.inv(cov)
    expected = 0.5 * (inverse @ np.outer(x, x) @ inverse - inverse)
    f = lambda cov: stats.multivariate_normal.logpdf(x, np.zeros(2), cov)
    assert_allclose(fad.grad(f)(cov), expected, 1e-12)


def test_multivariate_normal_derivatives_and_entropy():
    x, cov = np.array([[1.0, -0.5], [0.2, 0.1]]), np.array([[2.0, 0.6], [0.6, 1.0]])
    f = lambda x, m, a: stats.multivariate_normal.logpdf(x, m, a @ a.T)
    check_derivatives(f, x, np.array([0.1, 0.2]), cov, batch=False)
    entropy = stats.multivariate_normal.entropy(np.zeros(2), cov)
    expected = 0.5 * math.log((2 * math.pi * math.e) ** 2 * np.linalg.det(cov))
    assert float(entropy) == pytest.approx(expected, rel=1e-14)


def test_dirichlet_is_beta_for_two_and_takes_points_without_their_last_coordinate():
    x, alpha = np.array([0.3, 0.7]), np.array([1.5, 2.5])
    expected = stats.beta.logpdf(0.3, 1.5, 2.5)
    assert_allclose(stats.dirichlet.logpdf(x, alpha), expected, 1e-13)
    assert_allclose(stats.dirichlet.logpdf(x[:1], alpha), expected, 1e-13)
    assert stats.dirichlet.logpdf(2 * x, alpha) == -INF
    check_derivatives(stats.dirichlet.logpdf, x[:1], alpha, batch=False)


def test_arguments_by_name_and_their_errors():
    got = stats.norm.logpdf(1.0, scale=2.0)
    assert_allclose(got, stats.norm.logpdf(1.0, 0.0, 2.0))
    with pytest.raises(TypeError, match="gamma.logpdf needs the argument a"):
        stats.gamma.pdf(1.0)
    with pytest.raises(
        TypeError, match="the argument rate is given, which it does not"
    ):
        stats.expon.pdf(1.0, rate=2.0)
    with pytest.raises(TypeError, match="the argument loc is given, twice"):
        stats.expon.pdf(1.0, 0.0, loc=0.0)
    with pytest.raises(TypeError, match="got 4 arguments"):
        stats.norm.pdf(1.0, 0.0, 1.0, 2.0)
    with pytest.raises(ValueError, match="mean \\(n,\\) and a covariance"):
        stats.multivariate_normal.pdf(np.ones(2), np.ones(2), np.eye(3))


def test_scalar_mean_and_covariance_make_a_normal_of_numbers():
    def expected(x, mean=0.0, cov=1.0):
        return -0.5 * ((x - mean) ** 2 / cov + np.log(2 * np.pi * cov))

    x, normal = np.array([0.0, 1.0, -2.0]), stats.multivariate_normal
    for args in [(x,), (x, 0.5), (x, 0.5, 2.0), (1.0, 0.5)]:
        found = normal.logpdf(*args)
        assert np.shape(found) == np.shape(args[0])
        assert_allclose(found, expected(*args))
    assert_allclose(normal.logpdf(x[:, None], 0.5, 2.0), expected(x, 0.5, 2.0))
    assert normal.logpdf(x, np.zeros(3)).shape == ()
    assert_allclose(fad.grad(lambda x: normal.logpdf(x, 0.5).sum())(x), 0.5 - x)
