"""Pytrees: nested containers of arrays, treated as one value.

A pytree is a leaf (an array, a number, any object that is no container) or one of
the known containers of pytrees: tuple, list, dict, namedtuple, OrderedDict,
defaultdict, deque, None (which holds nothing), or an instance of a registered class.

| to | use |
|---|---|
| take apart | `tree_flatten`, `tree_leaves`, `tree_structure` |
| put together | `tree_unflatten` |
| compute leaf by leaf | `tree_map`, `tree_all`, `tree_any` |
| fold the leaves | `tree_reduce`, `tree_reduce_associative` |
| rearrange | `tree_transpose`, `tree_broadcast`, `broadcast_prefix`, `prefix_errors` |
| know where a leaf is | `tree_map_with_path`, `tree_flatten_with_path`, `keystr` |
| add a class | `register_dataclass`, `register_pytree_node_class`, `register_static` |
| bind arguments | `Partial` |

The names and their meaning are those of `jax.tree_util`.

Example:
    >>> params = {"w": [1.0, 2.0], "b": 0.5}
    >>> leaves, treedef = tree_flatten(params)
    >>> leaves, treedef
    ([0.5, 1.0, 2.0], PyTreeDef({'b': *, 'w': [*, *]}))
    >>> treedef.unflatten([-leaf for leaf in leaves])
    {'b': -0.5, 'w': [-1.0, -2.0]}
"""

from fad.core.pytree import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    KeyPath,
    Partial,
    PytreeMismatchError,
    SequenceKey,
    TransposeMismatchError,
    TreeDef,
    all_leaves,
    broadcast_prefix,
    flatten_one_level,
    keystr,
    prefix_errors,
    register_dataclass,
    register_pytree_node,
    register_pytree_node_class,
    register_pytree_with_keys,
    register_pytree_with_keys_class,
    register_static,
    static,
    tree_all,
    tree_any,
    tree_broadcast,
    tree_flatten,
    tree_flatten_with_path,
    tree_leaves,
    tree_leaves_with_path,
    tree_map,
    tree_map_with_path,
    tree_reduce,
    tree_reduce_associative,
    tree_structure,
    tree_transpose,
    tree_unflatten,
    treedef_children,
    treedef_is_leaf,
    treedef_tuple,
)
from fad.core.pytree import TreeDef as PyTreeDef

__all__ = [
    "DictKey",
    "FlattenedIndexKey",
    "GetAttrKey",
    "KeyPath",
    "Partial",
    "PyTreeDef",
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
