import pytest

import glassgrad as gg
from checks import together
from glassgrad.tracing import Trace, snapshot
from glassgrad.viz import draw, graph_of


def leaf():
    x = gg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    x.name = "x"
    return x


def of_kind(graph, kind):
    return [vertex for vertex in graph.vertices if vertex.kind == kind]


def ties(graph, kind):
    titles = {vertex.id: vertex.title for vertex in graph.vertices}
    return [(titles[arc.tail], titles[arc.head]) for arc in graph.arcs if arc.kind == kind]


# --- views --------------------------------------------------------------------------------------


def test_a_view_is_a_box_of_its_own_kind_tied_to_its_base():
    y = leaf() * 2
    graph = graph_of(snapshot(y[1:].T.sum()))
    assert [vertex.badge for vertex in of_kind(graph, "view")] == ["VIEW", "VIEW"]
    assert ties(graph, "view") == [
        ("SliceBackward0", "MulBackward0"),
        ("PermuteBackward0", "MulBackward0"),
    ]


def test_a_view_of_a_leaf_is_tied_to_what_stands_for_it():
    assert ties(graph_of(snapshot(leaf()[0])), "view") == [("SelectBackward0", "AccumulateGrad")]


def test_a_write_into_a_view_shows_the_view():
    y = leaf() * 2
    y[:1].mul_(3)
    graph = graph_of(snapshot(y))
    (part,) = of_kind(graph, "view")
    assert (part.title, part.rows) == ("written view", (("part", "(1, 3) of (2, 3)"),))
    assert ties(graph, "view") == [("CopySlices", "written view")]


@pytest.mark.parametrize("rankdir", ["LR", "TB"])
def test_a_tie_to_a_base_is_dotted_and_no_arrow(rankdir):
    svg = draw((leaf() * 2)[1:], rankdir=rankdir, theme="light").svg
    assert '<g id="b2" class="arc view-arc"><title>b2</title><path class="tie"' in svg
    assert "from a view to its base" in svg


def test_a_large_graph_has_views_and_no_ties():
    y = leaf() * 2
    for _ in range(70):
        y = y.T
    graph = graph_of(snapshot(y))
    assert len(of_kind(graph, "view")) == 70
    assert ties(graph, "view") == []


# --- the gradient's own graph -------------------------------------------------------------------


def grown():
    """tanh(x · x), and the graph of its gradient as a pass with create_graph would leave it."""
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    trace = gg.record(x.tanh().sum(), retain_graph=True)
    more = [
        {"op": "RsubBackward1", "to": ["n1"], "origin": "n1"},
        {"op": "MulBackward0", "to": ["n3"], "origin": "n1"},
    ]
    for rank, node in enumerate(more, start=len(trace.nodes)):
        edges = [{"to": to, "slot": 0} for to in node.pop("to")]
        trace.nodes.append({"id": f"n{rank}", "seq": rank, "edges": edges, **node})
    return trace


def test_the_gradients_graph_hangs_in_a_frame_with_ties_to_what_made_it():
    graph = graph_of(grown())
    assert [(c.title, sorted(c.members)) for c in graph.clusters] == [
        ("gradient's graph", ["n3", "n4"])
    ]
    assert ties(graph, "origin") == [
        ("RsubBackward1", "TanhBackward0"),
        ("MulBackward0", "TanhBackward0"),
    ]


@pytest.mark.parametrize(("rankdir", "across"), [("LR", 1), ("TB", 0)])
def test_it_hangs_below_the_nodes_that_made_it(rankdir, across):
    places = draw(grown(), rankdir=rankdir).places.places
    assert min(places["n3"][across], places["n4"][across]) > places["n1"][across]


def test_its_nodes_have_no_turn_in_this_pass():
    badges = {vertex.id: vertex.badge for vertex in graph_of(grown()).vertices}
    assert (badges["n1"], badges["n3"], badges["n4"]) == ("#2", "", "")


# --- errors -------------------------------------------------------------------------------------


def stale():
    x = leaf()
    y = x * 2
    y.name = "y"
    loss = (y * y.exp()).sum()
    y.add_(1)
    return snapshot(loss)


def failed(message="y was changed", **fields):
    trace = stale()
    event = {"k": 0, "type": "error", "node": "n3", "error": "VersionError", "message": message}
    return Trace(trace.graph, trace.arrays, [event | fields])


