"""The element in the middle: median and nanmedian."""

import math
from typing import Any

import numpy as np

from glassgrad.core.tensor import Tensor

from ._declaring import op
from ._families import Reduction, rows_of
from ._reduce import dim_or_axis, kept_or_keepdims, kept_shape
from ._returns import MedianReturn, NanmedianReturn
from .extrema import AlongDim, filled_dim, shared
from .reduction import sum


class Median(Reduction):
    """y = medianᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    node = "MedianBackward0"
    saves = ("self", "result")

    @staticmethod
    def forward(x):
        return _middle(x.reshape(-1), 0, ignore_nan=False)[0].reshape(())

    @staticmethod
    def backward(ctx, grad):
        return shared(grad, *ctx.saved_tensors, dim=None)

    @classmethod
    def vmap(cls, info, in_dims, x):
        return MedianDim.apply(rows_of(x), dim=1, keepdim=False)[0]


class Nanmedian(Median):
    """y = nanmedianᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    node = "NanmedianBackward0"

    @staticmethod
    def forward(x):
        return _middle(x.reshape(-1), 0, ignore_nan=True)[0].reshape(())

    @classmethod
    def vmap(cls, info, in_dims, x):
        return NanmedianDim.apply(rows_of(x), dim=1, keepdim=False)[0]


class MedianDim(AlongDim):
    """y, k = medianᵢ xᵢ, argmedianᵢ xᵢ        x̄ᵢ = ȳ·[i = k]"""

    node = "MedianBackward1"

    @staticmethod
    def forward(x, *, dim, keepdim):
        return _along_dim(x, dim, keepdim, ignore_nan=False)


class NanmedianDim(MedianDim):
    """y, k = nanmedianᵢ xᵢ, argnanmedianᵢ xᵢ        x̄ᵢ = ȳ·[i = k]"""

    node = "NanmedianBackward1"

    @staticmethod
    def forward(x, *, dim, keepdim):
        return _along_dim(x, dim, keepdim, ignore_nan=True)


def _along_dim(x: Any, dim: int, keepdim: bool, *, ignore_nan: bool) -> tuple[Any, Any]:
    if not x.shape:  # PyTorch lets a 0-d tensor have a dim 0
        x, keepdim = x.reshape(1), False
    kept = kept_shape(x.shape, (dim,))
    shape = kept if keepdim else (*kept[:dim], *kept[dim + 1 :])
    return tuple([part.reshape(shape) for part in _middle(x, dim, ignore_nan=ignore_nan)])


def _middle(x: Any, dim: int, *, ignore_nan: bool) -> tuple[Any, Any]:
    """The median along a dim and its index, the dim kept. Of an even number the lower one."""
    is_nan = x != x
    order = np.argsort(x, axis=dim, kind="stable")  # nan comes last
    count = (~is_nan).sum(axis=dim, keepdims=True)
    place = np.take_along_axis(order, np.maximum((count - 1) // 2, 0), axis=dim)
    if not ignore_nan:  # a nan is the median of all it is among
        place = np.where(count < x.shape[dim], np.argmax(is_nan, axis=dim, keepdims=True), place)
    return np.take_along_axis(x, place, axis=dim), place


@op(Median, MedianDim)
def median(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool | None = None,
) -> Any:
    """The element in the middle of all; with a dim, those along it and their indices.

    Args:
        input: real tensor of shape `S`.
        dim, axis: one dim; None for all elements.
        keepdim, keepdims: keep that dim, with size 1.

    Returns:
        Without a dim, a 0-d tensor, whose gradient is split evenly between ties. With one, the
        named tuple (values, indices). Of an even number of elements it is the lower one of the two
        in the middle; nan if there is a nan.

    Raises:
        DimError: if there is no such dim, or nothing along it.

    Example:
        >>> median(tensor([3.0, 1.0, 2.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.median.html
    """
    wanted, keep = dim_or_axis(dim, axis), kept_or_keepdims(keepdim, keepdims)
    if wanted is None:
        return Median.apply(input) if input.numel() else _of_nothing(input)
    at = filled_dim(input, wanted, "median")
    return MedianReturn(*MedianDim.apply(input, dim=at, keepdim=keep))


@op(Nanmedian, NanmedianDim)
def nanmedian(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool | None = None,
) -> Any:
    """`median` of all elements but nan; of nothing else it is nan.

    Example:
        >>> nanmedian(tensor([3.0, float("nan"), 2.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nanmedian.html
    """
    wanted, keep = dim_or_axis(dim, axis), kept_or_keepdims(keepdim, keepdims)
    if wanted is None:
        return Nanmedian.apply(input) if input.numel() else _of_nothing(input)
    at = filled_dim(input, wanted, "nanmedian")
    return NanmedianReturn(*NanmedianDim.apply(input, dim=at, keepdim=keep))


def _of_nothing(input: Tensor) -> Tensor:
    """nan, as a sum of no elements so that it stays in the graph."""
    return sum(input) + math.nan
