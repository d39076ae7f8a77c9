"""torch.distributions: the commonest distributions and their divergences.

Everything is composed of tensor functions, so densities and samples have gradients
wherever those have. Samples use PyTorch's random stream.

Public names: `Distribution`, `Normal`, `LogNormal`, `Uniform`, `Exponential`,
`Laplace`, `Cauchy`, `Bernoulli`, `Geometric`, `Poisson`, `Categorical`,
`OneHotCategorical`, `kl_divergence`, `register_kl`, `constraints`.
"""

from . import constraints, kl
from .continuous import Cauchy, Exponential, Laplace, LogNormal, Normal, Uniform
from .discrete import Bernoulli, Categorical, Geometric, OneHotCategorical, Poisson
from .distribution import Distribution
from .kl import kl_divergence, register_kl

__all__ = [
    "Bernoulli",
    "Categorical",
    "Cauchy",
    "Distribution",
    "Exponential",
    "Geometric",
    "Laplace",
    "LogNormal",
    "Normal",
    "OneHotCategorical",
    "Poisson",
    "Uniform",
    "constraints",
    "kl",
    "kl_divergence",
    "register_kl",
]
