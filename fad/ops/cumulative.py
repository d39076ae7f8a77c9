"""Running sums, products and extrema along one axis.

    cumsum    linear; its transpose is the running sum from the other end
    cumprod   y[k] = x[k] y[k-1]; exact where elements are zero, at every order
    cummax    the element at the last position of the running maximum, as a gather

The tangent of a running product is a linear recurrence,

    y'[k] = x'[k] y[k-1] + x[k] y'[k-1],

and so are its transpose (from the other end) and all further derivatives: nothing is
divided. It is solved by doubling: after j steps each position holds what its last 2**j
terms give, so that log2(n) operations on whole arrays suffice.

Public names: `cumsum cumprod recurrence cumargmax cumargmin cummax cummin`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.primitive import ANS, Plan
from ..core.trace import aval_of
from .batching_rules import at_front
from .kinds import Opaque, constant, linear, opaque
from .shape import concatenate

__all__ = [
    "cumargmax",
    "cumargmin",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "recurrence",
]


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


def _recurrence(a: Any, b: Any, *, axis: int, reverse: bool) -> Any:
    if reverse:
        a, b = np.flip(a, axis), np.flip(b, axis)
    p, r = np.moveaxis(a, axis, 0).copy(), np.moveaxis(b, axis, 0).copy()
    reach = 1
    while reach < len(r):
        # r[k] is the sum of the last `reach` terms, p[k] the product of the factors
        r[reach:] += p[reach:] * r[:-reach]
        p[reach:] *= p[:-reach]
        reach *= 2
    r = np.moveaxis(r, 0, axis)
    return np.flip(r, axis) if reverse else r


def _shift(x: Any, axis: int, reverse: bool, first: int) -> Any:
    """Return each element's predecessor (or successor), `first` where there is none."""
    from .indexing import slice_along

    aval = aval_of(x)
    n = aval.shape[axis]
    if n == 0:
        return x
    shape = [1 if i == axis else m for i, m in enumerate(aval.shape)]
    edge = np.full(shape, first, aval.dtype)
    if reverse:
        return concatenate(slice_along(x, 1, n, axis), edge, axis=axis)
    return concatenate(edge, slice_along(x, 0, n - 1, axis), axis=axis)


class _Recurrence(Opaque):
    """Linear in b; with a differentiated it keeps a and r, else only a."""

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        return Plan(mask, (ANS, 0) if mask[0] else (0,), ())

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        ta, tb = tangents
        a, *ans = eqn.residuals
        if ta is not None:
            change = ta * _shift(ans[0], first=0, **eqn.params)
            tb = change if tb is None else tb + change
        return None if tb is None else recurrence(a, tb, **eqn.params)

    def pullback(  # type: ignore[override]
        self, eqn: Eqn, ct: Any, live: Any = None
    ) -> list[Any]:
        axis, back = eqn.params["axis"], not eqn.params["reverse"]
        a, *ans = eqn.residuals
        found = recurrence(_shift(a, axis, back, 0), ct, axis=axis, reverse=back)
        return [
            found * _shift(ans[0], first=0, **eqn.params) if ans else None,
            None if eqn.inputs[1] is None else found,
        ]


def _push_recurrence(
    ans: Any, primals: Any, tangents: Any, *, axis: int, reverse: bool
) -> Any:
    (a, _), (ta, tb) = primals, tangents
    terms = tb + ta * _shift(ans, axis, reverse, 0)
    return recurrence(a, terms, axis=axis, reverse=reverse)


def _batch_recurrence(
    size: int, args: Any, dims: Any, *, axis: int, reverse: bool
) -> tuple[Any, int]:
    a, b = (at_front(size, x, d) for x, d in zip(args, dims, strict=True))
    return recurrence(a, b, axis=axis + 1, reverse=reverse), 0


recurrence = _Recurrence(
    "recurrence",
    _recurrence,
    _push_recurrence,
    infer=lambda a, b, *, axis, reverse: Aval(b.shape, b.dtype),
    batch=_batch_recurrence,
)
"""`recurrence(a, b, axis=, reverse=)`: r[k] = b[k] + a[k] r[k-1] along an axis, from
the other end if `reverse`; a and b have one shape and dtype.

Its tangent is the same recurrence with b' + a' r[k-1] for b. The transpose runs from
the other end, with the factors shifted by one.
"""


def _push_cumprod(ans: Any, primals: Any, tangents: Any, *, axis: int) -> Any:
    terms = tangents[0] * _shift(ans, axis, False, 1)
    return recurrence(primals[0], terms, axis=axis, reverse=False)


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
