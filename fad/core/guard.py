"""Protect the arrays that a tape keeps from later writes by their owner.

A residual may be the caller's own array. If the caller wrote into it between the
forward and the backward pass, the gradient would be wrong without a word.

A tape that outlives the call which made it (`vjp`, `linearize`) copies the arrays it
keeps: the caller may write as he likes. In `grad` all is over when the call returns, and
copying a data set for every gradient would cost more than the gradient; so a small
array is copied and a larger one made read-only until then: a write by the function being
differentiated raises NumPy's "assignment destination is read-only". An array whose
memory NumPy does not own, which may not become writeable again, is copied.

Public names: `Guard`.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np

__all__ = ["COPY_LIMIT", "Guard"]

COPY_LIMIT = 1024
"""Arrays of at most this many bytes are copied: it costs less than a lock."""

_lock = threading.RLock()  # a finalizer may run inside keep
_held: dict[int, list[Any]] = {}  # id(array) -> [number of guards, array]


class Guard:
    """The arrays that one tape holds; they are released when it goes.

    Args:
        copying: copy arrays of every size, instead of making large ones read-only.

    >>> import numpy as np
    >>> guard, data = Guard(), np.zeros(1000)
    >>> guard.keep(data) is data, data.flags.writeable
    (True, False)
    >>> guard.release()
    >>> data.flags.writeable
    True
    """

    __slots__ = ("arrays", "copies", "copying", "finalizer", "__weakref__")

    def __init__(self, copying: bool = False) -> None:
        self.copying = copying
        self.copies: dict[int, tuple[Any, Any]] = {}  # id -> the array, its copy
        self.arrays: list[np.ndarray[Any, Any]] = []
        self.finalizer: Any = None

    def keep(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return `array` protected from writes, or a copy of it."""
        if array.nbytes <= COPY_LIMIT:
            return array.copy("K")
        if self.copying:
            return self._copy(array)
        owner = array.base if array.base is not None else array
        if type(owner) is not np.ndarray or not owner.flags.owndata:
            return array.copy("K") if array.flags.writeable else array
        self._hold(owner)
        if array is not owner:
            self._hold(array)
        return array

    def _copy(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return a copy, the same one for as long as the array has not changed."""
        known = self.copies.get(id(array))
        if known is None or not np.array_equal(array, known[1]):
            known = self.copies[id(array)] = array, array.copy("K")
        copy: np.ndarray[Any, Any] = known[1]
        return copy

    def release(self) -> None:
        """Give every held array its writeability back."""
        if self.finalizer is not None:
            self.finalizer()

    def _hold(self, array: np.ndarray[Any, Any]) -> None:
        with _lock:
            entry = _held.get(id(array))
            if entry is not None:
                if any(a is array for a in self.arrays):
                    return
                entry[0] += 1
            elif array.flags.writeable:
                _held[id(array)] = [1, array]
                array.flags.writeable = False
            else:
                return
            if self.finalizer is None:
                self.finalizer = weakref.finalize(self, _release, self.arrays)
            self.arrays.append(array)


def _release(arrays: list[np.ndarray[Any, Any]]) -> None:
    with _lock:
        while arrays:  # owners were held before their views
            array = arrays.pop(0)
            entry = _held[id(array)]
            entry[0] -= 1
            if not entry[0]:
                del _held[id(array)]
                array.flags.writeable = True
