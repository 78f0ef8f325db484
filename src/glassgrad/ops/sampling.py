"""Images at places that a tensor names: `grid_sample` reads there, `max_unpool2d` writes there.

Each pixel of a result has its own place, in the middle of pixels of the image. What is read there
is a weighted sum of the pixels around it: they are taken from the image by their numbers, and the
weights are formulas of the place. So gradients, tangents and batches are those of the ops that this
is made of.
"""

import math
from collections.abc import Sequence
from typing import Any

from glassgrad.core import errors
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.values.dtypes import int64
from glassgrad.values.layers import visible

from . import _checks as check
from ._arguments import ints_of
from ._declaring import for_each_rank, functional
from .creation import arange, linspace, zeros
from .joining import meshgrid, stack
from .random import rand
from .resampling import cubic_weight
from .selection import where
from .windows import Ints, each_dim

Taps = list[tuple[Tensor, Tensor]]
"""Along a dim, the pixels that are near a place, and the weight of each."""

_MOVED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
    "Please specify align_corners=True if the old behavior is desired. See the documentation of "
    "grid_sample for details."
)


@functional()
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Images as they are at the places of a grid.

    Args:
        input: shape `(n, c, h, w)`, or `(n, c, d, h, w)`.
        grid: shape `(n, h', w', 2)`, or `(n, d', h', w', 3)`: a place `(x, y)` or `(x, y, z)` for
            each pixel of the result. x goes along the last dim, from -1 on the left to 1 on the
            right.
        mode: what is between pixels: "bilinear", a straight line along each dim; "nearest", the
            pixel that is nearest; "bicubic", a smooth curve, of images with two dims.
        padding_mode: what is outside: "zeros"; "border", the last pixel; "reflection", the image
            mirrored.
        align_corners: whether -1 and 1 are the centres of the corner pixels; otherwise their outer
            corners.

    Returns:
        Tensor of shape `(n, c, h', w')`. Where a place is held at the border, its gradient is 0.

    Raises:
        ArgumentError: for another mode.
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> image = tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> grid_sample(image, zeros(1, 1, 1, 2), align_corners=True)
        tensor([[[[2.5000]]]])

    See also: Jaderberg et al., *Spatial Transformer Networks* (2015).
    """
    _check_modes(mode, padding_mode)
    if align_corners is None:
        warn(_MOVED)
    _check_grid(input, grid, mode)
    n, channels, *sizes = input.shape
    is_aligned = bool(align_corners)
    one = (1,) * grid.ndim
    picked, weight = grid.new_zeros(one, dtype=int64), grid.new_ones(one)
    for size, along in zip(sizes, reversed(grid.unbind(-1)), strict=True):
        place = (along + 1) * ((size - is_aligned) / 2) - (0.0 if is_aligned else 0.5)
        taps = _taps(place, size, mode, padding_mode, is_aligned)
        numbers = stack([near for near, _ in taps])
        weights = stack([where((near >= 0) & (near < size), share, 0.0) for near, share in taps])
        numbers = numbers.clamp(0, size - 1).to(int64)
        picked = (picked[:, None] * size + numbers).flatten(0, 1)
        weight = (weight[:, None] * weights).flatten(0, 1)
    pixels = math.prod(sizes)
    of_image = arange(n, device=input.device).reshape(-1, *[1] * (grid.ndim - 2)) * pixels
    rows = input.movedim(1, -1).reshape(n * pixels, channels)
    read = rows.index_select(0, (picked + of_image).flatten()).reshape(*picked.shape, channels)
    return (read * weight.unsqueeze(-1)).sum(0).movedim(-1, 1).contiguous()


def _taps(place: Tensor, size: int, mode: str, padding_mode: str, is_aligned: bool) -> Taps:
    """The pixels near the places along a dim; their numbers are whole, of the places' dtype."""
    if mode == "bicubic":
        first = place.detach().floor()
        share = place - first
        return [
            (_held(first + at, size, padding_mode, is_aligned), cubic_weight((share - at).abs()))
            for at in (-1, 0, 1, 2)
        ]
    place = _held(place, size, padding_mode, is_aligned)
    if mode == "nearest":
        return [(place.detach().round(), 1 + 0 * place)]  # a step: the gradient is 0
    first = place.detach().floor()
    return [(first, first + 1 - place), (first + 1, place - first)]


