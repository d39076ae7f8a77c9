"""Arrays that nobody else has, which may therefore be overwritten.

NumPy computes `a * b + c` in place, in the memory of the temporary `a * b`: it sees by
the reference count that nobody else has it. The reverse pass does the same with
cotangents. A residual, a constant, an array of the user's, or one that a view looks
into has another reference, so it is never written to.

Public names: `is_sole`.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

__all__ = ["is_sole"]


def is_sole(array: np.ndarray[Any, Any]) -> bool:
    """Tell whether the caller's one local variable is all that holds an array.

    >>> import numpy as np
    >>> a = np.zeros(3)
    >>> is_sole(a)
    True
    >>> row = a[:2]
    >>> is_sole(a), is_sole(row)
    (False, False)
    """
    if getrefcount(array) != _COUNT_OF_SOLE:
        return False
    return array.base is None and array.flags.writeable


def _count(array: np.ndarray[Any, Any]) -> int:
    return getrefcount(array)


def _count_of_sole() -> int:
    """Return what `getrefcount` says there of an array with one reference here."""
    array = np.empty(0)
    return _count(array)


_COUNT_OF_SOLE = _count_of_sole()
