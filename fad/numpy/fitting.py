"""Polynomials fitted by least squares, and linear interpolation.

Public names: `polyfit interp`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core.trace import aval_of, concrete_value
from ..ops import comparison
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem
from ..ops.shape import concatenate
from .convert import cast, operand
from .dispatch import implements
from .polynomials import vander

__all__ = ["interp", "polyfit"]


@implements(np.polyfit)
def polyfit(
    x: Any,
    y: Any,
    deg: Any,
    rcond: float | None = None,
    full: bool = False,
    w: Any = None,
    cov: Any = False,
) -> Any:
    """Fit a polynomial of degree `deg` by least squares.

    Differentiable in the points, the values and the weights. The scaled Vandermonde
    matrix and its solution are as in NumPy.
    """
    order = int(deg) + 1
    x, y = operand(x) + 0.0, operand(y) + 0.0
    _check_points(aval_of(x).shape, aval_of(y).shape, int(deg))
    if rcond is None:
        rcond = aval_of(x).shape[0] * float(np.finfo(aval_of(x).dtype).eps)
    lhs, rhs = vander(x, order), y
    if w is not None:
        w = operand(w) + 0.0
        if aval_of(w).shape != aval_of(y).shape[:1]:
            raise TypeError("expected a 1-d array of weights, one for every point")
        lhs = lhs * w[:, None]
        rhs = rhs * (w[:, None] if aval_of(rhs).ndim == 2 else w)
    scale = np.sqrt((lhs * lhs).sum(axis=0))
    lhs = lhs / scale
    c, residuals, rank, singular = np.linalg.lstsq(lhs, rhs, rcond)
    c = (c.T / scale).T
    if not full and concrete_value(rank) not in (order, None):
        warnings.warn(
            "Polyfit may be poorly conditioned",
            np.exceptions.RankWarning,
            stacklevel=3,
        )
    if full:
        return c, residuals, rank, singular, rcond
    if cov:
        return c, _covariance(lhs, scale, residuals, aval_of(y).ndim, cov)
    return c


def _check_points(x: tuple[int, ...], y: tuple[int, ...], deg: int) -> None:
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if len(x) != 1:
        raise TypeError("expected 1D vector for x")
    if x[0] == 0:
        raise TypeError("expected non-empty vector for x")
    if not 1 <= len(y) <= 2:
        raise TypeError("expected 1D or 2D array for y")
    if x[0] != y[0]:
        raise TypeError("expected x and y to have same length")


def _covariance(lhs: Any, scale: Any, residuals: Any, rank: int, cov: Any) -> Any:
    base = np.linalg.inv(lhs.T @ lhs) / (scale[:, None] * scale)
    if isinstance(cov, str) and cov == "unscaled":
        factor: Any = 1
    else:
        points, order = aval_of(lhs).shape
        if points <= order:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance "
                "matrix"
            )
        factor = residuals / (points - order)
    return base * factor if rank == 1 else base[:, :, None] * factor


@implements(np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """Interpolate linearly between the points (xp, fp), where `xp` increases.

    Differentiable in all of x, xp, fp, left, right and period. At a knot the derivative
    in x is the slope to its right, at the last knot to its left; outside it is zero.

    >>> import fad, fad.numpy as fnp
    >>> fad.grad(lambda t: fnp.interp(t, [0.0, 1.0, 3.0], [0.0, 5.0, 6.0]))(2.0)
    np.float64(0.5)
    """
    fp = operand(fp)
    wide = np.complex128 if aval_of(fp).dtype.kind == "c" else np.float64
    x, xp = cast(operand(x), np.float64), cast(operand(xp), np.float64)
    fp = cast(fp, wide)
    if aval_of(xp).ndim != 1 or aval_of(fp).ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if aval_of(xp).shape != aval_of(fp).shape:
        raise ValueError("fp and xp are not of the same length.")
    if aval_of(xp).shape == (0,):
        raise ValueError("array of sample points is empty")
    if period is not None:
        x, xp, fp = _unrolled(x, xp, fp, period)
        left = right = None
    inside = _between(x, xp, fp)
    left = fp[0] if left is None else cast(operand(left), wide)
    right = fp[-1] if right is None else cast(operand(right), wide)
    beyond = comparison.where(comparison.gt(x, xp[-1]), right, inside)
    return comparison.where(comparison.lt(x, xp[0]), left, beyond)


def _unrolled(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    """Sort the points of one period and repeat one of them on either side."""
    period = abs(operand(period))
    value = concrete_value(period)
    if value is not None and value == 0:
        raise ValueError("period must be a non-zero value")
    x, xp = x % period, xp % period
    order = np.argsort(xp)
    xp, fp = _take(xp, order), _take(fp, order)
    xp = concatenate(xp[-1:] - period, xp, xp[0:1] + period, axis=0)
    return x, xp, concatenate(fp[-1:], fp, fp[0:1], axis=0)


def _between(x: Any, xp: Any, fp: Any) -> Any:
    """Return the value on the segment that holds x, as NumPy computes it."""
    last = aval_of(xp).shape[0] - 1
    if last == 0:
        return fp[0]
    before = np.searchsorted(xp, x, side="right") - 1
    knot = np.minimum(np.maximum(before, 0), last)
    segment = np.minimum(knot, last - 1)
    width = _take(xp, segment + 1) - _take(xp, segment)
    rise = _take(fp, segment + 1) - _take(fp, segment)
    # two equal knots at the end make a jump of width 0 on which x can only be its end
    slope = rise / comparison.where(comparison.eq(width, 0), 1.0, width)
    return slope * (x - _take(xp, knot)) + _take(fp, knot)


def _take(values: Any, index: Any) -> Any:
    return getitem(values, index, index=(ARRAY,))
