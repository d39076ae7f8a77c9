"""Orders: sort, topk, median, mode, quantiles; sets and counts.

Sorting is stable, so equal elements keep their order. Of a set of equal elements,
`topk`, `median` and `kthvalue` give their gradient to the one whose index they return.

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import numpy as fnp
from ..core.trace import aval_of
from ..ops import comparison, sorting
from ..ops.arithmetic import stop_gradient
from ..ops.indexing import slice_along, take_along_axis
from ..ops.reductions import reduce_max
from ..ops.shape import flip, ravel, reshape
from .conversion import known_values
from .declare import composite, function
from .dims import axis_of
from .ops_reduce import noted, without_axes
from .return_types import returned
from .tensor import Tensor

__all__: list[str] = []


def _order(x: Any, axis: int, descending: bool) -> Any:
    """Return the stable order; nans are greater than all numbers."""
    if not descending:
        return sorting.argsort(x, axis=axis, kind="stable")
    n = aval_of(x).shape[axis]
    back = sorting.argsort(flip(x, axis=(axis,)), axis=axis, kind="stable")
    return n - 1 - flip(back, axis=(axis,))


def _at_least_1d(fun: Any) -> Any:
    """Return a function along an axis that takes 0-dim values too."""

    def run(x: Any, *, axis: int, **params: Any) -> Any:
        if aval_of(x).shape:
            return fun(x, axis=axis, **params)
        out = fun(reshape(x, shape=(1,)), axis=0, **params)
        if isinstance(out, tuple):
            return tuple(reshape(o, shape=()) for o in out)
        return reshape(out, shape=())

    return run


def _sorted(x: Any, *, axis: int, descending: bool) -> tuple[Any, Any]:
    order = _order(x, axis, descending)
    return take_along_axis(x, order, axis=axis), order


_sort = composite("SortBackward0", _at_least_1d(_sorted))


@function("sort")
def sort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Any:
    """Return the values in order along a dimension, and where they were."""
    axis = axis_of(dim, input.ndim)
    pair = _sort(input, axis=axis, descending=descending)
    noted(pair[0], dim=dim)
    return returned("sort", *pair)


@function("argsort")
def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Tensor:
    """Return the order of the values along a dimension."""
    out: Tensor = sort(input, dim, descending)[1]
    return out


@function("msort")
def msort(input: Tensor) -> Tensor:
    """Return the values in order along the first dimension."""
    out: Tensor = sort(input, 0)[0]
    return out


def _largest(x: Any, *, axis: int, k: int, largest: bool) -> tuple[Any, Any]:
    order = slice_along(_order(x, axis, largest), 0, k, axis)
    return take_along_axis(x, order, axis=axis), order


_topk = composite("TopkBackward0", _at_least_1d(_largest))


@function("topk")
def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Any:
    """Return the k greatest (or least) values along a dimension, and where they are."""
    axis = axis_of(dim, input.ndim)
    if not 0 <= k <= (input.shape[axis] if input.ndim else 1):
        raise RuntimeError("selected index k out of range")
    pair = _topk(input, axis=axis, k=k, largest=largest)
    noted(pair[0], dim=dim)
    return returned("topk", *pair)


def _ranked(x: Any, *, axis: int, k: int, keepdim: bool) -> tuple[Any, Any]:
    at = slice_along(_order(x, axis, False), k, k + 1, axis)
    values = take_along_axis(x, at, axis=axis)
    return tuple(without_axes(v, (axis,), keepdim) for v in (values, at))  # type: ignore[return-value]


def _scalar_or(fun: Any) -> Any:
    def run(x: Any, *, axis: int, **params: Any) -> Any:
        if aval_of(x).shape:
            return fun(x, axis=axis, **params)
        params["keepdim"] = False
        return fun(reshape(x, shape=(1,)), axis=0, **params)

    return run


_kth = composite("KthvalueBackward0", _scalar_or(_ranked))


@function("kthvalue")
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the k-th smallest value along a dimension, and where it is."""
    axis = axis_of(dim, input.ndim)
    if not 1 <= k <= (input.shape[axis] if input.ndim else 1):
        raise RuntimeError(
            f"kthvalue(): selected number k out of range for dimension {axis}"
        )
    return returned("kthvalue", *_kth(input, axis=axis, k=k - 1, keepdim=keepdim))


def _is_nan(x: Any) -> Any:
    return comparison.ne(x, x)


