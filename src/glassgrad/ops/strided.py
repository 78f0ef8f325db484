"""Any view of a tensor's memory: as_strided."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.base.backend import backend_of
from glassgrad.base.errors import ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.core.views import as_view
from glassgrad.recording.primitive import Primitive

from ._dims import size_of
from ._families import run
from ._reduce import array_of
from .indexing import Index, IndexInto
from .memory import in_a_row
from .memory import storage_offset as offset_of
from .memory import stride as stride_of

__all__ = ["as_strided"]

Sizes = tuple[int, ...]


class AsStrided(Primitive):
    """yᵢ = the memory at o + Σ sₖ·iₖ        dy so of dx        x̄ = Σ ȳ of those that show it"""

    node = "AsStridedBackward0"
    latex = (
        r"m_{o + s \cdot i}",
        r"\dot m_{o + s \cdot i}",
        r"\bar m_j = \textstyle\sum_{i:\, o + s \cdot i = j} \bar y_i",
    )
    promotes = None

    @staticmethod
    def forward(x, *, size, stride, storage_offset, memory, own):
        return backend_of(memory).strided(memory, size, stride, storage_offset)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape, ctx.n, ctx.memory = inputs[0].shape, len(ctx.memory), None

    @staticmethod
    def backward(ctx, grad):
        """The gradient of the memory; of it, what `x` shows."""
        shown = _places(grad, ctx.size, ctx.stride, ctx.storage_offset)
        of_memory = run(IndexInto, grad.reshape(-1), shown, dims=(0,), shape=(ctx.n,))
        own = run(Index, of_memory, _places(grad, ctx.shape, *ctx.own), dims=(0,))
        return own.reshape(ctx.shape)


def _places(like: Any, size: Sizes, stride: Sizes, offset: int) -> Any:
    """Where in memory each element is: a vector on the device of a value."""
    found = np.full(size, offset, np.int64)
    for dim, (n, step) in enumerate(zip(size, stride, strict=True)):
        found += (np.arange(n) * step).reshape((n,) + (1,) * (len(size) - dim - 1))
    return backend_of(array_of(like)).asarray(found.reshape(-1))


def as_strided(
    input: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """A view of the memory of `input`, with any sizes and strides.

    Args:
        input: tensor of any shape.
        size: the sizes of the view.
        stride: how many elements of memory lie between neighbours along each dim.
        storage_offset: which element of the memory is the first one; None: the first of `input`.

    Returns:
        A view. Elements that show one place in memory add up their gradients.

    Raises:
        ShapeError: if there are not as many sizes as strides, one is negative, or the memory is
            too small.

    Example:
        >>> as_strided(tensor([1, 2, 3]), (2, 2), (1, 1))
        tensor([[1, 2],
                [2, 3]])

    See also: https://pytorch.org/docs/stable/generated/torch.as_strided.html
    """
    sizes = size_of((tuple(size),), "as_strided")
    steps = size_of((tuple(stride),), "as_strided", argument="stride")
    own = offset_of(input)
    offset = own if storage_offset is None else storage_offset
    base = input if input._base is None else input._base
    memory = in_a_row(base.payload)
    _check(sizes, steps, offset, len(memory), input.itemsize)
    view = AsStrided.apply(
        input,
        size=sizes,
        stride=steps,
        storage_offset=offset,
        memory=memory,
        own=(stride_of(input), own),
    )
    return as_view(view, input)


def _check(size: Sizes, stride: Sizes, offset: int, n: int, itemsize: int) -> None:
    if len(size) != len(stride):
        raise ShapeError(
            f"mismatch in length of strides and shape: {len(stride)} and {len(size)}. Each dim has "
            "a size and a stride. Write one for each."
        )
    if min((*size, *stride, offset), default=0) < 0:
        raise ShapeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(stride)} with sizes {list(size)} and the storage offset {offset}. Memory is "
            "walked forwards. Write `x.flip(dim)` to turn a dim around."
        )
    last = offset + sum((m - 1) * step for m, step in zip(size, stride, strict=True))
    if 0 not in size and last >= n:
        raise ShapeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
            f"itemsize {itemsize} requiring a storage size of {(last + 1) * itemsize} are out of "
            f"bounds for storage of size {n * itemsize}. Choose smaller ones."
        )
