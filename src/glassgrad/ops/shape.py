"""Other shapes for the same elements: reshape, flatten, squeeze and their relatives.

All of these are *views*: the result shares the memory of its operand, and the gradient is the
same elements in the operand's shape. Only `reshape` may have to copy. Dims change their order
in `transposing.py` and are stretched in `stretching.py`.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view

from ._dims import size_of, wrap_dim, wrap_dims
from ._families import KeepsShape, by_call, run
from ._sizes import can_view, infer_size
from .conversion import Contiguous
from .stretching import broadcast_to, expand, expand_as
from .transposing import movedim, mT, permute, reversed_dims, swapaxes, t, transpose

__all__ = [
    "broadcast_to",
    "contiguous",
    "expand",
    "expand_as",
    "flatten",
    "mT",
    "movedim",
    "permute",
    "ravel",
    "reshape",
    "reversed_dims",
    "squeeze",
    "swapaxes",
    "t",
    "transpose",
    "unflatten",
    "unsqueeze",
    "view",
    "view_as",
]

Dims = int | Sequence[int]


# Any sizes with the same product ------------------------------------------------------------------


class View(KeepsShape):
    """y = x in another shape        dy = dx in it        x̄ = ȳ in x's shape"""

    node = "ViewBackward0"
    latex = (
        r"\operatorname{reshape} x",
        r"\operatorname{reshape} \dot x",
        r"\bar x = \operatorname{reshape}^{-1} \bar y",
    )
    promotes = None
    views = True
    sizes = ("size",)

    @staticmethod
    def forward(x, *, size):
        return x.reshape(size)

    @staticmethod
    def backward(ctx, grad):
        return grad.reshape(ctx.shape)

    @classmethod
    @by_call
    def jvp(cls, ctx, dx):
        """A view of the tangent, or a copy if it lies in memory in another way than x."""
        return reshape(dx, ctx.parameters["size"])


class ReshapeAlias(View):
    """y = x in another shape        dy = dx in it        x̄ = ȳ in x's shape"""

    node = "ReshapeAliasBackward0"


