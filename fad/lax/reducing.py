"""Reductions, windows and sorting of `jax.lax`.

`reduce` and `reduce_window` take any associative operation on scalars, with its neutral
element; of the well-known ones they know the array function. The others are applied
to halves of the array until one element is left.

Public names: `argmax argmin cumlogsumexp cummax cummin cumprod cumsum reduce reduce_and
reduce_max reduce_min reduce_or reduce_prod reduce_sum reduce_window reduce_xor sort
sort_key_val top_k`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from .. import numpy as fnp
from ..control.bodies import trace_body
from ..control.call import jit_call
from ..control.scanning import associative_scan
from ..core.avals import Aval
from ..core.pytree import TreeDef, tree_flatten, tree_unflatten, treedef_tuple
from ..core.trace import aval_of, bind
from ..numpy.convert import cast, operand
from ..ops import cumulative
from ..ops.convolution import extent
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem
from ..ops.infer_rules import normalize_axes
from ..transforms.partial import batch_jaxpr
from .convolution import pads_of
from .shaping import pad

__all__ = [
    "argmax",
    "argmin",
    "cumlogsumexp",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "reduce",
    "reduce_and",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_prod",
    "reduce_sum",
    "reduce_window",
    "reduce_xor",
    "sort",
    "sort_key_val",
    "top_k",
]

Axes = Sequence[int]


def _reduction(function: Callable[..., Any], what: str, name: str) -> Any:
    def reduce_f(operand: Any, axes: Axes) -> Any:
        return function(operand, axis=tuple(axes))

    reduce_f.__name__ = reduce_f.__qualname__ = name
    reduce_f.__doc__ = f"Return {what} over the given axes."
    return reduce_f


reduce_sum = _reduction(fnp.sum, "sums", "reduce_sum")
reduce_prod = _reduction(fnp.prod, "products", "reduce_prod")
reduce_max = _reduction(fnp.max, "maxima", "reduce_max")
reduce_min = _reduction(fnp.min, "minima", "reduce_min")
reduce_and = _reduction(fnp.bitwise_and.reduce, "the bitwise and", "reduce_and")
reduce_or = _reduction(fnp.bitwise_or.reduce, "the bitwise or", "reduce_or")
reduce_xor = _reduction(fnp.bitwise_xor.reduce, "the bitwise xor", "reduce_xor")

_KNOWN = {
    "add": reduce_sum,
    "mul": reduce_prod,
    "maximum": reduce_max,
    "minimum": reduce_min,
}
"""By the primitive that a computation consists of: the function on whole arrays."""


class _Combine:
    """An associative operation on scalars, traced once, for arrays of any shape."""

    def __init__(
        self, what: str, computation: Callable[..., Any], tree: TreeDef, leaves: Any
    ) -> None:
        scalars = [Aval((), aval_of(x).dtype) for x in leaves]
        self.body = trace_body(
            what, computation, treedef_tuple([tree, tree]), [*scalars, *scalars]
        )
        if self.body.tree != tree:
            raise TypeError(
                f"{what}: the computation must return the structure of its arguments, "
                f"{tree}, got {self.body.tree}"
            )

    def known(self) -> Callable[..., Any] | None:
        """Return the function of a whole array if this is one primitive operation."""
        jaxpr = self.body.jaxpr
        if len(jaxpr.eqns) != 1 or len(jaxpr.inputs) != 2:
            return None
        (eqn,) = jaxpr.eqns
        same = set(map(id, eqn.inputs)) == set(map(id, jaxpr.inputs))
        return _KNOWN.get(eqn.prim.name) if same and jaxpr.outputs[0] is eqn else None

    def __call__(self, first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
        """Combine arrays element by element."""
        shape = aval_of(first[0]).shape
        size, closure = prod(shape), self.body.closure
        flat = [fnp.reshape(x, (size,)) for x in (*first, *second)]
        mask = [False] * len(closure) + [True] * len(flat)
        program, _ = batch_jaxpr(
            self.body.jaxpr, size, mask, [True] * len(self.body.jaxpr.outputs)
        )
        outs = bind(jit_call, *closure, *flat, jaxpr=program, name="reduce")
        return [fnp.reshape(o, shape) for o in outs]

    def fold(self, rows: list[Any]) -> list[Any]:
        """Combine all rows of arrays, at least one, neighbours first."""
        while (n := aval_of(rows[0]).shape[0]) > 1:
            paired = n - n % 2
            made = self([x[:paired:2] for x in rows], [x[1:paired:2] for x in rows])
            rows = [
                fnp.concatenate([m, x[paired:]])
                for m, x in zip(made, rows, strict=True)
            ]
        return [x[0] for x in rows]


def reduce(
    operands: Any,
    init_values: Any,
    computation: Callable[[Any, Any], Any],
    dimensions: Axes,
) -> Any:
    """Combine the elements of arrays along axes.

    Args:
        operands: a pytree of arrays of one shape.
        init_values: the same structure: neutral elements, scalars.
        computation: an associative operation on two trees of scalars.
        dimensions: the axes to combine along.

    Returns:
        The structure of the operands, without those axes.

    >>> import fad, numpy as np
    >>> float(fad.lax.reduce(np.arange(4.0), 0.0, fad.lax.add, (0,)))
    6.0
    """
    leaves, tree = tree_flatten(operands)
    leaves = [operand(x) for x in leaves]
    inits, init_tree = tree_flatten(init_values)
    if init_tree != tree:
        raise TypeError(
            f"reduce: init_values must have the structure of the operands, {tree}, got "
            f"{init_tree}"
        )
    inits = [cast(v, aval_of(x).dtype) for v, x in zip(inits, leaves, strict=True)]
    return tree_unflatten(tree, _reduce(tree, leaves, inits, computation, dimensions))


def _reduce(
    tree: TreeDef,
    leaves: list[Any],
    inits: list[Any],
    computation: Callable[..., Any],
    dimensions: Axes,
) -> list[Any]:
    combine = _Combine("reduce", computation, tree, leaves)
    shape = aval_of(leaves[0]).shape
    axes = tuple(range(len(shape))[a] for a in dimensions)
    rest = [a for a in range(len(shape)) if a not in axes]
    kept = tuple(shape[a] for a in rest)
    count = prod(shape[a] for a in axes)
    full = [fnp.broadcast_to(v, kept) for v in inits]
    if not count:
        return full
    function = combine.known()
    if function is not None:
        return combine(full, [function(leaves[0], axes)])
    rows = [
        fnp.reshape(fnp.transpose(x, (*axes, *rest)), (count, *kept)) for x in leaves
    ]
    return combine(full, combine.fold(rows))


def reduce_window(
    operand: Any,
    init_value: Any,
    computation: Callable[[Any, Any], Any],
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: str | Sequence[tuple[int, int]] = "VALID",
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> Any:
    """Combine the elements in each of the windows that slide over an array.

    Args:
        operand: an array, or a pytree of arrays of one shape.
        init_value: the neutral element, which fills the padding, too.
        computation: an associative operation on scalars.
        window_dimensions: the size of the window along every axis.
        window_strides: steps between windows, 1 by default.
        padding: "VALID", "SAME", or pairs (before, after) per axis.
        base_dilation: steps between elements of the array.
        window_dilation: steps between elements of the window.

    >>> import fad, numpy as np
    >>> fad.lax.reduce_window(np.arange(4.0), -np.inf, fad.lax.max, (2,), (2,))
    array([1., 3.])
    """
    ones = (1,) * len(window_dimensions)
    strides = tuple(window_strides or ones)
    spread = tuple(base_dilation or ones)
    inner = tuple(window_dilation or ones)
    leaves, tree = tree_flatten(operand)
    inits = [
        cast(v, aval_of(x).dtype)
        for v, x in zip(tree_flatten(init_value)[0], leaves, strict=True)
    ]
    sizes = [
        extent(n, s) for n, s in zip(aval_of(leaves[0]).shape, spread, strict=True)
    ]
    widths = [extent(n, d) for n, d in zip(window_dimensions, inner, strict=True)]
    pads = pads_of(padding, sizes, widths, strides)
    config = [(lo, hi, s - 1) for (lo, hi), s in zip(pads, spread, strict=True)]
    windows = [
        _windows(pad(x, v, config), window_dimensions, widths, strides, inner)
        for x, v in zip(leaves, inits, strict=True)
    ]
    rank = len(ones)
    found = _reduce(tree, windows, inits, computation, range(rank, 2 * rank))
    return tree_unflatten(tree, found)


def _windows(x: Any, sizes: Axes, widths: Axes, strides: Axes, dilation: Axes) -> Any:
    """Return what each window sees, of shape (*number of windows, *size)."""
    rank, ids = len(sizes), []
    for axis, n in enumerate(aval_of(x).shape):
        first = np.arange(0, max(n - widths[axis] + 1, 0), strides[axis])
        inside = np.arange(sizes[axis]) * dilation[axis]
        first = first.reshape((-1,) + (1,) * (2 * rank - axis - 1))
        ids.append(first + inside.reshape((-1,) + (1,) * (rank - axis - 1)))
    return getitem(x, *ids, index=(ARRAY,) * rank)


def argmax(operand: Any, axis: int, index_dtype: Any = int) -> Any:
    """Return where the first maximum is along an axis."""
    return cast(fnp.argmax(operand, axis=axis), np.dtype(index_dtype))


def argmin(operand: Any, axis: int, index_dtype: Any = int) -> Any:
    """Return where the first minimum is along an axis."""
    return cast(fnp.argmin(operand, axis=axis), np.dtype(index_dtype))


def _running(function: Callable[..., Any], what: str, name: str) -> Any:
    def running(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
        x = fnp.asarray(operand)
        (axis,) = normalize_axes(axis, aval_of(x).ndim)
        if reverse:
            return fnp.flip(function(fnp.flip(x, axis), axis), axis)
        return function(x, axis)

    running.__name__ = running.__qualname__ = name
    running.__doc__ = f"Return {what} along an axis, from its end if `reverse`."
    return running


cumsum = _running(lambda x, axis: fnp.cumsum(x, axis), "running sums", "cumsum")
cumprod = _running(lambda x, axis: fnp.cumprod(x, axis), "running products", "cumprod")
cummax = _running(cumulative.cummax, "running maxima", "cummax")
cummin = _running(cumulative.cummin, "running minima", "cummin")
cumlogsumexp = _running(
    lambda x, axis: associative_scan(fnp.logaddexp, x, axis=axis),
    "the logarithms of running sums of exponentials",
    "cumlogsumexp",
)


def sort(
    operand: Any, dimension: int = -1, is_stable: bool = True, num_keys: int = 1
) -> Any:
    """Return an array sorted along an axis, or arrays in the order of the first ones.

    Args:
        operand: an array, or a sequence of arrays of one shape.
        dimension: the axis.
        is_stable: keep the order of what compares equal.
        num_keys: how many of the arrays decide, the first before the others.

    >>> import fad, numpy as np
    >>> fad.lax.sort((np.array([2, 1]), np.array([3.0, 4.0])))
    (array([1, 2]), array([4., 3.]))
    """
    if not isinstance(operand, (list, tuple)):
        return fnp.sort(operand, axis=dimension, stable=is_stable or None)
    if not 1 <= num_keys <= len(operand):
        raise ValueError(
            f"sort: num_keys must be from 1 to the number of arrays, {len(operand)}; "
            f"got {num_keys}"
        )
    if num_keys == 1:
        order = fnp.argsort(operand[0], axis=dimension, stable=is_stable or None)
    else:
        order = fnp.lexsort(tuple(operand[:num_keys])[::-1], axis=dimension)
    return tuple(fnp.take_along_axis(x, order, axis=dimension) for x in operand)


def sort_key_val(
    keys: Any, values: Any, dimension: int = -1, is_stable: bool = True
) -> tuple[Any, Any]:
    """Return keys, sorted along an axis, and values in their order."""
    pair: tuple[Any, Any] = sort((keys, values), dimension, is_stable)
    return pair


def top_k(x: Any, k: int, *, axis: int = -1) -> tuple[Any, Any]:
    """Return the k largest elements along an axis, and where they are.

    >>> import fad, numpy as np
    >>> fad.lax.top_k(np.array([3.0, 1.0, 2.0]), 2)
    (array([3., 2.]), array([0, 2]))
    """
    n = aval_of(operand(x)).shape[axis]
    if not 0 <= k <= n:
        raise ValueError(
            f"top_k: k must be from 0 to the size {n} of the axis, got {k}"
        )
    back = fnp.flip(fnp.argsort(fnp.flip(x, axis), axis=axis, stable=True), axis)
    where = n - 1 - fnp.take(back, np.arange(k), axis=axis)
    return fnp.take_along_axis(x, where, axis=axis), where
