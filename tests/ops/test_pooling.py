"""Pooling at ties, at nan, and where a window is all that there is."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from glassgrad.nn import functional as F

WINDOWS = [(2,), (3, 2, 1, 1, True), (2, 2, 1, 2, True), (3, 1, 1)]


def awkward(*shape):
    """Ties, nan and infinities."""
    random = np.random.default_rng(0)
    x = random.integers(0, 3, shape).astype(float)
    x[random.random(shape) < 0.1] = np.nan
    x[random.random(shape) < 0.2] = -np.inf
    return x


def played(lib, name, x, *args):
    x = lib.tensor(x, requires_grad=True)
    y, places = getattr(lib.nn.functional, name)(x, *args, return_indices=True)
    y.backward(lib.ones_like(y))
    return y.detach().numpy(), places.numpy(), x.grad.numpy()


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("args", WINDOWS)
def test_of_ties_and_nans_pytorchs_is_taken(rank, args):
    x = awkward(2, 3, *(7, 6, 5)[:rank])
    ours, theirs = [played(lib, f"max_pool{rank}d", x, *args) for lib in (gg, torch)]
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("size", [1, 2, 3, 9])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_adaptive_windows_are_pytorchs(rank, size):
    x = awkward(2, 3, *(7, 6, 5)[:rank])
    ours, theirs = [played(lib, f"adaptive_max_pool{rank}d", x, size) for lib in (gg, torch)]
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_infinite_gradient_goes_to_the_largest_alone():
    x = gg.tensor([[[1.0, 2.0]]], requires_grad=True)
    F.max_pool2d(x, (1, 2)).backward(gg.tensor([[[float("inf")]]]))
    assert x.grad.tolist() == [[[0.0, float("inf")]]]


def test_the_mean_of_a_window_with_infinity_is_infinite():
    x = gg.tensor([[1.0, float("inf"), 2.0, 3.0, 4.0]])
    theirs = torch.nn.functional.adaptive_avg_pool1d(torch.tensor(x.numpy()), 3)
    assert F.adaptive_avg_pool1d(x, 3).tolist() == theirs.tolist()


def test_p_norms_are_pytorchs():
    x = np.random.default_rng(0).uniform(size=(2, 4, 4))
    ours, theirs = gg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    F.lp_pool2d(ours, 3.0, 2).sum().backward()
    torch.nn.functional.lp_pool2d(theirs, 3.0, 2).sum().backward()
    np.testing.assert_allclose(ours.grad.numpy(), theirs.grad.numpy(), rtol=1e-10)


@pytest.mark.parametrize("layer", ["MaxPool2d(2)", "AdaptiveMaxPool2d(2)", "MaxPool1d(2)"])
def test_a_relu_in_place_may_follow_a_maximum(layer):
    found = []
    for lib in (gg, torch):
        x = lib.arange(-32.0, 32.0).reshape(1, 8, 8).requires_grad_()
        lib.nn.functional.relu_(eval(f"lib.nn.{layer}", {"lib": lib})(x)).sum().backward()
        found.append(x.grad.tolist())
    assert found[0] == found[1]