class UnsafeView(View):
    """y = x in another shape        dy = dx in it        x̄ = ȳ in x's shape"""

    node = "UnsafeViewBackward0"
    views = False


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape, row by row.

    Args:
        input: tensor of shape `S`.
        shape: sizes with the same product; one may be -1 and follows from the others. As numbers
            or as one sequence.

    Returns:
        A view, or a copy where the memory does not allow one (`m.t().reshape(-1)`).

    Raises:
        ShapeError: if the sizes do not fit.

    Example:
        >>> reshape(tensor([1.0, 2.0, 3.0, 4.0]), 2, -1)
        tensor([[1., 2.],
                [3., 4.]])

    See also: https://pytorch.org/docs/stable/generated/torch.reshape.html
    """
    array = input.payload
    size = infer_size(size_of(shape, "reshape", argument="shape"), array.size)
    if array.flags.c_contiguous:
        return as_view(View.apply(input, size=size), input)
    if can_view(array, size):
        return as_view(ReshapeAlias.apply(input, size=size), input)
    return UnsafeView.apply(Contiguous.apply(input), size=size)


def view(input: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape, always sharing memory.

    Args:
        input, shape: as `reshape` has them.

    Returns:
        A view.

    Raises:
        ShapeError: if the sizes do not fit, or only a copy could have them.

    Example:
        >>> view(tensor([1.0, 2.0, 3.0, 4.0]), 2, 2)
        tensor([[1., 2.],
                [3., 4.]])
    """
    if len(shape) == 1 and isinstance(shape[0], (np.dtype, type)):
        raise ArgumentTypeError(
            f"view() takes sizes, got the dtype {shape[0]}. glassgrad does not reinterpret "
            "memory. Write `x.to(dtype)` to convert the values."
        )
    size = infer_size(size_of(shape, "view"), input.payload.size)
    if not can_view(input.payload, size):
        raise ShapeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces): "
            f"{list(input.shape)} cannot become {list(size)} without a copy. "
            "Use .reshape(...) instead."
        )
    return as_view(View.apply(input, size=size), input)


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`view(input, other.shape)`.

    Example:
        >>> view_as(tensor([1.0, 2.0]), tensor([[0], [0]]))
        tensor([[1.],
                [2.]])
    """
    return view(input, other.shape)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Some neighbouring dims as one.

    Args:
        input: tensor of shape `(…, n, …, m, …)`.
        start_dim, end_dim: the first and the last of the dims.

    Returns:
        Tensor of shape `(…, n·…·m, …)`; `input` itself if that is its shape. A 0-d tensor becomes
        one of shape `(1,)`.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if `end_dim` is before `start_dim`.

    Example:
        >>> flatten(tensor([[[1, 2], [3, 4]]]), 1)
        tensor([[1, 2, 3, 4]])
    """
    start, end = wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    if start > end:
        raise ShapeError(
            "flatten() has invalid args: start_dim cannot come after end_dim, got dims "
            f"{start} and {end}. Dims are merged from front to back. Write "
            f"`x.flatten({end}, {start})`."
        )
    if not input.ndim:
        return reshape(input, 1)
    if start == end:
        return input
    shape = input.shape
    return reshape(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dim as several.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        sizes: sizes whose product is `n`; one may be -1.

    Returns:
        A view of shape `(…, *sizes, …)`.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if the sizes do not multiply up to `n`.

    Example:
        >>> unflatten(tensor([1, 2, 3, 4]), 0, (2, -1))
        tensor([[1, 2],
                [3, 4]])
    """
    at = wrap_dim(dim, input.ndim)
    asked = size_of((tuple(sizes),), "unflatten", argument="sizes")
    if not asked:
        raise ShapeError("unflatten: sizes must be non-empty. Write at least one size.")
    n = input.shape[at] if input.ndim else 1
    try:
        split = infer_size(asked, n)
    except ShapeError as error:
        raise ShapeError(
            f"unflatten: Provided sizes {list(asked)} don't multiply up to the size of dim {at} "
            f"({n}) in the input tensor of shape {list(input.shape)}. Write -1 for one of them."
        ) from error
    return view(input, (*input.shape[:at], *split, *input.shape[at + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """All elements in one dim, row by row; a copy only if memory demands it.

    Example:
        >>> ravel(tensor([[1, 2], [3, 4]]))
        tensor([1, 2, 3, 4])
    """
    return view(contiguous(input), -1)


def contiguous(input: Tensor) -> Tensor:
    """`input` itself if its elements lie row by row in memory, else a copy in which they do.

    Example:
        >>> m = tensor([[1, 2], [3, 4]])
        >>> contiguous(m) is m, contiguous(m.t()) is m
        (True, False)
    """
    return input if input.payload.flags.c_contiguous else Contiguous.apply(input)


# Dims of size 1 -----------------------------------------------------------------------------------


class _Squeezing(KeepsShape):
    """What the three ways to squeeze share."""

    latex = (
        r"\operatorname{squeeze} x",
        r"\operatorname{squeeze} \dot x",
        r"\bar x = \operatorname{unsqueeze} \bar y",
    )
    promotes = None
    views = True


class Squeeze(_Squeezing):
    """y = x without its dims of size 1        dy = dx without them        x̄ = ȳ with them"""

    node = "SqueezeBackward0"

    @staticmethod
    def forward(x):
        return x.reshape(tuple([n for n in x.shape if n != 1]))

    @staticmethod
    def backward(ctx, grad):
        return _unsqueezed(grad, ctx.shape, range(len(ctx.shape)))

    @classmethod
    def vmap(cls, info, in_dims, x):
        """All dims but that of the batch, which may have size 1, too."""
        return SqueezeDims.apply(x, dim=tuple(range(1, x.ndim)))


class SqueezeDim(_Squeezing):
    """y = x without a dim of size 1        dy = dx without it        x̄ = ȳ with it"""

    node = "SqueezeBackward1"
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim):
        return x.reshape(_without(x.shape, (dim,)))

    @staticmethod
    def backward(ctx, grad):
        return _unsqueezed(grad, ctx.shape, (ctx.dim,))


class SqueezeDims(_Squeezing):
    """y = x without some dims of size 1        dy = dx without them        x̄ = ȳ with them"""

    node = "SqueezeBackward2"
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim):
        return x.reshape(_without(x.shape, dim))

    @staticmethod
    def backward(ctx, grad):
        return _unsqueezed(grad, ctx.shape, sorted(ctx.dim))


def _without(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([n for i, n in enumerate(shape) if n != 1 or i not in dims])


def _unsqueezed(grad: Any, shape: tuple[int, ...], dims: Iterable[int]) -> Any:
    """Put back those of `dims`, in ascending order, that have size 1 in `shape`."""
    for dim in dims:
        if shape[dim : dim + 1] == (1,):
            grad = run(Unsqueeze, grad, dim=dim)
    return grad


def squeeze(input: Tensor, dim: Dims | None = None) -> Tensor:
    """Leave out dims of size 1.

    Args:
        input: tensor of any shape.
        dim: which of them, if they have size 1; None: all.

    Returns:
        A view.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> squeeze(tensor([[[1.0], [2.0]]])).shape
        glassgrad.Size([2])
    """
    if dim is None:
        return as_view(Squeeze.apply(input), input)
    dims = wrap_dims(dim, input.ndim)
    if isinstance(dim, Sequence):
        return as_view(SqueezeDims.apply(input, dim=dims), input)
    return as_view(SqueezeDim.apply(input, dim=dims[0]), input)


class Unsqueeze(KeepsShape):
    """y = x with a dim of size 1        dy = dx with it        x̄ = ȳ without it"""

    node = "UnsqueezeBackward0"
    latex = (
        r"\operatorname{unsqueeze} x",
        r"\operatorname{unsqueeze} \dot x",
        r"\bar x = \operatorname{squeeze} \bar y",
    )
    promotes = None
    views = True
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim):
        return x.reshape((*x.shape[:dim], 1, *x.shape[dim:]))

    @staticmethod
    def backward(ctx, grad):
        return run(SqueezeDim, grad, dim=ctx.dim)


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dim of size 1.

    Args:
        input: tensor of shape `S`.
        dim: where it will be, from `-len(S) - 1` to `len(S)`.

    Returns:
        A view.

    Raises:
        DimError: if that is no place.

    Example:
        >>> unsqueeze(tensor([1.0, 2.0]), 1)
        tensor([[1.],
                [2.]])
    """
    return as_view(Unsqueeze.apply(input, dim=wrap_dim(dim, input.ndim + 1)), input)
