"""Reductions over axes: sum, product, extrema and their positions, logic.

A sum is linear. The derivative of another reduction f is an array of *weights*, of the
input's shape, from which both modes follow:

    jvp: sum over axis of t * weights        vjp: ct repeated along axis, * weights

    prod   the product of the other elements, taken from both sides without a division,
           so that zeros are exact at every order
    max    1 / (number of maximal elements) at these, 0 elsewhere: ties share evenly and
           the weights sum to 1; if there are nans, the result is nan and they share
    fmax   the same of the numbers among the elements; 0 at nans

`axis` is always a sorted tuple of non-negative axes, or one of them where only one
makes sense; shapes drop them. Dtypes are NumPy's: sums and products of small integers
and booleans are 64 bits wide.

Public names: `reduce_sum reduce_prod reduce_max reduce_min reduce_fmax reduce_fmin
reduce_and reduce_or argmax argmin Reduction`, and the helpers `drop_axes keep_axes
spread batch_reduction`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.ir import Eqn
from ..core.trace import aval_of
from .arithmetic import convert
from .comparison import eq, logical_or, ne, where
from .cumulative import cumprod
from .kinds import Opaque, constant, linear
from .shape import broadcast_to, concatenate, expand_dims, flip, reshape

__all__ = [
    "Reduction",
    "argmax",
    "argmin",
    "batch_reduction",
    "drop_axes",
    "keep_axes",
    "reduce_and",
    "reduce_fmax",
    "reduce_fmin",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_prod",
    "reduce_sum",
    "spread",
]

Axes = tuple[int, ...]


def drop_axes(shape: tuple[int, ...], axis: Axes) -> tuple[int, ...]:
    """Return `shape` without the axes in `axis`."""
    return tuple([n for i, n in enumerate(shape) if i not in axis])


def keep_axes(shape: tuple[int, ...], axis: Axes) -> tuple[int, ...]:
    """Return `shape` with size 1 at the axes in `axis`."""
    return tuple([1 if i in axis else n for i, n in enumerate(shape)])


def spread(ct: Any, shape: tuple[int, ...], axis: Axes) -> Any:
    """Undo a reduction's shape: repeat `ct` along the axes that were reduced."""
    if ct.shape:
        ct = reshape(ct, shape=keep_axes(shape, axis))
    return broadcast_to(ct, shape=shape)


def batch_reduction(prim: Callable[[], Any]) -> Callable[..., Any]:
    """Return the batching rule of a reduction over `axis`."""

    def rule(size: int, args: Any, dims: Any, *, axis: Any, **params: Any) -> Any:
        (d,) = dims
        shifted = tuple([a + (a >= d) for a in axis])
        out_dim = d - sum(a < d for a in shifted)
        return prim()(args[0], axis=shifted, **params), out_dim

    return rule


reduce_sum = linear(
    "reduce_sum",
    lambda x, *, axis: np.add.reduce(x, axis),
    lambda ct, avals, *, axis: spread(ct, avals[0].shape, axis),
    infer=lambda x, *, axis: Aval(
        drop_axes(x.shape, axis), np.add.reduce(np.empty(0, x.dtype)).dtype
    ),
    batch=batch_reduction(lambda: reduce_sum),
    structural=True,
)


class Reduction(Opaque):
    """A reduction known by `weights(x, ans, axis)`, its derivative.

    Its linear part multiplies and adds up, one product for each input element, so where
    a select cut off an output, exactly that output's inputs are cut off: `structural`.
    """

    structural = True

    def __init__(
        self,
        name: str,
        ufunc: np.ufunc,
        weights: Callable[[Any, Any, Axes], Any],
        *,
        empty: bool,
    ) -> None:
        def infer(x: Aval, *, axis: Axes) -> Aval:
            if not empty and any(x.shape[a] == 0 for a in axis):
                raise ValueError(
                    f"zero-size array to reduction operation {ufunc.__name__} which "
                    f"has no identity: the shape is {x.shape}, the axes are {axis}"
                )
            dtype = ufunc.reduce(np.ones(1, x.dtype)).dtype
            return Aval(drop_axes(x.shape, axis), dtype)

        super().__init__(
            name,
            lambda x, *, axis: ufunc.reduce(x, axis),
            self.push,
            infer=infer,
            batch=batch_reduction(lambda: self),
        )
        self.ufunc = ufunc
        self.weights = weights

    def push(self, ans: Any, primals: Any, tangents: Any, *, axis: Axes) -> Any:
        """Return the tangent: the weighted sum of the input's tangents."""
        return reduce_sum(tangents[0] * self.weights(*primals, ans, axis), axis=axis)

    def pullback(  # type: ignore[override]  # the transpose of `push`, in fewer steps
        self, eqn: Eqn, ct: Any, live: Any = None
    ) -> list[Any]:
        ans, (x,) = eqn.residuals
        axis = eqn.params["axis"]
        ct = spread(ct, aval_of(x).shape, axis)
        return [ct * self.weights(x, ans, axis)]


