"""Windows have PyTorch's numbers, and are refused with its words."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import DTypeError, ShapeError

WINDOWS = ["hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window"]


@together
@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("length", [0, 1, 2, 5, 8])
@pytest.mark.parametrize("periodic", [True, False])
def test_a_window_is_pytorchs(name, length, periodic):
    ours = getattr(gg, name)(length, periodic, dtype=gg.float64)
    theirs = getattr(torch, name)(length, periodic, dtype=torch.float64)
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-6, atol=1e-7)
    assert getattr(gg, name)(length).dtype == gg.float32


@pytest.mark.parametrize(
    ("name", "options"), [("hamming_window", (0.5, 0.5)), ("kaiser_window", (3,))]
)
def test_a_window_has_pytorchs_parameters(name, options):
    ours, theirs = (getattr(lib, name)(6, False, *options).numpy() for lib in (gg, torch))
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@together
@pytest.mark.parametrize("name", WINDOWS)
def test_what_is_no_window(name):
    with pytest.raises(ShapeError, match="requires non-negative window_length, got"):
        getattr(gg, name)(-1)
    with pytest.raises(DTypeError, match="expects floating point dtypes, got"):
        getattr(gg, name)(4, dtype=gg.int64)
    assert getattr(gg, name)(4, requires_grad=True).requires_grad


SIGNAL = np.random.default_rng(0).normal(size=(2, 30))
FORMS = [
    {},
    {"hop_length": 3, "win_length": 6},
    {"center": False, "window": [0.5, 1.0, 1.5, 2.0, 2.0, 1.5, 1.0, 0.5]},
    {"normalized": True, "onesided": False},
    {"pad_mode": "constant"},
]


@together
@pytest.mark.filterwarnings("ignore:A window was not provided")
@pytest.mark.parametrize("options", FORMS, ids=str)
def test_pieces_are_transformed_and_put_together_as_in_pytorch(options):
    found = []
    for lib in (torch, gg):
        given = dict(options)
        if "window" in given:
            given["window"] = lib.tensor(given["window"], dtype=lib.float64)
        x = lib.tensor(SIGNAL, requires_grad=True)
        spectrum = lib.stft(x, 8, return_complex=True, **given)
        given.pop("pad_mode", None)
        again = lib.istft(spectrum * spectrum.abs(), 8, length=27, **given)
        again.pow(2).sum().backward()
        found.append([each.detach().numpy() for each in (spectrum, again, x.grad)])
    for theirs, ours in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


STFT_WRONG = [
    ({"return_complex": None}, "stft requires the return_complex parameter be given for real"),
    ({"hop_length": 0}, "expected hop_length > 0, but got hop_length=0"),
    ({"n_fft": 40, "center": False}, "expected 0 < n_fft < 30"),
    ({"win_length": 9}, "expected 0 < win_length <= n_fft"),
    ({"window": [1.0, 2.0]}, "expected a 1D window tensor of size equal to win_length=8"),
]


@together
@pytest.mark.filterwarnings("ignore:A window was not provided")
@pytest.mark.parametrize(("options", "sentence"), STFT_WRONG)
def test_a_transform_of_pieces_is_refused_as_by_pytorch(options, sentence):
    for lib in (torch, gg):
        given = {"n_fft": 8, "return_complex": True, **options}
        if "window" in given:
            given["window"] = lib.tensor(given["window"])
        with pytest.raises(RuntimeError) as raised:
            lib.stft(lib.tensor(SIGNAL), **given)
        assert sentence in str(raised.value)


@together
@pytest.mark.filterwarnings("ignore:A window was not provided")
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_fft": 6}, "to match n_fft / 2 + 1 when onesided=True, but got 5"),
        ({"hop_length": 9}, "expected 0 < hop_length <= win_length"),
        ({"center": False, "window": [0.0] * 8}, "window overlap add min: "),
    ],
)
def test_a_signal_that_pieces_do_not_tell_is_refused_as_by_pytorch(options, sentence):
    for lib in (torch, gg):
        given = {"n_fft": 8, **options}
        if "window" in given:
            given["window"] = lib.tensor(given["window"])
        spectrum = lib.stft(lib.tensor(SIGNAL), 8, return_complex=True)
        with pytest.raises(RuntimeError) as raised:
            lib.istft(spectrum, **given)
        assert sentence.lower() in str(raised.value).lower()
    with pytest.raises(RuntimeError, match="istft requires a complex-valued input tensor"):
        gg.istft(gg.ones(5, 3), 8)


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_number_has_no_dim_to_transform(lib):
    with pytest.raises(IndexError, match="Dimension specified as 0 but tensor has no dimensions"):
        lib.fft.fftn(lib.tensor(1.0), dim=[0])
