"""Elements of images taken anew: more around them, `pad`, and other sizes, `interpolate`.

Resampling goes one dim at a time: each element of the result is a weighted sum of a few of the
dim. Which, and with what weights, is known from the sizes alone. So it is for padding with what is
there, for sizes between pixels, and for the means of windows, whose pooling is in `windows.py`.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from glassgrad.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    MissingRuleError,
    RangeError,
    ShapeError,
)
from glassgrad.core.function import FunctionMeta
from glassgrad.core.state import Names, Shape
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of

from . import _checks as check
from ._arguments import OpClass, int_of, ints_of
from ._declaring import function, functional
from ._families import KeepsShape, Moved, Paired, Transposed
from ._lookup import function_named
from ._rules import by_steps, in_dim, run, zeros_like

# One dim after the other --------------------------------------------------------------------------


class Taps(NamedTuple):
    """What each element of a resampled dim is made of.

    Attributes:
        index: which elements: an array `(taps, size of the result)`; -1 stands for none.
        weight: how much of each; None: all of it.
        divisor: what each sum is divided by; None: nothing.
    """

    index: Any
    weight: Any = None
    divisor: Any = None


TAPS: dict[str, Callable[..., Taps]] = {}
"""What makes the taps of a dim, by the word for it."""


class Line(NamedTuple):
    """How a dim is resampled: by which of TAPS, and what that is given."""

    kind: str
    numbers: tuple[Any, ...]


@functools.lru_cache
def taps_of(line: Line) -> Taps:
    """The taps of a dim."""
    return TAPS[line.kind](*line.numbers)


@functools.lru_cache
def turns_of(line: Line) -> list[tuple[int, Any, Any]]:
    """For each tap places in the result that have it, and the elements that they read, as keys.

    Places that read the same element take turns, so that in a key no element comes twice.
    """
    found = []
    for tap, index in enumerate(taps_of(line).index):
        order = np.argsort(index, kind="stable")
        turn = np.argsort(order) - np.searchsorted(index[order], index)
        turn[index < 0] = -1
        for now in range(np.max(turn, initial=-1) + 1):
            places = np.flatnonzero(turn == now)
            found.append((tap, _as_slice(places), _as_slice(index[places])))
    return found


def _as_slice(index: Any) -> Any:
    """An index as the slice that it is, if it is one: that is quicker."""
    step = int(index[1] - index[0]) if len(index) > 1 else 1
    if step > 0 and (np.diff(index) == step).all():
        return slice(int(index[0]), int(index[-1]) + 1, step)
    return index


def on_device(x: Any, key: Any) -> Any:
    """A key, or several, whose arrays are where `x` is."""
    if type(x) is np.ndarray:
        return key
    if isinstance(key, tuple):
        return tuple([on_device(x, each) for each in key])
    return backend_of(x).asarray(key) if isinstance(key, np.ndarray) else key


def resampled(x: Any, lines: Sequence[Line], sizes: Sequence[int], *, back: bool) -> Any:
    """The sums of an array's elements, by a line for each of its last dims; or `back`, transposed.

    Args:
        sizes: of these dims in the result.
    """
    for dim, (line, n) in enumerate(zip(lines, sizes, strict=True), x.ndim - len(lines)):
        y = zeros_like(x, (*x.shape[:dim], n, *x.shape[dim + 1 :]))
        weight = taps_of(line).weight
        for tap, places, elements in turns_of(line):
            read, written = (places, elements) if back else (elements, places)
            part = x[in_dim(on_device(x, read), dim)]
            if weight is not None:
                column = weight[tap, places].reshape(-1, *[1] * (x.ndim - dim - 1))
                part = part * backend_of(x).asarray(column, x.dtype)
            if tap or back:
                y[in_dim(on_device(x, written), dim)] += part
            else:
                y[in_dim(on_device(x, written), dim)] = part
        x = y
    return x


def divided(x: Any, lines: Sequence[Line]) -> Any:
    """The sums, each divided as its lines say: integers towards zero."""
    divisors = [taps_of(line).divisor for line in lines]
    if divisors[0] is None:
        return x
    divisor = backend_of(x).asarray(functools.reduce(np.multiply.outer, divisors), x.dtype)
    if x.dtype.kind == "i":
        return np.abs(x) // np.abs(divisor) * np.sign(x) * np.sign(divisor)
    return x / divisor


class Resample(Paired, KeepsShape):
    """yᵢ = Σₖ weight[k, i]·x[index[k, i]]        x̄ⱼ = Σ_{i,k} weight[k, i]·ȳᵢ·[index[k, i] = j]

    So along each of the last dims, for which there is a `Line`; means are divided at the end.
    """

    @staticmethod
    def forward(x, *, lines):
        sizes = [taps_of(line).index.shape[1] for line in lines]
        return divided(resampled(x, lines, sizes, back=False), lines)


class ResampleTransposed(Paired):
    """yⱼ = Σ_{i,k} weight[k, i]·xᵢ·[index[k, i] = j]        x̄ᵢ = Σₖ weight[k, i]·ȳ[index[k, i]]"""

    sizes = ("shape",)

    @staticmethod
    def forward(x, *, lines, shape):
        return resampled(divided(x, lines), lines, shape[-len(lines) :], back=True)


Resample.back, ResampleTransposed.back = ResampleTransposed, Resample


# Note [Gradients that say of what]
# PyTorch hands some backward functions the input, of which they need no number: where the largest
# element is, or how large the image was. Their results then depend on it, with a gradient of 0, and
# can be differentiated again by themselves.


class SavesInput:
    """Mixed into a `Resample` whose gradient depends on the input, if only formally.

    See Note [Gradients that say of what].
    """

    saves: ClassVar[Names] = ("self",)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return by_steps(Paired.backward(ctx, grad), x)


def by_rank(
    name: str, *ranks: int, formulas: str, bases: Any = (Resample,), ends: str = ""
) -> dict[int, Any]:
    """For each of some numbers of dims an op with the same rules, whose node PyTorch names so.

    Args:
        formulas: what the op computes, and its gradient.
        bases: the classes that have the rules.
        ends: what there is in the name of the node behind the number of dims.
    """
    body = {"__module__": __name__, "__doc__": formulas}
    return {
        n: FunctionMeta(f"{name}{n}d{ends}", bases, body | {"node": f"{name}{n}D{ends}Backward0"})
        for n in ranks
    }


# Sizes between pixels -----------------------------------------------------------------------------

# Note [Single precision decides]
# Which element is the nearest is computed in float32, as PyTorch does: so that of two as near as
# each other the same one is taken.


def _nearest(n: int, m: int, scale: float | None, _aligned: bool, centre: float = 0.0) -> Taps:
    step = np.float32(_step(n, m, scale))
    places = (np.arange(m, dtype=np.float32) + np.float32(centre)) * step
    return Taps(np.minimum(places.astype(np.int64), n - 1)[None])


def _linear(n: int, m: int, scale: float | None, aligned: bool) -> Taps:
    places = np.maximum(_places(n, m, scale, aligned, stays=True), 0)
    first = np.minimum(places.astype(np.int64), n - 1)
    share = np.clip(places - first, 0, 1)
    return Taps(np.stack([first, np.minimum(first + 1, n - 1)]), np.stack([1 - share, share]))


def _cubic(n: int, m: int, scale: float | None, aligned: bool) -> Taps:
    places = _places(n, m, scale, aligned)
    first = np.floor(places)
    pixels = np.arange(-1, 3)[:, None]
    index = np.clip(first.astype(np.int64) + pixels, 0, n - 1)
    return Taps(index, cubic_weight(np.abs(places - first - pixels)))


def cubic_weight(t: Any, a: float = -0.75) -> Any:
    """Keys' convolution, with the parameter a: what a pixel counts at a distance of t pixels."""
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, far)


