"""Taking an index apart: its basic entries become views, one step for each.

An integer selects, a slice slices, None unsqueezes, each with PyTorch's node; index
tensors, lists and masks are left over (`advanced`).

Public names: `basic`, `advanced`, `entries_of`, `select_at`, `slice_at`, `view_at`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..ops.indexing import getitem
from .node import node_type
from .tensor import Tensor
from .views import view_by

__all__ = ["advanced", "basic", "entries_of", "select_at", "slice_at", "view_at"]

SELECT = node_type("SelectBackward0")
SLICE = node_type("SliceBackward0")
UNSQUEEZE = node_type("UnsqueezeBackward0")
WHOLE = slice(None)


def view_at(x: Tensor, cls: type, dim: int, entry: Any) -> Tensor:
    index = ((WHOLE,) * dim) + (entry, Ellipsis)
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
    out = view_at(x, SELECT, dim, i)
    if out.payload is not None and out.payload.extra is None:
        out.payload.extra = {"dim": dim, "index": i % n}
    return out


def slice_at(x: Tensor, dim: int, s: slice) -> Tensor:
    """Return a view of a slice of a dimension."""
    start, stop, step = (_whole_number(v) for v in (s.start, s.stop, s.step))
    if step is not None and step <= 0:
        raise ValueError("step must be greater than zero")
    if (
        start in (None, 0)
        and step in (None, 1)
        and (stop is None or stop >= x.shape[dim])
    ):
        return x
    return view_at(x, SLICE, dim, slice(start, stop, step))


def _whole_number(v: Any) -> int | None:
    return None if v is None else int(v.__index__())


def _is_static(e: Any) -> bool:
    if isinstance(e, Tensor):
        return (
            e.ndim == 0
            and isinstance(e.value, np.ndarray)
            and e.value.dtype.kind in "iu"
        )
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


def entries_of(x: Tensor, key: Any) -> list[Any]:
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
            full += [WHOLE] * (x.ndim - width)
        else:
            full.append(e)
    return full


_SCALAR = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
    "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
)


def basic(x: Tensor, entries: Sequence[Any]) -> tuple[Tensor, list[Any]]:
    """Apply the basic entries; return the view and the index that is left."""
    rest: list[Any] = []
    dim = 0
    for e in entries:
        if not _is_static(e):
            rest.append(e)
            dim += _width(e)
            continue
        if e is None:
            x = view_at(x, UNSQUEEZE, dim, None)
        elif isinstance(e, slice):
            x = slice_at(x, dim, e)
        else:
            x = select_at(x, dim, _index_number(e))
            continue
        rest.append(WHOLE)
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


def advanced(rest: Sequence[Any]) -> tuple[list[Any], Callable[..., Any]]:
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
