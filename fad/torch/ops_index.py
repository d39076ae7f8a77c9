"""Indexing: reading and writing ``x[...]``, copy_, fill_ and zero_.

A basic index is taken apart into steps, each a view with PyTorch's node: an integer
selects, a slice slices, None unsqueezes. Index tensors, lists and masks then read or
write all at once (IndexBackward0, IndexPutBackward0).

Public names: `select`, `slice_of`, `unsqueeze`; the functions are declared into
`fad.torch` and on `Tensor`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..numpy.index_keys import added, read, written
from ..ops.arithmetic import convert
from ..ops.comparison import where
from ..ops.indexing import getitem
from ..ops.shape import broadcast_to
from .composite import CompositeNode, record_composite
from .declare import as_operand, composite, function, method, size_mismatch
from .dims import axis_of
from .inplace import write_into
from .node import node_type
from .tensor import Tensor
from .views import view_by

__all__ = ["select_at", "slice_at"]

_SELECT = node_type("SelectBackward0")
_SLICE = node_type("SliceBackward0")
_UNSQUEEZE = node_type("UnsqueezeBackward0")
_ALIAS = node_type("AliasBackward0")
_WHOLE = slice(None)


def _step(x: Tensor, cls: type, dim: int, entry: Any) -> Tensor:
    index = ((_WHOLE,) * dim) + (entry, Ellipsis)
    return view_by(getitem, cls, x, {"index": index})


def select_at(x: Tensor, dim: int, i: int) -> Tensor:
    """Return a view at one index of a dimension."""
    if not x.value.shape and not i:
        raise IndexError(_SCALAR)
    n = x.shape[dim] if x.value.shape else 0
    if not -n <= i < n:
        raise IndexError(
            f"index {i} is out of bounds for dimension {dim} with size {n}"
        )
    out = _step(x, _SELECT, dim, i)
    if out.payload is not None and out.payload.extra is None:
        out.payload.extra = {"dim": dim, "index": i % n}
    return out


def slice_at(x: Tensor, dim: int, s: slice) -> Tensor:
    """Return a view of a slice of a dimension."""
    start, stop, step = (_whole_number(v) for v in (s.start, s.stop, s.step))
    if step is not None and step <= 0:
        raise ValueError("step must be greater than zero")
    if start in (None, 0) and step in (None, 1) and (stop is None or stop >= x.shape[dim]):
        return x
    return _step(x, _SLICE, dim, slice(start, stop, step))


def _whole_number(v: Any) -> int | None:
    return None if v is None else int(v.__index__())


def _is_static(e: Any) -> bool:
    if isinstance(e, Tensor):
        return e.ndim == 0 and isinstance(e.value, np.ndarray) and e.value.dtype.kind in "iu"
    return not isinstance(e, (list, tuple, np.ndarray, bool, np.bool_, Tracer, range))


def _width(e: Any) -> int:
    """Return how many dimensions an entry is about."""
    if e is None or e is Ellipsis or isinstance(e, (bool, np.bool_)):
        return 0
    if isinstance(e, Tensor) and e.aval.dtype.kind in "b":
        return e.ndim
    if isinstance(e, np.ndarray) and e.dtype.kind == "b":
        return e.ndim
    return 1


def _entries(x: Tensor, key: Any) -> list[Any]:
    """Return the parts of an index, with the Ellipsis written out."""
    parts = list(key) if isinstance(key, tuple) else [key]
    if isinstance(key, list) and any(isinstance(k, (slice, tuple)) for k in key):
        parts = list(key)
    width = sum(_width(e) for e in parts)
    if width > x.ndim:
        raise IndexError(f"too many indices for tensor of dimension {x.ndim}")
    full: list[Any] = []
    for e in parts:
        if e is Ellipsis:
            full += [_WHOLE] * (x.ndim - width)
        else:
            full.append(e)
    return full


_SCALAR = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
    "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
)


def _basic(x: Tensor, entries: Sequence[Any]) -> tuple[Tensor, list[Any]]:
    """Apply the basic entries; return the view and the index that is left."""
    rest: list[Any] = []
    dim = 0
    for e in entries:
        if not _is_static(e):
            rest.append(e)
            dim += _width(e)
            continue
        if e is None:
            x = _step(x, _UNSQUEEZE, dim, None)
        elif isinstance(e, slice):
            x = slice_at(x, dim, e)
        else:
            x = select_at(x, dim, _index_number(e))
            continue
        rest.append(_WHOLE)
        dim += 1
    return x, rest


def _index_number(e: Any) -> int:
    try:
        return int(e.__index__())
    except (AttributeError, TypeError):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte "
            f"Variables are valid indices (got {type(e).__name__})"
        ) from None


def _advanced(rest: Sequence[Any]) -> tuple[list[Any], Callable[..., Any]]:
    """Return the index tensors, and a function from their values to the key."""
    boxes = [e for e in rest if not isinstance(e, slice)]
    operands = [_as_index(b) for b in boxes]

    def key_of(ids: Sequence[Any]) -> tuple[Any, ...]:
        found = iter(ids)
        return tuple([e if isinstance(e, slice) else next(found) for e in rest])

    return operands, key_of


def _as_index(e: Any) -> Any:
    if isinstance(e, (bool, np.bool_)):
        return np.asarray(e)
    if isinstance(e, (list, tuple, range)):
        e = np.asarray([_plain(v) for v in e])
        e = e.astype(np.int64) if not e.size else e
    kind = aval_of(e.value if isinstance(e, Tensor) else e).dtype.kind
    if kind not in "iub":
        raise IndexError(
            "tensors used as indices must be long, int, byte or bool tensors"
        )
    return e


def _plain(v: Any) -> Any:
    if isinstance(v, Tensor):
        return v.tolist()
    return [_plain(w) for w in v] if isinstance(v, (list, tuple)) else v


_INDEX = node_type("IndexBackward0", CompositeNode)


def getitem_of(self: Tensor, key: Any) -> Tensor:
    """Return what an index selects: a view, or a copy for index tensors."""
    if key.__class__ is int:
        return select_at(self, 0, key)
    if key.__class__ is slice:
        return _only_slice(self, key)
    view, rest = _basic(self, _entries(self, key))
    operands, key_of = _advanced(rest)
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
    return _step(x, _SLICE, 0, _WHOLE) if out is x else out


def _read(
    x: Tensor, operands: Sequence[Any], key_of: Callable[..., Any]
) -> Tensor:
    try:
        found: Tensor = record_composite(
            _INDEX, lambda x, *ids: read(x, key_of(ids)), [x, *operands]
        )
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
        view, rest = _basic(self, _entries(self, key))
    operands, key_of = _advanced(rest)
    if operands:
        _put(view, operands, key_of, value)
        return
    if view is self:
        view = view_by(getitem, _ALIAS, self, {"index": (Ellipsis,)})
    if isinstance(value, Tensor):
        value = _without_leading(value, view.ndim)
        if not _expands(value.shape, view.shape):
            raise RuntimeError(_expand_error(view, value))
        copy_(view, value)
    else:
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
        f"shape mismatch: value tensor of shape {shape} cannot be broadcast to indexing "
        f"result of shape {target}"
    )


@function("index_put", inplace=True, out=False)
def index_put(
    input: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False
) -> Tensor:
    """Return a copy with values written, or added, at index tensors."""
    write = added if accumulate else written
    operands, key_of = _advanced([_WHOLE if i is None else i for i in indices])
    out: Tensor = record_composite(
        _PUT,
        lambda x, v, *ids: write(x, key_of(ids), v),
        [input, values, *operands],
    )
    return out


def _over(x: Any, source: Any) -> Any:
    """Return `source` in the shape and dtype of x, whose gradient is then zero."""
    aval = aval_of(x)
    if aval_of(source).dtype != aval.dtype:
        source = convert(source, dtype=aval.dtype)
    if aval_of(source).shape != aval.shape:
        source = broadcast_to(source, shape=aval.shape)
    return where(False, x, source) if isinstance(x, Tracer) else source


_COPIED = composite("CopyBackwards", _over)
_FILLED = composite("FillBackward2", _over)
_FILLED_BY = composite("FillBackward3", _over)
_ZEROED = composite("ZeroBackward0", _over)


@method()
def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Write the values of another tensor, broadcast and converted."""
    source = src if isinstance(src, Tensor) else as_operand(src)

    def copied(x: Tensor, source: Tensor) -> Tensor:
        try:
            out: Tensor = _COPIED(x, _real(source, x))
        except ValueError as error:
            raise RuntimeError(size_mismatch(x, source) or str(error)) from error
        return out

    return write_into(self, copied, (source,), {})


