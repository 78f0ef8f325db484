import re

import pytest

import glassgrad as gg
from glassgrad.viz import draw
from glassgrad.viz.style import KINDS, MARKS, TIES


def words(drawing):
    return re.findall(r'<text class="note"[^>]*>([^<]*)</text>', drawing.svg)


def leaf():
    return gg.tensor([[1.0, 2.0]], requires_grad=True)


def test_every_kind_in_the_picture_is_named_and_no_other():
    drawing = draw((leaf() * 2).T.tanh().sum())
    present = {vertex.kind for vertex in drawing.graph.vertices}
    shown = [kind.name for kind in KINDS.values() if kind.label in words(drawing)]
    assert set(shown) == present


@pytest.mark.parametrize("tie", ["saved", "view", "origin"])
def test_every_kind_of_tie_is_named(tie):
    x = leaf()
    trace = gg.record((x * 2).T.tanh().sum(), create_graph=True)
    drawing = draw(trace)
    assert TIES[tie].label in words(drawing)
    assert TIES[tie].label not in words(draw(leaf().sum()))


def test_the_marks_of_a_comparison_are_named():
    one, two = gg.snapshot(leaf().exp().sum()), gg.snapshot(leaf().sin().exp().sum())
    shown = words(draw(gg.compare(one, two)))
    assert MARKS["only-b"].label in shown
    assert MARKS["only-a"].label not in words(draw(one))


def test_a_long_legend_is_broken_into_lines_inside_of_the_picture(samples):
    svg = draw(samples.neuron(), rankdir="TB").svg
    width = int(re.search(r'width="(\d+)"', svg)[1])
    places = [float(x) for x in re.findall(r'<text class="note" x="([\d.]+)"', svg)]
    assert max(places) < width
    assert len(set(re.findall(r'<text class="note" x="[\d.]+" y="([\d.]+)"', svg))) > 3


def test_signs_in_the_swatches_say_what_the_badges_say():
    signs = re.findall(r'<text class="key"[^>]*>([^<]*)</text></g>', draw(leaf().sum()).svg)
    assert {"#", "Σ"} <= set(signs)
