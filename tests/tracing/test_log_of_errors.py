"""A pass that fails leaves its log: in the exception, and in the session."""

import warnings

import jsonschema
import pytest

import glassgrad as gg
from glassgrad.core.errors import FreedGraphError, StaleTensorError
from glassgrad.tracing import Trace
from glassgrad.tracing.events import load_schema
from tracing.stepping import events, leaf


def stale():
    x, w = leaf([1.0, 2.0], "x"), leaf([3.0, 4.0], "w")
    y = (x * w).exp()
    y.name = "y"
    loss = (y * y).sum()
    with gg.no_grad():
        y.add_(1)
    return x, loss


def test_a_version_error_names_the_node_and_the_saved_tensor():
    _, loss = stale()
    with pytest.raises(StaleTensorError) as caught:
        gg.record(loss)
    trace = caught.value.trace
    last = trace.events[-1]
    ops = {node["id"]: node["op"] for node in trace.nodes}
    assert (last["type"], ops[last["node"]], last["error"]) == (
        "error",
        "MulBackward0",
        "StaleTensorError",
    )
    assert last["message"] == str(caught.value)
    saved = {entry["name"] for node in trace.nodes for entry in node.get("saved", ())}
    assert last["saved"] in saved
    assert events(trace, "unpack")[-1] == {
        "k": last["k"] - 1,
        "type": "unpack",
        "node": last["node"],
        "saved": last["saved"],
        "version": [0, 1],
    }
    assert Trace.from_json(trace.to_json()) == trace
    jsonschema.Draft202012Validator(load_schema()).validate(trace.document())


def test_a_session_that_failed_can_be_read():
    x, loss = stale()
    session = gg.step(loss)
    with pytest.raises(StaleTensorError) as caught:
        session.run()
    assert session.is_closed
    assert session.trace == caught.value.trace
    assert session.trace.events[-1]["error"] == "StaleTensorError"
    assert x.grad is None


def test_a_second_pass_through_a_freed_graph_shows_where_it_stops():
    x = leaf([1.0, 2.0])
    loss = (x * x).sum()
    loss.backward()
    with pytest.raises(FreedGraphError) as caught:
        gg.record(loss)
    last = caught.value.trace.events[-1]
    assert (last["node"], last["error"]) == ("n1", "FreedGraphError")
    assert "saved" not in last
    assert caught.value.trace.schedule() == ["n2"]


def test_what_a_hook_raises_has_the_log_and_keeps_its_type():
    class Mine(Exception):
        pass

    x = leaf([1.0, 2.0])
    y = x * 2

    def refuses(grad):
        raise Mine("no")

    y.register_hook(refuses)
    with pytest.raises(Mine) as caught:
        gg.record(y.sum())
    assert caught.value.trace.events[-1]["node"] == "n1"
    assert caught.value.trace.events[-1]["message"] == "no"


def test_an_error_of_a_stale_tensor_in_a_users_rule_names_it():
    class Square(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x * 1, x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            _, x = ctx.saved_tensors
            return 2 * x * grad

    x = leaf([1.0, 2.0])
    h = x * 1
    loss = Square.apply(h).sum()
    with gg.no_grad():
        h.add_(1)
    with pytest.raises(StaleTensorError) as caught:
        gg.record(loss)
    assert caught.value.trace.events[-1]["saved"] == "saved_tensors[1]"
    versions = [event["version"] for event in events(caught.value.trace, "unpack")]
    assert versions == [[0, 0], [0, 1]]


def test_what_is_queued_for_the_end_and_fails_belongs_to_no_node():
    x = leaf(2.0)
    y = x * 3

    def refuses():
        raise KeyError("end")

    queue = gg.autograd.Variable._execution_engine.queue_callback
    y.register_hook(lambda _: queue(refuses))
    with pytest.raises(KeyError) as caught:
        gg.record(y)
    last = caught.value.trace.events[-1]
    assert (last["type"], last["error"], "node" in last) == ("error", "KeyError", False)
    assert Trace.from_json(caught.value.trace.to_json()) == caught.value.trace


def test_an_exception_that_cannot_be_printed_arrives_all_the_same():
    class Mute(Exception):
        def __str__(self):
            raise ValueError("no words")

    def refuses(_):
        raise Mute

    y = leaf(2.0) * 3
    y.register_hook(refuses)
    with pytest.raises(Mute) as caught:
        gg.record(y)
    last = caught.value.trace.events[-1]
    assert (last["error"], last["message"]) == ("Mute", "(no text: its __str__ raises)")


def test_what_is_refused_before_the_pass_begins_has_no_log():
    with pytest.raises(RuntimeError) as caught:
        gg.record(gg.ones(()))
    assert not hasattr(caught.value, "trace")


def test_an_anomaly_is_in_the_log():
    with (
        warnings.catch_warnings(action="ignore"),
        gg.autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match="nan") as caught,
    ):
        gg.record((leaf([0.0, 1.0]) * 0).sqrt().sum())  # 0/0 in the backward of mul
    assert caught.value.trace.events[-1]["type"] == "error"
    ops = {node["id"]: node["op"] for node in caught.value.trace.nodes}
    assert ops[caught.value.trace.events[-1]["node"]] == "MulBackward0"
