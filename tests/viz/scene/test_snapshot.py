import pytest

import glassgrad as gg
from checks import together
from glassgrad.tracing import Trace, snapshot
from glassgrad.viz import graph_of
from glassgrad.viz.scene.graph import PARTS, Look


def of_kind(graph, kind):
    return [vertex for vertex in graph.vertices if vertex.kind == kind]


def test_a_times_a_has_two_edges_one_leaf_one_accumulate_grad_and_two_ties(samples):
    graph = graph_of(samples.square())
    assert [vertex.title for vertex in of_kind(graph, "leaf")] == ["a"]
    assert len(of_kind(graph, "accumulate")) == 1
    assert [(arc.id, arc.label) for arc in graph.arcs if arc.tail == "n1" and arc.head == "n0"] == [
        ("e1-0", "in1"),
        ("e1-1", "in2"),
    ]
    ties = [(arc.id, arc.head) for arc in graph.arcs if arc.kind == "saved"]
    assert ties == [("d1-0", "t0"), ("d1-1", "t0")]
    assert of_kind(graph, "saved") == []  # a saved leaf is tied, and has no second box


def test_badges_say_when_a_node_ran(samples):
    badges = {vertex.id: vertex.badge for vertex in graph_of(samples.square()).vertices}
    assert badges == {"t1": "OUT", "n2": "#1", "n1": "#2", "n0": "Σ #3", "t0": "LEAF"}


def test_the_gradient_is_the_last_row(samples):
    (leaf,) = of_kind(graph_of(samples.square()), "leaf")
    assert leaf.rows == (("shape", "(2,) float32"), ("value", "[1, 2]"), ("grad", "[2, 4]"))


def test_a_reduced_broadcast_is_written_on_its_edge(samples):
    labels = [arc.label for arc in graph_of(samples.neuron()).arcs]
    assert "in2 Σ→(2,)" in labels


def test_an_input_without_gradient_is_a_dot(samples):
    graph = graph_of(samples.neuron())
    (dot,) = of_kind(graph, "none")
    assert [arc.id for arc in graph.arcs if arc.head == dot.id] == ["e1-0"]


def test_a_storage_has_one_note_with_the_words_of_all_its_holders(samples):
    graph = graph_of(samples.mlp())
    (shared,) = [note for note in of_kind(graph, "saved") if "," in note.rows[0][0]]
    assert (shared.title, shared.rows[0][0]) == ("tanh(…)", "input, result")
    assert len([arc for arc in graph.arcs if arc.head == shared.id]) == 2


def test_notes_are_freed_by_the_pass_and_the_topology_stays(samples):
    after = samples.mlp()
    before = Trace(after.graph, after.arrays, [])
    assert all(note.freed for note in of_kind(graph_of(after), "saved"))
    assert not any(note.freed for note in of_kind(graph_of(before), "saved"))
    assert graph_of(before).arcs == graph_of(after).arcs
    assert [v.id for v in graph_of(before).vertices] == [v.id for v in graph_of(after).vertices]


def test_a_note_is_freed_when_its_last_holder_lets_go(samples):
    trace = samples.mlp()
    frees = [event["k"] for event in trace.events if event["type"] == "free_saved"]
    half = Trace(trace.graph, trace.arrays, trace.events[: frees[1] + 1])
    freed = {note.title: note.freed for note in of_kind(graph_of(half), "saved")}
    assert freed == {"log_probs": True, "tanh(…)": False, "images": False}


def test_a_stale_saved_tensor_is_marked(samples):
    trace = samples.square()
    stale = [
        {**event, "version": [0, 1]} if event["type"] == "unpack" else event
        for event in trace.events
    ]
    graph = graph_of(Trace(trace.graph, trace.arrays, stale))
    assert [vertex.bad for vertex in graph.vertices if vertex.id == "n1"] == ["v1≠v0"]


def test_the_node_that_makes_a_nan_is_marked_and_not_those_after_it(samples):
    trace = samples.square()
    nan = {"shape": [2], "dtype": "float32", "min": None, "max": None, "norm": 0.0}
    arrays = trace.arrays | {"a9": {**nan, "head": ["nan", "nan"], "nan": 2}}
    events = [dict(event) for event in trace.events]
    for event in events:
        if event["type"] == "apply":
            event["grad_out"] = ["a9"] * len(event["grad_out"])
            if event["node"] == "n1":
                event["grad_in"] = ["a9"]
    bad = {v.id: v.bad for v in graph_of(Trace(trace.graph, arrays, events)).vertices if v.bad}
    assert bad == {"n2": "NaN"}


