"""Padding, and images of other sizes, beside PyTorch."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.nn import functional as F

MODES = {
    1: ("nearest", "nearest-exact", "area", "linear"),
    2: ("nearest", "nearest-exact", "area", "bilinear", "bicubic"),
    3: ("nearest", "nearest-exact", "area", "trilinear"),
}
CASES = [(rank, mode) for rank, modes in MODES.items() for mode in modes]


def played(lib, name, x, *args, **params):
    x = lib.tensor(x, requires_grad=True)
    y = getattr(lib.nn.functional, name)(x, *args, **params)
    (y * lib.linspace(1, 2, y.numel(), dtype=lib.float64).reshape(y.shape)).sum().backward()
    return y.detach().numpy(), x.grad.numpy()


def agree(name, x, *args, **params):
    ours, theirs = [played(lib, name, x, *args, **params) for lib in (gg, torch)]
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def images(rank):
    return np.random.default_rng(0).normal(size=(2, 2, *(3, 4, 2)[:rank]))


@together
@pytest.mark.parametrize("size", [1, 3, 5])
@pytest.mark.parametrize(("rank", "mode"), CASES)
def test_images_of_any_size_are_pytorchs(rank, mode, size):
    agree("interpolate", images(rank), size, mode=mode)
    if "linear" in mode or mode == "bicubic":
        agree("interpolate", images(rank), size, mode=mode, align_corners=True)


@together
@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos"])
def test_images_without_aliases_are_pytorchs(mode):
    x = np.random.default_rng(0).normal(size=(1, 2, 9, 7))
    for size in ((3, 4), (2, 14), (1, 7)):
        for is_aligned in (False, True) if mode != "lanczos" else (None,):
            agree("interpolate", x, size, mode=mode, antialias=True, align_corners=is_aligned)
    agree("interpolate", x, scale_factor=0.4, mode=mode, antialias=True)


@together
@pytest.mark.parametrize("factor", [0.7, 1.0, 2.0, 2.7])
@pytest.mark.parametrize(("rank", "mode"), CASES)
def test_a_factor_is_taken_as_it_is_or_as_the_sizes_have_it(rank, mode, factor):
    agree("interpolate", images(rank), scale_factor=factor, mode=mode)
    agree("interpolate", images(rank), scale_factor=factor, mode=mode, recompute_scale_factor=True)


@together
@pytest.mark.parametrize(("rank", "mode"), [(1, "linear"), (2, "bilinear"), (3, "trilinear")])
def test_a_dim_that_keeps_its_size_is_kept(rank, mode):
    agree("interpolate", images(rank), scale_factor=1.1, mode=mode)


@together
@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("pad", [(1, 2, 2, 0), (-1, 2, 2, -1), (0, 0, 0, 0)])
def test_what_is_beyond_the_edges_is_pytorchs(mode, pad):
    agree("pad", images(2), pad, mode=mode)


def test_padding_keeps_a_dtype():
    assert F.pad(gg.tensor([True]), (1, 0)).tolist() == [False, True]
    assert F.pad(gg.tensor([1]), (1, 0), value=2.5).tolist() == [2, 1]
    assert F.pad(gg.tensor([1j]), (1, 0)).tolist() == [0j, 1j]
