"""Key paths: the names of the places inside a pytree.

A leaf of `{"w": [1.0, 2.0]}` is reached by a dict key and then a list index.
Such a *key path* is a tuple with one key object per level, here
`(DictKey("w"), SequenceKey(1))`, and `keystr` writes it as Python would:
`['w'][1]`. Error messages name their culprit this way.

Public names: `DictKey`, `SequenceKey`, `GetAttrKey`, `FlattenedIndexKey`,
`KeyPath`, `keystr`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = [
    "DictKey",
    "FlattenedIndexKey",
    "GetAttrKey",
    "KeyPath",
    "SequenceKey",
    "keystr",
]

KeyPath: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SequenceKey:
    """Name a child of a list, tuple or deque by its index.

    Example:
        >>> str(SequenceKey(2))
        '[2]'
    """

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"


@dataclass(frozen=True, slots=True)
class DictKey:
    """Name a child of a dict by its key.

    Example:
        >>> str(DictKey("w"))
        "['w']"
    """

    key: Hashable

    def __str__(self) -> str:
        return f"[{self.key!r}]"


@dataclass(frozen=True, slots=True)
class GetAttrKey:
    """Name a child of a namedtuple, dataclass or object by its attribute.

    Example:
        >>> str(GetAttrKey("bias"))
        '.bias'
    """

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


@dataclass(frozen=True, slots=True)
class FlattenedIndexKey:
    """Name a child of a class that was registered without key names.

    Example:
        >>> str(FlattenedIndexKey(0))
        '[<flat index 0>]'
    """

    key: int

    def __str__(self) -> str:
        return f"[<flat index {self.key}>]"


def keystr(keys: KeyPath, *, simple: bool = False, separator: str = "") -> str:
    """Write a key path as text.

    Args:
        keys: one key object per level, the outermost first.
        simple: write bare names, `w` instead of `['w']`.
        separator: text between the levels.

    Returns:
        The levels joined into one string.

    Example:
        >>> keystr((DictKey("w"), SequenceKey(1)))
        "['w'][1]"
        >>> keystr((DictKey("w"), SequenceKey(1)), simple=True, separator="/")
        'w/1'
    """
    return separator.join(map(_bare_name if simple else str, keys))


def _bare_name(key: Any) -> str:
    match key:
        case SequenceKey(name) | DictKey(name) | GetAttrKey(name):
            return str(name)
        case FlattenedIndexKey(name):
            return str(name)
        case _:
            return str(key)
