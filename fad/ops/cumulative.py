"""Running sums, products and extrema along one axis.

    cumsum    linear; its transpose is the running sum from the other end
    cumprod   exact where elements are zero, at every order: no division
    cummax    the element at the last position of the running maximum, as a gather

The derivative of a running product is the running product of *dual* numbers,

    (y, s) (z, t) = (y z, s z + y t),

taken by doubling: after k steps each position holds the product of its last 2**k
elements. That is log2(n) multiplications of whole arrays, and they are differentiable
operations in their turn.

Public names: `cumsum cumprod cumargmax cumargmin cummax cummin`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .kinds import constant, linear, opaque
from .shape import concatenate

__all__ = ["cumargmax", "cumargmin", "cummax", "cummin", "cumprod", "cumsum"]


def _batch_along(prim: Callable[[], Any]) -> Callable[..., Any]:
    """Return the batching rule of an operation along `axis` that keeps the shape."""

    def rule(size: int, args: Any, dims: Any, *, axis: int, **params: Any) -> Any:
        (d,) = dims
        return prim()(args[0], axis=axis + (axis >= d), **params), d

    return rule


def _cumsum(x: Any, *, axis: int, reverse: bool) -> Any:
    if not reverse:
        return np.add.accumulate(x, axis)
    return np.flip(np.add.accumulate(np.flip(x, axis), axis), axis)


cumsum = linear(
    "cumsum",
    _cumsum,
    lambda ct, *, axis, reverse: cumsum(ct, axis=axis, reverse=not reverse),
    infer=lambda x, *, axis, reverse: Aval(
        x.shape, np.add.accumulate(np.empty(0, x.dtype)).dtype
    ),
    batch=_batch_along(lambda: cumsum),
    structural=True,
)


def _push_cumprod(ans: Any, primals: Any, tangents: Any, *, axis: int) -> Any:
    from .indexing import slice_along

    (y,), (t,) = primals, tangents
    n = aval_of(y).shape[axis]
    reach = 1
    while reach < n:
        first, later = slice_along(y, 0, n - reach, axis), slice_along(y, reach, n, axis)
        head = slice_along(t, 0, reach, axis)
        t = slice_along(t, reach, n, axis) * first + later * slice_along(
            t, 0, n - reach, axis
        )
        t = concatenate(head, t, axis=axis)
        y = concatenate(slice_along(y, 0, reach, axis), later * first, axis=axis)
        reach *= 2
    return t


cumprod = opaque(
    "cumprod",
    lambda x, *, axis: np.multiply.accumulate(x, axis),
    _push_cumprod,
    infer=lambda x, *, axis: Aval(
        x.shape, np.multiply.accumulate(np.empty(0, x.dtype)).dtype
    ),
    batch=_batch_along(lambda: cumprod),
)


def _running_position(name: str, ufunc: np.ufunc) -> Any:
    """Declare where along `axis` the running extremum was last met, nans included."""

    def impl(x: Any, *, axis: int) -> Any:
        met = (x == ufunc.accumulate(x, axis)) | (x != x)
        shape = [1] * x.ndim
        shape[axis] = -1
        positions = np.arange(x.shape[axis]).reshape(shape)
        return np.maximum.accumulate(np.where(met, positions, 0), axis)

    prim = constant(
        name,
        impl,
        infer=lambda x, *, axis: Aval(x.shape, np.dtype(np.intp)),
        batch=_batch_along(lambda: prim),
    )
    return prim


cumargmax = _running_position("cumargmax", np.maximum)
cumargmin = _running_position("cumargmin", np.minimum)


def cummax(x: Any, axis: int) -> Any:
    """Return the running maximum along `axis`; of ties the last one is taken."""
    from .indexing import take_along_axis

    return take_along_axis(x, cumargmax(x, axis=axis), axis=axis)


def cummin(x: Any, axis: int) -> Any:
    """Return the running minimum along `axis`; of ties the last one is taken."""
    from .indexing import take_along_axis

    return take_along_axis(x, cumargmin(x, axis=axis), axis=axis)
