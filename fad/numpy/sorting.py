"""Sorting, searching in order, and counting labels.

Sorting is a gather along a constant order, so `sort`, `partition` and `sort_complex`
are differentiable everywhere; at ties the order that was taken decides. Orders and
positions themselves have zero derivative.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> second = lambda x: fnp.sort(x)[1]
>>> fad.grad(second)(np.array([3.0, 1.0, 2.0]))
array([0., 0., 1.])

Public names: `sort argsort partition argpartition sort_complex lexsort searchsorted
digitize bincount`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import ConcretizationTypeError
from ..core.trace import Tracer, aval_of, concrete_value
from ..ops import sorting as ops
from ..ops.infer_rules import normalize_axes
from ..ops.shape import reshape
from .axes import flip
from .convert import cast, operand
from .dispatch import implements
from .inquiry import shape
from .manipulation import ravel

__all__ = [
    "argpartition",
    "argsort",
    "bincount",
    "digitize",
    "lexsort",
    "partition",
    "searchsorted",
    "sort",
    "sort_complex",
]


def along(a: Any, axis: Any) -> tuple[Any, int]:
    """Return an operand, flattened if `axis` is None, and its axis.

    Raises:
        numpy.exceptions.AxisError: the axis is out of range, or the operand is 0-d.
    """
    x = operand(a)
    if axis is None:
        return reshape(x, shape=(aval_of(x).size,)), 0
    (found,) = normalize_axes(operator.index(axis), len(aval_of(x).shape))
    return x, found


def _kind(name: str, kind: Any, order: Any, stable: Any) -> Any:
    """Return the algorithm's name from the ways to ask for one."""
    if order is not None:
        raise ValueError(
            f"Cannot specify order when the array has no fields: {name} of a traced "
            "array sorts numbers; leave order out"
        )
    if stable is None:
        return kind
    if kind is not None:
        raise ValueError(
            "`kind` and `stable` parameters can't be provided at the same time. Use "
            "only one of them."
        )
    return "stable" if stable else None


@implements(np.sort)
def _ascending(
    a: Any,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
) -> Any:
    kind = _kind("sort", kind, order, stable)
    x, axis = along(a, axis)
    return ops.sort(x, axis, kind)


def sort(
    a: Any,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
    descending: bool = False,
) -> Any:
    """Return a sorted copy; the derivative is carried to where elements came from.

    `descending` is of the Array API standard, not of NumPy.
    """
    found = _ascending(a, axis, kind, order, stable=stable)
    return flip(found, -1 if axis is None else axis) if descending else found


@implements(np.argsort)
def _order(
    a: Any,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
) -> Any:
    kind = _kind("argsort", kind, order, stable)
    x, axis = along_or_one(a, axis)
    return ops.argsort(x, axis=axis, kind=kind)


def argsort(
    a: Any,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
    descending: bool = False,
) -> Any:
    """Return the indices that sort along an axis; the derivative is zero.

    `descending` is of the Array API standard, not of NumPy. Equal elements keep their
    order then, whatever `kind` is.
    """
    if not descending:
        return _order(a, axis, kind, order, stable=stable)
    x = ravel(a) if axis is None or shape(a) == () else a
    axis = -1 if axis is None else axis
    found = flip(_order(flip(x, axis), axis, order=order, stable=True), axis)
    return shape(found)[axis] - 1 - found


def along_or_one(a: Any, axis: Any) -> tuple[Any, int]:
    """Do as `along`, and take a 0-d operand for an array of one element."""
    x = operand(a)
    return along(reshape(x, shape=(1,)) if aval_of(x).shape == () else x, axis)


def _ranks(kth: Any) -> Any:
    """Return kth as a hashable parameter: an int or a tuple of them."""
    if np.ndim(kth):
        return tuple([operator.index(k) for k in np.ravel(kth)])
    return operator.index(kth)


