"""Windows that slide over an image: convolutions, pools, and `unfold`, which lays the windows out.

A convolution multiplies each window with the weights. Laid out as columns, the windows are a
matrix, and the convolution is one product of matrices. What a window gives back, its gradient, is
added where it was seen. A pool takes the mean or the largest element of each window; its windows
are all alike, `max_pool2d`, or as many as a result of a given size needs, `adaptive_max_pool2d`
and its like: then they differ by an element, and may overlap.
"""

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DimError, DTypeError, ShapeError
from glassgrad.core.primitive import Parameters, Primitive
from glassgrad.core.state import Shape, Values
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of, kept
from glassgrad.values.dtypes import int64

from . import _checks as check
from ._arguments import OpClass, ints_of
from ._checks import c_name, scalar_name
from ._declaring import for_each_rank, functional
from ._families import Along, Paired, Transposed, by_call
from ._rules import batch_all, in_dim, run, zeros_like, zeros_of
from .linalg import stacked_product, transposed
from .memory import steps_of
from .resampling import (
    TAPS,
    Line,
    Resample,
    SavesInput,
    Taps,
    by_rank,
    constant_pad_nd,
    on_device,
    taps_of,
    turns_of,
)
from .scattering import Gather

Ints = int | Sequence[int]
Lines = tuple[Line, ...]


# Windows ------------------------------------------------------------------------------------------


