"""What a node did is told in a sentence whose arithmetic comes out by hand."""

import re

import numpy as np
import pytest
import torch

import glassgrad as gg
from glassgrad.tracing.torch import record as record_torch
from glassgrad.viz.story import Story


def told(y, **options):
    sentences = Story(gg.record(y, **options)).sentences().values()
    return [re.sub(r" \(line \d+\)|(?<=of line) \d+", "", sentence) for sentence in sentences]


def test_a_neuron_is_told_node_by_node():
    x = gg.tensor([1.0, -2.0], requires_grad=True)
    b = gg.tensor(0.1, requires_grad=True)
    assert told(gg.tanh((x * 0.5).sum() + b)) == [
        "tanh got 1, times 1 − (-0.3799)² = 0.856, sends 0.856 to add.",
        "add got 0.856, passes it on to sum and to b.",
        "b got 0.856: b.grad was empty, now 0.856.",
        "sum got 0.856, gives that to each element, sends [0.856, 0.856] to mul.",
        "mul got [0.856, 0.856], times 0.5, sends [0.428, 0.428] to x.",
        "x got [0.428, 0.428]: x.grad was empty, now [0.428, 0.428].",
    ]


def test_sums_of_gradients_are_written_out():
    w = gg.tensor(0.5, requires_grad=True)
    w.grad = gg.tensor(2.0)
    assert told(w * w)[-1] == "w got 0.5 + 0.5 = 1: w.grad was 2, now 2 + 1 = 3."


def test_large_arrays_are_told_by_shape_and_norm():
    w = gg.ones(4, 3, requires_grad=True)
    _, product, leaf = told((gg.ones(5, 4) @ w).sum())
    assert product.startswith("mm got a gradient (5, 3) (‖·‖ = 3.87), multiplies it by ")
    assert (
        leaf == "w got a gradient (4, 3) (‖·‖ = 17.3): w.grad was empty, now (4, 3) (‖·‖ = 17.3)."
    )


def test_hooks_are_in_the_sentence():
    x = gg.tensor(2.0, requires_grad=True)
    y = x.exp()
    y.register_hook(lambda grad: grad * 3)
    assert "a hook of yours changed it to 3" in told(y)[0]


def test_a_pass_of_pytorch_is_told_as_far_as_its_log_goes():
    w = torch.tensor([0.5, 2.0], requires_grad=True)
    sentences = list(Story(record_torch((w * w).sum())).sentences().values())
    assert sentences[0].startswith("sum")
    assert "w.grad was empty, now [1, 4]." in sentences[-1]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_multiplied_and_added_comes_out_by_hand(seed):
    random = np.random.default_rng(seed)
    x, w, b = (gg.tensor(random.normal(), requires_grad=True) for _ in range(3))
    checked = 0
    for sentence in told((gg.tanh(x * w + b) * w + b * b).sigmoid()):
        for way, shown in re.findall(
            r"((?:[\d.()e-]+[·+ ]+)+[\d.()e-]+) = (-?[\d.]+(?:e-?\d+)?)", sentence
        ):
            value = eval(way.replace("·", "*"))  # our own text
            assert f"{value:.3g}" == f"{float(shown):.3g}", sentence
            checked += 1
    assert checked


def test_what_is_no_arithmetic_is_told_in_words():
    a = gg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = gg.tensor(0.5, requires_grad=True)
    h = a + b
    h.retain_grad()
    first, rest = h.split([1, 2])
    assert told(first.sum() + rest[0])[1:5] == [
        (
            "select got 1, puts it where it came from, with 0 elsewhere, sends [1, 0] to "
            "split_with_sizes, output 2."
        ),
        "sum got 1, gives that to each element, sends [1] to split_with_sizes, output 1.",
        (
            "split_with_sizes got [1] for output 1 and [1, 0] for output 2, uses x̄ = cat(ȳ, z̄, …), "
            "sends [1, 1, 0] to add of line."
        ),
        "add #5 got [1, 1, 0], keeps it as h.grad, passes it on to a and to b as its sum 2.",
    ]


