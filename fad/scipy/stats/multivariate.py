"""Distributions of vectors: `multivariate_normal` and `dirichlet`.

The gradient with respect to a covariance is that of its symmetric part.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.trace import aval_of
from ...numpy import linalg
from ...ops.comparison import ge, le, logical_and, where
from ...ops.elementary import exp, log
from ...ops.entropies import xlogy
from ...ops.gamma_functions import gammaln
from ...ops.matrix_equations import solve_triangular
from ...ops.piecewise import abs_
from ...ops.reductions import reduce_and, reduce_sum
from ...ops.shape import broadcast_to, concatenate, diagonal, expand_dims, reshape
from ..arguments import inexact, numbers

__all__ = ["dirichlet", "multivariate_normal"]


class MultivariateNormal:
    """The normal distribution of vectors."""

    def __repr__(self) -> str:
        return "<distribution multivariate_normal(x, mean, cov)>"

    def logpdf(
        self, x: Any, mean: Any = None, cov: Any = 1.0, allow_singular: bool = False
    ) -> Any:
        """Return the logarithm of the density.

        Args:
            x: points of shape (..., n), or (...,) for n = 1.
            mean: of shape (n,); zeros if None.
            cov: a positive definite matrix (n, n), or variances (n,), or one variance.
                It and the mean tell what n is: 1 if both are scalars.
            allow_singular: must be False.
        """
        if allow_singular:
            raise NotImplementedError(
                "multivariate_normal: a singular covariance has no density to "
                "differentiate; add a small multiple of the identity to it"
            )
        x, mean, cov, n = _shaped(x, mean, cov)
        factor = linalg.cholesky(cov)
        away = x - mean
        columns = reshape(away, shape=(aval_of(away).size // n if n else 0, n))
        white = solve_triangular(factor, linalg.matrix_transpose(columns), lower=True)
        distance = reduce_sum(white * white, axis=(0,))
        distance = reshape(distance, shape=aval_of(away).shape[:-1])
        return (distance + n * math.log(2 * math.pi)) * -0.5 - _log_root_det(factor)

    def pdf(self, x: Any, mean: Any = None, cov: Any = 1.0) -> Any:
        """Return the density, with the arguments of `logpdf`."""
        return exp(self.logpdf(x, mean, cov))

    def entropy(self, mean: Any = None, cov: Any = 1.0) -> Any:
        """Return the differential entropy."""
        _, _, cov, n = _shaped(0.0 if mean is None else mean, mean, cov)
        constant = 0.5 * n * (1 + math.log(2 * math.pi))
        return _log_root_det(linalg.cholesky(cov)) + constant


def _log_root_det(factor: Any) -> Any:
    return reduce_sum(log(diagonal(factor, offset=0, axis1=0, axis2=1)), axis=(0,))


def _shaped(x: Any, mean: Any, cov: Any) -> tuple[Any, Any, Any, int]:
    """Return x (..., n), mean (n,), cov (n, n) and n.

    Raises:
        ValueError: the shapes do not match.
    """
    x, mean, cov = numbers(x, 0.0 if mean is None else mean, cov)
    shapes = [aval_of(v).shape for v in (x, mean, cov)]
    n = max([*shapes[1][-1:], *shapes[2][-1:], 1])
    if shapes[1] not in ((), (n,)) or shapes[2] not in ((), (n,), (n, n)):
        raise ValueError(
            "multivariate_normal needs a mean (n,) and a covariance (n, n), got shapes "
            f"{shapes[1]} and {shapes[2]}"
        )
    if shapes[2] != (n, n):
        cov = expand_dims(broadcast_to(cov, shape=(n,)), 0) * np.eye(n)
    if not shapes[0] or (n == 1 and shapes[0][-1] != 1):
        x = reshape(x, shape=(*shapes[0], 1))
    if aval_of(x).shape[-1] != n:
        raise ValueError(f"multivariate_normal: x of shape {shapes[0]} for n = {n}")
    return x, broadcast_to(mean, shape=(n,)), cov, n


class Dirichlet:
    """The Dirichlet distribution on the simplex."""

    def __repr__(self) -> str:
        return "<distribution dirichlet(x, alpha)>"

    def logpdf(self, x: Any, alpha: Any) -> Any:
        """Return the logarithm of the density, -inf off the simplex.

        Args:
            x: points of shape (n, ...), or (n - 1, ...) without the last coordinate.
            alpha: concentrations (n,).

        Raises:
            ValueError: the shapes do not match.
        """
        x, alpha = inexact(x), inexact(alpha)
        (n,), shape = aval_of(alpha).shape, aval_of(x).shape
        if not shape or shape[0] not in (n, n - 1):
            raise ValueError(
                f"dirichlet: x of shape {shape} for {n} concentrations; its first axis "
                f"has {n} or {n - 1} entries"
            )
        if shape[0] == n - 1:
            rest = 1 - reduce_sum(x, axis=(0,))
            x = concatenate(x, expand_dims(rest, 0), axis=0)
        column = reshape(alpha, shape=(n, *(1,) * (len(shape) - 1)))
        scale = gammaln(reduce_sum(alpha, axis=(0,))) - reduce_sum(
            gammaln(alpha), axis=(0,)
        )
        inside = logical_and(
            reduce_and(ge(x, 0), axis=(0,)),
            le(abs_(reduce_sum(x, axis=(0,)) - 1), 1e-9 + _slack(x)),
        )
        safe = where(inside, x, 1 / n)
        return where(
            inside, reduce_sum(xlogy(column - 1, safe), axis=(0,)) + scale, -np.inf
        )

    def pdf(self, x: Any, alpha: Any) -> Any:
        """Return the density, with the arguments of `logpdf`."""
        return exp(self.logpdf(x, alpha))


def _slack(x: Any) -> float:
    return 10 * float(np.finfo(aval_of(x).dtype).eps)


multivariate_normal = MultivariateNormal()
dirichlet = Dirichlet()
