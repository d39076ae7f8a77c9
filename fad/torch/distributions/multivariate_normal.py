"""Normal distributions of vectors.

Public names: `MultivariateNormal`, `LowRankMultivariateNormal`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import linalg
from ..declare import functions
from ..size import Size
from . import constraints
from .distribution import Distribution

__all__ = [
    "LowRankMultivariateNormal",
    "MultivariateNormal",
    "factor_of",
    "given_matrix",
    "half_log_det",
    "mahalanobis",
]


def mahalanobis(factor: Any, x: Any) -> Any:
    """Return x' M^-1 x for every vector, where M = L L' and `factor` is L."""
    column = linalg.solve_triangular(factor, x.unsqueeze(-1), upper=False)
    return column.squeeze(-1).pow(2).sum(-1)


def half_log_det(factor: Any) -> Any:
    """Return half the log of the determinant of M = L L'."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def given_matrix(
    covariance: Any,
    scale_tril: Any,
    precision: Any,
    error: type[Exception] = ValueError,
) -> tuple[str, Any]:
    """Return which of three matrices is given, and it; raise if it is not one."""
    given = {
        "covariance_matrix": covariance,
        "scale_tril": scale_tril,
        "precision_matrix": precision,
    }
    known = [(k, v) for k, v in given.items() if v is not None]
    if len(known) != 1:
        raise error(
            "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
            "specified."
        )
    return known[0]


