"""Keys: arrays of two uint64, from which all random numbers are functions.

>>> from fad import random
>>> key = random.key(0)
>>> first, second = random.split(key)
>>> float(random.uniform(first)) == float(random.uniform(second))
False

Public names: `key PRNGKey split fold_in key_data wrap_key_data clone bits`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..core.trace import Tracer, aval_of
from ..numpy.convert import operand
from ..ops import philox
from ..ops.arithmetic import convert
from ..ops.comparison import right_shift
from ..ops.shape import reshape, stack

__all__ = [
    "PRNGKey",
    "bits",
    "clone",
    "fold_in",
    "key",
    "key_data",
    "split",
    "wrap_key_data",
]

_MASK = (1 << 64) - 1


def key(seed: Any) -> Any:
    """Return the key of a seed, an array of shape (2,).

    Args:
        seed: an integer of any size (the lowest 128 bits count), or an integer scalar,
            which may be traced.

    Raises:
        TypeError: the seed is not an integer.

    >>> from fad import random
    >>> random.key(7)
    array([7, 0], dtype=uint64)
    """
    if isinstance(seed, (int, np.integer)):
        number = int(seed)
        return np.array([number & _MASK, number >> 64 & _MASK], np.uint64)
    seed = operand(seed)
    aval = aval_of(seed)
    if aval.dtype.kind not in "iu" or aval.shape:
        raise TypeError(f"random.key: a seed is one integer, got {aval!r}")
    low = convert(seed, dtype=philox.UINT64)
    if aval.dtype.kind == "u":
        return stack([low, np.uint64(0)])
    sign = right_shift(seed, 8 * aval.dtype.itemsize - 1)  # 0 or -1
    return stack([low, convert(sign, dtype=philox.UINT64)])


PRNGKey = key


def check_key(name: str, key: Any) -> Any:
    """Return a key as a value of operations.

    Raises:
        TypeError: it is not an array of uint64 with two words.
    """
    if isinstance(key, (int, float, np.random.Generator)):
        raise TypeError(
            f"random.{name} takes a key first, got {key!r:.60}. Make one by "
            "fad.random.key(seed), and new ones from it by fad.random.split(key)"
        )
    found = operand(key)
    aval = aval_of(found)
    if aval.dtype != philox.UINT64 or aval.shape[-1:] != (2,):
        raise TypeError(
            f"random.{name}: a key is an array of shape (2,) and dtype uint64, as "
            f"fad.random.key(seed) returns, got {aval!r}"
        )
    return found


def single_key(name: str, key: Any) -> Any:
    """Return one key; an array of several is refused.

    Raises:
        ValueError: there are several keys.
    """
    found = check_key(name, key)
    shape = aval_of(found).shape
    if shape != (2,):
        raise ValueError(
            f"random.{name} takes one key, got an array of keys of shape {shape[:-1]}. "
            f"For numbers from each, use fad.vmap(lambda key: fad.random.{name}(key))"
        )
    return found


def shape_of(name: str, shape: Any) -> tuple[int, ...]:
    """Return a shape as a tuple of ints.

    Raises:
        TypeError: it depends on traced values.
        ValueError: it is negative.
    """
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    if any(isinstance(n, Tracer) for n in sizes):
        raise TypeError(
            f"random.{name}: shapes are static, but {shape!r:.80} is traced. Compute "
            "it outside of the transformed function"
        )
    out = tuple([operator.index(n) for n in sizes])
    if any(n < 0 for n in out):
        raise ValueError(f"random.{name}: negative sizes in the shape {out}")
    return out


def split(key: Any, num: int | Sequence[int] = 2) -> Any:
    """Return new keys, independent of each other and of the key's numbers.

    Args:
        key: used up by this: draw from the new keys only.
        num: how many, or a shape.

    Returns:
        An array of keys of shape (num, 2).

    >>> from fad import random
    >>> random.split(random.key(0), 3).shape
    (3, 2)
    """
    key = single_key("split", key)
    shape = shape_of("split", num)
    count = np.arange(prod(shape), dtype=np.uint64).reshape(shape)
    return philox.random_fold(key, count, purpose=philox.SPLIT)


def fold_in(key: Any, data: Any) -> Any:
    """Return the new key that belongs to a key and an integer (a step, an index)."""
    key = single_key("fold_in", key)
    data = operand(data)
    aval = aval_of(data)
    if aval.dtype.kind not in "iu" or aval.shape:
        raise TypeError(f"random.fold_in: data is one integer, got {aval!r}")
    if isinstance(data, int):
        data = np.uint64(data & _MASK)
    return philox.random_fold(key, data, purpose=philox.FOLD)


def key_data(key: Any) -> Any:
    """Return the words of a key: here a key is the array of its words."""
    return check_key("key_data", key)


def wrap_key_data(data: Any) -> Any:
    """Return the key of the given words, the inverse of `key_data`."""
    return check_key("wrap_key_data", data)


def clone(key: Any) -> Any:
    """Return the same key, for numbers that are meant to come twice."""
    return check_key("clone", key)


def bits(key: Any, shape: Any = (), dtype: Any = np.uint64) -> Any:
    """Return uniformly distributed unsigned integers.

    Args:
        key: one key.
        shape: of the result.
        dtype: an unsigned integer dtype.

    >>> from fad import random
    >>> random.bits(random.key(1), (3,), "uint8")
    array([ 77, 217,  39], dtype=uint8)
    """
    dtype = np.dtype(dtype)
    if dtype.kind != "u":
        raise TypeError(f"random.bits: the dtype is an unsigned integer, not {dtype}")
    return _bits("bits", key, shape, dtype)


def _bits(name: str, key: Any, shape: Any, dtype: np.dtype[Any]) -> Any:
    found = words(name, key, shape)
    dropped = 64 - 8 * dtype.itemsize
    return convert(right_shift(found, np.uint64(dropped)), dtype=dtype)


def words(name: str, key: Any, shape: Any) -> Any:
    """Return uint64 words of a key, for the sampler `name`."""
    return philox.random_bits(single_key(name, key), shape=shape_of(name, shape))


def keys_for(name: str, key: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Return the two words of a key for every element of an array of `shape`."""
    found = split(single_key(name, key), shape)
    flat = reshape(found, shape=(prod(shape), 2))
    return tuple(  # type: ignore[return-value]
        [reshape(_column(flat, i), shape=shape) for i in (0, 1)]
    )


def _column(x: Any, i: int) -> Any:
    from ..ops.indexing import getitem

    return getitem(x, index=(slice(None), i))
