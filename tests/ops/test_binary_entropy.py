"""Binary cross-entropy: weights, extremes and words are PyTorch's."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import leaf
from checks import together
from glassgrad.core.errors import ArgumentError, DTypeError, GraphError, ShapeError

SCORES = [[0.3, -1.2, 2.0], [1000.0, -1000.0, 0.0]]
ODDS = [[0.3, 0.9, 0.5], [0.1, 0.0, 1.0]]
SEEN = [[0.0, 1.0, 0.25], [1.0, 1.0, 0.0]]
WEIGHTS = [0.5, 2.0, 1.0]


def gradients(lib, name, x, **weights):
    """The loss and both gradients."""
    inputs = [leaf(lib, x), leaf(lib, SEEN)]
    given = {
        key: lib.tensor(value, dtype=lib.float64) if isinstance(value, list) else value
        for key, value in weights.items()
    }
    loss = getattr(lib.nn.functional, name)(*inputs, **given)
    grads = lib.autograd.grad(loss.sum(), inputs)
    return [part.numpy(force=True) for part in (loss, *grads)]


@together
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weight", [None, WEIGHTS])
@pytest.mark.parametrize("pos_weight", [None, WEIGHTS])
def test_loss_of_scores_is_torchs(reduction, weight, pos_weight):
    name = "binary_cross_entropy_with_logits"
    given = {"weight": weight, "pos_weight": pos_weight, "reduction": reduction}
    ours, theirs = gradients(gg, name, SCORES, **given), gradients(torch, name, SCORES, **given)
    for got, want in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)


@together
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weight", [None, WEIGHTS])
def test_loss_of_probabilities_is_torchs_also_at_0_and_1(reduction, weight):
    name = "binary_cross_entropy"
    given = {"weight": weight, "reduction": reduction}
    ours, theirs = gradients(gg, name, ODDS, **given), gradients(torch, name, ODDS, **given)
    for got, want in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-14)


def test_both_losses_are_one():
    x, t = gg.tensor([0.3, -1.2]), gg.tensor([1.0, 0.25])
    of_scores = gg.nn.functional.binary_cross_entropy_with_logits(x, t)
    of_odds = gg.nn.functional.binary_cross_entropy(gg.sigmoid(x), t)
    assert of_scores.item() == pytest.approx(of_odds.item(), rel=1e-6)


def test_loss_of_each_example_of_a_batch_has_its_own_weights():
    rng = np.random.default_rng(0)
    x, t, w, p = [rng.uniform(0.1, 0.9, (4, 3)) for _ in range(4)]

    def loss(x, t, w, p):
        return gg.nn.functional.binary_cross_entropy_with_logits(x, t, w, pos_weight=p)

    got = gg.func.vmap(gg.func.grad(loss))(*[gg.tensor(array) for array in (x, t, w, p)])
    for k in range(4):
        each = [torch.tensor(array[k]) for array in (t, w, p)]
        leaf_k = torch.tensor(x[k], requires_grad=True)
        function = torch.nn.functional.binary_cross_entropy_with_logits
        function(leaf_k, each[0], each[1], pos_weight=each[2]).backward()
        np.testing.assert_allclose(got[k].numpy(), leaf_k.grad.numpy(), rtol=1e-12)


def test_what_is_no_probability_is_refused():
    loss = gg.nn.functional.binary_cross_entropy
    x = gg.tensor([0.5, 1.5])
    with pytest.raises(ArgumentError, match="all elements of input should be between 0 and 1"):
        loss(x, gg.ones(2))
    with pytest.raises(ArgumentError, match="all elements of target should be between 0 and 1"):
        loss(gg.ones(2), x)


@pytest.mark.parametrize("name", ["binary_cross_entropy", "binary_cross_entropy_with_logits"])
def test_what_does_not_fit_is_refused_in_torchs_words(name):
    loss, x = getattr(gg.nn.functional, name), gg.ones(2, 3)
    with pytest.raises(ArgumentError, match="size"):
        loss(x, gg.ones(3))
    with pytest.raises(ShapeError, match="expanded size"):
        loss(x, x, gg.ones(2))
    with pytest.raises(DTypeError, match=r"not implemented|Found dtype"):
        loss(x.long(), x.long())
    with pytest.raises(ArgumentError, match="not a valid value for reduction"):
        loss(x, x, reduction="most")
    with pytest.raises(GraphError, match="not differentiable with respect to argument 'weight'"):
        loss(x, x, gg.ones(3, requires_grad=True))


def test_threshold_writes_in_place_if_asked():
    x = gg.tensor([0.2, 0.5, 0.7])
    assert gg.nn.functional.threshold(x, 0.5, -1.0, inplace=True) is x
    np.testing.assert_allclose(x.numpy(), [-1.0, -1.0, 0.7], rtol=1e-6)


def test_threshold_of_integers_takes_whole_numbers():
    for lib in (gg, torch):
        x = lib.tensor([-2, -1, 1, 2])
        assert lib.nn.functional.threshold(x, 1.5, 7.9).tolist() == [7, 7, 7, 2]
        assert lib.nn.functional.threshold(x, -1.5, 7).tolist() == [7, 7, 1, 2]


def test_threshold_lets_nan_pass():
    for lib in (gg, torch):
        x = lib.tensor([float("nan"), 0.0], requires_grad=True)
        lib.nn.functional.threshold(x, 0.5, 0.0).sum().backward()
        assert x.grad.tolist() == [1.0, 0.0]


def test_small_probabilities_keep_their_digits():
    found = []
    for lib in (gg, torch):
        x = lib.tensor([1e-9, 1e-5, 3e-4])
        loss = lib.nn.functional.binary_cross_entropy(x, lib.zeros(3), reduction="none")
        found.append(loss.numpy())
    np.testing.assert_allclose(*found, rtol=1e-6)
