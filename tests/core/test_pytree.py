"""What is a pytree, how it comes apart, and what is said when two do not match."""

import collections
import copy
import dataclasses
import functools
import itertools
import pickle
from collections import OrderedDict, defaultdict, deque
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fad.tree
import fad.tree_util
from fad.core.pytree import (
    PytreeMismatchError,
    TreeDef,
    all_leaves,
    broadcast_prefix,
    flatten_one_level,
    register_dataclass,
    register_pytree_node_class,
    tree_all,
    tree_any,
    tree_flatten,
    tree_flatten_with_path,
    tree_leaves,
    tree_map,
    tree_reduce,
    tree_reduce_associative,
    tree_structure,
    tree_transpose,
    tree_unflatten,
    treedef_children,
    treedef_is_leaf,
    treedef_tuple,
)
from fad.core.pytree_errors import mismatches


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


def nests(trees):
    items = st.lists(trees, max_size=3)
    named = st.dictionaries(st.text("abc", max_size=2), trees, max_size=3)
    return st.one_of(
        items,
        items.map(tuple),
        items.map(lambda xs: deque(xs, maxlen=5)),
        named,
        named.map(OrderedDict),
        named.map(lambda d: defaultdict(int, d)),
        st.builds(Point, trees, trees),
        st.builds(Box, trees),
        st.builds(Layer, trees, trees),
    )


scalars = st.integers() | st.floats(allow_nan=False) | st.text(max_size=2)
pytrees = st.recursive(scalars | st.none(), nests, max_leaves=12)


@given(pytrees)
def test_unflatten_undoes_flatten(tree):
    leaves, treedef = tree_flatten(tree)
    rebuilt = treedef.unflatten(leaves)
    assert rebuilt == tree
    assert type(rebuilt) is type(tree)


@given(pytrees)
def test_flatten_undoes_unflatten(tree):
    treedef = tree_structure(tree)
    leaves = [object() for _ in range(treedef.num_leaves)]
    assert tree_flatten(treedef.unflatten(leaves)) == (leaves, treedef)


@given(pytrees)
def test_every_flattening_agrees_with_the_fast_one(tree):
    leaves, treedef = tree_flatten(tree)
    assert tree_flatten(tree, lambda node: False) == (leaves, treedef)
    pairs, with_path = tree_flatten_with_path(tree)
    assert ([leaf for _, leaf in pairs], with_path) == (leaves, treedef)


@given(pytrees)
def test_equal_structures_have_equal_hashes(tree):
    treedef = tree_structure(tree)
    other = tree_structure(copy.deepcopy(tree))
    assert treedef == other
    assert hash(treedef) == hash(other)


@given(pytrees)
def test_tuple_of_children_rebuilds_a_tuple(tree):
    treedef = tree_structure((tree, 1, tree))
    assert treedef_tuple(treedef_children(treedef)) == treedef


@given(pytrees, pytrees)
def test_composed_structure_is_that_of_the_substituted_tree(outer, inner):
    composed = tree_structure(outer).compose(tree_structure(inner))
    substituted = tree_map(lambda _: inner, outer)
    assert composed == tree_structure(substituted)
    assert composed.num_leaves == len(tree_leaves(substituted))


@given(pytrees, pytrees)
def test_flatten_up_to_fails_exactly_where_a_mismatch_is_found(expected, tree):
    treedef = tree_structure(expected)
    found = list(mismatches(treedef, tree))
    try:
        subtrees = treedef.flatten_up_to(tree)
    except PytreeMismatchError:
        assert found
    else:
        assert not found
        assert treedef.unflatten(subtrees) == tree


@given(pytrees)
def test_map_of_composition_is_composition_of_maps(tree):
    twice = tree_map(lambda x: [x, x], tree)
    both = tree_map(lambda x: tree_structure([x, x]), tree)
    assert tree_map(lambda treedef, xs: treedef.unflatten(xs), both, twice) == twice


@given(pytrees)
def test_prefix_leaf_answers_for_all_leaves_of_its_subtree(tree):
    full = tree_map(lambda x: [x, (x,)], tree)
    assert broadcast_prefix(tree, full) == [
        leaf for leaf in tree_leaves(tree) for _ in range(2)
    ]


@given(pytrees)
def test_structure_survives_pickling(tree):
    treedef = tree_structure(tree)
    assert pickle.loads(pickle.dumps(treedef)) == treedef


@pytest.mark.parametrize("leaf", [1, 1.5, "text", np.ones(3), {1, 2}, object(), dict])
def test_what_is_no_container_is_a_leaf(leaf):
    leaves, treedef = tree_flatten(leaf)
    assert leaves[0] is leaf
    assert treedef.unflatten(leaves) is leaf


def test_none_is_a_tree_without_leaves():
    assert tree_leaves([None, 1]) == [1]
    assert tree_structure(None).num_leaves == 0


