"""What stands between the brackets: NumPy's indices, taken apart.

`parse` divides `x[key]` into the static index and the index arrays that the operations
of `fad.ops.indexing` take. A boolean array is an operand of its own when it is all that
is indexed, `x[mask]` or `x[:, mask]`, and else becomes the positions of its true
elements. Its values have to be known, except to write something over all of `x[mask]`.

Public names: `Key`, `parse`, `positions`, `read`, `written`, `added`, `fit`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import TracerArrayConversionError
from ..core.trace import Tracer, aval_of, concrete_value
from ..ops.comparison import where
from ..ops.index_layout import ARRAY
from ..ops.indexing import getitem, region, scatter_add, scatter_set
from ..ops.masks import refuse_traced_mask, select
from ..ops.shape import broadcast_to, reshape
from .convert import array_from, cast

__all__ = ["Key", "added", "fit", "parse", "positions", "read", "written"]

_STATIC = frozenset([int, slice, type(None), type(Ellipsis), bool])


class Key(NamedTuple):
    """An index taken apart.

    Attributes:
        index, ids, unique: as the operations of `fad.ops.indexing` take them.
        mask: a boolean array that is all of the index but for full slices, or None.
        axis: the number of full slices in front of the mask.
    """

    index: tuple[Any, ...]
    ids: tuple[Any, ...] = ()
    unique: bool = True
    mask: Any = None
    axis: int = 0


def parse(key: Any, shape: tuple[int, ...]) -> Key:
    """Take the index of an array of `shape` apart.

    Raises:
        IndexError: it is no index in NumPy, or a mask does not fit.
    """
    entries = key if key.__class__ is tuple else (key,)
    for e in entries:
        if e.__class__ not in _STATIC:
            return _parse_arrays([_entry(e) for e in entries], shape)
    return Key(entries)


def _entry(e: Any) -> Any:
    """Return a part of an index as a static entry or an array."""
    if e.__class__ in _STATIC:
        return e
    if isinstance(e, (np.integer, np.bool_)):
        return e.item()
    array = e if e.__class__ is np.ndarray else _as_array(e)
    kind = aval_of(array).dtype.kind
    if isinstance(e, (list, tuple)) and not len(e):
        return np.zeros(aval_of(array).shape, np.intp)
    if kind not in "iub":
        if isinstance(e, (np.ndarray, list, tuple, Tracer)) and aval_of(array).shape:
            raise IndexError(
                "arrays used as indices must be of integer (or boolean) type"
            )
        try:
            return operator.index(e)
        except TypeError:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) "
                "and integer or boolean arrays are valid indices"
            ) from None
    if kind == "b" and aval_of(array).shape == () and not isinstance(array, Tracer):
        return bool(array)
    return array


def _as_array(e: Any) -> Any:
    try:
        return e if isinstance(e, Tracer) else np.asarray(e)
    except TracerArrayConversionError:
        return array_from(e)  # a list with traced elements


def _parse_arrays(entries: Sequence[Any], shape: tuple[int, ...]) -> Key:
    masks = [i for i, e in enumerate(entries) if _is_mask(e)]
    if not masks:
        return _collect(entries, unique=False)
    entries = _check_masks(entries, shape)
    (only, *more) = [i for i, e in enumerate(entries) if _is_mask(e)]
    others = [e for i, e in enumerate(entries) if i != only]
    if not more and all(isinstance(e, slice) and e == slice(None) for e in others):
        return Key((), mask=entries[only], axis=only)
    single = not more and not any(_is_array(e) for e in others)
    spread: list[Any] = []
    for e in entries:
        if _is_mask(e):
            refuse_traced_mask(isinstance(e, Tracer), e)
            spread += e.nonzero()
        else:
            spread.append(e)
    return _collect(spread, unique=single)


def _is_array(e: Any) -> bool:
    return e.__class__ not in _STATIC


def _is_mask(e: Any) -> bool:
    return _is_array(e) and aval_of(e).dtype.kind == "b"


def _collect(entries: Sequence[Any], unique: bool) -> Key:
    ids = tuple([e for e in entries if _is_array(e)])
    return Key(tuple([ARRAY if _is_array(e) else e for e in entries]), ids, unique)


def _check_masks(entries: Sequence[Any], shape: tuple[int, ...]) -> list[Any]:
    """Write out the Ellipsis, and check masks against the axes they index."""
    widths = [_width(e) for e in entries]
    fill = len(shape) - sum(widths)
    if fill < 0:
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but "
            f"{sum(widths)} were indexed"
        )
    full: list[Any] = []
    axis = 0
    for e, width in zip(entries, widths, strict=True):
        if e is Ellipsis:
            full += [slice(None)] * fill
            axis += fill
            continue
        if _is_mask(e):
            _check_mask(aval_of(e).shape, axis, shape)
        full.append(e)
        axis += width
    return full


def _width(e: Any) -> int:
    """Return how many axes an entry is about."""
    if _is_mask(e):
        return len(aval_of(e).shape)
    return 0 if e is None or e is Ellipsis or isinstance(e, bool) else 1


def _check_mask(mask: tuple[int, ...], axis: int, shape: tuple[int, ...]) -> None:
    for i, n in enumerate(mask):
        if shape[axis + i] != n:
            raise IndexError(
                "boolean index did not match indexed array along axis "
                f"{axis + i}; size of axis is {shape[axis + i]} but size of "
                f"corresponding boolean axis is {n}"
            )


def read(x: Any, key: Any) -> Any:
    """Return `x[key]`."""
    index, ids, unique, mask, axis = parse(key, aval_of(x).shape)
    if mask is not None:
        mask = _known(mask)
        return select(x, mask, axis=axis, count=int(np.count_nonzero(mask)))
    if not ids:
        return getitem(x, index=index)
    return getitem(x, *ids, index=index, unique=unique)


def _known(mask: Any) -> Any:
    """Return a boolean index as a plain array, if its values are known."""
    if isinstance(mask, Tracer):
        value = concrete_value(mask)
        refuse_traced_mask(value is None, mask)
        return value
    return mask


def written(x: Any, key: Any, value: Any) -> Any:
    """Return `x` with `value` written at `key`, cast and broadcast as NumPy does."""
    found = parse(key, aval_of(x).shape)
    if found.mask is not None:
        value = value if isinstance(value, Tracer) else array_from(value)
        if len(aval_of(value).shape) <= len(aval_of(x).shape) - _mask_end(found):
            return _written_where(x, found, value)
    index, ids, unique, _, _ = positions(found)
    aval = aval_of(x)
    value = fit(value, region(aval.shape, index, ids), aval.dtype)
    return scatter_set(x, value, *ids, index=index, unique=unique)


def _mask_end(key: Key) -> int:
    return key.axis + len(aval_of(key.mask).shape)


def _written_where(x: Any, key: Key, value: Any) -> Any:
    """Write a value that is the same for every true element of the mask."""
    aval = aval_of(x)
    after = len(aval.shape) - _mask_end(key)
    fitted = fit(value, aval.shape[_mask_end(key) :], aval.dtype)
    mask_shape = aval_of(key.mask).shape
    mask = reshape(key.mask, shape=(*mask_shape, *(1,) * after))
    return where(mask, fitted, x)


def positions(key: Key) -> Key:
    """Return a key with a mask as one with index arrays, any other as it is."""
    if key.mask is None:
        return key
    ids = _known(key.mask).nonzero()
    index = (slice(None),) * key.axis + (ARRAY,) * len(ids)
    return Key(index, ids, unique=True)


def added(x: Any, key: Any, value: Any) -> Any:
    """Return `x` with `value` added at `key`, once for every time it is selected."""
    index, ids, unique, _, _ = positions(parse(key, aval_of(x).shape))
    aval = aval_of(x)
    value = fit(value, region(aval.shape, index, ids), aval.dtype)
    return scatter_add(x, value, *ids, index=index, unique=unique)


def fit(value: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Cast and broadcast a value as NumPy's assignment does.

    Raises:
        ValueError: it does not broadcast to `shape`.
        TypeError: Python cannot convert it.
    """
    if isinstance(value, (list, tuple)):
        value = array_from(value)
    if not isinstance(value, Tracer):
        scalar = np.ndim(value) == 0
        out = np.empty(() if scalar else shape, dtype)
        out[...] = value
        return np.broadcast_to(out, shape) if scalar else out
    value = cast(value, dtype)
    have = value.shape
    while len(have) > len(shape) and have[0] == 1:
        have = have[1:]
    if have != value.shape:
        value = reshape(value, shape=have)
    if have != shape:
        _check_broadcast(have, shape)
        value = broadcast_to(value, shape=shape)
    return value


def _check_broadcast(have: tuple[int, ...], shape: tuple[int, ...]) -> None:
    if len(have) > len(shape) or any(
        m not in (1, n) for m, n in zip(have[::-1], shape[::-1], strict=False)
    ):
        raise ValueError(
            f"could not broadcast input array from shape {have} into shape {shape}"
        )
