"""torch.distributions: families beyond the commonest, transforms, and divergences."""

import numpy as np
import pytest
from scipy_or_error import needs_scipy

from fad import torch

D = torch.distributions
T = torch.tensor

SAMPLES = {
    "Gamma(T([.5,2.,7.]),1.)": [0.0008, 0.6315, 7.0894],
    "Beta(T([.5,2.]),2.)": [0.0012, 0.6531],
    "Dirichlet(T([.5,2.,1.]))": [0.0005, 0.439, 0.5605],
    "StudentT(T([3.,5.]))": [9.3183, -0.2628],
    "Chi2(T([3.,5.]))": [7.4963, 3.5256],
    "FisherSnedecor(T([3.,5.]),4.)": [8.0344, 3.2448],
    "Gumbel(0.,T([1.,2.]))": [0.3557, 2.6661],
    "Weibull(1.,T([1.,2.]))": [3.5083, 1.1092],
    "Pareto(1.,T([1.,2.]))": [33.3923, 1.85],
    "Kumaraswamy(1.,T([1.,2.]))": [0.5037, 0.1235],
    "HalfNormal(T([1.,2.]))": [1.541, 0.5869],
    "HalfCauchy(T([1.,2.]))": [10.5977, 1.5295],
    "InverseGamma(T([1.,2.]),1.)": [0.3469, 0.76],
    "Binomial(50,T([.1,.5,.9]))": [8.0, 23.0, 45.0],
    "NegativeBinomial(5,T([.1,.5]))": [2.0, 4.0],
    "Multinomial(9,T([.1,.5,.2]))": [0.0, 6.0, 3.0],
    "MultivariateNormal(T([1.,2.]),T([[2.,.3],[.3,1.]]))": [3.1793, 2.0401],
    "LowRankMultivariateNormal(T([1.,2.]),T([[2.],[.3]]),T([1.,.5]))": [3.7886, 0.9217],
    "VonMises(0.,T([1.,4.]))": [-0.2782, -0.3046],
    "ContinuousBernoulli(T([.3,.9]))": [0.3936, 0.895],
    "RelaxedBernoulli(T(.5),T([.3,.9]))": [0.1513, 0.9989],
    "RelaxedOneHotCategorical(T(.5),T([.3,.9]))": [0.0155, 0.9845],
    "LogisticNormal(T([0.,1.]),1.)": [0.7001, 0.2008, 0.0991],
    "GeneralizedPareto(0.,1.,T([0.,.5]))": [0.6857, 2.1543],
}


def made(text):
    return eval(f"D.{text}")


@pytest.mark.parametrize("text", SAMPLES)
def test_samples_are_those_of_pytorch(text):
    torch.manual_seed(0)
    found = made(text).sample()
    np.testing.assert_allclose(found.numpy(), SAMPLES[text], rtol=2e-4, atol=6e-5)


def test_correlations_are_drawn_row_by_row():
    d = D.LKJCholesky(2, T(2.0))
    torch.manual_seed(0)
    found = d.sample()
    np.testing.assert_allclose(
        found.numpy().ravel(), [1.0, 0.0, -0.1535, 0.9882], atol=6e-5
    )
    wide = D.LKJCholesky(3, T([0.5, 2.0])).sample((5,))
    assert bool(D.constraints.corr_cholesky.check(wide).all())
    assert d.log_prob(found).exp().item() < 3


def test_sums_of_squares_of_normal_vectors():
    d = D.Wishart(T(4.0), T([[2.0, 0.3], [0.3, 1.0]]))
    torch.manual_seed(0)
    with pytest.warns(UserWarning, match="Singular sample detected"):
        found = d.sample()
    np.testing.assert_allclose(
        found.numpy().ravel(), [1.7385, 1.6294, 1.6294, 2.4989], rtol=2e-4
    )
    with pytest.warns(UserWarning, match="Singular sample detected"):
        many = d.sample((2000,))
    np.testing.assert_allclose(many.numpy().mean(0), d.mean.numpy(), rtol=0.1, atol=0.2)
    entropy = -d.log_prob(many).mean().item()
    assert entropy == pytest.approx(d.entropy().item(), abs=0.1)


def test_a_mixture_draws_from_its_components():
    d = D.MixtureSameFamily(D.Categorical(T([0.3, 0.7])), D.Normal(T([1.0, 20.0]), 1.0))
    torch.manual_seed(0)
    found = d.sample((3,)).numpy()
    np.testing.assert_allclose(found, [19.3126, 19.3935, 21.0622], rtol=1e-5)
    assert d.mean.item() == pytest.approx(14.3)
    assert d.log_prob(T(1.0)).item() == pytest.approx(-2.1229, rel=1e-4)