def test_none_keeps_its_place():
    assert tree_map(lambda x: x + 1, {"a": None, "b": 1}) == {"a": None, "b": 2}


def test_dict_leaves_are_in_order_of_sorted_keys():
    assert tree_leaves({"b": 1, "a": 2}) == [2, 1]


def test_ordered_dict_leaves_are_in_insertion_order():
    assert tree_leaves(OrderedDict(b=1, a=2)) == [1, 2]


def test_dict_keys_that_cannot_be_sorted_are_an_error():
    with pytest.raises(ValueError, match="cannot be sorted.*OrderedDict"):
        tree_flatten({"a": 1, 2: 3})


def test_defaultdict_keeps_its_factory():
    doubled = tree_map(lambda x: 2 * x, defaultdict(list, a=1))
    assert doubled == {"a": 2}
    assert doubled["new"] == []


def test_deque_keeps_its_maxlen():
    assert tree_map(lambda x: 2 * x, deque([1, 2], maxlen=3)).maxlen == 3


def test_namedtuple_is_recognised_by_its_fields():
    pair = collections.namedtuple("pair", "left right")
    assert tree_map(lambda x: 2 * x, pair(1, 2)) == pair(2, 4)


@pytest.mark.parametrize("base", [list, dict, tuple])
def test_instance_of_unregistered_subclass_is_a_leaf(base):
    value = type("Sub", (base,), {})()
    assert tree_leaves([value]) == [value]
    assert treedef_is_leaf(tree_structure(value))


def test_namedtuple_among_plain_leaves_is_taken_apart():
    assert tree_leaves((1.0, Point(2.0, 3.0), 4.0)) == [1.0, 2.0, 3.0, 4.0]


def test_is_leaf_stops_the_descent():
    assert tree_leaves([(1, 2), [3]], lambda x: type(x) is tuple) == [(1, 2), 3]


def test_is_leaf_can_make_the_root_a_leaf():
    assert tree_flatten([1, 2], lambda x: True)[0] == [[1, 2]]


def test_is_leaf_makes_none_a_leaf():
    assert tree_leaves([None, 1], lambda x: x is None) == [None, 1]


@pytest.mark.parametrize("is_leaf", [None, lambda x: False])
def test_list_that_contains_itself_is_an_error(is_leaf):
    cyclic = []
    cyclic.append(cyclic)
    with pytest.raises(RecursionError, match="contains itself"):
        tree_flatten(cyclic, is_leaf)


def test_deep_nest_survives_every_function():
    deep = functools.reduce(lambda tree, _: [tree], range(700), 1)
    leaves, treedef = tree_flatten(deep)
    assert leaves == treedef.flatten_up_to(deep) == [1]
    assert tree_leaves(treedef.unflatten([2])) == [2]
    assert treedef == tree_structure(deep)
    assert repr(treedef).count("[") == 700


@pytest.mark.parametrize("count", [0, 1, 3])
def test_wrong_number_of_leaves_is_an_error(count):
    treedef = tree_structure({"a": 1, "b": [2]})
    with pytest.raises(ValueError, match=f"{count} leaves.*'b': .* has 2"):
        tree_unflatten(treedef, range(count))


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (1, "*"),
        (None, "None"),
        ((), "()"),
        ((1,), "(*,)"),
        ((1, {"a": 1}), "(*, {'a': *})"),
        ([1, [2, None]], "[*, [*, None]]"),
        (Point(1, 2), "CustomNode(namedtuple[Point], [*, *])"),
        (Box(1), "CustomNode(Box['box'], [*])"),
        (deque([1], maxlen=2), "CustomNode(deque[2], [*])"),
        (OrderedDict(a=1), "CustomNode(OrderedDict[('a',)], [*])"),
    ],
)
def test_repr_shows_the_structure(tree, text):
    assert repr(tree_structure(tree)) == f"PyTreeDef({text})"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1], (1,)),
        ([1, 2], [1]),
        ([[1], 2], [1, [2]]),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, OrderedDict(a=1)),
        (Point(1, 2), (1, 2)),
        (deque([1]), deque([1], maxlen=1)),
        (Box(1), Box(1, "other")),
        (None, 1),
    ],
)
def test_different_structures_are_unequal(one, other):
    assert tree_structure(one) != tree_structure(other)


def test_structure_equals_nothing_else():
    assert tree_structure(1) != "PyTreeDef(*)"


def test_structure_cannot_be_changed():
    treedef = tree_structure([1])
    with pytest.raises(AttributeError):
        treedef.num_leaves = 2


def test_structure_is_its_own_copy():
    treedef = tree_structure([1])
    assert copy.copy(treedef) is copy.deepcopy(treedef) is treedef


def test_structure_is_a_leaf():
    treedef = tree_structure([1])
    assert tree_leaves([treedef]) == [treedef]


def test_num_nodes_counts_leaves_and_containers():
    assert tree_structure([1, (2, None)]).num_nodes == 5


