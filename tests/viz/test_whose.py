"""Whose values nodes have saved: a variable's, or that of a short expression."""

import torch

import glassgrad as gg
import glassgrad.tracing.torch as watch
from glassgrad.viz.explaining.entries import explanations, record_explained
from glassgrad.viz.whose import Whose


def leaf(*values):
    return gg.tensor(values, requires_grad=True)


def whose(trace):
    """What is called how: (op, PyTorch's word, whose value)."""
    known = Whose(trace)
    return [
        (node["op"].partition("Backward")[0], saved["name"], known.saved(node, saved))
        for node in trace.nodes
        for saved in node.get("saved", ())
    ]


def test_a_variable_or_a_short_expression_of_variables():
    w, x = leaf(1.0, 2.0), gg.tensor([3.0, 4.0])
    loss = (gg.tanh(w * x) * w).sum()
    assert whose(gg.snapshot(loss)) == [
        ("Mul", "other", "x"),
        ("Tanh", "result", "tanh(w*x)"),
        ("Mul", "self", "tanh(w*x)"),
        ("Mul", "other", "w"),
    ]
    h = w * x
    y = h.tanh()
    del x
    assert whose(gg.snapshot((y * h).sum()))[1:] == [
        ("Tanh", "result", "y"),
        ("Mul", "self", "y"),
        ("Mul", "other", "h"),
    ]


def test_what_is_not_known_is_not_made_up():
    w = leaf(1.0, 2.0)
    sums = gg.add(w, w, alpha=2).exp() * (w + 1).sigmoid()
    unnamed = (leaf(1.0) * leaf(2.0)).exp() * 3
    assert {name for *_, name in whose(gg.snapshot(sums))} == {""}
    assert {name for *_, name in whose(gg.snapshot(unnamed))} == {""}
    long = w.tanh().tanh().tanh().tanh()
    names = [name for *_, name in whose(gg.snapshot(long.sum()))]
    assert names == ["tanh(w)", "tanh(tanh(w))", "", "long"]


def test_a_view_is_not_called_as_its_base():
    w, b = leaf(1.0), gg.tensor([[1.0, 2.0], [3.0, 4.0]])
    names = whose(gg.snapshot((w * b + w * b.T).sum()))
    assert ("Mul", "other", "b") in names
    assert ("Mul", "other", "") in names


def test_a_chain_of_any_length_takes_no_recursion():
    x = leaf(1.0)
    for _ in range(3_000):
        x = x.tanh()
    assert len(whose(gg.snapshot(x))) == 3_000


def test_of_pytorch_too():
    w, x = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    h = torch.tanh(w * x)
    names = whose(watch.record((h * w).sum()))
    assert ("Mul", "other", "x") in names
    assert ("Mul", "other", "w") in names


def test_each_letter_of_a_formula_is_tied_to_a_value():
    w, x = leaf(1.0, -2.0), gg.tensor([2.0, 0.5])
    trace, found, _ = record_explained(gg.tanh(w * x).sum())
    assert found["n1"]["letters"] == [
        ["x", "is w = [1, -2]"],
        ["y", "is x = [2, 0.5], saved as other"],
        ["z", "is w*x"],
        ["z̄", "is the gradient that arrived = [0.0706508, 0.419974]"],
    ]
    assert found["n2"]["letters"][:2] == [
        ["x", "is w*x"],
        ["y", "is tanh(w*x) = [0.964028, -0.761594], saved as result"],
    ]
    assert explanations(trace)["n1"]["letters"] == found["n1"]["letters"]
    waits = explanations(gg.snapshot((w * x).sum()))["n1"]["letters"]
    assert [letter for letter, _ in waits] == ["x", "y", "z"]
    told = str(gg.explain(w * x))
    assert "x (other)" in told
    assert "→ AccumulateGrad of w (2,)" in told
    assert "x̄ is the gradient of the loss with respect to x" in told