def test_a_stale_saved_tensor_marks_its_tie_its_note_and_its_node_before_any_pass():
    graph = graph_of(stale())
    bad = {each.id: each.bad for each in (*graph.vertices, *graph.arcs) if each.bad}
    assert set(bad.values()) == {"v1≠v0"}
    assert sorted(each[0] for each in bad) == ["d", "n", "s"]


def test_the_node_at_which_a_pass_failed_is_marked_and_the_message_hangs_on_it():
    graph = graph_of(failed(saved="self"))
    (note,) = of_kind(graph, "error")
    assert (note.title, note.rows) == ("VersionError", (("", "y was changed"),))
    assert ties(graph, "error") == [("MulBackward0", "VersionError")]
    assert next(vertex for vertex in graph.vertices if vertex.id == "n3").bad == "v1≠v0"


def test_a_failure_without_a_saved_tensor_marks_the_node():
    trace = snapshot(leaf().exp().sum())
    event = {"k": 0, "type": "error", "node": "n1", "error": "ValueError", "message": "no"}
    graph = graph_of(Trace(trace.graph, trace.arrays, [event]))
    assert [vertex.bad for vertex in graph.vertices if vertex.id == "n1"] == ["failed"]


def test_a_long_message_is_broken_and_cut():
    (note,) = of_kind(graph_of(failed("word " * 400)), "error")
    assert len(note.rows) == 12
    assert note.rows[-1][1].endswith("…")


def test_a_hostile_message_is_text():
    svg = draw(failed("<script>alert(1)</script>\n\x00", error="<b>")).svg
    assert "<script" not in svg
    assert "&lt;b&gt;" in svg


def test_a_large_graph_shows_its_failure_too(samples):
    trace = samples.chain(400)
    event = {"k": 0, "type": "error", "node": "n7", "error": "ValueError", "message": "no"}
    graph = graph_of(Trace(trace.graph, trace.arrays, [event]))
    (arc,) = [arc for arc in graph.arcs if arc.kind == "error"]
    assert (arc.tail, arc.head) == (graph.place["n7"], "error")


def recurrent(steps):
    """A recurrent net whose gradient has a graph of its own."""
    w = gg.tensor([[0.1, 0.2], [0.3, 0.1]], requires_grad=True)
    h = gg.tensor([[1.0, 2.0]])
    for _ in range(steps):
        h = (h @ w).tanh()
    return gg.record(h.sum(), create_graph=True)


@together
@pytest.mark.parametrize("steps", [2, 6, 16])
def test_larger_ones_hang_below_too_in_their_frame(steps):
    trace = recurrent(steps)
    drawing = draw(trace)
    assert "gradient's graph" in drawing.svg or "gradient&#x27;s graph" in drawing.svg
    origins = {arc.tail: arc.head for arc in drawing.graph.arcs if arc.kind == "origin"}
    grown = {node["id"] for node in trace.nodes if "origin" in node}
    assert origins.keys() == grown
    places = drawing.places.places
    lowest = max(
        places[n["id"]][1] for n in trace.nodes if n["id"] in places and n["id"] not in grown
    )
    assert lowest < min(places[name][1] for name in grown)


@pytest.mark.parametrize("saved", [{}, {"saved": "self"}])
def test_an_error_before_the_first_node_hangs_on_the_output(saved, samples):
    trace = samples.square()
    error = {"k": 0, "type": "error", "error": "ShapeError", "message": "a wrong seed", **saved}
    graph = draw(Trace(trace.graph, trace.arrays, [error])).graph
    (tie,) = [arc for arc in graph.arcs if arc.kind == "error"]
    assert (tie.tail, tie.head) == (trace.outputs[0]["id"], "error")
    assert not any(vertex.bad for vertex in graph.vertices if vertex.kind == "function")


def test_an_error_in_a_graph_without_outputs_is_not_drawn(samples):
    trace = samples.square()
    error = {"k": 0, "type": "error", "error": "ShapeError", "message": "a wrong seed"}
    bare = {**trace.graph, "outputs": []}
    graph = draw(Trace(bare, trace.arrays, [error])).graph
    assert "error" not in {vertex.kind for vertex in graph.vertices}
