"""Questions about arrays that do not depend on their values, and texts of arrays.

Public names: `shape ndim size result_type can_cast common_type min_scalar_type
iscomplexobj isrealobj isscalar iterable isfortran may_share_memory shares_memory
array_repr array_str array2string`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of, concrete_value
from ..core.views import root_of
from .convert import operand
from .dispatch import implements

__all__ = [
    "array2string",
    "array_repr",
    "array_str",
    "can_cast",
    "common_type",
    "iscomplexobj",
    "isfortran",
    "isrealobj",
    "isscalar",
    "iterable",
    "may_share_memory",
    "min_scalar_type",
    "ndim",
    "result_type",
    "shape",
    "shares_memory",
    "size",
]


@implements(np.shape)
def shape(a: Any) -> tuple[int, ...]:
    """Return the sizes of the axes."""
    return tuple(aval_of(operand(a)).shape)


@implements(np.ndim)
def ndim(a: Any) -> int:
    """Return the number of axes."""
    return aval_of(operand(a)).ndim


@implements(np.size)
def size(a: Any, axis: Any = None) -> int:
    """Return the number of elements, in all or along axes."""
    sizes = aval_of(operand(a)).shape
    if axis is None:
        return aval_of(operand(a)).size
    axes = axis if isinstance(axis, tuple) else (axis,)
    total = 1
    for i in axes:
        i = operator.index(i)
        if not -len(sizes) <= i < len(sizes):
            raise np.exceptions.AxisError(i, len(sizes))
        total *= sizes[i]
    return total


@implements(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the dtype that NumPy's promotion gives."""
    return np.result_type(*[_stand_in(v) for v in arrays_and_dtypes])


def _stand_in(value: Any) -> Any:
    """Return a plain value that promotes as a tracer does."""
    if not isinstance(value, Tracer):
        return value
    aval = value.aval
    return np.zeros((), aval.dtype)[()].item() if aval.weak else aval.dtype


@implements(np.can_cast)
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """Tell whether a cast is allowed."""
    source = from_.dtype if isinstance(from_, Tracer) else from_
    return np.can_cast(source, to, casting)


@implements(np.common_type)
def common_type(*arrays: Any) -> Any:
    """Return the inexact scalar type that all arrays fit into."""
    return np.common_type(*[np.empty(0, aval_of(operand(a)).dtype) for a in arrays])


@implements(np.min_scalar_type)
def min_scalar_type(a: Any, /) -> np.dtype[Any]:
    """Return the dtype of an array, or the smallest that holds a known scalar."""
    if not isinstance(a, Tracer):
        return np.min_scalar_type(a)
    value = concrete_value(a)
    return a.dtype if a.ndim or value is None else np.min_scalar_type(value)


@implements(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    """Tell whether the dtype is complex."""
    return aval_of(operand(x)).dtype.kind == "c"


@implements(np.isrealobj)
def isrealobj(x: Any) -> bool:
    """Tell whether the dtype is not complex."""
    return not iscomplexobj(x)


@implements(np.isscalar)
def isscalar(element: Any) -> bool:
    """Tell whether a value is a number; a tracer of shape () stands for one."""
    if isinstance(element, Tracer):
        return element.shape == ()
    return np.isscalar(element)


@implements(np.iterable)
def iterable(y: Any) -> bool:
    """Tell whether a value can be iterated over."""
    return y.ndim > 0 if isinstance(y, Tracer) else np.iterable(y)


@implements(np.isfortran)
def isfortran(a: Any) -> bool:
    """Tell whether an array is in Fortran order only; memory order is not traced."""
    return False if isinstance(a, Tracer) else np.isfortran(a)


@implements(np.may_share_memory)
def may_share_memory(a: Any, b: Any, /, max_work: Any = 0) -> bool:
    """Tell whether two arrays may be views of the same memory."""
    return _one_root(a, b) or _values_share(np.may_share_memory, a, b, max_work)


@implements(np.shares_memory)
def shares_memory(a: Any, b: Any, /, max_work: Any = -1) -> bool:
    """Tell whether two arrays are views of the same memory.

    Where values are not known while tracing, views of one array count as sharing.
    """
    if concrete_value(a) is None or concrete_value(b) is None:
        return _one_root(a, b)
    return _values_share(np.shares_memory, a, b, max_work)


def _one_root(a: Any, b: Any) -> bool:
    if not (isinstance(a, Tracer) and isinstance(b, Tracer)):
        return False
    return root_of(a)[0] is root_of(b)[0]


def _values_share(function: Any, a: Any, b: Any, max_work: Any) -> bool:
    a, b = concrete_value(a), concrete_value(b)
    return a is not None and b is not None and function(a, b, max_work)


def _shown(a: Any) -> Any:
    """Return the value to print, or None where it is not known."""
    return np.asarray(concrete_value(a)) if concrete_value(a) is not None else None


@implements(np.array_repr)
def array_repr(
    arr: Any,
    max_line_width: Any = None,
    precision: Any = None,
    suppress_small: Any = None,
) -> str:
    """Return the `repr` of a tracer, with the options applied to its value."""
    value = _shown(arr)
    if not isinstance(arr, Tracer) or value is None:
        return repr(arr)
    text = np.array_repr(value, max_line_width, precision, suppress_small)
    return f"Tracer<{arr.aval!r}, {arr.owner.name}, value={text}>"


@implements(np.array_str)
def array_str(
    a: Any,
    max_line_width: Any = None,
    precision: Any = None,
    suppress_small: Any = None,
) -> str:
    """Return the known value as text, or the `repr` of an abstract tracer."""
    value = _shown(a)
    if value is None:
        return repr(a)
    return np.array_str(value, max_line_width, precision, suppress_small)


@implements(np.array2string)
def array2string(
    a: Any,
    max_line_width: Any = None,
    precision: Any = None,
    suppress_small: Any = None,
    separator: str = " ",
    prefix: str = "",
    *,
    formatter: Any = None,
    threshold: Any = None,
    edgeitems: Any = None,
    sign: Any = None,
    floatmode: Any = None,
    suffix: str = "",
    legacy: Any = None,
) -> str:
    """Return the known value as text, or the `repr` of an abstract tracer."""
    value = _shown(a)
    if value is None:
        return repr(a)
    return np.array2string(
        value, max_line_width, precision, suppress_small, separator, prefix,
        formatter=formatter, threshold=threshold, edgeitems=edgeitems, sign=sign,
        floatmode=floatmode, suffix=suffix, legacy=legacy,
    )  # fmt: skip
