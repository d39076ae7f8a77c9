"""Distributions: densities that sum to one, samples with gradients, divergences."""

import math

import numpy as np
import pytest

import fad
from fad import torch

D = torch.distributions
T = torch.tensor


@pytest.fixture(autouse=True)
def double():
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


CONTINUOUS = {
    "Normal": lambda: D.Normal(0.3, 0.8),
    "LogNormal": lambda: D.LogNormal(0.1, 0.4),
    "Uniform": lambda: D.Uniform(-1.0, 2.0),
    "Exponential": lambda: D.Exponential(T(1.5)),
    "Laplace": lambda: D.Laplace(0.2, 0.7),
    "Cauchy": lambda: D.Cauchy(T(0.2), T(0.7)),
}
DISCRETE = {
    "Bernoulli": lambda: D.Bernoulli(T(0.3)),
    "Geometric": lambda: D.Geometric(T(0.4)),
    "Poisson": lambda: D.Poisson(T(2.5)),
    "Categorical": lambda: D.Categorical(T([0.2, 0.5, 0.3])),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_the_density_is_the_slope_of_the_distribution_function(name):
    d = CONTINUOUS[name]()
    x = d.icdf(torch.linspace(0.1, 0.9, 8)).requires_grad_()
    (slope,) = torch.autograd.grad(d.cdf(x).sum(), x)
    np.testing.assert_allclose(d.log_prob(x.detach()).exp(), slope, rtol=1e-9)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_icdf_undoes_cdf(name):
    d, p = CONTINUOUS[name](), torch.linspace(0.05, 0.95, 7)
    np.testing.assert_allclose(d.cdf(d.icdf(p)), p, rtol=1e-9)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_samples_follow_the_distribution_function(name):
    d = CONTINUOUS[name]()
    ranks = np.sort(d.cdf(d.sample((4000,))).numpy())
    assert np.abs(ranks - (np.arange(4000) + 0.5) / 4000).max() < 1.63 / math.sqrt(4000)


@pytest.mark.parametrize("name", sorted(CONTINUOUS.keys() - {"Cauchy"}))
def test_moments_are_integrals(name):
    d = CONTINUOUS[name]()
    p = (torch.arange(200_000.0) + 0.5) / 200_000
    x = d.icdf(p)
    assert d.mean.item() == pytest.approx(x.mean().item(), rel=1e-3, abs=1e-3)
    assert d.variance.item() == pytest.approx(x.var().item(), rel=3e-3)
    entropy = -d.log_prob(x).mean()
    assert d.entropy().item() == pytest.approx(entropy.item(), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("name", DISCRETE)
def test_probabilities_sum_to_one(name):
    d = DISCRETE[name]()
    last = {"Bernoulli": 2, "Categorical": 3}.get(name, 200)
    values = torch.arange(last)
    values = values if name == "Categorical" else values.double()
    p = d.log_prob(values).exp()
    assert p.sum().item() == pytest.approx(1.0)
    if name != "Categorical":
        assert (p * values).sum().item() == pytest.approx(d.mean.item())
        spread = (p * (values - d.mean) ** 2).sum()
        assert spread.item() == pytest.approx(d.variance.item())
    if name != "Poisson":
        entropy = -(p * p.clamp(min=1e-300).log()).sum()
        assert d.entropy().item() == pytest.approx(entropy.item())


def test_samples_of_a_batch():
    d = D.Bernoulli(T([0.0, 1.0]))
    assert d.sample((3,)).tolist() == [[0, 1]] * 3
    d = D.OneHotCategorical(T([[0.0, 1.0], [1.0, 0.0]]))
    assert d.sample((2,)).tolist() == [[[0, 1], [1, 0]]] * 2
    assert (d.batch_shape, d.event_shape) == ((2,), (2,))


@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_a_larger_batch_is_the_same_distribution(name):
    d = (CONTINUOUS | DISCRETE)[name]()
    wide = d.expand((2, 3))
    assert wide.batch_shape == (2, 3)
    value = d.sample()
    expected = np.full((2, 3), d.log_prob(value).item())
    np.testing.assert_allclose(wide.log_prob(value.expand(2, 3)), expected)
    assert wide.sample((4,)).shape == (4, 2, 3)


def test_reparameterised_samples_have_gradients():
    loc, scale = T(0.5, requires_grad=True), T(2.0, requires_grad=True)
    d = D.Normal(loc, scale)
    x = d.rsample((5,))
    x.sum().backward()
    assert loc.grad.item() == 5
    eps = (x.detach() - 0.5) / 2
    assert scale.grad.item() == pytest.approx(eps.sum().item())
    assert not d.sample().requires_grad


PAIRS = {
    "normal": (lambda: D.Normal(0.3, 0.8), lambda: D.Normal(-0.2, 1.3)),
    "laplace": (lambda: D.Laplace(0.3, 0.8), lambda: D.Laplace(-0.2, 1.3)),
    "exponential": (lambda: D.Exponential(T(1.5)), lambda: D.Exponential(T(0.6))),
    "uniform": (lambda: D.Uniform(0.2, 0.7), lambda: D.Uniform(0.0, 1.5)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_divergences_are_integrals(name):
    p, q = (make() for make in PAIRS[name])
    x = p.icdf((torch.arange(200_000.0) + 0.5) / 200_000)
    expected = (p.log_prob(x) - q.log_prob(x)).mean().item()
    assert D.kl_divergence(p, q).item() == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("make", [D.Categorical, D.OneHotCategorical])
def test_divergence_of_classes(make):
    p, q = T([0.2, 0.8]), T([0.5, 0.5])
    expected = (p * (p / q).log()).sum().item()
    assert D.kl_divergence(make(p), make(q)).item() == pytest.approx(expected)


def test_transforms_go_through_densities():
    x = torch.linspace(-1.0, 1.0, 5)
    slope = fad.vmap(fad.grad(lambda x: D.Normal(0.0, 2.0).log_prob(x)))(x)
    np.testing.assert_allclose(slope, -x / 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: D.Normal(0.0, -1.0),
            r"parameter scale .* GreaterThan\(lower_bound=0.0",
        ),
        (lambda: D.Uniform(1.0, 0.0), r"parameter low .* LessThan\(upper_bound=0.0"),
        (lambda: D.Bernoulli(), "must be specified, but not both"),
        (lambda: D.Bernoulli(T([0.5])).log_prob(T([0.5])), r"support \(Boolean\(\)\)"),
        (lambda: D.Normal(0.0, 1.0).log_prob(1.0), "must be a Tensor"),
        (lambda: D.Normal(T([0.0, 1.0]), 1.0).log_prob(T([0.0] * 3)), "broadcastable"),
        (lambda: D.Categorical(T(1.0)), "at least one-dimensional"),
    ],
)
def test_misfits_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_parameters_are_shown():
    assert repr(D.Normal(0.0, 1.0)) == "Normal(loc: 0.0, scale: 1.0)"
    assert repr(D.Poisson(T([1.0, 2.0]))) == "Poisson(rate: torch.Size([2]))"


def test_expanded_probabilities_are_drawn_in_rows():
    p = T([0.3, 0.6])
    torch.manual_seed(0)
    expected = torch.bernoulli(p.expand(3, 2).contiguous())
    torch.manual_seed(0)
    assert torch.equal(torch.bernoulli(p.expand(3, 2)), expected)
