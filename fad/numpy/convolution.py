"""Convolution and correlation of vectors.

>>> import fad, fad.numpy as fnp
>>> import numpy as np
>>> x, kernel = np.arange(4.0), np.array([1.0, 2.0])
>>> fad.grad(lambda x: fnp.sum(fnp.convolve(x, kernel, "valid")))(x)
array([2., 3., 3., 1.])

Public names: `convolve correlate`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.trace import aval_of
from ..ops import convolution as ops
from ..ops.arithmetic import conj
from ..ops.indexing import slice_along
from ..ops.shape import flip
from .contraction import flat
from .convert import operand
from .dispatch import implements

__all__ = ["convolve", "correlate"]

_MODES = {0: "valid", 1: "same", 2: "full"}


@implements(np.convolve)
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """Convolve two vectors; `mode` is "full", "same" or "valid"."""
    return _by_mode(_vector(a), _vector(v), mode, late=False)


@implements(np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """Correlate two vectors: sum a[n + k] conj(v[n]) for every lag k of `mode`."""
    a, v = _vector(a), _vector(v)
    late = aval_of(a).shape < aval_of(v).shape
    if aval_of(v).dtype.kind == "c":
        v = conj(v)
    return _by_mode(a, flip(v, axis=(0,)), mode, late)


def _vector(x: Any) -> Any:
    x = operand(x)
    return x if aval_of(x).ndim else flat(x)


def _by_mode(x: Any, y: Any, mode: Any, late: bool) -> Any:
    """Convolve; of the two middles of mode "same", take the later one if `late`."""
    mode = _MODES.get(mode, mode)
    if mode in ("full", "valid"):
        return ops.convolve(x, y, mode=mode)
    if mode != "same":
        raise ValueError(f"mode must be one of 'valid', 'same', 'full', got {mode!r}")
    full = ops.convolve(x, y, mode="full")
    small, large = sorted((aval_of(x).shape[0], aval_of(y).shape[0]))
    start = (small - 1 + late) // 2
    return slice_along(full, start, start + large, 0)
