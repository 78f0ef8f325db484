"""Nonlinearities where PyTorch's answer is not the obvious one."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together


def test_relu_lets_the_gradient_of_nan_pass():
    x = np.array([np.nan, -1.0, 0.0, 2.0], np.float32)
    ours, theirs = gg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    ours.relu().sum().backward()
    theirs.relu().sum().backward()
    np.testing.assert_array_equal(ours.grad.numpy(), theirs.grad.numpy())


@together
@pytest.mark.parametrize("grad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", ["relu", "abs", "nan_to_num", "sinc", "max", "nansum"])
def test_what_is_not_finite_does_not_come_through_where_the_slope_is_zero(name, grad):
    x = np.array([-1.0, 0.0, 0.0, 2.0], np.float32)
    ours, theirs = gg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    for y in (getattr(ours, name)(), getattr(theirs, name)()):
        y.backward((y * 0 + grad).detach())
    np.testing.assert_array_equal(ours.grad.numpy(), theirs.grad.numpy())


@together
@pytest.mark.parametrize("name", ["gelu", "silu", "mish", "elu", "softplus", "hardswish"])
def test_an_activation_that_keeps_its_operand_alone_may_be_written_behind(name):
    gradients = []
    for lib in (gg, torch):
        x = lib.tensor([-1.5, 0.0, 0.5, 2.0], dtype=lib.float64, requires_grad=True)
        getattr(lib.nn.functional, name)(x).mul_(2).sum().backward()
        gradients.append(x.grad.tolist())
    np.testing.assert_allclose(*gradients, atol=1e-12)


def test_the_gradient_of_relu_has_a_gradient_which_is_zero(lib):
    x = lib.tensor([0.5, -1.5, 2.0], requires_grad=True)
    (first,) = lib.autograd.grad(x.relu().sum(), x, create_graph=True)
    assert first.grad_fn.name() == "ThresholdBackwardBackward0"
    (second,) = lib.autograd.grad(first.sum(), x)
    assert second.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_a_converted_0d_tensor_has_second_gradients(name):
    x = gg.tensor(2.0, requires_grad=True)
    (first,) = gg.autograd.grad(getattr(gg, name)(x, 0, dtype=gg.float64), x, create_graph=True)
    (second,) = gg.autograd.grad(first, x)
    assert second.item() == 0


def test_an_inplace_flag_does_what_the_twin_does():
    for call in (
        gg.nn.functional.leaky_relu_,
        lambda x: gg.nn.functional.leaky_relu(x, 0.01, True),
    ):
        x = gg.tensor([-1.0, 2.0], requires_grad=True)
        y = x * 1
        assert call(y) is y
        y.sum().backward()
        np.testing.assert_allclose(x.grad.tolist(), [0.01, 1.0], rtol=1e-6)
    assert "inplace: write the result" in gg.nn.functional.silu.__doc__


def test_the_gradient_of_steps_is_0_and_not_missing():
    for call in (
        lambda lib, x: lib.nn.functional.hardtanh(x),
        lambda lib, x: lib.nn.functional.softshrink(x),
        lambda lib, x: lib.nn.functional.leaky_relu(x, 2.0),
        lambda lib, x: lib.nn.functional.nll_loss(x.reshape(1, -1), lib.tensor([1])),
    ):
        for lib in (gg, torch):
            x = lib.tensor([0.3, 2.0], requires_grad=True)
            (first,) = lib.autograd.grad(call(lib, x).sum(), x, create_graph=True)
            assert first.requires_grad
            (second,) = lib.autograd.grad(first.sum(), x)
            assert second.tolist() == [0, 0]


def test_gelu_of_single_precision_is_as_exact_as_pytorchs():
    x = np.linspace(-12, 12, 10001, dtype=np.float32)
    exact = torch.nn.functional.gelu(torch.tensor(x).double()).numpy()
    off = np.abs(gg.nn.functional.gelu(gg.tensor(x)).numpy() - exact).max()
    theirs = np.abs(torch.nn.functional.gelu(torch.tensor(x)).numpy() - exact).max()
    assert off < 2 * theirs  # which depends on the processor
