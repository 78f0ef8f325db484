"""Views by their strides: as_strided, and unfold, windows that slide along a dim."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ShapeError
from glassgrad.core.primitive import Parameters, Primitive
from glassgrad.core.state import Shape
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view, offsets
from glassgrad.values.backend import backend_of
from glassgrad.values.layers import Layer

from ._arguments import int_of, size_of, wrap_dim
from ._declaring import method, op
from ._families import Into, Part, array_of, in_dim, run, zeros_like
from ._writing import reshaped_in_place
from .conversion import clone
from .indexing import Index, IndexPut, source_for
from .memory import copy_, owner_of, steps_of
from .memory import storage_offset as offset_of
from .shape import reshape


class AsStrided(Primitive):
    """yᵢ = x[storage_offset + stride·i]
    dyᵢ = dx[storage_offset + stride·i]
    x̄ₖ = Σᵢ ȳᵢ·[storage_offset + stride·i = k]

    Places in memory are counted from the first element of x, which is the one at `own`.
    """

    promotes = None
    views = True

    @staticmethod
    def forward(x, *, size, stride, storage_offset, own):
        return backend_of(x).strided(x, size, stride, storage_offset - own)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape, ctx.steps = inputs[0].shape, steps_of(inputs[0])

    @staticmethod
    def backward(ctx, grad):
        """The gradient of the memory; of it, what `x` shows."""
        shown, own, n = _places(grad, ctx)
        of_memory = _put_at(shown, grad, n, accumulate=True)
        return run(Index, of_memory, own, dims=(0,)).reshape(ctx.shape)

    @classmethod
    def jvp(cls, ctx, dx):
        """So of a tangent that lies in memory as x does; else of the memory it would have."""
        if steps_of(dx) == ctx.steps and _is_within(ctx):
            return cls.apply(dx, **ctx.parameters)
        shown, own, n = _places(dx, ctx)
        of_memory = _put_at(own, dx, n, accumulate=False)
        return Index.apply(of_memory, shown, dims=(0,)).reshape(ctx.size)

    @classmethod
    def vmap(cls, info, in_dims, x, *, size, stride, **offsets):
        return cls.apply(
            x, size=(info.batch_size, *size), stride=(steps_of(x)[0], *stride), **offsets
        )


def _places(like: Any, ctx: Any) -> tuple[Any, Any, int]:
    """Where in memory each element of y is, and each of x: vectors; and how large the memory is."""
    shown = offsets(ctx.size, ctx.stride).reshape(-1) + (ctx.storage_offset - ctx.own)
    own = offsets(ctx.shape, ctx.steps).reshape(-1)
    first = min(np.min(shown, initial=0), 0)
    n = int(max(np.max(shown, initial=0), np.max(own, initial=0))) + 1 - first
    asarray = backend_of(array_of(like)).asarray
    return asarray(shown - first), asarray(own - first), n


def _put_at(places: Any, values: Any, n: int, *, accumulate: bool) -> Any:
    """`n` zeros, but the values at these places."""
    zeros, row = zeros_like(values, (n,)), values.reshape(-1)
    return run(IndexPut, zeros, row, places, dims=(0,), accumulate=accumulate)


def _is_within(ctx: Any) -> bool:
    """Whether y shows nothing before the first or behind the last element of x."""
    first = ctx.storage_offset - ctx.own
    return first >= 0 and first + _reach(ctx.size, ctx.stride) <= _reach(ctx.shape, ctx.steps)


def _reach(size: Shape, stride: Shape) -> int:
    """How many elements of memory there are from the first to the last, both included."""
    if 0 in size:
        return 0
    return 1 + sum([(n - 1) * step for n, step in zip(size, stride, strict=True)])


@op(AsStrided)
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
    given = _checked(input, size, stride, storage_offset)
    return as_view(AsStrided.apply(input, **given), input)


class AsStridedInPlace(AsStrided):
    """yᵢ = x[storage_offset + stride·i]
    dyᵢ = dx[storage_offset + stride·i]
    x̄ₖ = Σᵢ ȳᵢ·[storage_offset + stride·i = k]
    """

    node = "AsStridedBackward1"


@op(out=False, inplace=False)
def as_strided_(
    input: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """`as_strided`, in place: `input` shows other elements of its memory.

    Example:
        >>> as_strided_(tensor([1, 2, 3]), (2, 2), (1, 1))
        tensor([[1, 2],
                [2, 3]])
    """
    given = _checked(input, size, stride, storage_offset)
    return reshaped_in_place("as_strided", AsStridedInPlace, input, **given)


def _checked(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> Parameters:
    """The parameters of a view by strides.

    Raises:
        ShapeError: if there is no such view.
    """
    sizes = size_of((tuple(size),), "as_strided")
    steps = size_of((tuple(stride),), "as_strided", argument="stride")
    own = offset_of(input)
    offset = own if storage_offset is None else storage_offset
    if len(sizes) != len(steps):
        raise ShapeError(
            f"mismatch in length of strides and shape: {len(steps)} and {len(sizes)}, but size and "
            "stride must have the same length. Each dim has one of both. Write one for each."
        )
    if min((*sizes, *steps, offset)) < 0:
        raise ShapeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(steps)} with sizes {list(sizes)} and the storage offset {offset}. Memory is "
            "walked forwards. Write `x.flip(dim)` to turn a dim around."
        )
    if 0 not in sizes:
        _check_memory(input, sizes, steps, offset)
    return {"size": sizes, "stride": steps, "storage_offset": offset, "own": own}


@op()
def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """`input` with `src` in the place of what `as_strided` shows of it.

    Args:
        input: tensor of shape `S`.
        src: tensor of shape `size`.
        size, stride, storage_offset: which elements; see `as_strided`.

    Returns:
        A copy of shape `S`.

    Raises:
        ShapeError: if there is no such memory, or `src` has another shape.

    Example:
        >>> as_strided_scatter(tensor([1, 2, 3]), tensor([0, 0]), (2,), (2,))
        tensor([0, 2, 0])

    See also: https://pytorch.org/docs/stable/generated/torch.as_strided_scatter.html
    """
    out = clone(input)
    shown = as_strided(out, size, stride, storage_offset)
    copy_(shown, source_for(input, src, shown))
    return out


def _check_memory(input: Tensor, size: Shape, stride: Shape, start: int) -> None:
    """Raise if there is no such memory; inside vmap, if one example does not show it."""
    end, itemsize = start + _reach(size, stride), input.itemsize
    while isinstance(input.payload, Layer):
        if input.payload.batched:
            own, n = offset_of(input), _reach(input.shape, steps_of(input))
            no_examples = input.numel() and not input.payload.array.size
            if not no_examples and not own <= start < end <= own + n:
                raise ShapeError(
                    f"result = tensor.as_strided({list(size)}, {list(stride)}, {start}) can access "
                    "memory outside of `tensor`. `result` can access some memory in range "
                    f"[{start}, {end - 1}], but `tensor`, one example of shape "
                    f"{list(input.shape)}, only in range [{own}, {own + n - 1}]. This is not "
                    "supported inside of vmap, please try to rewrite the `as_strided` call as a "
                    "sequence of view operations such as `x[…]` and `x.t()`."
                )
            return
        input = input.payload.value
    base = input if input._base is None else input._base
    array, owner = base.payload, owner_of(base.payload)
    n = _reach(array.shape, steps_of(array))
    if owner.size and owner.flags.c_contiguous:  # all that lies behind its first element
        address = backend_of(array).address
        n = int(owner.size) - (address(array) - address(owner)) // itemsize
    if end > n:
        raise ShapeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, and "
            f"itemsize {itemsize} requiring a storage size of {end * itemsize} are out of bounds "
            f"for storage of size {n * itemsize}. Choose smaller ones."
        )


class Unfold(Part):
    """yᵢₖ = x[step·i + k]        x̄ⱼ = Σᵢₖ ȳᵢₖ·[step·i + k = j]"""

    axes = ("dimension",)

    @staticmethod
    def forward(x, *, dimension, size, step):
        sizes, strides = list(x.shape), list(steps_of(x))
        inner = strides[dimension]
        sizes[dimension] = (sizes[dimension] - size) // step + 1
        strides[dimension] *= step
        return backend_of(x).strided(x, (*sizes, size), (*strides, inner), 0)


class UnfoldInto(Into):
    """yⱼ = Σᵢₖ xᵢₖ·[step·i + k = j]        x̄ᵢₖ = ȳ[step·i + k]"""

    node = "UnfoldBackwardBackward0"
    of = Unfold

    @staticmethod
    def forward(x, *, shape, dimension, size, step):
        out, reach = zeros_like(x, shape), (x.shape[dimension] - 1) * step + 1
        for k in range(size):  # the places of the k-th elements differ from each other
            out[in_dim(slice(k, k + reach, step), dimension)] += x[..., k]
        return out


@method()
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of a dim, without a copy.

    Args:
        input: tensor of shape `(…, n, …)`.
        dimension: which dim has the size `n`.
        size: how long each window is.
        step: how far the next one begins.

    Returns:
        A view of shape `(…, (n - size) // step + 1, …, size)`. Windows that overlap show the same
        memory.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if a window is longer than the dim.
        ArgumentError: if `size` is negative, or `step` not positive.
        ArgumentTypeError: if one of them is no integer.

    Example:
        >>> tensor([1, 2, 3, 4]).unfold(0, 2, 1)
        tensor([[1, 2],
                [2, 3],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.unfold.html
    """
    at = wrap_dim(dimension, input.ndim)
    size, step = int_of(size, "unfold", "size"), int_of(step, "unfold", "step")
    longest = input.shape[at] if input.ndim else 1
    if size > longest:
        raise ShapeError(
            f"maximum size for tensor at dimension {at} is {longest} but size is {size}: the shape "
            f"is {list(input.shape)}. A window lies within its dim. Write a smaller size."
        )
    if size < 0:
        raise ArgumentError(
            f"size is {size} but must be >= 0. It counts the elements of a window. "
            "Write a number from 0 on."
        )
    if step <= 0:
        raise ArgumentError(
            f"step is {step} but must be > 0. Windows move forwards. Write a number from 1 on."
        )
    if not input.ndim:
        return unfold(reshape(input, (1,)), 0, size, 1)[0]
    return as_view(Unfold.apply(input, dimension=at, size=size, step=step), input)