def _smooth(
    n: int, m: int, scale: float | None, aligned: bool, *, filter: Callable[..., Any], reach: int
) -> Taps:
    """The means of all elements that one of the result covers, weighed by a filter.

    Args:
        filter: the weight of an element, by how far it is.
        reach: how far the filter goes, if the image does not shrink.
    """
    step = _aligned_step(n, m) if aligned else _step(n, m, scale)
    wide = max(step, 1.0)
    centres = step * (np.arange(m) + 0.5)
    ends = [np.trunc(centres + side * reach * wide + 0.5).astype(np.int64) for side in (-1, 1)]
    first, last = np.maximum(ends[0], 0), np.minimum(ends[1], n)
    index = first + np.arange(np.max(last - first))[:, None]
    weight = np.where(index < last, filter(np.abs(index - centres + 0.5) / wide), 0.0)
    return Taps(np.where(index < last, index, -1), weight / weight.sum(0))


def _tent(t: Any) -> Any:
    return np.maximum(1 - t, 0)


def _keys(t: Any) -> Any:
    return np.where(t < 2, cubic_weight(t, -0.5), 0)


def _lanczos(t: Any) -> Any:
    return np.where(t < 3, np.sinc(t) * np.sinc(t / 3), 0)


def _aligned_step(n: int, m: int) -> float:
    return (n - 1) / (m - 1) if m > 1 else 0.0


