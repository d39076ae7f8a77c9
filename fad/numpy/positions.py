"""Positions: of what is not zero, of diagonals, along axes and in the flattened array.

How many elements are not zero decides a shape, so it has to be known. Where only
arithmetic is done with positions, they may be traced.

Public names: `nonzero argwhere flatnonzero ix_ diag_indices_from tril_indices_from
triu_indices_from unravel_index ravel_multi_index`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..core.errors import ConcretizationTypeError
from ..core.source import user_source
from ..core.trace import Tracer, aval_of, concrete_value
from ..ops.piecewise import mod
from ..ops.shape import reshape
from .convert import operand
from .dispatch import implements
from .indexing import within
from .rearranging import known

__all__ = [
    "argwhere",
    "diag_indices_from",
    "flatnonzero",
    "ix_",
    "nonzero",
    "ravel_multi_index",
    "tril_indices_from",
    "triu_indices_from",
    "unravel_index",
]


def _known_values(x: Any, name: str) -> Any:
    value = concrete_value(operand(x))
    if value is None:
        raise ConcretizationTypeError(
            f"{name}: how many elements are not zero depends on the values of "
            f"{aval_of(x)!r}, which are not known while tracing, at {user_source()}. "
            "Use operations that keep the shape, such as fnp.where(mask, x, y)."
        )
    return value


@implements(np.nonzero)
def nonzero(a: Any) -> Any:
    """Return the positions of the elements that are not zero, which must be known."""
    return np.nonzero(_known_values(a, "nonzero"))


@implements(np.argwhere)
def argwhere(a: Any) -> Any:
    """Return the positions of the elements that are not zero, one a row."""
    return np.argwhere(_known_values(a, "argwhere"))


@implements(np.flatnonzero)
def flatnonzero(a: Any) -> Any:
    """Return the positions in the flattened array that are not zero."""
    return np.flatnonzero(_known_values(a, "flatnonzero"))


@implements(np.ix_)
def ix_(*args: Any) -> tuple[Any, ...]:
    """Return index arrays that select the cross product of positions."""
    grids = []
    for i, arg in enumerate(args):
        x = operand(arg)
        aval = aval_of(x)
        if aval.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if aval.dtype.kind == "b":
            x = np.flatnonzero(known(x, "ix_", "a mask"))
        elif not aval.size:
            x = np.zeros(0, np.intp)
        width = (1,) * i + (aval_of(x).size,) + (1,) * (len(args) - i - 1)
        grids.append(reshape(x, shape=width))
    return tuple(grids)


@implements(np.diag_indices_from)
def diag_indices_from(arr: Any) -> Any:
    """Return the positions of the diagonal of an array."""
    return np.diag_indices_from(_stand_in(arr))


@implements(np.tril_indices_from)
def tril_indices_from(arr: Any, k: int = 0) -> Any:
    """Return the positions of the lower triangle of an array."""
    return np.tril_indices_from(_stand_in(arr), k)


@implements(np.triu_indices_from)
def triu_indices_from(arr: Any, k: int = 0) -> Any:
    """Return the positions of the upper triangle of an array."""
    return np.triu_indices_from(_stand_in(arr), k)


def _stand_in(arr: Any) -> Any:
    return np.broadcast_to(np.zeros(()), aval_of(operand(arr)).shape)


@implements(np.unravel_index)
def unravel_index(indices: Any, shape: Any, order: Any = "C") -> Any:
    """Return the positions along axes of positions in the flattened array."""
    sizes = [operator.index(n) for n in (shape if np.ndim(shape) else [shape])]
    rest = operand(indices)
    if not isinstance(rest, Tracer):
        return np.unravel_index(rest, tuple(sizes), order)
    found = []
    for n in sizes if order == "F" else sizes[::-1]:
        found.append(mod(rest, n))
        rest = rest // n  # type: ignore[operator]
    return tuple(found if order == "F" else found[::-1])


@implements(np.ravel_multi_index)
def ravel_multi_index(
    multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C"
) -> Any:
    """Return the positions in the flattened array of positions along axes."""
    modes = mode if isinstance(mode, tuple) else (mode,) * len(dims)
    parts = [within(i, n, m) for i, n, m in zip(multi_index, dims, modes, strict=True)]
    if not any(isinstance(p, Tracer) for p in parts):
        return np.ravel_multi_index(tuple(multi_index), dims, mode, order)
    total: Any = 0
    pairs = list(zip(parts, dims, strict=True))
    for i, n in pairs if order == "C" else pairs[::-1]:
        total = total * n + i
    return total
