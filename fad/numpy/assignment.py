"""Item access and in-place assignment on tracers, with NumPy's meaning.

`x[i] = v` and `x += v` change the array, as in NumPy: everyone who holds it, or a view
of it, sees the new values. Memory is never written; the tracer is given a new value
(see `fad.core.views`), so a derivative of what was computed before is not disturbed.
What decides whether `+=` changes an array or makes a new one is what NumPy would hold:
arrays change, scalars (results of shape ()) are made anew.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> def f(x):
...     y = 2.0 * x
...     first = y[:1]
...     y[0] = 5.0 * x[0]
...     first += y[1]
...     return fnp.sum(y)
>>> fad.grad(f)(np.ones(3))
array([5., 4., 2.])

Public names: none; importing the module installs them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of, concrete_value, staging_trace
from ..core.views import View, is_array
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem
from ..ops.inplace import check_writable, overwrite
from .convert import cast
from .index_keys import fit, parse, read, written

__all__: list[str] = []


def get(self: Tracer, key: Any) -> Any:
    """Return the elements at an index; a view where NumPy returns a view."""
    if key.__class__ is int or key.__class__ is slice:
        if staging_trace() is None:
            return self.owner.process(getitem, (self,), {"index": (key,)})
        return getitem(self, index=(key,))
    if key.__class__ is np.ndarray and key.dtype.kind in "iu":
        return getitem(self, key, index=(ARRAY,))
    return read(self, key)


def iterate(self: Tracer) -> Iterator[Any]:
    """Iterate over the first axis; rows are views."""
    if not self.shape:
        raise TypeError("iteration over a 0-d array")
    return (getitem(self, index=(i,)) for i in range(self.shape[0]))


def put(self: Tracer, key: Any, value: Any) -> None:
    """Write `value` at an index, seen by all that share the array."""
    if not is_array(self):
        raise TypeError(
            f"{_scalar_name(self)!r} object does not support item assignment"
        )
    if _is_at(value, self, key):
        return
    check_writable(self)
    if key is Ellipsis or (
        key.__class__ is slice and key == slice(None) and self.shape
    ):
        aval = aval_of(self)
        overwrite(self, fit(value, aval.shape, aval.dtype))
    else:
        overwrite(self, written(self, key, value))


def _is_at(value: Any, target: Tracer, key: Any) -> bool:
    """Tell whether a value is the view of the target at that index already.

    Python ends `x[i] += v`, which has changed the view `x[i]` and so x, with the
    assignment `x[i] = x[i]`.
    """
    if not (isinstance(value, View) and value.base is target and value.prim is getitem):
        return False
    return value.params["index"] == parse(key, aval_of(target).shape).index


def _scalar_name(x: Tracer) -> str:
    value = concrete_value(x)
    return f"numpy.{x.dtype}" if value is None else type(value).__name__


def _in_place(name: str, apply: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return the method of an operator such as `+=`."""
    native = getattr(operator, f"i{name}")

    def method(self: Tracer, other: Any) -> Any:
        if not is_array(self):
            return NotImplemented  # Python then makes a new value
        check_writable(self)
        result = apply(self, other)
        aval, found = aval_of(self), aval_of(result)
        if found.shape != aval.shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {aval.shape} doesn't "
                f"match the broadcast shape {found.shape}"
            )
        if not np.can_cast(found.dtype, aval.dtype, "same_kind"):
            native(np.ones(1, aval.dtype), np.ones(1, found.dtype))  # raises
        overwrite(self, cast(result, aval.dtype))
        return self

    return method


_OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "matmul": operator.matmul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}


def _install() -> None:
    Tracer.__getitem__ = get  # type: ignore[attr-defined]
    Tracer.__setitem__ = put  # type: ignore[attr-defined]
    Tracer.__iter__ = iterate  # type: ignore[attr-defined]
    for name, apply in _OPERATORS.items():
        setattr(Tracer, f"__i{name}__", _in_place(name, apply))


_install()
