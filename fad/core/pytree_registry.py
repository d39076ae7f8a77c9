"""How a class becomes a pytree node.

Give `register_pytree_node` the two halves of the round trip

    flatten(node)              -> (children, data)
    unflatten(data, children)  -> node

or let a class bring them as methods (`register_pytree_node_class`), or let its
fields say it all (`register_dataclass`). The `..._with_keys` forms also name the
children, for key paths and error messages. `register_static` declares a class
whose instances have no leaves at all: they are part of the structure.

Registration holds for the whole process and cannot be undone, since tree
structures that exist already rely on it.

Public names: `register_pytree_node`, `register_pytree_node_class`,
`register_pytree_with_keys`, `register_pytree_with_keys_class`,
`register_dataclass`, `register_static`, `static`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from fad.core.pytree_nodes import Children, Flatten, NodeType, add_node_type, with_keys
from fad.core.pytree_paths import FlattenedIndexKey, GetAttrKey

__all__ = [
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "register_pytree_with_keys",
    "register_pytree_with_keys_class",
    "register_static",
    "static",
]

T = TypeVar("T", bound=type)


def register_pytree_node(
    nodetype: type,
    flatten_func: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten_func: Callable[[Any, Any], Any],
    flatten_with_keys_func: (
        Callable[[Any], tuple[Iterable[tuple[Any, Any]], Any]] | None
    ) = None,
) -> None:
    """Make a class a pytree node.

    Args:
        nodetype: the class.
        flatten_func: node -> (children, data), with hashable data.
        unflatten_func: (data, children) -> node. It must accept any children,
            since transforms put tracers, axes or placeholders there.
        flatten_with_keys_func: node -> ((key, child) pairs, data); by default
            the children are named by their position.

    Raises:
        TypeError: `nodetype` is not a class.
        ValueError: it is registered already.

    Example:
        >>> class Box:
        ...     def __init__(self, inside): self.inside = inside
        >>> register_pytree_node(
        ...     Box, lambda b: ((b.inside,), None), lambda data, xs: Box(*xs))
        >>> from fad.core.pytree import tree_leaves
        >>> tree_leaves([Box(1), Box((2, 3))])
        [1, 2, 3]
    """
    if not isinstance(nodetype, type):
        raise TypeError(
            f"cannot register {nodetype!r} as a pytree node: only a class can be "
            f"registered; pass its type, here {type(nodetype).__name__}"
        )
    flatten = _checked(flatten_func, nodetype)
    if flatten_with_keys_func is None:
        keyed = with_keys(flatten, FlattenedIndexKey)
    else:
        keyed = _checked(flatten_with_keys_func, nodetype)
    add_node_type(NodeType(nodetype, flatten, unflatten_func, keyed))


def register_pytree_with_keys(
    nodetype: type,
    flatten_with_keys: Callable[[Any], tuple[Iterable[tuple[Any, Any]], Any]],
    unflatten_func: Callable[[Any, Any], Any],
    flatten_func: Callable[[Any], tuple[Iterable[Any], Any]] | None = None,
) -> None:
    """Make a class a pytree node whose children have names in key paths.

    Args:
        nodetype: the class.
        flatten_with_keys: node -> ((key, child) pairs, data).
        unflatten_func: (data, children) -> node.
        flatten_func: a faster node -> (children, data), if there is one.

    Raises:
        TypeError: `nodetype` is not a class.
        ValueError: it is registered already.

    Example:
        >>> class Pair:
        ...     def __init__(self, l, r): self.l, self.r = l, r
        >>> register_pytree_with_keys(
        ...     Pair,
        ...     lambda p: (((GetAttrKey("l"), p.l), (GetAttrKey("r"), p.r)), None),
        ...     lambda data, xs: Pair(*xs))
        >>> from fad.core.pytree import keystr, tree_leaves_with_path
        >>> [keystr(path) for path, leaf in tree_leaves_with_path(Pair(1, 2))]
        ['.l', '.r']
    """

    def strip_keys(tree: Any) -> tuple[Children, Any]:
        pairs, data = flatten_with_keys(tree)
        return [child for _, child in pairs], data

    flatten = flatten_func or strip_keys
    register_pytree_node(nodetype, flatten, unflatten_func, flatten_with_keys)


def register_pytree_node_class(cls: T) -> T:
    """Make a class with `tree_flatten` and `tree_unflatten` a pytree node.

    Args:
        cls: a class with a method `tree_flatten(self) -> (children, data)` and a
            classmethod `tree_unflatten(cls, data, children)`.

    Returns:
        The class, so that this serves as a decorator.

    Raises:
        TypeError: `cls` is not a class.
        ValueError: it is registered already.

    Example:
        >>> @register_pytree_node_class
        ... class Box:
        ...     def __init__(self, inside): self.inside = inside
        ...     def tree_flatten(self): return (self.inside,), None
        ...     @classmethod
        ...     def tree_unflatten(cls, data, children): return cls(*children)
        >>> from fad.core.pytree import tree_map
        >>> tree_map(lambda x: x + 1, Box(1)).inside
        2
    """
    methods: Any = cls
    register_pytree_node(cls, lambda x: x.tree_flatten(), methods.tree_unflatten)
    return cls


def register_pytree_with_keys_class(cls: T) -> T:
    """Make a class with `tree_flatten_with_keys` a pytree node with named children.

    Args:
        cls: a class with `tree_flatten_with_keys(self) -> (pairs, data)`, the
            classmethod `tree_unflatten(cls, data, children)` and, if it likes, a
            faster `tree_flatten(self) -> (children, data)`.

    Returns:
        The class, so that this serves as a decorator.

    Raises:
        TypeError: `cls` is not a class.
        ValueError: it is registered already.

    Example:
        >>> @register_pytree_with_keys_class
        ... class Box:
        ...     def __init__(self, inside): self.inside = inside
        ...     def tree_flatten_with_keys(self):
        ...         return ((GetAttrKey("inside"), self.inside),), None
        ...     @classmethod
        ...     def tree_unflatten(cls, data, children): return cls(*children)
        >>> from fad.core.pytree import tree_leaves_with_path
        >>> tree_leaves_with_path(Box(1))
        [((GetAttrKey(name='inside'),), 1)]
    """
    methods: Any = cls
    register_pytree_with_keys(
        cls,
        lambda x: x.tree_flatten_with_keys(),
        methods.tree_unflatten,
        getattr(cls, "tree_flatten", None),
    )
    return cls


def register_dataclass(
    nodetype: T,
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
    drop_fields: Sequence[str] = (),
) -> T:
    """Make a dataclass a pytree node, its fields children or static data.

    Args:
        nodetype: a dataclass, or a class with a constructor of keywords.
        data_fields: fields that are children.
        meta_fields: fields that are static, hashable data. When both lists are
            left out, a field is static iff `field(metadata={"static": True})`.
        drop_fields: fields that are left out and get their default again.

    Returns:
        The class, so that this serves as a decorator.

    Raises:
        TypeError: `nodetype` is not a class, only one list was given, or both
            are missing and it is not a dataclass.
        ValueError: the lists and the fields of the dataclass do not agree, or
            the class is registered already.

    Example:
        >>> @register_dataclass
        ... @dataclasses.dataclass
        ... class Layer:
        ...     weight: float
        ...     name: str = dataclasses.field(metadata={"static": True})
        >>> from fad.core.pytree import tree_map
        >>> tree_map(lambda x: -x, Layer(2.0, "first"))
        Layer(weight=-2.0, name='first')
    """
    if data_fields is None or meta_fields is None:
        if data_fields is not meta_fields:
            raise TypeError("give data_fields and meta_fields both, or neither")
        data_fields, meta_fields = _fields_by_metadata(nodetype, drop_fields)
    data_names, meta_names = tuple(data_fields), tuple(meta_fields)
    if dataclasses.is_dataclass(nodetype):
        _check_fields(nodetype, {*data_names, *meta_names}, set(drop_fields))

    def flatten(tree: Any) -> tuple[Children, Any]:
        children = tuple([getattr(tree, name) for name in data_names])
        return children, tuple([getattr(tree, name) for name in meta_names])

    def unflatten(data: Any, children: Iterable[Any]) -> Any:
        fields = dict(zip(data_names, children, strict=True))
        return nodetype(**fields, **dict(zip(meta_names, data, strict=True)))

    keys = [GetAttrKey(name) for name in data_names]
    keyed = with_keys(flatten, keys.__getitem__)
    register_pytree_node(nodetype, flatten, unflatten, keyed)
    return nodetype


def static(**options: Any) -> Any:
    """Declare a dataclass field that is static data: `dataclasses.field`, marked.

    Args:
        options: those of `dataclasses.field`.

    Example:
        >>> @register_dataclass
        ... @dataclasses.dataclass
        ... class Power:
        ...     base: float
        ...     exponent: int = static(default=2)
        >>> from fad.core.pytree import tree_leaves
        >>> tree_leaves(Power(3.0))
        [3.0]
    """
    metadata = {**options.pop("metadata", {}), "static": True}
    return dataclasses.field(metadata=metadata, **options)


def register_static(cls: T) -> T:
    """Make the instances of a class part of the structure: nodes without leaves.

    Args:
        cls: a class whose instances are hashable and comparable.

    Returns:
        The class, so that this serves as a decorator.

    Raises:
        TypeError: `cls` is not a class.
        ValueError: it is registered already.

    Example:
        >>> @register_static
        ... class Mode(str): pass
        >>> from fad.core.pytree import tree_leaves
        >>> tree_leaves([1.0, Mode("train")])
        [1.0]
    """
    register_pytree_node(cls, lambda x: ((), x), lambda x, children: x)
    return cls


def _checked(flatten: Callable[[Any], Any], nodetype: type) -> Flatten:
    """Say what is wrong when a user's flatten function returns no pair."""

    def checked(tree: Any) -> tuple[Children, Any]:
        result = flatten(tree)
        if isinstance(result, tuple) and len(result) == 2:
            return tuple(result[0]), result[1]
        raise TypeError(
            f"the flatten function of pytree node {nodetype.__qualname__} must "
            f"return a pair (children, data), but returned {result!r}"
        )

    return checked


def _fields_by_metadata(
    nodetype: type, dropped: Sequence[str]
) -> tuple[list[str], list[str]]:
    if not dataclasses.is_dataclass(nodetype):
        raise TypeError(
            f"{nodetype!r} is not a dataclass: give data_fields and meta_fields"
        )
    data: list[str] = []
    meta: list[str] = []
    for field in dataclasses.fields(nodetype):
        if field.init and field.name not in dropped:
            (meta if field.metadata.get("static") else data).append(field.name)
    return data, meta


def _check_fields(nodetype: Any, named: set[str], dropped: set[str]) -> None:
    fields = {field.name for field in dataclasses.fields(nodetype) if field.init}
    if missing := sorted(fields - named - dropped):
        raise ValueError(
            f"register_dataclass({nodetype.__qualname__}): fields {missing} are in "
            "neither data_fields nor meta_fields; add them, or name them in "
            "drop_fields"
        )
    if unknown := sorted(named - fields):
        raise ValueError(
            f"register_dataclass({nodetype.__qualname__}): {unknown} are no fields "
            f"of its constructor, which has {sorted(fields)}"
        )
