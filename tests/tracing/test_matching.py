"""Which node of one graph is which node of another."""

import glassgrad as gg
from glassgrad.tracing import Trace
from glassgrad.tracing.compare import Matching


def graph(*edges, ops=None):
    """A trace of the nodes n0, n1, …; `edges[k]` says where the edges of node k lead."""
    nodes = [
        {
            "id": f"n{k}",
            "op": (ops or {}).get(k, "Op" if goals else "AccumulateGrad"),
            "seq": k,
            "edges": [{"to": to if to is None else f"n{to}", "slot": 0} for to in goals],
        }
        for k, goals in enumerate(edges)
    ]
    return Trace({"nodes": nodes, "leaves": []})


def test_a_graph_matches_itself():
    one = graph([], [0], [1, 0], [2, None])
    found = Matching(one, one)
    assert found.pairs == {f"n{k}": f"n{k}" for k in range(4)}
    assert (found.cuts, found.a.alone, found.b.alone) == ([], [], [])


def test_nodes_put_in_between_have_no_partner():
    one = graph([], [0], [1], ops={1: "Exp", 2: "Sum"})
    other = graph([], [0], [1], [2], ops={1: "Exp", 2: "Neg", 3: "Sum"})
    found = Matching(one, other)
    assert found.pairs == {"n0": "n0", "n1": "n1", "n2": "n3"}
    assert found.b.alone == ["n2"]
    assert found.cuts == []


def test_an_op_in_the_place_of_another_is_its_partner():
    one = graph([], [], [0, 1], [2], ops={2: "Mul", 3: "Sum"})
    other = graph([], [], [0, 1], [2], ops={2: "Div", 3: "Sum"})
    assert Matching(one, other).pairs == {f"n{k}": f"n{k}" for k in range(4)}


def test_an_edge_that_leads_nowhere_in_one_of_them_is_cut():
    found = Matching(graph([], [0, 0]), graph([], [0, None]))
    (cut,) = found.cuts
    assert (cut.a, cut.b, cut.position, cut.to_a, cut.to_b) == ("n1", "n1", 1, "n0", None)


def test_graphs_that_have_nothing_in_common_are_matched_at_their_outputs_at_most():
    x = gg.ones(1, requires_grad=True)
    found = Matching(gg.snapshot(x.exp().sin()), gg.snapshot(gg.stack([x, x]).sum()))
    assert set(found.pairs) <= {"n0", "n1", "n2"}
    assert len(found.pairs) == len(set(found.pairs.values()))


def test_a_trace_without_outputs_is_walked_from_the_nodes_that_no_edge_leads_to():
    found = Matching(graph([], [0], [0]), graph([], [0], [0]))
    assert len(found.pairs) == 3


def test_an_empty_trace_has_no_partners():
    found = Matching(graph(), graph([], [0]))
    assert found.pairs == {}
    assert found.b.alone == ["n0", "n1"]
