"""Histograms in several dimensions, and low-rank factorisations by random projections.

Public names: none; the functions are declared into `fad.torch`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .declare import function, functions
from .dims import axis_of
from .return_types import returned
from .tensor import Tensor, wrap

__all__: list[str] = []


@function("histogramdd", methods=False, out=False)
def histogramdd(
    input: Tensor,
    bins: Any,
    range: Any = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """Return how many points fall into each of the bins, and the bins' edges.

    Args:
        input: points, their coordinates in the last dimension.
        bins: a number, one for each coordinate, or the edges for each.
        range: the least and greatest of each coordinate, in one list.
    """
    n = input.shape[-1]
    points = input.value.reshape(-1, n)
    if isinstance(bins, int):
        bins = [bins] * n
    edges = [b.value if isinstance(b, Tensor) else b for b in bins]
    limits = None
    if range is not None:
        limits = [tuple(range[2 * i : 2 * i + 2]) for i in np.arange(n)]
    weights = None if weight is None else weight.value.reshape(-1)
    hist, found = np.histogramdd(points, edges, limits, density, weights)
    dtype = input.value.dtype
    return returned(
        "histogramdd",
        wrap(hist.astype(dtype)),
        tuple(wrap(e.astype(dtype)) for e in found),
    )


def _range_of(A: Any, q: int, steps: int, mean: Any) -> Any:
    """Return an orthonormal basis of nearly the range of a matrix."""
    from . import linalg

    A = A if mean is None else A - mean
    start = functions["randn"]((A.shape[-1], q), dtype=A.dtype)
    Q = linalg.qr(A @ start).Q
    for _ in np.arange(steps):
        Q = linalg.qr(A.mH @ Q).Q
        Q = linalg.qr(A @ Q).Q
    return Q


@function("svd_lowrank", methods=False, out=False)
def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> Any:
    """Return nearly the largest q singular values and vectors (Halko et al. 2009)."""
    from . import linalg

    q, steps = 6 if q is None else q, 2 if niter is None else niter
    B: Any = A if M is None else A - M  # type: ignore[operator]
    m, n = B.shape[-2:]
    if m < n:
        B = B.mH
    Q = _range_of(B, q, steps, None)
    U, S, Vh = linalg.svd(Q.mH @ B, full_matrices=False)
    U, V = Q @ U, Vh.mH
    return (V, S, U) if m < n else (U, S, V)


@function("pca_lowrank", methods=False, out=False)
def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> Any:
    """Return nearly the largest principal components of rows of a matrix.

    Raises:
        ValueError: there are not so many, or a negative number of steps is asked for.
    """
    m, n = A.shape[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n):
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)="
            f"{min(m, n)}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    x: Any = A
    if center:
        x = x - x.mean(axis_of(-2, A.ndim), keepdim=True)
    return svd_lowrank(x, q, niter)