def _others(x: Any, axis: Axes) -> Any:
    """Return for each element the product of the others along `axis`."""
    if not axis:
        return np.ones((), aval_of(x).dtype)[()]
    last = axis[-1]
    before = _before(x, last)
    after = flip(_before(flip(x, axis=(last,)), last), axis=(last,))
    along = before * after
    if len(axis) == 1:
        return along
    rest = _others(reduce_prod(x, axis=(last,)), axis[:-1])
    return along * expand_dims(rest, last)


def _before(x: Any, axis: int) -> Any:
    """Return for each element the product of those before it."""
    from .indexing import slice_along

    shape = aval_of(x).shape
    if shape[axis] == 0:
        return x
    one = np.ones(keep_axes(shape, (axis,)), aval_of(x).dtype)
    products = cumprod(slice_along(x, 0, shape[axis] - 1, axis), axis=axis)
    return concatenate(one, products, axis=axis)


def _share(x: Any, ans: Any, axis: Axes) -> Any:
    """Return equal weights that sum to 1 at the elements that equal `ans`."""
    aval = aval_of(x)
    mask = eq(x, reshape(ans, shape=keep_axes(aval.shape, axis)))
    mask = logical_or(mask, ne(x, x))  # nans: x has one only where ans is nan
    return _evenly(mask, reduce_sum(mask, axis=axis), axis, aval.dtype)


def _share_numbers(x: Any, ans: Any, axis: Axes) -> Any:
    """Return equal weights at the numbers that equal `ans`; nans have none."""
    aval = aval_of(x)
    mask = eq(x, reshape(ans, shape=keep_axes(aval.shape, axis)))
    count = reduce_sum(mask, axis=axis)
    count = where(eq(count, 0), 1, count)
    return _evenly(mask, count, axis, aval.dtype)


def _evenly(mask: Any, count: Any, axis: Axes, dtype: np.dtype[Any]) -> Any:
    """Return 1 / count where the mask is True, 0 elsewhere."""
    count = reshape(count, shape=keep_axes(aval_of(mask).shape, axis))
    return convert(mask / count, dtype=dtype)


reduce_prod = Reduction(
    "reduce_prod", np.multiply, lambda x, ans, axis: _others(x, axis), empty=True
)
reduce_max = Reduction("reduce_max", np.maximum, _share, empty=False)
reduce_min = Reduction("reduce_min", np.minimum, _share, empty=False)
reduce_fmax = Reduction("reduce_fmax", np.fmax, _share_numbers, empty=False)
reduce_fmin = Reduction("reduce_fmin", np.fmin, _share_numbers, empty=False)


def _logic(name: str, ufunc: np.ufunc) -> Any:
    prim = constant(
        name,
        lambda x, *, axis: ufunc.reduce(x, axis, dtype=bool),
        infer=lambda x, *, axis: Aval(drop_axes(x.shape, axis), np.dtype(bool)),
        batch=batch_reduction(lambda: prim),
    )
    return prim


reduce_and = _logic("reduce_and", np.logical_and)
reduce_or = _logic("reduce_or", np.logical_or)


def _position(name: str, function: Callable[..., Any]) -> Any:
    """Declare argmax or argmin: along the axis `axis`, or 0 of a 0-d input (None)."""

    def infer(x: Aval, *, axis: int | None) -> Aval:
        axes = () if axis is None else (axis,)
        if any(x.shape[a] == 0 for a in axes):
            raise ValueError(f"attempt to get {name} of an empty sequence: {x}")
        return Aval(drop_axes(x.shape, axes), np.dtype(np.intp))

    def batch(
        size: int, args: Sequence[Any], dims: Sequence[int], *, axis: int | None
    ) -> tuple[Any, int | None]:
        (d,) = dims
        if axis is None:
            return np.zeros(size, np.intp), 0
        shifted = axis + (axis >= d)
        return prim(args[0], axis=shifted), d - (shifted < d)

    prim = constant(
        name, lambda x, *, axis: function(x, axis), infer=infer, batch=batch
    )
    return prim


argmax = _position("argmax", np.argmax)
argmin = _position("argmin", np.argmin)
