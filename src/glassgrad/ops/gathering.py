"""Choosing elements by an index tensor along one dim: index_select and gather."""

from typing import Any

import numpy as np

from glassgrad.core.errors import DimError, GradientError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of

from ._arguments import wrap_dim
from ._declaring import of_numpy, op
from ._families import KeepsShape, Linear, Moved, batch_all, run, zeros_like
from ._places import along, check_bounds, check_index, in_dim, is_outside
from .creation import as_tensor
from .indexing import Index, IndexPut
from .shape import reshape


class Indexed(Primitive):
    """An op whose last operand is an index. It is copied for backward: its owner may change it."""

    promotes = None
    differentiates = slice(-1)
    keeps_index = True

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.shape, ctx.source_shape = inputs[0].shape, inputs[-2].shape
        ctx.index = np.copy(inputs[-1])


class IndexSelect(Indexed, KeepsShape):
    """yᵢ = x[indexᵢ]        x̄ₖ = Σᵢ ȳᵢ·[indexᵢ = k]"""

    @staticmethod
    def forward(x, index, *, dim):
        return x[in_dim(index, dim)]

    @staticmethod
    def backward(ctx, grad):
        zeros = zeros_like(grad, ctx.shape)
        if isinstance(grad, Tensor):
            return IndexAdd.apply(zeros, grad, ctx.index, dim=ctx.dim, alpha=1)
        return _add_at(zeros, in_dim(ctx.index, ctx.dim), grad)

    @classmethod
    def vmap(cls, info, in_dims, x, index, *, dim):
        if in_dims[1] is None:
            return cls.apply(x, index, dim=dim + 1)
        return Index.vmap(info, in_dims, x, index, dims=(dim,))


class IndexAdd(Indexed, Linear):
    """zₖ = xₖ + alpha·Σᵢ sᵢ·[indexᵢ = k]        x̄ = z̄,  s̄ᵢ = alpha·z̄[indexᵢ]"""

    @staticmethod
    def forward(x, source, index, *, dim, alpha):
        return _add_at(np.copy(x), in_dim(index, dim), source if alpha == 1 else alpha * source)

    @staticmethod
    def setup_context(ctx, inputs, output):
        if ctx.needs_input_grad[1]:
            ctx.index = np.copy(inputs[2])  # its owner may change it
        else:
            ctx.holders = None  # nothing is kept: a second pass may come

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_source = ctx.needs_input_grad
        if not wants_source:
            return grad, None
        chosen = run(IndexSelect, grad, ctx.index, dim=ctx.dim)
        return grad if wants_x else None, chosen if ctx.alpha == 1 else chosen * ctx.alpha

    @classmethod
    def vmap(cls, info, in_dims, x, source, index, *, dim, alpha):
        if in_dims[2] is None:
            x, source = batch_all(info, in_dims[:2], (x, source))
            return cls.apply(x, source, index, dim=dim + 1, alpha=alpha)
        source = source if alpha == 1 else source * alpha
        return IndexPut.vmap(info, in_dims, x, source, index, dims=(dim,), accumulate=True)


def _add_at(array: Any, key: Any, values: Any) -> Any:
    backend_of(array).add_at(array, key, values)
    return array


