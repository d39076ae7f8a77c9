"""`Partial`: a function with bound arguments, as a pytree.

Code that takes a function among its arguments (a solver, an optimizer) can be
transformed with respect to the arrays that the function carries along: they are
leaves like any others.

Public names: `Partial`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from fad.core.pytree_paths import GetAttrKey
from fad.core.pytree_registry import register_pytree_with_keys

__all__ = ["Partial"]


class Partial(functools.partial[Any]):
    """A `functools.partial` that is a pytree: the bound arguments are its leaves.

    The function itself is part of the structure. So are the arguments that a plain
    `functools.partial` inside it has bound already, which hides static ones; the
    arguments of a `Partial` inside stay leaves.

    Args:
        func: the function.
        *args: its first arguments, pytrees.
        **keywords: its keyword arguments, pytrees.

    Example:
        >>> from fad.core.pytree import tree_map
        >>> add = Partial(lambda x, y: x + y, 1)
        >>> tree_map(lambda x: 10 * x, add)(5)
        15
    """

    def __new__(
        cls, func: Callable[..., Any], /, *args: Any, **keywords: Any
    ) -> Partial:
        if isinstance(func, Partial):
            args, keywords = func.args + args, func.keywords | keywords
            func = func.func
        elif isinstance(func, functools.partial):
            func = _Whole(func)
        return super().__new__(cls, func, *args, **keywords)


class _Whole:
    """Hide that a callable is a `functools.partial`, lest Python merge it."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self.func = func

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.func(*args, **keywords)

    def __repr__(self) -> str:
        return repr(self.func)

    def __eq__(self, other: object) -> bool:
        return self.func == (other.func if isinstance(other, _Whole) else other)

    def __hash__(self) -> int:
        return hash(self.func)


def _flatten_with_keys(partial: Partial) -> tuple[tuple[tuple[Any, Any], ...], Any]:
    args = GetAttrKey("args"), partial.args
    keywords = GetAttrKey("keywords"), partial.keywords
    return (args, keywords), partial.func


register_pytree_with_keys(
    Partial, _flatten_with_keys, lambda func, xs: Partial(func, *xs[0], **xs[1])
)
