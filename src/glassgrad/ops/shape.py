"""Other shapes for the same elements, and another order: reshape, squeeze, expand, permute, flip.

Most of these are *views*: the result shares the memory of its operand, and the gradient is the
same elements in the operand's shape. `reshape` may have to copy; `repeat`, `flip` and `roll` do.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import DimError, ShapeError, TransformError
from glassgrad.core.primitive import Parameters
from glassgrad.core.state import Shape
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.memory.views import as_view
from glassgrad.values.backend import backend_of, copy_of, in_rows
from glassgrad.values.dtypes import DType, as_dtype
from glassgrad.values.gradients import sum_to
from glassgrad.values.layers import batches_of
from glassgrad.values.tree import as_tuple

from . import _checks as check
from ._arguments import (
    OpClass,
    can_view,
    expanded_size,
    infer_size,
    int_of,
    ints_of,
    size_of,
    turned,
    wrap_dim,
    wrap_dims,
)
from ._checks import scalar_name
from ._declaring import attribute, method, of_numpy, op
from ._families import KeepsShape, Moved, Paired, by_call
from ._rules import batch_all, in_front, on_arrays, run, shifted, without_layers
from ._writing import reshaped_in_place
from .conversion import Contiguous, reread


class Expand(KeepsShape):
    """y = expand(x, size)        x̄ = sum_to(ȳ, shape x)"""

    views = True

    @staticmethod
    def forward(x, *, size):
        if math.prod(size) == math.prod(x.shape):
            return x.reshape(size)  # nothing is stretched, and the result can be written
        return backend_of(x).broadcast_to(x, size)

    @staticmethod
    def backward(ctx, grad):
        return grad if grad.shape == ctx.shape else sum_to(grad, ctx.shape)

    @classmethod
    @on_arrays
    def vmap(cls, info, in_dims, x, *, size):
        return run(cls, in_front(x, len(size)), size=(info.batch_size, *size))


@method()
def expand(input: Tensor, *size: Any) -> Tensor:
    """Dims of size 1 stretched to any size, and new dims in front, without copying.

    Args:
        input: tensor of shape `S`.
        size: the new sizes, -1 to keep one. As numbers or as one sequence.

    Returns:
        A view. Where it is stretched, several of its elements are one place in memory: it cannot
        be written in place.

    Raises:
        ShapeError: if a dim that is not of size 1 would have to change.

    Example:
        >>> expand(tensor([[1], [2]]), 2, 3)
        tensor([[1, 1, 1],
                [2, 2, 2]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.expand.html
    """
    asked = size_of(size, "expand")
    found = expanded_size(asked, tuple(input.shape), input.dtype)
    return as_view(Expand.apply(input, size=found), input)


@method()
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`expand(input, other.shape)`.

    Example:
        >>> expand_as(tensor([1, 2]), tensor([[0, 0], [0, 0]]))
        tensor([[1, 2],
                [1, 2]])
    """
    return expand(input, other.shape)


@op(numpy=(np.broadcast_to,))
def broadcast_to(input: Tensor, *shape: Any, size: Any = None) -> Tensor:
    """`expand(input, size)` under NumPy's name.

    Example:
        >>> broadcast_to(tensor([1, 2]), (2, 2))
        tensor([[1, 2],
                [1, 2]])
    """
    return expand(input, *(shape if size is None else (size,)))


Ints = int | Sequence[int]


# Any sizes with the same product ------------------------------------------------------------------


class View(KeepsShape):
    """y = reshape(x, size)        x̄ = reshape(ȳ, shape x)"""

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
        return dx.reshape(ctx.parameters["size"])


class ReshapeAlias(View):
    """y = reshape(x, size)        x̄ = reshape(ȳ, shape x)"""


class UnsafeView(View):
    """y = reshape(x, size)        x̄ = reshape(ȳ, shape x)"""

    views = False


def apply_along(cls: OpClass, *operands: Tensor, **parameters: Any) -> Tensor:
    """Apply an op that counts along a dim; 0-d tensors are lines of one element to it."""
    if operands[0].ndim:
        return cls.apply(*operands, **parameters)
    lines = [x if x.ndim else x.reshape(1) for x in operands]
    return in_shape(cls.apply(*lines, **parameters), ())


def in_shape(result: Tensor, size: Shape) -> Tensor:
    """What an op has made, in another shape. It is no view: nobody sees what it would be of."""
    shown = UnsafeView.apply(result, size=size)
    shown.cold_side().version = result.version_counter()  # the node may have saved its result
    return shown


@op(UnsafeView, Contiguous, View, ReshapeAlias, numpy=(np.reshape,))
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


@method()
def view(input: Tensor, *shape: Any, dtype: Any = None) -> Tensor:
    """The same elements in another shape, always sharing memory.

    Args:
        input, shape: as `reshape` has them.
        dtype: in place of a shape, what the bytes of the memory are read as, outside of the graph.

    Returns:
        A view.

    Raises:
        ShapeError: if the sizes do not fit, or only a copy could have them.

    Example:
        >>> view(tensor([1.0, 2.0, 3.0, 4.0]), 2, 2)
        tensor([[1., 2.],
                [3., 4.]])
    """
    if len(shape) == 1 and (isinstance(shape[0], type) or hasattr(shape[0], "kind")):
        dtype = shape[0]
    if dtype is not None:
        return _read_as(input, as_dtype(dtype))
    size = infer_size(size_of(shape, "view"), input.payload.size)
    if not can_view(input.payload, size):
        raise ShapeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces): "
            f"{list(input.shape)} cannot become {list(size)} without a copy. "
            "Use .reshape(...) instead."
        )
    return as_view(View.apply(input, size=size), input)


