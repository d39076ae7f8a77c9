"""Adding values up at repeated positions, on NumPy arrays.

`np.add.at` does one addition at a time. For many values it is faster to number the
positions and let `np.bincount` add up; and where no position repeats, to assign.

Public names: `sum_at`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .index_layout import ARRAY

__all__ = ["sum_at"]

_FEW = 64
_COUNTED = frozenset("efdFD")  # dtypes that bincount's float64 sums do not round


def sum_at(shape: tuple[int, ...], y: Any, index: tuple[Any, ...], entries: Any) -> Any:
    """Return zeros of `shape` with `y` added up at an index.

    Args:
        index: the static part of the index.
        entries: the index, with its arrays in it.
    """
    out = np.zeros(shape, y.dtype)
    few = y.size <= _FEW or 8 * y.size < out.size
    if few or y.dtype.char not in _COUNTED:
        np.add.at(out, entries, y)
        return out
    lead = _leading(index, len(shape))
    rows, width = math.prod(shape[:lead]), math.prod(shape[lead:])
    numbers = np.arange(rows).reshape(shape[:lead])
    at = numbers[entries if lead == len(shape) else entries[:lead]].ravel()
    if width == 1:
        return (
            _count(at, y.ravel(), out.size).astype(y.dtype, copy=False).reshape(shape)
        )
    values = y.reshape(at.size, width)
    if np.bincount(at, minlength=rows).max() <= 1:
        out.reshape(rows, width)[at] = values
        return out
    at = (at[:, None] * width + np.arange(width)).ravel()
    total = _count(at, values.ravel(), out.size)
    return total.astype(y.dtype, copy=False).reshape(shape)


def _count(at: Any, values: Any, size: int) -> Any:
    if values.dtype.kind != "c":
        return np.bincount(at, values, size)
    return np.bincount(at, values.real, size) + 1j * np.bincount(at, values.imag, size)


def _leading(index: Sequence[Any], ndim: int) -> int:
    """Return how many leading axes the index is about, if the others are whole."""
    lead = 0
    for e in index:
        if e is not ARRAY and type(e) is not int:
            break
        lead += 1
    whole = all(e is Ellipsis or e == slice(None) for e in index[lead:])
    return lead if lead and whole else ndim
