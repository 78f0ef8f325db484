"""Initialisers fill in place, within PyTorch's bounds."""

import math

import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad import nn
from glassgrad.core.errors import ArgumentError


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


@together
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


@together
@pytest.mark.parametrize("name", ["linear", "sigmoid", "tanh", "relu", "leaky_relu"])
def test_gains_are_pytorchs(name):
    assert nn.init.calculate_gain(name) == pytest.approx(torch.nn.init.calculate_gain(name))


def test_the_same_generator_seed_fills_alike():
    def filled():
        return nn.init.uniform_(gg.zeros(5), generator=gg.Generator().manual_seed(4)).tolist()

    assert filled() == filled()


def test_what_has_no_fans_is_refused():
    bias = gg.zeros(3)
    with pytest.raises(ArgumentError, match="tensor with fewer than 2 dimensions"):
        nn.init.xavier_uniform_(bias)
    assert bias.tolist() == [0.0, 0.0, 0.0]


def test_unknown_names_are_refused():
    with pytest.raises(ArgumentError, match="Mode sideways not supported"):
        nn.init.kaiming_uniform_(gg.zeros(2, 2), mode="sideways")
    with pytest.raises(ArgumentError, match="Unsupported nonlinearity swoosh"):
        nn.init.calculate_gain("swoosh")


@together
@pytest.mark.parametrize(
    ("name", "shape", "options"),
    [
        ("trunc_normal_", (200, 100), {"mean": 0.5, "std": 2.0, "a": -1.0, "b": 3.0}),
        ("xavier_normal_", (200, 100), {"gain": 2.0}),
        ("xavier_uniform_", (40, 50, 3, 3), {}),
        ("kaiming_normal_", (200, 100), {"mode": "fan_out", "nonlinearity": "relu"}),
        ("kaiming_normal_", (40, 50, 3, 3), {"a": 1.0}),
        ("kaiming_uniform_", (200, 100), {"nonlinearity": "tanh"}),
        ("orthogonal_", (100, 100), {"gain": 3.0}),
        ("sparse_", (200, 50), {"sparsity": 0.3, "std": 2.0}),
    ],
)
def test_draws_have_the_moments_of_pytorchs(name, shape, options):
    gg.manual_seed(0)
    torch.manual_seed(0)
    ours = getattr(nn.init, name)(gg.zeros(shape, dtype=gg.float64), **options).numpy()
    theirs = getattr(torch.nn.init, name)(torch.zeros(shape, dtype=torch.float64), **options)
    theirs = theirs.numpy()
    assert ours.mean() == pytest.approx(theirs.mean(), abs=0.03 * theirs.std())
    assert ours.std() == pytest.approx(theirs.std(), rel=0.02)
    assert abs(ours).max() == pytest.approx(abs(theirs).max(), rel=0.2)
    assert (ours == 0).sum() == (theirs == 0).sum()


@together
@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 2, 2)])
def test_orthogonal_rows_or_columns(shape):
    drawn = nn.init.orthogonal_(gg.zeros(shape, dtype=gg.float64)).reshape(shape[0], -1)
    wide = drawn if drawn.shape[0] <= drawn.shape[1] else drawn.T
    assert gg.allclose(wide @ wide.T, gg.eye(wide.shape[0], dtype=gg.float64))


@together
@pytest.mark.parametrize(
    ("shape", "groups"), [((4, 2, 3), 2), ((2, 3, 4, 5), 1), ((3, 2, 3, 3, 3), 1)]
)
def test_dirac_and_eye_are_pytorchs(shape, groups):
    ours = nn.init.dirac_(gg.ones(shape), groups).numpy()
    assert (ours == torch.nn.init.dirac_(torch.ones(shape), groups).numpy()).all()
    assert nn.init.eye_(gg.ones(2, 3)).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


@together
@pytest.mark.parametrize(
    "call",
    [
        lambda init, lib: init.eye_(lib.zeros(2)),
        lambda init, lib: init.dirac_(lib.zeros(2, 2)),
        lambda init, lib: init.dirac_(lib.zeros(3, 2, 1), 2),
        lambda init, lib: init.orthogonal_(lib.zeros(2)),
        lambda init, lib: init.sparse_(lib.zeros(2), 0.5),
        lambda init, lib: init.kaiming_normal_(lib.zeros(2, 2), mode="fan"),
        lambda init, lib: init.calculate_gain("leaky_relu", "steep"),
    ],
)
def test_what_pytorch_refuses_is_refused(call):
    with pytest.raises(ValueError, match=r"\w") as theirs:
        call(torch.nn.init, torch)
    with pytest.raises(ValueError, match=r"\w") as ours:
        call(nn.init, gg)
    assert str(ours.value).startswith(str(theirs.value)[:22])


def test_old_names_warn():
    with pytest.warns(FutureWarning, match="nn.init.normal` is now deprecated in favor of"):
        nn.init.normal(gg.zeros(2))
    with pytest.warns(UserWarning, match="mean is more than 2 std"):
        nn.init.trunc_normal_(gg.zeros(2), mean=9.0)
