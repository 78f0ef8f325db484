"""What the log of a PyTorch pass has beyond the usual: errors, late hooks, what the pass made."""

import pytest
import torch

import glassgrad
from both import leaf
from glassgrad.tracing import Trace
from glassgrad.tracing.log import record as record_ours
from glassgrad.tracing.torch import record, step

pytestmark = pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
RECORDERS = {"glassgrad": record_ours, "torch": record}


def stale():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    loss = (x * w).sum()
    with torch.no_grad():
        w.add_(1)
    return x, loss


def test_a_version_error_names_the_node_and_the_saved_tensor():
    _, loss = stale()
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        record(loss)
    trace = caught.value.trace
    last = trace.events[-1]
    assert {**last, "message": ""} == {
        "k": len(trace.events) - 1,
        "type": "error",
        "node": "n2",
        "saved": "other",
        "error": "RuntimeError",
        "message": "",
    }
    assert last["message"] == str(caught.value)
    assert Trace.from_json(trace.to_json()) == trace


def test_a_session_that_failed_can_be_read():
    x, loss = stale()
    with step(loss) as session:
        with pytest.raises(RuntimeError) as caught:
            session.run()
        assert session.trace == caught.value.trace
    assert session.trace.events[-1]["type"] == "error"
    assert x.grad is None


def test_what_a_hook_raises_keeps_its_type_and_has_the_log():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()

    def refuses(grads):
        raise KeyError("mine")

    y.grad_fn.register_prehook(refuses)
    with pytest.raises(KeyError) as caught:
        record(y.sum())
    assert caught.value.trace.events[-1]["node"] == "n1"


def test_leaving_a_session_is_no_error():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with step((x * x).sum()) as session:
        session.next()
    assert "error" not in {event["type"] for event in session.trace.events}


def test_the_trace_before_the_first_step_leaves_nothing_behind():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    with step(loss) as session:
        before = session.trace
    assert [event["type"] for event in before.events] == ["ready"]
    handle = loss.grad_fn.register_prehook(lambda grads: None)
    assert len(handle.hooks_dict_ref()) == 1


@pytest.mark.parametrize("lib", [glassgrad, torch], ids=["glassgrad", "torch"])
def test_hooks_after_accumulation_are_events_in_both(lib):
    x = leaf(lib, [1.0, 2.0])

    def halves(tensor):
        tensor.grad = tensor.grad * 0.5

    def looks(tensor):
        assert tensor.grad is not None

    x.register_post_accumulate_grad_hook(halves)
    x.register_post_accumulate_grad_hook(looks)
    trace = RECORDERS[lib.__name__]((x * 4.0).sum())
    heads = {name: array["head"] for name, array in trace.arrays.items()}
    told = [
        (event["type"], heads[event["before"][0]], heads[event["after"][0]])
        for event in trace.events
        if event.get("node") == "n0" and "hook" in event
    ]
    assert told == [
        ("post_hook", [4.0, 4.0], [2.0, 2.0]),
        ("post_hook", [2.0, 2.0], [2.0, 2.0]),
    ]
    assert [event["type"] for event in trace.events][-3:] == ["accumulate", *["post_hook"] * 2]
    assert [hook["kind"] for hook in trace.nodes[0]["hooks"]] == ["post_accumulate"] * 2


@pytest.mark.parametrize("lib", [glassgrad, torch], ids=["glassgrad", "torch"])
def test_the_graph_of_the_gradient_knows_its_rules_in_both(lib):
    x = leaf(lib, [1.0, 2.0])
    trace = RECORDERS[lib.__name__]((x.exp() * x).sum(), create_graph=True)
    made = [(node["op"], node["origin"]) for node in trace.nodes if "origin" in node]
    assert sorted(made[:-1]) == [
        ("AddBackward0", "n1"),
        ("MulBackward0", "n1"),
        ("MulBackward0", "n2"),
        ("MulBackward0", "n2"),
    ]
    assert made[-1][1] == "n0"  # the copy that became .grad, which each library calls otherwise
    assert Trace.from_json(trace.to_json()) == trace


def test_a_stepped_pass_makes_the_same_graph_and_the_same_trace():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    trace = record((x.exp() * x).sum(), create_graph=True)
    x.grad = None
    with step((x.exp() * x).sum(), create_graph=True) as session:
        assert session.run().to_json() == trace.to_json()


def test_what_was_there_before_has_no_origin():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward(create_graph=True)
    with step((x * 3).sum(), create_graph=True) as session:
        trace = session.run()
    origins = {node["origin"] for node in trace.nodes if "origin" in node}
    assert origins <= {"n0", "n1", "n2"}
    older = [node for node in trace.nodes[3:] if "origin" not in node]
    assert [node["op"] for node in older].count("MulBackward0") == 2


def test_an_exception_that_cannot_be_printed_arrives_all_the_same():
    class Mute(Exception):
        def __str__(self):
            raise ValueError("no words")

    def refuses(_):
        raise Mute

    y = torch.tensor(2.0, requires_grad=True) * 3
    y.register_hook(refuses)
    with pytest.raises(Mute) as caught:
        record(y)
    assert caught.value.trace.events[-1]["error"] == "Mute"


def test_a_pass_that_a_hook_runs_along_the_same_nodes_is_not_in_the_log():
    def ran(hooked):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        square = x * x
        total, y = square.sum(), square * 3
        y.register_hook(lambda _: hooked(total, x))
        return record(y.sum(), names={"y": y, "x": x})

    plain = ran(lambda total, x: None)
    nested = ran(lambda total, x: torch.autograd.grad(total, x, retain_graph=True) and None)
    assert nested == plain