# --- scale -------------------------------------------------------------------------------------


def test_a_leaf_with_many_uses_becomes_stubs(samples):
    graph = graph_of(samples.rnn(10))
    stubs = [vertex for vertex in of_kind(graph, "stub") if vertex.of == "t0"]
    assert [stub.badge for stub in stubs] == [f"{number}/10" for number in range(1, 11)]
    assert of_kind(graph, "accumulate") == []  # part of the leaf
    assert graph.place["n0"] == "t0"
    assert "more than 3 uses" in graph.notice


def test_a_small_graph_has_no_stubs(samples):
    assert of_kind(graph_of(samples.rnn(5)), "stub") == []


@together
@pytest.mark.parametrize(("length", "rows"), [(10, 2), (40, 2), (100, 0)])
def test_larger_graphs_say_less(length, rows, samples):
    nodes = of_kind(graph_of(samples.chain(length)), "function")
    assert {len(node.rows) for node in nodes} == {rows}


def test_of_a_huge_graph_all_nodes_are_there_in_a_few_boxes(samples):
    graph = graph_of(samples.chain(5_000))
    boxes = of_kind(graph, "fold")
    assert len(graph.vertices) == 1 + len(boxes) <= 150
    assert (boxes[0].title, boxes[0].badge) == ("… 8 ops", "#1–8")
    assert set(graph.place) == {node["id"] for node in samples.chain(5_000).nodes}
    assert "5,000 nodes are folded into 79 boxes by chains" in graph.notice


def test_a_graph_that_was_looked_at_after_its_pass_has_struck_notes():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    loss = x.tanh().exp().sum()
    before, titles = graph_of(snapshot(loss)), ["saved", "saved"]
    loss.backward()
    after = graph_of(snapshot(loss))
    assert [note.title for note in of_kind(after, "saved")] == titles
    assert all(note.freed for note in of_kind(after, "saved"))
    gradients = [[arc for arc in g.arcs if arc.kind == "grad"] for g in (before, after)]
    assert gradients[0] == gradients[1]


# --- what is asked for --------------------------------------------------------------------------


@together
@pytest.mark.parametrize(
    ("part", "words"),
    [("values", "value"), ("shapes", "shape"), ("saved", "SAVED"), ("versions", "v0")],
)
def test_what_is_not_asked_for_is_not_shown(part, words, samples):
    def text(show):
        graph = graph_of(samples.mlp(), Look(show=frozenset(show)))
        return " ".join(f"{v.kind} {v.badge} {v.rows}" for v in graph.vertices)

    kept = set(PARTS) - {part}
    shown = text(PARTS if part != "saved" else {"saved"})
    assert words in shown
    assert words not in text(kept if part != "saved" else {"values"})


def test_without_saved_tensors_there_are_no_ties(samples):
    graph = graph_of(samples.mlp(), Look(show=frozenset({"values"})))
    assert {arc.kind for arc in graph.arcs} == {"grad"}
    assert of_kind(graph, "saved") == []


def test_hooks_are_pills_in_the_order_in_which_they_run():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    product = x * 2
    product.register_hook(lambda grad: grad)
    product.grad_fn.register_prehook(lambda grads: None)
    hooked = {v.title: v.hooks for v in graph_of(snapshot(product.sum())).vertices if v.hooks}
    assert hooked == {"MulBackward0": ("H1 <lambda>", "H2 <lambda>")}
    bare = graph_of(snapshot(product.sum()), Look(show=frozenset({"values"})))
    assert not any(vertex.hooks for vertex in bare.vertices)


def test_a_title_replaces_ours(samples):
    assert graph_of(samples.square(), Look(title="mine <b>")).title == "mine <b>"


def test_backward_from_a_leaf(samples):
    graph = {
        "nodes": [{"id": "n0", "op": "AccumulateGrad", "seq": 0, "edges": []}],
        "leaves": [{"id": "t0", "name": None, "shape": [], "dtype": "float32", "acc": "n0"}],
        "outputs": [
            {"id": "t0", "name": None, "shape": [], "dtype": "float32", "node": "n0", "slot": 0}
        ],
    }
    assert [vertex.id for vertex in graph_of(Trace(graph)).vertices] == ["n0", "t0"]


def test_an_empty_graph():
    graph = graph_of(Trace({"nodes": [], "leaves": []}))
    assert (graph.vertices, graph.counts) == ((), "0 nodes · 0 edges · 0 leaves")