@implements(np.partition)
def partition(
    a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> Any:
    """Return a copy whose `kth` elements stand where sorting would put them."""
    _kind("partition", None, order, None)
    x, axis = along(a, axis)
    return ops.partition(x, _ranks(kth), axis)


@implements(np.argpartition)
def argpartition(
    a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> Any:
    """Return the indices that partition along an axis; the derivative is zero."""
    _kind("argpartition", None, order, None)
    x, axis = along_or_one(a, axis)
    return ops.argpartition(x, kth=_ranks(kth), axis=axis)


@implements(np.sort_complex)
def sort_complex(a: Any) -> Any:
    """Sort along the last axis by real, then by imaginary part, as complex numbers."""
    x, axis = along(a, -1)
    x = ops.sort(x, axis)
    dtype = aval_of(x).dtype
    if dtype.kind == "c":
        return x
    small = dtype.char in "bhBH"  # NumPy has complex64 for these
    return cast(x, np.complex64 if small else np.result_type(dtype, np.complex128))


@implements(np.lexsort)
def lexsort(keys: Any, axis: Any = -1) -> Any:
    """Return the indices that sort by several keys, the last one first."""
    parts = list(keys) if isinstance(keys, (tuple, list)) else _rows(operand(keys))
    parts = [operand(k) for k in parts]
    (axis,) = normalize_axes(operator.index(axis), len(aval_of(parts[0]).shape) or 1)
    return ops.lexsort(*parts, axis=axis)


def _rows(x: Any) -> list[Any]:
    return [x[i] for i in range(aval_of(x).shape[0])]


@implements(np.searchsorted)
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """Return where values belong in a sorted table; the derivative is zero."""
    sorter = () if sorter is None else (operand(sorter),)
    return ops.searchsorted(operand(a), operand(v), *sorter, side=side)


@implements(np.digitize)
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """Return the number of the bin each value falls into; the derivative is zero."""
    return ops.digitize(operand(x), operand(bins), right=bool(right))


@implements(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    """Count labels, or add up the weights by label; differentiable in the weights.

    The length of the result depends on the labels, so they have to be known: under
    `vmap` and `jit` they cannot be traced.

    >>> import fad, fad.numpy as fnp
    >>> import numpy as np
    >>> labels = np.array([0, 2, 2])
    >>> _, back = fad.vjp(lambda w: fnp.bincount(labels, w), np.ones(3))
    >>> back(np.array([10.0, 20.0, 30.0]))[0]
    array([10., 30., 30.])
    """
    labels = known("bincount", operand(x))
    if weights is None:
        return np.bincount(labels, None, minlength)
    w = operand(weights)
    w = cast(w, np.float64) if aval_of(w).dtype != np.float64 else w
    counts = np.bincount(labels, None, minlength)  # checks the labels
    if labels.shape != aval_of(w).shape:
        raise ValueError("The weights and list don't have the same length.")
    return ops.bincount(labels, w, length=counts.size)


def known(name: str, value: Any) -> Any:
    """Return the plain array behind a value, which must be known while tracing.

    Raises:
        ConcretizationTypeError: it is not: it is traced by vmap or jit.
    """
    plain = concrete_value(value)
    if plain is None:
        raise ConcretizationTypeError(
            f"{name}: the shape of the result depends on values that are not known "
            f"while tracing under {value.owner.name}: {aval_of(value)!r}. Call it "
            "outside of the transformed function, or keep shapes fixed with fnp.where "
            "and masks."
        )
    return np.asarray(plain)


def _in_place(function: Callable[..., Any]) -> Callable[..., None]:
    """Make the method that writes what `function` returns back into the array."""

    def method(self: Tracer, *args: Any, **kwargs: Any) -> None:
        self[...] = function(self, *args, **kwargs)

    method.__name__ = function.__name__
    method.__doc__ = f"Do `{function.__name__}` in place."
    return method


def _install() -> None:
    for method in (argsort, argpartition, searchsorted):
        setattr(Tracer, method.__name__, method)
    for function in (sort, partition):
        setattr(Tracer, function.__name__, _in_place(function))


_install()
