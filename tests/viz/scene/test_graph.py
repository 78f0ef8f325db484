import pytest

from checks import together
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.viz import draw
from glassgrad.viz.scene.graph import Look


@together
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"show": ("value",)}, "show has 'value'"),
        ({"fold": True}, "fold=True is not known"),
        ({"fold": 0}, "fold=0 is not known"),
        ({"fold": "always"}, "fold='always' is not known"),
        ({"max_nodes": 0}, "max_nodes=0 leaves nothing"),
        ({"max_nodes": True}, "max_nodes=True leaves nothing"),
        ({"max_nodes": float("nan")}, "max_nodes=nan leaves nothing"),
        ({"max_nodes": 2.5}, "max_nodes=2.5 leaves nothing"),
        ({"max_nodes": "9"}, "max_nodes='9' leaves nothing"),
        ({"max_nodes": 9, "fold": False}, "given with fold=False"),
    ],
)
def test_an_option_that_means_nothing_is_refused(options, words, samples):
    with pytest.raises(ArgumentError, match=words):
        draw(samples.square(), **options)


@together
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"title": 3}, "title=3 is of type int.*Write `title='3'`"),
        ({"show": 3}, "show=3 is of type int"),
        ({"show": None}, "show=None is of type NoneType"),
    ],
)
def test_an_option_of_another_type_is_refused(options, words, samples):
    with pytest.raises(ArgumentTypeError, match=words):
        draw(samples.square(), **options)


def test_one_part_may_be_given_by_its_name(samples):
    assert draw(samples.square(), show="shapes") == draw(samples.square(), show=("shapes",))


@together
@pytest.mark.parametrize(
    ("look", "count", "most"),
    [
        (Look(), 300, None),
        (Look(), 301, 150),
        (Look(fold=False), 100_000, None),
        (Look(max_nodes=7), 10, 7),
    ],
)
def test_how_many_boxes_a_graph_may_have(look, count, most):
    assert look.most(count) == most
