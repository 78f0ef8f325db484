"""Windows have PyTorch's numbers, and are refused with its words."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from glassgrad.core.errors import DTypeError, ShapeError

WINDOWS = ["hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window"]


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


@pytest.mark.parametrize("name", WINDOWS)
def test_what_is_no_window(name):
    with pytest.raises(ShapeError, match="requires non-negative window_length, got"):
        getattr(gg, name)(-1)
    with pytest.raises(DTypeError, match="expects floating point dtypes, got"):
        getattr(gg, name)(4, dtype=gg.int64)
    assert getattr(gg, name)(4, requires_grad=True).requires_grad
