"""PyTorch's own passes, recorded."""

import sys
from xml.etree import ElementTree as ET

import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.tracing import Trace
from glassgrad.tracing.torch import record
from glassgrad.viz.wording import text_view
from pages import data_of
from tracing.classics import CLASSICS
from tracing.stepping import events, heads


def square():
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    return a, (a * a).sum()


def hooks_of(node):
    """How many pre- and post-hooks a node has."""
    handles = [node.register_prehook(lambda *_: None), node.register_hook(lambda *_: None)]
    counts = [len(handle.hooks_dict_ref()) - 1 for handle in handles]
    for handle in handles:
        handle.remove()
    return counts


# The graph ----------------------------------------------------------------------------------------


def test_a_times_a_has_two_edges_one_leaf_one_storage():
    a, loss = square()
    trace = record(loss, names={"a": a, "loss": loss})
    assert [n["op"] for n in trace.nodes] == ["AccumulateGrad", "MulBackward0", "SumBackward0"]
    mul = trace.nodes[1]
    assert [edge["to"] for edge in mul["edges"]] == ["n0", "n0"]
    assert [saved["name"] for saved in mul["saved"]] == ["other", "self"]
    assert {(saved["storage"], saved["leaf"]) for saved in mul["saved"]} == {("s0", "t0")}
    assert [tensor["name"] for tensor in (*trace.leaves, *trace.outputs)] == ["a", "loss"]
    assert trace.schedule() == ["n2", "n1", "n0"]


def test_a_saved_view_of_a_leaf_names_it():
    layer = torch.nn.Linear(3, 4)
    trace = record(layer(torch.rand(2, 3, requires_grad=True)).sum(), names=layer)
    (weight,) = [leaf["id"] for leaf in trace.leaves if leaf["name"] == "weight"]
    saved = {entry["name"]: entry for node in trace.nodes for entry in node.get("saved", ())}
    assert saved["mat2"]["owner"] == weight
    assert "leaf" in saved["mat1"]
    assert "owner" not in saved["mat1"]
    assert "frees" not in text_view(trace)


def test_a_module_and_a_namespace_name_their_tensors():
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
    loss = model(torch.ones(1, 2)).sum()
    trace = record(loss, names=model, retain_graph=True)
    assert sorted(leaf["name"] for leaf in trace.leaves) == ["0.bias", "0.weight"]
    trace = record(loss, names={"model": model, "loss": loss, "number": 3})
    assert sorted(leaf["name"] for leaf in trace.leaves) == ["model.0.bias", "model.0.weight"]
    assert trace.outputs[0]["name"] == "loss"


def test_a_broadcast_edge_says_what_it_is_summed_to():
    x, w = torch.ones(2, 3, requires_grad=True), torch.ones(3, requires_grad=True)
    add = record((x + w).sum()).nodes[2]
    assert [edge.get("sum_to") for edge in add["edges"]] == [None, [3]]


def test_a_users_function_is_marked_with_what_it_saved():
    x = torch.tensor([2.0], requires_grad=True)

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, x * 2)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            x, _ = ctx.saved_tensors
            return grad * 3 * x**2

    node = record(Cube.apply(x)).nodes[1]
    assert (node["op"], node["user"]) == ("CubeBackward", True)
    assert [saved["name"] for saved in node["saved"]] == ["saved_tensors[0]", "saved_tensors[1]"]


def test_what_a_pack_hook_kept_is_not_unpacked_for_the_log():
    calls = []
    x = torch.tensor([2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: ("kept", tensor), lambda kept: calls.append(kept) or kept[1]
    ):
        loss = x.exp()
    assert "saved" not in record(loss).nodes[1]
    assert len(calls) == 1


def test_every_dtype_and_layout_has_numbers():
    half = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    trace = record((half * half).sum())
    assert trace.leaves[0]["dtype"] == "bfloat16"
    assert heads(trace, [events(trace, "accumulate")[0]["grad"]]) == [[2.0, 4.0]]
    turned = torch.tensor([1 + 2j], requires_grad=True)
    trace = record((turned.conj() * turned).real.sum())
    assert heads(trace, [events(trace, "accumulate")[0]["grad"]]) == [["2+4j"]]
    table = torch.nn.Embedding(3, 2, sparse=True)
    trace = record(table(torch.tensor([1])).sum())
    assert heads(trace, [events(trace, "accumulate")[0]["grad"]]) == [[0.0, 0.0, 1.0, 1.0]]


def test_each_node_has_its_line_where_pytorch_kept_it():
    x = torch.tensor([2.0], requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        y = x.exp()
        z = torch.nn.functional.gelu(y)
    nodes = record(z + 1).nodes
    line = test_each_node_has_its_line_where_pytorch_kept_it.__code__.co_firstlineno + 3
    assert [node.get("src") for node in nodes] == [
        None,
        f"test_torch.py, line {line}: `y = x.exp()`",
        f"test_torch.py, line {line + 1}: `z = torch.nn.functional.gelu(y)`",
        None,
    ]


# The events ---------------------------------------------------------------------------------------


def test_the_events_of_one_node_come_in_order():
    trace = record(square()[1])
    kinds = [event["type"] for event in trace.events if event.get("node") == "n1"]
    assert kinds == ["buffer", "ready", "unpack", "unpack", "apply", "free_saved"]
    (freed,) = events(trace, "free_saved")
    assert freed["bytes"] == 8  # the two saved tensors are one
    assert not events(record(square()[1], retain_graph=True), "free_saved")


def test_each_hook_is_logged_with_what_it_changed():
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    z = y * 1
    x.register_hook(lambda grad: grad * 10)
    y.register_hook(lambda grad: grad + 1)
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 3,))
    y.grad_fn.register_prehook(lambda grads: None)
    y.grad_fn.register_hook(lambda results, grads: (results[0] + 0.5, None))
    x.register_post_accumulate_grad_hook(lambda leaf: None)
    trace = record(z, names={"y": y})
    seen = [
        (e["type"], e["node"], heads(trace, e["before"])[0], heads(trace, e["after"])[0])
        for e in trace.events
        if "hook" in e
    ]
    assert seen == [
        ("pre_hook", "n1", [1.0], [2.0]),
        ("pre_hook", "n1", [2.0], [6.0]),
        ("pre_hook", "n1", [6.0], [6.0]),
        ("post_hook", "n1", [12.0], [12.5]),
        ("pre_hook", "n0", [12.5], [125.0]),
        ("post_hook", "n0", [125.0], [125.0]),
    ]
    kinds = [hook["kind"] for node in trace.nodes for hook in node.get("hooks", ())]
    assert sorted(kinds) == ["post", "post_accumulate", "pre", "pre", "tensor", "tensor"]
    assert x.grad.tolist() == [125.0]


