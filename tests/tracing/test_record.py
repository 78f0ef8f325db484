"""The log of a real pass."""

import numpy as np
import pytest

import glassgrad as gg
from glassgrad.core.errors import ArgumentError, GradientError
from glassgrad.tracing import Trace
from walks import calls_in


def square():
    a = gg.tensor([1.0, 2.0], requires_grad=True)
    a.name = "a"
    return a, (a * a).sum()


def test_recording_runs_the_real_pass():
    a, loss = square()
    trace = gg.record(loss)
    assert a.grad.tolist() == [2.0, 4.0]
    assert [node["op"] for node in trace.nodes] == [
        "AccumulateGrad",
        "MulBackward0",
        "SumBackward0",
    ]
    assert trace.schedule() == ["n2", "n1", "n0"]
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def test_a_times_a_has_two_edges_one_leaf_one_storage():
    trace = gg.record(square()[1])
    mul = trace.nodes[1]
    assert [edge["to"] for edge in mul["edges"]] == ["n0", "n0"]
    assert len(trace.leaves) == 1
    assert {saved["storage"] for saved in mul["saved"]} == {"s0"}
    assert {saved["leaf"] for saved in mul["saved"]} == {"t0"}


def test_the_events_of_one_node_come_in_order():
    trace = gg.record(square()[1])
    types = [event["type"] for event in trace.events if event.get("node") == "n1"]
    assert types == ["buffer", "ready", "unpack", "unpack", "apply", "free_saved"]
    assert [event["k"] for event in trace.events] == list(range(len(trace.events)))


def test_the_document_is_sound_and_survives_a_file(tmp_path):
    trace = gg.record(square()[1])
    path = trace.save(tmp_path / "a.json")
    assert Trace.load(path) == trace


def test_hooks_are_logged_with_what_they_changed():
    a, loss = square()
    a.register_hook(lambda grad: grad * 10)
    trace = gg.record(loss)
    (event,) = [e for e in trace.events if e["type"] == "pre_hook"]
    heads = [trace.arrays[event[side][0]]["head"] for side in ("before", "after")]
    assert heads == [[2.0, 4.0], [20.0, 40.0]]
    assert trace.nodes[0]["hooks"] == [{"id": "h1", "kind": "tensor", "name": "<lambda>"}]


def test_a_broadcast_edge_says_what_it_is_summed_to():
    x, w = gg.ones(2, 3, requires_grad=True), gg.ones(3, requires_grad=True)
    trace = gg.record((x + w).sum())
    add = next(node for node in trace.nodes if node["op"] == "AddBackward0")
    assert [edge.get("sum_to") for edge in add["edges"]] == [None, [3]]


def test_hooks_are_numbered_as_they_run():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    z = y.sin()
    for hooked in (x, y, y, z):
        hooked.register_hook(lambda grad: grad * 2)
    y.grad_fn.register_prehook(lambda grads: None)
    trace = gg.record(z.sum())
    ran = [event["hook"] for event in trace.events if "hook" in event]
    assert ran == ["h1", "h2", "h3", "h4", "h5"]


def test_a_users_function_and_its_saved_tensors_are_logged():
    class Cube(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2

    x = gg.tensor(2.0, requires_grad=True)
    trace = gg.record(Cube.apply(x))
    node = trace.nodes[-1]
    assert node["op"] == "CubeBackward"
    assert node["user"] is True
    assert [e["type"] for e in trace.events if e.get("node") == node["id"]] == [
        "ready",
        "unpack",
        "apply",
        "free_saved",
    ]
    assert x.grad.item() == 12.0


def test_full_values_are_kept_on_request():
    trace = gg.record(square()[1], values="full")
    assert trace.arrays["a0"]["values"] == [1.0, 2.0]
    with pytest.raises(ArgumentError, match="'summary' or 'full'"):
        gg.record(square()[1], values="all")


def test_bad_input_records_nothing_and_leaves_the_graph_usable():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    with pytest.raises(GradientError, match="only for scalar outputs"):
        gg.record(y)
    with pytest.raises(TypeError, match="record\\(\\) takes a Tensor"):
        gg.record(3)
    gg.record(y, gg.ones(2))
    assert x.grad.tolist() == [2.0, 4.0]


def test_watched_and_unwatched_passes_leave_the_same_gradients():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((4, 3)).astype(np.float32)

    def gradients(run):
        x = gg.tensor(values, requires_grad=True)
        h = (x @ x.T).tanh()
        run((h * h + x.sum(1)).mean())
        return x.grad.numpy()

    np.testing.assert_array_equal(gradients(lambda y: y.backward()), gradients(gg.record))


PROGRAM = """
import glassgrad as gg, sys
gg.manual_seed(0)
w = gg.randn(3, 2, requires_grad=True)
loss = ((gg.ones(4, 3) @ w).relu() * w.sum()).sum()
sys.stdout.write(gg.record(loss).to_json())
"""


def test_the_log_is_the_same_byte_for_byte_in_another_process(told_elsewhere):
    (text,) = told_elsewhere(PROGRAM)
    assert "MmBackward0" in text


def test_writes_to_views_are_recorded_like_any_node():
    x = gg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    base = x * 1
    view, sibling = base[0], base[:, 1]
    view.mul_(gg.tensor([2.0, 3.0], requires_grad=True))
    trace = gg.record(base.sum() + sibling.sum())
    nodes = {node["op"]: node for node in trace.nodes}
    assert {saved["name"] for saved in nodes["CopySlices"]["saved"]} == {"self", "other"}
    assert "saved" not in nodes["AsStridedBackward0"]
    assert not any("user" in node for node in trace.nodes)
    assert x.grad.tolist() == [[2.0, 6.0], [1.0, 2.0]]


def test_a_recorded_pass_of_four_nodes_is_a_short_walk():
    """Calls of functions in Python; the log's own part, and all with the engine's.

    They are 246 in a program of its own; how many names are in sight here is up to what called.
    """
    w = gg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)

    def loss():
        return gg.tanh(w @ gg.tensor([1.0, 2.0])).sum()

    gg.record(loss())  # what is imported and made on first use
    made, traces = loss(), []
    calls = calls_in(lambda: traces.append(gg.record(made)))[1:]
    assert len(traces[0].nodes) == 4
    assert len([file for file, _ in calls if "/glassgrad/tracing/" in file]) <= 125
    assert len(calls) <= 265