def test_nodes_of_one_op_are_told_apart_by_what_a_page_shows():
    """A badge has the turn of a node; in a pass that waits, that of a node to come is not known."""
    a, b = (gg.tensor([1.0, 2.0], requires_grad=True), gg.tensor(0.5, requires_grad=True))
    h = a * b
    first, second, *_ = told(((h * a) * b).sum())[1:]
    assert first.startswith("mul #2 got [1, 1], sends [1, 1]·0.5 = [0.5, 0.5] to mul and ")
    assert second.startswith("mul #3 got [0.5, 0.5], ")
    assert " to mul of line and " in second


def test_what_was_broadcast_is_summed_where_other_gradients_had_come():
    a, b = (gg.tensor([1.0, 2.0], requires_grad=True), gg.tensor(0.5, requires_grad=True))
    told_of = told((a * b + b).sum())
    assert told_of[1].endswith("passes it on to mul and to b as its sum 2.")
    assert "[1, 1]·[1, 2] = [1, 2], summed to 3, to b" in told_of[2]


def test_writes_and_functions_of_ones_own_are_told():
    class Cube(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x**3

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y[:1].mul_(3.0)
    trace = gg.record(Cube.apply(y).sum())
    cube, written = list(Story(trace).sentences().values())[1:3]
    assert "Cube (line " in cube
    assert "got [1, 1], runs its own backward, sends [3, 3]" in cube
    assert re.match(
        r"copy_slices \(line \d+\) got \[3, 3\], applies the rule of the write", written
    )


def test_letters_are_told_by_the_names_of_what_they_stand_for():
    X, W, v = gg.ones(6, 5), gg.ones(5, 4, requires_grad=True), gg.ones(4, requires_grad=True)
    _, product, *_ = told(((X @ W).relu() @ v).sum())
    assert "multiplies it by vᵀ (4,) and by relu(X@W)ᵀ (4, 6)" in product
    (loss, *_) = told(gg.nn.functional.cross_entropy(X @ W, gg.tensor([0, 1, 2, 3, 0, 1])))
    assert "takes softmax − one-hot of the target, times 1/n in a mean of n rows: x̄ᵢⱼ" in loss
    assert (
        "t is what it saved as target, w is 1, as no weight was given, "
        "x is X@W, kept as log p and pᵢⱼ = exp xᵢⱼ/Σₖ exp xᵢₖ, sends (6, 4)"
    ) in loss
    (_, softmax, *_) = told(W.softmax(0).sum())
    assert "uses x̄ᵢ = yᵢ·(ȳᵢ − Σⱼ yⱼ·ȳⱼ), where y is what it gave, sends" in softmax
    (_, variance, *_) = told(gg.ones(9, requires_grad=True).var() * 2)
    assert "c is its correction and μ = (Σᵢ xᵢ)/n, sends (9,)" in variance
    (_, product, *_) = told((W * gg.ones(5, 1)).sum())
    assert "multiplies it by what it saved as other (5, 1), sends (5, 4)" in product
    A = gg.ones(3, 3, requires_grad=True)
    (_, _, solved, *_) = told(gg.linalg.solve(A + gg.eye(3), W[:3, 0] * 2).sum())
    assert "multiplies it by inv(A)ᵀ and uses Ā = −inv(A)ᵀ·Ȳ·Yᵀ, where A is the re" in solved


def test_a_running_sum_is_told_from_a_whole_one():
    x = gg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (_, running, *_) = told(x.cumsum(0).sum())
    assert "uses x̄ⱼ = Σ_{i ≥ j} ȳᵢ, sends [3, 2, 1] to x" in running


def test_complex_numbers_are_short_and_conjugated():
    z = gg.tensor([1 + 2j, -0.5j], requires_grad=True)
    sentences = told(gg.abs(gg.exp(z)).sum())
    assert (
        "multiplies it by the conjugate of what it gave (2,), sends [2.72, 1] to z." in sentences[2]
    )
