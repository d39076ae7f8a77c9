"""Dtypes: their short names, which of them carry derivatives, and weak scalars.

A Python scalar is *weak* (NEP 50): it takes part in an operation without deciding the
result's dtype. fad keeps a weak value as the Python scalar it is, so that NumPy's own
promotion does the rest, eagerly and under every transform.

Public names: `short_name`, `is_inexact`, `float0`, `WEAK_DTYPES`, `is_weak`,
`tangent_dtype`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "WEAK_DTYPES",
    "float0",
    "is_inexact",
    "is_weak",
    "short_name",
    "tangent_dtype",
]

float0: np.dtype[Any] = np.dtype([("float0", np.void, 0)])
"""The dtype of tangents of integers and booleans: an array of it holds nothing."""

WEAK_DTYPES: dict[type, np.dtype[Any]] = {
    bool: np.dtype(bool),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}

_KIND_LETTERS = {"f": "f", "i": "i", "u": "u", "c": "c"}


def short_name(dtype: np.dtype[Any]) -> str:
    """Spell a dtype as the IR prints it: `f64`, `i32`, `u8`, `c128`, `bool`.

    >>> short_name(np.dtype(np.float32))
    'f32'
    """
    letter = _KIND_LETTERS.get(dtype.kind)
    if letter is not None:
        return f"{letter}{8 * dtype.itemsize}"
    return "float0" if dtype == float0 else dtype.name


def is_inexact(dtype: np.dtype[Any]) -> bool:
    """Tell whether values of `dtype` carry derivatives (floating or complex)."""
    return dtype.kind in "fc"


def is_weak(value: Any) -> bool:
    """Tell whether `value` is a Python scalar, and so weak in promotion."""
    return value.__class__ in WEAK_DTYPES


def tangent_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of tangents of `dtype`: itself, or `float0` if it has none."""
    return dtype if dtype.kind in "fc" else float0
