"""Layers for images compute what PyTorch's compute, forward and backward, and print as they do."""

import re

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad import nn
from glassgrad.core.errors import ArgumentError
from nn.beside import assert_alike, drawn

LAYERS = """
Conv1d(4, 6, 3)
Conv2d(4, 6, 3, padding=1)
Conv2d(4, 6, (3, 2), stride=2, padding=(1, 0), dilation=2, groups=2, bias=False)
Conv2d(4, 6, 3, padding="same")
Conv2d(4, 6, 3, padding=1, padding_mode="circular")
Conv2d(4, 6, (3, 2), padding="same", padding_mode="reflect")
Conv2d(4, 6, 3, padding=(1, 2), padding_mode="replicate")
Conv2d(4, 6, 3, padding="valid", padding_mode="reflect")
Conv3d(4, 6, 2)
ConvTranspose1d(4, 6, 3, 2)
ConvTranspose2d(4, 6, 3, 2, 1, 1)
ConvTranspose2d(4, 6, 3, 2, 1, 1, 2, False, 2)
ConvTranspose3d(4, 6, 2)
MaxPool1d(2)
MaxPool2d(2)
MaxPool2d((2, 1), 1, ceil_mode=True)
MaxPool3d(2)
AvgPool1d(2)
AvgPool2d(2)
AvgPool2d(3, 2, 1)
AvgPool3d(2)
LPPool1d(2, 2)
LPPool2d(2, 2)
LPPool3d(2, 2)
AdaptiveAvgPool1d(2)
AdaptiveAvgPool2d((2, None))
AdaptiveAvgPool3d(2)
AdaptiveMaxPool1d(2)
AdaptiveMaxPool2d((2, 3))
AdaptiveMaxPool3d(2)
ConstantPad1d(2, 1.5)
ConstantPad2d((1, 2, 0, 1), 1.5)
ConstantPad3d(1, 2)
ZeroPad1d(1)
ZeroPad2d(1)
ZeroPad3d(1)
ReflectionPad1d(1)
ReflectionPad2d((1, 2, 1, 0))
ReflectionPad3d(1)
ReplicationPad1d(1)
ReplicationPad2d(1)
ReplicationPad3d(1)
CircularPad1d(1)
CircularPad2d(1)
CircularPad3d(1)
Upsample(5)
Upsample(scale_factor=2)
Upsample(scale_factor=(2, 1.5), mode="bilinear")
UpsamplingNearest2d(scale_factor=2)
UpsamplingBilinear2d(7)
PixelShuffle(2)
PixelUnshuffle(2)
ChannelShuffle(2)
Unfold(2)
Fold((4, 5), 2)
""".strip().splitlines()

SIZES = {1: (6,), 2: (4, 6), 3: (4, 6, 5)}
OTHERWISE = {"Fold": (4, 12)}


def input_for(said):
    name = said.partition("(")[0]
    found = re.search(r"\d", name)
    sizes = OTHERWISE.get(name) or (4, *SIZES[int(found[0]) if found else 2])
    return np.random.default_rng(0).normal(size=(2, *sizes))


def run(lib, layer, x):
    """(output, gradient of x, those of the parameters) for the output weighted unevenly."""
    x = lib.tensor(x, requires_grad=True)
    y = layer(x)
    (y * lib.linspace(1, 2, y.numel(), dtype=lib.float64).reshape(y.shape)).sum().backward()
    return [each.detach().numpy() for each in (y, x.grad, *[p.grad for p in layer.parameters()])]


