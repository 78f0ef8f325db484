"""Nested containers: flat and back."""

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import together
from glassgrad.values.tree import describe, flatten, map_leaves, spread, unflatten

Pair = namedtuple("Pair", ["first", "second"])  # noqa: PYI024  # untyped on purpose: any namedtuple

words = st.text("ab", max_size=2)  # of all of Unicode: a second, to find out what there is
trees = st.recursive(
    st.one_of(st.none(), st.integers(), words),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(words, inner, max_size=3),
        st.tuples(inner, inner).map(lambda pair: Pair(*pair)),
    ),
    max_leaves=12,
)


@given(trees)
def test_flat_and_back_is_the_same(tree):
    leaves, structure = flatten(tree)
    back = unflatten(structure, leaves)
    assert back == tree
    assert flatten(back) == (leaves, structure)


@given(trees)
def test_map_keeps_the_structure(tree):
    assert flatten(map_leaves(lambda leaf: [leaf][0], tree)) == flatten(tree)
    assert flatten(map_leaves(str, tree))[0] == [str(leaf) for leaf in flatten(tree)[0]]


def test_leaves_come_from_left_to_right():
    tree = {"b": (1, [2, None]), "a": Pair(3, {"c": "four"})}
    assert flatten(tree)[0] == [1, 2, None, 3, "four"]


def test_classes_of_containers_are_kept():
    tree = [OrderedDict(a=1), Pair((), []), defaultdict(list, a=2), deque([3, 4], maxlen=2)]
    back = map_leaves(lambda leaf: leaf, tree)
    assert back == tree
    assert [type(part) for part in back] == [OrderedDict, Pair, defaultdict, deque]
    assert back[2].default_factory is list
    assert back[3].maxlen == 2


def test_depth_is_no_limit():
    tree = "bottom"
    for _ in range(50_000):
        tree = [tree]
    leaves, structure = flatten(tree)
    assert leaves == ["bottom"]
    back = unflatten(structure, leaves)
    depth = 0
    while isinstance(back, list):
        (back,) = back
        depth += 1
        (tree,) = tree
    assert depth == 50_000


@together
@pytest.mark.parametrize("count", [0, 1, 3])
def test_as_many_leaves_as_there_were(count):
    _, structure = flatten((1, 2))
    with pytest.raises((AssertionError, StopIteration)):
        unflatten(structure, range(count))


@given(trees)
def test_one_leaf_stands_for_a_whole_tree(tree):
    assert spread(7, tree) == [7] * len(flatten(tree)[0])


@given(trees)
def test_a_tree_is_a_prefix_of_itself(tree):
    assert spread(tree, tree) == flatten(tree)[0]


def test_a_prefix_is_spread_over_what_is_below():
    assert spread((1, {"a": 2, "b": (3, 4)}), ([0, [0, 0]], {"a": (0, 0), "b": (0, [0, 0])})) == [
        *(1, 1, 1),
        *(2, 2),
        *(3, 4, 4),
    ]


def test_a_dict_is_a_prefix_by_its_keys_in_any_order():
    assert spread({"b": 1, "a": 2}, {"a": (0, 0), "b": 0}) == [2, 2, 1]
    assert spread({"b": 1, "a": 2}, OrderedDict(a=0, b=0)) == [2, 1]
    assert spread({"a": 1}, OrderedDict(a=0, b=0)) is None


def test_another_structure_is_no_prefix():
    for prefix, tree in [
        ((1,), (1, 2)),
        ([1, 2], (1, 2)),
        ((1, 2), 3),
        ({"a": 1}, {"b": 1}),
        (((1, 2), 3), ([1, 2], 3)),
    ]:
        assert spread(prefix, tree) is None


def test_a_structure_is_described_as_it_is_written():
    tree = {"a": [1, ()], "b": (2,), 3: Pair(4, [5, 6])}
    assert describe(flatten(tree)[1]) == "{'a': [*, ()], 'b': (*,), 3: Pair(*, [*, *])}"
    assert describe(flatten(0)[1]) == "*"
