"""Arrays from values: `array` and its kin, and arrays in the likeness of others.

`array` takes nested sequences with tracers in them, which NumPy itself cannot. The
`*_like` functions of a traced array return a traced array of derivative zero, so that
traced values can be written into it, `out = zeros_like(x); out[0] = x[0] ** 2`. Those
that read no array (`zeros`, `eye` and so on) are NumPy's own.

Public names: `array asarray asanyarray ascontiguousarray asfortranarray
asarray_chkfinite require astype zeros_like ones_like empty_like full_like full
fromiter fromfunction`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of, concrete_value
from ..ops import arithmetic, comparison
from ..ops.creation import zeros_like as traced_zeros
from ..ops.shape import broadcast_to, reshape
from .convert import array_from, cast, operand
from .dispatch import implements
from .plain_calls import all_plain, holds_tracer

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "empty_like",
    "fromfunction",
    "fromiter",
    "full",
    "full_like",
    "ones_like",
    "require",
    "zeros_like",
]


def check_device(device: Any) -> None:
    """Refuse devices other than the one there is.

    Raises:
        ValueError: `device` is neither None nor "cpu".
    """
    if device not in (None, "cpu"):
        raise ValueError(
            f'Device not understood. Only "cpu" is allowed, but received: {device}'
        )


def _settled(x: Tracer, dtype: Any, copy: bool | None) -> Any:
    """Return a tracer that is not weak, with `dtype` if given, copied if need be."""
    aval = x.aval
    wanted = aval.dtype if dtype is None else np.dtype(dtype)
    if aval.dtype != wanted or aval.weak:
        if copy is False:
            raise ValueError(
                "Unable to avoid copy while creating an array as requested: "
                f"{aval!r} has to be converted to {wanted}"
            )
        return arithmetic.convert(x, dtype=wanted)
    return arithmetic.copy(x) if copy else x


@implements(np.array)
def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 64,
    like: Any = None,
) -> Any:
    """Make an array of numbers, arrays and tracers, nested in lists and tuples.

    >>> import fad, fad.numpy as fnp
    >>> fad.jacobian(lambda x: fnp.array([[x, 2.0], [1.0, x * x]]))(3.0)
    array([[1., 0.],
           [0., 6.]])
    """
    if not holds_tracer((object,)):
        return np.array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin)
    if not isinstance(object, Tracer):
        if copy is False:
            raise ValueError(
                "Unable to avoid copy while creating an array as requested: the "
                "array is made of parts"
            )
        object, copy = array_from(object), None
    out = _settled(object, dtype, copy)
    shape = out.shape
    if len(shape) < ndmin:
        out = reshape(out, shape=(1,) * (ndmin - len(shape)) + shape)
    return out


@implements(np.asarray)
def asarray(
    a: Any,
    dtype: Any = None,
    order: Any = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    like: Any = None,
) -> Any:
    """Make an array; a traced one is returned as it is."""
    check_device(device)
    return array(a, dtype, copy=copy)


@implements(np.asanyarray)
def asanyarray(
    a: Any,
    dtype: Any = None,
    order: Any = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    like: Any = None,
) -> Any:
    """Make an array; a traced one is returned as it is."""
    check_device(device)
    return array(a, dtype, copy=copy, subok=True)


@implements(np.ascontiguousarray)
def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """Make an array of at least one axis; memory order is not traced."""
    return array(a, dtype, copy=None, ndmin=1)


@implements(np.asfortranarray)
def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """Make an array of at least one axis; memory order is not traced."""
    return array(a, dtype, copy=None, ndmin=1)


@implements(np.require)
def require(
    a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None
) -> Any:
    """Make an array; a traced one meets every requirement on memory."""
    return array(a, dtype, copy=None)


@implements(np.asarray_chkfinite)
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """Make an array, and refuse infinities and nan in it.

    Raises:
        ValueError: an element is infinite or nan.
        TypeError: the values are not known while tracing.
    """
    out = array(a, dtype, copy=None)
    value = concrete_value(out)
    if value is None:
        raise TypeError(
            f"asarray_chkfinite needs the values of {out.aval!r}, which are not known "
            f"while tracing under {out.owner.name}; check the argument before"
        )
    np.asarray_chkfinite(value)
    return out


@implements(np.astype)
def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """Convert to a dtype; of complex values the real part is kept."""
    check_device(device)
    if not isinstance(x, (Tracer, np.ndarray)):
        raise TypeError(
            "Input should be a NumPy array. It is of type " + type(x).__name__
        )
    return array(x, dtype, copy=copy or None)


def _like(prototype: Any, dtype: Any, shape: Any, device: Any) -> Any:
    check_device(device)
    prototype = operand(prototype)
    aval = aval_of(prototype)
    wanted = aval.dtype if dtype is None else np.dtype(dtype)
    if shape is None:
        shape = aval.shape
    elif isinstance(shape, (tuple, list)):
        shape = tuple(operator.index(n) for n in shape)
    else:
        shape = (operator.index(shape),)
    return traced_zeros(prototype, shape=shape, dtype=wanted)


@implements(np.zeros_like)
def zeros_like(
    a: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return zeros in the likeness of `a`; traced if `a` is, with derivative zero.

    >>> import fad, fad.numpy as fnp
    >>> def f(x):
    ...     out = fnp.zeros_like(x)
    ...     out[0] = x[0] ** 2
    ...     return fnp.sum(out)
    >>> fad.grad(f)(fnp.array([3.0, 4.0]))
    array([6., 0.])
    """
    return _like(a, dtype, shape, device)


