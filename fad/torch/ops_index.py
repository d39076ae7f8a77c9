"""Indexing: reading and writing ``x[...]``.

The basic part of an index gives a view (`fad.torch.index_steps`). Index tensors, lists
and masks then read or write all at once (IndexBackward0, IndexPutBackward0).

Public names: none; the functions are declared into `fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.errors import NonConcreteBooleanIndexError
from ..core.trace import aval_of
from ..numpy.index_keys import added, read, written
from ..ops.indexing import getitem
from .composite import CompositeNode, record_composite
from .declare import as_operand, function
from .dims import axis_of
from .index_steps import (
    SLICE,
    UNSQUEEZE,
    WHOLE,
    advanced,
    basic,
    entries_of,
    select_at,
    slice_at,
    view_at,
)
from .inplace import check_repeats, write_into
from .node import node_type
from .ops_copy import copy_, expand_error, expands, fill_
from .tensor import Tensor
from .views import view_by

__all__: list[str] = []

_ALIAS = node_type("AliasBackward0")
_INDEX = node_type("IndexBackward0", CompositeNode)


def getitem_of(self: Tensor, key: Any) -> Tensor:
    """Return what an index selects: a view, or a copy for index tensors."""
    if key.__class__ is int:
        return select_at(self, 0, key)
    if key.__class__ is slice:
        return _only_slice(self, key)
    view, rest = basic(self, entries_of(self, key))
    operands, key_of = advanced(rest)
    if operands:
        return _read(view, operands, key_of)
    if view is self:
        return view_by(getitem, _ALIAS, self, {"index": (Ellipsis,)})
    return view


def _only_slice(x: Tensor, key: slice) -> Tensor:
    """Return a slice, which is a node even where it takes everything."""
    if not x.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    out = slice_at(x, 0, key)
    return view_at(x, SLICE, 0, WHOLE) if out is x else out


def _read(x: Tensor, operands: Sequence[Any], key_of: Callable[..., Any]) -> Tensor:
    try:
        found: Tensor = record_composite(
            _INDEX, lambda x, *ids: read(x, key_of(ids)), [x, *operands]
        )
    except NonConcreteBooleanIndexError:
        raise
    except IndexError as error:
        raise _as_torch(error, x, operands) from error
    return found


def _as_torch(error: IndexError, x: Tensor, operands: Sequence[Any]) -> IndexError:
    """Say an error of an index as PyTorch does."""
    text = str(error)
    shapes = [list(aval_of(getattr(o, "value", o)).shape) for o in operands]
    if "boolean index" in text:
        return IndexError(
            f"The shape of the mask {shapes[0]} at index 0 does not match the shape of "
            f"the indexed tensor {list(x.shape)} at index 0"
        )
    if "shape mismatch" in text:
        listed = ", ".join(str(s) for s in shapes)
        return IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with "
            f"shapes {listed}"
        )
    return IndexError(text.replace("for axis", "for dimension"))


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """Write at an index; a view of the tensor is written through."""
    if key.__class__ is slice:
        view, rest = _only_slice(self, key), []
    elif key.__class__ is int:
        view, rest = select_at(self, 0, key), []
    else:
        view, rest = basic(self, entries_of(self, key))
    operands, key_of = advanced(rest)
    if operands:
        _put(view, operands, key_of, value)
        return
    if view is self:
        view = view_by(getitem, _ALIAS, self, {"index": (Ellipsis,)})
    if isinstance(value, Tensor):
        value = _without_leading(value, view.ndim)
        if not expands(value.shape, view.shape):
            raise RuntimeError(expand_error(view, value))
        copy_(view, value)
    else:
        check_repeats(view.value)
        fill_(view, value)


def _without_leading(value: Tensor, rank: int) -> Tensor:
    """Drop dimensions of length 1 in front, as assignment does."""
    while value.ndim > rank and value.shape[0] == 1:
        value = select_at(value, 0, 0)
    return value


_PUT = node_type("IndexPutBackward0", CompositeNode)


def _put(
    x: Tensor,
    operands: Sequence[Any],
    key_of: Callable[..., Any],
    value: Any,
    accumulate: bool = False,
) -> Tensor:
    write = added if accumulate else written

    def put(x: Tensor, value: Any) -> Any:
        try:
            return record_composite(
                _PUT, lambda x, v, *ids: write(x, key_of(ids), v), [x, value, *operands]
            )
        except ValueError as error:
            raise _put_mismatch(x, operands, value) from error

    return write_into(x, put, (as_operand(value),), {})


def _put_mismatch(x: Tensor, operands: Sequence[Any], value: Any) -> RuntimeError:
    shape = list(value.shape) if isinstance(value, Tensor) else []
    target = list(_read(x, operands, lambda ids: tuple(ids)).shape)
    return RuntimeError(
        f"shape mismatch: value tensor of shape {shape} cannot be broadcast to "
        f"indexing result of shape {target}"
    )


@function("index_put", inplace=True, out=False)
def index_put(
    input: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False
) -> Tensor:
    """Return a copy with values written, or added, at index tensors."""
    write = added if accumulate else written
    operands, key_of = advanced([WHOLE if i is None else i for i in indices])
    out: Tensor = record_composite(
        _PUT,
        lambda x, v, *ids: write(x, key_of(ids), v),
        [input, values, *operands],
    )
    return out


@function("select", out=False)
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return a view at one index of a dimension."""
    if not input.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis, index = axis_of(dim, input.ndim), int(index)
    n = input.shape[axis]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size "
            f"{list(input.shape)} at dimension {axis}"
        )
    return select_at(input, axis, index)


@function("narrow", out=False)
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a view of `length` indices of a dimension from `start` on."""
    axis = axis_of(dim, input.ndim)
    n = input.shape[axis]
    start = int(start)
    if not -n <= start <= n:
        raise IndexError(
            f"start out of range (expected to be in range of [{-n}, {n}], but got "
            f"{start})"
        )
    begin = start % n if start < 0 else start
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if begin + length > n:
        raise RuntimeError(
            f"start ({start}) + length ({length}) exceeds dimension size ({n})."
        )
    return view_at(input, SLICE, axis, slice(begin, begin + length))


@function("unsqueeze", out=False)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Return a view with one more dimension, of length 1."""
    return view_at(input, UNSQUEEZE, axis_of(dim, input.ndim + 1), None)


Tensor.__getitem__ = getitem_of  # type: ignore[attr-defined]
Tensor.__setitem__ = setitem  # type: ignore[attr-defined]
