"""Orders and counts: argsort, argpartition, lexsort, searchsorted, digitize, bincount.

An order is constant wherever it is unique, so sorting is a gather along it,

    sort(x) = x[argsort(x)]

and its derivative the same gather. At ties the order that was taken decides.

`bincount(x, weights)` adds up weights by integer label; it is linear in the weights,
and its transpose looks each label's total up again.

Public names: `argsort argpartition lexsort searchsorted digitize isin bincount sort
partition`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.trace import aval_of
from .batching_rules import at_front, loop_over_examples, move_to_front
from .infer_rules import broadcast_shapes
from .kinds import constant, linear
from .shape import reshape

__all__ = [
    "argpartition",
    "argsort",
    "bincount",
    "digitize",
    "isin",
    "lexsort",
    "partition",
    "searchsorted",
    "sort",
]

_INDEX = np.dtype(np.intp)


def _like(x: Aval, **params: Any) -> Aval:
    return Aval(x.shape, _INDEX)


def _batch_along(prim: Callable[[], Any]) -> Callable[..., Any]:
    def rule(size: int, args: Any, dims: Any, *, axis: int, **params: Any) -> Any:
        (d,) = dims
        return prim()(args[0], axis=axis + (axis >= d), **params), d

    return rule


argsort = constant(
    "argsort",
    lambda x, *, axis, kind: np.argsort(x, axis, kind),
    infer=_like,
    batch=_batch_along(lambda: argsort),
)
argpartition = constant(
    "argpartition",
    lambda x, *, kth, axis: np.argpartition(x, kth, axis),
    infer=_like,
    batch=_batch_along(lambda: argpartition),
)


def sort(x: Any, axis: int, kind: str | None = None) -> Any:
    """Return `x` sorted along `axis`."""
    from .indexing import take_along_axis

    return take_along_axis(x, argsort(x, axis=axis, kind=kind), axis=axis)


def partition(x: Any, kth: int | tuple[int, ...], axis: int) -> Any:
    """Return `x` with its `kth` elements along `axis` where sorting would put them."""
    from .indexing import take_along_axis

    return take_along_axis(x, argpartition(x, kth=kth, axis=axis), axis=axis)


def _batch_lexsort(size: int, args: Any, dims: Any, *, axis: int) -> tuple[Any, int]:
    keys = [at_front(size, k, d) for k, d in zip(args, dims, strict=True)]
    return lexsort(*keys, axis=axis + 1), 0


lexsort = constant(
    "lexsort",
    lambda *keys, axis: np.lexsort(keys, axis),
    infer=lambda *keys, axis: Aval(
        broadcast_shapes("lexsort", *[k.shape for k in keys]), _INDEX
    ),
    batch=_batch_lexsort,
)
"""The last key is the primary one; keys have one shape."""


def _batch_lookup(name: str, table: int, value: int) -> Callable[..., Any]:
    """Return the rule of an operation on many values and one table.

    Args:
        name: of the primitive.
        table: position of the input that NumPy allows only one of.
        value: position of the input that may have any shape.
    """

    def rule(size: int, args: Any, dims: Sequence[Any], **params: Any) -> Any:
        from ..core.primitive import registry

        if any(d is not None for i, d in enumerate(dims) if i != value):
            return loop_over_examples(name)(size, args, dims, **params)
        moved = list(args)
        moved[value] = move_to_front(args[value], dims[value])
        return registry[name](*moved, **params), 0

    return rule


def _infer_searchsorted(a: Aval, v: Aval, *sorter: Aval, side: str) -> Aval:
    if len(a.shape) != 1:
        raise ValueError(f"searchsorted: the table must be 1-d, not {a}")
    return Aval(v.shape, _INDEX)


searchsorted = constant(
    "searchsorted",
    lambda a, v, *sorter, side: np.searchsorted(a, v, side, *sorter),
    infer=_infer_searchsorted,
    batch=_batch_lookup("searchsorted", 0, 1),
)
digitize = constant(
    "digitize",
    lambda x, bins, *, right: np.digitize(x, bins, right),
    infer=lambda x, bins, *, right: Aval(x.shape, _INDEX),
    batch=_batch_lookup("digitize", 1, 0),
)
isin = constant(
    "isin",
    lambda x, members, *, invert: np.isin(x, members, invert=invert),
    infer=lambda x, members, *, invert: Aval(x.shape, np.dtype(bool)),
    batch=_batch_lookup("isin", 1, 0),
)


def _look_up(ct: Any, x: Any, *, length: int) -> Any:
    from .indexing import take_along_axis

    return take_along_axis(ct, x, axis=0)


def _bincount(x: Any, weights: Any, *, length: int) -> Any:
    dtype = weights.dtype
    if dtype.kind != "f":
        out = np.zeros(length, dtype)
        np.add.at(out, x, weights)
        return out
    return np.bincount(x, weights, length).astype(dtype, copy=False)


def _batch_bincount(size: int, args: Any, dims: Any, *, length: int) -> tuple[Any, int]:
    x, weights = (at_front(size, a, d) for a, d in zip(args, dims, strict=True))
    n = aval_of(x).shape[1]
    labels = x + length * np.arange(size)[:, None]
    totals = bincount(
        reshape(labels, shape=(size * n,)),
        reshape(weights, shape=(size * n,)),
        length=size * length,
    )
    return reshape(totals, shape=(size, length)), 0


bincount = linear(
    "bincount",
    _bincount,
    [None, _look_up],
    infer=lambda x, weights, *, length: Aval((length,), weights.dtype),
    batch=_batch_bincount,
)
"""`bincount(x, weights, length=n)`: totals of the weights by label in x, below n."""
