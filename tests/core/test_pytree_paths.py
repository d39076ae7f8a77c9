"""Where things are in a pytree, and how a place that does not fit is named."""

import dataclasses
from collections import defaultdict, deque
from typing import Any, NamedTuple

import pytest

from fad.core.pytree import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    PytreeMismatchError,
    SequenceKey,
    broadcast_prefix,
    keystr,
    prefix_errors,
    register_dataclass,
    register_pytree_node_class,
    tree_broadcast,
    tree_leaves_with_path,
    tree_map,
    tree_map_with_path,
    tree_structure,
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


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ([1], (1,), "their root: expected a list of length 1, found a tuple"),
        (
            {"a": [1, (2, 3)]},
            {"a": [1, (2,)]},
            r"key path \['a'\]\[1\]: expected a tuple of length 2, "
            "found a tuple of length 1",
        ),
        ({"a": 1}, {"b": 1}, r"a dict with keys \['a'\], found .* keys \['b'\]"),
        ({"a": [1]}, {"a": 1}, r"\['a'\]: .*, found a leaf of type int"),
        (Point([1], 2), Point(1, 2), r"key path \.x: expected a list"),
        (Point(1, 2), (1, 2), "expected a namedtuple Point, found a tuple"),
        ([None], [1], r"\[0\]: expected None, found a leaf of type int"),
        (Box([1]), Box(1), r"key path \[<flat index 0>\]: expected a list"),
        (Box(1), Box(1, "c"), "a Box with 1 children and data 'box', found data 'c'"),
        (Layer([1], 2), Layer(1, 2), r"key path \.weight: expected a list"),
        (defaultdict(int, a=1), {"a": 1}, "a defaultdict .*, found a dict"),
    ],
)
def test_mismatch_names_place_and_nodes(first, second, text):
    with pytest.raises(ValueError, match=text):
        tree_map(lambda x, y: x, first, second)


def test_mismatch_shows_both_structures():
    with pytest.raises(PytreeMismatchError) as caught:
        tree_structure([1, 2]).flatten_up_to((1, 2))
    assert "PyTreeDef([*, *])" in str(caught.value)
    assert "PyTreeDef((*, *))" in str(caught.value)


def test_keys_that_are_equal_but_look_different_match():
    assert tree_map(lambda x, y: x + y, {1: 1}, {1.0: 2}) == {1: 3}


def test_broadcast_fills_the_full_structure():
    assert tree_broadcast((1, {"a": 2}), ([0, 0], {"a": (0,)})) == ([1, 1], {"a": (2,)})


def test_broadcast_prefix_with_none_as_an_entry():
    entries = broadcast_prefix((0, None), ([1, 2], 3), is_leaf=lambda x: x is None)
    assert entries == [0, 0, None]


def test_broadcast_prefix_skips_what_has_no_leaves():
    full = ([1], None, 2)
    assert broadcast_prefix((0, 1, 2), full, lambda x: x is None) == [0, 2]


def test_broadcast_prefix_names_the_place_that_does_not_fit():
    with pytest.raises(PytreeMismatchError, match=r"key path \[1\]\['a'\]"):
        broadcast_prefix((0, {"a": [1]}), (5, {"a": 6}))


def test_prefix_errors_find_every_place():
    errors = prefix_errors(([0], {"a": (1, 1)}), (5, {"a": (6,)}))
    texts = [str(error("in_axes")).partition(" ")[0] for error in errors]
    assert texts == ["in_axes[0]", "in_axes[1]['a']"]


def test_prefix_has_no_errors():
    assert prefix_errors((0, 1), ([2, 3], None)) == []


def test_paths_have_one_key_per_level():
    tree = {"a": [1, Point(2, Layer(3, 4))], "b": Box(5), "c": deque([6])}
    paths = [keystr(path) for path, _ in tree_leaves_with_path(tree)]
    expected = "['a'][0] ['a'][1].x ['a'][1].y.weight ['a'][1].y.bias"
    assert paths == [*expected.split(), "['b'][<flat index 0>]", "['c'][0]"]


def test_path_of_the_root_is_empty():
    assert tree_leaves_with_path(1) == [((), 1)]


def test_map_with_path_sees_path_and_leaves():
    result = tree_map_with_path(lambda path, x, y: (keystr(path), x + y), [1], [2])
    assert result == [("[0]", 3)]


def test_is_leaf_may_take_the_path():
    pairs = tree_leaves_with_path(
        {"a": [1], "b": [2]},
        is_leaf=lambda path, _: path == (DictKey("a"),),
        is_leaf_takes_path=True,
    )
    assert [leaf for _, leaf in pairs] == [[1], 2]


def test_is_leaf_without_path_stops_the_descent():
    pairs = tree_leaves_with_path([(1, 2)], is_leaf=lambda x: type(x) is tuple)
    assert pairs == [((SequenceKey(0),), (1, 2))]


def test_map_with_path_of_a_mismatch_is_an_error():
    with pytest.raises(PytreeMismatchError, match=r"\[0\]: expected a list"):
        tree_map_with_path(lambda path, x, y: x, [[1]], [1])


def test_simple_keystr_is_bare_names():
    path = DictKey("a"), SequenceKey(0), GetAttrKey("w"), FlattenedIndexKey(2), "own"
    assert keystr(path, simple=True, separator="/") == "a/0/w/2/own"


def test_keys_compare_and_hash_by_value():
    assert len({DictKey("a"), DictKey("a"), GetAttrKey("a")}) == 2
