"""Windows that slide over an image: convolutions, and `unfold`, which lays the windows out.

A convolution multiplies each window with the weights. Laid out as columns, the windows are a
matrix, and the convolution is one product of matrices. What a window gives back, its gradient, is
added where it was seen.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DimError, DTypeError, ShapeError
from glassgrad.core.primitive import Parameters, Primitive
from glassgrad.core.state import Shape, Values
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of

from ._arguments import c_name, check_kind, ints_of, require_tensor, scalar_name
from ._declaring import for_each_rank, function
from ._families import Paired, batch_all, by_call, run, total, zeros_like
from .linalg import stacked_product, transposed
from .memory import steps_of
from .padding import constant_pad_nd
from .resampling import depending

Ints = int | Sequence[int]


# Windows ------------------------------------------------------------------------------------------


Overlap = tuple[Shape, Values, Values]
"""A place in a window; the key of the windows with an element there, and that of these elements."""


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

    @property
    def rank(self) -> int:
        """How many dims they slide over."""
        return len(self.kernel)

    def of_rows(self) -> "Windows":
        """Those of images that are one pixel high, for lines."""
        kernel, stride, padding, dilation = self
        return Windows((1, *kernel), (1, *stride), (0, *padding), (1, *dilation))

    def counts(self, sizes: Shape) -> Shape:
        """How many windows fit into dims of such sizes."""
        return tuple(
            [
                (n + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
                for n, kernel, stride, padding, dilation in zip(sizes, *self, strict=True)
            ]
        )

    def seen(self, x: Any, counts: Shape) -> Any:
        """What is seen through the windows: `(…, *kernel, *counts)`; beyond the edges it is 0."""
        rank = self.rank
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
        sizes, counts = out.shape[-self.rank :], parts.shape[-self.rank :]
        for place, windows, elements in self.overlaps(sizes, counts):
            out[elements] += parts[(..., *place, *windows[1:])]

    def overlaps(self, sizes: Shape, counts: Shape) -> list[Overlap]:
        """Where dims of such sizes, and so many windows, lie on each other."""
        return _overlaps(self, sizes, counts)


@functools.lru_cache
def _overlaps(windows: Windows, sizes: Shape, counts: Shape) -> list[Overlap]:
    lines = [_overlaps_in(*line) for line in zip(sizes, counts, *windows, strict=True)]
    return [(place, (..., *some), (..., *elements)) for place, some, elements in together(lines)]


def together(lines: list[Any]) -> list[Any]:
    """What is found for each dim, a tuple for each place, for all of the dims at once."""
    return [tuple(zip(*found, strict=True)) for found in itertools.product(*lines)]


def _overlaps_in(
    n: int, count: int, kernel: int, stride: int, padding: int, dilation: int
) -> list[tuple[int, slice, slice]]:
    """The same for one dim: window i sees the element i·stride + place·dilation − padding."""
    found = []
    for place in range(kernel):
        shift = place * dilation - padding
        first = max(0, -(shift // stride))
        behind = min(count, (n - 1 - shift) // stride + 1)
        if first < behind:
            start, end = first * stride + shift, (behind - 1) * stride + shift + 1
            found.append((place, slice(first, behind), slice(start, end, stride)))
    return found


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


# Windows laid out as columns ----------------------------------------------------------------------


class Im2Col(Paired):
    """y = unfold(x, windows)        x̄ = fold(ȳ, windows, size)"""

    @staticmethod
    def forward(x, *, windows, size):
        *ahead, channels = x.shape[:-2]
        counts = windows.counts(size)
        rows = channels * math.prod(windows.kernel)
        return windows.seen(x, counts).reshape(*ahead, rows, math.prod(counts))


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


@function(home="nn.functional")
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
    require_tensor("unfold", input)
    windows = _columns_asked("unfold", kernel_size, dilation, padding, stride)
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
    check_kind('"im2col_out_cpu"', input, "bfc", "Write `x.float()`.")
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


@function(home="nn.functional")
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
    require_tensor("fold", input)
    windows = _columns_asked("fold", kernel_size, dilation, padding, stride)
    size = each_dim(output_size, 2, "fold", "output_size")
    shape = list(input.shape)
    if input.ndim not in (2, 3) or 0 in shape[-2:]:
        raise ShapeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {shape}. Its columns are windows. "
            "Write what `unfold` gives."
        )
    check_kind('"col2im_out_cpu"', input, "bfc", "Write `x.float()`.")
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


def _columns_asked(
    name: str, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> Windows:
    """The windows of `unfold` and `fold`."""
    numbers = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
    numbers["dilation"] = dilation
    windows = Windows(*[each_dim(each, 2, name, what) for what, each in numbers.items()])
    check_windows(name, windows)
    return windows


# Convolutions -------------------------------------------------------------------------------------

# Note [Three products]
# Of an input x, weights w and a result y there are three products: `Convolution` makes y of x and
# w, `ConvolutionTransposed` x of y and w, `ConvolutionWeight` w of x and y. All of them sum
# x·w·y over the windows, but for the one that they make. So the gradients of each are the two
# others, and they take the same parameters. `size` is that of the dims of x.

_ENTRIES = 1 << 18  # in a matrix of windows, which a cache holds; for more, examples take turns


class _Product(Primitive):
    """One of the three products."""

    promotes = None
    saves = ("input", "weight")
    saved_if = {"input": 1, "weight": 0}

    @classmethod
    @by_call
    def jvp(cls, ctx, first, second, *bias):
        """Linear in each factor; a bias is only added."""
        x, w, *_ = ctx.operands
        parts = [None if second is None else cls.apply(x, second, **ctx.parameters)]
        biases = [each for each in bias if each is not None]
        if first is not None or biases:
            moved = np.zeros_like(x) if first is None else first
            parts.append(cls.apply(moved, w, *biases, **ctx.parameters))
        return total(parts)


class _ByWeight(_Product):
    """One of the two that take the weights, and a bias."""

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


def _bias_bars(ctx: Any, grad: Any, *saved: Any) -> list[Any]:
    """The gradient of the bias, if there is one (see Note [Gradients that say of what])."""
    dims = (0, *range(2, grad.ndim))
    bars = [None if edge is None else grad.sum(axis=dims) for edge in ctx.edges[2:]]
    factor = next((each for each in saved if each is not None), None)
    return [bar if bar is None else depending(bar, factor) for bar in bars]


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

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        places = _places(ctx)
        return (
            None if weight is None else run(ConvolutionTransposed, grad, weight, **places),
            None if x is None else run(ConvolutionWeight, x, grad, **places),
            *_bias_bars(ctx, grad, x, weight),
        )


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
        n = x.shape[0]
        rows = weight.reshape(groups, weight.shape[0] // groups, -1)
        x = x.reshape(n, *rows.shape[:2], math.prod(counts))
        channels = weight.shape[1] * groups
        y = zeros_like(x, (n, channels, *size))
        for some in _blocks(n, rows.shape[0] * rows.shape[2] * x.shape[3]):
            parts = stacked_product(transposed(rows), x[some])
            windows.added(parts.reshape(-1, channels, *windows.kernel, *counts), y[some])
        return _with_bias(y, bias)

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        places = _places(ctx)
        return (
            None if weight is None else run(Convolution, grad, weight, **places),
            None if x is None else run(ConvolutionWeight, grad, x, **places),
            *_bias_bars(ctx, grad, x, weight),
        )


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


# What users call ----------------------------------------------------------------------------------


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
    numbers: Any = (stride, 0 if is_named else padding, dilation)
    windows = _windows_over(name, rank, input, weight, bias, numbers)
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
    windows = _windows_over(name, rank, input, weight, bias, (stride, padding, dilation))
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


def check_windows(name: str, windows: Windows) -> None:
    """Raise ShapeError if one of the numbers is lower than it may be."""
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


def _windows_over(
    name: str,
    rank: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    numbers: tuple[Any, Any, Any],
) -> Windows:
    """The windows that the weights are about; raises unless all are tensors of one dtype.

    Args:
        numbers: stride, padding and dilation.
    """
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
                f"precision. Write `{what}.to(x.dtype)`."
            )
    check_kind(f'"{name}"', input, "iufc", "Write `x.float()`.")
    if input.ndim not in (rank + 1, rank + 2) or weight.ndim != rank + 2:
        raise ShapeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {name}, but got "
            f"input of size: {list(input.shape)} and weight of size {list(weight.shape)}. It takes "
            "images (channels, sizes …), or a batch of them, and a kernel for each pair of "
            "channels. Write `x.unsqueeze(0)` for a missing dim."
        )
    given = zip(numbers, ("stride", "padding", "dilation"), strict=True)
    others = [each_dim(each, rank, name, what) for each, what in given]
    windows = Windows(tuple(weight.shape[2:]), *others)
    check_windows(name, windows)
    return windows


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
    if padding not in ("valid", "same"):
        raise ShapeError(
            f"Invalid padding string: {padding!r}. It is a number, or says what the size of the "
            "result is. Write 'valid' or 'same'."
        )
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