DENSITIES = {
    "Gamma(2.,3.)": (1e-6, 12),
    "Beta(2.,1.5)": (1e-6, 1 - 1e-6),
    "StudentT(5.,.2,.7)": (-60, 60),
    "FisherSnedecor(5.,9.)": (1e-6, 4000),
    "InverseGamma(6.,2.)": (1e-3, 60),
    "HalfNormal(.7)": (0, 9),
    "Gumbel(.2,.7)": (-5, 20),
    "LogNormal(.1,.4)": (1e-4, 20),
    "Weibull(.8,1.5)": (1e-6, 12),
    "Kumaraswamy(2.,3.)": (1e-6, 1 - 1e-6),
    "GeneralizedPareto(0.,1.,-.3)": (0, 3.333),
    "VonMises(.3,2.)": (-3.141, 3.141),
    "ContinuousBernoulli(T(.3))": (0, 1),
    "ContinuousBernoulli(T(.4999))": (0, 1),
}


def grid(low, high):
    """Return points that are close together near the lower end, if it is 0."""
    u = np.linspace(0, 1, 40_001)
    return low + (high - low) * (u**3 if 0 <= low < 1e-2 else u)


ANGLES = "VonMises(.3,2.)"  # its density needs SciPy


@pytest.mark.parametrize("text", [t for t in DENSITIES if t != ANGLES])
def test_densities_have_their_moments_and_entropies(text):
    check_moments(text)


@needs_scipy
def test_density_of_angles_has_its_moments():
    check_moments(ANGLES)


def check_moments(text):
    d, (low, high) = made(text), DENSITIES[text]
    x = grid(low, high)
    density = d.log_prob(T(x)).exp().numpy()

    def integral(f):
        return np.trapezoid(f, x)

    assert integral(density) == pytest.approx(1, abs=2e-3)
    if "VonMises" not in text:  # its moments are those of angles
        mean = integral(density * x)
        assert mean == pytest.approx(d.mean.item(), abs=4e-3)
        spread = integral(density * (x - mean) ** 2)
        assert spread == pytest.approx(d.variance.item(), rel=2e-2)
    if not text.startswith(("VonMises", "Fisher")):
        entropy = -integral(density * np.log(np.maximum(density, 1e-300)))
        assert entropy == pytest.approx(d.entropy().item(), abs=4e-3)


WITH_CDF = [
    t for t in DENSITIES if not t.startswith(("Beta", "Student", "Fisher", "Von"))
]


INCOMPLETE = [t for t in WITH_CDF if t.startswith(("Gamma", "InverseGamma"))]


@pytest.mark.parametrize("text", [t for t in WITH_CDF if t not in INCOMPLETE])
def test_the_derivative_of_a_distribution_function_is_the_density(text):
    check_slope(text)


@pytest.mark.parametrize("text", INCOMPLETE)
@needs_scipy
def test_the_derivative_of_an_incomplete_function_is_the_density(text):
    check_slope(text)


def check_slope(text):
    d = made(text)
    x = d.mean.double().detach().requires_grad_()
    (slope,) = torch.autograd.grad(d.cdf(x), x)
    assert slope.item() == pytest.approx(d.log_prob(x).exp().item(), rel=1e-4)


@pytest.mark.parametrize("family", ["Gamma", "Beta"])
@needs_scipy
def test_implicit_gradients_keep_the_probability_of_a_sample(family):
    a = T([0.7, 2.0, 5.0], dtype=torch.float64, requires_grad=True)
    make = (
        (lambda a: D.Gamma(a, 1.0)) if family == "Gamma" else (lambda a: D.Beta(a, 2.0))
    )
    torch.manual_seed(0)
    x = make(a).rsample()
    (found,) = torch.autograd.grad(x.sum(), a)
    value = x.detach()
    from fad.scipy import special

    def probability(a):
        a, v = a.numpy(), value.numpy()
        return (
            special.gammainc(a, v) if family == "Gamma" else special.betainc(a, 2.0, v)
        )

    h = 1e-6
    with torch.no_grad():
        change = (probability(a + h) - probability(a - h)) / (2 * h)
        density = make(a).log_prob(value).exp().numpy()
    np.testing.assert_allclose(found.numpy(), -change / density, rtol=1e-5)


