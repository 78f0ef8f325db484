import pytest

from checks import together
from glassgrad.tracing import Trace
from glassgrad.viz import graph_of
from glassgrad.viz.scene.folding import fold
from glassgrad.viz.scene.graph import Look


def network(blocks, *, scoped=True, leaves=True):
    """`blocks` times Linear and ReLU, each block with a weight of its own."""
    nodes, weights, last = [], [], None
    for block in range(blocks):
        scope = {"scope": ["net", f"block{block}"]} if scoped else {}
        edges = [] if last is None else [{"to": last, "slot": 0}]
        if leaves:
            acc = f"n{len(nodes)}"
            nodes.append({"id": acc, "op": "AccumulateGrad", "edges": []})
            weights.append({"id": f"t{block}", "name": f"W{block}", "acc": acc})
            edges = [*edges, {"to": acc, "slot": 0}]
        for op in ("LinearBackward0", "ReluBackward0"):
            nodes.append({"id": f"n{len(nodes)}", "op": op, "edges": edges, **scope})
            edges = [{"to": nodes[-1]["id"], "slot": 0}]
        last = nodes[-1]["id"]
    nodes = [{**node, "seq": rank} for rank, node in enumerate(nodes)]
    weights = [{**weight, "shape": [2], "dtype": "float32"} for weight in weights]
    return Trace({"nodes": nodes, "leaves": weights})


def boxes(graph):
    return [vertex for vertex in graph.vertices if vertex.kind != "output"]


def is_acyclic(graph):
    """Whether the arcs of the gradient lead to no box twice on one way."""
    waiting = {vertex.id: 0 for vertex in graph.vertices}
    for arc in graph.arcs:
        waiting[arc.head] += 1
    free = [name for name, count in waiting.items() if not count]
    for name in free:  # grows meanwhile
        for arc in graph.arcs:
            if arc.tail == name:
                waiting[arc.head] -= 1
                if not waiting[arc.head]:
                    free.append(arc.head)
    return len(free) == len(graph.vertices)


def test_what_fits_is_not_folded(samples):
    assert fold(samples.mlp(), 60) == ({}, "")
    assert graph_of(samples.chain(299)).notice == "AccumulateGrad is drawn as part of its leaf"


def test_a_chain_folds_into_equal_pieces(samples):
    folds, _ = fold(samples.chain(40), 6)
    titles = {each.id: each.title for each in folds.values()}
    assert set(titles.values()) == {"… 8 ops"}
    assert len(titles) == 5


def test_modules_fold_into_one_box_each_with_their_leaves():
    graph = graph_of(network(20), Look(max_nodes=25))
    assert [vertex.title for vertex in boxes(graph)][:2] == ["net.block19", "net.block18"]
    assert {vertex.badge for vertex in boxes(graph)} == {"2 ops"}
    assert len(boxes(graph)) == 20
    assert "by module scopes, with 20 of the leaves" in graph.notice


def test_many_equal_modules_are_one_box_together():
    graph = graph_of(network(200))
    assert len(boxes(graph)) == 100
    assert graph.vertices[0].title == "net.block198–199 ×2"
    assert graph.vertices[0].tip == "4 ops: 2 LinearBackward0, 2 ReluBackward0"


def test_what_repeats_is_found_without_modules():
    graph = graph_of(network(200, scoped=False))
    assert {vertex.title for vertex in boxes(graph)} == {"… 2 ops ×2"}
    assert "blocks that repeat" in graph.notice


@together
@pytest.mark.parametrize("most", [1, 2, 3, 10, 40, 149])
@pytest.mark.parametrize("program", ["rnn", "chain", "mlp", "network", "bare"])
def test_there_are_never_more_boxes_than_asked_for(program, most, samples):
    trace = {
        "rnn": lambda: samples.rnn(80),
        "chain": lambda: samples.chain(170),
        "mlp": samples.mlp,
        "network": lambda: network(90),
        "bare": lambda: network(90, scoped=False),
    }[program]()
    graph = graph_of(trace, Look(max_nodes=most, show=frozenset()))
    assert len([v for v in boxes(graph) if v.kind not in {"none", "accumulate"}]) <= most
    assert is_acyclic(graph)
    assert set(graph.place) == {node["id"] for node in trace.nodes}


def test_a_shared_leaf_has_one_stub_per_box(samples):
    graph = graph_of(samples.rnn(250))
    stubs = [vertex.badge for vertex in graph.vertices if vertex.of == "t0"]
    folds = [vertex for vertex in graph.vertices if vertex.kind == "fold"]
    assert stubs[0] == f"1/{len(folds)}"
    assert len(graph.vertices) <= 151


def test_between_two_boxes_there_is_one_arc():
    graph = graph_of(network(200))
    pairs = [(arc.tail, arc.head) for arc in graph.arcs]
    assert len(pairs) == len(set(pairs)) == 99


def test_two_edges_from_one_box_to_another_are_one_arc(samples):
    nodes = []
    for rank in range(400):
        goals = sorted({rank - 1, rank // 2} - {rank, -1})
        edges = [{"to": f"n{goal}", "slot": 0} for goal in goals]
        nodes.append({"id": f"n{rank}", "op": "AddBackward0", "seq": rank, "edges": edges})
    graph = graph_of(Trace({"nodes": nodes, "leaves": []}))
    pairs = [(arc.tail, arc.head) for arc in graph.arcs]
    assert len(pairs) == len(set(pairs))
    assert is_acyclic(graph)


def test_a_bad_node_marks_its_box(samples):
    trace = samples.chain(400)
    events = [
        {**event, "version": [0, 1]} if event["type"] == "unpack" and event["k"] == 1 else event
        for event in trace.events
    ]
    graph = graph_of(Trace(trace.graph, trace.arrays, events))
    assert [vertex.bad for vertex in graph.vertices if vertex.bad] == ["v1≠v0"]