def _read_as(input: Tensor, dtype: DType) -> Tensor:
    """The same memory, its bytes read as numbers of another dtype."""
    array, old = without_layers(input), input.dtype.itemsize
    wrong = ""
    if old != dtype.itemsize and not array.ndim:
        wrong = "self.dim() cannot be 0"
    elif old != dtype.itemsize and input.stride(-1) != 1:
        wrong = f"self.stride(-1) must be 1, not {input.stride(-1)},"
    elif array.ndim and array.shape[-1] * old % dtype.itemsize:
        wrong = f"self.size(-1) must be divisible by {dtype.itemsize // old}"
    if wrong:
        raise ShapeError(
            f"{wrong} to view {scalar_name(input.dtype)} as {scalar_name(dtype)} (different "
            f"element sizes), but got a tensor of shape {list(input.shape)}. The bytes of a row "
            "are cut anew. Write `x.to(dtype)` to convert the values."
        )
    seen = input.detach()
    seen.payload = reread(array, dtype)
    return seen


@method()
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`reshape(input, other.shape)`.

    Example:
        >>> reshape_as(tensor([1.0, 2.0]), tensor([[0], [0]]))
        tensor([[1.],
                [2.]])
    """
    return reshape(input, other.shape)


@method()
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`view(input, other.shape)`.

    Example:
        >>> view_as(tensor([1.0, 2.0]), tensor([[0], [0]]))
        tensor([[1.],
                [2.]])
    """
    return view(input, other.shape)


@op()
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


@op()
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
    except ShapeError:
        raise ShapeError(
            f"unflatten: Provided sizes {list(asked)} don't multiply up to the size of dim {at} "
            f"({n}) in the input tensor of shape {list(input.shape)}. Write -1 for one of them."
        )
    return view(input, (*input.shape[:at], *split, *input.shape[at + 1 :]))


@op(numpy=(np.ravel,))
def ravel(input: Tensor) -> Tensor:
    """All elements in one dim, row by row; a copy only if memory demands it.

    Example:
        >>> ravel(tensor([[1, 2], [3, 4]]))
        tensor([1, 2, 3, 4])
    """
    return view(contiguous(input), -1)


@method()
def contiguous(input: Tensor, memory_format: Any = None) -> Tensor:
    """`input` itself if its elements lie row by row in memory, else a copy in which they do.

    Args:
        input: tensor of any shape.
        memory_format: `channels_last`: the dim of channels, the second, is to vary fastest.

    Example:
        >>> m = tensor([[1, 2], [3, 4]])
        >>> contiguous(m) is m, contiguous(m.t()) is m
        (True, False)
    """
    if "channels_last" in str(memory_format):
        rank = 5 if "3d" in str(memory_format) else 4
        if input.ndim != rank and not batches_of(input):
            raise ShapeError(
                f"required rank {rank} tensor to use {memory_format!r}, got the shape "
                f"{tuple(input.shape)}. Its dims are (batch, channels, sizes …). Leave it out."
            )
        if batches_of(input):
            raise TransformError(
                "NYI: querying is_contiguous inside of vmap for memory_format "
                f"{memory_format}: an example has fewer dims than its batch. Leave it out there."
            )
        return contiguous(input.movedim(1, -1)).movedim(-1, 1)
    return input if input.payload.flags.c_contiguous else Contiguous.apply(input)


