"""Functions that take elements at an index, and those that write them in place.

Positions may be traced integers. What decides the shape of a result, such as a boolean
condition, has to be known. The writing functions (`put`, `place`, `putmask`, `copyto`,
`fill_diagonal`, `put_along_axis`) change a traced array as NumPy changes a plain one; a
plain array cannot take a traced value, and they say so.

Public names: `take take_along_axis put_along_axis put place putmask copyto
fill_diagonal choose compress extract`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.errors import TracerArrayConversionError
from ..core.source import user_source
from ..core.trace import Tracer, aval_of, concrete_value
from ..ops import indexing as ops
from ..ops import shape
from ..ops.comparison import where
from ..ops.index_layout import ARRAY
from ..ops.infer_rules import broadcast_shapes
from ..ops.inplace import check_writable, overwrite
from ..ops.piecewise import maximum, minimum, mod
from .convert import cast, no_out, operand
from .dispatch import implements
from .index_keys import fit, read
from .manipulation import axis_of
from .rearranging import flat, known, resize, taken

__all__ = [
    "choose",
    "compress",
    "copyto",
    "extract",
    "fill_diagonal",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "take",
    "take_along_axis",
]


def within(indices: Any, n: int, mode: Any) -> Any:
    """Return integer positions, brought into [0, n) as the mode says."""
    indices = operand(indices)
    if isinstance(indices, (np.ndarray, list)) and not np.size(indices):
        indices = np.zeros(np.shape(indices), np.intp)
    if aval_of(indices).dtype.kind not in "iub":
        raise TypeError(
            f"Cannot cast array data from {aval_of(indices).dtype!r} to dtype('int64') "
            "according to the rule 'safe'"
        )
    indices = cast(indices, np.intp)
    if mode == "clip":
        return minimum(maximum(indices, 0), n - 1)
    if mode == "wrap":
        return mod(indices, n)
    if mode != "raise":
        raise ValueError(
            f"mode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})"
        )
    return indices


@implements(np.take)
def take(
    a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise"
) -> Any:
    """Take elements at positions along an axis, of the flattened array by default."""
    no_out("take", out)
    x = operand(a)
    x, axis = (flat(x), 0) if axis is None else (x, axis_of(axis, aval_of(x).ndim))
    n = aval_of(x).shape[axis]
    if not n and aval_of(operand(indices)).size:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    return taken(x, within(indices, n, mode), axis)


def _matched(x: Any, indices: Any, axis: Any) -> tuple[Any, Any, int]:
    """Return operands of the functions that match an array and indices off an axis."""
    x, indices = operand(x), operand(indices)
    if axis is None:
        x, axis = flat(x), 0
    axis = axis_of(axis, aval_of(x).ndim)
    if aval_of(indices).ndim != aval_of(x).ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    if aval_of(indices).dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    return x, indices, axis


@implements(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """Take one element per index, matching the array and the indices off the axis."""
    x, indices, axis = _matched(arr, indices, axis)
    return ops.take_along_axis(x, indices, axis=axis)


@implements(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    """Write values in place where `take_along_axis` reads."""
    target = _target("put_along_axis", arr)
    x, indices, axis = _matched(target, indices, axis)
    aval = aval_of(x)
    rest = (*aval.shape[:axis], 1, *aval.shape[axis + 1 :])
    values = fit(
        values, broadcast_shapes("indices", aval_of(indices).shape, rest), aval.dtype
    )
    new = ops.put_along_axis(x, indices, values, axis=axis)
    overwrite(target, shape.reshape(new, shape=aval_of(target).shape))


def _target(name: str, a: Any) -> Tracer:
    """Return the array to write to, which has to be traced.

    Raises:
        TracerArrayConversionError: it is a plain array.
    """
    if isinstance(a, Tracer):
        check_writable(a)
        return a
    raise TracerArrayConversionError(
        f"{name} was asked to write a traced value into a plain array at "
        f"{user_source()}: the array would not know its derivatives. Two ways out: "
        "write into a traced array, such as fnp.zeros_like(x), or make a new array, "
        "fnp.at(a)[index].set(value)."
    )


@implements(np.put)
def put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> None:
    """Write values in place at positions of the flattened array."""
    target = _target("put", a)
    aval = aval_of(target)
    places = flat(
        within(np.asarray(ind) if np.ndim(ind) == 0 else ind, aval.size, mode)
    )
    count = aval_of(places).size
    if not count:
        return
    values = cast(resize(operand(v), (count,)), aval.dtype)
    new = ops.scatter_set(flat(target), values, places, index=(ARRAY,))
    overwrite(target, shape.reshape(new, shape=aval.shape))


@implements(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    """Write values in place, in order, where a mask is true."""
    places = np.flatnonzero(known(operand(mask), "place", "the mask"))
    vals = operand(vals)
    if places.size and not aval_of(vals).size:
        raise ValueError("Cannot insert from an empty array!")
    put(_target("place", arr), places, vals)


@implements(np.putmask)
def putmask(a: Any, /, mask: Any, values: Any) -> None:
    """Write values in place, those at the same positions, where a mask is true."""
    target = _target("putmask", a)
    aval = aval_of(target)
    mask = operand(mask)
    if aval_of(mask).shape != aval.shape:
        raise ValueError("putmask: mask and data must be the same size")
    new = cast(resize(operand(values), aval.shape), aval.dtype)
    overwrite(target, where(cast(mask, bool), new, target))


@implements(np.copyto)
def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """Write `src` into `dst` in place, where a mask is true."""
    target, src = _target("copyto", dst), operand(src)
    aval, found = aval_of(target), aval_of(src)
    if not found.weak and not np.can_cast(found.dtype, aval.dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {found.dtype!r} to {aval.dtype!r} according "
            f"to the rule {casting!r}"
        )
    new = fit(src, aval.shape, aval.dtype)
    if where is True:
        target[...] = new  # type: ignore[index]
    else:
        overwrite(target, _select(operand(where), new, target))


_select = where


@implements(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write the main diagonal in place, repeating the values as needed."""
    target = _target("fill_diagonal", a)
    aval = aval_of(target)
    if aval.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if aval.ndim == 2:
        step = aval.shape[1] + 1
        end = aval.size if wrap else min(aval.shape[1] ** 2, aval.size)
    else:
        if len(set(aval.shape)) > 1:
            raise ValueError("All dimensions of input must be of equal length")
        step, end = (
            1 + sum(math.prod(aval.shape[:i]) for i in range(1, aval.ndim)),
            aval.size,
        )
    index = (slice(None, end, step),)
    values = resize(operand(val), (len(range(0, end, step)),))
    new = ops.scatter_set(flat(target), cast(values, aval.dtype), index=index)
    overwrite(target, shape.reshape(new, shape=aval.shape))


