"""A pytree of arrays as one vector: what solvers and optimisers of vectors want.

Public names: `ravel_pytree`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import numpy as fnp
from .core.pytree import tree_flatten, tree_unflatten
from .core.trace import aval_of
from .numpy.convert import cast, operand, result_dtype

__all__ = ["ravel_pytree"]


def ravel_pytree(pytree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Join the leaves of a pytree to one vector.

    Args:
        pytree: a pytree of arrays and numbers.

    Returns:
        `(vector, unravel)`: the vector has the promoted dtype of the leaves, and
        `unravel` makes a tree like `pytree` of a vector. Leaves of different dtypes get
        them back; if they have one, they take that of the vector.

    Raises:
        ValueError: from `unravel`, if the length is another.
        TypeError: from `unravel`, if leaves have different dtypes and the vector has
            not the promoted one.

    >>> import fad, numpy as np
    >>> from fad.flatten_util import ravel_pytree
    >>> vector, unravel = ravel_pytree({"w": np.eye(2), "b": 3.0})
    >>> vector
    array([3., 1., 0., 0., 1.])
    >>> unravel(vector * 2)["b"]
    np.float64(6.0)
    """
    leaves, tree = tree_flatten(pytree)
    leaves = [operand(v) for v in leaves]
    avals = [aval_of(v) for v in leaves]
    stops = list(itertools.accumulate(a.size for a in avals))
    length = stops[-1] if stops else 0
    dtype = result_dtype(*leaves) if leaves else np.dtype(float)
    mixed = any(a.dtype != dtype for a in avals)

    def unravel(vector: Any) -> Any:
        found = aval_of(operand(vector))
        if found.shape != (length,):
            raise ValueError(
                f"unravel: the tree has {length} elements, got an array of shape "
                f"{found.shape}"
            )
        if mixed and found.dtype != dtype:
            raise TypeError(
                f"unravel: the vector must have the dtype {dtype} of the one that the "
                f"tree was made into, got {found.dtype}; convert it with .astype"
            )
        parts = [
            vector[stop - a.size : stop] for a, stop in zip(avals, stops, strict=True)
        ]
        made = [
            _like(part, a.shape, a.dtype if mixed else None)
            for part, a in zip(parts, avals, strict=True)
        ]
        return tree_unflatten(tree, made)

    flat = [cast(fnp.reshape(v, (-1,)), dtype) for v in leaves]
    return fnp.concatenate(flat) if flat else np.zeros(0), unravel


def _like(part: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return a part of a vector in a shape, converted if a dtype is given."""
    if dtype is not None and dtype.kind != "c" and aval_of(part).dtype.kind == "c":
        part = fnp.real(part)
    shaped = fnp.reshape(part, shape)
    return cast(shaped if shape else shaped[()], dtype)