@together
@pytest.mark.parametrize("said", LAYERS)
def test_value_gradients_and_repr_are_pytorchs(said):
    ours = eval(said, vars(nn))  # a line of LAYERS
    theirs = eval(said, vars(torch.nn)).double()
    assert repr(ours) == repr(theirs)
    state = theirs.state_dict()
    if state:
        more = ", dtype=float64)"
        ours = eval(said[:-1] + more, {**vars(nn), "float64": gg.float64})
        assert [p.shape for p in ours.parameters()] == [p.shape for p in theirs.parameters()]
        ours.load_state_dict({key: gg.tensor(value.numpy()) for key, value in state.items()})
    x = input_for(said)
    for a, b in zip(run(gg, ours, x), run(torch, theirs, x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@together
@pytest.mark.parametrize(
    ("layer", "sentence"),
    [
        (lambda nn: nn.Conv2d(3, 4, 3, groups=2), "in_channels must be divisible by groups"),
        (lambda nn: nn.Conv2d(4, 3, 3, groups=2), "out_channels must be divisible by groups"),
        (lambda nn: nn.Conv2d(4, 4, 3, groups=0), "groups must be a positive integer"),
        (lambda nn: nn.Conv2d(3, 4, 3, padding="some"), "Invalid padding string 'some'"),
        (lambda nn: nn.Conv2d(3, 4, 3, padding_mode="some"), "padding_mode must be one of"),
        (lambda nn: nn.Conv2d(3, 4, 3, 2, "same"), "padding='same' is not supported for strided"),
        (
            lambda nn: nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect"),
            'Only "zeros" padding mode is supported for ConvTranspose2d',
        ),
    ],
)
def test_what_pytorch_refuses_is_refused_in_its_words(layer, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        layer(nn)
    with pytest.raises(ValueError, match=sentence):
        layer(torch.nn)


def test_a_convolution_with_another_weight_pads_as_its_own():
    def make(lib):
        class Doubled(lib.nn.Conv2d):
            def forward(self, x):
                return self._conv_forward(x, 2 * self.weight, None)

        return Doubled(1, 2, (3, 2), padding="same", padding_mode="reflect")

    def call(lib, module, x):
        module.bias.grad = lib.zeros_like(module.bias)
        return module(x)

    assert_alike(make, call, drawn(1, 1, 4, 4))


def test_a_transpose_makes_the_size_that_is_asked_for():
    up = nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1)
    theirs = torch.nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1)
    for size in ((7, 8), (1, 4, 7, 8)):
        assert up(gg.zeros(1, 3, 4, 4), size).shape == theirs(torch.zeros(1, 3, 4, 4), size).shape
    for size, sentence in (((7, 9), "requested an output size of"), ((7,), "must have 2 or 4")):
        with pytest.raises(ArgumentError, match=sentence):
            up(gg.zeros(1, 3, 4, 4), size)


@pytest.mark.parametrize("name", ["Conv2d", "ConvTranspose2d"])
def test_parameters_start_within_pytorchs_bounds(name):
    gg.manual_seed(0)
    ours = getattr(nn, name)(4, 32, 5)
    bound = 1 / np.sqrt(np.prod(ours.weight.shape[1:]))
    for parameter in ours.parameters():
        assert 0.8 * bound < parameter.abs().max().item() <= bound
        assert parameter.dtype is gg.float32


def test_a_network_of_layers_learns():
    gg.manual_seed(0)
    x = gg.randn(16, 1, 8, 8)
    target = (x[:, 0, :4].sum((1, 2)) > x[:, 0, 4:].sum((1, 2))).long()
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 2)
    )
    optimizer = gg.optim.SGD(net.parameters(), lr=0.2)
    losses = []
    for _ in range(40):
        loss = nn.functional.cross_entropy(net(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]


# Windows at random, and older layers --------------------------------------------------------------


@pytest.mark.parametrize("rank", [2, 3])
def test_windows_a_fraction_apart_are_pytorchs(rank):
    x, samples = drawn(2, 3, *(7, 6, 5)[:rank]), np.random.default_rng(0).uniform(size=(2, 3, rank))

    def told(lib):
        pool = getattr(lib.nn.functional, f"fractional_max_pool{rank}d")
        leaf, begins = lib.tensor(x, requires_grad=True), lib.tensor(samples)
        sized = {"output_size": (4, 3, 2)[:rank], "return_indices": True}
        y, places = pool(leaf, 2, **sized, _random_samples=begins)
        (y * y).sum().backward()
        share = pool(leaf, (2, 3, 2)[:rank], output_ratio=(0.5,) * rank, _random_samples=begins)
        alone = pool(leaf[0], 2, output_size=2, _random_samples=begins[:1])
        found = (y, places, leaf.grad, share, alone)
        return [each.detach().numpy() for each in found]

    for ours, theirs in zip(told(gg), told(torch), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for lib in (gg, torch):
        of = getattr(lib.nn, f"FractionalMaxPool{rank}d")
        assert of(2, output_ratio=0.5)(lib.tensor(x)).shape[2:] == tuple(
            n // 2 for n in x.shape[2:]
        )
        assert repr(of(2, 3)) == f"FractionalMaxPool{rank}d()"
        with pytest.raises(ValueError, match="requires specifying either an output"):
            of(2)
        with pytest.raises(ValueError, match="output_ratio must be between 0 and 1"):
            of(2, output_ratio=1.5)
        with pytest.raises(ValueError, match="requires specifying either an output_size"):
            getattr(lib.nn.functional, f"fractional_max_pool{rank}d")(lib.tensor(x), 2)
        with pytest.raises(RuntimeError, match="too large relative to input"):
            of(2, 7)(lib.tensor(x))


def test_norms_over_channels_of_luas_torch_are_pytorchs():
    x = drawn(2, 6, 3, 2)
    for size in (2, 3, 5):
        ours, theirs = (lib.nn.CrossMapLRN2d(size, 0.5, 0.75, 2) for lib in (gg, torch))
        np.testing.assert_allclose(ours(gg.tensor(x)).numpy(), theirs(torch.tensor(x)).numpy())
        assert repr(ours) == repr(theirs)
    assert gg.autograd.gradcheck(ours, gg.tensor(x[:1], requires_grad=True))
    with pytest.raises(ValueError, match="Expected input to be 4D, got 3D"):
        ours(gg.ones(1, 2, 3))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_gradients_of_convolutions_by_name_are_pytorchs(rank):
    x, weight = drawn(2, 4, *[5] * rank), drawn(6, 2, *[3] * rank)
    grad, how = drawn(2, 6, *[3] * rank), {"stride": 2, "padding": 1, "groups": 2}

    def told(lib):
        of_input, of_weight = (
            getattr(lib.nn.grad, f"conv{rank}d_{name}") for name in ("input", "weight")
        )
        leaf = lib.tensor(grad, requires_grad=True)
        found = of_input(x.shape, lib.tensor(weight), leaf, **how)
        found.square().sum().backward()
        other = of_weight(lib.tensor(x), weight.shape, lib.tensor(grad), **how)
        return [each.detach().numpy() for each in (found, other, leaf.grad)]

    for ours, theirs in zip(told(gg), told(torch), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("lib", [gg, torch])
def test_older_names_say_that_they_are(lib):
    with pytest.warns(FutureWarning, match="`NLLLoss2d` has been deprecated"):
        loss = lib.nn.NLLLoss2d(reduction="sum")
    assert repr(loss) == "NLLLoss2d()"
    assert loss(lib.zeros(1, 2, 1, 1), lib.zeros(1, 1, 1, dtype=lib.int64)).item() == 0.0
    with pytest.warns(FutureWarning, match=r"`nn.Container` is deprecated"):
        parts = lib.nn.Container(first=lib.nn.ReLU())
    assert dict(parts.named_children()) == {"first": parts.first}
