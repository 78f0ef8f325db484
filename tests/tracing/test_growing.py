"""The gradient's own graph, and which rule made which of its nodes."""

import pytest

import glassgrad as gg
from glassgrad.autograd import grad
from glassgrad.tracing import Trace, watching
from tracing.stepping import leaf

pytestmark = pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")


def origins(trace):
    """(id, op, origin) of the nodes that the pass made."""
    found = [(node["id"], node["op"], node.get("origin")) for node in trace.nodes]
    forward = reached(trace)
    return [entry for entry in found if entry[0] not in forward]


def reached(trace):
    edges = {node["id"]: [edge["to"] for edge in node["edges"]] for node in trace.nodes}
    found, stack = set(), [output["node"] for output in trace.outputs]
    while stack:
        name = stack.pop()
        if name is not None and name not in found:
            found.add(name)
            stack += edges[name]
    return found


def test_each_node_of_the_gradients_graph_knows_the_rule_that_made_it():
    x = leaf([1.0, 2.0], "x")
    trace = gg.record((x.exp() * x).sum(), create_graph=True)
    assert [node["op"] for node in trace.nodes[:4]] == [
        "AccumulateGrad",
        "ExpBackward0",
        "MulBackward0",
        "SumBackward0",
    ]
    assert origins(trace) == [
        ("n4", "MulBackward0", "n2"),
        ("n5", "MulBackward0", "n2"),
        ("n6", "MulBackward0", "n1"),
        ("n7", "AddBackward0", "n1"),  # where the second gradient of x was handed on
        ("n8", "CloneBackward0", "n0"),
    ]
    assert trace.schedule() == ["n3", "n2", "n1", "n0"]
    assert Trace.from_json(trace.to_json()) == trace


def test_the_graph_of_the_gradient_leads_into_that_of_the_pass():
    x = leaf([1.0, 2.0], "x")
    trace = gg.record((x * x).sum(), create_graph=True)
    rank = {node["id"]: node["seq"] for node in trace.nodes}
    assert list(rank.values()) == list(range(len(rank)))
    for node in trace.nodes[3:]:
        goals = [edge["to"] for edge in node["edges"] if edge["to"] is not None]
        assert goals
        assert all(rank[goal] < node["seq"] for goal in goals)
    assert gg.record(x.grad.sum()).schedule()
    assert x.grad.tolist() == [4.0, 6.0]


def test_without_create_graph_nothing_is_added():
    x = leaf([1.0, 2.0])
    x.grad = None
    (x * x).sum().backward(create_graph=True)
    assert not any("origin" in node for node in gg.record((x * x).sum()).nodes)


def test_a_leaf_that_only_a_hook_brought_in_is_a_leaf_of_the_trace():
    x, w = leaf([1.0, 2.0], "x"), leaf([3.0, 4.0], "w")
    y = x * 2
    y.register_hook(lambda grad: grad * w)
    trace = gg.record(y.sum(), create_graph=True)
    assert [entry["name"] for entry in trace.leaves] == ["x", "w"]
    ids = [entry["id"] for entry in (*trace.leaves, *trace.outputs)]
    assert len(set(ids)) == len(ids)
    ops = {node["id"]: node["op"] for node in trace.nodes}
    made_by_hook = [o for o in origins(trace) if o[1] == "MulBackward0" and o[2] is not None]
    assert {ops[maker] for _, _, maker in made_by_hook} == {"MulBackward0"}
    assert Trace.from_json(trace.to_json()) == trace


def test_a_session_shows_the_graph_of_the_gradient_as_it_grows_and_shrinks():
    x = leaf([1.0, 2.0], "x")
    session = gg.step((x.exp() * x).sum(), create_graph=True)
    texts = [session.trace.to_json()]
    counts = [len(session.trace.nodes)]
    while not session.is_done:
        session.next()
        texts.append(session.trace.to_json())
        counts.append(len(session.trace.nodes))
    assert counts == [4, 4, 6, 8, 9]
    for text in texts[-2::-1]:
        assert session.back().trace.to_json() == text
    session.run()
    assert session.trace.to_json() == texts[-1]


def test_what_has_grown_is_there_when_the_session_was_closed_early():
    x = leaf([1.0, 2.0], "x")
    with gg.step((x.exp() * x).sum(), create_graph=True) as session:
        before = session.next().next().trace
    assert any("origin" in node for node in before.nodes)
    assert session.trace == before


def fails_at_exp(x):
    """A loss whose pass fails at ExpBackward0, while a gradient of x waits."""

    def fails(_):
        raise ValueError("in a hook")

    y = x.exp()
    y.register_hook(fails)
    return (y * x).sum()


def test_what_hangs_on_gradients_that_waited_when_the_pass_failed_is_there():
    x = leaf([1.0, 2.0], "x")
    with pytest.raises(ValueError, match="in a hook") as caught:
        gg.record(fails_at_exp(x), create_graph=True)
    trace = caught.value.trace
    assert origins(trace) == [("n4", "MulBackward0", "n2"), ("n5", "MulBackward0", "n2")]
    assert trace.events[-1]["node"] == "n1"
    assert Trace.from_json(trace.to_json()) == trace


def test_the_session_of_a_pass_that_failed_has_all_that_was_there_before_it_failed():
    session = gg.step(fails_at_exp(leaf([1.0, 2.0], "x")), create_graph=True)
    before = session.run_until("ExpBackward0").trace
    with pytest.raises(ValueError, match="in a hook") as caught:
        session.next()
    assert session.trace == caught.value.trace
    assert session.trace.graph == before.graph
    assert len(before.nodes) == 6
    assert not session.buffers


def test_the_pass_within_watching_passes_that_failed_has_it_too():
    x = leaf([1.0, 2.0], "x")
    loss = fails_at_exp(x)
    with pytest.raises(ValueError, match="in a hook"), watching() as passes:
        grad(loss, x, create_graph=True)
    assert [op for _, op, _ in origins(passes[-1])] == ["MulBackward0", "MulBackward0"]


def test_what_is_made_between_two_steps_was_made_by_no_rule():
    x = leaf([1.0, 2.0], "x")
    session = gg.step((x * x).sum(), create_graph=True).run_until(x)
    session.set_gradient(x, session.arrived[0] * x)
    trace = session.run().trace
    assert [origin for _, op, origin in origins(trace) if op == "MulBackward0"].count(None) == 1


def test_retained_gradients_and_those_of_inputs_are_followed_too():
    x = leaf([1.0, 2.0], "x")
    h = x.exp()
    trace = gg.record((h * h).sum(), inputs=[h], create_graph=True)
    assert any("origin" in node for node in trace.nodes)
    assert x.grad is None


def test_what_a_rule_made_for_an_operand_that_nobody_asked_for_has_not_grown():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    with watching() as passes:
        grad((x * y).sum(), [x], create_graph=True)
    (grown,) = [node for node in passes[0].nodes if node.get("origin") == "n2"]
    assert [edge["to"] for edge in grown["edges"]] == [None, passes[0].leaves[1]["acc"]]
