"""Collectives: operations between the examples of a named `vmap` axis.

    all_gather    (x_i)_i -> every example gets the stack of all x_i
    psum_scatter  (x_i)_i -> example j gets sum_i x_i[j]: the transpose of all_gather
    ppermute      example `target` gets x of example `source`; others get zeros
    all_to_all    swaps the axis of examples with an axis of x

    psum = sum of all_gather,  pmean, pmax, pmin likewise

Each operation takes, besides x, the number of its example on the axis. That value is
mapped over the axis and over nothing else, so it tells the batching rule which axis is
meant: a program traced under `jit` closes over it and becomes a function of it. Stacked
values that all examples share are never copied.

Public names: `all_gather all_to_all axis_index axis_size pmax pmean pmin ppermute
pswapaxes psum psum_scatter`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.pytree import tree_map
from ..core.trace import aval_of
from ..ops.arithmetic import convert, div, mul
from ..ops.batching_rules import at_front, move_to_front
from ..ops.kinds import linear
from ..ops.reductions import reduce_max, reduce_min, reduce_sum
from ..ops.shape import index_along, move_axis, reshape, stack
from ..transforms.batching import find_axis

__all__ = [
    "all_gather",
    "all_to_all",
    "axis_index",
    "axis_size",
    "pmax",
    "pmean",
    "pmin",
    "ppermute",
    "pswapaxes",
    "psum",
    "psum_scatter",
]


def _alone(*args: Any, **params: Any) -> Any:
    raise NameError("a collective ran outside of the vmap that names its axis")


def _past(prim: Callable[[], Any]) -> Callable[..., Any]:
    """Decorate a rule for its own axis: batches of other axes just pass."""

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        def batch(size: int, args: Any, dims: Any, **params: Any) -> tuple[Any, Any]:
            (x, index), (d, own) = args, dims
            if own is not None:
                return rule(size, x, d, **params)
            return shifted(prim(), move_to_front(x, d), index, params), 0

        return batch

    return decorate


def shifted(prim: Any, x: Any, index: Any, params: dict[str, Any]) -> Any:
    """Bind a collective on stacks of another axis, in front: it acts behind it."""
    return prim(x, index, **{k: _shift(k, v) for k, v in params.items()})


def _shift(name: str, value: Any) -> Any:
    return value + 1 if name in ("axis", "split", "concat") else value


@_past(lambda: gather)
def _batch_gather(size: int, x: Any, d: int | None, *, axis: int, count: int) -> Any:
    stacked = at_front(size, x, d)
    return move_axis(stacked, 0, axis), None


gather = linear(
    "all_gather",
    _alone,
    [lambda ct, y, *, axis, count: scatter_sum(ct, y, axis=axis, count=count), None],
    infer=lambda x, i, *, axis, count: Aval(
        (*x.shape[:axis], count, *x.shape[axis:]), x.dtype
    ),
    batch=_batch_gather,
)


@_past(lambda: scatter_sum)
def _batch_scatter(size: int, x: Any, d: int | None, *, axis: int, count: int) -> Any:
    if d is None:
        return mul(move_axis(x, axis, 0), np.asarray(size, aval_of(x).dtype)[()]), 0
    return move_axis(reduce_sum(move_to_front(x, d), axis=(0,)), axis, 0), 0


scatter_sum = linear(
    "psum_scatter",
    _alone,
    [lambda ct, y, *, axis, count: gather(ct, y, axis=axis, count=count), None],
    infer=lambda x, i, *, axis, count: Aval(
        (*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype
    ),
    batch=_batch_scatter,
)


@_past(lambda: permute)
def _batch_permute(size: int, x: Any, d: int | None, *, perm: Any) -> tuple[Any, int]:
    stacked = at_front(size, x, d)
    sources = {target: source for source, target in perm}
    nothing = np.zeros(aval_of(stacked).shape[1:], aval_of(stacked).dtype)
    rows = [
        index_along(stacked, sources[i], 0) if i in sources else nothing
        for i in range(size)
    ]
    return stack(rows), 0


permute = linear(
    "ppermute",
    _alone,
    [lambda ct, y, *, perm: permute(ct, y, perm=tuple((b, a) for a, b in perm)), None],
    infer=lambda x, i, *, perm: Aval(x.shape, x.dtype),
    batch=_batch_permute,
)


@_past(lambda: exchange)
def _batch_exchange(
    size: int, x: Any, d: int | None, *, split: int, concat: int
) -> tuple[Any, int]:
    stacked = at_front(size, x, d)
    # axes now: example i, axes of x; the result's example is the index on `split`
    swapped = move_axis(stacked, split + 1, 0)
    return move_axis(swapped, 1, concat + 1), 0


def _infer_exchange(x: Aval, i: Aval, *, split: int, concat: int) -> Aval:
    rest = [*x.shape[:split], *x.shape[split + 1 :]]
    rest.insert(concat, x.shape[split])
    return Aval(tuple(rest), x.dtype)


exchange = linear(
    "all_to_all",
    _alone,
    [lambda ct, y, *, split, concat: exchange(ct, y, split=concat, concat=split), None],
    infer=_infer_exchange,
    batch=_batch_exchange,
)


for _prim in (gather, scatter_sum, permute, exchange):
    _prim.kind = "collective"
del _prim


def axis_index(axis_name: Any) -> Any:
    """Return the number of this example on a named axis.

    On several axes examples are counted row by row, the last axis fastest.

    Raises:
        NameError: no `vmap` here has an axis of this name.

    >>> import fad, numpy as np
    >>> fad.vmap(lambda x: fad.lax.axis_index("i"), axis_name="i")(np.ones(3))
    array([0, 1, 2])
    """
    if not isinstance(axis_name, (tuple, list)):
        return find_axis(axis_name).index
    total: Any = 0
    for name in axis_name:
        total = total * find_axis(name).size + find_axis(name).index
    return total


def axis_size(axis_name: Any) -> int:
    """Return the number of examples on a named axis, or several: a plain integer."""
    names = axis_name if isinstance(axis_name, (tuple, list)) else (axis_name,)
    return math.prod(find_axis(name).size for name in names)


def all_gather(x: Any, axis_name: Any, *, axis: int = 0, tiled: bool = False) -> Any:
    """Return the stack of all examples' values, the same for every example.

    Args:
        x: a pytree of arrays.
        axis_name: of the `vmap`.
        axis: where the new axis goes.
        tiled: join along the existing axis instead.
    """
    return tree_map(lambda v: _gather_leaf(v, axis_name, axis, tiled), x)


def _gather_leaf(x: Any, name: Any, axis: int, tiled: bool) -> Any:
    batch = find_axis(name)
    aval = aval_of(x)
    place = _normal("all_gather", axis, aval.ndim + (not tiled))
    if aval.weak:
        x = convert(x, dtype=aval.dtype)
    out = gather(x, batch.index, axis=place, count=batch.size)
    if not tiled:
        return out
    shape = (
        *aval.shape[:place],
        batch.size * aval.shape[place],
        *aval.shape[place + 1 :],
    )
    return reshape(out, shape=shape)


def _normal(name: str, axis: Any, ndim: int) -> int:
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise ValueError(f"{name}: axis {axis} is out of range for {ndim} axes")
    return axis % ndim


def _reduced(reduce: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a collective that reduces the stack of all examples, on pytrees."""

    def collective(x: Any, axis_name: Any) -> Any:
        names = axis_name if isinstance(axis_name, (tuple, list)) else (axis_name,)
        for name in names:
            x = tree_map(
                lambda v, name=name: reduce(_gather_leaf(v, name, 0, False)), x
            )
        return x

    return collective


