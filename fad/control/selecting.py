"""`select_n`: elements of one of several arrays.

Public names: `select_n`.
"""

from __future__ import annotations

from typing import Any

from ..core.trace import aval_of
from ..ops.comparison import le, where

__all__ = ["select_n"]


def select_n(which: Any, *cases: Any) -> Any:
    """Return an array whose elements come from `cases[which]`, element by element.

    Args:
        which: booleans (False: the first case) or integers, of the shape of the cases
            or a scalar. Integers out of range take the nearest case.
        cases: arrays of one shape and dtype.

    Returns:
        An array; a case that is not taken has no derivative, and leaks none.

    Raises:
        TypeError: shapes or dtypes differ, or `which` is not boolean or integer.

    >>> import fad, numpy as np
    >>> fad.lax.select_n(np.array([0, 1, 0]), np.zeros(3), np.ones(3))
    array([0., 1., 0.])
    """
    if not cases:
        raise ValueError("select_n needs at least one case")
    aval = aval_of(which)
    first = aval_of(cases[0])
    for case in cases[1:]:
        other = aval_of(case)
        if other.shape != first.shape or other.dtype != first.dtype:
            raise TypeError(
                "select_n: the cases must have one shape and dtype, got "
                f"{', '.join(repr(aval_of(c)) for c in cases)}"
            )
    if aval.shape and aval.shape != first.shape:
        raise TypeError(
            f"select_n: which must be a scalar or have the shape {first.shape} of the "
            f"cases, got {aval!r}"
        )
    if aval.dtype.kind == "b":
        if len(cases) > 2:
            raise TypeError(
                f"select_n: a boolean chooses between two cases, got {len(cases)}"
            )
        return where(which, cases[-1], cases[0])
    if aval.dtype.kind not in "iu":
        raise TypeError(f"select_n: which must be boolean or integer, got {aval!r}")
    result = cases[-1]
    for i in range(len(cases) - 2, -1, -1):
        result = where(le(which, i), cases[i], result)
    return result
