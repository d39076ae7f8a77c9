"""Reductions that pass over nan; its derivative is 0 in all of them.

Slices that hold nothing else give nan, where NumPy does, with NumPy's warning; under
`vmap` and `jit`, where values are not known, without it.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> fad.grad(fnp.nanmean)(np.array([1.0, np.nan, 3.0]))
array([0.5, 0. , 0.5])

Public names: `nansum nanprod nanmax nanmin nanargmax nanargmin nanmean nanvar nanstd`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core.trace import aval_of, concrete_value
from ..ops import reductions as ops
from ..ops.arithmetic import convert
from ..ops.comparison import eq, isnan, logical_and, logical_not
from ..ops.comparison import where as select
from ..ops.shape import broadcast_to
from .convert import cast, no_out, operand
from .cumulative import without_nan
from .dispatch import implements
from .reductions import extremum, given, masked, over, position, prod, sum
from .statistics import chosen_ddof, mean, root, squared, var, widened

__all__ = [
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]

_NoValue: Any = np._NoValue


@implements(np.nansum)
def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> Any:
    """Sum elements over axes, nan as 0."""
    return sum(without_nan(operand(a), 0), axis, dtype, out, keepdims, initial, where)


@implements(np.nanprod)
def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> Any:
    """Multiply elements over axes, nan as 1."""
    return prod(without_nan(operand(a), 1), axis, dtype, out, keepdims, initial, where)


@implements(np.nanmax)
def nanmax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> Any:
    """Return the largest numbers over axes; ties share the cotangent evenly."""
    no_out("nanmax", out)
    found = extremum(ops.reduce_fmax, a, axis, keepdims, initial, where)
    return _warned(found, isnan(found), "All-NaN slice encountered")


@implements(np.nanmin)
def nanmin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> Any:
    """Return the smallest numbers over axes; ties share the cotangent evenly."""
    no_out("nanmin", out)
    found = extremum(ops.reduce_fmin, a, axis, keepdims, initial, where)
    return _warned(found, isnan(found), "All-NaN slice encountered")


def _warned(result: Any, bad: Any, message: str) -> Any:
    """Return `result`, with a warning if some of it is known to be bad."""
    plain = concrete_value(bad)
    if plain is not None and np.any(plain):
        warnings.warn(message, RuntimeWarning, stacklevel=4)
    return result


def _nan_position(prim: Any, fill: float, a: Any, axis: Any, keepdims: Any) -> Any:
    x = operand(a)
    if aval_of(x).dtype.kind in "fc":
        bad = concrete_value(over(ops.reduce_and, isnan(x), axis, False))
        if bad is not None and aval_of(x).size and np.any(bad):
            raise ValueError("All-NaN slice encountered")
        x = without_nan(x, fill)
    return position(prim, x, axis, keepdims)


@implements(np.nanargmax)
def nanargmax(
    a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = _NoValue
) -> Any:
    """Return where the first largest number stands; the derivative is zero."""
    no_out("nanargmax", out)
    return _nan_position(ops.argmax, -np.inf, a, axis, keepdims)


@implements(np.nanargmin)
def nanargmin(
    a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = _NoValue
) -> Any:
    """Return where the first smallest number stands; the derivative is zero."""
    no_out("nanargmin", out)
    return _nan_position(ops.argmin, np.inf, a, axis, keepdims)


@implements(np.nanmean)
def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
) -> Any:
    """Average what is not nan over axes."""
    x = operand(a)
    if aval_of(x).dtype.kind not in "fc":
        return mean(x, axis, dtype, out, keepdims, where=where)
    no_out("nanmean", out)
    numbers = _numbers(x, where)
    total = over(ops.reduce_sum, cast(_only(x, numbers), dtype), axis, keepdims)
    count = over(ops.reduce_sum, numbers, axis, keepdims)
    return _warned(_ratio(total, count), eq(count, 0), "Mean of empty slice")


def _numbers(x: Any, where: Any) -> Any:
    """Return the mask of what is averaged: no nans, and only where it was asked for."""
    numbers = logical_not(isnan(x))
    if given(where) is None or where is True:
        return numbers
    mask = broadcast_to(operand(where), shape=aval_of(x).shape)
    return logical_and(numbers, mask)


def _only(x: Any, mask: Any) -> Any:
    return masked(x, mask, 0)


def _ratio(total: Any, count: Any) -> Any:
    """Return total / count in the dtype of `total`, nan where the count is not > 0."""
    dtype = aval_of(total).dtype
    none = count <= 0
    safe = convert(select(none, 1, count), dtype=np.empty(0, dtype).real.dtype)
    return select(none, dtype.type(np.nan), total / safe)


@implements(np.nanvar)
def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
    mean: Any = _NoValue,
    correction: Any = _NoValue,
) -> Any:
    """Return the variance over axes of what is not nan."""
    x = operand(a)
    if aval_of(x).dtype.kind not in "fc":
        return var(
            x, axis, dtype, out, ddof, keepdims,
            where=where, mean=mean, correction=correction,
        )  # fmt: skip
    no_out("nanvar", out)
    x = widened(x, dtype)
    numbers = _numbers(x, where)
    center = given(mean)
    if center is None:
        total = over(ops.reduce_sum, _only(x, numbers), axis, True)
        center = _ratio(total, over(ops.reduce_sum, numbers, axis, True))
    distance = _only(x - operand(center), numbers)
    total = over(ops.reduce_sum, squared(distance), axis, keepdims)
    count = over(ops.reduce_sum, numbers, axis, keepdims)
    freedom = count - chosen_ddof(ddof, correction)
    message = "Degrees of freedom <= 0 for slice."
    return _warned(_ratio(total, freedom), freedom <= 0, message)


@implements(np.nanstd)
def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
    mean: Any = _NoValue,
    correction: Any = _NoValue,
) -> Any:
    """Return the standard deviation over axes of what is not nan."""
    return root(
        nanvar(
            a,
            axis,
            dtype,
            out,
            ddof,
            keepdims,
            where=where,
            mean=mean,
            correction=correction,
        )  # fmt: skip
    )
