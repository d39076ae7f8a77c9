"""torch.distributions: distributions, transforms, constraints and divergences.

Everything is composed of tensor functions, so densities and samples have gradients
wherever those have. Samples use PyTorch's random stream.

Public names: as `__all__` lists.
"""

from . import constraints, kl, transforms
from . import kl_alike as _alike  # noqa: F401
from . import kl_unlike as _unlike  # noqa: F401
from .circular import ContinuousBernoulli, VonMises
from .constraint_registry import biject_to, transform_to
from .continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from .counts import Binomial, Multinomial, NegativeBinomial
from .discrete import (
    Bernoulli,
    Categorical,
    Geometric,
    Poisson,
)
from .distribution import Distribution, ExponentialFamily
from .extremes import GeneralizedPareto, Gumbel, Kumaraswamy, Pareto, Weibull
from .gamma_family import Beta, Chi2, Dirichlet, FisherSnedecor, Gamma, StudentT
from .independent import Independent
from .kl import kl_divergence, register_kl
from .matrices import LKJCholesky, Wishart
from .mixture import MixtureSameFamily
from .multivariate_normal import LowRankMultivariateNormal, MultivariateNormal
from .one_hot import OneHotCategorical, OneHotCategoricalStraightThrough
from .relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from .transformed import (
    HalfCauchy,
    HalfNormal,
    InverseGamma,
    LogisticNormal,
    LogNormal,
    TransformedDistribution,
)
from .transforms import ComposeTransform, Transform
from .transforms_elementwise import (
    AbsTransform,
    AffineTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    identity_transform,
)
from .transforms_of_shapes import IndependentTransform, ReshapeTransform
from .transforms_of_vectors import (
    CatTransform,
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StackTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "Laplace",
    "LKJCholesky",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "constraints",
    "identity_transform",
    "kl",
    "kl_divergence",
    "register_kl",
    "transform_to",
    "transforms",
]
