import re

import pytest

import glassgrad as gg
from checks import together
from glassgrad.viz import draw
from glassgrad.viz.style import KINDS, MARKS, TIES
from glassgrad.viz.svg.pen import HOOK, legend_items


def words(drawing):
    return re.findall(r'<text class="note"[^>]*>([^<]*)</text>', drawing.svg)


def leaf():
    return gg.tensor([[1.0, 2.0]], requires_grad=True)


def test_every_kind_in_the_picture_is_named_and_no_other():
    drawing = draw((leaf() * 2).T.tanh().sum())
    present = {vertex.kind for vertex in drawing.graph.vertices}
    shown = [kind.name for kind in KINDS.values() if kind.label in words(drawing)]
    assert set(shown) == present


@together
@pytest.mark.parametrize("tie", ["saved", "view", "origin"])
def test_every_kind_of_tie_is_named(tie):
    x = leaf()
    trace = gg.record((x * 2).T.tanh().sum(), create_graph=True)
    drawing = draw(trace)
    assert TIES[tie].label in words(drawing)
    assert TIES[tie].label not in words(draw(leaf().sum()))


def test_a_hook_is_named_in_the_picture_and_on_the_page():
    y = leaf() * 2
    y.register_hook(lambda gradient: gradient)
    hooked, plain = draw(y.sum()), draw(leaf().sum())
    assert HOOK[1] in words(hooked)
    assert HOOK[1] not in words(plain)
    assert HOOK[1] in dict(map(reversed, legend_items(hooked.graph)))
    assert HOOK[1] not in dict(map(reversed, legend_items(plain.graph)))


def test_what_looks_alike_on_a_page_is_told_apart_by_a_sign_or_by_its_badge():
    class Double(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    alike = {}
    for swatch, label in legend_items(draw(gg.record(Double.apply(leaf()).sum())).graph):
        alike.setdefault(re.sub(r'class="\w+"', "", swatch), []).append(label)
    assert sorted(alike.values(), key=len)[-1] == [
        "OUT: backward starts here",
        "LEAF: gets a .grad",
    ]
    assert sum(map(len, alike.values())) == len(alike) + 1


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
    assert len(set(re.findall(r'<text class="note" x="[\d.]+" y="([\d.]+)"', svg))) >= 2


def test_a_long_title_makes_room_for_itself_and_for_the_legend(samples):
    title = "A title that is longer than a small picture is wide, and than the line below it is"
    for words, width, lines in (("Short", 420, 3), (title, 600, 2)):
        svg = draw(samples.square(), rankdir="TB", title=words).svg
        assert int(re.search(r'width="(\d+)"', svg)[1]) > width
        heights = re.findall(r'<text class="note" x="[\d.]+" y="([\d.]+)"', svg)
        assert len(set(heights)) == lines
        assert svg.count('<text class="subtitle"') == 1


def signs_of(what):
    return set(re.findall(r'<text class="symbol"[^>]*>([^<]*)</text></g>', draw(what).svg))


def test_signs_in_the_swatches_say_what_the_badges_say():
    assert {"#", "Σ"} <= signs_of(gg.record(leaf().sum()))


def test_a_graph_that_has_not_run_has_no_turns_in_its_legend():
    loss = leaf().sum()
    assert signs_of(loss) == {"Σ"}
    assert "backward node" in words(draw(loss))
    assert "backward node" in dict(map(reversed, legend_items(draw(loss).graph)))
    assert "backward node, #turn" in words(draw(gg.record(loss)))
