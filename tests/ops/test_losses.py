"""Losses: what counts in a mean, and PyTorch's words for targets that do not fit."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentError, DimError, DTypeError, MissingRuleError, ShapeError
from glassgrad.nn.functional import cross_entropy, log_softmax, nll_loss

SCORES = [[2.0, 0.0, 1.0], [0.0, 1.0, 0.0]]


def test_cross_entropy_is_one_node():
    x = gg.tensor(SCORES, requires_grad=True)
    loss = cross_entropy(x, gg.tensor([0, 1]))
    assert loss.grad_fn.name() == "CrossEntropyBackward0"
    assert len(loss.grad_fn.next_functions) == 1


def test_cross_entropy_is_nll_loss_of_log_softmax():
    x, target = gg.tensor(SCORES, dtype=gg.float64), gg.tensor([2, 1])
    fused, apart = cross_entropy(x, target), nll_loss(log_softmax(x, 1), target)
    assert fused.item() == pytest.approx(apart.item(), abs=1e-15)


def test_gradient_of_each_row_sums_to_zero():
    x = gg.tensor(SCORES, dtype=gg.float64, requires_grad=True)
    cross_entropy(x, gg.tensor([0, 1])).backward()
    np.testing.assert_allclose(x.grad.numpy().sum(axis=1), 0, atol=1e-16)


def test_large_scores_do_not_overflow():
    x = gg.tensor([[1e4, 0.0], [0.0, 1e4]], requires_grad=True)
    loss = cross_entropy(x, gg.tensor([0, 0]))
    loss.backward()
    assert loss.item() == 5000.0
    assert x.grad.tolist() == [[0.0, 0.0], [-0.5, 0.5]]


def test_ignored_targets_do_not_count_in_the_mean():
    x = gg.tensor(SCORES, requires_grad=True)
    loss = cross_entropy(x, gg.tensor([0, -100]))
    assert loss.item() == pytest.approx(cross_entropy(x[:1], gg.tensor([0])).item())
    loss.backward()
    assert x.grad[1].tolist() == [0.0, 0.0, 0.0]


def test_if_all_targets_are_ignored_the_mean_is_nan_and_its_gradient_zero():
    x = gg.tensor(SCORES, requires_grad=True)
    loss = cross_entropy(x, gg.tensor([-100, -100]))
    assert np.isnan(loss.item())
    loss.backward()
    assert x.grad.tolist() == [[0.0] * 3] * 2


def test_changing_the_scores_in_place_changes_no_gradient_as_in_pytorch():
    leaf = gg.tensor(SCORES, requires_grad=True)
    (expected,) = gg.autograd.grad(cross_entropy(leaf, gg.tensor([0, 1])), leaf)
    x = leaf * 1
    loss = cross_entropy(x, gg.tensor([0, 1]))
    with gg.no_grad():
        x.add_(1)
    loss.backward()
    assert leaf.grad.tolist() == expected.tolist()


def test_changing_the_targets_in_place_is_noticed():
    x, target = gg.tensor(SCORES, requires_grad=True), gg.tensor([0, 1])
    loss = cross_entropy(x, target)
    target.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_probabilities_have_a_gradient_too():
    target = gg.tensor([[0.5, 0.5, 0.0]], requires_grad=True)
    cross_entropy(gg.zeros(1, 3), target).backward()
    np.testing.assert_allclose(target.grad.numpy(), np.log(3), rtol=1e-6)


@together
@pytest.mark.parametrize(
    ("shape", "target", "error", "words"),
    [
        ((2, 3), [0, 3], DimError, "Target 3 is out of bounds"),
        ((2, 3), [0, -1], DimError, "Target -1 is out of bounds"),
        ((2, 3), [0, 1, 1], ArgumentError, r"batch_size \(2\) to match target batch_size \(3\)"),
        ((2, 3), [[0], [1]], ShapeError, "0D or 1D target tensor expected, multi-target not"),
        ((3,), [0, 1], ArgumentError, "1D target must have size 1, but got target size: 2"),
        ((2, 3, 4), [[0], [1]], ShapeError, r"Expected target size \[2, 4\], got \[2, 1\]"),
        ((2, 3), [0.0, 1.0], DTypeError, "dtype to be Long or Byte, but got Float"),
    ],
)
def test_targets_that_do_not_fit_are_named(shape, target, error, words):
    with pytest.raises(error, match=words):
        cross_entropy(gg.zeros(shape), gg.tensor(target))


def test_arguments_that_are_swapped_are_told_so():
    with pytest.raises(RuntimeError, match=r"for 'Long'. The scores come first, the target second"):
        gg.nn.functional.cross_entropy(gg.tensor([0, 1]), gg.ones(2, 3))


def test_weights_are_one_per_class_and_constant():
    x, target = gg.zeros(2, 3), gg.tensor([0, 1])
    with pytest.raises(ShapeError, match="defined either for all 3 classes or no classes"):
        cross_entropy(x, target, gg.ones(2))
    with pytest.raises(MissingRuleError, match="derivative for 'weight' is not implemented"):
        cross_entropy(x, target, gg.ones(3, requires_grad=True))


def test_reduction_must_be_one():
    with pytest.raises(ArgumentError, match="median is not a valid value for reduction"):
        cross_entropy(gg.zeros(1, 2), gg.tensor([0]), reduction="median")


SPELLINGS = {
    "padded": ([[1, 2, 2], [2, 0, 0]], [6, 4], [3, 1], {}),
    "in one row": ([1, 2, 2, 2], [6, 6], [3, 1], {"reduction": "none"}),
    "another blank": ([[1, 0, 1], [0, 1, 0]], [6, 5], [3, 2], {"blank": 3, "reduction": "sum"}),
    "too long": ([[1, 1, 1], [1, 2, 0]], [4, 6], [3, 2], {"reduction": "none"}),
    "too long, left out": ([[1, 1, 1], [1, 2, 0]], [4, 6], [3, 2], {"zero_infinity": True}),
    "nothing to spell": ([[1, 1, 1], [1, 2, 0]], [6, 6], [0, 2], {}),
    "nothing at all": ([[1, 1, 1], [1, 2, 0]], [0, 6], [0, 2], {"reduction": "none"}),
}


@together
@pytest.mark.parametrize("case", SPELLINGS)
def test_the_loss_of_spelling_is_pytorchs(case):
    targets, lasts, sizes, options = SPELLINGS[case]
    scores = np.random.default_rng(0).normal(size=(6, 2, 4))
    found = []
    for lib in (gg, torch):
        x = lib.tensor(scores, requires_grad=True)
        log_probs = lib.nn.functional.log_softmax(x, -1)
        log_probs.retain_grad()
        given = [lib.tensor(numbers) for numbers in (targets, lasts, sizes)]
        loss = lib.nn.CTCLoss(**options)(log_probs, *given)
        loss.sum().backward()
        found.append([t.detach().numpy() for t in (loss, log_probs.grad, x.grad) if t is not None])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_the_loss_of_one_spelling():
    scores = np.random.default_rng(0).normal(size=(5, 3))
    losses = [
        lib.nn.functional.ctc_loss(
            lib.tensor(scores).log_softmax(-1),
            lib.tensor([1, 2]),
            lib.tensor(5),
            lib.tensor(2),
            reduction=reduction,
        ).item()
        for lib in (gg, torch)
        for reduction in ("none", "mean", "sum")
    ]
    assert losses[:3] == pytest.approx(losses[3:], rel=1e-12)


@together
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"input_lengths": [7, 4]}, "Expected input_lengths to have value at most 6"),
        ({"input_lengths": [-1, 4]}, "Expected input_lengths to have value at least 0"),
        ({"input_lengths": [6]}, "input_lengths must be of size batch_size"),
        ({"target_lengths": [2]}, "target_lengths must be of size batch_size"),
        ({"target_lengths": [3, 1]}, "to have size at least 3 at dimension 1, but got size 2"),
        ({"targets": [1]}, "to have size 3 at dimension 0, but got size 1"),
        ({"targets": [[[1]]]}, "Expected 1 to 2 dimensions, but got 3-dimensional"),
        ({"blank": 4}, "blank must be in label range"),
        ({"reduction": "median"}, "median is not a valid value for reduction"),
    ],
)
def test_spellings_that_do_not_fit_are_refused(change, words):
    usual = {"targets": [[1, 2], [2, 0]], "input_lengths": [6, 4], "target_lengths": [2, 1]}
    given = {**usual, **change}
    for lib in (gg, torch):
        arguments = {k: lib.tensor(v) if isinstance(v, list) else v for k, v in given.items()}
        with pytest.raises((RuntimeError, ValueError), match=words):
            lib.nn.functional.ctc_loss(lib.zeros(6, 2, 4), **arguments)


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_target_of_the_soft_margin_has_no_gradient(lib):
    target = lib.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="not differentiable with respect to argument 'target'"):
        lib.nn.functional.soft_margin_loss(lib.zeros(2), target)


@pytest.mark.parametrize("lib", [gg, torch])
def test_one_number_has_no_classes(lib):
    with pytest.raises(IndexError, match="Dimension out of range"):
        lib.nn.functional.cross_entropy(lib.tensor(1.0), lib.tensor([0, 1]))
