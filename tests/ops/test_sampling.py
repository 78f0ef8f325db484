"""Images read at the places of a grid, and largest elements written where they were."""

import itertools

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad import func
from glassgrad.autograd import gradcheck, gradgradcheck
from glassgrad.nn import functional as F

RNG = np.random.default_rng(0)
IMAGE, SPACE = RNG.normal(size=(2, 3, 4, 5)), RNG.normal(size=(2, 1, 2, 3, 4))
GRID, GRID3 = RNG.uniform(-2.2, 2.2, (2, 3, 2, 2)), RNG.uniform(-2.2, 2.2, (2, 1, 2, 3, 3))
GRID[0, 0, 0], GRID[0, 1, 0], GRID3[0, 0, 0, 0] = (1, -1), (-1, 0), (1, -1, 0)  # on the edges
MODES = list(
    itertools.product(
        ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (True, False)
    )
)


def run(lib, x, grid, *options):
    """What is read, and the gradients of both operands."""
    leaves = [lib.tensor(each, requires_grad=True) for each in (x, grid)]
    y = lib.nn.functional.grid_sample(*leaves, *options)
    y.pow(2).sum().backward()
    return [each.detach().numpy() for each in (y, *[leaf.grad for leaf in leaves])]


@together
@pytest.mark.parametrize(("mode", "padding_mode", "align_corners"), MODES)
@pytest.mark.parametrize(("x", "grid"), [(IMAGE, GRID), (SPACE, GRID3)], ids=["image", "space"])
def test_grid_sample_reads_as_pytorch_does(x, grid, mode, padding_mode, align_corners):
    if mode == "bicubic" and x.ndim == 5:
        return  # PyTorch has none
    options = (mode, padding_mode, align_corners)
    for ours, theirs in zip(run(gg, x, grid, *options), run(torch, x, grid, *options), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_grid_sample_has_tangents_second_gradients_and_batches(mode):
    def read(x, grid):
        return F.grid_sample(x, grid, mode, align_corners=False)

    x = gg.tensor(IMAGE[:1, :1], requires_grad=True)
    grid = gg.tensor(GRID[:1, 1:], requires_grad=True)
    assert gradcheck(read, (x, grid), check_forward_ad=True)
    assert gradgradcheck(read, (x, grid))
    several = gg.tensor(np.stack([GRID, GRID * 0.5]))
    found = func.vmap(read, (None, 0))(gg.tensor(IMAGE), several)
    expected = gg.stack([read(gg.tensor(IMAGE), each) for each in several])
    assert gg.equal(found, expected)


@together
@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize("size", [(2, 1, 3, 4), (2, 1, 1, 4), (2, 1, 3, 1, 2)])
@pytest.mark.filterwarnings("ignore:Since version 1.3.0")
def test_affine_grid_is_pytorchs(size, align_corners):
    rank = len(size) - 2
    theta = RNG.normal(size=(2, rank, rank + 1))
    ours = F.affine_grid(gg.tensor(theta), size, align_corners)
    theirs = torch.nn.functional.affine_grid(torch.tensor(theta), size, align_corners)
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), atol=1e-14)


def test_both_warn_of_the_default_that_moved():
    with pytest.warns(UserWarning, match="has changed to align_corners=False"):
        F.grid_sample(gg.ones(1, 1, 2, 2), gg.zeros(1, 1, 1, 2))
    with pytest.warns(UserWarning, match="has changed to align_corners=False"):
        F.affine_grid(gg.eye(2, 3)[None], (1, 1, 2, 2))


