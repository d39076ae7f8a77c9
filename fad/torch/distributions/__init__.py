"""torch.distributions: distributions, transforms, constraints and divergences.

Everything is composed of tensor functions, so densities and samples have gradients
wherever those have. Samples use PyTorch's random stream.

Public names: as `__all__` lists. PyTorch's modules of one distribution each, such as
`torch.distributions.normal`, are found as attributes.
"""

import importlib as _importlib
from typing import Any as _Any

from ..missing import no_name as _no_name
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

_HOLDERS = {
    "circular": "continuous_bernoulli von_mises",
    "continuous": "cauchy exponential laplace normal uniform",
    "counts": "binomial multinomial negative_binomial",
    "discrete": "bernoulli categorical geometric poisson",
    "distribution": "exp_family",
    "extremes": "generalized_pareto gumbel kumaraswamy pareto weibull",
    "gamma_family": "beta chi2 dirichlet fishersnedecor gamma studentT",
    "matrices": "lkj_cholesky wishart",
    "mixture": "mixture_same_family",
    "multivariate_normal": "lowrank_multivariate_normal",
    "one_hot": "one_hot_categorical",
    "relaxed": "relaxed_bernoulli relaxed_categorical",
    "transformed": (
        "half_cauchy half_normal inverse_gamma log_normal logistic_normal "
        "transformed_distribution"
    ),
}
"""By module here, PyTorch's modules whose classes it has."""


def __getattr__(name: str) -> _Any:
    for holder, names in _HOLDERS.items():
        if name in names.split():
            return _importlib.import_module(f"{__name__}.{holder}")
    raise _no_name(__name__, name, __all__)
