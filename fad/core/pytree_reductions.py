"""Folding the leaves of a pytree into one value.

Public names: `tree_all tree_any tree_reduce tree_reduce_associative`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from fad.core.pytree_structure import IsLeaf, tree_leaves

__all__ = ["tree_all", "tree_any", "tree_reduce", "tree_reduce_associative"]

_MISSING: Any = object()


def tree_reduce(
    function: Callable[[Any, Any], Any],
    tree: Any,
    initializer: Any = _MISSING,
    is_leaf: IsLeaf = None,
) -> Any:
    """Fold the leaves of a pytree from left to right.

    Args:
        function: (value so far, leaf) -> value.
        tree: any pytree.
        initializer: the value to start from; by default the first leaf.
        is_leaf: node -> bool; where it is true the node counts as a leaf.

    Returns:
        The last value.

    Raises:
        TypeError: there is neither a leaf nor an initializer.

    Example:
        >>> tree_reduce(lambda total, x: total + x, {"a": 1, "b": [2, 3]})
        6
    """
    leaves = tree_leaves(tree, is_leaf)
    if initializer is _MISSING:
        return functools.reduce(function, leaves)
    return functools.reduce(function, leaves, initializer)


def tree_all(tree: Any, *, is_leaf: IsLeaf = None) -> bool:
    """Tell whether every leaf is true.

    Args:
        tree: any pytree.
        is_leaf: node -> bool; where it is true the node counts as a leaf.

    Returns:
        `all` of the leaves, so True when there are none.

    Example:
        >>> tree_all({"a": True, "b": [True, False]})
        False
    """
    return all(tree_leaves(tree, is_leaf))


def tree_any(tree: Any, *, is_leaf: IsLeaf = None) -> bool:
    """Tell whether some leaf is true.

    Args:
        tree: any pytree.
        is_leaf: node -> bool; where it is true the node counts as a leaf.

    Returns:
        `any` of the leaves, so False when there are none.

    Example:
        >>> tree_any({"a": True, "b": [True, False]})
        True
    """
    return any(tree_leaves(tree, is_leaf))


def tree_reduce_associative(
    operation: Callable[[Any, Any], Any],
    tree: Any,
    *,
    identity: Any = _MISSING,
    is_leaf: IsLeaf = None,
) -> Any:
    """Combine the leaves of a pytree pairwise, halves first.

    Against `tree_reduce`, sums of many numbers lose fewer digits, and programs are
    less deep.

    Args:
        operation: associative, (value, value) -> value.
        tree: any pytree.
        identity: the result when there is no leaf.
        is_leaf: node -> bool; where it is true the node counts as a leaf.

    Raises:
        TypeError: there is neither a leaf nor an identity.

    Example:
        >>> tree_reduce_associative(lambda a, b: f"({a}{b})", {"x": "ab", "y": ["c"]})
        '(abc)'
    """
    leaves = tree_leaves(tree, is_leaf)
    if leaves:
        return _combine(operation, leaves)
    if identity is _MISSING:
        raise TypeError(
            "tree_reduce_associative of a tree without leaves needs identity="
        )
    return identity


def _combine(operation: Callable[[Any, Any], Any], values: list[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    return operation(
        _combine(operation, values[:half]), _combine(operation, values[half:])
    )
