"""Windows are PyTorch's: weights, dtypes and errors."""

import numpy as np
import pytest
import torch
import torch.signal.windows

import glassgrad
import glassgrad.signal.windows

OPTIONS = {
    "exponential": [{"tau": 2.0}, {"center": 1.0, "sym": False}],
    "gaussian": [{"std": 1.7}],
    "general_cosine": [{"a": [0.46, 0.23, 0.31]}],
    "general_hamming": [{"alpha": 0.7}],
    "kaiser": [{"beta": 3.0}],
}


@pytest.mark.parametrize("name", glassgrad.signal.windows.__all__)
def test_windows_are_pytorchs(name):
    for options in [*OPTIONS.get(name, [{}]), *([] if name == "general_cosine" else [{}])]:
        for size in (0, 1, 2, 7, 8):
            for sym in (True, False):
                given = {"sym": sym, **options}
                ours, theirs = (
                    getattr(lib.signal.windows, name)(size, dtype=lib.float64, **given)
                    for lib in (glassgrad, torch)
                )
                np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-9, atol=1e-12)
    made = getattr(glassgrad.signal.windows, name)(3, requires_grad=True, **options or {})
    assert made.dtype is glassgrad.float32
    assert made.requires_grad


@pytest.mark.parametrize("lib", [glassgrad, torch])
def test_windows_that_cannot_be_are_refused_as_by_pytorch(lib):
    windows = lib.signal.windows
    for call, words in (
        (lambda: windows.hann(-1), "requires non-negative window length"),
        (lambda: windows.hann(3, dtype=lib.int64), "expects float32 or float64 dtypes"),
        (lambda: windows.gaussian(3, std=0.0), "Standard deviation must be positive"),
        (lambda: windows.exponential(3, tau=-1.0), "Tau must be positive"),
        (lambda: windows.exponential(3, center=1.0), "Center must be None for symmetric"),
        (lambda: windows.kaiser(3, beta=-1.0), "beta must be non-negative"),
        (lambda: windows.general_cosine(3, a=[]), "Coefficients cannot be empty"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="Coefficients must be a list/tuple"):
        windows.general_cosine(3, a=3)
