"""Taking a pytree apart into its leaves and its structure, and the way back.

A `TreeDef` holds a structure as its *entries*, one per node in postorder: None for
a leaf, else (node type, data, number of children). The tree `[1, {"a": 2}]` is

    None   None   (dict, ("a",), 1)   (list, None, 2)

A flat tuple compares and hashes in C, and putting the tree together again is one
loop: a leaf goes onto a stack, a node takes its children off it and goes on. Read
from right to left, the entries lead down a tree from its root. Only flattening
recurses, so a tree may be as deep as the recursion limit.

Public names: `TreeDef`, `tree_flatten`, `tree_leaves`, `tree_structure`,
`flatten_one_level`. For the other pytree modules: `LEAF`, `Entry`, `IsLeaf`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeAlias

from fad.core.pytree_errors import mismatch_error, too_deep
from fad.core.pytree_nodes import (
    LEAF_TYPES,
    NAMEDTUPLE,
    NODE_TYPES,
    NodeType,
    is_namedtuple,
    node_type_of,
)

__all__ = [
    "LEAF",
    "Entry",
    "IsLeaf",
    "TreeDef",
    "flatten_one_level",
    "tree_flatten",
    "tree_leaves",
    "tree_structure",
]

Entry: TypeAlias = tuple[NodeType, Any, int] | None
IsLeaf: TypeAlias = Callable[[Any], bool] | None


class TreeDef:
    """The structure of a pytree: immutable, hashable, comparable.

    Obtained from `tree_structure` or `tree_flatten`; every `*` in its text stands
    for a leaf.

    Example:
        >>> treedef = tree_structure([1, {"a": 2}])
        >>> treedef
        PyTreeDef([*, {'a': *}])
        >>> treedef.unflatten(["x", "y"])
        ['x', {'a': 'y'}]
    """

    __slots__ = ("_entries", "_num_leaves")

    def __init__(self, entries: tuple[Entry, ...], num_leaves: int) -> None:
        self._entries = entries
        self._num_leaves = num_leaves

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""
        return self._num_leaves

    @property
    def num_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return len(self._entries)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """One (node type, data, number of children) or None per node, in postorder."""
        return self._entries

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Build the tree with this structure and these leaves.

        Raises:
            ValueError: there are not `num_leaves` leaves.
        """
        values = tuple(leaves)
        if len(values) != self._num_leaves:
            raise ValueError(
                f"cannot unflatten {len(values)} leaves into {self}: it has "
                f"{self._num_leaves}; give one value per leaf, None included"
            )
        root = self._entries[-1]
        if root is None:
            return values[0]
        if root[2] == len(values) == len(self._entries) - 1:
            return root[0].unflatten(root[1], values)
        return self._fold(values, _build)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """Take `tree` apart only as far as this structure reaches.

        Returns:
            The subtree of `tree` at each leaf of this structure.

        Raises:
            PytreeMismatchError: a ValueError naming the key path where `tree` has
                another node.
        """
        found = []
        pending = [tree]
        for entry in reversed(self._entries):
            subtree = pending.pop()
            if entry is None:
                found.append(subtree)
                continue
            node = node_type_of(subtree)
            if node is not entry[0]:
                raise mismatch_error(self, tree, tree_structure(tree))
            children, data = node.flatten(subtree)
            if len(children) != entry[2] or data != entry[1]:
                raise mismatch_error(self, tree, tree_structure(tree))
            pending.extend(children)
        found.reverse()
        return found

    def children(self) -> list[TreeDef]:
        """Return the structure of each child, none for a leaf."""
        parts = []
        end = len(self._entries) - 1
        while end > 0:
            start = self._start_of_subtree(end)
            parts.append(self._entries[start:end])
            end = start
        return [TreeDef(part, part.count(None)) for part in reversed(parts)]

    def node_data(self) -> tuple[type, Any] | None:
        """Return (node class, data) of the root, or None for a leaf.

        The data of a dict are its keys, in a list; a namedtuple has none.
        """
        root = self._entries[-1]
        if root is None:
            return None
        node, data, _ = root
        if node is NAMEDTUPLE:
            return data, None
        return node.type, list(data) if node.type is dict else data

    def compose(self, inner: TreeDef) -> TreeDef:
        """Return this structure with `inner` in place of every leaf."""
        entries: list[Entry] = []
        for entry in self._entries:
            entries.extend(inner._entries if entry is None else (entry,))
        return TreeDef(tuple(entries), self._num_leaves * inner._num_leaves)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TreeDef):
            return self._entries == other._entries
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._entries)

    def __repr__(self) -> str:
        return f"PyTreeDef({self._fold(('*',) * self._num_leaves, _node_text)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TreeDef, (self._entries, self._num_leaves)

    def __copy__(self) -> TreeDef:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> TreeDef:
        return self

    def _fold(
        self,
        leaves: tuple[Any, ...],
        join: Callable[[NodeType, Any, tuple[Any, ...]], Any],
    ) -> Any:
        """Build a value bottom up; the children of a node are on top of the stack."""
        leaf = iter(leaves)
        stack: list[Any] = []
        for entry in self._entries:
            if entry is None:
                stack.append(next(leaf))
                continue
            node, data, arity = entry
            cut = len(stack) - arity
            children = tuple(stack[cut:])
            stack[cut:] = [join(node, data, children)]
        return stack[0]

    def _start_of_subtree(self, end: int) -> int:
        """Return where the subtree begins whose root is the entry before `end`."""
        missing = 1
        while missing:
            end -= 1
            entry = self._entries[end]
            missing += -1 if entry is None else entry[2] - 1
        return end