def _step(n: int, m: int, scale: float | None) -> float:
    """How far apart in the dim neighbours of the result are."""
    return 1 / scale if scale else n / m


def _places(n: int, m: int, scale: float | None, aligned: bool, stays: bool = False) -> Any:
    """Where in the dim the elements of the result lie; `aligned`: the corners on each other.

    stays: whether a dim that keeps its size is kept, though a scale was given, as PyTorch does.
    """
    if aligned:
        return np.arange(m) * _aligned_step(n, m)
    if stays and n == m:
        return np.arange(m)
    return (np.arange(m) + 0.5) * _step(n, m, scale) - 0.5


_WEIGHED = (
    "yᵢ = Σₖ weight[k, i]·x[index[k, i]]        x̄ⱼ = Σ_{i,k} weight[k, i]·ȳᵢ·[index[k, i] = j]"
)
_NEAREST = "yᵢ = x[⌊i·step⌋]        x̄ⱼ = Σᵢ ȳᵢ·[⌊i·step⌋ = j]"
_EXACT = "yᵢ = x[⌊(i + ½)·step⌋]        x̄ⱼ = Σᵢ ȳᵢ·[⌊(i + ½)·step⌋ = j]"
_TAKEN = "yᵢ = x[index[0, i]]        x̄ⱼ = Σᵢ ȳᵢ·[index[0, i] = j]"

TAPS |= {"nearest": _nearest, "nearest-exact": functools.partial(_nearest, centre=0.5)}
TAPS |= dict.fromkeys(("linear", "bilinear", "trilinear"), _linear)
TAPS["bicubic"] = _cubic
TAPS["smooth bilinear"] = functools.partial(_smooth, filter=_tent, reach=1)
TAPS["smooth bicubic"] = functools.partial(_smooth, filter=_keys, reach=2)
TAPS["smooth lanczos"] = functools.partial(_smooth, filter=_lanczos, reach=3)

_SIZES: dict[str, dict[int, OpClass]] = {
    "nearest": by_rank("UpsampleNearest", 1, 2, 3, formulas=_NEAREST),
    "nearest-exact": by_rank("UpsampleNearestExact", 1, 2, 3, formulas=_EXACT),
    "linear": by_rank("UpsampleLinear", 1, formulas=_WEIGHED),
    "bilinear": by_rank("UpsampleBilinear", 2, formulas=_WEIGHED),
    "trilinear": by_rank("UpsampleTrilinear", 3, formulas=_WEIGHED),
    "bicubic": by_rank("UpsampleBicubic", 2, formulas=_WEIGHED),
    "smooth bilinear": by_rank("UpsampleBilinear", 2, formulas=_WEIGHED, ends="Aa"),
    "smooth bicubic": by_rank("UpsampleBicubic", 2, formulas=_WEIGHED, ends="Aa"),
    "smooth lanczos": by_rank("UpsampleLanczos", 2, formulas=_WEIGHED, ends="Aa"),
}
"""For each mode the op for each number of dims."""


NewSize = int | Sequence[int] | None
Factor = float | Sequence[float] | None


