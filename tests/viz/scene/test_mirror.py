import pytest

import glassgrad as gg
from glassgrad.core.errors import ArgumentError
from glassgrad.tracing import record, snapshot
from glassgrad.viz import draw
from glassgrad.viz.scene.derived import mirrored
from glassgrad.viz.scene.graph import Look


def mirror(trace):
    return mirrored(trace, Look(), "LR")


def program():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = "x"
    return (x.tanh() * x).sum()


def titles(graph, kind):
    return [(vertex.title, vertex.badge) for vertex in graph.vertices if vertex.kind == kind]


def test_forward_ops_are_numbered_in_the_order_of_computation():
    graph = mirror(record(program())).graph
    assert titles(graph, "forward") == [("Tanh", "1"), ("Mul", "2"), ("Sum", "3")]


def test_every_op_is_opposite_to_the_node_that_it_recorded():
    found = mirror(record(program()))
    names = {vertex.id: vertex.title for vertex in found.graph.vertices}
    pairs = {(names[below], names[above]) for below, above in found.above.items()}
    assert pairs == {
        ("TanhBackward0", "Tanh"),
        ("MulBackward0", "Mul"),
        ("SumBackward0", "Sum"),
        ("AccumulateGrad", "x"),
    }


def test_the_arrows_of_the_halves_are_opposite():
    found = mirror(record(program()))
    arcs = {arc.id: arc for arc in found.graph.arcs}
    for backward, forward in found.ways.items():
        one, other = arcs[backward], arcs[forward]
        assert (found.above[one.head], found.above[one.tail]) == (other.tail, other.head)
        assert (one.kind, other.kind) == ("grad", "value")


def test_what_was_saved_is_tied_to_the_op_and_to_the_node():
    found = mirror(record(program()))
    names = {vertex.id: vertex.title for vertex in found.graph.vertices}
    ties = [(names[a.tail], names[a.head]) for a in found.graph.arcs if a.kind == "saved"]
    assert ("Tanh", "tanh(x)") in ties
    assert ("TanhBackward0", "tanh(x)") in ties
    assert ("MulBackward0", "x") in ties


@pytest.mark.parametrize(("rankdir", "along", "across"), [("LR", 0, 1), ("TB", 1, 0)])
def test_forward_and_backward_face_each_other(rankdir, along, across):
    loss = program()
    drawing = draw(loss, mirror=True, rankdir=rankdir)
    places = drawing.places.places
    ops = [places[name] for name in ("o1", "o2", "o3")]
    nodes = [places[name] for name in ("n1", "n2", "n3")]
    assert [op[along] for op in ops] == [node[along] for node in nodes]
    assert ops[0][along] < ops[1][along] < ops[2][along] < places["t1"][along]
    assert max(op[across] for op in ops) < min(node[across] for node in nodes)


def test_no_two_boxes_overlap(samples):
    boxes = list(draw(samples.mlp(), mirror=True).places.places.values())
    for index, (x, y, w, h) in enumerate(boxes):
        for other_x, other_y, other_w, other_h in boxes[:index]:
            apart = abs(x - other_x) >= (w + other_w) / 2 or abs(y - other_y) >= (h + other_h) / 2
            assert apart


def test_everything_has_a_place_and_the_title_says_how_to_read_it(samples):
    drawing = draw(samples.rnn(4), mirror=True)
    assert drawing.places.places.keys() == {vertex.id for vertex in drawing.graph.vertices}
    assert drawing.places.routes.keys() == {arc.id for arc in drawing.graph.arcs}
    assert "Forward and backward of loss" in drawing.svg
    assert "Forward, above, goes left to right; backward, below, right to left" in drawing.svg


def test_a_value_is_shown_where_something_saved_it():
    forward = {
        vertex.title: dict(vertex.rows)
        for vertex in mirror(record(program())).graph.vertices
        if vertex.kind == "forward"
    }
    assert forward["Tanh"]["value"] == "[0.762, 0.964]"
    assert "value" not in forward["Mul"]


def test_an_op_whose_name_is_not_known_is_a_question_mark():
    trace = snapshot(program())
    trace.nodes[1]["op"] = "Something"
    assert ("?", "1") in titles(mirror(trace).graph, "forward")


def test_a_gradients_own_graph_is_left_out_and_said_so():
    trace = record(program(), create_graph=True)
    graph = mirror(trace).graph
    assert len(titles(graph, "forward")) == 3
    assert "the gradient's own" in graph.notice


def test_a_graph_that_could_not_be_read_is_refused(samples):
    with pytest.raises(ArgumentError, match=r"61 nodes.*Leave `mirror` out"):
        draw(samples.chain(60), mirror=True)
    assert draw(samples.chain(59), mirror=True).svg


def test_the_bytes_are_the_same_again(samples):
    assert draw(samples.mlp(), mirror=True).svg == draw(samples.mlp(), mirror=True).svg
