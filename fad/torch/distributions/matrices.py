"""Distributions of matrices.

Public names: `LKJCholesky`, `Wishart`.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .. import linalg
from ..declare import functions
from ..modes import no_grad
from ..size import Size
from . import constraints
from .distribution import Distribution, ExponentialFamily, broadcast
from .gamma_family import Beta, Chi2
from .multivariate_normal import factor_of, given_matrix, half_log_det

__all__ = ["LKJCholesky", "Wishart"]


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices (Lewandowski, Kurowicka & Joe 2009).

    Args:
        dim: the size of the matrices.
        concentration: the greater, the nearer to the identity.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(
        self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise ValueError(
                "Expected dim to be an integer greater than or equal to 2. Found "
                f"dim={dim}."
            )
        self.dim = dim
        (self.concentration,) = broadcast(concentration)
        offset = functions["arange"](dim - 1, dtype=self.concentration.dtype)
        offset = functions["cat"]([offset.new_zeros((1,)), offset])
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        shape = self.concentration.shape
        super().__init__(shape, (dim, dim), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        found = self._expanded(batch_shape, "concentration")
        found._beta = self._beta.expand((*batch_shape, self.dim))
        return found

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw samples row by row: a length, and a direction."""
        with no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            shape = self._extended_shape(sample_shape)
            u = functions["randn"](shape, dtype=y.dtype).tril(-1)
            u = u / u.norm(dim=-1, keepdim=True)
            u[..., 0, :].fill_(0.0)
            w = y.sqrt() * u
            rest = 1 - (w**2).sum(-1)
            tiny = float(np.finfo(w.aval.dtype).tiny)
            return w + rest.clamp(min=tiny).sqrt().diag_embed()

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        n, a = self.dim, self.concentration
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = functions["arange"](2, n + 1)
        order = 2 * (a - 1).unsqueeze(-1) + n - order
        found = (order * diagonal.log()).sum(-1)
        top = a + 0.5 * (n - 1)
        norm = 0.5 * (n - 1) * math.log(math.pi) - top.lgamma() * (n - 1)
        return found - norm - functions["mvlgamma"](top - 0.5, n - 1)


class Wishart(ExponentialFamily):
    """The distribution of sums of squares of normal vectors.

    Args:
        df: the degrees of freedom, more than the size less 1.
        covariance_matrix, precision_matrix, scale_tril: one of them, of the vectors.
    """

    arg_constraints = {
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
        "df": constraints.greater_than(0),
    }
    support = constraints.positive_definite
    has_rsample = True

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = given_matrix(
            covariance_matrix, scale_tril, precision_matrix, AssertionError
        )
        if matrix.ndim < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading "
                "batch dimensions"
            )
        n = matrix.shape[-1]
        df = df if hasattr(df, "aval") else functions["tensor"](df, dtype=matrix.dtype)
        batch = Size(np.broadcast_shapes(df.shape, matrix.shape[:-2]))
        self.df = df.expand(batch)
        if (self.df <= n - 1).any():
            raise ValueError(
                f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}."
            )
        self.__dict__[name] = matrix.expand((*batch, -1, -1))
        self.arg_constraints = {
            **type(self).arg_constraints,
            "df": constraints.greater_than(n - 1),
        }
        super().__init__(batch, (n, n), validate_args=validate_args)
        if (self.df < n).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur "
                "for ndim - 1 < df < ndim.",
                UserWarning,
                stacklevel=2,
            )
        self._factor = factor_of(name, matrix)
        steps = functions["arange"](n, dtype=matrix.dtype)
        self._chi2 = Chi2(self.df.unsqueeze(-1) - steps.expand((*batch, -1)))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        shape, n = Size(batch_shape), self._event_shape[0]
        names = ("covariance_matrix", "scale_tril", "precision_matrix")
        known = {k: self.__dict__[k] for k in names if k in self.__dict__}
        wide = {k: v.expand((*shape, n, n)) for k, v in known.items()}
        chi2 = self._chi2.expand((*shape, n))
        return self._copied(shape, df=self.df.expand(shape), _chi2=chi2, **wide)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if "_factor" in own:
            factor = own["_factor"]
            shape = self._batch_shape + self._event_shape
            if name == "scale_tril":
                return factor.expand(shape)
            if name == "covariance_matrix":
                return (factor @ factor.mT).expand(shape)
            if name == "precision_matrix":
                return functions["cholesky_inverse"](factor).expand(shape)
        raise AttributeError(f"'Wishart' object has no attribute '{name}'")

    def _df(self) -> Any:
        return self.df.view((*self._batch_shape, 1, 1))

    @property
    def mean(self) -> Any:
        return self._df() * self.covariance_matrix

    @property
    def mode(self) -> Any:
        factor = self.df - self._event_shape[0] - 1
        factor = factor.masked_fill(factor <= 0, math.nan)
        return factor.view((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        v = self.covariance_matrix
        d = v.diagonal(dim1=-2, dim2=-1)
        return self._df() * (v.pow(2) + d.unsqueeze(-1) * d.unsqueeze(-2))

    def rsample(self, sample_shape: Any = (), max_try_correction: Any = None) -> Any:
        """Draw samples by Bartlett's decomposition.

        As PyTorch's, it draws samples again that pass the check of the support, and
        warns; the stream of random numbers is the same only so.
        """
        found = self._bartlett(sample_shape)
        again = self._over_batch(self.support.check(found))
        for _ in range(max_try_correction or 10):
            if not again.any():
                break
            warnings.warn("Singular sample detected.", stacklevel=2)
            new = self._bartlett(again[again].shape)
            found[again] = new
            rest = again.clone()
            rest[again] = self._over_batch(self.support.check(new).logical_not())
            again = rest
        return found

    def _over_batch(self, checked: Any) -> Any:
        """Tell for each sample whether something holds anywhere in the batch."""
        rank = len(self._batch_shape)
        return checked.amax(tuple(range(-rank, 0))) if rank else checked

    def _bartlett(self, sample_shape: Any) -> Any:
        n = self._event_shape[0]
        noise = self._chi2.rsample(sample_shape).sqrt().diag_embed()
        rows, columns = np.tril_indices(n, -1)
        shape = (*sample_shape, *self._batch_shape, n * (n - 1) // 2)
        below = functions["randn"](shape, dtype=noise.dtype)
        noise[..., rows.tolist(), columns.tolist()] = below
        factor = self._factor @ noise
        return factor @ factor.mT

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        df, n, factor = self.df, self._event_shape[0], self._factor
        norm = df * (n * math.log(2) / 2 + half_log_det(factor))
        norm = norm + functions["mvlgamma"](df / 2, n)
        log_det = linalg.slogdet(value).logabsdet
        inside = functions["cholesky_solve"](value, factor)
        trace = inside.diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return -norm + (df - n - 1) / 2 * log_det - trace / 2

    def entropy(self) -> Any:
        df, n, factor = self.df, self._event_shape[0], self._factor
        steps = functions["arange"](n, dtype=df.dtype)
        digammas = ((df.unsqueeze(-1) - steps) / 2).digamma().sum(-1)
        found = (n + 1) * (n * math.log(2) / 2 + half_log_det(factor))
        found = found + functions["mvlgamma"](df / 2, n)
        return found - (df - n - 1) / 2 * digammas + df * n / 2