def test_children_of_a_leaf_are_none_at_all():
    assert tree_structure(1).children() == []


def test_children_come_in_order():
    treedef = tree_structure({"a": (1, 2), "b": None, "c": 3})
    expected = [tree_structure(tree) for tree in ((1, 2), None, 3)]
    assert treedef.children() == expected


@pytest.mark.parametrize(
    ("tree", "data"),
    [
        (1, None),
        (None, (type(None), None)),
        ([1], (list, None)),
        ({"a": 1}, (dict, ["a"])),
        (Point(1, 2), (Point, None)),
        (Box(1), (Box, "box")),
    ],
)
def test_node_data_describes_the_root(tree, data):
    assert tree_structure(tree).node_data() == data


def test_associative_folds_combine_halves():
    add = lambda a, b: f"({a}{b})"
    assert tree_reduce_associative(add, list("abcde")) == "((ab)(c(de)))"
    assert tree_reduce_associative(add, {"x": "a"}) == "a"
    assert tree_reduce_associative(add, [], identity="") == ""
    assert tree_reduce_associative(add, ["a", None], is_leaf=lambda x: x is None)
    with pytest.raises(TypeError, match="needs identity="):
        tree_reduce_associative(add, [])


def test_flatten_one_level_leaves_the_children_whole():
    assert flatten_one_level([1, [2]]) == ([1, [2]], None)
    with pytest.raises(ValueError, match="leaf of type int"):
        flatten_one_level(1)


def test_map_takes_corresponding_leaves():
    assert tree_map(max, {"a": [1, 5]}, {"a": [3, 4]}) == {"a": [3, 5]}


def test_map_gives_subtrees_of_later_trees():
    assert tree_map(lambda x, sub: (x, sub), [1, 2], [{"a": 3}, None]) == [
        (1, {"a": 3}),
        (2, None),
    ]


def test_map_over_a_leaf_calls_the_function_once():
    assert tree_map(lambda x, sub: sub, 1, [2, 3]) == [2, 3]


def test_map_uses_is_leaf_on_the_first_tree():
    trees = [(1, 2)], [(3, 4)]
    added = tree_map(lambda x, y: x + y, *trees, is_leaf=lambda x: type(x) is tuple)
    assert added == [(1, 2, 3, 4)]


def test_reduce_goes_from_left_to_right():
    assert tree_reduce(lambda text, x: text + x, {"b": "y", "a": "x"}, ">") == ">xy"


def test_reduce_of_nothing_needs_an_initializer():
    assert tree_reduce(max, [], 7) == 7
    with pytest.raises(TypeError):
        tree_reduce(max, [])


def test_all_and_any_look_at_the_leaves():
    assert tree_all([True, {"a": 1}])
    assert not tree_all([True, {"a": 0}])
    assert tree_any([0, {"a": 1}])
    assert not tree_any([None, 0])


def test_all_leaves_finds_a_container():
    assert all_leaves([1, "a"])
    assert not all_leaves([1, [2]])
    assert all_leaves([1, [2]], lambda x: type(x) is list)


def test_transpose_turns_a_list_of_dicts_into_a_dict_of_lists():
    tree = [{"x": 1, "y": 2}, {"x": 3, "y": 4}]
    outer, inner = tree_structure([0, 0]), tree_structure({"x": 0, "y": 0})
    assert tree_transpose(outer, inner, tree) == {"x": [1, 3], "y": [2, 4]}


@given(pytrees.filter(tree_leaves), pytrees)
def test_transpose_undoes_itself(outer, inner):
    outer_def, inner_def = tree_structure(outer), tree_structure(inner)
    names = map(str, itertools.count())
    tree = tree_map(lambda _: tree_map(lambda _: next(names), inner), outer)
    turned = tree_transpose(outer_def, inner_def, tree)
    assert tree_structure(turned) == inner_def.compose(outer_def)
    if tree_leaves(inner):
        assert tree_transpose(inner_def, outer_def, turned) == tree


def test_transpose_needs_an_inner_structure_when_there_is_nothing_outside():
    with pytest.raises(ValueError, match="pass it as the second argument"):
        tree_transpose(tree_structure([]), None, [])


def test_transpose_of_another_structure_is_an_error():
    with pytest.raises(PytreeMismatchError, match=r"\(\*, \*\)") as error:
        tree_transpose(tree_structure([0]), tree_structure((0, 0)), [[1, 2]])
    assert isinstance(error.value, TypeError)
    with pytest.raises(TypeError, match="Mismatch"):
        tree_transpose(tree_structure([0, 0]), None, [[1, 2]])


@pytest.mark.parametrize("name", fad.tree.__all__)
def test_short_name_is_the_long_one(name):
    long = name if name == "static" else f"tree_{name}"
    assert getattr(fad.tree, name) is getattr(fad.tree_util, long)


def test_tree_util_has_the_name_of_the_structure():
    assert fad.tree_util.PyTreeDef is TreeDef
