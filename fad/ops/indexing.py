"""Indexing: reading elements at an index, and its transpose, adding them up there.

    getitem(x, *ids)          x[index]
    scatter(y, *ids)          zeros with y added up at the index: getitem's transpose
    scatter_add(x, y, *ids)   x with y added up at the index
    scatter_set(x, y, *ids)   x with y written at the index; of several writes to one
                              element the last one stays, and only it has a derivative
    erase(x, *ids)            x with zeros at the index

Index arrays are operands, in `ids`; the rest of the index is the parameter `index`, as
`fad.ops.index_layout` explains. What is written, y, has the shape of what is read
there. All are linear in x and y and keep the index arrays alone. `unique` promises that
no element is selected twice. An index out of range raises IndexError, as in NumPy.

Public names: the above, `slice_along`, `take_along_axis`, `put_along_axis`, `region`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.dtypes import WEAK_DTYPES
from ..core.ir import Eqn
from ..core.primitive import Plan
from ..core.trace import aval_of, bind
from .batching_rules import at_front, move_to_front
from .comparison import eq, where
from .index_layout import ARRAY, align, assemble, batch_index, layout
from .kinds import Linear, conform
from .scatter_kernels import sum_at
from .shape import transpose

__all__ = [
    "add_at",
    "erase",
    "getitem",
    "put_along_axis",
    "region",
    "scatter",
    "scatter_add",
    "scatter_set",
    "slice_along",
    "take_along_axis",
]


class Indexed(Linear):
    """Linear in its first inputs; the others, any number of them, are the index.

    Attributes:
        transposes: per linear input `(ct, ids, aval of that input, **params)`.
    """

    def __init__(
        self,
        name: str,
        impl: Callable[..., Any],
        transposes: Sequence[Callable[..., Any]],
        **options: Any,
    ) -> None:
        super().__init__(name, impl, [], **options)
        self.transposes = transposes
        self.structural = True

    def is_operand(self, i: int) -> bool:
        return i >= len(self.transposes)

    def make_plan(self, mask: tuple[bool, ...]) -> Plan:
        linear = len(self.transposes)
        if not any(mask[:linear]):
            return Plan(mask, (), (), constant=True)
        return Plan(mask, range(linear, len(mask)), ())

    def pushforward(self, eqn: Eqn, tangents: Sequence[Any]) -> Any:
        parts = tangents[: len(self.transposes)]
        if all(t is None for t in parts):
            return None
        ids = eqn.residuals[::-1]
        full = [
            self.zeros_of(i, eqn, ids) if t is None else t for i, t in enumerate(parts)
        ]
        return conform(bind(self, *full, *ids, **eqn.params), eqn.aval)

    def zeros_of(self, i: int, eqn: Eqn, ids: Sequence[Any]) -> Any:
        """Return zeros in the place of x or y in an operation `(x, y, *ids)`."""
        shape, dtype = eqn.aval.shape, eqn.aval.dtype
        shape = region(shape, eqn.params["index"], ids) if i else shape
        return np.broadcast_to(np.zeros((), dtype), shape)

    def pullback(self, eqn: Eqn, ct: Any, live: Any = None) -> list[Any]:
        ids = eqn.residuals[::-1]
        cts: list[Any] = [None] * len(eqn.inputs)
        for i, rule in enumerate(self.transposes):
            v = eqn.inputs[i]
            if v is not None:
                cts[i] = conform(rule(ct, ids, v.aval, **eqn.params), v.aval)
        return cts


def region(shape: tuple[int, ...], index: Any, ids: Sequence[Any]) -> tuple[int, ...]:
    """Return the shape of what an index selects from an array of `shape`."""
    return layout(shape, index, [aval_of(i).shape for i in ids]).shape


def _getitem(x: Any, *ids: Any, index: Any, unique: bool = False) -> Any:
    if ids:
        index = assemble(index, ids)
    return np.asarray(x)[index] if x.__class__ in WEAK_DTYPES else x[index]


def _batch_getitem(
    size: int, args: Any, dims: Any, *, index: Any, unique: bool = False
) -> tuple[Any, int]:
    x, *ids = args
    if dims[0] is None:
        found = layout(aval_of(x).shape, index, _example_shapes(ids, dims[1:]))
        aligned = align(ids, dims[1:], found.rank)
        return getitem(x, *aligned, index=index), found.start or 0
    x = move_to_front(x, dims[0])
    shape = aval_of(x).shape[1:]
    index, ids, axes = batch_index(size, shape, index, ids, dims[1:])
    out = getitem(x, *ids, index=index, unique=unique)
    if axes is not None:
        out = transpose(out, axes=tuple(np.argsort(axes).tolist()))
    return out, 0


def _example_shapes(ids: Sequence[Any], dims: Sequence[Any]) -> list[Any]:
    shapes = [aval_of(i).shape for i in ids]
    return [
        s if d is None else (*s[:d], *s[d + 1 :])
        for s, d in zip(shapes, dims, strict=True)
    ]


getitem = Indexed(
    "getitem",
    _getitem,
    [lambda ct, ids, like, **index: scatter(ct, *ids, shape=like.shape, **index)],
    infer=lambda x, *ids, index, unique=False: Aval(
        region(x.shape, index, ids), x.dtype
    ),
    batch=_batch_getitem,
)


def _is_view(x: Aval, out: Aval, *, index: Any, unique: bool = False) -> bool:
    """Tell whether NumPy returns a view for a basic index: True and False copy."""
    index = index if isinstance(index, tuple) else (index,)
    if any(isinstance(e, bool) for e in index):
        return False
    return out.shape != () or Ellipsis in index


def add_at(
    out: Any, y: Any, ids: Sequence[Any], *, index: Any, unique: bool = False
) -> None:
    """Add up values at an index of a NumPy array, in place."""
    if unique or not ids:
        out[assemble(index, ids)] += y
    elif np.size(y) * 8 < out.size:
        np.add.at(out, assemble(index, ids), y)
    else:
        out += sum_at(out.shape, np.asarray(y), index, assemble(index, ids))


getitem.view = _is_view


def _scatter(y: Any, *ids: Any, index: Any, shape: Any, unique: bool = False) -> Any:
    y = np.asarray(y)
    if unique or not ids:
        out = np.zeros(shape, y.dtype)
        out[assemble(index, ids)] = y
    else:
        out = sum_at(shape, y, index, assemble(index, ids))
    return out if shape else out[()]


def _batch_scatter(
    size: int, args: Any, dims: Any, *, shape: Any, index: Any, unique: bool = False
) -> tuple[Any, int]:
    y, *ids = args
    y = at_front(size, y, dims[0])
    index, ids, axes = batch_index(size, shape, index, ids, dims[1:])
    y = y if axes is None else transpose(y, axes=tuple(axes))
    return scatter(y, *ids, index=index, shape=(size, *shape), unique=unique), 0


scatter = Indexed(
    "scatter",
    _scatter,
    [lambda ct, ids, like, *, shape, **index: getitem(ct, *ids, **index)],
    infer=lambda y, *ids, index, shape, unique=False: Aval(shape, y.dtype),
    batch=_batch_scatter,
)


def _scatter_add(x: Any, y: Any, *ids: Any, index: Any, unique: bool = False) -> Any:
    out = np.array(x)
    add_at(out, y, ids, index=index, unique=unique)
    return out if out.shape else out[()]


def _scatter_set(x: Any, y: Any, *ids: Any, index: Any, unique: bool = False) -> Any:
    out = np.array(x)
    out[assemble(index, ids)] = y
    return out if out.shape else out[()]


def _batch_writing(prim: Callable[[], Indexed]) -> Callable[..., tuple[Any, int]]:
    """Return the batching rule of a primitive `(x, y, *ids)` that writes y into x."""

    def rule(
        size: int, args: Any, dims: Any, *, index: Any, unique: bool = False
    ) -> tuple[Any, int]:
        x, y, *ids = args
        x, y = at_front(size, x, dims[0]), at_front(size, y, dims[1])
        shape = aval_of(x).shape[1:]
        index, ids, axes = batch_index(size, shape, index, ids, dims[2:])
        y = y if axes is None else transpose(y, axes=tuple(axes))
        return prim()(x, y, *ids, index=index, unique=unique), 0

    return rule


def _infer_writing(x: Aval, y: Aval, *ids: Aval, **params: Any) -> Aval:
    return Aval(x.shape, x.dtype)


scatter_add = Indexed(
    "scatter_add",
    _scatter_add,
    [
        lambda ct, ids, like, **index: ct,
        lambda ct, ids, like, **index: getitem(ct, *ids, **index),
    ],
    infer=_infer_writing,
    batch=_batch_writing(lambda: scatter_add),
)


def _add_over(x: Any, y: Any, *ids: Any, index: Any, unique: bool = False) -> Any:
    add_at(x, y, ids, index=index, unique=unique)
    return x


scatter_add.over = _add_over


def _erase(x: Any, *ids: Any, index: Any, unique: bool = False) -> Any:
    out = np.array(x)
    out[assemble(index, ids)] = 0
    return out if out.shape else out[()]


def _batch_erase(
    size: int, args: Any, dims: Any, *, index: Any, unique: bool = False
) -> tuple[Any, int]:
    x, *ids = args
    x = at_front(size, x, dims[0])
    index, ids, _ = batch_index(size, aval_of(x).shape[1:], index, ids, dims[1:])
    return erase(x, *ids, index=index), 0


erase = Indexed(
    "erase",
    _erase,
    [lambda ct, ids, like, **index: erase(ct, *ids, **index)],
    infer=lambda x, *ids, index, unique=False: Aval(x.shape, x.dtype),
    batch=_batch_erase,
)


def _reread(ct: Any, ids: Any, like: Aval, *, index: Any, unique: bool = False) -> Any:
    """Return a cotangent of the values written: zero where they were overwritten."""
    out = getitem(ct, *ids, index=index, unique=unique)
    if unique or not ids:
        return out
    stays = last_writes(ct.shape, index, ids)
    return where(stays, out, np.zeros((), ct.dtype)[()])


def last_writes(shape: tuple[int, ...], index: Any, ids: Sequence[Any]) -> Any:
    """Return which values written to an array of `shape` at an index stay there."""
    places = region(shape, index, ids)
    order = np.arange(int(np.prod(places))).reshape(places)
    written = scatter_set(np.zeros(shape, order.dtype), order, *ids, index=index)
    return eq(getitem(written, *ids, index=index), order)


scatter_set = Indexed(
    "scatter_set",
    _scatter_set,
    [lambda ct, ids, like, **index: erase(ct, *ids, **index), _reread],
    infer=_infer_writing,
    batch=_batch_writing(lambda: scatter_set),
)


for _prim in (scatter, scatter_add, scatter_set, erase):
    _prim.fresh = True


def slice_along(x: Any, start: int | None, stop: int | None, axis: int) -> Any:
    """Return `x[..., start:stop, ...]` with the slice at `axis`."""
    return getitem(x, index=(slice(None),) * axis + (slice(start, stop),))


def _along(indices: Any, axis: int, shape: tuple[int, ...]) -> tuple[Any, list[Any]]:
    """Return the index of one element per element of `indices`, along an axis."""
    ids: list[Any] = []
    for a, n in enumerate(shape):
        if a != axis:
            width = (1,) * a + (n,) + (1,) * (len(shape) - a - 1)
            ids.append(np.arange(n).reshape(width))
        else:
            ids.append(indices)
    return (ARRAY,) * len(shape), ids


def take_along_axis(x: Any, indices: Any, *, axis: int) -> Any:
    """Return one element of `x` per element of `indices`, matched off the axis.

    Args:
        axis: non-negative.
    """
    index, ids = _along(indices, axis, aval_of(x).shape)
    return getitem(x, *ids, index=index)


def put_along_axis(x: Any, indices: Any, values: Any, *, axis: int) -> Any:
    """Return `x` with values written where `take_along_axis` would read.

    Args:
        values: of the shape of what `take_along_axis` would read, and of x's dtype.
        axis: non-negative.
    """
    index, ids = _along(indices, axis, aval_of(x).shape)
    return scatter_set(x, values, *ids, index=index)
