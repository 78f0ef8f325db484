"""Lazy modules take their size from the first input, as PyTorch's do; and PyTorch's paths."""

import importlib

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import LIBRARIES
from checks import together
from glassgrad import nn
from nn.beside import drawn

MAKERS = [
    (lambda nn: nn.LazyLinear(4), (5, 3)),
    (lambda nn: nn.LazyLinear(4, bias=False), (3,)),
    (lambda nn: nn.LazyConv1d(4, 2), (2, 3, 5)),
    (lambda nn: nn.LazyConv2d(6, 3, padding=1, groups=3), (2, 3, 4, 4)),
    (lambda nn: nn.LazyConv2d(4, (1, 2)), (3, 4, 4)),
    (lambda nn: nn.LazyConvTranspose2d(4, 2, stride=2, output_padding=1), (2, 3, 4, 4)),
    (lambda nn: nn.LazyBatchNorm1d(), (4, 3)),
    (lambda nn: nn.LazyBatchNorm2d(affine=False), (2, 3, 4, 4)),
    (lambda nn: nn.LazyInstanceNorm1d(), (2, 3, 4)),
    (lambda nn: nn.LazyInstanceNorm2d(track_running_stats=False), (2, 3, 4, 4)),
    (lambda nn: nn.LazyInstanceNorm3d(), (2, 3, 2, 2, 2)),
]


@together
@pytest.mark.parametrize(("make", "shape"), MAKERS)
def test_the_first_input_says_the_size(make, shape):
    ours, theirs = make(nn).double(), make(torch.nn).double()
    assert repr(ours) == repr(theirs)
    x = drawn(*shape)
    theirs(torch.tensor(x))
    held = list(ours.parameters())
    ours(gg.tensor(x))
    assert all(a is b for a, b in zip(ours.parameters(), held, strict=True))
    assert repr(ours) == repr(theirs)
    assert type(ours).__name__ == type(theirs).__name__
    state = {name: gg.tensor(value.numpy()) for name, value in theirs.state_dict().items()}
    ours.load_state_dict(state)
    found = ours.eval()(gg.tensor(x)).detach().numpy()
    np.testing.assert_allclose(found, theirs.eval()(torch.tensor(x)).detach().numpy(), rtol=1e-10)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_lazy_module_has_no_shapes_and_can_load_some(lib):
    made = lib.nn.LazyLinear(2)
    assert made.has_uninitialized_params()
    assert isinstance(made.weight, lib.nn.UninitializedParameter)
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        made.weight.shape  # noqa: B018
    state = lib.nn.Linear(3, 2).state_dict()
    assert isinstance(made.state_dict()["weight"], lib.nn.UninitializedParameter)
    made.load_state_dict(state)
    assert made.weight.shape == (2, 3)
    assert made(lib.ones(3)).shape == (2,)
    assert type(made) is lib.nn.Linear


@together
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("conv", "Conv2d"),
        ("batchnorm", "_BatchNorm"),
        ("conv", "_ConvNd"),
        ("rnn", "LSTM"),
        ("module", "register_module_forward_hook"),
        ("module", "Module"),
        ("container", "ModuleList"),
        ("utils", "_pair"),
        ("lazy", "LazyModuleMixin"),
        ("linear", "Linear"),
    ],
)
def test_pytorchs_paths_lead_here(path, name):
    file = importlib.import_module(f"glassgrad.nn.modules.{path}")
    assert callable(getattr(file, name))
    assert hasattr(importlib.import_module(f"torch.nn.modules.{path}"), name)


def test_a_path_has_what_nn_has():
    modules = importlib.import_module("glassgrad.nn.modules")
    assert modules.conv.Conv2d is nn.Conv2d is modules.Conv2d
    assert isinstance(nn.BatchNorm1d(2), modules.batchnorm._BatchNorm)
    assert modules.utils._pair(3) == (3, 3)
    assert modules.utils._ntuple(3)((1, 2, 3)) == (1, 2, 3)
    with pytest.raises(AttributeError, match="has no attribute 'Conv7d'"):
        modules.conv.Conv7d  # noqa: B018
