"""What a pytree node is: the registry of classes that pytrees look inside.

A *pytree* is a leaf, or a node whose children are pytrees. A `NodeType` says how
one class of nodes comes apart and goes together again:

    flatten(node)              -> (children, data)
    unflatten(data, children)  -> node

`data` is what is left of the node without its children, such as the keys of a
dict. It is part of the tree's structure, so it must be hashable and comparable.

Known here: None (a node without children), tuple, list, dict (children in the
order of the sorted keys), OrderedDict (in its own order), defaultdict, deque and
every namedtuple. `fad.core.pytree_registry` adds classes. Everything else is a
leaf, subclasses of list and dict included.

Names for the rest of `core`: `NodeType`, `NODE_TYPES`, `LEAF_TYPES`,
`NAMEDTUPLE`, `node_type_of`, `add_node_type`, `with_keys`. (A tracer class that
adds itself to `LEAF_TYPES` flattens faster.)
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from fad.core.pytree_paths import DictKey, GetAttrKey, SequenceKey

__all__ = [
    "LEAF_TYPES",
    "NAMEDTUPLE",
    "NODE_TYPES",
    "NodeType",
    "add_node_type",
    "node_type_of",
    "with_keys",
]

Children: TypeAlias = Sequence[Any]
Flatten: TypeAlias = Callable[[Any], tuple[Children, Any]]
FlattenWithKeys: TypeAlias = Callable[[Any], tuple[Sequence[tuple[Any, Any]], Any]]
Unflatten: TypeAlias = Callable[[Any, tuple[Any, ...]], Any]


@dataclass(frozen=True, slots=True, eq=False)
class NodeType:
    """How one class of nodes comes apart and goes together; equal by identity.

    Attributes:
        type: the registered class.
        flatten: node -> (children, data).
        unflatten: (data, children) -> node.
        flatten_with_keys: node -> ((key, child) pairs, data).
    """

    type: type
    flatten: Flatten
    unflatten: Unflatten
    flatten_with_keys: FlattenWithKeys

    def __reduce__(self) -> tuple[Any, ...]:
        return _known_node_type, (self.type,)


class AnyNamedTuple:
    """Stand for all namedtuple classes; the class of a node is its data."""


NODE_TYPES: dict[type, NodeType] = {}

# Types that are leaves beyond doubt, so that a flat container of them is recognised
# in C. Only speed depends on it: a type in neither table is looked at by its class.
LEAF_TYPES: set[type] = {np.ndarray, np.float64, np.float32, float, int, bool, complex}
_registering = threading.Lock()


def node_type_of(tree: Any) -> NodeType | None:
    """Return how `tree` comes apart, or None when it is a leaf."""
    node = NODE_TYPES.get(type(tree))
    if node is None and isinstance(tree, tuple) and is_namedtuple(tree):
        return NAMEDTUPLE
    return node


def is_namedtuple(tree: tuple[Any, ...]) -> bool:
    """Tell a namedtuple from other subclasses of tuple, by its field names."""
    return getattr(type(tree), "_fields", None) is not None


def add_node_type(node: NodeType) -> NodeType:
    """Enter a node type; a class that has one raises ValueError."""
    with _registering:
        if node.type in NODE_TYPES:
            raise ValueError(
                f"{node.type.__qualname__} is a pytree node already: register a "
                "class once, beside its definition"
            )
        NODE_TYPES[node.type] = node
        LEAF_TYPES.discard(node.type)
    return node


def with_keys(flatten: Flatten, key: Callable[[int], Any]) -> FlattenWithKeys:
    """Name the children that `flatten` yields by `key` of their position."""

    def flatten_with_keys(tree: Any) -> tuple[Sequence[tuple[Any, Any]], Any]:
        children, data = flatten(tree)
        return [(key(i), child) for i, child in enumerate(children)], data

    return flatten_with_keys


def _known_node_type(kind: type) -> NodeType:
    """Find a node type again when a tree structure is unpickled."""
    return NODE_TYPES[kind]


def _flatten_dict(tree: dict[Any, Any]) -> tuple[Children, Any]:
    try:
        keys = tuple(sorted(tree))
    except TypeError as error:
        raise ValueError(
            f"a dict in a pytree has keys {list(tree)} that cannot be sorted "
            f"({error}); its leaves are taken in the order of the sorted keys, so "
            "use keys of one type, or an OrderedDict, which keeps its own order"
        ) from None
    return [tree[key] for key in keys], keys


def _dict_with_keys(flatten: Flatten, keys_of: Callable[[Any], Any]) -> FlattenWithKeys:
    def flatten_with_keys(tree: Any) -> tuple[Sequence[tuple[Any, Any]], Any]:
        children, data = flatten(tree)
        keys = map(DictKey, keys_of(data))
        return list(zip(keys, children, strict=True)), data

    return flatten_with_keys


def _flatten_defaultdict(tree: defaultdict[Any, Any]) -> tuple[Children, Any]:
    children, keys = _flatten_dict(tree)
    return children, (tree.default_factory, keys)


def _unflatten_defaultdict(data: Any, children: Iterable[Any]) -> Any:
    factory, keys = data
    return defaultdict(factory, zip(keys, children, strict=True))


def _namedtuple_with_keys(tree: Any) -> tuple[Sequence[tuple[Any, Any]], Any]:
    names = map(GetAttrKey, tree._fields)
    return list(zip(names, tree, strict=True)), type(tree)


def _add_sequence(kind: type, flatten: Flatten, unflatten: Unflatten) -> None:
    add_node_type(NodeType(kind, flatten, unflatten, with_keys(flatten, SequenceKey)))


def _add_dict(
    kind: type, flatten: Flatten, unflatten: Unflatten, keys_of: Callable[[Any], Any]
) -> None:
    keyed = _dict_with_keys(flatten, keys_of)
    add_node_type(NodeType(kind, flatten, unflatten, keyed))


_add_sequence(type(None), lambda x: ((), None), lambda data, xs: None)
_add_sequence(tuple, lambda x: (x, None), lambda data, xs: xs)
_add_sequence(list, lambda x: (x, None), lambda data, xs: list(xs))
_add_sequence(
    deque, lambda x: (tuple(x), x.maxlen), lambda maxlen, xs: deque(xs, maxlen)
)
_add_dict(
    dict,
    _flatten_dict,
    lambda keys, xs: dict(zip(keys, xs, strict=True)),
    lambda keys: keys,
)
_add_dict(
    OrderedDict,
    lambda x: (list(x.values()), tuple(x)),
    lambda keys, xs: OrderedDict(zip(keys, xs, strict=True)),
    lambda keys: keys,
)
_add_dict(
    defaultdict, _flatten_defaultdict, _unflatten_defaultdict, lambda data: data[1]
)
NAMEDTUPLE = add_node_type(
    NodeType(
        AnyNamedTuple,
        lambda x: (x, type(x)),
        lambda cls, xs: cls(*xs),
        _namedtuple_with_keys,
    )
)
