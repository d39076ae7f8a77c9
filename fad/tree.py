"""Functions on pytrees under short names: `fad.tree.map(f, params)`.

These are the functions of `fad.tree_util` without the prefix `tree_`; see there for
what a pytree is and for how to register a class. Import the module, not the names,
some of which are names of Python's own functions.

Public names: `all`, `any`, `broadcast`, `flatten`, `flatten_with_path`, `leaves`,
`leaves_with_path`, `map`, `map_with_path`, `reduce`, `reduce_associative`, `static`,
`structure`, `transpose`, `unflatten`.

Example:
    >>> import fad.tree
    >>> fad.tree.map(lambda x: x + 1, {"w": [1, 2]})
    {'w': [2, 3]}
"""

from fad.core import pytree

__all__ = [
    "all",
    "any",
    "broadcast",
    "flatten",
    "flatten_with_path",
    "leaves",
    "leaves_with_path",
    "map",
    "map_with_path",
    "reduce",
    "reduce_associative",
    "static",
    "structure",
    "transpose",
    "unflatten",
]

all = pytree.tree_all
any = pytree.tree_any
broadcast = pytree.tree_broadcast
flatten = pytree.tree_flatten
flatten_with_path = pytree.tree_flatten_with_path
leaves = pytree.tree_leaves
leaves_with_path = pytree.tree_leaves_with_path
map = pytree.tree_map
map_with_path = pytree.tree_map_with_path
reduce = pytree.tree_reduce
reduce_associative = pytree.tree_reduce_associative
static = pytree.static
structure = pytree.tree_structure
transpose = pytree.tree_transpose
unflatten = pytree.tree_unflatten