_psum = _reduced(lambda v: reduce_sum(v, axis=(0,)))
_pmax = _reduced(lambda v: reduce_max(v, axis=(0,)))
_pmin = _reduced(lambda v: reduce_min(v, axis=(0,)))


def psum(x: Any, axis_name: Any) -> Any:
    """Return the sum over all examples of a named axis.

    Args:
        x: a pytree of arrays; the sum of a number is known without tracing.
        axis_name: of the `vmap`, or several.

    Inside the `vmap` it is its own transpose: the gradient of one example's result is
    the sum over the gradients of all.

    >>> import fad, numpy as np
    >>> share = lambda x: x / fad.lax.psum(x, "i")
    >>> fad.vmap(share, axis_name="i")(np.array([1.0, 3.0]))
    array([0.25, 0.75])
    """
    if isinstance(x, (int, float, complex)) and not isinstance(x, bool):
        return x * axis_size(axis_name)
    return _psum(x, axis_name)


def pmean(x: Any, axis_name: Any) -> Any:
    """Return the mean over all examples of a named axis."""
    names = axis_name if isinstance(axis_name, (tuple, list)) else (axis_name,)
    count = 1
    for name in names:
        count *= find_axis(name).size
    return tree_map(lambda v: div(v, count), psum(x, axis_name))


def pmax(x: Any, axis_name: Any) -> Any:
    """Return the maximum over all examples of a named axis; ties share the gradient."""
    return _pmax(x, axis_name)


