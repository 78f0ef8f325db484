"""Layers compute what PyTorch's compute, forward and backward."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad import nn
from glassgrad.core.errors import ArgumentError, ShapeError


def values(*shape):
    return np.random.default_rng(0).normal(size=shape)


def run(lib, layer, x):
    """(output, gradient of x) for the output weighted unevenly."""
    x = lib.tensor(x, requires_grad=True)
    y = layer(x)
    (y * lib.linspace(1, 2, y.numel(), dtype=lib.float64).reshape(y.shape)).sum().backward()
    return y.detach().numpy(), x.grad.numpy()


@together
@pytest.mark.parametrize(
    "make",
    [
        lambda nn: nn.ReLU(),
        lambda nn: nn.Tanh(),
        lambda nn: nn.Sigmoid(),
        lambda nn: nn.Softmax(dim=1),
        lambda nn: nn.LogSoftmax(dim=-1),
        lambda nn: nn.Identity(3, some="thing"),
        lambda nn: nn.Flatten(),
        lambda nn: nn.Flatten(0, 1),
    ],
)
def test_value_gradient_and_repr_are_pytorchs(make):
    ours, theirs = make(nn), make(torch.nn)
    x = values(2, 3, 4)
    for a, b in zip(run(gg, ours, x), run(torch, theirs, x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    assert repr(ours) == repr(theirs)


@together
@pytest.mark.parametrize("shape", [(3,), (5, 3), (2, 4, 3), (0, 3)])
@pytest.mark.parametrize("bias", [True, False])
def test_linear_is_pytorchs(shape, bias):
    ours = nn.Linear(3, 2, bias=bias, dtype=gg.float64)
    theirs = torch.nn.Linear(3, 2, bias=bias, dtype=torch.float64)
    state = {key: tensor.numpy() for key, tensor in theirs.state_dict().items()}
    ours.load_state_dict({key: gg.tensor(array) for key, array in state.items()})
    x = values(*shape)
    for a, b in zip(run(gg, ours, x), run(torch, theirs, x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-12, atol=1e-14)
    assert repr(ours) == repr(theirs)


def test_linear_starts_within_pytorchs_bounds():
    gg.manual_seed(0)
    layer = nn.Linear(25, 400)
    for parameter in layer.parameters():
        assert parameter.abs().max().item() <= 0.2
        assert parameter.abs().max().item() > 0.19
    assert layer.weight.dtype is gg.float32


def test_the_same_seed_makes_the_same_layer():
    def made():
        gg.manual_seed(7)
        return nn.Linear(2, 2).weight.tolist()

    assert made() == made()


def test_a_layer_without_inputs_gives_its_bias():
    layer = nn.Linear(0, 2)
    assert layer(gg.zeros(3, 0)).tolist() == [layer.bias.tolist()] * 3


def test_linear_names_the_shapes_that_do_not_fit():
    with pytest.raises(ShapeError, match=r"5"):
        nn.Linear(3, 2)(gg.ones(4, 5))


def test_negative_sizes_are_refused():
    with pytest.raises(ArgumentError, match="-1 inputs and 2 outputs"):
        nn.Linear(-1, 2)


@together
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reduction": "sum"},
        {"reduction": "none"},
        {"ignore_index": 1},
        {"label_smoothing": 0.2},
        {"weight": [1.0, 2.0, 0.5]},
        {"weight": [1.0, 2.0, 0.5], "ignore_index": 0, "label_smoothing": 0.1},
    ],
)
def test_cross_entropy_is_pytorchs(options):
    def loss(lib):
        given = dict(options)
        if "weight" in given:
            given["weight"] = lib.tensor(given["weight"], dtype=lib.float64)
        target = lib.tensor([0, 1, 2, 1])
        return lambda x: lib.nn.CrossEntropyLoss(**given)(x, target)

    x = values(4, 3)
    for a, b in zip(run(gg, loss(gg), x), run(torch, loss(torch), x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@together
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_mean_squared_error_is_pytorchs(reduction):
    def loss(lib):
        target = lib.tensor(values(3, 2)[::-1].copy())
        return lambda x: lib.nn.MSELoss(reduction=reduction)(x, target)

    x = values(3, 2)
    for a, b in zip(run(gg, loss(gg), x), run(torch, loss(torch), x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_losses_print_as_pytorchs():
    assert repr(nn.CrossEntropyLoss()) == repr(torch.nn.CrossEntropyLoss())
    assert repr(nn.MSELoss()) == repr(torch.nn.MSELoss())


@together
@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_a_loss_that_broadcasts_warns_as_pytorchs(name):
    found = []
    for lib in (gg, torch):
        loss = getattr(lib.nn.functional, name)
        with pytest.warns(UserWarning, match="is different to the input size .* the same size"):
            found.append(loss(lib.ones(3, 1), lib.tensor([1.0, 2.0, 5.0])).item())
    assert found[0] == pytest.approx(found[1])


def test_a_loss_that_cannot_broadcast_is_refused():
    warned, refused = pytest.warns(match="target size"), pytest.raises(ShapeError)
    with warned, refused:
        nn.functional.mse_loss(gg.ones(3, 2), gg.ones(3))


def test_an_unknown_reduction_is_refused():
    with pytest.raises(ArgumentError, match="max is not a valid value for reduction"):
        nn.functional.mse_loss(gg.ones(1), gg.ones(1), reduction="max")


@pytest.mark.parametrize("library", [gg, torch])
def test_relu_in_place_writes_into_its_input(library):
    layer = library.nn.ReLU(inplace=True)
    x = library.tensor([-1.0, 2.0], requires_grad=True) * 1
    assert layer(x) is x
    assert x.tolist() == [0.0, 2.0]
    assert repr(layer) == "ReLU(inplace=True)"
    assert x.grad_fn.name() == "ReluBackward0"


@pytest.mark.parametrize("lib", [gg, torch], ids=["glassgrad", "torch"])
def test_layers_take_their_input_by_name(lib):
    layers, x = lib.nn, lib.ones(2, 2)
    steps = [layers.Linear(2, 2), layers.ReLU(), layers.Tanh(), layers.Softmax(dim=1)]
    for layer in [*steps, layers.Identity(), layers.Flatten(), layers.Sequential(*steps)]:
        assert layer(input=x).shape == x.shape


@together
@pytest.mark.parametrize(
    "module",
    [
        nn.Tanh(),
        nn.ReLU(),
        nn.ReLU(inplace=True),
        nn.Sigmoid(),
        nn.Softmax(0),
        nn.LogSoftmax(0),
        nn.Sequential(nn.Linear(2, 2), nn.Tanh()),
    ],
)
def test_the_line_of_a_module_is_the_one_that_called_it(module):
    x = gg.tensor([[1.0, -2.0]], requires_grad=True).exp()
    y = module(x)
    node = gg.snapshot(y).nodes[-1]
    assert node["src"].startswith("test_layers.py, line ")
    assert node["src"].endswith(": `y = module(x)`")


def test_the_line_of_a_loss_is_the_one_that_called_it():
    x = gg.tensor([[1.0, -2.0]], requires_grad=True)
    loss = nn.CrossEntropyLoss()(x, gg.tensor([0]))
    assert (
        gg.snapshot(loss)
        .nodes[-1]["src"]
        .endswith("`loss = nn.CrossEntropyLoss()(x, gg.tensor([0]))`")
    )


def test_a_module_that_records_nothing_leaves_the_line_of_its_input():
    x = gg.tensor([1.0, -2.0], requires_grad=True)
    y = x.exp()
    with gg.no_grad():
        nn.ReLU(inplace=True)(y)
    assert gg.snapshot(y).nodes[-1]["src"].endswith("`y = x.exp()`")
