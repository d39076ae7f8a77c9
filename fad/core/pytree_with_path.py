"""Pytree functions that also tell where a leaf is.

Each has a twin without `_with_path`; a leaf comes with its key path, the tuple of
keys that lead to it from the root.

Public names: `tree_flatten_with_path`, `tree_leaves_with_path`,
`tree_map_with_path`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from fad.core.pytree_errors import too_deep
from fad.core.pytree_nodes import node_type_of
from fad.core.pytree_paths import KeyPath
from fad.core.pytree_structure import Entry, TreeDef

__all__ = [
    "tree_flatten_with_path",
    "tree_leaves_with_path",
    "tree_map_with_path",
]

KeyedLeaves: TypeAlias = list[tuple[KeyPath, Any]]
IsLeaf: TypeAlias = Callable[..., bool] | None


def tree_flatten_with_path(
    tree: Any, is_leaf: IsLeaf = None, is_leaf_takes_path: bool = False
) -> tuple[KeyedLeaves, TreeDef]:
    """Take a pytree apart into (key path, leaf) pairs and its structure.

    Args:
        tree: any pytree.
        is_leaf: node -> bool; where it is true the node counts as a leaf.
        is_leaf_takes_path: `is_leaf` is called with the key path and the node.

    Returns:
        The pairs, in the order of `tree_flatten`, and the structure.

    Raises:
        ValueError: a dict has keys that cannot be sorted.

    Example:
        >>> from fad.core.pytree import keystr
        >>> pairs, _ = tree_flatten_with_path({"w": [1, 2]})
        >>> [(keystr(path), leaf) for path, leaf in pairs]
        [("['w'][0]", 1), ("['w'][1]", 2)]
    """
    if is_leaf is None or is_leaf_takes_path:
        return _flatten_with_path(tree, is_leaf)
    return _flatten_with_path(tree, lambda path, node: is_leaf(node))


def tree_leaves_with_path(
    tree: Any, is_leaf: IsLeaf = None, is_leaf_takes_path: bool = False
) -> KeyedLeaves:
    """Return the (key path, leaf) pairs of a pytree.

    Args:
        tree: any pytree.
        is_leaf: node -> bool; where it is true the node counts as a leaf.
        is_leaf_takes_path: `is_leaf` is called with the key path and the node.

    Returns:
        The pairs, in the order of `tree_flatten`.

    Raises:
        ValueError: a dict has keys that cannot be sorted.

    Example:
        >>> tree_leaves_with_path([7])
        [((SequenceKey(idx=0),), 7)]
    """
    return tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def tree_map_with_path(
    f: Callable[..., Any],
    tree: Any,
    *rest: Any,
    is_leaf: IsLeaf = None,
    is_leaf_takes_path: bool = False,
) -> Any:
    """Apply a function to every key path and leaf.

    Args:
        f: called with the key path and one leaf of each tree.
        tree: the tree that gives the structure.
        *rest: trees that have this structure, or have subtrees at its leaves.
        is_leaf: node -> bool; where it is true the node counts as a leaf.
        is_leaf_takes_path: `is_leaf` is called with the key path and the node.

    Returns:
        A tree with the structure of `tree` and the results as leaves.

    Raises:
        PytreeMismatchError: a tree of `rest` does not match.

    Example:
        >>> from fad.core.pytree import keystr
        >>> tree_map_with_path(lambda path, x: keystr(path) + "!" * x, {"w": [2]})
        {'w': ["['w'][0]!!"]}
    """
    pairs, treedef = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    columns = [treedef.flatten_up_to(other) for other in rest]
    results = (
        f(path, leaf, *others)
        for (path, leaf), *others in zip(pairs, *columns, strict=True)
    )
    return treedef.unflatten(results)


def _flatten_with_path(
    tree: Any, is_leaf: Callable[[KeyPath, Any], bool] | None = None
) -> tuple[KeyedLeaves, TreeDef]:
    """Flatten into (key path, leaf) pairs; `is_leaf` sees the path and the node."""
    pairs: KeyedLeaves = []
    entries: list[Entry] = []

    def visit(path: KeyPath, subtree: Any) -> None:
        is_node = is_leaf is None or not is_leaf(path, subtree)
        node = node_type_of(subtree) if is_node else None
        if node is None:
            pairs.append((path, subtree))
            entries.append(None)
            return
        children, data = node.flatten_with_keys(subtree)
        for key, child in children:
            visit((*path, key), child)
        entries.append((node, data, len(children)))

    try:
        visit((), tree)
    except RecursionError:
        raise too_deep() from None
    return pairs, TreeDef(tuple(entries), len(pairs))