def _real(source: Tensor, target: Tensor) -> Tensor:
    if source.aval.dtype.kind == "c" and target.aval.dtype.kind != "c":
        return source.real
    return source


def _expands(given: Sequence[int], target: Sequence[int]) -> bool:
    """Tell whether a shape can be expanded to another."""
    if len(given) > len(target):
        return False
    tail = target[len(target) - len(given) :]
    return all(m in (1, n) for m, n in zip(given, tail, strict=True))


def _expand_error(x: Tensor, source: Tensor) -> str:
    mine, given = list(x.shape), list(source.shape)
    if len(given) > len(mine):
        return (
            f"expand(torch.{source.dtype.title}Tensor{{{given}}}, size={mine}): the number "
            f"of sizes provided ({len(mine)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(given)})"
        )
    for i in range(1, len(given) + 1):
        if given[-i] not in (1, mine[-i]):
            return (
                f"The expanded size of the tensor ({mine[-i]}) must match the existing "
                f"size ({given[-i]}) at non-singleton dimension {len(mine) - i}.  Target "
                f"sizes: {mine}.  Tensor sizes: {given}"
            )
    return "the sizes do not match"


@method()
def fill_(self: Tensor, value: Any) -> Tensor:
    """Write one value everywhere."""
    value = as_operand(value)
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                "fill_ only supports 0-dimension value tensor but got tensor with "
                f"{value.ndim} dimensions."
            )
        return write_into(self, _FILLED_BY, (value,), {})
    return write_into(self, _FILLED, (_as_array(value, self),), {})


