"""Densities and distribution functions, under the names of `scipy.stats`.

    continuous    norm t gamma beta chi2 expon laplace uniform cauchy logistic lognorm
                  pareto: logpdf pdf cdf logcdf sf logsf ppf
    discrete      poisson bernoulli binom geom: logpmf pmf cdf
    multivariate  multivariate_normal dirichlet: logpdf pdf

Arguments are SciPy's: `norm.logpdf(x, loc, scale)`, `t.cdf(x, df, loc, scale)`. All are
differentiable in x and in the parameters. Distribution functions that need incomplete
gamma or beta functions (t gamma beta chi2 poisson binom) need SciPy; the rest do not.

>>> import fad
>>> fad.grad(fad.scipy.stats.norm.logpdf)(1.0, 0.0, 2.0).round(6)
np.float64(-0.25)
"""

from .continuous import (
    beta,
    cauchy,
    chi2,
    expon,
    gamma,
    laplace,
    logistic,
    lognorm,
    norm,
    pareto,
    t,
    uniform,
)
from .discrete import bernoulli, binom, geom, poisson
from .multivariate import dirichlet, multivariate_normal

__all__ = [
    "bernoulli",
    "beta",
    "binom",
    "cauchy",
    "chi2",
    "dirichlet",
    "expon",
    "gamma",
    "geom",
    "laplace",
    "logistic",
    "lognorm",
    "multivariate_normal",
    "norm",
    "pareto",
    "poisson",
    "t",
    "uniform",
]