class Windows(NamedTuple):
    """Windows that slide over the last dims; each of these has a number for each dim.

    Attributes:
        kernel: how many elements a window has.
        stride: how far apart two windows are.
        padding: by how much the first and the last may reach over the edges.
        dilation: how far apart the elements of a window are.
    """

    kernel: Shape
    stride: Shape
    padding: Shape
    dilation: Shape

    def counts(self, sizes: Shape, *, ceil_mode: bool = False) -> Shape:
        """How many windows fit into dims of such sizes.

        Args:
            ceil_mode: whether a last one may reach over the end, if it begins before it.
        """
        found = []
        for n, kernel, stride, padding, dilation in zip(sizes, *self, strict=True):
            left = n + 2 * padding - dilation * (kernel - 1) - 1
            count = (-(-left // stride) if ceil_mode else left // stride) + 1
            found.append(count - (ceil_mode and (count - 1) * stride >= n + padding))
        return tuple(found)

    def lines(self, sizes: Shape, counts: Shape, kind: str = "windows", *more: Shape) -> Lines:
        """What so many windows see along each dim, as it is resampled."""
        each_dims = zip(sizes, counts, *self, *more, strict=True)
        return tuple([Line(kind, numbers) for numbers in each_dims])

    def seen(self, x: Any, counts: Shape) -> Any:
        """What is seen through the windows: `(…, *kernel, *counts)`; beyond the edges it is 0."""
        rank = len(self.kernel)
        if any(self.padding):
            edges = list(zip(self.padding, x.shape[-rank:], strict=True))
            wide = zeros_like(x, (*x.shape[:-rank], *[n + 2 * padding for padding, n in edges]))
            wide[(..., *[slice(padding, padding + n) for padding, n in edges])] = x
            x = wide
        steps = steps_of(x)
        ahead, own = steps[:-rank], steps[-rank:]
        within = [step * dilation for step, dilation in zip(own, self.dilation, strict=True)]
        onwards = [step * stride for step, stride in zip(own, self.stride, strict=True)]
        shape = (*x.shape[:-rank], *self.kernel, *counts)
        return backend_of(x).strided(x, shape, (*ahead, *within, *onwards), 0)

    def added(self, parts: Any, out: Any) -> None:
        """Add to `out` what each window has for the elements that it sees: the transpose."""
        rank = len(self.kernel)
        for taps, some, elements in meetings(self.lines(out.shape[-rank:], parts.shape[-rank:])):
            out[elements] += parts[(..., *taps, *some[1:])]


def _sliding(n: int, m: int, kernel: int, stride: int, padding: int, dilation: int) -> Taps:
    """Window i sees the elements i·stride + place·dilation − padding, if these are there."""
    index = np.arange(m) * stride + np.arange(kernel)[:, None] * dilation - padding
    return Taps(np.where((index >= 0) & (index < n), index, -1))


def _means(n: int, m: int, *window: int) -> Taps:
    """The same, divided by `divisor`; 0: by how many elements there are, or with the padding."""
    *shape, includes_padding, divisor = window
    kernel, stride, padding, _ = shape
    index = _sliding(n, m, *shape).index
    starts = np.arange(m) * stride - padding
    lengths = np.minimum(starts + kernel, n + padding) - starts
    counted = lengths if includes_padding else np.sum(index >= 0, axis=0)
    return Taps(index, divisor=np.full(m, divisor) if divisor else counted)


def _adaptive(n: int, m: int) -> Taps:
    """Window i of m goes from ⌊i·n/m⌋ to ⌈(i + 1)·n/m⌉."""
    counted = np.arange(m)
    starts, ends = counted * n // m, -((counted + 1) * -n // m)
    index = starts + np.arange(np.max(ends - starts, initial=0))[:, None]
    return Taps(np.where(index < ends, index, -1), divisor=ends - starts)


TAPS |= {"windows": _sliding, "means": _means, "adaptive": _adaptive}


@functools.lru_cache
def meetings(lines: Lines) -> list[tuple[Shape, Values, Values]]:
    """For each place in a window, as keys: the windows with an element there, and the elements."""
    found = []
    for each in itertools.product(*[turns_of(line) for line in lines]):
        taps, some, elements = zip(*each, strict=True)
        found.append((taps, _of_all(some), _of_all(elements)))
    return found


def _of_all(keys: Values) -> Values:
    """The keys of single dims as one of all of them."""
    if all(isinstance(key, slice) for key in keys):
        return (..., *keys)
    return (..., *np.ix_(*[np.r_[key] for key in keys]))


@functools.lru_cache
def _transposed(windows: Windows, sizes: Shape, counts: Shape) -> tuple[Windows, Windows]:
    """Windows by which to transpose: those that add to what they see, and those that look.

    To add is slow where rows are short. So along the last dim each element of the result looks for
    what adds to it, if that is in a window of its own: if no window jumps.
    """
    dims: list[Any] = list(zip(*windows, strict=True))
    kernel, stride, padding, dilation = dims[-1]
    around = dilation * (kernel - 1) - padding
    still = [(1, 1, 0, 1)] * len(dims)
    looking = Windows(*zip(*still[1:], (kernel, 1, around, dilation), strict=True))
    if stride > 1 or around < 0 or looking.counts(counts)[-1] != sizes[-1]:
        return windows, Windows(*zip(*still, strict=True))
    return Windows(*zip(*dims[:-1], still[0], strict=True)), looking


def each_dim(values: Any, rank: int, name: str, argument: str) -> Shape:
    """An argument that may be one number for all dims, as a tuple.

    Raises:
        ShapeError: if there are as many numbers as no dims have.
    """
    numbers = ints_of(values, name, argument)
    if len(numbers) not in (1, rank):
        raise ShapeError(
            f"{name}(): expected {argument} to be a single integer value or a list of {rank} "
            f"values to match the convolution dimensions, but got {argument}={list(numbers)}. "
            f"It is expected {argument} equals to {rank}, but got size {len(numbers)}. "
            "Each dim has one. Write a number for all, or one for each."
        )
    return numbers if len(numbers) == rank else numbers * rank


def _windows(name: str, rank: int, kernel_size: Ints, *others: Any) -> Windows:
    """The windows that are asked for.

    Args:
        others: stride, padding and dilation.

    Raises:
        ShapeError: if one of the numbers is lower than it may be, or does not fit.
    """
    given = zip(("kernel_size", *Windows._fields[1:]), (kernel_size, *others), strict=True)
    windows = Windows(*[each_dim(numbers, rank, name, what) for what, numbers in given])
    for sentence, numbers, lowest in (
        ("kernel size should be greater than zero", windows.kernel, 1),
        ("non-positive stride is not supported: stride should not be zero", windows.stride, 1),
        ("negative padding is not supported: pad must be non-negative", windows.padding, 0),
        ("dilation should be greater than zero", windows.dilation, 1),
    ):
        if min(numbers) < lowest:
            raise ShapeError(
                f"{name}(): {sentence}, but got {list(numbers)}. A window has elements, and the "
                f"next one lies ahead. Write numbers from {lowest} on."
            )
    return windows


# Windows laid out as columns ----------------------------------------------------------------------


class Im2Col(Paired):
    """y = unfold(x, windows)        x̄ = fold(ȳ, windows, size)"""

    @staticmethod
    def forward(x, *, windows, size):
        *ahead, channels = x.shape[:-2]
        counts = windows.counts(size)
        rows = channels * math.prod(windows.kernel)
        seen = np.copy(windows.seen(x, counts), order="C")
        return seen.reshape(*ahead, rows, math.prod(counts))


class Col2Im(Paired):
    """y = fold(x, windows, size)        x̄ = unfold(ȳ, windows)"""

    @staticmethod
    def forward(x, *, windows, size):
        *ahead, rows, _ = x.shape
        channels = rows // math.prod(windows.kernel)
        y = zeros_like(x, (*ahead, channels, *size))
        counts = windows.counts(size)
        windows.added(x.reshape(*ahead, channels, *windows.kernel, *counts), y)
        return y


Im2Col.back, Col2Im.back = Col2Im, Im2Col


@functional()
def unfold(
    input: Tensor, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1
) -> Tensor:
    """The windows of images, each laid out as a column.

    Args:
        input: tensor of shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        kernel_size: the size `(k, l)` of a window, or one number for both.
        dilation: how far apart in the image the elements of a window are.
        padding: how many zeros are put around the image.
        stride: how far the next window is.

    Returns:
        Tensor of shape `(n, c·k·l, windows)`.

    Raises:
        DimError, ShapeError: if shapes or numbers do not fit.
        DTypeError: for integers.

    Example:
        >>> unfold(tensor([[[1.0, 2.0, 3.0]]]), (1, 2))
        tensor([[1., 2.],
                [2., 3.]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.unfold.html
    """
    check.tensor("unfold", input)
    windows = _windows("unfold", 2, kernel_size, stride, padding, dilation)
    shape = list(input.shape)
    if input.ndim not in (3, 4):
        raise (DimError if input.ndim == 2 else ShapeError)(
            f"unfold(): Dimension out of range: Expected 3D or 4D (batch mode) tensor, got {shape}."
            " Windows slide over images (channels, h, w). Write `x.unsqueeze(0)`, or `x.unfold(…)`."
        )
    if 0 in shape[-3:]:
        raise ShapeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {shape}. There is nothing to see."
        )
    check.kernel('"im2col_out_cpu"', input, "bfc", "Write `x.float()`.")
    size = tuple(input.shape[-2:])
    counts = windows.counts(size)
    if min(counts) < 1:
        raise ShapeError(
            f"Given input with spatial size {size}, kernel_size={windows.kernel}, dilation="
            f"{windows.dilation}, padding={windows.padding}, calculated shape of the array of "
            f"sliding blocks as {counts}, but its components must be at least one. No window fits. "
            "Write a smaller kernel_size."
        )
    return Im2Col.apply(input, windows=windows, size=size)


@functional()
def fold(
    input: Tensor,
    output_size: Ints,
    kernel_size: Ints,
    dilation: Ints = 1,
    padding: Ints = 0,
    stride: Ints = 1,
) -> Tensor:
    """Images that have, at each place, the sum of what all windows have for it.

    Args:
        input: tensor of shape `(n, c·k·l, windows)`, or without n: what `unfold` gives.
        output_size: the size `(h, w)` of the images, or one number for both.
        kernel_size, dilation, padding, stride: of the windows, see `unfold`.

    Returns:
        Tensor of shape `(n, c, h, w)`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for integers.

    Example:
        >>> fold(ones(2, 2), (1, 3), (1, 2))
        tensor([[[1., 2., 1.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.fold.html
    """
    check.tensor("fold", input)
    windows = _windows("fold", 2, kernel_size, stride, padding, dilation)
    size = each_dim(output_size, 2, "fold", "output_size")
    shape = list(input.shape)
    if input.ndim not in (2, 3) or 0 in shape[-2:]:
        raise ShapeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {shape}. Its columns are windows. "
            "Write what `unfold` gives."
        )
    check.kernel('"col2im_out_cpu"', input, "bfc", "Write `x.float()`.")
    if shape[-2] % math.prod(windows.kernel):
        raise ShapeError(
            f"Expected size of input's dimension {input.ndim - 2} to be divisible by the product "
            f"of kernel_size, but got input.size({input.ndim - 2})={shape[-2]} and kernel_size="
            f"{windows.kernel}. Each channel has as many rows."
        )
    counts = tuple([max(count, 0) for count in windows.counts(size)])
    if shape[-1] != math.prod(counts) or not min(counts):
        raise ShapeError(
            f"Given output_size={size}, kernel_size={windows.kernel}, dilation={windows.dilation}, "
            f"padding={windows.padding}, stride={windows.stride}, expected size of input's "
            f"dimension {input.ndim - 1} to match the calculated number of sliding blocks "
            f"{counts[0]} * {counts[1]} = {math.prod(counts)}, but got input.size("
            f"{input.ndim - 1})={shape[-1]}. Each window is a column."
        )
    return Col2Im.apply(input, windows=windows, size=size)


