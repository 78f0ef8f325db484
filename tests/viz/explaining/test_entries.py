"""Explanations as the player's data: of a pass while it runs, of one node, of a trace alone."""

import pytest

import glassgrad as gg
from glassgrad.autograd import Function
from glassgrad.ops.elementary import Tanh
from glassgrad.tracing import Trace
from glassgrad.utils.checkpoint import checkpoint
from glassgrad.viz.explaining import entries as explaining
from glassgrad.viz.explaining.entries import (
    explained,
    explanations,
    op_named,
    record_explained,
)


class WrongCube(Function):
    """y = x³        x̄ = 3·ȳ·x²"""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x**2  # where is the 3?


@pytest.fixture
def x():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = "x"
    return x


def texts(entry, section):
    return [text for title, _, text in entry["rows"] if title == section]


# A pass while it runs ----------------------------------------------------------------------------


def test_each_node_has_words_formulas_rows_and_a_verdict(x):
    trace, found, _ = record_explained((x * x).sum())
    assert found.keys() == {node["id"] for node in trace.nodes}
    assert found["n1"] == {
        "words": "z = x·y        dz = y·dx + x·dy        x̄ = z̄·y,  ȳ = z̄·x",
        "formulas": found["n1"]["formulas"],
        "rows": [
            ["rule", "x̄", "z̄·y = [1, 1]·[1, 2] = [1, 2]"],
            ["rule", "ȳ", "z̄·x = [1, 1]·[1, 2] = [1, 2]"],
            ["check", "edge 1", "✓ agrees with differences of the forward, 2 of 2 elements"],
            ["check", "edge 2", "✓ agrees with differences of the forward, 2 of 2 elements"],
        ],
        "ok": True,
        "letters": [
            ["x", "is x = [1, 2], saved as self"],
            ["y", "is x = [1, 2], saved as other"],
            ["z", "is x*x"],
            ["z̄", "is the gradient that arrived = [1, 1]"],
        ],
    }
    assert [text.startswith("<math>") for text in found["n1"]["formulas"]] == [True] * 3
    assert found["n0"]["words"] == "adds the gradient that arrives to the .grad of its leaf"


def test_the_gradient_is_the_one_that_arrived(x):
    y = x * x
    y.register_hook(lambda grad: grad * 5)
    _, found, _ = record_explained((y * 2).sum())
    assert texts(found["n1"], "rule")[0] == "z̄·y = [10, 10]·[1, 2] = [10, 20]"


def test_the_trace_is_that_of_record(x):
    def loss():
        y = WrongCube.apply(x * x)
        y.register_hook(lambda grad: grad * 5)
        return (y * y).sum()

    trace, _, _ = record_explained(loss())
    grad, x.grad = x.grad, None
    assert trace.events == gg.record(loss()).events
    assert gg.equal(x.grad, grad)


def test_a_wrong_rule_of_a_users_function_is_found(x):
    _, found, _ = record_explained(WrongCube.apply(x).sum())
    assert found["n1"]["ok"] is False
    assert texts(found["n1"], "check") == [
        "✗ WRONG at [1]: the rule says 4, differences say 12 (2 of 2 elements)"
    ]


def test_a_wrong_rule_of_a_built_in_op_is_found(monkeypatch, x):
    right = Tanh._backward_cls.backward
    monkeypatch.setattr(Tanh._backward_cls, "backward", lambda ctx, grad: right(ctx, grad) * 1.1)
    _, found, _ = record_explained(x.tanh().sum())
    assert [entry["ok"] for entry in found.values()] == [None, False, True]


def test_a_users_function_is_checked_though_hundreds_of_nodes_run_before_it(x):
    y = WrongCube.apply(x)
    for _ in range(3 * explaining.MOST_NODES):
        y = y * 1
    trace, found, _ = record_explained(y.sum())
    assert found[next(node["id"] for node in trace.nodes if node.get("user"))]["ok"] is False
    assert sum(entry["ok"] is not None for entry in found.values()) == explaining.MOST_NODES
    assert len(found) == len(trace.nodes)


def test_large_arrays_are_not_checked_and_it_says_so():
    big = gg.ones(120, 120, requires_grad=True)
    _, found, _ = record_explained((big * big).sum())
    assert texts(found["n1"], "notes") == ["not checked: it deals with more than 10,000 elements"]
    assert texts(found["n1"], "rule")[0].startswith("z̄·y = (120, 120) ‖·‖=120, where")
    assert found["n1"]["ok"] is None


def test_what_hooks_have_packed_is_unpacked_once_by_the_pass(x):
    unpacked = []

    def unpack(saved):
        unpacked.append(saved)
        return saved

    with gg.autograd.graph.saved_tensors_hooks(lambda saved: saved, unpack):
        y = x.exp()
    _, found, _ = record_explained(y.sum())
    assert len(unpacked) == 1
    assert "hooks have packed" in texts(found["n1"], "notes")[0]


def test_a_pass_that_fails_is_told(x):
    class Fails(WrongCube):
        @staticmethod
        def backward(ctx, grad):
            raise ValueError("no")

    trace, found, error = record_explained((Fails.apply(x) * 2).sum())
    assert isinstance(error, ValueError)
    assert str(error) == "no"
    assert trace.events[-1]["type"] == "error"
    assert found["n2"]["ok"] is True


def test_options_are_those_of_record(x):
    y = x * x
    trace, found, _ = record_explained(y, gradient=gg.tensor([3.0, 0.0]), retain_graph=True)
    assert texts(found["n1"], "rule")[0] == "z̄·y = [3, 0]·[1, 2] = [3, 0]"
    trace, found, _ = record_explained(y.sum(), create_graph=True, values="full")
    assert found["n1"]["ok"] is True
    assert "values" in trace.arrays["a0"]


