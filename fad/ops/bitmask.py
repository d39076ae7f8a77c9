"""Zeros where a mask is false, on NumPy arrays, at the speed of memory.

`np.where(mask, x, 0)` takes a branch for each element, which costs ten times as much as
and-ing its bits with ones or zeros. Unlike the product `mask * x` that is also right
where x is infinite or nan.

Public names: `zero_unless`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["zero_unless"]

_FEW = 2048
_BITS = {"f": np.uint32, "d": np.uint64}


def zero_unless(mask: Any, x: Any) -> Any:
    """Return x where `mask` is true, 0 elsewhere; the shapes are broadcast.

    >>> zero_unless(np.array([True, False]), np.array([1.0, np.inf]))
    array([1., 0.])
    """
    arrays = mask.__class__ is x.__class__ is np.ndarray and mask.dtype == bool
    if not arrays or x.size < _FEW or x.dtype.char not in _BITS:
        return np.where(mask, x, x.dtype.type(0))
    bits = _BITS[x.dtype.char]
    ones = np.negative(mask, dtype=bits, casting="unsafe")
    room = ones if ones.shape == np.broadcast_shapes(mask.shape, x.shape) else None
    return np.bitwise_and(x.view(bits), ones, out=room).view(x.dtype)
