"""Pytrees: nested containers of arrays, treated as one value.

The parameters of a model are rarely one array. They are a dict of lists of arrays,
a dataclass, a namedtuple. A *pytree* is any such nest: tuple, list, dict,
namedtuple, OrderedDict, defaultdict, deque, None (which holds nothing) and the
classes that were registered. Whatever is not a container is a *leaf*.

Every transform works on pytrees by one move: take the tree apart, work on the flat
list of leaves, put the result together again.

    leaves, treedef = tree_flatten(params)
    params = treedef.unflatten([leaf - 0.1 * leaf for leaf in leaves])

`tree_map` is that move. With several trees, the first one gives the structure, and
the others may go on where it has a leaf: `{"w": 0}` is a *prefix* of
`{"w": [x, y]}`, and `broadcast_prefix` repeats its leaves to fit (as for `in_axes`).
The order of the leaves is fixed: by position, and by sorted key in a dict.

The parts: `pytree_nodes` (what a node is), `pytree_registry` (adding classes),
`pytree_paths` and `pytree_with_path` (names of places), `pytree_structure`
(`TreeDef`, flattening), `pytree_prefix`, `pytree_reductions`, `pytree_partial`,
`pytree_errors`. Here
are the remaining functions on whole trees, and every public name of the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fad.core.pytree_errors import PytreeMismatchError, TransposeMismatchError
from fad.core.pytree_nodes import NODE_TYPES, node_type_of
from fad.core.pytree_partial import Partial
from fad.core.pytree_paths import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    KeyPath,
    SequenceKey,
    keystr,
)
from fad.core.pytree_prefix import broadcast_prefix, prefix_errors, tree_broadcast
from fad.core.pytree_reductions import (
    tree_all,
    tree_any,
    tree_reduce,
    tree_reduce_associative,
)
from fad.core.pytree_registry import (
    register_dataclass,
    register_pytree_node,
    register_pytree_node_class,
    register_pytree_with_keys,
    register_pytree_with_keys_class,
    register_static,
    static,
)
from fad.core.pytree_structure import (
    LEAF,
    IsLeaf,
    TreeDef,
    flatten_one_level,
    tree_flatten,
    tree_leaves,
    tree_structure,
)
from fad.core.pytree_with_path import (
    tree_flatten_with_path,
    tree_leaves_with_path,
    tree_map_with_path,
)

__all__ = [
    "DictKey",
    "FlattenedIndexKey",
    "GetAttrKey",
    "KeyPath",
    "Partial",
    "PytreeMismatchError",
    "SequenceKey",
    "TransposeMismatchError",
    "TreeDef",
    "all_leaves",
    "broadcast_prefix",
    "flatten_one_level",
    "keystr",
    "prefix_errors",
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "register_pytree_with_keys",
    "register_pytree_with_keys_class",
    "register_static",
    "static",
    "tree_all",
    "tree_any",
    "tree_broadcast",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_with_path",
    "tree_reduce",
    "tree_reduce_associative",
    "tree_structure",
    "tree_transpose",
    "tree_unflatten",
    "treedef_children",
    "treedef_is_leaf",
    "treedef_tuple",
]


def tree_unflatten(treedef: TreeDef, leaves: Iterable[Any]) -> Any:
    """Build the pytree with a structure and leaves: undo `tree_flatten`.

    Args:
        treedef: the structure.
        leaves: one value per leaf of it.

    Returns:
        The pytree.

    Raises:
        ValueError: the number of leaves is wrong.

    Example:
        >>> tree_unflatten(tree_structure({"a": 0, "b": (0, 0)}), [1, 2, 3])
        {'a': 1, 'b': (2, 3)}
    """
    return treedef.unflatten(leaves)


def tree_map(
    f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: IsLeaf = None
) -> Any:
    """Apply a function to every leaf, or to corresponding leaves of several trees.

    Args:
        f: called with one leaf of each tree.
        tree: the tree that gives the structure.
        *rest: trees that have this structure, or have subtrees at its leaves.
        is_leaf: node -> bool; where it is true a node of `tree` counts as a leaf.

    Returns:
        A tree with the structure of `tree` and the results as leaves.

    Raises:
        PytreeMismatchError: a ValueError that names the place where a tree of
            `rest` does not match.

    Example:
        >>> tree_map(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
        {'a': 11, 'b': [22]}
    """
    leaves, treedef = tree_flatten(tree, is_leaf)
    if treedef is LEAF:
        return f(tree, *rest)
    columns = [treedef.flatten_up_to(other) for other in rest]
    return treedef.unflatten(map(f, leaves, *columns))


def tree_transpose(outer: TreeDef, inner: TreeDef | None, tree: Any) -> Any:
    """Turn a tree of trees inside out.

    Args:
        outer: the structure that is outside now.
        inner: the structure at each leaf of `outer`; by default that of the first.
        tree: a tree with structure `outer.compose(inner)`.

    Returns:
        The same leaves, with structure `inner.compose(outer)`.

    Raises:
        TransposeMismatchError: `tree` has another structure; it is a ValueError and a
            TypeError.
        ValueError: `inner` is None and `outer` has no leaf to find it at.

    Example:
        >>> outer = tree_structure([0, 0])
        >>> tree_transpose(outer, None, [{"x": 1, "y": 2}, {"x": 3, "y": 4}])
        {'x': [1, 3], 'y': [2, 4]}
    """
    try:
        subtrees = outer.flatten_up_to(tree)
        if inner is None:
            inner = tree_structure(_first(subtrees, outer))
        columns = [inner.flatten_up_to(subtree) for subtree in subtrees]
    except PytreeMismatchError as error:
        raise TransposeMismatchError(f"Mismatch: {error}") from None
    rows = zip(*columns, strict=True) if columns else [()] * inner.num_leaves
    return inner.unflatten(outer.unflatten(row) for row in rows)


def all_leaves(iterable: Iterable[Any], is_leaf: IsLeaf = None) -> bool:
    """Tell whether every element is a leaf, so that there is nothing to flatten.

    Args:
        iterable: pytrees.
        is_leaf: node -> bool; where it is true the node counts as a leaf.

    Returns:
        True when none of the elements is a container.

    Example:
        >>> all_leaves([1, "x"]), all_leaves([1, None])
        (True, False)
    """
    if is_leaf is None:
        return all(node_type_of(tree) is None for tree in iterable)
    return all(is_leaf(tree) or node_type_of(tree) is None for tree in iterable)


def treedef_children(treedef: TreeDef) -> list[TreeDef]:
    """Return the structures of the children of the root.

    Args:
        treedef: any structure.

    Returns:
        One structure per child.

    Example:
        >>> treedef_children(tree_structure((1, [2])))
        [PyTreeDef(*), PyTreeDef([*])]
    """
    return treedef.children()


def treedef_tuple(treedefs: Iterable[TreeDef]) -> TreeDef:
    """Return the structure of a tuple of trees.

    Args:
        treedefs: the structure of each element.

    Returns:
        The structure of the tuple.

    Example:
        >>> treedef_tuple([tree_structure(1), tree_structure([2])])
        PyTreeDef((*, [*]))
    """
    parts = tuple(treedefs)
    entries = [entry for part in parts for entry in part.entries]
    root = (NODE_TYPES[tuple], None, len(parts))
    return TreeDef((*entries, root), sum(part.num_leaves for part in parts))


def treedef_is_leaf(treedef: TreeDef) -> bool:
    """Tell whether a structure is a single node, as a leaf is.

    Args:
        treedef: any structure.

    Returns:
        True for a leaf and, as in JAX, for a node without children such as None.

    Example:
        >>> treedef_is_leaf(tree_structure(1)), treedef_is_leaf(tree_structure([1]))
        (True, False)
    """
    return treedef.num_nodes == 1


def _first(subtrees: list[Any], outer: TreeDef) -> Any:
    if not subtrees:
        raise ValueError(
            f"tree_transpose: {outer} has no leaf at which to find the inner "
            "structure; pass it as the second argument"
        )
    return subtrees[0]
