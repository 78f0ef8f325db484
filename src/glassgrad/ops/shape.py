"""Other shapes for the same elements: reshape, flatten, squeeze, expand and their relatives.

Most of these are *views*: the result shares the memory of its operand, and the gradient is the
same elements in the operand's shape. `reshape` may have to copy; `repeat` and `tile` do.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view
from glassgrad.values.backend import backend_of
from glassgrad.values.gradients import sum_to

from ._arguments import can_view, expanded_size, infer_size, size_of, wrap_dim, wrap_dims
from ._declaring import method, of_numpy, op
from ._families import KeepsShape, by_call, in_front, run
from ._writing import reshaped_in_place
from .conversion import Contiguous


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
    def vmap(cls, info, in_dims, x, *, size):
        return cls.apply(in_front(x, len(size)), size=(info.batch_size, *size))


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
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """`expand(input, size)` under NumPy's name.

    Example:
        >>> broadcast_to(tensor([1, 2]), (2, 2))
        tensor([[1, 2],
                [1, 2]])
    """
    return expand(input, tuple(size))


Dims = int | Sequence[int]


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
        return reshape(dx, ctx.parameters["size"])


class ReshapeAlias(View):
    """y = reshape(x, size)        x̄ = reshape(ȳ, shape x)"""


class UnsafeView(View):
    """y = reshape(x, size)        x̄ = reshape(ȳ, shape x)"""

    views = False


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


@of_numpy(np.ravel)
def _numpy_ravel(a: Tensor) -> Tensor:
    return reshape(a, (-1,))


@method()
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
    except ShapeError as error:
        raise ShapeError(
            f"unflatten: Provided sizes {list(asked)} don't multiply up to the size of dim {at} "
            f"({n}) in the input tensor of shape {list(input.shape)}. Write -1 for one of them."
        ) from error
    return view(input, (*input.shape[:at], *split, *input.shape[at + 1 :]))


@op()
def ravel(input: Tensor) -> Tensor:
    """All elements in one dim, row by row; a copy only if memory demands it.

    Example:
        >>> ravel(tensor([[1, 2], [3, 4]]))
        tensor([1, 2, 3, 4])
    """
    return view(contiguous(input), -1)


@method()
def contiguous(input: Tensor) -> Tensor:
    """`input` itself if its elements lie row by row in memory, else a copy in which they do.

    Example:
        >>> m = tensor([[1, 2], [3, 4]])
        >>> contiguous(m) is m, contiguous(m.t()) is m
        (True, False)
    """
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
        return x.reshape(_without(x.shape, dim))

    @staticmethod
    def backward(ctx, grad):
        return _unsqueezed(grad, ctx.shape, sorted(ctx.dim))


class SqueezeDim(SqueezeDims):
    """y = squeeze(x, dim)        x̄ = reshape(ȳ, shape x)"""

    node = "SqueezeBackward1"

    @staticmethod
    def forward(x, *, dim):
        return x.reshape(_without(x.shape, (dim,)))

    @staticmethod
    def backward(ctx, grad):
        return _unsqueezed(grad, ctx.shape, (ctx.dim,))


def _without(shape: tuple[int, ...], dims: Sequence[int]) -> tuple[int, ...]:
    return tuple([n for i, n in enumerate(shape) if n != 1 or i not in dims])


def _unsqueezed(grad: Any, shape: tuple[int, ...], dims: Iterable[int]) -> Any:
    """Put back those of `dims`, in ascending order, that have size 1 in `shape`."""
    for dim in dims:
        if shape[dim : dim + 1] == (1,):
            grad = run(Unsqueeze, grad, dim=dim)
    return grad


@op(SqueezeDim, Squeeze, SqueezeDims, numpy=(np.squeeze,))
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
    rule, given = _squeezing(input, dim, Squeeze, SqueezeDim, SqueezeDims)
    return as_view(rule.apply(input, **given), input)


def _squeezing(
    input: Tensor, dim: Dims | None, *rules: type[Primitive]
) -> tuple[type[Primitive], dict[str, Any]]:
    """Which of the rules, for all dims, one or several, and its parameters."""
    if dim is None:
        return rules[0], {}
    dims = wrap_dims(dim, input.ndim)
    return (rules[2], {"dim": dims}) if isinstance(dim, Sequence) else (rules[1], {"dim": dims[0]})


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
def squeeze_(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """`squeeze`, in place.

    Example:
        >>> squeeze_(tensor([[1, 2]]))
        tensor([1, 2])
    """
    rule, given = _squeezing(input, dim, SqueezeInPlace, SqueezeDimInPlace, SqueezeDimsInPlace)
    return reshaped_in_place("squeeze", rule, input, **given)


class Unsqueeze(KeepsShape):
    """y = unsqueeze(x, dim)        x̄ = squeeze(ȳ, dim)"""

    views = True

    @staticmethod
    def forward(x, *, dim):
        return x.reshape((*x.shape[:dim], 1, *x.shape[dim:]))

    @staticmethod
    def backward(ctx, grad):
        return run(SqueezeDim, grad, dim=ctx.dim)


@op(Unsqueeze, numpy=(np.expand_dims,))
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
def tile(input: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """`repeat`, with ones put in front if there are fewer numbers than dims.

    Example:
        >>> tile(tensor([[1, 2], [3, 4]]), 2)
        tensor([[1, 2, 1, 2],
                [3, 4, 3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.tile.html
    """
    times = size_of(dims, "tile", argument="dims")
    return repeat(input, (1,) * (input.ndim - len(times)) + times)
