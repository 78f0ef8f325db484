"""Pooling: the mean or the largest element of each window of an image.

The windows are all alike, `avg_pool2d` and `max_pool2d`, or as many as a result of a given size
needs, `adaptive_avg_pool2d` and its like: then they differ by an element, and may overlap.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.errors import ArgumentError, ShapeError
from glassgrad.core.state import Shape, Values
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of, kept
from glassgrad.values.dtypes import ends_of, int64

from ._arguments import OpClass, check_kind, ints_of, require_tensor
from ._declaring import for_each_rank
from ._families import Along, Moved, Paired, run, zeros_like
from .convolution import Ints, Overlap, Windows, check_windows, each_dim, together
from .reduction import mean
from .resampling import TAPS, Line, Resample, SavesInput, Taps, depending
from .scattering import Gather


class AdaptiveWindows(NamedTuple):
    """As many windows as a result has elements: window i of m goes from ⌊i·n/m⌋ to ⌈(i + 1)·n/m⌉.

    Attributes:
        counts: how many there are along each of the last dims.
    """

    counts: Shape

    @property
    def rank(self) -> int:
        """How many dims they slide over."""
        return len(self.counts)

    def of_rows(self) -> "AdaptiveWindows":
        """Those of images that are one pixel high, for lines."""
        return AdaptiveWindows((1, *self.counts))

    def overlaps(self, sizes: Shape, counts: Shape) -> list[Overlap]:
        """As `Windows.overlaps`; the keys are arrays."""
        lines = [_adaptive(n, m) for n, m in zip(sizes, counts, strict=True)]
        return [
            (place, (..., *np.ix_(*windows)), (..., *np.ix_(*elements)))
            for place, windows, elements in together(lines)
        ]


def _ends(n: int, m: int) -> tuple[Any, Any]:
    """Where windows begin and end."""
    counted = np.arange(m)
    return counted * n // m, -((counted + 1) * -n // m)


def _adaptive(n: int, m: int) -> list[tuple[int, Any, Any]]:
    """For each place in a window of one dim: windows that have it, and the elements there.

    Where windows begin together they take turns, so that no element comes twice.
    """
    starts, ends = _ends(n, m)
    turn = np.arange(m) - np.searchsorted(starts, starts)
    longest, turns = int(np.max(ends - starts, initial=0)), int(np.max(turn, initial=0)) + 1
    found = []
    for place, now in itertools.product(range(longest), range(turns)):
        some = np.flatnonzero((starts + place < ends) & (turn == now))
        found.append((place, some, starts[some] + place))
    return found


# The largest --------------------------------------------------------------------------------------


def _overlaps(x: Any, windows: Any, counts: Shape) -> list[tuple[Values, Values]]:
    """For each place in a window, as keys: the windows with an element there, and the elements."""
    overlaps = windows.overlaps(x.shape[-windows.rank :], counts)
    return [(_key_on(x, some), _key_on(x, elements)) for _, some, elements in overlaps]


def _key_on(x: Any, key: Values) -> Values:
    """A key whose arrays are where `x` is."""
    asarray = backend_of(x).asarray
    return tuple([asarray(each) if isinstance(each, np.ndarray) else each for each in key])


def _chosen(x: Any, y: Any, windows: Any) -> Iterator[tuple[Values, Values, Any]]:
    """Where the largest element of each window is: the first one of several, but the last nan.

    Returns:
        For each place in a window: the windows with an element there, these elements, and whether
        it is the one.
    """
    overlaps = _overlaps(x, windows, y.shape[-windows.rank :])
    is_open = np.ones_like(y, dtype=bool)
    for some, elements in overlaps:
        here = (x[elements] == y[some]) & is_open[some]
        is_open[some] &= ~here
        yield some, elements, here
    if not np.any(is_open):
        return
    for some, elements in reversed(overlaps):  # what is left is nan, which equals nothing
        here = (x[elements] != x[elements]) & is_open[some]
        is_open[some] &= ~here
        yield some, elements, here


class MaxPoolIndices(Along):
    """k = argmax(x, windows)

    Where the largest element of each window is, if the image is laid out as one line.
    """

    differentiable = False
    promotes = None

    @staticmethod
    def forward(x, y, *, windows):
        found = np.zeros_like(y, dtype=int64)
        sizes = x.shape[-windows.rank :]
        line = backend_of(x).asarray(np.arange(math.prod(sizes)).reshape(sizes))
        for some, elements, here in _chosen(x, y, windows):
            found[some] = np.where(here, line[elements], found[some])
        return found


class MaxPool2d(Along):
    """y = max(x, windows)        dy = pick(dx, x, y)        x̄ = put(ȳ, x, y)"""

    node = "MaxPool2DWithIndicesBackward0"
    promotes = None
    saves = ("self",)  # and not the result: a ReLU in place may follow

    @staticmethod
    def forward(x, *, windows, counts):
        lowest, _ = ends_of(x.dtype)
        y = np.full_like(x, lowest, order="C", shape=(*x.shape[: -windows.rank], *counts))
        for some, elements in _overlaps(x, windows, counts):
            y[some] = np.maximum(y[some], x[elements])
        return y

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        y = run(MaxPool2d, x, windows=ctx.windows, counts=ctx.counts)
        return run(MaxPoolPut, grad, x, y, windows=ctx.windows)

    @staticmethod
    def jvp(ctx, dx):
        (x,) = ctx.saved_tensors
        y = run(MaxPool2d, x, windows=ctx.windows, counts=ctx.counts)
        return _picked(dx, x, y, ctx.windows)


class MaxPoolPut(Along):
    """z = put(g, x, y)        dz = put(dg, x, y)        ḡ = pick(z̄, x, y),  x̄ = 0·x,  ȳ = 0·y

    What each window has is added where its largest element is: the gradient of a maximum. It
    depends on x, if only by steps, so that has a gradient of 0.
    """

    promotes = None
    saves = ("self", "result1")
    saved_at = {"self": 1, "result1": 2}

    @staticmethod
    def forward(g, x, y, *, windows):
        z = np.zeros_like(x, order="C")
        for some, elements, here in _chosen(x, y, windows):
            z[elements] += kept(g[some], here)
        return z

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return _picked(grad, x, y, ctx.windows), np.zeros_like(x), np.zeros_like(y)

    @classmethod
    def jvp(cls, ctx, dg, *_):
        x, y = ctx.saved_tensors
        return np.zeros_like(x) if dg is None else cls.apply(dg, x, y, windows=ctx.windows)


def _picked(g: Any, x: Any, y: Any, windows: Any) -> Any:
    """Of each window what `g` has where the largest element of x is."""
    rank = windows.rank
    places = run(MaxPoolIndices, x, y, windows=windows)
    line, at = [
        each.reshape(*each.shape[:-rank], math.prod(each.shape[-rank:])) for each in (g, places)
    ]
    return run(Gather, line, at, dim=line.ndim - 1).reshape(places.shape)


class MaxPool3d(MaxPool2d):
    """y = max(x, windows)        dy = pick(dx, x, y)        x̄ = put(ȳ, x, y)"""

    node = "MaxPool3DWithIndicesBackward0"


class AdaptiveMaxPool2d(MaxPool2d):
    """y = max(x, windows)        dy = pick(dx, x, y)        x̄ = put(ȳ, x, y)"""

    node = "AdaptiveMaxPool2DBackward0"


class AdaptiveMaxPool3d(MaxPool2d):
    """y = max(x, windows)        dy = pick(dx, x, y)        x̄ = put(ȳ, x, y)"""

    node = "AdaptiveMaxPool3DBackward0"


# The mean -----------------------------------------------------------------------------------------


class AvgPool2d(Moved):
    """y = mean(x, windows)        x̄ = spread(ȳ, windows)

    Attributes of the node:
        divisors: for each dim what sums are divided by, one for each window.
    """

    node = "AvgPool2DBackward0"
    saves = ("self",)

    @staticmethod
    def forward(x, *, windows, counts, divisors):
        y = zeros_like(x, (*x.shape[: -windows.rank], *counts))
        for _, some, elements in windows.overlaps(x.shape[-windows.rank :], counts):
            y[some] += x[elements]
        divisor = _divisor(x, divisors)
        if x.dtype.kind == "i":  # towards zero
            return np.abs(y) // np.abs(divisor) * np.sign(y) * np.sign(divisor)
        return y / divisor

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        places = {name: getattr(ctx, name) for name in AvgPool2d.parameters}
        return depending(run(AvgPoolTransposed, grad, shape=x.shape, **places), x)


class AvgPool3d(AvgPool2d):
    """y = mean(x, windows)        x̄ = spread(ȳ, windows)"""

    node = "AvgPool3DBackward0"


class AvgPoolTransposed(Paired):
    """y = spread(x, windows)        x̄ = mean(ȳ, windows)

    Each element, divided, is added wherever its window was.
    """

    sizes = ("shape",)

    @staticmethod
    def forward(x, *, windows, counts, divisors, shape):
        y, part = zeros_like(x, shape), x / _divisor(x, divisors)
        for _, some, elements in windows.overlaps(shape[-windows.rank :], counts):
            y[elements] += part[some]
        return y


AvgPoolTransposed.back = AvgPool2d


def _divisor(x: Any, divisors: Sequence[Values]) -> Any:
    """What the sums of windows are divided by, in the dtype of `x`."""
    first, *others = divisors
    product: Any = np.multiply.outer(first, 1)
    for each in others:
        product = np.multiply.outer(product, each)
    return backend_of(x).asarray(product, x.dtype)


class AdaptiveAvgPool2d(SavesInput, Resample):
    """yᵢ = Σₖ weight[k, i]·x[index[k, i]]        x̄ⱼ = Σ_{i,k} weight[k, i]·ȳᵢ·[index[k, i] = j]"""

    node = "AdaptiveAvgPool2DBackward0"


class AdaptiveAvgPool3d(SavesInput, Resample):
    """yᵢ = Σₖ weight[k, i]·x[index[k, i]]        x̄ⱼ = Σ_{i,k} weight[k, i]·ȳᵢ·[index[k, i] = j]"""

    node = "AdaptiveAvgPool3DBackward0"


def _adaptive_taps(n: int, m: int) -> Taps:
    """The mean of each window. Where one is shorter, its last element comes in two halves."""
    starts, ends = _ends(n, m)
    lengths = ends - starts
    longest = int(np.max(lengths, initial=1))
    index = np.minimum(starts + np.arange(longest)[:, None], ends - 1)
    repeats = np.where(index == ends - 1, longest - lengths + 1, 1)
    return Taps(index, 1 / (lengths * repeats))


TAPS["adaptive"] = _adaptive_taps


# What users call ----------------------------------------------------------------------------------


@for_each_rank(1, 2, 3)
def max_pool(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
    *,
    rank: int,
) -> Any:
    """The largest element of each window of an image.

    Args:
        input: shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        kernel_size: the size of a window, a number or one for each dim.
        stride: how far the next window is; None: as far as a window is large.
        padding: how far windows reach over the edges, where nothing is; at most half a window.
        dilation: how far apart in the image the elements of a window are.
        ceil_mode: whether a last window may be only partly filled.
        return_indices: whether to return where the elements were, too.

    Returns:
        Tensor of shape `(n, c, h', w')`, `h' = ⌊(h + 2·padding − dilation·(k − 1) − 1)/stride⌋ +
        1`, rounded up in `ceil_mode`; with `return_indices` a pair with the int64 tensor of places
        in the image, counted row by row. Of several largest elements the first one gets the
        gradient; nan counts as the largest.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for bools and complex numbers.

    Example:
        >>> max_pool2d(arange(16.0).reshape(1, 4, 4), 2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool2d.html
    """
    name, numbers = f"max_pool{rank}d", (kernel_size, stride, padding, dilation)
    windows, counts = _windows(name, rank, input, numbers, ceil_mode)
    check_kind(f'"{name}"', input, "f" if rank == 1 else "iuf", "Write `x.float()`.")
    cls = MaxPool3d if rank == 3 else MaxPool2d
    return _largest_of(cls, input, windows, counts, return_indices)


@for_each_rank()
def adaptive_max_pool(
    input: Tensor, output_size: Any, return_indices: bool = False, *, rank: int
) -> Any:
    """The largest elements of as many windows of an image as the result has elements.

    Args:
        input: floating-point tensor of shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        output_size: `(h', w')`, or a number for both; None leaves a size as it is.
        return_indices: whether to return where the elements were, too.

    Returns:
        Tensor of shape `(n, c, h', w')`, or a pair, as of `max_pool2d`. The windows are those of
        `adaptive_avg_pool2d`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for other dtypes than floats.

    Example:
        >>> adaptive_max_pool2d(arange(16.0).reshape(1, 4, 4), (1, 2))
        tensor([[[13., 15.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool2d.html
    """
    name = f"adaptive_max_pool{rank}d"
    counts = _adaptive_counts(name, rank, input, output_size, allowed_empty=0)
    check_kind(f'"{name}"', input, "f", "Write `x.float()`.")
    cls = AdaptiveMaxPool3d if rank == 3 else AdaptiveMaxPool2d
    return _largest_of(cls, input, AdaptiveWindows(counts), counts, return_indices)


def _largest_of(
    cls: type[MaxPool2d],
    input: Tensor,
    windows: Windows | AdaptiveWindows,
    counts: Shape,
    return_indices: bool,
) -> Any:
    """The largest elements; those of a line as of an image that is one pixel high."""
    if len(counts) == 1:
        rows, images = windows.of_rows(), input.unsqueeze(-2)
        found = _largest_of(cls, images, rows, (1, *counts), return_indices)
        return tuple([y.squeeze(-2) for y in found]) if return_indices else found.squeeze(-2)
    y = cls.apply(input, windows=windows, counts=counts)
    if not return_indices:
        return y
    return y, MaxPoolIndices.apply(input.detach(), y.detach(), windows=windows)


@for_each_rank(1)
def avg_pool(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    rank: int,
) -> Tensor:
    """The mean of each window of an image.

    Args:
        input: shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        kernel_size: the size of a window, a number or one for each dim.
        stride: how far the next window is; None: as far as a window is large.
        padding: how far windows reach over the edges, where zeros are; at most half a window.
        ceil_mode: whether a last window may be only partly filled.
        count_include_pad: whether those zeros count.
        divisor_override: what to divide sums by, instead of the number of elements.

    Returns:
        Tensor of shape `(n, c, h', w')`, `h' = ⌊(h + 2·padding − k)/stride⌋ + 1`, rounded up in
        `ceil_mode`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for other dtypes than floats and int64, which is rounded towards 0.

    Example:
        >>> avg_pool2d(arange(16.0).reshape(1, 4, 4), 2)
        tensor([[[ 2.5000,  4.5000],
                 [10.5000, 12.5000]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool2d.html
    """
    name = f"avg_pool{rank}d"
    windows, counts = _windows(name, rank, input, (kernel_size, stride, padding, 1), ceil_mode)
    kinds = "fi" if input.dtype == int64 else "f"
    check_kind(f'"{name}"', input, kinds, "Write `x.float()`.")
    if divisor_override == 0:
        raise ShapeError(
            f"{name}(): divisor must be not zero. Sums are divided by it. Write another number, or "
            "None for the number of elements."
        )
    if rank == 1:
        windows, counts, input = windows.of_rows(), (1, *counts), input.unsqueeze(-2)
    divisors = _divisors(windows, input.shape[-windows.rank :], counts, count_include_pad)
    if divisor_override is not None:
        divisors = ((divisor_override,), *[(1,)] * (len(counts) - 1))
    cls = AvgPool3d if rank == 3 else AvgPool2d
    y = cls.apply(input, windows=windows, counts=counts, divisors=divisors)
    return y.squeeze(-2) if rank == 1 else y


def _divisors(
    windows: Windows, sizes: Shape, counts: Shape, count_include_pad: bool
) -> tuple[Values, ...]:
    """How many elements each window has along each dim; one number if all have as many."""
    found = []
    for n, count, kernel, stride, padding, _ in zip(sizes, counts, *windows, strict=True):
        starts = np.arange(count) * stride - padding
        ends = np.minimum(starts + kernel, n + padding)
        if not count_include_pad:
            starts, ends = np.maximum(starts, 0), np.minimum(ends, n)
        lengths = (ends - starts).tolist()
        found.append(tuple(lengths[:1] if len(set(lengths)) == 1 else lengths))
    return tuple(found)


@for_each_rank(1)
def adaptive_avg_pool(input: Tensor, output_size: Any, *, rank: int) -> Tensor:
    """The means of as many windows of an image as the result has elements.

    Args:
        input: floating-point tensor of shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        output_size: `(h', w')`, or a number for both; None leaves a size as it is.

    Returns:
        Tensor of shape `(n, c, h', w')`. Window i of m goes from `⌊i·n/m⌋` up to `⌈(i + 1)·n/m⌉`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for other dtypes than floats.

    Example:
        >>> adaptive_avg_pool2d(arange(16.0).reshape(1, 4, 4), (1, 2))
        tensor([[[6.5000, 8.5000]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html
    """
    counts = _adaptive_counts(
        f"adaptive_avg_pool{rank}d", rank, input, output_size, allowed_empty=1
    )
    if rank == 1:
        return _adaptive_means(input.unsqueeze(-2), (1, *counts), AdaptiveAvgPool2d).squeeze(-2)
    return _adaptive_means(input, counts, AdaptiveAvgPool3d if rank == 3 else AdaptiveAvgPool2d)


def _adaptive_means(input: Tensor, counts: Shape, cls: OpClass) -> Tensor:
    """The means of windows; a single one is that of all elements."""
    if set(counts) == {1}:
        return mean(input, tuple(range(-len(counts), 0)), keepdim=True)
    check_kind('"adaptive_avg_pool2d"', input, "f", "Write `x.float()`.")
    pairs = zip(input.shape[-len(counts) :], counts, strict=True)
    return cls.apply(input, lines=tuple([Line("adaptive", pair) for pair in pairs]))


@for_each_rank()
def lp_pool(
    input: Tensor,
    norm_type: float,
    kernel_size: Ints,
    stride: Ints | None = None,
    ceil_mode: bool = False,
    *,
    rank: int,
) -> Tensor:
    """The p-norm of each window of an image: `(Σ xᵖ)^(1/p)`.

    Args:
        input: shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        norm_type: p.
        kernel_size: the size of a window, a number or one for each dim.
        stride: how far the next window is; None: as far as a window is large.
        ceil_mode: whether a last window may be only partly filled.

    Returns:
        Tensor of the shape that `avg_pool2d` gives.

    Example:
        >>> lp_pool2d(tensor([[[3.0, 4.0]]]), 2.0, (1, 2))
        tensor([[[5.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool2d.html
    """
    kernel = each_dim(kernel_size, rank, f"lp_pool{rank}d", "kernel_size")
    powers = input.pow(norm_type)
    means = avg_pool(powers, kernel, stride, 0, ceil_mode, rank=rank)
    return (means.sign() * means.abs().relu() * math.prod(kernel)).pow(1 / norm_type)


# What is refused ----------------------------------------------------------------------------------


def _windows(
    name: str, rank: int, input: Tensor, numbers: Sequence[Any], ceil_mode: bool
) -> tuple[Windows, Shape]:
    """The windows of a pooling that is asked for, and how many of them there are.

    Args:
        numbers: kernel_size, stride, padding and dilation.

    Raises:
        ShapeError: if they do not fit each other, or the image.
    """
    require_tensor(name, input)
    _check_image(name, rank, input, allowed_empty=0)
    kernel_size, stride, padding, dilation = numbers
    kernel = each_dim(kernel_size, rank, name, "kernel_size")
    is_given = stride is not None and stride != () and stride != []
    steps = each_dim(stride, rank, name, "stride") if is_given else kernel
    around = each_dim(padding, rank, name, "padding")
    spread = each_dim(dilation, rank, name, "dilation")
    windows = Windows(kernel, steps, around, spread)
    check_windows(name, windows)
    for k, p, d in zip(kernel, around, spread, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise ShapeError(
                f"{name}() padding should be at most half of kernel size: pad should be at most "
                f"half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={d}"
                f" (padding={p} and kernel_size={k}). A window would see nothing. "
                "Pad the image with `pad` first."
            )
    sizes = input.shape[-rank:]
    counts = _rounded_up(windows, sizes) if ceil_mode else windows.counts(sizes)
    if min(counts) < 1:
        raise ShapeError(
            f"{name}() Invalid computed output size: {counts[0]}. Given input size: "
            f"{list(input.shape[-rank - 1 :])}. Calculated output size: {list(counts)}. Output size"
            " is too small: no window fits. Write a smaller kernel_size."
        )
    return windows, counts


def _rounded_up(windows: Windows, sizes: Shape) -> Shape:
    """How many windows there are if a last one may reach over the end, but begins before it."""
    found = []
    for n, kernel, stride, padding, dilation in zip(sizes, *windows, strict=True):
        left = n + 2 * padding - dilation * (kernel - 1) - 1
        count = -(-left // stride) + 1
        found.append(count - ((count - 1) * stride >= n + padding))
    return tuple(found)


def _adaptive_counts(
    name: str, rank: int, input: Tensor, output_size: Any, *, allowed_empty: int
) -> Shape:
    """The sizes of the result that are asked for.

    Args:
        allowed_empty: how many dims behind the batch may be empty.
    """
    require_tensor(name, input)
    if isinstance(output_size, (tuple, list)) and input.ndim <= len(output_size) > 1:
        raise ArgumentError(
            f"Input dimension should be at least {len(output_size) + 1}, but {name}() got the shape"
            f" {list(input.shape)}. An image is (channels, sizes …). Write `x.unsqueeze(0)`."
        )
    _check_image(name, rank, input, allowed_empty=allowed_empty)
    asked = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * rank
    if len(asked) != rank:
        raise ShapeError(
            f"{name}() argument 'output_size' should contain {'one int' if rank == 1 else rank} "
            f"(got {len(asked)}): {name}: output_size must be {rank}, output_size.size() must be "
            f"{rank}. Each dim has one. Write a number for all, or one for each."
        )
    own = input.shape[-rank:]
    filled = tuple([n if m is None else m for n, m in zip(own, asked, strict=True)])
    counts = ints_of(filled, name, "output_size")
    if min(counts) < 0:
        raise ShapeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received "
            f"{list(counts)}: Trying to create tensor with negative dimension {min(counts)}. "
            "They are sizes. Write numbers from 0 on."
        )
    return counts


def _check_image(name: str, rank: int, input: Tensor, *, allowed_empty: int) -> None:
    """Raise ShapeError unless a tensor is an image, or a batch of them, that has pixels."""
    shape = list(input.shape)
    if input.ndim not in (rank + 1, rank + 2):
        raise ShapeError(
            f"{name}(): Expected {rank + 1}D or {rank + 2}D tensor, but got {shape}: Expected "
            f"{rank + 1} to {rank + 2} dimensions, but got {input.ndim}-dimensional tensor for "
            f"argument #1 'self' (while checking arguments for {name}); non-empty {rank + 1}D or "
            f"{rank + 2}D (batch mode) tensor expected for input. An image is (channels, sizes …). "
            "Write `x.unsqueeze(0)`."
        )
    if 0 in shape[input.ndim - rank - 1 + allowed_empty :]:
        at = shape.index(0, input.ndim - rank - 1 + allowed_empty)
        raise ShapeError(
            f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input "
            f"has sizes {shape} with dimension {at} being empty: Expected {rank + 1}D or "
            f"{rank + 2}D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{shape}. There is nothing to choose from."
        )