# Dims of size 1 -----------------------------------------------------------------------------------


class Squeeze(KeepsShape):
    """y = squeeze x        x̄ = reshape(ȳ, shape x)"""

    views = True

    @staticmethod
    def forward(x):
        return x.reshape(_without(x.shape, range(x.ndim)))

    @staticmethod
    def backward(ctx, grad):
        return _unsqueezed(grad, ctx.shape, range(len(ctx.shape)))

    @classmethod
    def vmap(cls, info, in_dims, x):
        """All dims but that of the batch, which may have size 1, too."""
        return SqueezeDims.apply(x, dim=tuple(range(1, x.ndim)))


class SqueezeDims(KeepsShape):
    """y = squeeze(x, dim)        x̄ = reshape(ȳ, shape x)"""

    node = "SqueezeBackward2"
    views = True

    @staticmethod
    def forward(x, *, dim):
        return x.reshape(_without(x.shape, as_tuple(dim)))

    @staticmethod
    def backward(ctx, grad):
        return _unsqueezed(grad, ctx.shape, sorted(as_tuple(ctx.dim)))


class SqueezeDim(SqueezeDims):
    """y = squeeze(x, dim)        x̄ = reshape(ȳ, shape x)"""

    node = "SqueezeBackward1"


def _without(shape: Shape, dims: Sequence[int]) -> Shape:
    return tuple([n for i, n in enumerate(shape) if n != 1 or i not in dims])


def _unsqueezed(grad: Any, shape: Shape, dims: Iterable[int]) -> Any:
    """Put back those of `dims`, in ascending order, that have size 1 in `shape`."""
    for dim in dims:
        if shape[dim : dim + 1] == (1,):
            grad = run(Unsqueeze, grad, dim=dim)
    return grad


@op(SqueezeDim, Squeeze, SqueezeDims, numpy=(np.squeeze,), axis=True)
def squeeze(input: Tensor, dim: Ints | None = None) -> Tensor:
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
    rule, given = _squeezing(input, dim, Squeeze, SqueezeDim, SqueezeDims)
    return as_view(rule.apply(input, **given), input)


def _squeezing(input: Tensor, dim: Ints | None, *rules: OpClass) -> tuple[OpClass, Parameters]:
    """Which of the rules, for all dims, one or several, and its parameters."""
    if dim is None:
        return rules[0], {}
    try:
        dims = wrap_dims(dim, input.ndim)
    except DimError as error:
        if batches_of(input):  # PyTorch has a RuntimeError there
            raise TransformError(f"vmap: {error}")
        raise
    if type(dim) is int or not isinstance(dim, Sequence):
        return rules[1], {"dim": dims[0]}
    return rules[2], {"dim": dims}


class SqueezeInPlace(Squeeze):
    """y = squeeze x        x̄ = reshape(ȳ, shape x)"""

    node = "SqueezeBackward3"


class SqueezeDimInPlace(SqueezeDim):
    """y = squeeze(x, dim)        x̄ = reshape(ȳ, shape x)"""

    node = "SqueezeBackward4"


class SqueezeDimsInPlace(SqueezeDims):
    """y = squeeze(x, dim)        x̄ = reshape(ȳ, shape x)"""

    node = "SqueezeBackward5"


@method()
def squeeze_(input: Tensor, dim: Ints | None = None) -> Tensor:
    """`squeeze`, in place.

    Example:
        >>> squeeze_(tensor([[1, 2]]))
        tensor([1, 2])
    """
    rule, given = _squeezing(input, dim, SqueezeInPlace, SqueezeDimInPlace, SqueezeDimsInPlace)
    return reshaped_in_place("squeeze", rule, input, **given)


class Unsqueeze(Paired, KeepsShape):
    """y = unsqueeze(x, dim)        x̄ = squeeze(ȳ, dim)"""

    views = True
    back = SqueezeDim

    @staticmethod
    def forward(x, *, dim):
        return x.reshape((*x.shape[:dim], 1, *x.shape[dim:]))


@op(Unsqueeze, numpy=(np.expand_dims,), axis=True)
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


