"""Protect the arrays that a tape keeps from later writes by their owner.

A residual may be the caller's own array. If the caller wrote into it between the
forward and the backward pass, the gradient would be wrong without a word.

So a small array is copied, and a large one is made read-only for as long as the tape
lives: a write in between raises NumPy's "assignment destination is read-only". What is
small depends on how long that is. In `grad` all is over when the call returns, and only
the function being differentiated could write. The pullback of a `vjp` may live long, so
there arrays up to `LONG_COPY_LIMIT` are copied and their owner may write as he likes.
An array whose memory NumPy does not own, which may not become writeable again, is
copied.

What a lock does not stop is a write through another view of the array that was made
before: NumPy has no way from an array to its views, and to compare the values again
before their use would cost as much as an operation.

Public names: `Guard`.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["COPY_LIMIT", "LONG_COPY_LIMIT", "Guard"]

COPY_LIMIT = 1024
"""Arrays of at most this many bytes are copied: it costs less than a lock."""

LONG_COPY_LIMIT = 128 * 1024
"""The same for a tape that outlives the call which made it."""

_lock = threading.RLock()  # a finalizer may run inside keep
_held: dict[int, _Held] = {}  # by id of the owner
_busy: list[bool] = []  # not empty while `_held` is being changed
_waiting: list[set[int]] = []  # to be released


_Ref = Callable[[], Any]


def _gone() -> None:
    """Stand for a weak reference to an array that is no more."""


class Guard:
    """The arrays that one tape holds; they are released when it goes.

    Args:
        limit: arrays of at most this many bytes are copied, larger ones locked.

    >>> import numpy as np
    >>> guard, data = Guard(), np.zeros(1000)
    >>> guard.keep(data) is data, data.flags.writeable
    (True, False)
    >>> guard.release()
    >>> data.flags.writeable
    True
    """

    __slots__ = ("copies", "finalizer", "limit", "owners", "__weakref__")

    def __init__(self, limit: int = COPY_LIMIT) -> None:
        self.limit = limit
        self.copies: dict[int, tuple[_Ref, _Ref]] = {}  # id -> the array, its copy
        self.owners: set[int] = set()  # by id
        self.finalizer: Any = None

    def keep(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return `array` protected from writes, or a copy of it."""
        if array.nbytes <= COPY_LIMIT:
            return array.copy("K")
        if array.nbytes <= self.limit:
            return self.copy_once(array)
        owner = array.base if array.base is not None else array
        lockable = type(owner) is np.ndarray and owner.flags.owndata
        if lockable and (owner.flags.writeable or id(owner) in _held):
            self._hold(owner, array)
            return array
        return array.copy("K") if array.flags.writeable else array

    def keep_once(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Do what `keep` does, with one copy for all uses of a small array too."""
        small = array.nbytes <= self.limit
        return self.copy_once(array) if small else self.keep(array)

    def copy_once(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return a copy, the same one for as long as the array has not changed."""
        of, known = self.copies.get(id(array), (_gone, _gone))
        copy = known() if of() is array else None
        if copy is None or not _equal(array, copy):
            copy = array.copy("K")
            self.copies[id(array)] = weakref.ref(array), weakref.ref(copy)
        return copy

    def release(self) -> None:
        """Give every held array its writeability back."""
        if self.finalizer is not None:
            self.finalizer()
            self.finalizer = None

    def _hold(self, owner: np.ndarray[Any, Any], array: np.ndarray[Any, Any]) -> None:
        """Lock an array that owns its memory, and perhaps a view of it."""
        if id(owner) in self.owners and not array.flags.writeable:
            return
        if self.finalizer is None:
            self.finalizer = weakref.finalize(self, _release, self.owners)
        with _lock:
            _busy.append(True)
            held = _held.get(id(owner))
            if held is None and owner.flags.writeable:
                held = _held[id(owner)] = _Held(owner)
                owner.setflags(write=False)
            if held is not None:
                if id(owner) not in self.owners:
                    self.owners.add(id(owner))
                    held.guards += 1
                if array.flags.writeable:
                    held.views.append(array)
                    array.setflags(write=False)
            _busy.clear()
            _release_waiting()


class _Held:
    """A locked array, the number of guards that hold it, and its locked views."""

    __slots__ = ("owner", "guards", "views")

    def __init__(self, owner: np.ndarray[Any, Any]) -> None:
        self.owner = owner
        self.guards = 0
        self.views: list[np.ndarray[Any, Any]] = []


def _equal(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Tell whether two arrays are equal, nan equal to nan."""
    if np.array_equal(a, b):
        return True
    return a.dtype.kind in "fc" and np.array_equal(a, b, equal_nan=True)


def _release(owners: set[int]) -> None:
    """Release what a guard held.

    The garbage collector may call it anywhere, so also amid `_hold` or another release,
    which then does the work when it is done.
    """
    with _lock:
        _waiting.append(owners)
        if not _busy:
            _release_waiting()


def _release_waiting() -> None:
    while _waiting:
        _busy.append(True)
        owners = _waiting.pop()
        while owners:
            held = _held[owners.pop()]
            held.guards -= 1
            if not held.guards:
                del _held[id(held.owner)]
                for array in (held.owner, *held.views):  # a view only after its owner
                    array.setflags(write=True)
        _busy.clear()