def test_gradients_of_shares_stay_on_the_simplex():
    a = T([0.5, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    x = D.Dirichlet(a).rsample()
    (found,) = torch.autograd.grad(x.sum(), a)
    np.testing.assert_allclose(found.numpy(), 0, atol=1e-12)


BIJECTIONS = [
    D.ExpTransform(),
    D.AffineTransform(1.0, -2.0),
    D.SigmoidTransform(),
    D.SoftplusTransform(),
    D.TanhTransform(),
    D.StickBreakingTransform(),
    D.CorrCholeskyTransform(),
    D.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)]),
    D.IndependentTransform(D.ExpTransform(), 1),
    D.CatTransform([D.ExpTransform(), D.TanhTransform()], lengths=[1, 2]),
    D.StackTransform([D.ExpTransform(), D.TanhTransform(), D.SigmoidTransform()]),
    D.ExpTransform().inv,
    D.CumulativeDistributionTransform(D.Normal(0.0, 1.0)),
    D.PowerTransform(T(1.5)),
]


@pytest.mark.parametrize("t", BIJECTIONS, ids=lambda t: type(t).__name__)
def test_a_transform_and_its_inverse_are_one(t):
    x = T([0.3, 1.2, 0.4], dtype=torch.float64)
    y = t(x)
    np.testing.assert_allclose(t.inv(y).numpy(), x.numpy(), rtol=1e-7)
    assert bool(t.domain.check(x).all())
    assert bool(t.codomain.check(y).all())
    back = t.inv.log_abs_det_jacobian(y, x)
    np.testing.assert_allclose(t.log_abs_det_jacobian(x, y).numpy(), -back.numpy())
    assert tuple(t.forward_shape(x.shape)) == tuple(y.shape)
    assert t.inv.inv == t


@pytest.mark.parametrize("t", BIJECTIONS[:5], ids=lambda t: type(t).__name__)
def test_the_jacobian_of_a_transform_is_its_derivative(t):
    x = T([0.3, 1.2], dtype=torch.float64)
    slope = torch.func.vmap(torch.func.grad(t))(x)
    found = t.log_abs_det_jacobian(x, t(x))
    np.testing.assert_allclose(found.numpy(), np.log(np.abs(slope.numpy())), rtol=1e-9)


def test_the_jacobian_of_broken_sticks_is_a_determinant():
    t, x = D.StickBreakingTransform(), T([0.3, -0.2], dtype=torch.float64)
    jacobian = torch.func.jacrev(lambda x: t(x)[:-1])(x)
    found = t.log_abs_det_jacobian(x, t(x)).item()
    assert found == pytest.approx(np.linalg.slogdet(jacobian.numpy())[1])


REACHED = [
    D.constraints.positive,
    D.constraints.unit_interval,
    D.constraints.interval(1.0, 3.0),
    D.constraints.less_than(2.0),
    D.constraints.simplex,
    D.constraints.lower_cholesky,
    D.constraints.positive_definite,
    D.constraints.independent(D.constraints.positive, 1),
]


@pytest.mark.parametrize("constraint", REACHED, ids=repr)
def test_constraints_are_reached_from_all_numbers(constraint):
    x = torch.randn(3, 3)
    y = D.transform_to(constraint)(x)
    assert bool(constraint.check(y).all())


def test_constraints_without_a_transform_say_so():
    with pytest.raises(NotImplementedError, match="Cannot transform _Boolean"):
        D.biject_to(D.constraints.boolean)


DIVERGENT = {
    "beta": ("Beta(2.,3.)", "Beta(1.5,1.)"),
    "beta-normal": ("Beta(2.,3.)", "Normal(.1,2.)"),
    "beta-gamma": ("Beta(2.,3.)", "Gamma(1.5,2.)"),
    "beta-exponential": ("Beta(2.,3.)", "Exponential(2.)"),
    "gamma": ("Gamma(2.,3.)", "Gamma(1.5,1.)"),
    "gamma-gumbel": ("Gamma(2.,3.)", "Gumbel(.5,1.)"),
    "gamma-normal": ("Gamma(2.,3.)", "Normal(.1,2.)"),
    "gumbel": ("Gumbel(.2,.7)", "Gumbel(.5,1.)"),
    "gumbel-normal": ("Gumbel(.2,.7)", "Normal(.1,2.)"),
    "normal-gumbel": ("Normal(.1,1.)", "Gumbel(.5,1.)"),
    "normal-laplace": ("Normal(.1,1.)", "Laplace(.5,1.)"),
    "laplace-normal": ("Laplace(.5,1.)", "Normal(.1,1.)"),
    "exponential-gumbel": ("Exponential(2.)", "Gumbel(.5,1.)"),
    "exponential-gamma": ("Exponential(2.)", "Gamma(2.,3.)"),
    "uniform-beta": ("Uniform(.2,.7)", "Beta(2.,3.)"),
    "uniform-gamma": ("Uniform(.2,.7)", "Gamma(2.,3.)"),
    "uniform-gumbel": ("Uniform(.2,.7)", "Gumbel(.5,1.)"),
    "uniform-pareto": ("Uniform(1.2,1.7)", "Pareto(1.,2.)"),
    "uniform-continuous": ("Uniform(.2,.7)", "ContinuousBernoulli(T(.3))"),
    "continuous": ("ContinuousBernoulli(T(.8))", "ContinuousBernoulli(T(.3))"),
    "continuous-normal": ("ContinuousBernoulli(T(.8))", "Normal(.1,1.)"),
    "half": ("HalfNormal(.8)", "HalfNormal(1.8)"),
    "lognormal": ("LogNormal(.1,.4)", "LogNormal(.5,1.)"),
}
RANGES = {"Uniform(.2,.7)": (0.2, 0.7), "Uniform(1.2,1.7)": (1.2, 1.7)}