LEAF = TreeDef((None,), 1)


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeDef]:
    """Take a pytree apart into its leaves and its structure.

    Args:
        tree: any pytree.
        is_leaf: node -> bool; where it is true the node counts as a leaf.

    Returns:
        The leaves, in a fixed order, and the structure.

    Raises:
        ValueError: a dict has keys that cannot be sorted.
        RecursionError: the tree is too deep, or contains itself.

    Example:
        >>> tree_flatten({"b": [1, None], "a": 2})
        ([2, 1], PyTreeDef({'a': *, 'b': [*, None]}))
    """
    if is_leaf is not None:
        return _flatten_until(is_leaf, tree)
    if type(tree) in LEAF_TYPES or (node := node_type_of(tree)) is None:
        return [tree], LEAF
    children, data = node.flatten(tree)
    if LEAF_TYPES.issuperset(map(type, children)):
        return list(children), _flat_treedef(node, data, len(children))
    leaves: list[Any] = []
    entries: list[Entry] = []
    try:
        _flatten(children, leaves, entries)
    except RecursionError:
        raise too_deep() from None
    entries.append((node, data, len(children)))
    return leaves, TreeDef(tuple(entries), len(leaves))


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """Return the leaves of a pytree.

    Args:
        tree: any pytree.
        is_leaf: node -> bool; where it is true the node counts as a leaf.

    Returns:
        The leaves, in the order of `tree_flatten`.

    Raises:
        ValueError: a dict has keys that cannot be sorted.

    Example:
        >>> tree_leaves({"b": (1, 2), "a": 3})
        [3, 1, 2]
    """
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeDef:
    """Return the structure of a pytree.

    Args:
        tree: any pytree.
        is_leaf: node -> bool; where it is true the node counts as a leaf.

    Returns:
        The structure, as `tree_flatten` gives it.

    Raises:
        ValueError: a dict has keys that cannot be sorted.

    Example:
        >>> tree_structure((1, [2, 3])) == tree_structure((4, [5, 6]))
        True
    """
    return tree_flatten(tree, is_leaf)[1]


def flatten_one_level(tree: Any) -> tuple[list[Any], Any]:
    """Return (children, data) of the root of a pytree.

    Raises:
        ValueError: it is a leaf.

    Example:
        >>> flatten_one_level({"b": (1, 2), "a": 3})
        ([3, (1, 2)], ('a', 'b'))
    """
    node = node_type_of(tree)
    if node is None:
        raise ValueError(
            f"flatten_one_level takes a container, got a leaf of type "
            f"{type(tree).__name__}"
        )
    children, data = node.flatten(tree)
    return list(children), data


def _flat_treedef(node: NodeType, data: Any, arity: int) -> TreeDef:
    """Return the structure of a node whose children are all leaves."""
    if data is None:
        return _flat_treedef_without_data(node, arity)
    return TreeDef((None,) * arity + ((node, data, arity),), arity)


@lru_cache(maxsize=256)
def _flat_treedef_without_data(node: NodeType, arity: int) -> TreeDef:
    return TreeDef((None,) * arity + ((node, None, arity),), arity)


def _flatten(trees: Iterable[Any], leaves: list[Any], entries: list[Entry]) -> None:
    """Flatten trees one after another; a leaf costs no call."""
    for tree in trees:
        node = NODE_TYPES.get(type(tree))
        if node is None:
            if not isinstance(tree, tuple) or not is_namedtuple(tree):
                leaves.append(tree)
                entries.append(None)
                continue
            node = NAMEDTUPLE
        children, data = node.flatten(tree)
        if LEAF_TYPES.issuperset(map(type, children)):
            leaves.extend(children)
            entries.extend((None,) * len(children))
        else:
            _flatten(children, leaves, entries)
        entries.append((node, data, len(children)))


def _flatten_until(
    is_leaf: Callable[[Any], bool], tree: Any
) -> tuple[list[Any], TreeDef]:
    """Flatten the slow way, asking everywhere whether to stop."""
    leaves: list[Any] = []
    entries: list[Entry] = []
    try:
        _visit_until(is_leaf, tree, leaves, entries)
    except RecursionError:
        raise too_deep() from None
    return leaves, TreeDef(tuple(entries), len(leaves))


def _visit_until(
    is_leaf: Callable[[Any], bool], tree: Any, leaves: list[Any], entries: list[Entry]
) -> None:
    """Append the leaves and entries of a tree (an inner function would be a cycle)."""
    node = None if is_leaf(tree) else node_type_of(tree)
    if node is None:
        leaves.append(tree)
        entries.append(None)
        return
    children, data = node.flatten(tree)
    for child in children:
        _visit_until(is_leaf, child, leaves, entries)
    entries.append((node, data, len(children)))


def _build(node: NodeType, data: Any, children: tuple[Any, ...]) -> Any:
    return node.unflatten(data, children)


def _node_text(node: NodeType, data: Any, children: tuple[str, ...]) -> str:
    """Write a node as `repr(TreeDef)` shows it, given the text of its children."""
    inside = ", ".join(children)
    if node.type is type(None):
        return "None"
    if node.type is tuple:
        return f"({inside},)" if len(children) == 1 else f"({inside})"
    if node.type is list:
        return f"[{inside}]"
    if node.type is dict:
        items = zip(data, children, strict=True)
        return "{" + ", ".join(f"{key!r}: {text}" for key, text in items) + "}"
    if node is NAMEDTUPLE:
        return f"CustomNode(namedtuple[{data.__name__}], [{inside}])"
    return f"CustomNode({node.type.__name__}[{data!r}], [{inside}])"
