"""Averages and spread.

The standard deviation of equal values has a gradient of zero, as PyTorch has it: `std`
has a minimum there. Complex input has a real variance, the mean of |x - mean|^2.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> fad.grad(fnp.std)(np.array([2.0, 2.0]))
array([0., 0.])

Public names: `mean var std average`, and for the modules beside it `aligned
chosen_ddof counted root squared widened`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of, concrete_value
from ..ops.arithmetic import convert, imag, real, square
from ..ops.comparison import eq
from ..ops.comparison import where as select
from ..ops.elementary import sqrt
from ..ops.infer_rules import normalize_axes
from ..ops.reductions import reduce_sum
from ..ops.shape import broadcast_to, reshape, transpose
from .convert import cast, no_out, operand, result_dtype
from .dispatch import implements
from .reductions import given, masked, over

__all__ = ["average", "mean", "std", "var"]

_NoValue: Any = np._NoValue


def widened(x: Any, dtype: Any) -> Any:
    """Cast to `dtype`, or integers and booleans to float64, as means are taken."""
    if dtype is None and aval_of(x).dtype.kind in "iub":
        dtype = np.float64
    return cast(x, dtype)


def counted(x: Any, axis: Any, keepdims: Any, where: Any) -> Any:
    """Return how many elements make each result: an int, or integers by result."""
    shape = aval_of(x).shape
    if given(where) is None or where is True:
        count = 1
        for a in normalize_axes(axis, len(shape)):
            count *= shape[a]
        return count
    mask = broadcast_to(operand(where), shape=shape)
    return over(reduce_sum, mask, axis, keepdims)


def _divided(total: Any, count: Any) -> Any:
    """Return total / count in the dtype of `total`."""
    if isinstance(count, int):
        return total / count
    dtype = np.empty(0, aval_of(total).dtype).real.dtype
    return total / convert(count, dtype=dtype)


@implements(np.mean)
def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
) -> Any:
    """Average elements over axes; float16 is summed in float32, as in NumPy."""
    no_out("mean", out)
    x = operand(a)
    half = dtype is None and aval_of(x).dtype == np.float16
    x = widened(x, np.float32 if half else dtype)
    total = over(reduce_sum, masked(x, where, 0), axis, keepdims)
    result = _divided(total, counted(x, axis, keepdims, where))
    return cast(result, np.float16 if half else dtype)


def chosen_ddof(ddof: Any, correction: Any) -> Any:
    """Return the one given of `ddof` and its newer name `correction`."""
    if given(correction) is None:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


@implements(np.var)
def var(
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
    """Return the variance over axes: the mean squared distance from the mean."""
    no_out("var", out)
    ddof = chosen_ddof(ddof, correction)
    x = widened(operand(a), dtype)
    count = counted(x, axis, keepdims, where)
    center = given(mean)
    if center is None:
        total = over(reduce_sum, masked(x, where, 0), axis, True)
        center = _divided(total, counted(x, axis, True, where))
    distance = masked(x - operand(center), where, 0)
    total = over(reduce_sum, squared(distance), axis, keepdims)
    return _divided(total, _freedom(count, ddof))


def squared(x: Any) -> Any:
    """Return |x|^2, which is real."""
    if aval_of(x).dtype.kind != "c":
        return square(x)
    return square(real(x)) + square(imag(x))


def _freedom(count: Any, ddof: Any) -> Any:
    """Return count - ddof, at least 0; warn as NumPy does where that is 0."""
    if isinstance(count, int):
        if ddof >= count:
            warnings.warn(
                "Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=4
            )
            return 0
        return count - ddof
    return select(count > ddof, count - ddof, 0)


@implements(np.std)
def std(
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
    """Return the standard deviation over axes; its gradient is 0 where it is 0."""
    no_out("std", out)
    v = var(
        a, axis, dtype, None, ddof, keepdims,
        where=where, mean=mean, correction=correction,
    )  # fmt: skip
    return root(v)


def root(v: Any) -> Any:
    """Return the square root, constant where v is 0."""
    dtype = aval_of(v).dtype
    zero = eq(v, 0)
    safe = select(zero, dtype.type(1), v)
    return select(zero, dtype.type(0), sqrt(safe))


@implements(np.average)
def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: Any = False,
    *,
    keepdims: Any = _NoValue,
) -> Any:
    """Return the weighted average over axes, differentiable in values and weights.

    >>> import fad, fad.numpy as fnp
    >>> import numpy as np
    >>> loss = lambda w: fnp.average(np.array([1.0, 3.0]), weights=w)
    >>> fad.grad(loss)(np.array([1.0, 1.0]))
    array([-0.5,  0.5])
    """
    x = operand(a)
    shape = aval_of(x).shape
    if weights is None:
        result = mean(x, axis, keepdims=keepdims)
        dtype, count = aval_of(result).dtype, counted(x, axis, keepdims, True)
        scale = dtype.type(count)
    else:
        w = aligned(operand(weights), shape, axis)
        dtype = result_dtype(x, w)
        if aval_of(x).dtype.kind in "iub":
            dtype = np.result_type(dtype, np.float64)
        scale = _total_weight(cast(w, dtype), axis, keepdims)
        products = cast(x, dtype) * cast(w, dtype)
        result = over(reduce_sum, products, axis, keepdims) / scale
    if not returned:
        return result
    return result, broadcast_to(scale, shape=aval_of(result).shape)


def aligned(w: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Return weights, given in full or for the axes only, so that they broadcast."""
    own = aval_of(w).shape
    if own == shape:
        return w
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = [axis] if not isinstance(axis, (tuple, list)) else list(axis)
    axes = [normalize_axes(a, len(shape))[0] for a in axes]
    if own != tuple(shape[a] for a in axes):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis: "
            f"weights have shape {own}, a has {shape}, the axes are {tuple(axes)}."
        )
    order = sorted(range(len(axes)), key=axes.__getitem__)
    kept = tuple(n if i in axes else 1 for i, n in enumerate(shape))
    return reshape(transpose(w, axes=tuple(order)), shape=kept)


def _total_weight(w: Any, axis: Any, keepdims: Any) -> Any:
    """Sum weights over the axes that they have, and refuse a total of zero."""
    scale = over(reduce_sum, w, axis, keepdims)
    known = concrete_value(scale)
    if known is not None and np.any(known == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return scale


def _install() -> None:
    for method in (mean, std, var):
        setattr(Tracer, method.__name__, method)


_install()