WRONG = [
    ("grid_sample", ((1, 1, 3, 3), (1, 2, 2, 2), "foo"), "expected mode to be 'bilinear', "),
    ("grid_sample", ((1, 1, 3, 3), (1, 2, 2, 2), "nearest", "foo"), "expected padding_mode to be"),
    ("grid_sample", ((1, 1, 3, 3), (2, 2, 2, 2)), "expected grid and input to have same batch"),
    ("grid_sample", ((1, 1, 3, 3), (1, 2, 2, 3)), "expected grid to have size 2 in last dimension"),
    ("grid_sample", ((1, 1, 3, 3), (1, 2, 2)), "input and grid with same number of dimensions"),
    ("grid_sample", ((1, 1, 3, 0), (1, 2, 2, 2)), "with dimension 3 being empty"),
    ("grid_sample", ((1, 1, 3, 3, 3), (1, 2, 2, 2, 3), "bicubic"), "only supports 4D input"),
    ("affine_grid", ((1, 2, 2), [1, 1, 2, 2], True), "Expected a batch of 2D affine matrices"),
    ("affine_grid", ((1, 2, 3), [1, 1, 2], True), "affine_grid only supports 4D and 5D sizes"),
    ("affine_grid", ((1, 2, 3), [1, 1, 0, 2], True), "Expected non-zero, positive output size"),
    ("affine_grid", ((3, 2, 3), [1, 1, 2, 2], True), "but got: [3, 3]"),
]


@together
@pytest.mark.parametrize(("name", "given", "sentence"), WRONG)
@pytest.mark.filterwarnings("ignore:Default grid_sample")
def test_what_does_not_fit_is_refused_as_by_pytorch(name, given, sentence):
    for lib in (torch, gg):
        operands = [lib.zeros(each) if isinstance(each, tuple) else each for each in given]
        with pytest.raises((ValueError, RuntimeError, NotImplementedError)) as raised:
            getattr(lib.nn.functional, name)(*operands)
        assert sentence in str(raised.value)


@together
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_max_unpool_puts_back_what_max_pool_took(rank):
    x = RNG.normal(size=(2, 3, *[6, 5, 4][:rank]))
    found = []
    for lib in (torch, gg):
        leaf = lib.tensor(x, requires_grad=True)
        pool = getattr(lib.nn, f"MaxPool{rank}d")(2, return_indices=True)
        unpool = getattr(lib.nn, f"MaxUnpool{rank}d")(2)
        y = unpool(*pool(leaf), output_size=x.shape)
        y.pow(3).sum().backward()
        found.append((y.detach().numpy(), leaf.grad.numpy(), repr(unpool)))
    for theirs, ours in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@together
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"output_size": (9, 9)}, 'invalid output_size "(9, 9)" (dim 0 must be between 2 and 6)'),
        ({"output_size": (9,)}, "output_size should be a sequence containing 2 or 4 elements"),
        ({"kernel_size": 1}, "(output volumes are of size 2x2"),
    ],
)
def test_max_unpool_refuses_places_and_sizes_that_cannot_be(options, sentence):
    for lib in (torch, gg):
        image = lib.arange(16.0).reshape(1, 1, 4, 4)
        pooled = lib.nn.functional.max_pool2d(image, 2, return_indices=True)
        with pytest.raises((ValueError, RuntimeError)) as raised:
            lib.nn.functional.max_unpool2d(*pooled, **{"kernel_size": 2, **options})
        assert sentence in str(raised.value)
    with pytest.raises(RuntimeError, match="elements in indices should be type int64 but got"):
        F.max_unpool2d(gg.ones(1, 2, 2), gg.ones(1, 2, 2, dtype=gg.int32), 2)


@pytest.mark.parametrize("n", [7, 28])
def test_places_that_stay_where_they_are_are_pixels_as_in_pytorch(n):
    image, found = RNG.normal(size=(1, 1, n, n)).astype(np.float32), []
    for lib in (torch, gg):
        theta = lib.eye(2, 3)[None].requires_grad_()
        grid = lib.nn.functional.affine_grid(theta, image.shape, align_corners=False)
        y = lib.nn.functional.grid_sample(lib.tensor(image), grid, align_corners=False)
        (y * lib.arange(float(n))).sum().backward()  # a slope that depends on the pixel hit
        found.append(theta.grad.numpy())
    np.testing.assert_allclose(*found, rtol=1e-4, atol=1e-3)
