"""In-place assignment on tracers: functional updates, written back to the root.

Writing into `y = x[1:].T` gives y a new value, then x[1:] by the transpose's inverse,
then x by a scatter. Each operation that makes views says here how a new value of the
view becomes a new value of its base.

A tracer takes values of its own trace or of outer ones. A value of an inner trace would
change the outer array while the inner function runs, which is a side effect that its
transform cannot follow, so that raises `InPlaceError`.

Public names: `assign`, `overwrite`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.errors import InPlaceError
from ..core.trace import Tracer, aval_of, concrete_value
from ..core.views import maybe_shared, rebind, root_of
from .arithmetic import complex_, imag, real
from .creation import zeros_like
from .indexing import getitem, scatter_set
from .shape import broadcast_to as broadcast
from .shape import diagonal, flip, invert_axes, reshape, transpose

__all__ = ["assign", "overwrite"]


def assign(
    target: Tracer,
    value: Any,
    index: Any,
    ids: Sequence[Any] = (),
    unique: bool = False,
) -> None:
    """Write `target[index] = value`, with index arrays `ids` as in `fad.ops.indexing`.

    Args:
        value: of the shape of what is read at the index, and of the target's dtype.

    Raises:
        InPlaceError: the write has no faithful meaning, see `overwrite`.
    """
    check_writable(target)
    overwrite(target, scatter_set(target, value, *ids, index=index, unique=unique))


def overwrite(target: Tracer, value: Any) -> None:
    """Give `target` a new value in place, seen by all that share its memory.

    Args:
        value: of the target's shape and dtype.

    Raises:
        InPlaceError: `target` is read-only in NumPy, or whether it is a view depends on
            what is not known, or `value` belongs to an inner transform.
    """
    check_writable(target)
    root, chain = root_of(target)
    for view in reversed(chain):
        value = _WRITE_BACK[view.prim](view.base, value, **view.params)
    if isinstance(value, Tracer) and value.owner.level > root.owner.level:
        raise InPlaceError(
            f"A value {aval_of(value)!r} of an inner {value.owner.name} was assigned "
            f"into an array {aval_of(target)!r} of an outer {root.owner.name}. The "
            "inner function would change what is outside of it. Make a new array "
            "inside, out = out.at[index].set(value), and return it."
        )
    traced_here = isinstance(value, Tracer) and value.owner is root.owner
    if not (traced_here and _same_layout(root, value)):
        aval = aval_of(root)
        box = zeros_like(root, shape=aval.shape, dtype=aval.dtype)
        value = scatter_set(box, value, index=(Ellipsis,))
        if not _same_layout(root, value):
            value = scatter_set(root, value, index=(Ellipsis,))
    rebind(root, value)


def check_writable(target: Tracer) -> None:
    """Raise if NumPy would not write to `target`, or not surely to what it shows."""
    if not target.owner.open:
        target.owner.escaped("in-place assignment")
    for view in root_of(target)[1]:
        read_only = view.prim in (broadcast, diagonal)
        if read_only or (view.prim is imag and aval_of(view.base).dtype.kind != "c"):
            raise InPlaceError(
                f"assignment destination is read-only: {view.prim.name} returns a "
                "read-only view. Write to what it was made from, or make a copy, "
                "fnp.copy(y), and write to that."
            )
        if not view.certain:
            raise InPlaceError(maybe_shared(view))
        if view.prim not in _WRITE_BACK:
            raise InPlaceError(
                f"In-place write through {view.prim.name}, which returns a view in "
                "NumPy: this is not supported. Write to what it was made from, or make "
                "a new array, y = y.at[index].set(value)."
            )


def _same_layout(old: Any, new: Any) -> bool:
    """Tell whether a new value has the memory order of the old: views depend on it."""
    a, b = concrete_value(old), concrete_value(new)
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
        return True
    wide = [i for i, n in enumerate(a.shape) if n > 1]
    return all(a.strides[i] == b.strides[i] for i in wide)


def _write_real(base: Any, new: Any) -> Any:
    return complex_(new, imag(base)) if aval_of(base).dtype.kind == "c" else new


_WRITE_BACK: dict[Any, Callable[..., Any]] = {
    getitem: lambda base, new, **params: scatter_set(base, new, **params),
    reshape: lambda base, new, *, shape: reshape(new, shape=aval_of(base).shape),
    transpose: lambda base, new, *, axes: transpose(new, axes=invert_axes(axes)),
    flip: lambda base, new, *, axis: flip(new, axis=axis),
    real: _write_real,
    imag: lambda base, new: complex_(real(base), new),
}
"""Per view-making primitive `(base, new value of the view, **params) -> new base`."""
