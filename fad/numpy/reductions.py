"""Sums, products, extrema and logic over axes.

At ties `max` and `min` share the cotangent evenly; `prod` is exact where elements are
zero. Both hold in forward and reverse mode and at every order.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> fad.grad(fnp.max)(np.array([4.0, 9.0, 9.0, 1.0]))
array([0. , 0.5, 0.5, 0. ])
>>> fad.grad(fnp.prod)(np.array([2.0, 0.0, 3.0]))
array([0., 6., 0.])

Public names: `sum prod max min amax amin ptp all any argmax argmin count_nonzero`, and
for the modules beside it `over given masked extremum position`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops import reductions as ops
from ..ops.comparison import ne
from ..ops.comparison import where as select
from ..ops.infer_rules import normalize_axes
from ..ops.shape import broadcast_to, reshape, stack
from .convert import cast, no_out, operand
from .dispatch import implements

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "min",
    "prod",
    "ptp",
    "sum",
]

_NoValue: Any = np._NoValue


def given(value: Any) -> Any:
    """Return an optional argument, None where NumPy's "no value" stands for it."""
    return None if value is _NoValue else value


def over(prim: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """Reduce `x` over `axis` (None: all), keeping the axes at size 1 if asked to."""
    shape = aval_of(x).shape
    axes = normalize_axes(axis, len(shape))
    out = prim(x, axis=axes)
    if given(keepdims):
        return reshape(out, shape=ops.keep_axes(shape, axes))
    return out


def masked(x: Any, mask: Any, fill: Any) -> Any:
    """Return `x` with `fill` where the argument `where` of a reduction is False."""
    if given(mask) is None or mask is True:
        return x
    aval = aval_of(x)
    return select(operand(mask), x, np.asarray(fill, aval.dtype)[()])


@implements(np.sum)
def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> Any:
    """Sum elements over axes.

    >>> import fad, fad.numpy as fnp
    >>> import numpy as np
    >>> fad.grad(lambda x: fnp.sum(x, where=x > 1.0))(np.array([1.0, 2.0, 3.0]))
    array([0., 1., 1.])
    """
    no_out("sum", out)
    x = masked(cast(operand(a), dtype), where, 0)
    total = over(ops.reduce_sum, x, axis, keepdims)
    total = cast(total, dtype)
    if given(initial) is not None:
        total = total + cast(operand(initial), aval_of(total).dtype)
    return total


@implements(np.prod)
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> Any:
    """Multiply elements over axes; exact where elements are zero, at every order.

    >>> import fad, fad.numpy as fnp
    >>> import numpy as np
    >>> fad.hessian(fnp.prod)(np.array([2.0, 0.0, 0.0]))
    array([[0., 0., 0.],
           [0., 0., 2.],
           [0., 2., 0.]])
    """
    no_out("prod", out)
    x = masked(cast(operand(a), dtype), where, 1)
    total = over(ops.reduce_prod, x, axis, keepdims)
    total = cast(total, dtype)
    if given(initial) is not None:
        total = total * cast(operand(initial), aval_of(total).dtype)
    return total


def extremum(
    prim: Any, a: Any, axis: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    """Return the largest or smallest elements, among them `initial` if it is given."""
    x = operand(a)
    aval = aval_of(x)
    if given(initial) is None:
        if given(where) is None or where is True:
            return over(prim, x, axis, keepdims)
        raise ValueError(
            f"reduction operation '{prim.ufunc.__name__}' does not have an identity, "
            "so to use a where mask one has to specify 'initial'"
        )
    axes = normalize_axes(axis, len(aval.shape))
    kept = ops.keep_axes if given(keepdims) else ops.drop_axes
    start = operand(initial)
    start = cast(start, aval.dtype)
    start = broadcast_to(start, shape=kept(aval.shape, axes))
    if 0 in [aval.shape[a] for a in axes]:
        return start
    if aval.dtype.kind == "c":
        x = masked(x, where, initial)
    else:
        x = masked(x, where, _least(prim, aval.dtype))
    found = over(prim, x, axes, keepdims)
    return prim(stack([found, start]), axis=(0,))


def _least(prim: Any, dtype: np.dtype[Any]) -> Any:
    """Return the element of a dtype that no other one loses against."""
    largest = prim.ufunc in (np.minimum, np.fmin)
    if dtype.kind in "iu":
        return np.iinfo(dtype).max if largest else np.iinfo(dtype).min
    if dtype.kind == "b":
        return largest
    return np.inf if largest else -np.inf


@implements(np.max)
def max(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> Any:
    """Return the largest elements over axes; ties share the cotangent evenly."""
    no_out("max", out)
    return extremum(ops.reduce_max, a, axis, keepdims, initial, where)


@implements(np.min)
def min(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> Any:
    """Return the smallest elements over axes; ties share the cotangent evenly."""
    no_out("min", out)
    return extremum(ops.reduce_min, a, axis, keepdims, initial, where)


@implements(np.amax)
def amax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> Any:
    """Return the largest elements over axes: another name of `max`."""
    return max(a, axis, out, keepdims, initial, where)


@implements(np.amin)
def amin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> Any:
    """Return the smallest elements over axes: another name of `min`."""
    return min(a, axis, out, keepdims, initial, where)


@implements(np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NoValue) -> Any:
    """Return the range, max - min, over axes."""
    no_out("ptp", out)
    return max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims)


@implements(np.all)
def all(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
) -> Any:
    """Test whether all elements over axes are true; the derivative is zero."""
    no_out("all", out)
    x = masked(_truth(a), where, True)
    return over(ops.reduce_and, x, axis, keepdims)


@implements(np.any)
def any(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
) -> Any:
    """Test whether any element over axes is true; the derivative is zero."""
    no_out("any", out)
    x = masked(_truth(a), where, False)
    return over(ops.reduce_or, x, axis, keepdims)


def _truth(a: Any) -> Any:
    x = operand(a)
    return x if aval_of(x).dtype.kind == "b" else ne(x, 0)


@implements(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Count the elements that are not zero; the derivative is zero."""
    return over(ops.reduce_sum, _truth(a), axis, keepdims)


def position(prim: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """Return `prim`'s index along an axis, into the flattened input if it is None."""
    shape = aval_of(x).shape
    if axis is None:
        flat = reshape(x, shape=(aval_of(x).size,))
        found = prim(flat, axis=0)
        return reshape(found, shape=(1,) * len(shape)) if given(keepdims) else found
    axes = normalize_axes(operator.index(axis), len(shape) or 1)
    found = prim(x, axis=axes[0] if shape else None)
    if given(keepdims):
        return reshape(found, shape=ops.keep_axes(shape, axes))
    return found


@implements(np.argmax)
def argmax(
    a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = _NoValue
) -> Any:
    """Return where the (first) largest element stands; the derivative is zero."""
    no_out("argmax", out)
    return position(ops.argmax, operand(a), axis, keepdims)


@implements(np.argmin)
def argmin(
    a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = _NoValue
) -> Any:
    """Return where the (first) smallest element stands; the derivative is zero."""
    no_out("argmin", out)
    return position(ops.argmin, operand(a), axis, keepdims)


def _install() -> None:
    for method in (sum, prod, max, min, all, any, argmax, argmin):
        setattr(Tracer, method.__name__, method)


_install()
