"""`pad`: more elements around a tensor, a constant or those of the tensor itself."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, MissingRuleError, ShapeError
from glassgrad.core.state import Shape
from glassgrad.core.tensor import Tensor

from ._arguments import OpClass, check_kind, ints_of, require_tensor
from ._declaring import function
from ._families import Moved, by_call, run
from .resampling import TAPS, Line, Resample, SavesInput, Taps


class ConstantPadNd(Moved):
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

    @classmethod
    @by_call
    def jvp(cls, ctx, dx):
        return cls.apply(dx, pad=ctx.parameters["pad"], value=0)


def _by_dim(pad: Shape, ndim: int) -> list[tuple[int, tuple[int, int]]]:
    """Each dim that is padded, and by how much before and after; the last dim comes first."""
    pairs = zip(pad[::2], pad[1::2], strict=True)
    return [(ndim - 1 - k, pair) for k, pair in enumerate(pairs)]


class ReflectionPad1d(SavesInput, Resample):
    """yᵢ = x[index[0, i]]        x̄ⱼ = Σᵢ ȳᵢ·[index[0, i] = j]"""

    node = "ReflectionPad1DBackward0"


class ReflectionPad2d(SavesInput, Resample):
    """yᵢ = x[index[0, i]]        x̄ⱼ = Σᵢ ȳᵢ·[index[0, i] = j]"""

    node = "ReflectionPad2DBackward0"


class ReflectionPad3d(SavesInput, Resample):
    """yᵢ = x[index[0, i]]        x̄ⱼ = Σᵢ ȳᵢ·[index[0, i] = j]"""

    node = "ReflectionPad3DBackward0"


class ReplicationPad1d(SavesInput, Resample):
    """yᵢ = x[index[0, i]]        x̄ⱼ = Σᵢ ȳᵢ·[index[0, i] = j]"""

    node = "ReplicationPad1DBackward0"


class ReplicationPad2d(SavesInput, Resample):
    """yᵢ = x[index[0, i]]        x̄ⱼ = Σᵢ ȳᵢ·[index[0, i] = j]"""

    node = "ReplicationPad2DBackward0"


class ReplicationPad3d(SavesInput, Resample):
    """yᵢ = x[index[0, i]]        x̄ⱼ = Σᵢ ȳᵢ·[index[0, i] = j]"""

    node = "ReplicationPad3DBackward0"


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

_OPS: dict[str, dict[int, OpClass]] = {
    "reflect": {1: ReflectionPad1d, 2: ReflectionPad2d, 3: ReflectionPad3d},
    "replicate": {1: ReplicationPad1d, 2: ReplicationPad2d, 3: ReplicationPad3d},
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
    require_tensor("constant_pad_nd", input)
    numbers = _pairs(input, pad)
    sizes = [input.shape[dim] + sum(pair) for dim, pair in _by_dim(numbers, input.ndim)]
    if min(sizes, default=0) < 0:
        raise ShapeError(
            f"narrow(): length must be non-negative. The shape {list(input.shape)}, plus negative "
            f"padding {list(numbers)}, resulted in a negative output size, which is invalid. "
            "More is cut off than there is. Write smaller numbers."
        )
    return ConstantPadNd.apply(input, pad=numbers, value=value)


@function(home="nn.functional")
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
    require_tensor("pad", input)
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
    if mode not in _OPS:
        raise MissingRuleError(
            f"Unrecognised padding mode {mode}. There are four ways to go on beyond an edge. "
            "Write 'constant', 'reflect', 'replicate' or 'circular'."
        )
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
    check_kind(f'"{mode}_pad{rank}d"', input, "biufc" if whole else "iufc", "Write `x.int()`.")
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
    return _OPS[mode][rank].apply(input, lines=tuple(lines))


def _pairs(input: Tensor, pad: Any) -> Shape:
    """The numbers, two for each dim that is padded."""
    if not isinstance(pad, (tuple, list)):
        raise ArgumentTypeError(
            f"pad(): argument 'pad' (position 2) must be tuple of ints, not {type(pad).__name__}. "
            "Each edge has a number. Write `(1, 1)` for both of the last dim."
        )
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
