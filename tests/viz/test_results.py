import pytest

import glassgrad as gg
from checks import together
from glassgrad.tracing import Trace, record
from glassgrad.viz import draw
from glassgrad.viz.results import Results


def scaled(*factors):
    """A chain of products; the gradient shrinks or grows by each factor on its way to the leaf."""
    x = gg.tensor(1.0, requires_grad=True)
    y = x
    for factor in factors:
        y = y * factor
    return record(y)


def test_the_scale_is_logarithmic_from_the_smallest_to_the_largest():
    flows = Results(scaled(1e-1, 1e-1, 1e-1, 1e-1, 1e-1, 1e-1)).flows()[0]
    along = [flows[f"e{rank}-0"] for rank in (6, 5, 4, 3, 2, 1)]
    assert along == ["5", "4", "3", "2", "1", "0"] or along == sorted(along, reverse=True)
    assert flows["r1"] == "5"


def test_zero_and_nan_have_marks_of_their_own():
    assert Results(scaled(0.0)).flows()[0]["e1-0"] == "zero"
    assert Results(scaled(float("nan"))).flows()[0]["e1-0"] == "nan"


def test_before_the_pass_nothing_has_flowed(samples):
    trace = samples.mlp()
    assert Results(Trace(trace.graph, trace.arrays, [])).flows() == ({}, "")
    assert "flow-" not in draw(Trace(trace.graph, trace.arrays, [])).svg


@together
@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_the_picture_says_what_its_arrows_mean(theme, samples):
    svg = draw(samples.mlp(), flow=True, theme=theme).svg
    assert "‖gradient‖ from" in svg
    assert "grad-arc flow-5" in svg


def test_without_being_asked_the_arrows_are_plain(samples):
    assert "flow-" not in draw(samples.mlp()).svg


def test_an_arc_of_a_fold_shows_the_largest_of_its_edges():
    nodes, events, arrays = [], [], {}
    for rank in range(400):
        goals = sorted({rank - 1, rank // 2} - {rank, -1})
        edges = [{"to": f"n{goal}", "slot": 0} for goal in goals]
        nodes.append({"id": f"n{rank}", "op": "AddBackward0", "seq": rank, "edges": edges})
    for rank in reversed(range(400)):
        names = [f"a{2 * rank + index}" for index, _ in enumerate(nodes[rank]["edges"])]
        for index, name in enumerate(names):
            norm = 10.0 ** ((rank * 7 + index) % 12)
            about = {"shape": [], "dtype": "float32", "min": norm, "max": norm, "norm": norm}
            arrays[name] = about | {"head": [norm]}
        event = {"k": len(events), "type": "apply", "node": f"n{rank}"}
        events.append(event | {"grad_in": [None], "grad_out": names})
    trace = Trace({"nodes": nodes, "leaves": []}, arrays, events)
    flows, drawing = Results(trace).flows()[0], draw(trace, flow=True)
    place = drawing.graph.place
    largest = {}
    for node in nodes:
        for index, edge in enumerate(node["edges"]):
            pair = place[node["id"]], place[edge["to"]]
            step = flows[f"e{node['id'][1:]}-{index}"]
            largest[pair] = max(largest.get(pair, "0"), step)
    assert len(drawing.graph.arcs) < 300
    for arc in drawing.graph.arcs:
        assert arc.flow == largest[arc.tail, arc.head]


def test_a_leaf_shows_the_grad_that_a_hook_left_behind():
    x = gg.tensor([1.0, 2.0], requires_grad=True)

    def halve(leaf):
        leaf.grad = leaf.grad / 2

    x.register_post_accumulate_grad_hook(halve)
    trace = record((x * x).sum())
    (grad,) = Results(trace).final.values()
    assert trace.arrays[grad]["head"] == x.grad.tolist() == [1.0, 2.0]
    assert trace.grads() == {"t0": grad}