def _held(place: Tensor, size: int, padding_mode: str, is_aligned: bool) -> Tensor:
    """The places of which those outside of the image are brought into it."""
    if padding_mode == "zeros":
        return place
    if padding_mode == "reflection":
        low, span = (0.0, size - 1) if is_aligned else (-0.5, size)
        if not span:
            return place * 0
        beyond = place - low
        beyond = where(beyond < 0, -beyond, beyond)
        flips = (beyond.detach() / span).floor()
        rest = beyond - flips * span
        place = where(flips % 2 == 0, rest, span - rest) + low
    is_inside = (place > 0) & (place < size - 1)
    return where(is_inside, place, place.detach().clamp(0, size - 1))


def _check_modes(mode: str, padding_mode: str) -> None:
    for name, word, words in (
        ("mode", mode, "'bilinear', 'nearest' or 'bicubic'"),
        ("padding_mode", padding_mode, "'zeros', 'border', or 'reflection'"),
    ):
        if f"'{word}'" not in words:
            raise errors.ArgumentError(
                f"nn.functional.grid_sample(): expected {name} to be {words}, but got: {word!r}. "
                "It says what is between pixels, or beyond them. Write one of these."
            )


def _check_grid(input: Tensor, grid: Tensor, mode: str) -> None:
    for at, (what, x) in enumerate((("input", input), ("grid", grid)), 1):
        said = f"grid_sampler(): argument '{what}' (position {at}) must be Tensor"
        check.kind(said, x, Tensor, "Write `tensor(values)`.")
    both = f"but got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
    rank = input.ndim - 2
    sentence = ""
    if input.shape[:1] != grid.shape[:1]:
        sentence = f"expected grid and input to have same batch size, {both}"
    elif grid.shape[-1:] != (rank,):
        sentence = (
            f"expected grid to have size {rank} in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    elif 0 in input.shape[2:]:
        sentence = (
            "expected input to have non-empty spatial dimensions, but input has sizes "
            f"{list(input.shape)} with dimension {list(input.shape).index(0, 2)} being empty"
        )
    elif rank not in (2, 3) or grid.ndim != input.ndim:
        sentence = f"expected 4D or 5D input and grid with same number of dimensions, {both}"
    elif mode == "bicubic" and rank == 3:
        sentence = "bicubic interpolation only supports 4D input"
    if sentence:
        raise errors.ShapeError(
            f"grid_sampler(): {sentence}. Each pixel of the result has a place (x, y), or "
            "(x, y, z), in an image of the same batch. Write a grid of shape (n, h, w, 2)."
        )
    check.same_dtype("expected scalar type of both to be the same", input, grid, called="grid")
    check.kernel(f'"grid_sampler_{rank}d"', input, "f", "Write `x.float()`.")


@functional()
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The places that affine maps lead those of an image to: a grid for `grid_sample`.

    Args:
        theta: shape `(n, 2, 3)`, or `(n, 3, 4)`: for each image a matrix, and a shift behind it.
        size: of the images, `(n, c, h, w)` or `(n, c, d, h, w)`.
        align_corners: as of `grid_sample`.

    Returns:
        Tensor of shape `(n, h, w, 2)`, or `(n, d, h, w, 3)`.

    Raises:
        ArgumentError: if the sizes do not fit `theta`, or there are no pixels.
        MissingRuleError: for images of other dims.

    Example:
        >>> affine_grid(eye(2, 3)[None], (1, 1, 1, 2), align_corners=False)
        tensor([[[[-0.5000,  0.0000],
                  [ 0.5000,  0.0000]]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.affine_grid.html
    """
    check.tensor("affine_grid", theta)
    said = "Expected theta to have floating point type, but got {dtype}"
    check.dtype(
        said, theta, "f", "Places are fractions. Write `theta.float()`.", errors.ArgumentError
    )
    if len(size) not in (4, 5):
        raise errors.MissingRuleError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}. Write (batch, channels, sizes …)."
        )
    rank = len(size) - 2
    if theta.shape[1:] != (rank, rank + 1):
        raise errors.ArgumentError(
            f"Expected a batch of {rank}D affine matrices of shape Nx{rank}x{rank + 1} for size "
            f"{size}. Got {theta.shape}. There is a matrix for each image, with the shift behind."
        )
    if min(size) <= 0:
        raise errors.ArgumentError(
            f"Expected non-zero, positive output size. Got {size}. There are no places."
        )
    if align_corners is None:
        warn(_MOVED)
    elif align_corners and min(size[2:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
            "align_corners=True. This is not an intended use case of affine_grid. See the "
            "documentation of affine_grid for details."
        )
    if theta.shape[0] != size[0]:
        raise errors.ShapeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{size[0]}, {rank + 1}] but got: [{theta.shape[0]}, {rank + 1}]. There is a matrix "
            "for each image."
        )
    like: Any = {"dtype": theta.dtype, "device": theta.device}
    lines = []
    for n in size[2:]:
        line = linspace(-1.0, 1.0, n, **like) if n > 1 else theta.new_zeros(1)
        lines.append(line if align_corners else line * (n - 1) / n)
    places = meshgrid(*lines, indexing="ij")
    base = stack([*reversed(places), places[0].new_ones(places[0].shape)], -1).flatten(0, -2)
    return (base @ theta.mT).reshape(size[0], *size[2:], rank)


@for_each_rank()
def max_unpool(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Any = None,
    *,
    rank: int,
) -> Tensor:
    """The way back from `max_pool2d`: largest elements where they were, among zeros.

    Args:
        input: shape `(n, c, h, w)`, or `(c, h, w)`: what `max_pool2d` gives.
        indices: where they were, as it gives them with `return_indices=True`.
        kernel_size, stride, padding: of that pooling.
        output_size: the size of the result, if windows of several sizes pool to this one; with or
            without the batch and the channels.

    Returns:
        Tensor of shape `(n, c, h', w')`, `h' = (h − 1)·stride − 2·padding + k`.

    Raises:
        ArgumentError: for an `output_size` that cannot be meant.
        ShapeError: if the shapes do not fit, or a place is outside.
        DTypeError: for indices that are not int64.

    Example:
        >>> y, places = max_pool2d(tensor([[[1.0, 4.0, 3.0, 2.0]]]), (1, 2), return_indices=True)
        >>> max_unpool2d(y, places, (1, 2))
        tensor([[[0., 4., 3., 0.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.MaxUnpool2d.html
    """
    name = f"max_unpooling{rank}d"
    check.tensor(name, input)
    check.long("elements in indices should be type int64", indices)
    if input.ndim not in (rank + 1, rank + 2):
        raise errors.ShapeError(
            f"Input to {name} should be a {rank + 1}d or {rank + 2}d Tensor, but got a tensor "
            f"with {input.ndim} dimensions. An image is (channels, sizes …). "
            "Write `x.unsqueeze(0)`."
        )
    if input.shape != indices.shape:
        raise errors.ShapeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}. "
            "Each element has a place. Write those that the pooling has returned."
        )
    sizes = _unpooled_size(input, rank, kernel_size, stride, padding, output_size)
    places, pixels = visible(indices.payload), math.prod(sizes)
    outside = [] if places is None else places[(places < 0) | (places >= pixels)]
    if len(outside):
        raise errors.ShapeError(
            f"Found an invalid max index: {outside[0]} (output volumes are of size "
            f"{'x'.join(map(str, sizes))}). There is no such pixel. Write `output_size=`."
        )
    image = input.new_zeros(*input.shape[:-rank], pixels)
    return image.scatter(-1, indices.flatten(-rank), input.flatten(-rank)).unflatten(-1, sizes)


def _unpooled_size(
    input: Tensor, rank: int, kernel_size: Ints, stride: Any, padding: Ints, output_size: Any
) -> tuple[int, ...]:
    """The size of what was pooled: that which is asked for, if it is near the usual one."""
    name = f"max_unpool{rank}d"
    kernel = each_dim(kernel_size, rank, name, "kernel_size")
    steps = kernel if stride is None or stride == [] else each_dim(stride, rank, name, "stride")
    around = each_dim(padding, rank, name, "padding")
    rows = zip(input.shape[-rank:], kernel, steps, around, strict=True)
    usual = tuple([(n - 1) * step - 2 * extra + k for n, k, step, extra in rows])
    if output_size is None:
        return usual
    asked = ints_of(tuple(output_size), name, "output_size")
    if len(asked) not in (rank, rank + 2):
        raise errors.ArgumentError(
            f"output_size should be a sequence containing {rank} or {rank + 2} elements, but it "
            f"has a length of '{len(asked)}'. It is the size of an image. Write one for each dim."
        )
    asked = asked[-rank:]
    for dim, (n, middle, step) in enumerate(zip(asked, usual, steps, strict=True)):
        if not middle - step < n < middle + step:
            raise errors.ArgumentError(
                f'invalid output_size "{asked}" (dim {dim} must be between {middle - step} and '
                f"{middle + step}). Windows of another size would pool to another one."
            )
    return asked


@for_each_rank(least=2)
def fractional_max_pool(
    input: Tensor,
    kernel_size: Ints,
    output_size: Ints | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
    *,
    rank: int,
) -> Any:
    """The largest elements of windows that are a fraction of a step apart, beginning at random.

    Args:
        input: floating-point tensor of shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        kernel_size: the size of a window, a number or one for each dim.
        output_size: `(h', w')`, or a number for both; or:
        output_ratio: its share of the size of the image, between 0 and 1.
        return_indices: whether to return where the elements were, too.
        _random_samples: where windows begin, numbers from 0 to 1 of shape `(n, c, 2)`; None: drawn.

    Returns:
        Tensor of shape `(n, c, h', w')`, or a pair, as of `max_pool2d`.

    Raises:
        ArgumentError: if neither a size nor a ratio is given.
        ShapeError: if the windows do not fit.

    Example:
        >>> fractional_max_pool2d(arange(16.0).reshape(1, 4, 4), 2, output_size=2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])

    See also: Graham, *Fractional Max-Pooling* (2014).
    """
    name = f"fractional_max_pool{rank}d"
    if output_size is None and output_ratio is None:
        raise errors.ArgumentError(
            f"{name} requires specifying either an output_size or an output_ratio. They say how "
            "large the result is. Write output_ratio=0.5."
        )
    x = input if input.ndim == rank + 2 else input.unsqueeze(0)
    places = x.shape[2:]
    size: Any = output_size
    if size is None:
        ratios = output_ratio if isinstance(output_ratio, Sequence) else (output_ratio,) * rank
        size = [int(n * share) for n, share in zip(places, ratios, strict=True)]
    kernel = each_dim(kernel_size, rank, name, "kernel_size")
    size = each_dim(size, rank, name, "output_size")
    samples = _random_samples
    if samples is None:
        samples = rand(*x.shape[:2], rank, dtype=x.dtype, device=x.device)
    flat = zeros((), dtype=int64, device=x.device)
    for dim, (n, k, m) in enumerate(zip(places, kernel, size, strict=True)):
        if m + k - 1 > n or m < 1:
            raise errors.ShapeError(
                f"{name}(): pool size {k} too large relative to input size {n}, for {m} windows. "
                "Each begins behind the one before."
            )
        which = dim if rank == 3 else 1 - dim  # of an image, that of columns comes first
        begin = _fractional_begins(samples.detach()[..., which : which + 1], n - k, m)
        rows = begin.unsqueeze(-1) + arange(k, device=x.device)  # (examples, channels, m, k)
        shape = [1] * (2 * rank)
        shape[dim], shape[rank + dim] = m, k
        flat = flat * n + rows.reshape(*begin.shape[:2], *shape)
    values = x.flatten(2)
    windows = flat.expand(*x.shape[:2], *flat.shape[2:]).flatten(2 + rank).flatten(2, 1 + rank)
    inside = values.detach().gather(-1, windows.flatten(2)).reshape(windows.shape)
    found = windows.gather(-1, inside.argmax(-1, keepdim=True)).squeeze(-1)
    whole = (*input.shape[: input.ndim - rank], *size)
    largest = values.gather(-1, found).reshape(whole)
    return (largest, found.reshape(whole)) if return_indices else largest


def _fractional_begins(sample: Tensor, last: int, count: int) -> Tensor:
    """Where windows begin: ⌊(i + sample)·step⌋ - ⌊sample·step⌋, and the last one at `last`."""
    step = last / (count - 1) if count > 1 else 0.0
    turns = arange(count, device=sample.device)
    begins = ((turns + sample) * step).long() - (sample * step).long()
    return where(turns == count - 1, last, begins)