class UnsqueezeInPlace(Unsqueeze):
    """y = unsqueeze(x, dim)        x̄ = squeeze(ȳ, dim)"""

    node = "UnsqueezeBackward1"


@method()
def unsqueeze_(input: Tensor, dim: int) -> Tensor:
    """`unsqueeze`, in place.

    Example:
        >>> unsqueeze_(tensor([1, 2]), 0)
        tensor([[1, 2]])
    """
    return reshaped_in_place(
        "unsqueeze", UnsqueezeInPlace, input, dim=wrap_dim(dim, input.ndim + 1)
    )


class Repeat(KeepsShape):
    """yᵢⱼ = x[i mod n, j mod m],  n, m = shape x
    x̄ₖₗ = Σᵢⱼ ȳᵢⱼ·[i mod n = k]·[j mod m = l]
    """

    @staticmethod
    def forward(x, *, repeats):
        return np.tile(x, repeats)

    @staticmethod
    def backward(ctx, grad):
        lead = len(ctx.repeats) - len(ctx.shape)
        apart: list[int] = []  # each dim parted in two: which copy, and where in it
        for times, n in zip(ctx.repeats, (*[1] * lead, *ctx.shape), strict=True):
            apart += (times, n)
        copies = tuple(range(0, len(apart), 2))
        return grad.reshape(apart).sum(axis=copies).reshape(ctx.shape) if apart else grad

    @classmethod
    def vmap(cls, info, in_dims, x, *, repeats):
        return cls.apply(in_front(x, len(repeats)), repeats=(1, *repeats))


@method()
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """Copies of a tensor side by side.

    Args:
        input: tensor of shape `(n₁, …, nₖ)`.
        repeats: how often along each dim, `(r₁, …, rₖ)`; more in front make new dims. As numbers
            or as one sequence.

    Returns:
        Tensor of shape `(r₁·n₁, …, rₖ·nₖ)` with memory of its own.

    Raises:
        ShapeError: for fewer numbers than dims, or for a negative one.

    Example:
        >>> repeat(tensor([1, 2]), 2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.repeat.html
    """
    times = size_of(repeats, "repeat", argument="repeats")
    lead = len(times) - input.ndim
    if lead < 0:
        raise ShapeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            f"tensor: {list(times)} for shape {tuple(input.shape)}. Each dim needs its number. "
            "Write 1 for those that stay, or `tile`, which does so."
        )
    size = [r * n for r, n in zip(times, (*[1] * lead, *input.shape), strict=True)]
    if min(size, default=0) < 0:
        raise ShapeError(
            f"Trying to create tensor with negative dimension {min(size)}: {size}. A tensor is "
            "there at least 0 times. Write a number from 0 on."
        )
    return Repeat.apply(input, repeats=tuple([max(r, 0) for r in times]))  # below 0: of nothing


@op()
def tile(input: Tensor, *dims: Ints) -> Tensor:
    """`repeat`, with ones put in front if there are fewer numbers than dims.

    Example:
        >>> tile(tensor([[1, 2], [3, 4]]), 2)
        tensor([[1, 2, 1, 2],
                [3, 4, 3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.tile.html
    """
    times = size_of(dims, "tile", argument="dims")
    return repeat(input, (1,) * (input.ndim - len(times)) + times)


# The same elements in another order ---------------------------------------------------------------


class Permute(Moved):
    """y = permute(x, dims)        x̄ = permute(ȳ, dims⁻¹)"""

    views = True

    @staticmethod
    def forward(x, *, dims):
        return np.transpose(x, dims)

    @staticmethod
    def backward(ctx, grad):
        dims = ctx.dims
        return run(Permute, grad, dims=tuple([dims.index(i) for i in range(len(dims))]))

    @classmethod
    def one_further(cls, info, parameters):
        """The batch stays in front."""
        return {"dims": (0, *shifted(parameters["dims"]))}


@op(Permute)
def permute(input: Tensor, *dims: Any) -> Tensor:
    """The dims in another order.

    Args:
        input: tensor of shape `S`.
        dims: for each dim of the result, which dim of `input` it is. As numbers or one sequence.

    Returns:
        A view.

    Raises:
        ShapeError: if a dim is missing or there twice.
        DimError: if there is no such dim.

    Example:
        >>> permute(tensor([[1, 2, 3]]), 1, 0)
        tensor([[1],
                [2],
                [3]])

    See also: https://pytorch.org/docs/stable/generated/torch.permute.html
    """
    asked = size_of(dims, "permute", argument="dims")
    if len(asked) != input.ndim:
        raise ShapeError(
            "permute: number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to "
            f"len(dims) = {len(asked)}. Each dim has one new place. Name every dim once."
        )
    order = _distinct(asked, input.ndim, "permute(): duplicate dims are not allowed, got")
    return as_view(Permute.apply(input, dims=order), input)


