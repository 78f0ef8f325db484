"""Losses: what counts in a mean, and PyTorch's words for targets that do not fit."""

import numpy as np
import pytest

import glassgrad as gg
from glassgrad.core.errors import ArgumentError, DimError, DTypeError, ShapeError
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


def test_weights_are_one_per_class_and_constant():
    x, target = gg.zeros(2, 3), gg.tensor([0, 1])
    with pytest.raises(ShapeError, match="defined either for all 3 classes or no classes"):
        cross_entropy(x, target, gg.ones(2))
    with pytest.raises(ArgumentError, match="derivative for 'weight' is not implemented"):
        cross_entropy(x, target, gg.ones(3, requires_grad=True))


def test_reduction_must_be_one():
    with pytest.raises(ArgumentError, match="median is not a valid value for reduction"):
        cross_entropy(gg.zeros(1, 2), gg.tensor([0]), reduction="median")