class MultivariateNormal(Distribution):
    """The normal distribution of vectors.

    Args:
        loc: the mean.
        covariance_matrix, precision_matrix, scale_tril: one of them.

    >>> from fad import torch
    >>> d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
    >>> d.log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = given_matrix(covariance_matrix, scale_tril, precision_matrix)
        if matrix.ndim < 2:
            raise ValueError(
                f"{_SHOWN[name]} must be at least two-dimensional, with optional leading "
                "batch dimensions"
            )
        batch = Size(np.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1]))
        self.__dict__[name] = matrix.expand((*batch, -1, -1))
        self.loc = loc.expand((*batch, -1))
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = factor_of(name, matrix)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        shape, n = Size(batch_shape), self._event_shape[0]
        names = ("covariance_matrix", "scale_tril", "precision_matrix")
        parts = {
            k: self.__dict__[k].expand((*shape, n, n))
            for k in names
            if k in self.__dict__
        }
        return self._copied(shape, loc=self.loc.expand((*shape, n)), **parts)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if "_unbroadcasted_scale_tril" in own:
            factor, shape = own["_unbroadcasted_scale_tril"], self._square()
            if name == "scale_tril":
                return factor.expand(shape)
            if name == "covariance_matrix":
                return (factor @ factor.mT).expand(shape)
            if name == "precision_matrix":
                return functions["cholesky_inverse"](factor).expand(shape)
        raise AttributeError(
            f"'{type(self).__name__}' object has no attribute '{name}'"
        )

    def _square(self) -> Any:
        return self._batch_shape + self._event_shape + self._event_shape

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        eps = functions["randn"](shape, dtype=self.loc.dtype)
        turned = (self._unbroadcasted_scale_tril @ eps.unsqueeze(-1)).squeeze(-1)
        return self.loc + turned

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        factor = self._unbroadcasted_scale_tril
        distance = mahalanobis(factor, value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - half_log_det(factor)

    def entropy(self) -> Any:
        half = half_log_det(self._unbroadcasted_scale_tril)
        n = self._event_shape[0]
        found = 0.5 * n * (1.0 + math.log(2 * math.pi)) + half
        return found.expand(self._batch_shape) if self._batch_shape else found


_SHOWN = {
    "scale_tril": "scale_tril matrix",
    "covariance_matrix": "covariance_matrix",
    "precision_matrix": "precision_matrix",
}


def factor_of(name: str, matrix: Any) -> Any:
    """Return the Cholesky factor of a covariance, by one of three matrices."""
    if name == "scale_tril":
        return matrix
    if name == "covariance_matrix":
        return linalg.cholesky(matrix)
    flipped = linalg.cholesky(matrix.flip((-2, -1)))
    upper = flipped.flip((-2, -1)).mT
    eye = functions["eye"](matrix.shape[-1], dtype=matrix.dtype)
    return linalg.solve_triangular(upper, eye, upper=False)


class LowRankMultivariateNormal(Distribution):
    """A normal distribution whose covariance is W W' + D.

    Args:
        cov_factor: W, with few columns.
        cov_diag: the diagonal of D.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Any,
        cov_factor: Any,
        cov_diag: Any,
        validate_args: bool | None = None,
    ) -> None:
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        if cov_factor.ndim < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading "
                "batch dimensions"
            )
        n = loc.shape[-1:]
        if cov_factor.shape[-2:-1] != n:
            raise ValueError(
                f"cov_factor must be a batch of matrices with shape {n[0]} x m"
            )
        if cov_diag.shape[-1:] != n:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {n}")
        lead = np.broadcast_shapes(
            loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1]
        )
        self.loc = loc.expand((*lead, *n))
        self.cov_diag = cov_diag.expand((*lead, *n))
        self.cov_factor = cov_factor.expand((*lead, *cov_factor.shape[-2:]))
        self._unbroadcasted = cov_factor, cov_diag
        super().__init__(lead, n, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with a larger batch."""
        shape, n = Size(batch_shape), self._event_shape[0]
        return self._copied(
            shape,
            loc=self.loc.expand((*shape, n)),
            cov_diag=self.cov_diag.expand((*shape, n)),
            cov_factor=self.cov_factor.expand((*shape, *self.cov_factor.shape[-2:])),
        )

    def _capacitance(self) -> Any:
        """Return the Cholesky factor of I + W' D^-1 W."""
        w, d = self._unbroadcasted
        inner = (w.mT / d.unsqueeze(-2)) @ w
        eye = functions["eye"](inner.shape[-1], dtype=inner.dtype)
        return linalg.cholesky(inner + eye)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        w, d = self._unbroadcasted
        found = w.pow(2).sum(-1) + d
        return found.expand(self._batch_shape + self._event_shape)

    @property
    def covariance_matrix(self) -> Any:
        w, d = self._unbroadcasted
        found = w @ w.mT + d.diag_embed()
        return found.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def scale_tril(self) -> Any:
        return linalg.cholesky(self.covariance_matrix)

    @property
    def precision_matrix(self) -> Any:
        w, d = self._unbroadcasted
        turned = w.mT / d.unsqueeze(-2)
        half = linalg.solve_triangular(self._capacitance(), turned, upper=False)
        found = d.reciprocal().diag_embed() - half.mT @ half
        return found.expand(self._batch_shape + self._event_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        w, d = self._unbroadcasted
        columns = (*shape[:-1], self.cov_factor.shape[-1])
        eps_w = functions["randn"](columns, dtype=self.loc.dtype)
        eps_d = functions["randn"](shape, dtype=self.loc.dtype)
        turned = (w @ eps_w.unsqueeze(-1)).squeeze(-1)
        return self.loc + turned + d.sqrt() * eps_d

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        w, d = self._unbroadcasted
        gap, factor = value - self.loc, self._capacitance()
        inner = ((w.mT / d.unsqueeze(-2)) @ gap.unsqueeze(-1)).squeeze(-1)
        distance = (gap.pow(2) / d).sum(-1) - mahalanobis(factor, inner)
        log_det = 2 * half_log_det(factor) + d.log().sum(-1)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + log_det + distance)

    def entropy(self) -> Any:
        factor = self._capacitance()
        log_det = 2 * half_log_det(factor) + self._unbroadcasted[1].log().sum(-1)
        n = self._event_shape[0]
        found = 0.5 * (n * (1.0 + math.log(2 * math.pi)) + log_det)
        return found.expand(self._batch_shape) if self._batch_shape else found