# Convolutions -------------------------------------------------------------------------------------

# Note [Three products]
# Of an input x, weights w and a result y there are three products: `Convolution` makes y of x and
# w, `ConvolutionTransposed` x of y and w, `ConvolutionWeight` w of x and y. All of them sum
# x·w·y over the windows, but for the one that they make. So the gradients of each are the two
# others, and they take the same parameters. `size` is that of the dims of x.

_ENTRIES = 1 << 18  # in a matrix of windows, which a cache holds; for more, examples take turns


class _Product(Primitive):
    """One of the three products."""

    saves = ("input", "weight")
    saved_if = {"input": 1, "weight": 0}

    @classmethod
    @by_call
    def jvp(cls, ctx, first, second, *bias):
        """Linear in the first operand and the bias together, and in the second."""
        x, w, *_ = ctx.operands
        biases = [each for each in bias if each is not None]
        moved = None if second is None else run(cls, x, second, **ctx.parameters)
        if first is None and not biases:
            return moved
        dx = np.zeros_like(x) if first is None else first
        part = run(cls, dx, w, *biases, **ctx.parameters)
        return part if moved is None else part + moved


class _ByWeight(_Product):
    """One of the two that take the weights, and a bias.

    Attributes:
        back: the other one.
    """

    back: ClassVar[OpClass]

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        places, back = _places(ctx), ctx._forward_cls.back
        pair = (x, grad) if back is ConvolutionTransposed else (grad, x)
        dims, saved = (0, *range(2, grad.ndim)), weight if x is None else x
        biases = [None if edge is None else grad.sum(axis=dims) for edge in ctx.edges[2:]]
        if isinstance(saved, Tensor):  # see Note [Gradients that say of what]
            biases = [None if bar is None else bar + zeros_of(saved).sum() for bar in biases]
        return (
            None if weight is None else run(back, grad, weight, **places),
            None if x is None else run(ConvolutionWeight, *pair, **places),
            *biases,
        )

    @classmethod
    def vmap(cls, info, in_dims, x, w, *bias, groups, **places):
        """A batch of inputs is more examples; with a batch of weights, each is a group."""
        n = info.batch_size
        if in_dims[1] is not None:
            x, w = batch_all(info, in_dims[:2], (x, w))
            weights = w.reshape(n * w.shape[1], *w.shape[2:])
            y = _apart(cls.apply(_side_by_side(x), weights, groups=n * groups, **places), n)
        elif in_dims[0] is not None:
            merged = x.reshape(n * x.shape[1], *x.shape[2:])
            y = cls.apply(merged, w, groups=groups, **places)
            y = y.reshape(n, x.shape[1], *y.shape[1:])
        else:
            y = cls.apply(x, w, groups=groups, **places)[None]
        for each in bias:
            y = y + each.reshape(-1, 1, y.shape[2], *[1] * (y.ndim - 3))
        return y


