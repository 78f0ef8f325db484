"""A module in both libraries, with the same parameters: what it computes, and its gradients."""

import numpy as np
import torch

import glassgrad as gg

__all__ = ["LIBRARIES", "assert_alike", "both", "drawn"]

LIBRARIES = (gg, torch)


def drawn(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


def both(make):
    """The module in both libraries, with the same parameters."""
    ours, theirs = make(gg).double(), make(torch).double()
    assert repr(ours) == repr(theirs)
    state = {name: gg.tensor(x.numpy()) for name, x in theirs.state_dict().items()}
    ours.load_state_dict(state)
    assert [x.shape for x in ours.parameters()] == [tuple(x.shape) for x in theirs.parameters()]
    return ours, theirs


def flat(result):
    return [x for part in result for x in flat(part)] if isinstance(result, tuple) else [result]


def assert_alike(make, call, *inputs):
    arrays = []
    for lib, module in zip(LIBRARIES, both(make), strict=True):
        leaves = [lib.tensor(x, requires_grad=True) for x in inputs]
        outputs = flat(call(lib, module, *leaves))
        outputs = [y for y in outputs if y is not None]
        sum((y * lib.tensor(drawn(*y.shape))).sum() for y in outputs if y.requires_grad).backward()
        grads = [x.grad for x in (*leaves, *module.parameters())]
        arrays.append([x.detach().numpy() for x in (*outputs, *grads)])
    for a, b in zip(*arrays, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-11)