def pmin(x: Any, axis_name: Any) -> Any:
    """Return the minimum over all examples of a named axis; ties share the gradient."""
    return _pmin(x, axis_name)


def psum_scatter(
    x: Any, axis_name: Any, *, scatter_dimension: int = 0, tiled: bool = False
) -> Any:
    """Return this example's slice of the sum over all examples.

    Args:
        x: a pytree of arrays.
        axis_name: of the `vmap`.
        scatter_dimension: the axis to slice, of the size of the named axis.
        tiled: the axis has a multiple of that size, and is cut into pieces.
    """
    batch = find_axis(axis_name)

    def leaf(v: Any) -> Any:
        aval = aval_of(v)
        axis = _normal("psum_scatter", scatter_dimension, aval.ndim)
        size = aval.shape[axis]
        if size % batch.size or (not tiled and size != batch.size):
            raise ValueError(
                f"psum_scatter: axis {axis} of {aval!r} must have the size "
                f"{batch.size} of the axis {axis_name!r}"
                f"{' or a multiple of it' if tiled else ''}"
            )
        if not tiled:
            return scatter_sum(v, batch.index, axis=axis, count=batch.size)
        shape = aval.shape
        cut = (*shape[:axis], batch.size, size // batch.size, *shape[axis + 1 :])
        pieces = reshape(v, shape=cut)
        return scatter_sum(pieces, batch.index, axis=axis, count=batch.size)

    return tree_map(leaf, x)


def ppermute(x: Any, axis_name: Any, perm: Sequence[tuple[int, int]]) -> Any:
    """Send values from example to example.

    Args:
        x: a pytree of arrays.
        axis_name: of the `vmap`.
        perm: pairs (source, target); an example that is no target gets zeros.

    Raises:
        ValueError: a source or target stands twice or is out of range.
    """
    batch = find_axis(axis_name)
    pairs = tuple((operator.index(a), operator.index(b)) for a, b in perm)
    for what, numbers in zip(
        ("source", "target"), zip(*pairs, strict=True), strict=False
    ):
        if len(set(numbers)) != len(numbers):
            raise ValueError(f"ppermute: a {what} stands twice in {perm}")
        if any(not 0 <= n < batch.size for n in numbers):
            raise ValueError(
                f"ppermute: {what}s must be from 0 to {batch.size - 1}, got {perm}"
            )
    return tree_map(lambda v: permute(v, batch.index, perm=pairs), x)


def all_to_all(
    x: Any, axis_name: Any, split_axis: int, concat_axis: int, *, tiled: bool = False
) -> Any:
    """Exchange slices: example j gets slice j of every example.

    Args:
        x: a pytree of arrays.
        axis_name: of the `vmap`.
        split_axis: the axis of x to send along, of the size of the named axis.
        concat_axis: the axis of the result along which what is received is stacked.
        tiled: `split_axis` has a multiple of that size and is cut into pieces; what is
            received is joined along `concat_axis`.
    """
    batch = find_axis(axis_name)
    return tree_map(
        lambda v: _exchange_leaf(v, batch, split_axis, concat_axis, tiled), x
    )


def pswapaxes(x: Any, axis_name: Any, axis: int) -> Any:
    """Swap a named axis with an axis of x, of the same size.

    >>> import fad, numpy as np
    >>> f = fad.vmap(lambda x: fad.lax.pswapaxes(x, "i", 0), axis_name="i")
    >>> f(np.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    return all_to_all(x, axis_name, axis, axis)


def _exchange_leaf(
    v: Any, batch: Any, split_axis: int, concat_axis: int, tiled: bool
) -> Any:
    aval = aval_of(v)
    split = _normal("all_to_all", split_axis, aval.ndim)
    concat = _normal("all_to_all", concat_axis, aval.ndim)
    size = aval.shape[split]
    if size % batch.size or (not tiled and size != batch.size):
        raise ValueError(
            f"all_to_all: axis {split} of {aval!r} must have the size {batch.size} of "
            f"the axis {batch.axis_name!r}{' or a multiple of it' if tiled else ''}"
        )
    if not tiled:
        return exchange(v, batch.index, split=split, concat=concat)
    shape = aval.shape
    cut = (*shape[:split], batch.size, size // batch.size, *shape[split + 1 :])
    out = exchange(reshape(v, shape=cut), batch.index, split=split, concat=concat)
    joined = list(aval_of(out).shape)
    joined[concat : concat + 2] = [joined[concat] * joined[concat + 1]]
    return reshape(out, shape=tuple(joined))