def _distinct(dims: Shape, ndim: int, refusal: str) -> Shape:
    """Dims counted from the front, none of them there twice."""
    wrapped = tuple([wrap_dim(dim, ndim) for dim in dims])
    if len(set(wrapped)) < len(wrapped):
        raise ShapeError(f"{refusal} {list(dims)}. A dim has one place. Name each dim once.")
    return wrapped


@of_numpy(np.transpose)
def _numpy_transpose(a: Tensor, axes: Shape | None = None) -> Tensor:
    return permute(a, tuple(reversed(range(a.ndim))) if axes is None else axes)


class Transpose(Paired):
    """y = transpose(x, dim0, dim1)        x̄ = transpose(ȳ, dim0, dim1)"""

    views = True
    axes = ("dim0", "dim1")

    @staticmethod
    def forward(x, *, dim0, dim1):
        return np.swapaxes(x, dim0, dim1) if dim0 != dim1 else x[...]  # one is a 0-d tensor's


@op(Transpose, numpy=(np.swapaxes,))
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dims swapped.

    Args:
        input: tensor of shape `S`.
        dim0, dim1: which.

    Returns:
        A view.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> transpose(tensor([[1, 2, 3]]), 0, 1)
        tensor([[1],
                [2],
                [3]])
    """
    first, second = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    if not input.ndim and batches_of(input):
        return input
    return as_view(Transpose.apply(input, dim0=first, dim1=second), input)


class TransposeInPlace(Transpose):
    """y = transpose(x, dim0, dim1)        x̄ = transpose(ȳ, dim0, dim1)"""

    node = "TransposeBackward1"


@method()
def transpose_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose`, in place.

    Example:
        >>> transpose_(tensor([[1, 2]]), 0, 1)
        tensor([[1],
                [2]])
    """
    first, second = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    return reshaped_in_place("transpose", TransposeInPlace, input, dim0=first, dim1=second)