def test_a_pass_for_some_inputs_visits_their_nodes_alone():
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    h = x.exp()
    trace = record((h * w).sum(), inputs=[h])
    ops = {node["id"]: node["op"] for node in trace.nodes}
    ran = [ops[name] for name in trace.schedule()]
    assert ran == ["SumBackward0", "MulBackward0", "ExpBackward0"]
    assert (x.grad, w.grad, h.grad.tolist()) == (None, None, [1.0, 1.0])


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")  # PyTorch's advice
def test_a_recorded_pass_can_be_differentiated_again():
    x = torch.tensor([2.0], requires_grad=True)
    record(x**3, create_graph=True)
    trace = record(x.grad)
    assert x.grad.tolist() == [24.0]
    assert len(trace.nodes) >= 3


def test_several_roots_and_a_leaf_as_the_root():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    trace = record([y * 2, y], [torch.ones(2), torch.ones(2)])
    assert [output["node"] for output in trace.outputs] == ["n2", "n1"]
    assert record(x, torch.ones(2)).schedule() == ["n0"]


# What is left behind ------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("program", CLASSICS, ids=lambda program: program.__name__)
def test_gradients_are_those_of_a_plain_backward_bit_by_bit(program):
    (watched, loss), (plain, other) = program(torch), program(torch)
    record(loss)
    other.backward()
    assert all(torch.equal(a.grad, b.grad) for a, b in zip(watched, plain, strict=True))


def test_no_hook_stays_behind_also_after_an_error():
    def fails(_):
        raise KeyError("mine")

    def looks(_):
        return None

    x = torch.tensor([1.0], requires_grad=True)
    x.register_hook(looks)
    loss = x.exp()
    record(loss, retain_graph=True)
    x.register_hook(fails)
    with pytest.raises(KeyError, match="mine"):
        record(loss)
    accumulator = loss.grad_fn.next_functions[0][0]
    assert hooks_of(loss.grad_fn) == hooks_of(accumulator) == [0, 0]
    assert list(x._backward_hooks.values()) == [looks, fails]


def test_errors_are_those_of_pytorch():
    _, loss = square()
    record(loss)
    with pytest.raises(RuntimeError, match="second time"):
        record(loss)
    with pytest.raises(RuntimeError, match="does not require grad"):
        record(torch.ones(()))
    with pytest.raises(RuntimeError, match="scalar outputs"):
        record(square()[0] * 2)


def test_a_wrong_argument_is_told_what_to_write():
    with pytest.raises(ArgumentTypeError, match=r"gg\.record\(loss\)"):
        record(gg.ones(2, requires_grad=True).sum())
    with pytest.raises(ArgumentError, match="'summary' or 'full'"):
        record(square()[1], values="all")
    with pytest.raises(ArgumentTypeError, match=r"names=locals\(\)"):
        record(square()[1], names=3)


def test_without_pytorch_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install torch"):
        record(None)


def test_importing_it_does_not_import_pytorch(told_elsewhere):
    script = "import glassgrad.tracing.torch, sys; assert 'torch' not in sys.modules"
    told_elsewhere(script, seeds="1")


# What reads it ------------------------------------------------------------------------------------


def test_the_document_is_sound_and_survives_a_file(tmp_path):
    trace = record(CLASSICS[-1](torch)[1], values="full")
    assert Trace.load(trace.save(tmp_path / "a.json")) == trace


def test_every_process_writes_the_same_bytes(told_by_pytorch):
    script = (
        "import torch; from glassgrad.tracing.torch import record\n"
        "x = torch.tensor([0.5, 2.0], requires_grad=True); h = x.exp()\n"
        "h.register_hook(lambda g: g * 2)\n"
        "text = record((h * x + h.sin() * x).sum(), names={'h': h, 'x': x}).to_json()\n"
    )
    here: dict[str, str] = {}
    exec(script, here)
    assert told_by_pytorch(f"{script}print(text, end='')") == here["text"]


@together
@pytest.mark.parametrize("program", CLASSICS[:6], ids=lambda program: program.__name__)
def test_the_pictures_the_player_and_the_text_show_it(program):
    trace = record(program(torch)[1])
    svg = gg.draw(trace).svg
    ids = {element.get("id") for element in ET.fromstring(svg).iter()}
    assert {node["id"] for node in trace.nodes} - ids <= {leaf["acc"] for leaf in trace.leaves}
    words = str(data_of(gg.player(trace).html))
    assert "SumBackward0" in words or "MeanBackward0" in words
    assert trace.nodes[-1]["op"] in text_view(trace)