def _as_array(value: Any, x: Tensor) -> Any:
    return np.asarray(value).astype(aval_of(x.value).dtype)


@method()
def zero_(self: Tensor) -> Tensor:
    """Write zeros everywhere."""
    return write_into(self, _ZEROED, (_as_array(0, self),), {})


@function("select", out=False)
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return a view at one index of a dimension."""
    if not input.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    return select_at(input, axis_of(dim, input.ndim), int(index))


@function("narrow", out=False)
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a view of `length` indices of a dimension from `start` on."""
    axis = axis_of(dim, input.ndim)
    n = input.shape[axis]
    start = int(start)
    if not -n <= start <= n:
        raise IndexError(
            f"start out of range (expected to be in range of [{-n}, {n}], but got {start})"
        )
    begin = start % n if start < 0 else start
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if begin + length > n:
        raise RuntimeError(
            f"start ({start}) + length ({length}) exceeds dimension size ({n})."
        )
    return _step(input, _SLICE, axis, slice(begin, begin + length))


@function("unsqueeze", out=False)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Return a view with one more dimension, of length 1."""
    return _step(input, _UNSQUEEZE, axis_of(dim, input.ndim + 1), None)


Tensor.__getitem__ = getitem_of  # type: ignore[attr-defined]
Tensor.__setitem__ = setitem  # type: ignore[attr-defined]
