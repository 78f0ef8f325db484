"""Initialisers fill in place, within PyTorch's bounds."""

import math

import pytest
import torch

import glassgrad as gg
from glassgrad import nn
from glassgrad.core.errors import ArgumentError, ShapeError


def test_each_returns_its_tensor_and_is_not_recorded():
    weight = nn.Parameter(gg.zeros(3, 4))
    for fill in (nn.init.zeros_, nn.init.ones_, nn.init.uniform_, nn.init.normal_):
        assert fill(weight) is weight
    for fill in (nn.init.xavier_uniform_, nn.init.kaiming_uniform_):
        assert fill(weight) is weight
    assert weight.is_leaf
    assert weight.requires_grad


def test_constants():
    assert nn.init.constant_(gg.zeros(2), 3.0).tolist() == [3.0, 3.0]
    assert nn.init.ones_(gg.zeros(2)).tolist() == [1.0, 1.0]
    assert nn.init.zeros_(gg.ones(2)).tolist() == [0.0, 0.0]


def test_uniform_fills_its_interval():
    drawn = nn.init.uniform_(gg.zeros(4000), -2.0, 1.0)
    assert -2.0 <= drawn.min().item() < -1.99
    assert 0.99 < drawn.max().item() <= 1.0


def test_normal_has_its_moments():
    gg.manual_seed(0)
    drawn = nn.init.normal_(gg.zeros(20_000), 3.0, 0.5).numpy()
    assert drawn.mean() == pytest.approx(3.0, abs=0.02)
    assert drawn.std() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("mode", ["fan_in", "fan_out"])
@pytest.mark.parametrize("nonlinearity", ["relu", "tanh", "linear", "leaky_relu"])
def test_kaiming_reaches_pytorchs_bound(mode, nonlinearity):
    torch.manual_seed(0)
    weight = nn.init.kaiming_uniform_(
        gg.zeros(200, 50), a=0.3, mode=mode, nonlinearity=nonlinearity
    )
    theirs = torch.nn.init.kaiming_uniform_(
        torch.zeros(200, 50), a=0.3, mode=mode, nonlinearity=nonlinearity
    )
    assert weight.abs().max().item() == pytest.approx(theirs.abs().max().item(), rel=1e-2)


def test_xavier_reaches_its_bound():
    weight = nn.init.xavier_uniform_(gg.zeros(30, 40, 5), gain=2.0)
    bound = 2.0 * math.sqrt(6.0 / (40 * 5 + 30 * 5))
    assert weight.abs().max().item() == pytest.approx(bound, rel=1e-2)
    assert weight.abs().max().item() <= bound * (1 + 1e-6)


@pytest.mark.parametrize("name", ["linear", "sigmoid", "tanh", "relu", "leaky_relu"])
def test_gains_are_pytorchs(name):
    assert nn.init.calculate_gain(name) == pytest.approx(torch.nn.init.calculate_gain(name))


def test_the_same_generator_seed_fills_alike():
    def filled():
        return nn.init.uniform_(gg.zeros(5), generator=gg.Generator().manual_seed(4)).tolist()

    assert filled() == filled()


def test_what_has_no_fans_is_refused():
    bias = gg.zeros(3)
    with pytest.raises(ShapeError, match="tensor with fewer than 2 dimensions"):
        nn.init.xavier_uniform_(bias)
    assert bias.tolist() == [0.0, 0.0, 0.0]


def test_unknown_names_are_refused():
    with pytest.raises(ArgumentError, match="Mode sideways not supported"):
        nn.init.kaiming_uniform_(gg.zeros(2, 2), mode="sideways")
    with pytest.raises(ArgumentError, match="Unsupported nonlinearity swoosh"):
        nn.init.calculate_gain("swoosh")
