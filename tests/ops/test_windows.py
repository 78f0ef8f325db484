"""Convolutions beyond what the rows say; pools at ties, at nan, and with windows of any size."""

import warnings

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.func import grad, jacfwd, jacrev, vmap
from glassgrad.nn import functional as F
from glassgrad.ops import windows


def normal(*shape):
    return np.random.default_rng(0).normal(size=shape)


def test_same_padding_of_an_even_kernel_puts_the_odd_element_behind():
    x, w = normal(1, 1, 5, 4), normal(1, 1, 2, 4)
    ours = F.conv2d(gg.tensor(x), gg.tensor(w), padding="same")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = torch.nn.functional.conv2d(torch.tensor(x), torch.tensor(w), padding="same")
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-12)


def test_many_examples_take_turns(monkeypatch):
    x, w = gg.tensor(normal(5, 2, 6, 6), requires_grad=True), gg.tensor(normal(3, 2, 3, 3))
    w.requires_grad_()

    def gradients():
        y = F.conv2d(x, w)
        return [y.detach(), *gg.autograd.grad((y * y).sum(), (x, w))]

    whole = gradients()
    monkeypatch.setattr(windows, "_ENTRIES", 1)
    for a, b in zip(gradients(), whole, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12)


def test_a_transpose_is_the_gradient_of_a_convolution():
    x, w, y = gg.tensor(normal(1, 2, 5, 5)), gg.tensor(normal(3, 2, 3, 3)), normal(1, 3, 2, 2)
    x.requires_grad_()
    (bar,) = gg.autograd.grad(F.conv2d(x, w, stride=2), x, gg.tensor(y))
    back = F.conv_transpose2d(gg.tensor(y), w, stride=2)
    np.testing.assert_allclose(bar.numpy(), back.numpy(), rtol=1e-12)


def test_output_padding_may_be_larger_than_the_stride_if_the_kernel_is_dilated():
    x, w = normal(1, 1, 2, 2), normal(1, 1, 2, 2)
    results = []
    for lib in (gg, torch):
        a, b = lib.tensor(x, requires_grad=True), lib.tensor(w, requires_grad=True)
        y = lib.nn.functional.conv_transpose2d(a, b, stride=1, output_padding=2, dilation=3)
        (y * y).sum().backward()
        results.append([each.detach().numpy() for each in (y, a.grad, b.grad)])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_gradients_per_example_are_those_of_one_example_at_a_time():
    x, w = gg.tensor(normal(4, 2, 5, 5)), gg.tensor(normal(3, 2, 3, 3))

    def loss(w, x):
        return F.conv2d(x, w).tanh().sum()

    each = vmap(grad(loss), (None, 0))(w, x)
    for k in range(4):
        np.testing.assert_allclose(each[k].numpy(), grad(loss)(w, x[k]).numpy(), rtol=1e-12)


def test_forward_and_reverse_jacobians_agree():
    w = gg.tensor(normal(1, 1, 2, 2))

    def f(x):
        return F.max_pool2d(F.conv2d(x, w, gg.ones(1, dtype=gg.float64), padding=1), 2).sin()

    x = gg.tensor(normal(1, 1, 3, 3))
    np.testing.assert_allclose(jacfwd(f)(x).numpy(), jacrev(f)(x).numpy(), rtol=1e-10, atol=1e-12)


def test_complex_numbers_convolve_with_pytorchs_gradients():
    x, w = normal(1, 2, 4) + 1j * normal(1, 2, 4)[::-1], normal(3, 2, 2) + 2j
    results = []
    for lib in (gg, torch):
        a, b = lib.tensor(x, requires_grad=True), lib.tensor(w, requires_grad=True)
        y = lib.nn.functional.conv1d(a, b)
        y.abs().sum().backward()
        results.append([each.detach().numpy() for each in (y, a.grad, b.grad)])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)


@together
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_the_functions_are_those_of_glassgrad_too(rank):
    for name in (f"conv{rank}d", f"conv_transpose{rank}d", f"max_pool{rank}d"):
        assert getattr(gg, name) is getattr(F, name)


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


@together
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("args", WINDOWS)
def test_of_ties_and_nans_pytorchs_is_taken(rank, args):
    x = awkward(2, 3, *(7, 6, 5)[:rank])
    ours, theirs = [played(lib, f"max_pool{rank}d", x, *args) for lib in (gg, torch)]
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


@together
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


@together
@pytest.mark.parametrize("layer", ["MaxPool2d(2)", "AdaptiveMaxPool2d(2)", "MaxPool1d(2)"])
def test_a_relu_in_place_may_follow_a_maximum(layer):
    found = []
    for lib in (gg, torch):
        x = lib.arange(-32.0, 32.0).reshape(1, 8, 8).requires_grad_()
        lib.nn.functional.relu_(eval(f"lib.nn.{layer}", {"lib": lib})(x)).sum().backward()
        found.append(x.grad.tolist())
    assert found[0] == found[1]
