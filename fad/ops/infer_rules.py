"""Shape and dtype rules shared by primitives.

The dtype of an elementwise operation is asked of NumPy itself, by running it on empty
arrays of the input dtypes (Python scalars stand for weak inputs), once per combination.

Public names: `infer_elementwise`, `broadcast_shapes`, `same`, `normalize_axes`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..core.avals import Aval
from ..core.primitive import Primitive

__all__ = ["broadcast_shapes", "infer_elementwise", "normalize_axes", "same"]

_WEAK_EXAMPLES: dict[str, Any] = {"b": True, "i": 1, "f": 1.0, "c": 1.0 + 0.0j}


def infer_elementwise(
    prim: Primitive, avals: tuple[Aval, ...], params: dict[str, Any]
) -> Aval:
    """Return the aval of an elementwise result: broadcast shape, NumPy's promotion."""
    key = tuple([(a.dtype, a.weak) for a in avals])
    dtype = _result_dtype(prim.impl, key, tuple(sorted(params.items())))
    shapes = [a.shape for a in avals]
    shape = shapes[0] if len(shapes) == 1 else broadcast_shapes(prim.name, *shapes)
    return Aval(shape, dtype, all(a.weak for a in avals))


@lru_cache(maxsize=4096)
def _result_dtype(impl: Any, key: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    examples = [
        _WEAK_EXAMPLES[dtype.kind] if weak else np.ones((1,), dtype)
        for dtype, weak in key
    ]
    with np.errstate(all="ignore"):
        return np.asarray(impl(*examples, **dict(params))).dtype


def broadcast_shapes(name: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the broadcast shape, or raise ValueError naming the operation."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = " and ".join(map(str, shapes))
        raise ValueError(
            f"{name}: shapes {shown} cannot be broadcast together; sizes must be "
            "equal or 1 from the last axis backwards."
        ) from None


def same(x: Aval, **params: Any) -> Aval:
    """The output is like the (first) input, but not weak."""
    return Aval(x.shape, x.dtype)


def normalize_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return sorted non-negative axes from None (all), an int or a sequence of ints.

    Raises:
        numpy.exceptions.AxisError: an axis is out of range.
        ValueError: an axis is given twice.
    """
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list, range)) else (axis,)
    out = []
    for a in axes:
        a = _index(a)
        if not -ndim <= a < ndim:
            raise np.exceptions.AxisError(a, ndim)
        out.append(a % ndim)
    if len(set(out)) != len(out):
        raise ValueError(f"duplicate value in axis {axis}")
    return tuple(sorted(out))


def _index(a: Any) -> int:
    import operator

    return operator.index(a)
