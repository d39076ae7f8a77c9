"""The methods of ufuncs on traced values: reduce, accumulate, reduceat, outer, at.

Where NumPy has a function of its own for a reduction (`sum` for `add.reduce`), the
implementation of that function serves. Any other ufunc is folded element by element
along the axis, as its definition says.

Public names: `reduce`, `accumulate`, `reduceat`, `outer`, `at`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.trace import aval_of
from ..ops.infer_rules import normalize_axes
from ..ops.shape import concatenate, expand_dims, index_along, move_axis, reshape
from .convert import cast, operand
from .dispatch import implementations

if TYPE_CHECKING:
    from .ufunc import Ufunc

__all__ = ["accumulate", "at", "outer", "reduce", "reduceat"]

_REDUCTIONS: dict[np.ufunc, Any] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
_ACCUMULATIONS: dict[np.ufunc, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}


def reduce(
    ufunc: Ufunc,
    x: Any,
    *,
    axis: Any,
    dtype: Any,
    keepdims: bool,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Any:
    """Return `ufunc.reduce(x, axis, ...)`."""
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ValueError("reduce only supported for binary functions")
    function = _REDUCTIONS.get(ufunc.ufunc)
    if function is not None:
        kwargs: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
        if dtype is not None and function not in (np.all, np.any):
            x = cast(x, dtype)
        if initial is not np._NoValue:
            kwargs["initial"] = initial
        if where is not True:
            kwargs["where"] = where
        return implementations[function](x, **kwargs)
    x = cast(x, dtype)
    axes = normalize_axes(axis, aval_of(x).ndim)
    if ufunc.ufunc is np.logaddexp and initial is np._NoValue:
        from .logistic import logsumexp

        return logsumexp(x, axis=axes, keepdims=keepdims, where=where)
    if where is not True:
        raise NotImplementedError(
            f"{ufunc.__name__}.reduce takes no where= for traced values; replace the "
            "elements to leave out with fnp.where(mask, x, neutral element)"
        )
    return _fold(ufunc, x, axes, keepdims, initial)


def _fold(ufunc: Ufunc, x: Any, axes: Any, keepdims: bool, initial: Any) -> Any:
    if len(axes) > 1 and ufunc.identity is None and initial is np._NoValue:
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most "
            "one axis may be specified"
        )
    shape = aval_of(x).shape
    x, n = _axes_to_front(x, axes)
    steps = [index_along(x, i, 0) for i in range(n)]
    if initial is not np._NoValue:
        steps.insert(0, initial)
    elif not steps:
        if ufunc.identity is None:
            raise ValueError(
                f"zero-size array to reduction operation {ufunc.__name__} which has "
                "no identity"
            )
        steps = [np.full(aval_of(x).shape[1:], ufunc.identity)]
    total = steps[0]
    for step in steps[1:]:
        total = ufunc.apply(total, step)
    if keepdims:
        kept = tuple([1 if i in axes else m for i, m in enumerate(shape)])
        return reshape(total, shape=kept)
    return total


def _axes_to_front(x: Any, axes: tuple[int, ...]) -> tuple[Any, int]:
    """Return `x` with `axes` joined into axis 0, and its size."""
    shape = aval_of(x).shape
    for target, a in enumerate(axes):
        x = move_axis(x, a, target)
    rest = tuple([m for i, m in enumerate(shape) if i not in axes])
    n = 1
    for a in axes:
        n *= shape[a]
    return reshape(x, shape=(n, *rest)), n


def accumulate(ufunc: Ufunc, x: Any, axis: int, dtype: Any) -> Any:
    """Return `ufunc.accumulate(x, axis, dtype)`."""
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ValueError("accumulate only supported for binary functions")
    x = cast(x, dtype)
    (axis,) = normalize_axes(axis, aval_of(x).ndim)
    function = _ACCUMULATIONS.get(ufunc.ufunc)
    if function is not None:
        return implementations[function](x, axis=axis)
    n = aval_of(x).shape[axis]
    if n == 0:
        return x
    totals = [index_along(x, 0, axis)]
    for i in range(1, n):
        totals.append(ufunc.apply(totals[-1], index_along(x, i, axis)))
    return concatenate(*[expand_dims(t, axis) for t in totals], axis=axis)


def reduceat(ufunc: Ufunc, x: Any, indices: Any, axis: int, dtype: Any) -> Any:
    """Return `ufunc.reduceat(x, indices, axis, dtype)`."""
    from ..ops.indexing import slice_along

    x = cast(x, dtype)
    (axis,) = normalize_axes(axis, aval_of(x).ndim)
    n = aval_of(x).shape[axis]
    starts = [int(i) for i in np.asarray(indices)]
    for i in starts:
        if not 0 <= i < n:
            raise IndexError(f"index {i} out-of-bounds in {ufunc.__name__}.reduceat")
    pieces = []
    for start, stop in zip(starts, [*starts[1:], n], strict=True):
        part = slice_along(x, start, max(stop, start + 1), axis)
        pieces.append(reduce(ufunc, part, axis=axis, dtype=None, keepdims=True))
    return concatenate(*pieces, axis=axis)


def outer(ufunc: Ufunc, a: Any, b: Any, kwargs: dict[str, Any]) -> Any:
    """Return `ufunc.outer(a, b)`: all elements of a with all of b."""
    shape, ones = aval_of(a).shape, (1,) * aval_of(b).ndim
    column = reshape(a, shape=(*shape, *ones)) if shape or ones else a
    return ufunc(column, b, **kwargs)


def at(ufunc: Ufunc, x: Any, indices: Any, *operands: Any) -> None:
    """Do `ufunc.at(x, indices, ...)` on a traced array, one element after the other."""
    index = indices if isinstance(indices, tuple) else (indices,)
    update = _UPDATES.get(ufunc.ufunc)
    if update is not None:
        x[...] = getattr(x.at[index], update)(*operands)
        return
    places = np.arange(math.prod(x.shape)).reshape(x.shape)[index]
    values = [_spread(b, places.shape) for b in operands]
    for j, flat in enumerate(places.ravel()):
        where = np.unravel_index(int(flat), x.shape)
        parts = [index_along(v, j, 0) for v in values]
        x[where] = ufunc.apply(x[where], *parts)


def _spread(b: Any, shape: tuple[int, ...]) -> Any:
    from ..ops.shape import broadcast_to

    return reshape(broadcast_to(operand(b), shape=shape), shape=(math.prod(shape),))


_UPDATES = {
    np.add: "add",
    np.subtract: "subtract",
    np.multiply: "multiply",
    np.divide: "divide",
    np.maximum: "max",
    np.minimum: "min",
}
"""The ufuncs whose repeated application at an index `x.at[index]` does in one step."""
