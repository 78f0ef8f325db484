import pytest

import glassgrad as gg
from glassgrad.core.errors import ArgumentError
from glassgrad.tracing import Trace
from glassgrad.viz import draw
from glassgrad.viz.scene import derived
from glassgrad.viz.scene.graph import Look

X = gg.tensor([2.0, 1.0])


def run(f, *, name="loss"):
    w, b = (gg.tensor(value, requires_grad=True) for value in ([0.5, -1.0], 0.25))
    w.name, b.name = "w", "b"
    loss = f(w, b)
    loss.name = name
    return gg.record(loss)


PLAIN = run(lambda w, b: ((w * X).sum() + b).tanh())


def compared(f):
    return draw(gg.compare(PLAIN, run(f)))


def marks(drawing):
    return {vertex.title: vertex.mark for vertex in drawing.graph.vertices if vertex.mark}


def test_two_equal_traces_are_one_picture_without_marks():
    drawing = compared(lambda w, b: ((w * X).sum() + b).tanh())
    assert marks(drawing) == {}
    assert drawing.graph.notice == "the same in structure and values"
    assert len(drawing.graph.vertices) == len(draw(PLAIN).graph.vertices)


def test_what_is_only_in_one_says_so_by_badge_and_border():
    drawing = compared(lambda w, b: ((w * X).exp().sum() + b).tanh())
    (exp,) = [vertex for vertex in drawing.graph.vertices if vertex.title == "ExpBackward0"]
    assert (exp.mark, exp.badge) == ("only-b", "only in b")
    assert 'stroke-dasharray="9 4"' in drawing.svg
    assert ">only in b<" in drawing.svg


def test_a_view_that_only_one_has_is_still_called_a_view():
    drawing = compared(lambda w, b: ((w * X).view(2).sum() + b).tanh())
    (view,) = [vertex for vertex in drawing.graph.vertices if vertex.kind == "view"]
    assert (view.mark, view.badge) == ("only-b", "VIEW only in b")


def test_a_leaf_that_b_does_not_reach_is_only_in_a():
    drawing = compared(lambda w, b: ((w * X).sum() + b.detach()).tanh())
    assert marks(drawing)["b"] == "only-a"
    assert {arc.mark for arc in drawing.graph.arcs} == {"", "only-a"}


def test_numbers_that_differ_are_both_written():
    drawing = compared(lambda w, b: ((w * X).sum() + b).sigmoid())
    rows = {vertex.title: vertex.rows for vertex in drawing.graph.vertices if vertex.mark}
    assert rows["TanhBackward0"] == (("a", "TanhBackward0"), ("b", "SigmoidBackward0"))
    assert rows["loss"] == (("a", "0.245"), ("b", "0.562"))
    assert (("a", "[1.88, 0.94]"), ("b", "[0.492, 0.246]")) in rows.values()


def test_edges_that_only_one_has_are_marked_and_labelled():
    drawing = compared(lambda w, b: ((w * X).exp().sum() + b).tanh())
    labels = {(arc.mark, arc.label) for arc in drawing.graph.arcs if arc.mark}
    assert ("only-b", "b") in labels
    assert any(mark == "only-a" and label.endswith("a") for mark, label in labels)


def test_every_vertex_and_edge_is_there_once():
    drawing = compared(lambda w, b: (b * 3 + (w * X).exp().sum()).tanh().sin())
    ids = [each.id for each in (*drawing.graph.vertices, *drawing.graph.arcs)]
    assert len(ids) == len(set(ids))
    assert drawing.places.places.keys() == {vertex.id for vertex in drawing.graph.vertices}
    assert Trace.from_json(drawing.trace.to_json()) == drawing.trace


def test_both_ways_round_it_is_the_same_but_for_the_sides():
    other = run(lambda w, b: ((w * X).exp().sum() + b).tanh())
    one, two = draw(gg.compare(PLAIN, other)), draw(gg.compare(other, PLAIN))
    swapped = {"only-a": "only-b", "only-b": "only-a", "differs": "differs"}
    assert marks(one) == {title: swapped[mark] for title, mark in marks(two).items()}


def test_a_b_that_has_another_output():
    w = gg.tensor([1.0, 2.0], requires_grad=True)
    y = w * 2
    one, two = gg.snapshot(y.sum()), gg.snapshot([y.sum(), y.prod()])
    drawing = draw(gg.compare(one, two))
    outputs = [vertex.mark for vertex in drawing.graph.vertices if vertex.kind == "output"]
    assert sorted(outputs) == ["", "only-b"]


def test_a_large_comparison_is_folded(samples):
    drawing = draw(gg.compare(samples.chain(400), samples.chain(410)))
    assert len(drawing.graph.vertices) <= 151


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", 'a|b{"'])
def test_names_are_text(name):
    drawing = draw(gg.compare(PLAIN, run(lambda w, b: (w * X).sum() + b, name=name)))
    assert "<script" not in drawing.svg


def test_as_text_it_is_the_report_and_it_is_no_log(tmp_path):
    comparison = gg.compare(PLAIN, run(lambda w, b: (w * X).sum() + b))
    drawing = draw(comparison)
    assert drawing.save(tmp_path / "a.txt").read_text("utf-8") == str(comparison)
    with pytest.raises(ArgumentError, match=r"two passes.*comparison\.a\.save"):
        drawing.save(tmp_path / "a.json")
    assert not (tmp_path / "a.json").exists()


def test_a_comparison_has_no_mirror_view():
    with pytest.raises(ArgumentError, match=r"comparison\.a, mirror=True"):
        draw(gg.compare(PLAIN, PLAIN), mirror=True)


def test_a_box_that_differs_shows_the_two_arrays_that_do():
    traces = [run(lambda w, _, f=f: f(w, X).sum().tanh()) for f in (gg.mul, gg.add)]
    drawing = draw(gg.compare(*traces))
    (tanh,) = [vertex for vertex in drawing.graph.vertices if vertex.title == "TanhBackward0"]
    assert tanh.mark == "differs"
    a, b = (row for row in tanh.rows if row[0] in "ab")
    assert a[1:] != b[1:]


def test_a_view_that_only_b_saved_is_of_the_leaf_that_its_edges_lead_to():
    c = gg.tensor([3.0, 4.0], requires_grad=True)
    other = run(lambda w, b: ((w * X).sum() + b + c[:1].cos().sum()).tanh())
    union, _ = derived.compared(gg.compare(PLAIN, other), Look())
    cut, cos = [node for node in union.nodes if node["op"] in ("SliceBackward0", "CosBackward0")]
    leaves = {leaf["acc"]: leaf["id"] for leaf in union.leaves}
    assert cos["saved"][0]["owner"] == leaves[cut["edges"][0]["to"]] != "t2"


def test_an_output_shows_both_values_though_other_ops_made_them():
    one = run(lambda w, b: (w * X).sum() + b)
    drawing = draw(gg.compare(one, PLAIN))
    rows = [vertex.rows for vertex in drawing.graph.vertices if vertex.id == "t2"]
    assert rows == [(("a", "0.25"), ("b", "0.245"))]