@op(aliases=("swapdims",))
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose` under NumPy's name.

    Example:
        >>> swapaxes(tensor([[1, 2, 3]]), 0, 1).shape
        glassgrad.Size([3, 1])
    """
    return transpose(input, axis0, axis1)


@method(aliases=("swapdims_",))
def swapaxes_(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose_` under NumPy's name.

    Example:
        >>> swapaxes_(tensor([[1, 2]]), 0, 1).shape
        glassgrad.Size([2, 1])
    """
    return transpose_(input, axis0, axis1)


@op(aliases=("moveaxis",), numpy=(np.moveaxis,))
def movedim(input: Tensor, source: Ints, destination: Ints) -> Tensor:
    """Some dims at other places; the others keep their order.

    Args:
        input: tensor of shape `S`.
        source: the dims to move.
        destination: where each of them goes.

    Returns:
        A view.

    Raises:
        ShapeError: if a dim is there twice, or the two numbers of dims differ.
        DimError: if there is no such dim.

    Example:
        >>> movedim(tensor([[[1, 2, 3]]]), 2, 0).shape
        glassgrad.Size([3, 1, 1])
    """
    leaving = ints_of(source, "movedim", "source")
    arriving = ints_of(destination, "movedim", "destination")
    if len(leaving) != len(arriving):
        raise ShapeError(
            f"movedim: Invalid source or destination dims: source ({list(leaving)} dims) should "
            f"contain the same number of dims as destination ({list(arriving)} dims). "
            "Write where each of them goes."
        )
    moved = _distinct(leaving, input.ndim, "movedim: repeated dim in `source`:")
    goals = _distinct(arriving, input.ndim, "movedim: repeated dim in `destination`:")
    order = [dim for dim in range(input.ndim) if dim not in moved]
    for goal, dim in sorted(zip(goals, moved, strict=True)):
        order.insert(goal, dim)
    return permute(input, order if input.ndim else ())


class T(Paired):
    """Y = Xᵀ        X̄ = Ȳᵀ"""

    views = True

    @staticmethod
    def forward(x):
        return np.transpose(x)

    @classmethod
    def vmap(cls, info, in_dims, x):
        """The first and the last dim of an example; of a vector they are one, of a number none."""
        last = x.ndim - 1
        return Transpose.apply(x, dim0=min(1, last), dim1=last)


@op(T)
def t(input: Tensor) -> Tensor:
    """A matrix transposed; a vector or a 0-d tensor as it is.

    Args:
        input: tensor of shape `(n, m)`, `(n,)` or `()`.

    Returns:
        A view of shape `(m, n)`, `(n,)` or `()`.

    Raises:
        ShapeError: if it has more than two dims.

    Example:
        >>> t(tensor([[1, 2], [3, 4]]))
        tensor([[1, 3],
                [2, 4]])
    """
    check_t(input)
    return as_view(T.apply(input), input)


class TInPlace(T):
    """Y = Xᵀ        X̄ = Ȳᵀ"""

    node = "TBackward1"


@method()
def t_(input: Tensor) -> Tensor:
    """`t`, in place.

    Example:
        >>> t_(tensor([[1, 2]]))
        tensor([[1],
                [2]])
    """
    check_t(input)
    return reshaped_in_place("t", TInPlace, input)


def check_t(input: Tensor) -> None:
    """Raise if there are too many dims for `t`."""
    said = "t() expects a tensor with <= 2 dimensions, but self is {ndim}D (shape {shape})"
    check.ndim(said, input, (0, 1, 2), "Which dims to swap is open. Write `x.transpose(-2, -1)`.")


@attribute(name="T")
def reversed_dims(input: Tensor) -> Tensor:
    """`x.T`: the dims in reversed order.

    Example:
        >>> tensor([[1, 2], [3, 4]]).T
        tensor([[1, 3],
                [2, 4]])
    """
    if input.ndim != 2:  # a matrix
        warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
            f"deprecated, and this one has {input.ndim}. Write `x.mT` to transpose a batch of "
            "matrices, or `x.permute(...)`."
        )
    return permute(input, tuple(reversed(range(input.ndim))))


@attribute()
def mT(input: Tensor) -> Tensor:  # noqa: N802  # PyTorch's name
    """`x.mT`: each matrix of a batch transposed.

    Args:
        input: tensor of shape `(…, n, m)`.

    Returns:
        A view of shape `(…, m, n)`.

    Raises:
        ShapeError: if it has one dim. A 0-d tensor comes back as it is, with a warning.

    Example:
        >>> tensor([[[1, 2, 3]]]).mT.shape
        glassgrad.Size([1, 3, 1])
    """
    return turned("tensor.mT", input, "Write `x[:, None]` for a column.")


class Flip(Paired):
    """y = flip(x, dims)        x̄ = flip(ȳ, dims)"""

    axes = ("dims",)

    @staticmethod
    def forward(x, *, dims):
        return copy_of(np.flip(x, dims))


@op(Flip, is_method=False)
def flip(input: Tensor, dims: Ints) -> Tensor:
    """Some dims from back to front.

    Args:
        input: tensor of shape `S`.
        dims: which, one or several.

    Returns:
        A copy of shape `S`.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if a dim is there twice.

    Example:
        >>> flip(tensor([[1, 2], [3, 4]]), 0)
        tensor([[3, 4],
                [1, 2]])

    See also: https://pytorch.org/docs/stable/generated/torch.flip.html
    """
    wrapped = wrap_dims(ints_of(dims, "flip", "dims"), input.ndim)
    return Flip.apply(input, dims=wrapped if input.ndim else ())


@method(name="flip")
def flip_method(input: Tensor, *given: Any, dims: Ints = ()) -> Tensor:
    """`flip(input, dims)`, the dims as numbers or as one sequence.

    Example:
        >>> tensor([[1, 2], [3, 4]]).flip(0, 1)
        tensor([[4, 3],
                [2, 1]])
    """
    return flip(input, size_of(given, "flip", argument="dims") if given else dims)


@op()
def fliplr(input: Tensor) -> Tensor:
    """The columns from right to left: `flip(input, 1)`.

    Raises:
        ShapeError: if there are fewer than two dims.

    Example:
        >>> fliplr(tensor([[1, 2], [3, 4]]))
        tensor([[2, 1],
                [4, 3]])
    """
    said = "Input must be >= 2-d., got the shape {shape}: it has no columns"
    check.ndim(said, input, 2, "Write `x.flip(0)` for a vector.")
    return flip(input, 1)


@op()
def flipud(input: Tensor) -> Tensor:
    """The rows from the last to the first: `flip(input, 0)`.

    Raises:
        ShapeError: for a 0-d tensor.

    Example:
        >>> flipud(tensor([[1, 2], [3, 4]]))
        tensor([[3, 4],
                [1, 2]])
    """
    if not input.ndim:
        raise ShapeError("Input must be >= 1-d., got a 0-d tensor: it has no rows.")
    return flip(input, 0)


class Rot90(Moved):
    """y = rot90(x, k, dims)        x̄ = rot90(ȳ, −k, dims)"""

    axes = ("dims",)

    @staticmethod
    def forward(x, *, k, dims):
        return copy_of(np.rot90(x, k, dims))

    @staticmethod
    def backward(ctx, grad):
        return run(Rot90, grad, k=-ctx.k, dims=ctx.dims)


@op(Rot90)
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """A plane turned by quarters, from its first dim towards its second.

    Args:
        input: tensor of shape `S`.
        k: by how many quarters; negative ones turn back.
        dims: the two dims of the plane.

    Returns:
        A copy; if `k` is odd, the sizes of the two dims change places.

    Raises:
        ShapeError: if there are not two different dims.
        DimError: if there is no such dim.

    Example:
        >>> rot90(tensor([[1, 2], [3, 4]]))
        tensor([[2, 4],
                [1, 3]])

    See also: https://pytorch.org/docs/stable/generated/torch.rot90.html
    """
    asked, why = ints_of(dims, "rot90", "dims"), "A plane has two dims. Write `dims=(0, 1)`."
    check.equal("expected total rotation dims == 2, but got dims = {0}", len(asked), 2, f"{why}")
    check.ndim("expected total dims >= 2, but got total dims = {ndim}", input, 2, f"{why}")
    first, second = [wrap_dim(dim, input.ndim) for dim in asked]
    if first == second:
        raise ShapeError(
            "expected rotation dims to be different, but got "
            f"dim0 = {asked[0]} and dim1 = {asked[1]}. {why}"
        )
    turns = int_of(k, "rot90", "k") % 4
    return Rot90.apply(input, k=turns, dims=(first, second))


class Roll(Moved):
    """y = roll(x, shifts, dims)        x̄ = roll(ȳ, −shifts, dims)"""

    axes = ("dims",)

    @staticmethod
    def forward(x, *, shifts, dims):
        return in_rows(np.roll(x, shifts, dims or None))  # without dims as one line

    @staticmethod
    def backward(ctx, grad):
        return run(Roll, grad, shifts=tuple([-s for s in ctx.shifts]), dims=ctx.dims)

    @classmethod
    def vmap(cls, info, in_dims, x, *, shifts, dims):
        if dims:
            return super().vmap(info, in_dims, x, shifts=shifts, dims=dims)
        (x,) = batch_all(info, in_dims, (x,))
        lines = x.reshape(info.batch_size, math.prod(x.shape[1:]))
        return run(cls, lines, shifts=shifts, dims=(1,)).reshape(x.shape)


@op(Roll)
def roll(input: Tensor, shifts: Ints, dims: Ints | None = None) -> Tensor:
    """Elements moved along some dims; what leaves at the end comes back at the start.

    Args:
        input: tensor of shape `S`.
        shifts: by how many places, for each dim.
        dims: the dims; None rolls the flattened tensor.

    Returns:
        A copy of shape `S`.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if there are not as many shifts as dims.

    Example:
        >>> roll(tensor([1, 2, 3]), 1)
        tensor([3, 1, 2])

    See also: https://pytorch.org/docs/stable/generated/torch.roll.html
    """
    steps = ints_of(shifts, "roll", "shifts")
    asked = () if dims is None else ints_of(dims, "roll", "dims")
    if not steps:
        raise ShapeError(
            "roll(): `shifts` required, got none. They say by how many places. Write `roll(x, 1)`."
        )
    if asked or len(steps) > 1:
        said = "shifts and dimensions must align. shifts: {0}, dims:{1}"
        why = "Each dim moves by a number of its own. Write as many shifts as dims."
        check.equal(said, len(steps), len(asked), why)
    wrapped = tuple([wrap_dim(dim, input.ndim) for dim in asked])
    return Roll.apply(input, shifts=steps, dims=wrapped)
