"""How classes become pytree nodes, and `Partial`, which is one."""

import dataclasses
import functools
import threading
from collections import deque
from typing import Any, NamedTuple

import pytest

from fad.core.pytree import (
    DictKey,
    GetAttrKey,
    Partial,
    keystr,
    register_dataclass,
    register_pytree_node,
    register_pytree_node_class,
    register_pytree_with_keys,
    register_pytree_with_keys_class,
    register_static,
    tree_flatten,
    tree_leaves,
    tree_leaves_with_path,
    tree_map,
    tree_structure,
    treedef_is_leaf,
)


class Point(NamedTuple):
    x: Any
    y: Any


@register_pytree_node_class
@dataclasses.dataclass
class Box:
    inside: Any
    label: str = "box"

    def tree_flatten(self):
        return (self.inside,), self.label

    @classmethod
    def tree_unflatten(cls, label, children):
        return cls(*children, label)


@register_dataclass
@dataclasses.dataclass
class Layer:
    weight: Any
    bias: Any
    name: str = dataclasses.field(default="layer", metadata={"static": True})


def test_registered_node_keeps_its_data():
    assert tree_map(lambda x: -x, Box(1, "label")) == Box(-1, "label")


def test_registering_twice_is_an_error():
    with pytest.raises(ValueError, match="Box is a pytree node already"):
        register_pytree_node_class(Box)


@pytest.mark.parametrize("builtin", [list, dict, tuple, type(None), deque])
def test_registering_a_known_container_is_an_error(builtin):
    with pytest.raises(ValueError, match="already"):
        register_pytree_node(builtin, lambda x: ((), x), lambda data, xs: data)


def test_registering_an_instance_is_an_error():
    with pytest.raises(TypeError, match="only a class can be registered"):
        register_pytree_node([1], lambda x: ((), x), lambda data, xs: data)


def test_flatten_function_without_a_pair_is_an_error():
    class Wrong:
        pass

    register_pytree_node(Wrong, lambda x: [1, 2, 3], lambda data, xs: Wrong())
    with pytest.raises(TypeError, match=r"Wrong must return a pair.*\[1, 2, 3\]"):
        tree_flatten(Wrong())


def test_children_may_be_any_iterable():
    class Lazy:
        pass

    register_pytree_node(Lazy, lambda x: (iter([1, 2]), None), lambda data, xs: xs)
    assert tree_map(lambda x: x + 1, Lazy()) == (2, 3)


def test_subclass_of_a_registered_class_is_a_leaf():
    class Crate(Box):
        pass

    assert treedef_is_leaf(tree_structure(Crate(1)))


def test_registered_subclass_of_a_list_is_a_node():
    class Stack(list):
        pass

    register_pytree_node(Stack, lambda x: (x, None), lambda data, xs: Stack(xs))
    assert type(tree_map(lambda x: x, Stack([1]))) is Stack
    assert tree_leaves((1, Stack([2]))) == [1, 2]


def test_registered_with_keys_names_its_children():
    class Pair:
        def __init__(self, *xs):
            self.xs = xs

    register_pytree_with_keys(
        Pair,
        lambda p: (zip((DictKey("l"), DictKey("r")), p.xs, strict=True), None),
        lambda data, xs: Pair(*xs),
    )
    assert tree_leaves(Pair(1, 2)) == [1, 2]
    paths = [keystr(path) for path, _ in tree_leaves_with_path(Pair(1, 2))]
    assert paths == ["['l']", "['r']"]


def test_class_with_keys_may_bring_a_faster_flatten():
    @register_pytree_with_keys_class
    class Both:
        def tree_flatten_with_keys(self):
            return ((GetAttrKey("x"), 1),), None

        def tree_flatten(self):
            return (1,), None

        @classmethod
        def tree_unflatten(cls, data, children):
            return cls()

    assert tree_leaves(Both()) == [1]
    assert tree_leaves_with_path(Both()) == [((GetAttrKey("x"),), 1)]


def test_static_fields_of_a_dataclass_are_structure():
    assert tree_leaves(Layer(1, 2, "a")) == [1, 2]
    assert tree_structure(Layer(1, 2, "a")) != tree_structure(Layer(1, 2, "b"))


def test_dataclass_fields_may_be_listed():
    @dataclasses.dataclass
    class Model:
        size: int
        weight: float
        cache: list = dataclasses.field(default_factory=list)

    register_dataclass(Model, ["weight"], ["size"], drop_fields=["cache"])
    assert tree_map(lambda x: 2 * x, Model(3, 4.0, [5])) == Model(3, 8.0, [])


@pytest.mark.parametrize(
    ("data", "meta", "text"),
    [
        (["x"], [], r"fields \['y'\] are in neither"),
        (["x", "z"], ["y"], r"\['z'\] are no fields .* has \['x', 'y'\]"),
    ],
)
def test_dataclass_fields_must_all_be_listed(data, meta, text):
    model = dataclasses.make_dataclass("Model", ["x", "y"])
    with pytest.raises(ValueError, match=text):
        register_dataclass(model, data, meta)


def test_one_list_of_dataclass_fields_is_an_error():
    model = dataclasses.make_dataclass("Model", ["x"])
    with pytest.raises(TypeError, match="both, or neither"):
        register_dataclass(model, ["x"])


def test_class_that_is_no_dataclass_needs_its_fields_listed():
    class Plain:
        def __init__(self, x):
            self.x = x

    with pytest.raises(TypeError, match="not a dataclass"):
        register_dataclass(Plain)
    register_dataclass(Plain, ["x"], [])
    assert tree_map(lambda x: x + 1, Plain(1)).x == 2


def test_static_instance_is_part_of_the_structure():
    @register_static
    class Mode(str):
        pass

    assert tree_leaves([Mode("train"), 1]) == [1]
    assert tree_structure(Mode("train")) != tree_structure(Mode("test"))
    assert tree_structure(Mode("train")).unflatten([]) == "train"


def test_one_of_many_threads_wins_the_registration():
    cls = type("Contested", (), {})
    failures = []

    def register():
        try:
            register_static(cls)
        except ValueError as error:
            failures.append(error)

    threads = [threading.Thread(target=register) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(failures) == 7


def test_partial_has_its_arguments_as_leaves():
    scaled = tree_map(lambda x: 10 * x, Partial(dict, b=2))
    assert isinstance(scaled, Partial)
    assert scaled(a=1) == {"a": 1, "b": 20}


def test_partial_of_a_partial_has_the_leaves_of_both():
    outer = Partial(Partial(pow, 2), 3)
    assert tree_leaves(outer) == [2, 3]
    assert outer() == 8


def test_partial_hides_arguments_of_a_plain_partial():
    plain = functools.partial(pow, 2)
    outer = Partial(plain, 3)
    assert tree_leaves(outer) == [3]
    assert outer() == 8
    assert outer.func == plain
    assert tree_structure(outer) == tree_structure(Partial(plain, 4))


def test_partial_names_its_leaves():
    paths = [keystr(path) for path, _ in tree_leaves_with_path(Partial(pow, 2, exp=3))]
    assert paths == [".args[0]", ".keywords['exp']"]
