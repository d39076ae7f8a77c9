"""Bring arguments to what operations take: tracers, arrays and numbers.

Public names: `operand`, `array_from`, `no_out`, `result_dtype`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.avals import Aval, redefines_operations
from ..core.dtypes import WEAK_DTYPES
from ..core.trace import Tracer, aval_of
from ..ops.arithmetic import convert
from ..ops.shape import concatenate, expand_dims

__all__ = ["array_from", "cast", "no_out", "operand", "result_dtype"]


def operand(x: Any) -> Any:
    """Return an argument as a tracer, an array or a (weak) Python number."""
    cls = x.__class__
    if cls is np.ndarray or isinstance(x, (Tracer, np.generic)) or cls in WEAK_DTYPES:
        return x
    if isinstance(x, (list, tuple)):
        return array_from(x)
    if redefines_operations(x):
        raise TypeError(
            f"a {cls.__name__} does not mix with traced values, because operations on "
            "it mean something else (skip masked elements, multiply matrices). Use "
            "plain arrays: np.asarray(x), and fnp.where(mask, 0.0, x) for a mask."
        )
    return np.asarray(x)


def array_from(value: Any) -> Any:
    """Build an array from nested sequences of numbers, arrays and tracers."""
    if not isinstance(value, (list, tuple)):
        return value if isinstance(value, Tracer) else np.asarray(value)
    parts = [array_from(v) for v in value]
    if not any(isinstance(p, Tracer) for p in parts):
        return np.asarray(value)
    shapes = {tuple(aval_of(p).shape) for p in parts}
    if len(shapes) != 1:
        raise ValueError(
            f"array() needs parts of one shape, got {sorted(shapes)}; join parts of "
            "different lengths with fnp.concatenate"
        )
    return concatenate(*[expand_dims(p, 0) for p in parts], axis=0)


def result_dtype(*values: Any) -> np.dtype[Any]:
    """Return NumPy's promoted dtype of operands (tracers included)."""
    return np.result_type(*[_stand_in(aval_of(v)) for v in values])


def _stand_in(aval: Aval) -> Any:
    if aval.weak:
        return {"b": True, "i": 0, "f": 0.0, "c": 0j}[aval.dtype.kind]
    return aval.dtype


def cast(x: Any, dtype: Any) -> Any:
    """Return `x` with `dtype`, itself if it has it or `dtype` is None."""
    if dtype is None or (aval_of(x).dtype == dtype and not aval_of(x).weak):
        return x
    return convert(x, dtype=np.dtype(dtype))


def no_out(name: str, out: Any) -> None:
    """Refuse a plain `out` for traced values; `dispatch` has taken a traced one.

    Raises:
        TypeError: `out` was given.
    """
    if isinstance(out, Tracer):
        raise TypeError(f"{name}: give a traced array by keyword, out=...")
    if out is not None:
        raise TypeError(
            f"{name}: out= cannot take the result of a traced computation, because a "
            "plain array does not know derivatives; use the returned value instead"
        )
