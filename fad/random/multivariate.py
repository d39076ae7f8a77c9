"""Random vectors and matrices: `multivariate_normal`, `orthogonal`.

A normal vector is mean + L z with L L^T = cov, so it is differentiable in both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..numpy import linalg
from ..numpy.convert import cast, operand
from ..ops.comparison import where
from ..ops.contraction import matmul
from ..ops.elementary import sqrt
from ..ops.infer_rules import broadcast_shapes
from ..ops.shape import diagonal, expand_dims, reshape
from ..ops.stacks import scale_columns
from .keys import shape_of
from .uniforms import float_dtype, normal

__all__ = ["multivariate_normal", "orthogonal"]

METHODS = ("cholesky", "eigh", "svd")


def multivariate_normal(
    key: Any,
    mean: Any,
    cov: Any,
    shape: Any = None,
    dtype: Any = None,
    method: str = "cholesky",
) -> Any:
    """Return normal vectors, differentiable in mean and covariance.

    Args:
        key: one key.
        mean: of shape (..., n).
        cov: symmetric matrices (..., n, n).
        shape: of the batch, to which the leading axes of mean and cov broadcast; the
            result has the shape (*shape, n).
        dtype: float32 or float64; None for that of the mean and cov.
        method: "cholesky", for positive definite matrices; "eigh" or "svd", for
            semidefinite ones too.

    >>> from fad import random
    >>> random.multivariate_normal(random.key(0), np.zeros(2), np.eye(2)).shape
    (2,)
    """
    mean, cov = operand(mean), operand(cov)
    if method not in METHODS:
        raise ValueError(
            f"multivariate_normal: method is one of {METHODS}, not {method}"
        )
    m, c = aval_of(mean), aval_of(cov)
    if len(m.shape) < 1 or c.shape[-2:] != m.shape[-1:] * 2:
        raise ValueError(
            "multivariate_normal needs a mean (..., n) and a covariance (..., n, n), "
            f"got {m!r} and {c!r}"
        )
    dtype = np.result_type(m.dtype, c.dtype, np.float32) if dtype is None else dtype
    dtype = float_dtype("multivariate_normal", dtype)
    batch = broadcast_shapes("multivariate_normal", m.shape[:-1], c.shape[:-2])
    wanted = batch if shape is None else shape_of("multivariate_normal", shape)
    if broadcast_shapes("multivariate_normal", wanted, batch) != wanted:
        raise ValueError(
            f"multivariate_normal: parameters of batch shape {batch} do not broadcast "
            f"to the shape {wanted}"
        )
    factor = _factor(cast(cov, dtype), method)
    z = normal(key, (*wanted, *m.shape[-1:]), dtype)
    moved = matmul(factor, expand_dims(z, len(wanted) + 1))
    return cast(mean, dtype) + reshape(moved, shape=aval_of(z).shape)


def _factor(cov: Any, method: str) -> Any:
    """Return L with L L^T = cov."""
    if method == "cholesky":
        return linalg.cholesky(cov)
    if method == "svd":
        u, s, _ = linalg.svd(cov)
        return scale_columns(u, sqrt(s))
    values, vectors = linalg.eigh(cov)
    return scale_columns(vectors, sqrt(where(values > 0, values, 0)))


def orthogonal(
    key: Any, n: int, shape: Any = (), dtype: Any = float, m: int | None = None
) -> Any:
    """Return orthogonal matrices, uniform over the group (Mezzadri, 2007).

    Args:
        key: one key.
        n: the number of rows.
        shape: of the batch; the result has the shape (*shape, n, m).
        dtype: float32 or float64, or complex for unitary matrices.
        m: the number of columns, n if None. The shorter side is orthonormal.
    """
    shape = shape_of("orthogonal", shape)
    m = n if m is None else m
    rows, columns = max(n, m), min(n, m)
    z = normal(key, (*shape, rows, columns), dtype)
    q, r = linalg.qr(z)
    rank = len(shape)
    d = diagonal(r, offset=0, axis1=rank, axis2=rank + 1)
    q = scale_columns(q, d / abs(d))
    return q if n >= m else linalg.matrix_transpose(q)