@functional()
def interpolate(
    input: Tensor,
    size: NewSize = None,
    scale_factor: Factor = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Images of another size.

    Args:
        input: shape `(n, c, w)`, `(n, c, h, w)` or `(n, c, d, h, w)`.
        size: the new sizes `(h', w')`, one for each dim or one for all.
        scale_factor: how many times larger to make them, if `size` is None: `h' = ⌊h·factor⌋`.
        mode: what is between pixels: "nearest" or "nearest-exact", the pixel that is nearest;
            "linear", "bilinear" or "trilinear", by the number of dims, a straight line;
            "bicubic", a smooth curve; "area", the mean of the pixels that one covers; "lanczos",
            with `antialias`.
        align_corners: whether the corner pixels' centres stay; otherwise their outer corners do.
        recompute_scale_factor: reckon with the factor that the new size has, not the given one.
        antialias: weigh all pixels that one covers, where the image shrinks: for the modes
            "bilinear", "bicubic" and "lanczos".

    Returns:
        Tensor of shape `(n, c, h', w')`.

    Raises:
        ArgumentError: if not exactly one of size and scale_factor is given, or does not fit.
        MissingRuleError: for a mode that images of so many dims have not.
        ShapeError: for an image without pixels.

    Example:
        >>> interpolate(tensor([[[1.0, 2.0]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html
    """
    check.tensor("interpolate", input)
    rank = input.ndim - 2
    if align_corners is not None and mode in ("nearest", "area", "nearest-exact"):
        raise ArgumentError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            f"| bicubic | trilinear, not with {mode!r}: it is about what is between pixels. "
            "Leave it out."
        )
    sizes, factors = _new_sizes(input, size, scale_factor, recompute_scale_factor or mode == "area")
    if antialias and (rank != 2 or mode not in ("bilinear", "bicubic", "lanczos")):
        raise ArgumentError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires "
            f"a 4-D tensor as input, got {mode!r} and a {input.ndim}-D one. It is a mean of pixels "
            "that one covers. Write mode='bilinear', or 'area'."
        )
    if mode == "lanczos" and not antialias:
        raise ArgumentError(
            "Lanczos mode requires antialias=True. It is a mean of pixels that one covers. "
            "Write antialias=True, or mode='bicubic'."
        )
    if mode == "area" and rank in (1, 2, 3):
        pooled = function_named("nn.functional", f"adaptive_avg_pool{rank}d")
        return pooled(input, sizes)
    kind = f"smooth {mode}" if antialias else mode
    ops = _SIZES.get(kind, {})
    if rank not in ops:
        raise MissingRuleError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the "
            "modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got "
            f"{mode}); {mode} mode needs {' or '.join([f'{n + 2}D' for n in ops]) or 'another'} "
            "input. Images are (batch, channels, sizes …). Write another mode."
        )
    old = tuple(input.shape[2:])
    if min((*sizes, *old)) <= 0:
        raise ShapeError(
            f"Input and output sizes should be greater than 0, but got input {list(old)} output "
            f"{list(sizes)}. There are no pixels to take. Write sizes from 1 on."
        )
    if not input.shape[1]:
        raise ShapeError(
            f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes "
            f"{list(input.shape)}. There is no channel. Write `x.new_empty(…)` for the result."
        )
    is_nearest = mode.startswith("nearest")
    if not (is_nearest and input.dtype.name == "uint8"):
        check.kernel(f'"upsample_{mode}{rank}d"', input, "f", "Write `x.float()`.")
    pairs = zip(old, sizes, factors, strict=True)
    lines = tuple([Line(kind, (n, m, factor, bool(align_corners))) for n, m, factor in pairs])
    return ops[rank].apply(input, lines=lines)


def _new_sizes(
    input: Tensor, size: Any, scale_factor: Any, recompute: bool
) -> tuple[tuple[int, ...], Sequence[float | None]]:
    """The sizes that are asked for, and the factors that elements are placed by."""
    rank = max(input.ndim - 2, 0)
    if (size is None) == (scale_factor is None):
        which = "either" if size is None else "only one of"
        raise ArgumentError(
            f"{which} size or scale_factor should be defined, got size={size} and scale_factor="
            f"{scale_factor}. Each of them says how large the result is. Write one."
        )
    what, given = ("output size", size) if scale_factor is None else ("scale_factor", scale_factor)
    several = given if isinstance(given, (tuple, list)) else [given] * rank
    if len(several) != rank:
        raise ArgumentError(
            f"Input and {what} must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {list(input.shape[2:])} and {what} of {given}. Please provide "
            "input tensor in (N, C, d1, d2, ...,dK) format, and one number for all dims, or K."
        )
    if scale_factor is None:
        return ints_of(tuple(several), "interpolate", "size"), [None] * rank
    if not all(map(math.isfinite, several)):
        raise RangeError(
            f"value cannot be converted to type int64_t without overflow: scale_factor={several}. "
            "A size is multiplied by it. Write a number."
        )
    sizes = tuple([math.floor(n * f) for n, f in zip(input.shape[2:], several, strict=True)])
    return sizes, [None] * rank if recompute else several


@functional()
def upsample(
    input: Tensor,
    size: NewSize = None,
    scale_factor: Factor = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """`interpolate` under its old name.

    Example:
        >>> upsample(tensor([[[1.0, 2.0]]]), 4).tolist()
        [[[1.0, 1.0, 2.0, 2.0]]]
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


@functional()
def upsample_nearest(input: Tensor, size: NewSize = None, scale_factor: Factor = None) -> Tensor:
    """`interpolate` with the pixel that is nearest.

    Example:
        >>> upsample_nearest(tensor([[[1.0, 2.0]]]), 4).tolist()
        [[[1.0, 1.0, 2.0, 2.0]]]
    """
    return interpolate(input, size, scale_factor)


@functional()
def upsample_bilinear(input: Tensor, size: NewSize = None, scale_factor: Factor = None) -> Tensor:
    """`interpolate` by straight lines, with the corners on each other.

    Example:
        >>> upsample_bilinear(tensor([[[[1.0, 2.0]]]]), (1, 3)).tolist()
        [[[[1.0, 1.5, 2.0]]]]
    """
    return interpolate(input, size, scale_factor, "bilinear", True)


# More around a tensor -----------------------------------------------------------------------------


class ConstantPadNd(Transposed, Moved):
    """y = pad(x, pad, value)        dy = pad(dx, pad, 0)        x̄ = pad(ȳ, −pad, 0)

    A negative number cuts elements off, so what padding added is cut off again.
    """

    @staticmethod
    def forward(x, *, pad, value):
        shape, inner, own = list(x.shape), [slice(None)] * x.ndim, [slice(None)] * x.ndim
        for dim, (before, after) in _by_dim(pad, x.ndim):
            n = shape[dim]
            shape[dim] = n + before + after
            inner[dim] = slice(max(before, 0), shape[dim] - max(after, 0))
            own[dim] = slice(max(-before, 0), n - max(-after, 0))
        y = np.full_like(x, value, order="C", shape=tuple(shape))
        y[tuple(inner)] = x[tuple(own)]
        return y

    @staticmethod
    def backward(ctx, grad):
        return run(ConstantPadNd, grad, pad=tuple([-n for n in ctx.pad]), value=0)


def _by_dim(pad: Shape, ndim: int) -> list[tuple[int, tuple[int, int]]]:
    """Each dim that is padded, and by how much before and after; the last dim comes first."""
    pairs = zip(pad[::2], pad[1::2], strict=True)
    return [(ndim - 1 - k, pair) for k, pair in enumerate(pairs)]


def _reflected(n: int, before: int, after: int) -> Taps:
    return Taps((n - 1 - np.abs(n - 1 - np.abs(np.arange(-before, n + after))))[None])


def _replicated(n: int, before: int, after: int) -> Taps:
    return Taps(np.clip(np.arange(-before, n + after), 0, n - 1)[None])


def _around(n: int, before: int, after: int) -> Taps:
    """What is cut off is cut off at both ends."""
    first, end = max(-before, 0), n - max(-after, 0)
    places = np.arange(-max(before, 0), end - first + max(after, 0))
    return Taps((first + places % max(end - first, 1))[None])


TAPS |= {"reflect": _reflected, "replicate": _replicated, "circular": _around}

_EDGES: dict[str, dict[int, OpClass]] = {
    "reflect": by_rank("ReflectionPad", 1, 2, 3, formulas=_TAKEN, bases=(SavesInput, Resample)),
    "replicate": by_rank("ReplicationPad", 1, 2, 3, formulas=_TAKEN, bases=(SavesInput, Resample)),
    "circular": dict.fromkeys((1, 2, 3), Resample),
}
"""For each mode the op for each number of padded dims."""


@function(ConstantPadNd)
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: Any = 0) -> Tensor:
    """A constant around a tensor.

    Args:
        input: tensor of any shape.
        pad: how many elements before and after, the last dim first: `(left, right, top, bottom)`.
            Negative numbers cut elements off.
        value: the constant.

    Returns:
        Tensor of the same dtype.

    Raises:
        ShapeError: for an odd number of numbers, more than the dims have, or if nothing is left.

    Example:
        >>> constant_pad_nd(tensor([[1, 2]]), (1, 0, 0, 1), 7)
        tensor([[7, 1, 2],
                [7, 7, 7]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html
    """
    check.tensor("constant_pad_nd", input)
    numbers = _pairs(input, pad)
    sizes = [input.shape[dim] + sum(pair) for dim, pair in _by_dim(numbers, input.ndim)]
    if min(sizes, default=0) < 0:
        raise ShapeError(
            f"narrow(): length must be non-negative. The shape {list(input.shape)}, plus negative "
            f"padding {list(numbers)}, resulted in a negative output size, which is invalid. "
            "More is cut off than there is. Write smaller numbers."
        )
    return ConstantPadNd.apply(input, pad=numbers, value=value)


@functional()
def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """More elements around a tensor.

    Args:
        input: tensor of any shape; for "reflect" and "replicate" one of images, `(n, c, h, w)` or
            `(c, h, w)`, or as many dims more or less as are padded.
        pad: how many elements before and after, the last dim first: `(left, right, top, bottom)`.
            Negative numbers cut elements off.
        mode: "constant"; "reflect", the elements mirrored at the first and the last; "replicate",
            these again and again; "circular", what is at the other end.
        value: the constant; None: 0.

    Returns:
        Tensor of the same dtype.

    Raises:
        ShapeError: if the numbers do not fit the shape.
        MissingRuleError: for another mode, or one that tensors of so many dims have not.

    Example:
        >>> pad(tensor([[1, 2, 3]]), (2, 1), mode="reflect")
        tensor([[3, 2, 1, 2, 3, 2]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html
    """
    check.tensor("pad", input)
    numbers = _pairs(input, pad)
    if mode == "constant":
        if isinstance(value, complex):
            raise ArgumentTypeError(
                "pad(): argument 'value' (position 4) must be float, not complex. "
                "Write `constant_pad_nd(x, pad, value)`."
            )
        return constant_pad_nd(input, numbers, 0 if value is None else value)
    if value is not None and value != 0:
        raise ShapeError(
            f'Padding mode "{mode}" doesn\'t take in value argument, got {value}. Its elements are '
            "those of the tensor. Leave it out."
        )
    said = "Unrecognised padding mode {}. There are four ways to go on beyond an edge"
    why = "Write 'constant', 'reflect', 'replicate' or 'circular'."
    check.choice(said, mode, _EDGES, why, MissingRuleError)
    rank, whole = len(numbers) // 2, mode == "circular"
    if whole and input.ndim not in (rank + 1, rank + 2):
        raise ShapeError(
            f"Invalid padding size, expected {2 * (input.ndim - 2)} but got {len(numbers)}. All "
            f"dims but the batch and the channels of shape {list(input.shape)} are padded. "
            "Write two numbers for each."
        )
    if rank not in (1, 2, 3) or input.ndim not in (rank + 1, rank + 2):
        raise MissingRuleError(
            f"Padding size {len(numbers)} is not supported for {input.ndim}D input tensor. Such "
            "padding is for images: 2D or 3D input takes 2 numbers, 3D or 4D 4, 4D or 5D 6. "
            "Write `x.unsqueeze(0)`, or other numbers."
        )
    check.kernel(f'"{mode}_pad{rank}d"', input, "biufc" if whole else "iufc", "Write `x.int()`.")
    return _from_edges(input, numbers, mode)


def _from_edges(input: Tensor, numbers: Shape, mode: str) -> Tensor:
    """`pad` with the tensor's own elements."""
    rank, lines = len(numbers) // 2, []
    if 0 in input.shape[input.ndim - rank - 1 :] and mode != "circular":
        raise ShapeError(
            f"Expected {rank + 1}D or {rank + 2}D (batch mode) tensor with possibly 0 batch size "
            f"and other non-zero dimensions for input, but got: {list(input.shape)}. There is "
            "nothing to take. Write mode='constant'."
        )
    for dim, (before, after) in reversed(_by_dim(numbers, input.ndim)):
        n, where = input.shape[dim], f"at dimension {dim} of input {list(input.shape)}"
        if mode == "reflect" and max(before, after) >= n:
            raise ShapeError(
                "Argument #4: Padding size should be less than the corresponding input dimension, "
                f"but got: padding {(before, after)} {where}. A mirror shows no more than there "
                "is. Pad twice."
            )
        if mode == "circular" and max(before, after) > n:
            raise ShapeError(
                f"Padding value causes wrapping around more than once: {(before, after)} {where}. "
                "Pad twice."
            )
        if n + before + after < (mode != "circular"):
            raise ShapeError(
                f"input {where} is too small. Calculated output size: {n + before + after}. "
                "Negative padding value is resulting in an empty dimension: more is cut off than "
                "there is. Write smaller numbers."
            )
        lines.append(Line(mode, (n, before, after)))
    return _EDGES[mode][rank].apply(input, lines=tuple(lines))


def _pairs(input: Tensor, pad: Any) -> Shape:
    """The numbers, two for each dim that is padded."""
    why = "Each edge has a number. Write `(1, 1)` for both of the last dim."
    check.kind("pad(): argument 'pad' (position 2) must be tuple of ints", pad, (tuple, list), why)
    numbers = ints_of(tuple(pad), "pad", "pad")
    if len(numbers) % 2:
        raise ShapeError(
            f"Padding length must be divisible by 2, got {list(numbers)}. A dim has two edges. "
            "Write a number for each."
        )
    if len(numbers) > 2 * input.ndim:
        raise ShapeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(numbers)} and input of dimension {input.ndim}. "
            "Each dim has two edges. Write two numbers for each dim, the last one first."
        )
    return numbers


# Between channels and pixels ----------------------------------------------------------------------


class PixelShuffle(Moved):
    """y = pixel_shuffle(x, upscale_factor)        x̄ = pixel_unshuffle(ȳ, upscale_factor)"""

    @staticmethod
    def forward(x, *, upscale_factor):
        r = upscale_factor
        *ahead, channels, h, w = x.shape
        first = len(ahead)
        parts = x.reshape(*ahead, channels // r**2, r, r, h, w)
        order = (*range(first + 1), *[first + dim for dim in (3, 1, 4, 2)])
        rows = np.copy(np.transpose(parts, order), order="C")
        return rows.reshape(*ahead, channels // r**2, h * r, w * r)

    @staticmethod
    def backward(ctx, grad):
        return run(PixelUnshuffle, grad, downscale_factor=ctx.upscale_factor)


class PixelUnshuffle(Moved):
    """y = pixel_unshuffle(x, downscale_factor)        x̄ = pixel_shuffle(ȳ, downscale_factor)"""

    @staticmethod
    def forward(x, *, downscale_factor):
        r = downscale_factor
        *ahead, channels, h, w = x.shape
        first = len(ahead)
        parts = x.reshape(*ahead, channels, h // r, r, w // r, r)
        order = (*range(first + 1), *[first + dim for dim in (2, 4, 1, 3)])
        rows = np.copy(np.transpose(parts, order), order="C")
        return rows.reshape(*ahead, channels * r**2, h // r, w // r)

    @staticmethod
    def backward(ctx, grad):
        return run(PixelShuffle, grad, upscale_factor=ctx.downscale_factor)


class ChannelShuffle(Moved):
    """y = channel_shuffle(x, groups)        x̄ = channel_unshuffle(ȳ, groups)

    The dims are a batch, channels, and those of the images.
    """

    @staticmethod
    def forward(x, *, groups, dim):
        *ahead, channels = x.shape[: dim + 1]
        parts = x.reshape(*ahead, groups, channels // groups, *x.shape[dim + 1 :])
        return np.copy(parts.swapaxes(dim, dim + 1), order="C").reshape(x.shape)

    @staticmethod
    def backward(ctx, grad):
        dim = ctx.dim
        return run(ChannelShuffle, grad, groups=grad.shape[dim] // ctx.groups, dim=dim)


def _check_factor(name: str, argument: str, input: Tensor, factor: int) -> None:
    check.tensor(name, input)
    said = " expects input to have at least 3 dimensions, but got input with {ndim} dimension(s)"
    check.ndim(name + said, input, 3, "Images are (…, channels, h, w). Write `x.unsqueeze(0)`.")
    said = f"{name} expects a positive {argument}, but got {{}}"
    why = "It counts pixels. Write a number from 1 on."
    check.least(said, int_of(factor, name, argument), 1, why)


@functional(aliases=("pixel_shuffle",))
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Images r times as high and wide, each square of r² pixels taken from as many channels.

    Args:
        input: shape `(…, c·r², h, w)`.
        upscale_factor: r.

    Returns:
        Tensor of shape `(…, c, h·r, w·r)`.

    Raises:
        ShapeError: if the channels are no multiple of r², or there are too few dims.

    Example:
        >>> pixel_shuffle(tensor([[[1]], [[2]], [[3]], [[4]]]), 2)
        tensor([[[1, 2],
                 [3, 4]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.pixel_shuffle.html
    """
    _check_factor("pixel_shuffle", "upscale_factor", input, upscale_factor)
    channels, wanted = input.shape[-3], upscale_factor**2
    if channels % wanted:
        raise ShapeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={channels} is not divisible by {wanted}. "
            "Each square of pixels comes from so many channels."
        )
    return PixelShuffle.apply(input, upscale_factor=upscale_factor)


@functional(aliases=("pixel_unshuffle",))
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The way back from `pixel_shuffle`: each square of r² pixels becomes as many channels.

    Args:
        input: shape `(…, c, h·r, w·r)`.
        downscale_factor: r.

    Returns:
        Tensor of shape `(…, c·r², h, w)`.

    Raises:
        ShapeError: if a size is no multiple of r, or there are too few dims.

    Example:
        >>> pixel_unshuffle(tensor([[[1, 2], [3, 4]]]), 2).flatten().tolist()
        [1, 2, 3, 4]

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.pixel_unshuffle.html
    """
    _check_factor("pixel_unshuffle", "downscale_factor", input, downscale_factor)
    for what, dim in (("height", -2), ("width", -1)):
        if input.shape[dim] % downscale_factor:
            raise ShapeError(
                f"pixel_unshuffle expects {what} to be divisible by downscale_factor, but "
                f"input.size({dim})={input.shape[dim]} is not divisible by {downscale_factor}. "
                "Squares of pixels become channels. Pad the image, or cut it."
            )
    return PixelUnshuffle.apply(input, downscale_factor=downscale_factor)


@functional(aliases=("channel_shuffle", "nn.functional.native_channel_shuffle"))
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels dealt out anew: one of each group, then the next ones.

    Args:
        input: shape `(n, c, …)`.
        groups: how many groups the channels are in, one behind the other.

    Returns:
        Tensor of the same shape.

    Raises:
        ShapeError: if the channels are no multiple of `groups`, or there are too few dims.

    Example:
        >>> channel_shuffle(arange(4).reshape(1, 4, 1), 2).flatten().tolist()
        [0, 2, 1, 3]

    See also: https://pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html
    """
    said = "channel_shuffle expects input with > 2 dims, but got input with sizes {shape}"
    check.ndim(said, input, 3, "They are (batch, channels, sizes …). Write `x.unsqueeze(-1)`.")
    if groups <= 0 or input.shape[1] % groups:
        raise ShapeError(
            "Number of groups to divide channels in must be positive. Number of channels must be "
            f"divisible by groups. Got {input.shape[1]} channels and {groups} groups. Value of "
            f"groups:{groups}. Each has as many channels."
        )
    return ChannelShuffle.apply(input, groups=groups, dim=1)
