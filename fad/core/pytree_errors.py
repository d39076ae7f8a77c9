"""Saying where and how two pytrees differ.

`TreeDef.flatten_up_to` only notices that a tree does not fit. The functions here go
over it once more, slowly, with key paths, and find every difference:

    at key path ['w'][0]: expected a list of length 2, found a tuple of length 2

Public names: `PytreeMismatchError`, `TransposeMismatchError`. For the other pytree
modules: `mismatches`, `mismatch_error`, `too_deep`.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fad.core.pytree_nodes import NAMEDTUPLE, NodeType, node_type_of
from fad.core.pytree_paths import KeyPath, keystr

if TYPE_CHECKING:
    from fad.core.pytree_structure import TreeDef

__all__ = [
    "PytreeMismatchError",
    "TransposeMismatchError",
    "mismatch_error",
    "mismatches",
    "too_deep",
]


class PytreeMismatchError(ValueError):
    """Report that two pytrees differ where they should be alike.

    Failing: `tree_map(f, {"w": [x, y]}, {"w": (x, y)})`, a list beside a tuple.
    Fixed: `tree_map(f, {"w": [x, y]}, {"w": [x, y]})`.
    """


class TransposeMismatchError(PytreeMismatchError, TypeError):
    """Report that a tree given to `tree_transpose` is not of the outer and inner kind.

    Failing: `tree_transpose(tree_structure([0, 0]), None, [{"x": 1}, {"y": 1}])`.
    Fixed: every element of the outer tree has one structure, `[{"x": 1}, {"x": 2}]`.
    """


def mismatch_error(treedef: TreeDef, tree: Any, actual: TreeDef) -> ValueError:
    """Make the error for a tree, of structure `actual`, that does not fit."""
    path, text = next(mismatches(treedef, tree))
    place = f"key path {keystr(path)}" if path else "their root"
    return PytreeMismatchError(
        f"pytrees differ at {place}: {text}. The tree must have the structure "
        f"{treedef}, at least up to its leaves, but it has {actual}"
    )


def mismatches(
    treedef: TreeDef, tree: Any, path: KeyPath = ()
) -> Iterator[tuple[KeyPath, str]]:
    """Yield (key path, what differs) wherever `tree` leaves the structure.

    This is the slow, explaining twin of `TreeDef.flatten_up_to`, which raises
    exactly when there is something to yield.
    """
    root = treedef.entries[-1]
    if root is None:
        return
    if text := _difference(root, tree):
        yield path, text
        return
    keyed, _ = root[0].flatten_with_keys(tree)
    for below, (key, child) in zip(treedef.children(), keyed, strict=True):
        yield from mismatches(below, child, (*path, key))


def too_deep() -> RecursionError:
    """Make the error of a walk that ran out of stack."""
    return RecursionError(
        "a pytree is nested deeper than Python's recursion limit, or contains "
        "itself; keep pytrees shallow, or raise sys.setrecursionlimit"
    )


def _difference(expected: tuple[NodeType, Any, int], tree: Any) -> str | None:
    """Say how the root of `tree` differs from the expected node, if it does."""
    node, data, arity = expected
    wanted = _node_name(node, data, arity)
    actual = node_type_of(tree)
    if actual is None:
        return f"expected {wanted}, found a leaf of type {type(tree).__name__}"
    children, actual_data = actual.flatten(tree)
    if actual is node and len(children) == arity and actual_data == data:
        return None
    found = _node_name(actual, actual_data, len(children))
    if wanted == found:
        return f"expected {wanted} and data {data!r}, found data {actual_data!r}"
    return f"expected {wanted}, found {found}"


def _node_name(node: NodeType, data: Any, arity: int) -> str:
    """Name a node in an error message: `a list of length 2`."""
    if node.type is type(None):
        return "None"
    if node.type in (list, tuple, deque):
        return f"a {node.type.__name__} of length {arity}"
    if node is NAMEDTUPLE:
        return f"a namedtuple {data.__name__}"
    if node.type in (dict, OrderedDict, defaultdict):
        keys = data[1] if node.type is defaultdict else data
        return f"a {node.type.__name__} with keys {list(keys)}"
    return f"a {node.type.__qualname__} with {arity} children"