@op(IndexSelect)
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Some elements of a dim, in the order of `index`.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        index: int32 or int64 tensor of shape `(m,)`, from 0 to `n - 1`; repeats are allowed.

    Returns:
        Tensor of shape `(…, m, …)`.

    Raises:
        DimError: if there is no such dim, or no such element.
        DTypeError: if `index` holds no integers.

    Example:
        >>> index_select(tensor([[1, 2, 3], [4, 5, 6]]), 1, tensor([2, 0, 2]))
        tensor([[3, 1, 3],
                [6, 4, 6]])
    """
    check_index("index_select", index)
    at = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise DimError(
            "index_select(): Index is supposed to be a vector, got the shape "
            f"{list(index.shape)}. Write `x[index]`, or `index.flatten()`."
        )
    n = input.shape[at] if input.ndim else 1
    if is_outside(index, n):
        raise DimError(
            f"index out of range in self: index_select() on dim {at} of size {n}. "
            f"Write indices from 0 to {n - 1}."
        )
    if not input.ndim:
        return reshape(index_select(reshape(input, 1), 0, index), ())
    return IndexSelect.apply(input, reshape(index, -1), dim=at)


class Gather(Indexed, KeepsShape):
    """yᵢⱼ = x[indexᵢⱼ, j]        x̄ₖⱼ = Σᵢ ȳᵢⱼ·[indexᵢⱼ = k]"""

    axes = ("dim",)

    @staticmethod
    def forward(x, index, *, dim):
        return x[along(index, dim)]

    @staticmethod
    def backward(ctx, grad):
        zeros = zeros_like(grad, ctx.shape)
        if isinstance(grad, Tensor):
            return ScatterAdd.apply(zeros, grad, ctx.index, dim=ctx.dim)
        return _add_at(zeros, along(ctx.index, ctx.dim), grad)


class ScatterAdd(Indexed, Moved):
    """zₖⱼ = xₖⱼ + Σᵢ sᵢⱼ·[indexᵢⱼ = k]        x̄ = z̄,  s̄ᵢⱼ = z̄[indexᵢⱼ, j]"""

    axes = ("dim",)

    @staticmethod
    def forward(x, src, index, *, dim):
        return _add_at(np.copy(x), along(index, dim), first_of(src, index.shape))

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_src = ctx.needs_input_grad
        return grad if wants_x else None, gathered(grad, ctx) if wants_src else None


def first_of(src: Any, shape: tuple[int, ...]) -> Any:
    """The part of `src` that an index of shape `shape` speaks of."""
    return src if src.shape == shape else src[tuple([slice(n) for n in shape])]


def gathered(grad: Any, ctx: Any) -> Any:
    """The gradient of what was scattered to `ctx.index`.

    Raises:
        GradientError: if not all of it was.
    """
    if ctx.source_shape != ctx.index.shape:
        raise GradientError(
            f"Function {ctx.name()} returned an invalid gradient at index 1 - got "
            f"{list(ctx.index.shape)} but expected shape compatible with {list(ctx.source_shape)}. "
            "The index is smaller than the source, and only what it speaks of has a gradient. Cut "
            "the source to the shape of the index."
        )
    return run(Gather, grad, ctx.index, dim=ctx.dim)


@op(Gather)
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """For each place of `index` one element of `input`: there in one dim, here in the others.

    Args:
        input: tensor with `d` dims.
        dim: the dim in which `index` chooses.
        index: int32 or int64 tensor with `d` dims, in all others but `dim` no larger than `input`.

    Returns:
        Tensor of the shape of `index`; with dim=1, `y[i, j] = input[i, index[i, j]]`.

    Raises:
        ShapeError: if the shapes do not fit, or there is no such element.
        DTypeError: if `index` holds no integers.

    Example:
        >>> gather(tensor([[1, 2], [3, 4]]), 1, tensor([[0], [1]]))
        tensor([[1],
                [4]])

    See also: https://pytorch.org/docs/stable/generated/torch.gather.html
    """
    check_index("gather", index)
    at = wrap_dim(dim, input.ndim)
    _check_gather(input, at, index)
    if input.ndim != index.ndim or not input.ndim:
        chosen = Gather.apply(reshape(input, -1), reshape(index, -1), dim=0)
        return reshape(chosen, tuple(index.shape))
    return Gather.apply(input, index, dim=at)


@of_numpy(np.take_along_axis)
def _numpy_take_along_axis(arr: Tensor, indices: Any, axis: int) -> Tensor:
    return gather(arr, axis, as_tensor(indices))


def _check_gather(input: Tensor, dim: int, index: Tensor) -> None:
    if not index.numel():
        return
    if max(index.ndim, 1) != max(input.ndim, 1):
        raise ShapeError(
            "Index tensor must have the same number of dimensions as input tensor: shapes "
            f"{list(index.shape)} and {list(input.shape)}. Write `index.unsqueeze(dim)`."
        )
    for other, (n, m) in enumerate(zip(index.shape, input.shape, strict=False)):
        if other != dim and n > m:
            raise ShapeError(
                f"Size does not match at dimension {other} expected index {list(index.shape)} to "
                f"be no larger than self {list(input.shape)} apart from dimension {dim}. The "
                "other dims count along. Cut the index there."
            )
    check_bounds(index, dim, input.shape[dim] if input.ndim else 1)