# One node ----------------------------------------------------------------------------------------


def test_one_node_of_a_paused_pass(x):
    with gg.tracing.step((x * x).sum() * 3) as session:
        session.run_until("n1")
        entry = explained(session.current, session.arrived)
        session.run()
    assert texts(entry, "rule")[0] == "z̄·y = [3, 3]·[1, 2] = [3, 6]"


def test_a_gradient_alone_or_none(x):
    assert texts(explained(x * x, gg.tensor([0.0, 1.0])), "rule")[0].startswith("z̄·y = [0, 1]")
    assert texts(explained((x * x).grad_fn), "rule")[0].startswith("z̄·y = [1, 1]")
    assert texts(explained(x * x, (None,)), "notes") == ["no gradient arrived here"]
    first, _ = x.split(1)
    assert explained(first, (gg.ones(1), None))["ok"] is True


def test_nothing_is_raised_for_a_node_whose_tensors_were_freed(x):
    y = x * x
    y.sum().backward()
    entry = explained(y)
    assert "the rule cannot be run" in texts(entry, "notes")[0]
    assert entry["ok"] is None


def test_kinds_of_nodes(x):
    assert explained(x)["words"] == "adds the gradient that arrives to the .grad of its leaf"
    view = x.clone()
    view[:1].exp_()
    assert explained(view)["ok"] is True
    inside = checkpoint(lambda x: x * x, x, use_reentrant=True)
    assert "a whole pass of its own" in texts(explained(inside), "notes")[0]
    z = gg.tensor([1 + 2j], requires_grad=True)
    assert explained(z * z)["ok"] is True


def test_a_functions_own_latex_is_typeset_whatever_it_is(x):
    for latex, count in [("x^3", 1), (("x^3", 7, ""), 1), (None, 0), (("<b>",), 1)]:
        kind = type("Cube", (WrongCube,), {"latex": latex})
        formulas = explained(kind.apply(x))["formulas"] if latex is not None else []
        assert len(formulas) == count
        assert "<b>" not in "".join(formulas)


def test_hostile_words_stay_text(x):
    class Hostile(WrongCube):
        """</script><img src=x onerror=alert(1)>\x00\u202e"""

    entry = explained(Hostile.apply(x))
    assert "\x00" not in entry["words"]
    assert len(entry["words"]) < 300


# A trace alone -----------------------------------------------------------------------------------


def test_a_trace_from_a_file_tells_words_formulas_and_numbers(x, tmp_path):
    w = gg.tensor(3.0, requires_grad=True)
    trace = Trace.load(gg.record((x * w).sum()).save(tmp_path / "pass.json"))
    found = explanations(trace)
    assert found["n2"]["rows"] == [
        ["rule", "x̄", "z̄·y = [1, 1]·3 = [3, 3]"],
        ["rule", "ȳ", "z̄·x = [1, 1]·[1, 2] = [1, 2]; the engine sums that to ()"],
    ]
    assert found["n2"]["ok"] is None
    assert len(found["n2"]["formulas"]) == 3


def test_a_graph_that_has_not_run_has_formulas_without_numbers(x):
    found = explanations(gg.snapshot((x * x).sum()))
    assert found["n1"]["rows"] == []
    assert found["n1"]["formulas"]


def test_ops_that_share_a_name_are_told_apart_by_their_operands():
    found = [op_named("NativeBatchNormBackward0", operands).__name__ for operands in (3, 5)]
    assert found == ["NativeBatchNorm", "EvaluatedBatchNorm"]


def test_of_a_users_function_a_trace_alone_knows_nothing(x):
    entry = explanations(gg.record(WrongCube.apply(x).sum()))["n1"]
    assert "explained where it runs" in entry["words"]
    assert (entry["formulas"], entry["rows"], entry["ok"]) == ([], [], None)


def test_a_pytorch_graph_is_explained_by_the_same_formulas():
    torch = pytest.importorskip("torch")
    from glassgrad.tracing.torch import record

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    trace = record((x * x).tanh().sum())
    found = explanations(trace)
    words = [found[node["id"]]["words"].split("   ")[0] for node in trace.nodes[1:]]
    assert words == ["z = x·y", "y = tanh x", "y = Σᵢ xᵢ"]
    assert all(entry["rows"] for name, entry in found.items() if name != "n0")


def test_where_pytorch_sums_a_broadcast_itself():
    torch = pytest.importorskip("torch")
    from glassgrad.tracing.torch import record

    x, w = torch.ones(2, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    found = explanations(record((x * w).sum()))
    assert found["n2"]["rows"][1][2] == ("z̄·x = [1, 1]·[1, 1], summed over what was broadcast: 2")
    names = [
        entry["words"]
        for entry in explanations(record(torch.renorm(x[None], 2, 0, 1.0).sum())).values()
    ]
    assert "no op of glassgrad's has nodes RenormBackward0" in names


def test_the_checks_of_a_page_have_a_limit_in_all(monkeypatch):
    monkeypatch.setattr(explaining, "BUDGET", 0.0)
    x = gg.tensor([3.0, 4.0], requires_grad=True)
    trace, found, _ = record_explained((x * x).exp().sum())
    first, *others = [found[name] for name in trace.schedule() if found[name]["formulas"]]
    assert first["ok"] is True
    for entry in others:
        assert entry["ok"] is None
        assert entry["rows"][-1] == ["notes", "–", explaining.LATE]
        assert entry["rows"][0][0] == "rule"  # its numbers are there all the same
