"""What a function reads besides its arguments: its tensors, and guards on the rest.

A compiled function holds for the state it was traced with. `State` walks from the
function through closures, globals it names, bound objects, modules and containers, and
remembers what it meets:

    tensors     become inputs of the program, so that their values are never baked in
    containers  and what was in them: if an item is another one later, the program is
                not for that state
    arrays      of NumPy; those that became constants are compared by their elements
    generators  of random numbers, to see whether the function drew from them

Attributes are compared by identity first, plain values by equality where that fails.

Public names: `State`.
"""

from __future__ import annotations

import functools
import operator
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .compiled import same_array
from .generator import Generator
from .modes import GraphBreak
from .nn.module import Module
from .tensor import Tensor

__all__ = ["State"]

_MOST = 50_000
"""How many containers are looked at."""
_LARGEST = 10_000
"""How many items a container may have: all are compared at each call."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_LIBRARIES = {"fad", "numpy", "scipy", *sys.stdlib_module_names}
_LIBRARIES -= {"__main__", "builtins"}  # what `exec` defines is in `builtins`
_OBJECTS = ("fad.", "types", "argparse")  # of these libraries objects are walked
_NEVER_READ = ("_state_dict", "_load_state_dict")  # hooks of modules, not of calls


_HEAP_TYPE = 1 << 9  # the flag of classes that Python code makes


class State:
    """What a function reaches, as it is now.

    Attributes:
        tensors: each one once, until they are forgotten.
        generators: of random numbers.

    An object whose class lists `_watched` attributes is followed through those.
    """

    def __init__(self, *roots: Any) -> None:
        self.tensors: list[Tensor] = []
        self.generators: list[Generator] = []
        self._arrays: list[np.ndarray] = []
        self._used: list[tuple[np.ndarray, np.ndarray]] = []
        self._sets: list[tuple[set[Any], frozenset[Any]]] = []
        self._empty: list[Any] = []
        self._filled: list[tuple[Any, Callable[[], Any], list[Any], list[Any]]] = []
        self._seen: dict[int, Any] = {}
        todo = [*roots]
        while todo:
            x = todo.pop()
            if isinstance(x, _PLAIN) or id(x) in self._seen:
                continue
            if len(self._seen) > _MOST:
                raise GraphBreak("it reaches too many objects")
            self._seen[id(x)] = x
            todo += self._parts(x)
        self._seen.clear()

    def holds(self) -> bool:
        """Tell whether all containers hold what they held."""
        if any(self._empty):
            return False
        if not all(s == kept for s, kept in self._sets):
            return False
        if not all(same_array(a, kept) for a, kept in self._used):
            return False
        for container, read, kept, keys in self._filled:
            if len(container) != len(kept):
                return False
            if not all(map(operator.is_, read(), kept)) and not all(
                map(_equal, read(), kept)
            ):
                return False
            if keys and list(container) != keys:
                return False
        return True

    def forget(self, constants: Sequence[Any]) -> None:
        """Let go of tensors, and of arrays but those that a program has as constants."""
        self._used = [
            (a, c)
            for a in self._arrays
            for c in constants
            if isinstance(c, np.ndarray) and same_array(a, c)
        ]
        self.tensors, self._arrays = [], []

    def restore(self) -> None:
        """Put back what containers held, after a trial run has changed it."""
        for container in self._empty:
            container.clear()
        for changed, old in self._sets:
            changed.clear()
            changed.update(old)
        for container, _, kept, keys in self._filled:
            if isinstance(container, (list, deque)):
                container.clear()
                container.extend(kept)
            elif isinstance(container, dict):
                container.clear()
                container.update(zip(keys, kept, strict=True))
            elif isinstance(container, _Places):
                container.write(kept)

    def _parts(self, x: Any) -> Iterator[Any]:
        if isinstance(x, Tensor):
            self.tensors.append(x)
        elif isinstance(x, Generator):
            self.generators.append(x)
        elif isinstance(x, types.FunctionType):
            yield from self._of_function(x)
        elif isinstance(x, types.MethodType):
            yield from (x.__self__, x.__func__)
        elif isinstance(x, functools.partial):
            yield from (x.func, *x.args, *x.keywords.values())
        elif isinstance(x, dict):
            yield from self._watch(x, x.values, list(x))
        elif isinstance(x, (list, deque)):
            yield from self._watch(x, x.__iter__)
        elif isinstance(x, (tuple, set, frozenset)):
            if isinstance(x, set):
                self._sets.append((x, frozenset(x)))
            yield from x
        elif isinstance(x, np.ndarray):
            self._arrays.append(x)
        elif isinstance(x, type):
            yield from self._of_class(x)
        elif isinstance(x, property):
            yield from filter(None, (x.fget,))
        elif isinstance(x, (staticmethod, classmethod)):
            yield x.__func__
        elif not isinstance(x, types.ModuleType):
            yield from self._of_object(x)

    def _watch(
        self, container: Any, read: Callable[[], Any], keys: list[Any] | None = None
    ) -> list[Any]:
        if not container:
            self._empty.append(container)
            return []
        if len(container) > _LARGEST:
            raise GraphBreak("it reaches a container of many items")
        kept = list(read())
        self._filled.append((container, read, kept, keys or []))
        return kept

    def _of_function(self, x: types.FunctionType) -> Iterator[Any]:
        if _is_library(x):
            return
        places = _Places(x)
        if len(places):
            yield from self._watch(places, places.read)
        yield from x.__defaults__ or ()
        yield from (x.__kwdefaults__ or {}).values()

    def _of_class(self, x: type) -> Iterator[Any]:
        if not _is_library(x):
            yield from [v for k, v in vars(x).items() if k[:2] != "__" or callable(v)]
            yield from x.__bases__

    def _of_object(self, x: Any) -> Iterator[Any]:
        if not _is_walked(type(x)):
            return
        if hasattr(type(x), "_watched"):
            yield from [getattr(x, name) for name in x._watched]
            return
        yield type(x)
        own = getattr(x, "__dict__", None)
        if isinstance(own, dict):
            self._watch(own, own.values, list(own))
            unread = _NEVER_READ if isinstance(x, Module) else ()
            yield from [
                v for k, v in own.items() if not (unread and k.startswith(unread))
            ]
        for cls in type(x).__mro__:
            for name in _slots(cls):
                if hasattr(x, name):
                    yield getattr(x, name)


class _Places:
    """The variables that a function reads from around it: cells and globals."""

    def __init__(self, function: types.FunctionType) -> None:
        self.cells = function.__closure__ or ()
        self.table = function.__globals__
        self.names = [n for n in _names(function.__code__) if n in self.table]

    def __len__(self) -> int:
        return len(self.cells) + len(self.names)

    def read(self) -> Iterator[Any]:
        for cell in self.cells:
            try:
                yield cell.cell_contents
            except ValueError:  # not assigned yet
                yield None
        for name in self.names:
            yield self.table.get(name)

    def write(self, values: list[Any]) -> None:
        n = len(self.cells)
        for cell, value in zip(self.cells, values[:n], strict=True):
            cell.cell_contents = value
        self.table.update(zip(self.names, values[n:], strict=True))


def _names(code: types.CodeType) -> list[str]:
    """Return the names that code and the functions inside it may look up."""
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return list(dict.fromkeys([*code.co_names, *(n for c in inner for n in _names(c))]))


def _slots(cls: type) -> tuple[str, ...]:
    slots = vars(cls).get("__slots__", ())
    if _is_library(cls):
        return ()
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _is_library(x: Any) -> bool:
    if isinstance(x, type) and not x.__flags__ & _HEAP_TYPE:
        return True  # written in C
    return (getattr(x, "__module__", None) or "").partition(".")[0] in _LIBRARIES


def _is_walked(cls: type) -> bool:
    """Tell whether objects of a class may hold what a user's function reads."""
    return not _is_library(cls) or cls.__module__.startswith(_OBJECTS)


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, _PLAIN) and a == b