def _median_at(x: Any, *, axis: int, keepdim: bool, numbers: bool) -> tuple[Any, Any]:
    """Take the lower middle element; a nan if there is one, or of the numbers alone."""
    n = aval_of(x).shape[axis]
    order = _order(x, axis, False)
    unknown = fnp.sum(_is_nan(x), axis=axis, keepdims=True)
    if numbers:
        rank = fnp.maximum(n - unknown - 1, 0) // 2
    else:
        rank = comparison.where(unknown > 0, n - unknown, (n - 1) // 2)
    at = take_along_axis(order, rank, axis=axis)
    values = take_along_axis(x, at, axis=axis)
    return tuple(without_axes(v, (axis,), keepdim) for v in (values, at))  # type: ignore[return-value]


def _median(name: str, numbers: bool) -> None:
    node = name.capitalize()
    along = composite(f"{node}Backward1", _scalar_or(_median_at))
    of_all = composite(f"{node}Backward0", lambda x: _shared_median(x, numbers))

    def call(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
        if dim is None:
            if not input.aval.size:
                return input.sum() * float("nan")  # type: ignore[attr-defined]
            return of_all(input)
        axis = axis_of(dim, input.ndim)
        if input.ndim and not input.shape[axis]:
            raise IndexError(
                f"median(): Expected reduction dim {axis} to have non-zero size."
            )
        return returned(
            name, *along(input, axis=axis, keepdim=keepdim, numbers=numbers)
        )

    call.__doc__ = f"Return the {name}, of two middle elements the lower one."
    function(name)(call)


def _shared_median(x: Any, numbers: bool) -> Any:
    """Return the median; elements equal to it share its gradient."""
    flat = ravel(x)
    found = _median_at(flat, axis=0, keepdim=False, numbers=numbers)[0]
    if aval_of(x).dtype.kind != "f":
        return found
    found = stop_gradient(found)
    same = comparison.logical_or(
        comparison.eq(flat, found),
        comparison.logical_and(_is_nan(flat), _is_nan(found)),
    )
    return reduce_max(comparison.where(same, flat, -np.inf), axis=(0,))


_median("median", False)
_median("nanmedian", True)


def _most_common(x: Any, *, axis: int, keepdim: bool) -> tuple[Any, Any]:
    """Return the smallest of the most frequent values, at its last place."""
    rows = np.moveaxis(np.asarray(known_values(x)), axis, -1)
    at = np.zeros(rows.shape[:-1], np.int64)
    for place in np.ndindex(at.shape):
        values, counts = np.unique(rows[place], return_counts=True)
        winner = values[np.argmax(counts)]
        at[place] = np.flatnonzero(rows[place] == winner)[-1]
    at = np.expand_dims(at, axis)
    values = take_along_axis(x, at, axis=axis)
    return tuple(without_axes(v, (axis,), keepdim) for v in (values, at))  # type: ignore[return-value]


_mode = composite("ModeBackward0", _scalar_or(_most_common))


@function("mode")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the most frequent value along a dimension, and a place where it is."""
    axis = axis_of(dim, input.ndim)
    return returned("mode", *_mode(input, axis=axis, keepdim=keepdim))


def _quantile(name: str) -> None:
    compute = getattr(fnp, name)

    def run(x: Any, q: Any, *, axis: Any, keepdim: bool, method: str) -> Any:
        return compute(x, q, axis=axis, keepdims=keepdim, method=method)

    apply = composite("SqueezeBackward4", run)

    def call(
        input: Tensor,
        q: Any,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        if input.aval.dtype.name not in ("float32", "float64"):
            raise RuntimeError(
                f"{name}() input tensor must be either float or double dtype"
            )
        if not isinstance(q, Tensor):
            q = np.asarray(q, input.aval.dtype)
            if not 0 <= q <= 1:
                raise RuntimeError(
                    f"{name}() q must be in the range [0, 1] but got {float(q):g}"
                )
        elif q.dtype is not input.dtype:
            raise RuntimeError(
                f"{name}() q tensor must be same dtype as the input tensor"
            )
        if interpolation not in _METHODS:
            raise RuntimeError(
                f"{name}() interpolation must be one of linear, lower, higher, "
                "midpoint "
                f"or nearest, but got {interpolation}"
            )
        if not input.aval.size:
            raise RuntimeError(f"{name}() input tensor must be non-empty")
        axis = None if dim is None else axis_of(dim, input.ndim)
        if not input.ndim:
            axis = None
        out: Tensor = apply(input, q, axis=axis, keepdim=keepdim, method=interpolation)
        return out

    call.__doc__ = f"Return the {name} of all elements, or along a dimension."
    function(name)(call)


_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")
_quantile("quantile")
_quantile("nanquantile")
