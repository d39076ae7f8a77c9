"""Functional updates: `x.at[index].set(value)` returns a new array, `x` is untouched.

    x.at[i].get()          x[i]
    x.at[i].set(v)         x with x[i] = v
    x.at[i].add(v)         x with x[i] += v      subtract likewise
    x.at[i].multiply(v)    x with x[i] *= v      divide, power likewise
    x.at[i].min(v)         x with x[i] = minimum(x[i], v)    max likewise
    x.at[i].apply(f)       x with x[i] = f(x[i])

Where the index selects an element several times, all updates take effect, unlike in
`x[i] += v`; of several values that are set, the last stays. Values are cast to the
dtype of x if NumPy's in-place operators would. An index out of range raises IndexError.

Traced values have the attribute `at`; `fnp.at(x)` does the same for plain arrays too.

>>> import fad.numpy as fnp
>>> import numpy as np
>>> fnp.at(np.zeros(3))[[0, 0, 2]].add(1.0)
array([2., 0., 1.])

Public names: `at`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops.arithmetic import mul
from ..ops.indexing import region
from ..ops.piecewise import maximum, minimum
from ..ops.scatter_reduce import scatter_reduce
from .convert import operand
from .index_keys import added, fit, parse, positions, read, written

__all__ = ["at"]


class Indexed:
    """An array and an index: what `x.at[index]` returns."""

    __slots__ = ("array", "key")

    def __init__(self, array: Any, key: Any) -> None:
        self.array = array
        self.key = key

    def get(self) -> Any:
        """Return the selected elements."""
        return read(self.array, self.key)

    def set(self, values: Any) -> Any:
        """Return the array with `values` written."""
        return written(self.array, self.key, values)

    def add(self, values: Any) -> Any:
        """Return the array with `values` added."""
        return added(self.array, self.key, self._checked("add", values))

    def subtract(self, values: Any) -> Any:
        """Return the array with `values` subtracted."""
        values = self._checked("subtract", values)
        return added(self.array, self.key, operator.neg(_number(values)))

    def multiply(self, values: Any) -> Any:
        """Return the array with elements multiplied by `values`."""
        return self._reduced("multiply", values, operator.mul, mul)

    mul = multiply

    def divide(self, values: Any) -> Any:
        """Return the array with elements divided by `values`."""
        return self._reduced("divide", values, operator.truediv, mul)

    def power(self, values: Any) -> Any:
        """Return the array with elements raised to `values`."""
        return self._reduced("power", values, operator.pow, mul)

    def min(self, values: Any) -> Any:
        """Return the array with elements replaced by smaller `values`."""
        return self._reduced("minimum", values, minimum, minimum)

    def max(self, values: Any) -> Any:
        """Return the array with elements replaced by larger `values`."""
        return self._reduced("maximum", values, maximum, maximum)

    def apply(self, function: Callable[[Any], Any]) -> Any:
        """Return the array with `function` of the selected elements written there.

        An element that is selected several times is replaced once.
        """
        return self.set(function(self.get()))

    def _checked(self, ufunc: str, values: Any) -> Any:
        """Return values if NumPy's ufunc may store its result in the array."""
        values = operand(values)
        dtype = aval_of(self.array).dtype
        example = np.ones(1, dtype)
        found = getattr(np, ufunc)(example, _example(values)).dtype
        if not np.can_cast(found, dtype, "same_kind"):
            raise TypeError(
                f"Cannot cast ufunc '{ufunc}' output from {found!r} to {dtype!r} with "
                "casting rule 'same_kind': convert the array first, x.astype(...)"
            )
        return values

    def _reduced(self, ufunc: str, values: Any, apply: Any, combine: Any) -> Any:
        """Return the array with `apply(x[index], values)` written, all of them."""
        values = self._checked(ufunc, values)
        found = parse(self.key, aval_of(self.array).shape)
        if found.unique:
            return self.set(apply(self.get(), values))
        index, ids, _, _, _ = positions(found)
        aval = aval_of(self.array)
        values = fit(values, region(aval.shape, index, ids), aval.dtype)
        return scatter_reduce(self.array, values, ids, index, combine, apply)


def _example(values: Any) -> Any:
    aval = aval_of(values)
    one = np.ones(1, aval.dtype)
    return one[0].item() if aval.weak else one


def _number(values: Any) -> Any:
    return values if isinstance(values, Tracer) else np.asarray(values)


class At:
    """What `x.at` returns: index it."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Indexed:
        return Indexed(self.array, key)


def at(x: Any) -> At:
    """Return what updates `x` functionally when it is indexed, see `fad.numpy.updates`.

    >>> import fad.numpy as fnp
    >>> import numpy as np
    >>> fnp.at(np.arange(3.0))[1:].set(7.0)
    array([0., 7., 7.])
    """
    return At(operand(x))


Tracer.at = property(At)  # type: ignore[attr-defined]
