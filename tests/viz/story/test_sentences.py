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
    return [re.sub(r" \(line \d+\)", "", sentence) for sentence in sentences]


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