@implements(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    """Take each element from the choice whose number stands in `a`."""
    no_out("choose", out)
    parts = [operand(c) for c in choices]
    a = within(a, len(parts), mode)
    value = concrete_value(a)
    if value is not None and np.any((np.asarray(value) < 0) | (value >= len(parts))):
        raise ValueError("invalid entry in choice array")
    sizes = broadcast_shapes(
        "choose", aval_of(a).shape, *[aval_of(p).shape for p in parts]
    )
    whole = shape.stack([shape.broadcast_to(p, shape=sizes) for p in parts])
    places = shape.broadcast_to(a, shape=(1, *sizes))
    return shape.index_along(ops.take_along_axis(whole, places, axis=0), 0, 0)


@implements(np.compress)
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Take the elements along an axis for which a condition is true."""
    no_out("compress", out)
    x = operand(a)
    x, axis = (flat(x), 0) if axis is None else (x, axis_of(axis, aval_of(x).ndim))
    mask = np.asarray(known(operand(condition), "compress", "the condition")) != 0
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    n = aval_of(x).shape[axis]
    if mask[n:].any():
        raise IndexError(
            f"index {mask.size - 1} is out of bounds for axis {axis} with size {n}"
        )
    mask = np.concatenate([mask[:n], np.zeros(max(n - mask.size, 0), bool)])
    return read(x, (slice(None),) * axis + (mask,))


@implements(np.extract)
def extract(condition: Any, arr: Any) -> Any:
    """Take the elements of the flattened array for which a condition is true."""
    mask = known(operand(condition), "extract", "the condition")
    return compress(np.ravel(mask), flat(operand(arr)))