@pytest.mark.parametrize("name", DIVERGENT)
def test_divergences_are_integrals_of_densities(name):
    first, second = DIVERGENT[name]
    p, q = made(first), made(second)
    positive = bool(p.support.check(T(-1.0)))
    low, high = RANGES.get(first, (-30 if positive else 1e-7, 30))
    if first.startswith(("Beta", "Continuous")):
        high = 1 - 1e-7
    x = grid(low, high)[1:-1]
    a, b = (d.log_prob(T(x)).numpy() for d in (p, q))
    expected = np.trapezoid(np.exp(a) * (a - b), x)
    assert D.kl_divergence(p, q).item() == pytest.approx(expected, rel=5e-3, abs=1e-3)


def test_divergence_from_what_is_never_drawn_is_infinite():
    assert D.kl_divergence(D.Normal(0.0, 1.0), D.Gamma(1.0, 1.0)).item() == np.inf
    assert D.kl_divergence(D.Poisson(T(1.0)), D.Binomial(3, T(0.5))).item() == np.inf


def test_divergences_of_normal_vectors_agree():
    loc, other = T([1.0, 2.0]), T([0.0, 1.0])
    factor, diagonal = T([[1.0], [0.5]]), T([1.0, 2.0])
    low = D.LowRankMultivariateNormal(loc, factor, diagonal)
    full = D.MultivariateNormal(loc, low.covariance_matrix)
    q = D.MultivariateNormal(other, torch.eye(2) * 2)
    a, b = (D.kl_divergence(p, q).item() for p in (low, full))
    assert a == pytest.approx(b, rel=1e-5)
    value = T([0.3, 0.1])
    assert low.log_prob(value).item() == pytest.approx(full.log_prob(value).item())
    assert low.entropy().item() == pytest.approx(full.entropy().item())


@pytest.mark.parametrize(
    "name", ["covariance_matrix", "precision_matrix", "scale_tril"]
)
def test_normal_vectors_know_their_matrices(name):
    d = D.MultivariateNormal(torch.zeros(2), T([[2.0, 0.3], [0.3, 1.0]]))
    again = D.MultivariateNormal(torch.zeros(2), **{name: getattr(d, name)})
    for other in ("covariance_matrix", "precision_matrix", "scale_tril"):
        a, b = getattr(d, other), getattr(again, other)
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


WRONG = {
    "Gamma(-1.,1.)": "Expected parameter concentration",
    "Dirichlet(T(1.))": "must be at least one-dimensional",
    "MultivariateNormal(torch.zeros(2))": "Exactly one of covariance_matrix",
    "MultivariateNormal(torch.zeros(2),torch.zeros(2,2))": "PositiveDefinite",
    "Binomial(1)": "Either `probs` or `logits` must be specified",
    "Independent(D.Normal(0.,1.),1)": "Expected reinterpreted_batch_ndims <=",
    "MixtureSameFamily(D.Normal(0.,1.),D.Normal(0.,1.))": "Categorical",
    "TransformedDistribution(D.Normal(0.,1.),3)": "transforms must be a Transform",
    "Geometric(T(0.))": "to be positive but found invalid values",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_parameters_are_refused(text):
    with pytest.raises(ValueError, match=WRONG[text]):
        made(text)


def test_batches_are_expanded():
    for text in SAMPLES:
        d = made(text)
        wide = d.expand((3, *d.batch_shape))
        assert wide.batch_shape == (3, *d.batch_shape)
        assert wide.sample().shape == (3, *d.batch_shape, *d.event_shape)
        assert type(wide) is type(d)


def test_the_quotient_may_be_written_to_before_backward():
    a, b = T([1.0, 2.0], requires_grad=True), T([2.0, 4.0], requires_grad=True)
    y = a / b
    y[0] = 5
    y.mul_(2)
    y.sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([0.0, 0.5], [0.0, -0.25])
