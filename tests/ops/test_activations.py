"""Nonlinearities where PyTorch's answer is not the obvious one."""

import numpy as np
import torch

import glassgrad as gg


def test_relu_lets_the_gradient_of_nan_pass():
    x = np.array([np.nan, -1.0, 0.0, 2.0], np.float32)
    ours, theirs = gg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    ours.relu().sum().backward()
    theirs.relu().sum().backward()
    np.testing.assert_array_equal(ours.grad.numpy(), theirs.grad.numpy())


def test_the_gradient_of_relu_has_a_gradient_which_is_zero(lib):
    x = lib.tensor([0.5, -1.5, 2.0], requires_grad=True)
    (first,) = lib.autograd.grad(x.relu().sum(), x, create_graph=True)
    assert first.grad_fn.name() == "ThresholdBackwardBackward0"
    (second,) = lib.autograd.grad(first.sum(), x)
    assert second.tolist() == [0.0, 0.0, 0.0]