def _side_by_side(x: Any) -> Any:
    """A batch of batches `(b, n, c, …)` with the channels of all of them: `(n, b·c, …)`."""
    b, n, channels, *sizes = x.shape
    return x.movedim(0, 1).reshape(n, b * channels, *sizes)


def _apart(x: Any, b: int) -> Any:
    """The way back."""
    n, channels, *sizes = x.shape
    return x.reshape(n, b, channels // b, *sizes).movedim(1, 0)


def _places(ctx: Any) -> Parameters:
    """The parameters of a node, which are those of all three products."""
    return {name: getattr(ctx, name) for name in Convolution.parameters}


def _with_bias(y: Any, bias: Values) -> Any:
    """`y` and a number for each channel. It is the caller's own array."""
    for each in bias:
        y += each.reshape(-1, *[1] * (y.ndim - 2))
    return y


def _blocks(n: int, entries: int) -> list[slice]:
    """So many of `n` examples at a time as there is memory for, if each has so many entries."""
    step = max(1, _ENTRIES // max(1, entries))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def _columns(windows: Windows, x: Any, counts: Shape, groups: int) -> Any:
    """What is seen through the windows, each a column: `(n, groups, channels·kernel, windows)`."""
    rows = x.shape[1] // groups * math.prod(windows.kernel)
    return windows.seen(x, counts).reshape(x.shape[0], groups, rows, math.prod(counts))


class Convolution(_ByWeight):
    """y[n, m, i] = b[m] + Σ_{l,k} w[m, l, k]·x[n, l, p]
    dy[n, m, i] = db[m] + Σ_{l,k} (dw[m, l, k]·x[n, l, p] + w[m, l, k]·dx[n, l, p])
    x̄[n, l, j] = Σ_{m,i,k} ȳ[n, m, i]·w[m, l, k]·[j = p]
    w̄[m, l, k] = Σ_{n,i} ȳ[n, m, i]·x[n, l, p]
    b̄[m] = Σ_{n,i} ȳ[n, m, i],  p = stride·i + dilation·k − padding

    n counts examples, m and l the channels of y and x, i windows, and k the places in a window: all
    of the last three have as many dims as the image. See Note [Three products].
    """

    @staticmethod
    def forward(x, weight, *bias, windows, groups, size, counts):
        rows = weight.reshape(groups, weight.shape[0] // groups, -1)
        n, width = x.shape[0], math.prod(counts)
        y = np.empty_like(x, shape=(n, *rows.shape[:2], width))
        for some in _blocks(n, rows.shape[0] * rows.shape[2] * width):
            np.matmul(rows, _columns(windows, x[some], counts, groups), out=y[some])
        return _with_bias(y.reshape(n, weight.shape[0], *counts), bias)


class ConvolutionTransposed(_ByWeight):
    """y[n, l, j] = b[l] + Σ_{m,i,k} x[n, m, i]·w[m, l, k]·[j = p]
    dy[n, l, j] = db[l] + Σ_{m,i,k} (dx[n, m, i]·w[m, l, k] + x[n, m, i]·dw[m, l, k])·[j = p]
    x̄[n, m, i] = Σ_{l,k} w[m, l, k]·ȳ[n, l, p]
    w̄[m, l, k] = Σ_{n,i} x[n, m, i]·ȳ[n, l, p]
    b̄[l] = Σ_{n,j} ȳ[n, l, j],  p = stride·i + dilation·k − padding
    """

    node = "ConvolutionBackward0"

    @staticmethod
    def forward(x, weight, *bias, windows, groups, size, counts):
        n, channels = x.shape[0], weight.shape[1] * groups
        scattered, gathered = _transposed(windows, size, counts)
        w = weight.reshape(groups, weight.shape[0] // groups, -1, math.prod(gathered.kernel))
        rows = w[..., ::-1].swapaxes(1, 2).reshape(groups, w.shape[2], -1)
        seen = gathered.counts(counts)
        y = zeros_like(x, (n, channels, *size))
        for some in _blocks(n, groups * max(rows.shape[1:]) * math.prod(seen)):
            parts = stacked_product(rows, _columns(gathered, x[some], seen, groups))
            scattered.added(parts.reshape(-1, channels, *scattered.kernel, *seen), y[some])
        return _with_bias(y, bias)


Convolution.back, ConvolutionTransposed.back = ConvolutionTransposed, Convolution


class ConvolutionWeight(_Product):
    """z[m, l, k] = Σ_{n,i} x[n, l, p]·y[n, m, i]
    dz[m, l, k] = Σ_{n,i} (dx[n, l, p]·y[n, m, i] + x[n, l, p]·dy[n, m, i])
    x̄[n, l, j] = Σ_{m,i,k} y[n, m, i]·z̄[m, l, k]·[j = p]
    ȳ[n, m, i] = Σ_{l,k} z̄[m, l, k]·x[n, l, p],  p = stride·i + dilation·k − padding

    The gradient of the weights of a convolution, as a function of its input and its gradient.
    """

    saves = ("self", "other")
    saved_if = {"self": 1, "other": 0}

    @staticmethod
    def forward(x, y, *, windows, groups, size, counts):
        channels = x.shape[1] // groups, y.shape[1] // groups
        y = y.reshape(y.shape[0], groups, channels[1], math.prod(y.shape[2:]))
        weight = zeros_like(x, (groups, channels[1], channels[0] * math.prod(windows.kernel)))
        for some in _blocks(x.shape[0], groups * weight.shape[2] * y.shape[3]):
            weight += (y[some] @ transposed(_columns(windows, x[some], counts, groups))).sum(axis=0)
        return weight.reshape(groups * channels[1], channels[0], *windows.kernel)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        places = _places(ctx)
        return (
            None if y is None else run(ConvolutionTransposed, y, grad, **places),
            None if x is None else run(Convolution, x, grad, **places),
        )

    @classmethod
    def vmap(cls, info, in_dims, x, y, *, groups, **places):
        """The channels of each are groups of their own."""
        n = info.batch_size
        x, y = batch_all(info, in_dims, (x, y))
        weight = cls.apply(_side_by_side(x), _side_by_side(y), groups=n * groups, **places)
        return weight.reshape(n, weight.shape[0] // n, *weight.shape[1:])


@for_each_rank(1, 2, 3)
def conv(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints | str = 0,
    dilation: Ints = 1,
    groups: int = 1,
    *,
    rank: int,
) -> Tensor:
    """The convolution of images with weights: what each window and the weights have in common.

    Args:
        input: shape `(n, in, h, w)`, or `(in, h, w)` for one image.
        weight: shape `(out, in / groups, k, l)`: a kernel for each pair of channels.
        bias: shape `(out,)`, which is added; None: nothing.
        stride: how far the next window is.
        padding: how many zeros are put around the image; "valid": none; "same": as many as make a
            result of the same size.
        dilation: how far apart in the image the elements of a kernel are.
        groups: the channels are in so many groups, which do not see each other.

    Returns:
        Tensor of shape `(n, out, h', w')`, `h' = ⌊(h + 2·padding − dilation·(k − 1) − 1)/stride⌋ +
        1`, and `w'` the same of w and l. A number stands for both dims, or there are two.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> conv2d(ones(1, 1, 3, 3), ones(1, 1, 2, 2))
        tensor([[[[4., 4.],
                  [4., 4.]]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html
    """
    name, is_named = f"conv{rank}d", isinstance(padding, str)
    _check_operands(name, rank, input, weight, bias)
    padded = 0 if is_named else padding
    windows = _windows(name, rank, weight.shape[2:], stride, padded, dilation)
    if is_named:
        input, windows = _padded_by_name(input, padding, windows)
    _check_channels(input, weight, bias, groups, transposed=False)
    size = tuple(input.shape[-rank:])
    counts = windows.counts(size)
    if min(counts) < 1:
        wide = [n + 2 * padding for n, padding in zip(size, windows.padding, strict=True)]
        raise ShapeError(
            f"{name}(): Calculated padded input size per channel: {wide}. Kernel size: "
            f"{list(windows.kernel)}, dilation: {list(windows.dilation)}. Kernel size can't be "
            "greater than actual input size: no window fits. Write `padding=`."
        )
    places: Parameters = {"windows": windows, "groups": groups, "size": size, "counts": counts}
    return _of_batch(Convolution, input, weight, bias, places)


@for_each_rank(1, 2, 3)
def conv_transpose(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
    *,
    rank: int,
) -> Tensor:
    """The transpose of `conv2d`: each element of `input` adds a kernel, as often as it says.

    So it is the gradient of `conv2d`, and makes images larger again.

    Args:
        input: shape `(n, in, h, w)`, or `(in, h, w)` for one image.
        weight: shape `(in, out / groups, k, l)`.
        bias: shape `(out,)`, which is added; None: nothing.
        stride: how far apart in the result neighbours of `input` are.
        padding: how many elements are cut off at each edge of the result.
        output_padding: how many are added at its end; smaller than stride or dilation.
        groups: the channels are in so many groups, which do not see each other.
        dilation: how far apart in the result the elements of a kernel are.

    Returns:
        Tensor of shape `(n, out, h', w')`, `h' = (h − 1)·stride − 2·padding + dilation·(k − 1) +
        output_padding + 1`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> conv_transpose2d(tensor([[[[1.0, 2.0]]]]), ones(1, 1, 1, 2))
        tensor([[[[1., 3., 2.]]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose2d.html
    """
    name = f"conv_transpose{rank}d"
    _check_operands(name, rank, input, weight, bias)
    windows = _windows(name, rank, weight.shape[2:], stride, padding, dilation)
    _check_channels(input, weight, bias, groups, transposed=True)
    counts, size = tuple(input.shape[-rank:]), []
    more = each_dim(output_padding, rank, name, "output_padding")
    for n, extra, kernel, step, around, spread in zip(counts, more, *windows, strict=True):
        size.append((n - 1) * step - 2 * around + spread * (kernel - 1) + extra + 1)
        if extra >= max(step, spread):
            raise ShapeError(
                f"{name}(): output padding must be smaller than either stride or dilation, but got "
                f"output_padding={extra} for stride={step} and dilation={spread}. It says which "
                "of the sizes is meant that such windows may come from. Write a smaller one."
            )
    if min(size) < 1:
        raise ShapeError(
            f"{name}(): Given input size per channel: {list(counts)}. Calculated output size per "
            f"channel: {size}. Output size is too small. The padding cuts off what the windows "
            "add up to. Write a smaller `padding`."
        )
    places: Parameters = {"windows": windows, "groups": groups, "size": tuple(size)}
    return _of_batch(ConvolutionTransposed, input, weight, bias, places | {"counts": counts})


def _of_batch(
    cls: type[_Product], input: Tensor, weight: Tensor, bias: Tensor | None, places: Parameters
) -> Tensor:
    """Apply a product to a batch, or to one example as a batch of one."""
    is_one, biases = input.ndim == weight.ndim - 1, () if bias is None else (bias,)
    y = cls.apply(input.unsqueeze(0) if is_one else input, weight, *biases, **places)
    return y.squeeze(0) if is_one else y


def _check_operands(
    name: str, rank: int, input: Tensor, weight: Tensor, bias: Tensor | None
) -> None:
    """Raise unless all are tensors of one dtype and of so many dims."""
    operands: Parameters = {"input": input, "weight": weight, "bias": bias}
    for what, x in operands.items():
        if not isinstance(x, Tensor) and (x is not None or what != "bias"):
            raise ArgumentTypeError(
                f"{name}() received an invalid combination of arguments - got {type(x).__name__} "
                f"for the {what}. It convolves tensors. Write `tensor(values)`."
            )
        if x is not None and x.dtype != input.dtype:
            raise DTypeError(
                f"{name}(): expected scalar type {scalar_name(input.dtype)} but found "
                f"{scalar_name(x.dtype)}: Input type ({c_name(input.dtype)}) and {what} type "
                f"({c_name(x.dtype)}) should be the same. A convolution is computed in one "
                f"precision. {check.to_one_dtype(input, x, what)}"
            )
    check.kernel(f'"{name}"', input, "iufc", "Write `x.float()`.")
    if input.ndim not in (rank + 1, rank + 2) or weight.ndim != rank + 2:
        raise ShapeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {name}, but got "
            f"input of size: {list(input.shape)} and weight of size {list(weight.shape)}. It takes "
            "images (channels, sizes …), or a batch of them, and a kernel for each pair of "
            "channels. Write `x.unsqueeze(0)` for a missing dim."
        )


def _check_channels(
    input: Tensor, weight: Tensor, bias: Tensor | None, groups: int, *, transposed: bool
) -> None:
    """Raise ShapeError unless the channels of all of them fit."""
    shape, given = list(weight.shape), f"{transposed=:d}" if transposed else f"{groups=}"
    if groups <= 0 or not shape[0] or shape[0] % groups:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be at least {groups}, and divisible by "
            f"{groups}, at dimension 0, but got weight of size {shape} instead: non-positive groups"
            " is not supported. Each group has as many channels. Write groups=1."
        )
    channels, outputs = shape[1] * groups, shape[0]
    if transposed:
        channels, outputs = outputs, channels
    found = input.shape[1 - weight.ndim]
    if found != channels:
        raise ShapeError(
            f"Given {given}, weight of size {shape}, expected input{list(input.shape)} to have "
            f"{channels} channels, but got {found} channels instead. Each channel has its weights. "
            "Write the dims in the order (batch, channels, sizes …)."
        )
    if bias is not None and tuple(bias.shape) != (outputs,):
        raise ShapeError(
            f"Given {given}, weight of size {shape}, expected bias to be 1-dimensional with "
            f"{outputs} elements, but got bias of size {list(bias.shape)} instead. Each channel of "
            "the result has one number."
        )


def _padded_by_name(input: Tensor, padding: Any, windows: Windows) -> tuple[Tensor, Windows]:
    """What `padding="same"` or "valid" means; the input is wider if an edge needs more.

    Raises:
        ShapeError: for another word, or for "same" with a stride.
    """
    said = "Invalid padding string: {!r}. It is a number, or says what the size of the result is"
    check.choice(said, padding, ("valid", "same"), "Write 'valid' or 'same'.", ShapeError)
    if padding == "valid":
        return input, windows
    if max(windows.stride) > 1:
        raise ShapeError(
            "padding='same' is not supported for strided convolutions, got stride="
            f"{windows.stride}. Every other window gives half the size. Write a number."
        )
    pairs = zip(windows.dilation, windows.kernel, strict=True)
    whole = [dilation * (kernel - 1) for dilation, kernel in pairs]
    odd = [each for n in reversed(whole) for each in (0, n % 2)]  # of the last dim first
    if any(odd):
        input = constant_pad_nd(input, odd)
    return input, windows._replace(padding=tuple([n // 2 for n in whole]))


# Pools --------------------------------------------------------------------------------------------


def _met(x: Any, lines: Lines) -> list[tuple[Values, Values]]:
    """For each place in a window, as keys: the windows with an element there, and the elements."""
    return [on_device(x, (some, elements)) for _, some, elements in meetings(lines)]


def _chosen(x: Any, y: Any, lines: Lines) -> Iterator[tuple[Values, Values, Any]]:
    """Where the largest element of each window is: the first one of several, but the last nan.

    Returns:
        For each place in a window: the windows with an element there, these elements, and whether
        it is the one.
    """
    places = _met(x, lines)
    is_open = np.ones_like(y, dtype=bool)
    for some, elements in places:
        here = (x[elements] == y[some]) & is_open[some]
        is_open[some] ^= here
        yield some, elements, here
    if not np.any(is_open):
        return
    for some, elements in reversed(places):  # what is left is nan, which equals nothing
        here = (x[elements] != x[elements]) & is_open[some]
        is_open[some] ^= here
        yield some, elements, here


class MaxPoolIndices(Along):
    """k = argmax(x, windows)

    Where the largest element of each window is, if the image is laid out as one line.
    """

    differentiable = False
    promotes = None

    @staticmethod
    def forward(x, y, *, lines):
        found = np.zeros_like(y, dtype=int64)
        sizes = x.shape[-len(lines) :]
        line = backend_of(x).asarray(np.arange(math.prod(sizes)).reshape(sizes))
        for some, elements, here in _chosen(x, y, lines):
            found[some] = np.where(here, line[elements], found[some])
        return found


class MaxPool2d(Transposed, Along):
    """y = max(x, windows)        dy = pick(dx, x, y)        x̄ = put(ȳ, x, y)"""

    node = "MaxPool2DWithIndicesBackward0"
    promotes = None
    saves = ("self",)  # and not the result: a ReLU in place may follow

    @staticmethod
    def forward(x, *, lines):
        """One dim goes after the other: of rows the largest elements, and of these."""
        lowest, _ = check.ends_of(x.dtype)
        for dim, line in enumerate(lines, x.ndim - len(lines)):
            shape = (*x.shape[:dim], taps_of(line).index.shape[1], *x.shape[dim + 1 :])
            y = np.full_like(x, lowest, order="C", shape=shape)
            for tap, places, elements in turns_of(line):
                some = in_dim(on_device(x, places), dim)
                part = x[in_dim(on_device(x, elements), dim)]
                y[some] = np.maximum(y[some], part) if tap else part
            x = y
        return x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        y = run(MaxPool2d, x, lines=ctx.lines)
        return run(MaxPoolPut, grad, x, y, lines=ctx.lines)


class MaxPoolPut(Transposed, Along):
    """z = put(g, x, y)        dz = put(dg, x, y)        ḡ = pick(z̄, x, y),  x̄ = 0·x,  ȳ = 0·y

    What each window has is added where its largest element is: the gradient of a maximum. It
    depends on x, if only by steps, so that has a gradient of 0.
    """

    promotes = None
    saves = ("self", "result1")
    saved_at = {"self": 1, "result1": 2}

    @staticmethod
    def forward(g, x, y, *, lines):
        z = np.zeros_like(x, order="C")
        for some, elements, here in _chosen(x, y, lines):
            z[elements] += kept(g[some], here)
        return z

    @staticmethod
    def gradient(grad, x, y, *, lines):
        return _picked(grad, x, y, lines), np.zeros_like(x), np.zeros_like(y)


def _picked(g: Any, x: Any, y: Any, lines: Lines) -> Any:
    """Of each window what `g` has where the largest element of x is."""
    ahead = x.ndim - len(lines)
    places = run(MaxPoolIndices, x, y, lines=lines)
    line, at = [
        each.reshape(*each.shape[:ahead], math.prod(each.shape[ahead:])) for each in (g, places)
    ]
    return run(Gather, line, at, dim=ahead).reshape(places.shape)


_LARGEST = "y = max(x, windows)        dy = pick(dx, x, y)        x̄ = put(ȳ, x, y)"
_MEAN = "y = mean(x, windows)        x̄ = spread(ȳ, windows)"
_MAX = by_rank("MaxPool", 3, formulas=_LARGEST, bases=(MaxPool2d,), ends="WithIndices")
_MAX[2] = MaxPool2d
_ADAPTIVE_MAX = by_rank("AdaptiveMaxPool", 2, 3, formulas=_LARGEST, bases=(MaxPool2d,))
_AVG = by_rank("AvgPool", 2, 3, formulas=_MEAN, bases=(SavesInput, Resample))
_ADAPTIVE_AVG = by_rank("AdaptiveAvgPool", 2, 3, formulas=_MEAN, bases=(SavesInput, Resample))
_ONE_ROW = Line("adaptive", (1, 1))


def _pooled(ops: dict[int, OpClass], input: Tensor, lines: Lines) -> Tensor:
    """Apply the op for so many dims; to lines as to images that are one pixel high."""
    if len(lines) == 1:
        return _pooled(ops, input.unsqueeze(-2), (_ONE_ROW, *lines)).squeeze(-2)
    return ops[len(lines)].apply(input, lines=lines)


def _largest_of(ops: dict[int, OpClass], input: Tensor, lines: Lines, return_indices: bool) -> Any:
    """The largest elements, and where they are, if that is asked for."""
    y = _pooled(ops, input, lines)
    if not return_indices:
        return y
    return y, MaxPoolIndices.apply(input.detach(), y.detach(), lines=lines)


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
    windows, counts = _pools(name, rank, input, numbers, ceil_mode=ceil_mode)
    check.kernel(f'"{name}"', input, "f" if rank == 1 else "iuf", "Write `x.float()`.")
    return _largest_of(_MAX, input, windows.lines(input.shape[-rank:], counts), return_indices)


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
    lines = _adaptive_lines(name, rank, input, output_size, allowed_empty=0)
    check.kernel(f'"{name}"', input, "f", "Write `x.float()`.")
    return _largest_of(_ADAPTIVE_MAX, input, lines, return_indices)


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
    numbers = (kernel_size, stride, padding, 1)
    windows, counts = _pools(name, rank, input, numbers, ceil_mode=ceil_mode)
    kinds = "fi" if input.dtype == int64 else "f"
    check.kernel(f'"{name}"', input, kinds, "Write `x.float()`.")
    if divisor_override == 0:
        raise ShapeError(
            f"{name}(): divisor must be not zero. Sums are divided by it. Write another number, or "
            "None for the number of elements."
        )
    includes = (int(count_include_pad),) * rank
    divisors = (0,) * rank if divisor_override is None else (divisor_override, *[1] * (rank - 1))
    lines = windows.lines(input.shape[-rank:], counts, "means", includes, divisors)
    return _pooled(_AVG, input, lines)


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
    name = f"adaptive_avg_pool{rank}d"
    lines = _adaptive_lines(name, rank, input, output_size, allowed_empty=1)
    if rank == 1:
        return adaptive_avg_pool(input.unsqueeze(-2), (1, lines[0].numbers[1]), rank=2).squeeze(-2)
    if all(m == 1 for _, (_, m) in lines):
        return input.mean(tuple(range(-rank, 0)), keepdim=True)
    check.kernel('"adaptive_avg_pool2d"', input, "f", "Write `x.float()`.")
    return _pooled(_ADAPTIVE_AVG, input, lines)


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


def _pools(
    name: str, rank: int, input: Tensor, numbers: Sequence[Any], *, ceil_mode: bool
) -> tuple[Windows, Shape]:
    """The windows of a pooling that is asked for, and how many of them there are.

    Args:
        numbers: kernel_size, stride, padding and dilation.

    Raises:
        ShapeError: if they do not fit each other, or the image.
    """
    check.tensor(name, input)
    _check_image(name, rank, input, allowed_empty=0)
    kernel_size, stride, padding, dilation = numbers
    is_given = stride is not None and stride != () and stride != []
    steps = stride if is_given else kernel_size
    windows = _windows(name, rank, kernel_size, steps, padding, dilation)
    for k, _, p, d in zip(*windows, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise ShapeError(
                f"{name}() padding should be at most half of kernel size: pad should be at most "
                f"half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={d}"
                f" (padding={p} and kernel_size={k}). A window would see nothing. "
                "Pad the image with `pad` first."
            )
    sizes = input.shape[-rank:]
    counts = windows.counts(sizes, ceil_mode=ceil_mode)
    if min(counts) < 1:
        raise ShapeError(
            f"{name}() Invalid computed output size: {counts[0]}. Given input size: "
            f"{list(input.shape[-rank - 1 :])}. Calculated output size: {list(counts)}. Output size"
            " is too small: no window fits. Write a smaller kernel_size."
        )
    return windows, counts


def _adaptive_lines(
    name: str, rank: int, input: Tensor, output_size: Any, *, allowed_empty: int
) -> Lines:
    """How the dims are resampled to the sizes that are asked for.

    Args:
        allowed_empty: how many dims behind the batch may be empty.
    """
    check.tensor(name, input)
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
    return tuple([Line("adaptive", pair) for pair in zip(own, counts, strict=True)])


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