@implements(np.empty_like)
def empty_like(
    prototype: Any,
    /,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return an array in the likeness of `prototype`; a traced one holds zeros."""
    return _like(prototype, dtype, shape, device)


@implements(np.ones_like)
def ones_like(
    a: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return ones in the likeness of `a`; traced if `a` is, with derivative zero."""
    out = _like(a, dtype, shape, device)
    return _filled(out, 1)


@implements(np.full_like)
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return `fill_value` in the likeness of `a`, differentiable in the value."""
    return _filled(_like(a, dtype, shape, device), fill_value)


def _filled(base: Any, value: Any) -> Any:
    """Return `value` in the place of the zeros `base`, traced if one of them is."""
    aval = aval_of(base)
    value = operand(value)
    if isinstance(value, Tracer):
        value = cast(value, aval.dtype)
    else:
        value = np.asarray(value).astype(aval.dtype)[()]
    if value.shape:
        value = broadcast_to(value, shape=aval.shape)
    if aval.dtype.kind == "b":
        return comparison.logical_or(value, base)
    return arithmetic.sub(value, base)  # keeps the sign of -0.0, as + does not


@implements(np.full)
def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return an array filled with a value, differentiable in it."""
    check_device(device)
    if not holds_tracer((fill_value,)):
        return np.full(shape, fill_value, dtype, order)
    out = array(fill_value, dtype, copy=None)
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    target = tuple(operator.index(n) for n in sizes)
    return arithmetic.copy(broadcast_to(out, shape=target))


def fromiter(
    iter: Iterable[Any], dtype: Any, count: int = -1, *, like: Any = None
) -> Any:
    """Make a one-dimensional array of what an iterable yields, numbers or tracers.

    >>> import fad, fad.numpy as fnp
    >>> fad.grad(lambda x: fnp.sum(fnp.fromiter((x**k for k in range(3)), float)))(2.0)
    np.float64(5.0)
    """
    values = list(iter)
    if all_plain(values) or not holds_tracer(values):
        return np.fromiter(values, dtype, count)
    if count >= 0:
        if len(values) < count:
            raise ValueError(
                f"iterator too short: Expected {count} but iterator had only "
                f"{len(values)} items."
            )
        values = values[:count]
    return array(values, dtype)


@implements(np.fromfunction)
def fromfunction(
    function: Callable[..., Any],
    shape: Any,
    *,
    dtype: Any = float,
    like: Any = None,
    **kwargs: Any,
) -> Any:
    """Call a function on the index arrays of a shape."""
    return function(*np.indices(shape, dtype=dtype), **kwargs)
