"""Prefixes: a pytree that ends, here and there, earlier than another.

`in_axes=(0, None)` may stand beside arguments `({"w": x, "b": y}, z)`: 0 for all of
the dict, None for z. A leaf of the prefix answers for all leaves of the subtree it
stands beside, which may be none at all.

Public names: `broadcast_prefix`, `tree_broadcast`, `prefix_errors`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from fad.core.pytree_errors import PytreeMismatchError, mismatches
from fad.core.pytree_paths import KeyPath, keystr
from fad.core.pytree_structure import IsLeaf, tree_flatten, tree_leaves, tree_structure

__all__ = ["broadcast_prefix", "prefix_errors", "tree_broadcast"]


def tree_broadcast(prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Repeat the leaves of a prefix until it has the structure of a full tree.

    Args:
        prefix_tree: a tree that ends, here and there, earlier than `full_tree`.
        full_tree: the tree that gives the structure.
        is_leaf: node -> bool; where it is true a node of the prefix is a leaf.

    Returns:
        A tree with the structure of `full_tree` and leaves of `prefix_tree`.

    Raises:
        PytreeMismatchError: `prefix_tree` is not a prefix of `full_tree`.

    Example:
        >>> tree_broadcast({"a": 0, "b": 1}, {"a": [5, 6], "b": 7})
        {'a': [0, 0], 'b': 1}
    """
    leaves = broadcast_prefix(prefix_tree, full_tree, is_leaf)
    return tree_structure(full_tree).unflatten(leaves)


def broadcast_prefix(
    prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None
) -> list[Any]:
    """Return one leaf of a prefix per leaf of the full tree.

    Args:
        prefix_tree: a tree that ends, here and there, earlier than `full_tree`.
        full_tree: the tree whose leaves are counted.
        is_leaf: node -> bool; where it is true a node of the prefix is a leaf:
            `lambda x: x is None` makes None a leaf, as `in_axes` needs.

    Returns:
        A list of as many leaves as `full_tree` has.

    Raises:
        PytreeMismatchError: `prefix_tree` is not a prefix of `full_tree`.

    Example:
        >>> broadcast_prefix((0, None), ([1, 2], 3), is_leaf=lambda x: x is None)
        [0, 0, None]
    """
    leaves, treedef = tree_flatten(prefix_tree, is_leaf)
    result: list[Any] = []
    subtrees = treedef.flatten_up_to(full_tree)
    for leaf, subtree in zip(leaves, subtrees, strict=True):
        result += [leaf] * len(tree_leaves(subtree))
    return result


def prefix_errors(
    prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None
) -> list[Callable[[str], ValueError]]:
    """Explain every place where a tree is not a prefix of another.

    Args:
        prefix_tree: the tree that should be a prefix.
        full_tree: the tree it should be a prefix of.
        is_leaf: node -> bool; where it is true a node of the prefix is a leaf.

    Returns:
        One function per place, which makes a ValueError out of the name that the
        prefix has for the user; empty when all is well.

    Example:
        >>> [error] = prefix_errors((0, [1]), (5, 6))
        >>> print(error("vmap in_axes"))
        vmap in_axes[1] does not fit its value: expected a list of length 1, found a
        leaf of type int. vmap in_axes must be a tree prefix: the same containers as
        the value, or a single entry for a whole container
    """
    treedef = tree_structure(prefix_tree, is_leaf)

    def explain(path: KeyPath, text: str, name: str) -> ValueError:
        return PytreeMismatchError(
            f"{name}{keystr(path)} does not fit its value: {text}. {name} must be a "
            "tree prefix: the same containers as the value, or a single entry for a "
            "whole container"
        )

    found = mismatches(treedef, full_tree)
    return [functools.partial(explain, path, text) for path, text in found]
