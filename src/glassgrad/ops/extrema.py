"""The largest and the smallest element; with a dim, also where it is."""

from typing import Any, cast

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DimError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.ops._dims import names_none, wrap_dim
from glassgrad.ops._reduce import Dims, array_of, dim_or_axis, kept_or_keepdims, kept_shape, reduced
from glassgrad.ops._returns import MaxReturn, MinReturn
from glassgrad.ops._texts import require_tensor
from glassgrad.ops.selection import maximum, minimum

from ._families import AlongLine, Reduction, rows_of
from ._out import written_to

__all__ = ["amax", "amin", "max", "min"]


class Max(Reduction):
    """y = maxᵢ xᵢ        dy = mean of dxᵢ over the m places of y        x̄ᵢ = ȳ/m there, 0 elsewhere"""  # noqa: E501  # formulas

    node = "MaxBackward1"
    latex = (
        r"\max_i x_i",
        r"\tfrac1m \sum_{i: x_i = y} \dot x_i",
        r"\bar x_i = \tfrac1m\,\bar y\,[x_i = y]",
    )
    saves = ("self", "result")

    @staticmethod
    def forward(x):
        return np.max(x)

    @staticmethod
    def backward(ctx, grad):
        return shared(grad, *ctx.saved_tensors, dim=None)

    @classmethod
    def vmap(cls, info, in_dims, x):
        return MaxDim.apply(rows_of(x), dim=1, keepdim=False)[0]


class Min(Reduction):
    """y = minᵢ xᵢ        dy = mean of dxᵢ over the m places of y        x̄ᵢ = ȳ/m there, 0 elsewhere"""  # noqa: E501  # formulas

    node = "MinBackward1"
    latex = (r"\min_i x_i", Max.latex[1], Max.latex[2])
    saves = ("self", "result")

    @staticmethod
    def forward(x):
        return np.min(x)

    @staticmethod
    def backward(ctx, grad):
        return shared(grad, *ctx.saved_tensors, dim=None)

    @classmethod
    def vmap(cls, info, in_dims, x):
        return MinDim.apply(rows_of(x), dim=1, keepdim=False)[0]


class _OverDims(Reduction):
    """The largest or the smallest element over some dims."""

    saves = ("self", "result")

    @staticmethod
    def backward(ctx, grad):
        return shared(grad, *ctx.saved_tensors, dim=ctx.dim)


class Amax(_OverDims):
    """y = maxᵢ xᵢ over dims        dy = mean of dxᵢ over the m places of y        x̄ᵢ = ȳ/m there"""

    node = "AmaxBackward0"
    latex = (r"\max_{i \in dim} x_i", Max.latex[1], Max.latex[2])

    @staticmethod
    def forward(x, *, dim, keepdim):
        return np.max(x, axis=dim, keepdims=keepdim)


class Amin(_OverDims):
    """y = minᵢ xᵢ over dims        dy = mean of dxᵢ over the m places of y        x̄ᵢ = ȳ/m there"""

    node = "AminBackward0"
    latex = (r"\min_{i \in dim} x_i", Max.latex[1], Max.latex[2])

    @staticmethod
    def forward(x, *, dim, keepdim):
        return np.min(x, axis=dim, keepdims=keepdim)


def shared(grad: Any, x: Any, y: Any, *, dim: tuple[int, ...] | None) -> Any:
    """`grad` split evenly over the places where `x` has the extreme value `y`."""
    if dim is not None:
        kept = kept_shape(x.shape, dim)
        grad, y = grad.reshape(kept), y.reshape(kept)
    here = x == y if dim is not None else np.where(y != y, x != x, x == y)  # nan is a place, too
    ties = here.sum(axis=dim, keepdims=dim is not None, dtype=grad.dtype)
    return np.where(here, grad / ties, 0) if dim is None else grad * here / ties


class AlongDim(AlongLine):
    """The largest or the smallest element along one dim, and its index."""

    multiple = True
    keeps_index = True
    axes = ("dim",)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape, ctx.indices = inputs[0].shape, output[1]

    @staticmethod
    def backward(ctx, grad, _):
        return placed(grad, ctx)

    @staticmethod
    def jvp(ctx, dx):
        if not ctx.shape:
            return dx, None
        there = ctx.indices.reshape(kept_shape(ctx.shape, (ctx.dim,)))
        return np.take_along_axis(dx, there, ctx.dim).reshape(ctx.indices.shape), None


class MaxDim(AlongDim):
    """y = maxᵢ xᵢ = xₖ along dim        dy = dxₖ        x̄ᵢ = ȳ if i = k, else 0"""

    node = "MaxBackward0"
    latex = (r"\max_i x_i = x_k", r"\dot x_k", r"\bar x_i = \bar y\,[i = k]")

    @staticmethod
    def forward(x, *, dim, keepdim):
        return _with_indices(np.max, np.argmax, x, dim, keepdim)


class MinDim(AlongDim):
    """y = minᵢ xᵢ = xₖ along dim        dy = dxₖ        x̄ᵢ = ȳ if i = k, else 0"""

    node = "MinBackward0"
    latex = (r"\min_i x_i = x_k", r"\dot x_k", r"\bar x_i = \bar y\,[i = k]")

    @staticmethod
    def forward(x, *, dim, keepdim):
        return _with_indices(np.min, np.argmin, x, dim, keepdim)


def _with_indices(best: Any, where: Any, x: Any, dim: int, keepdim: bool) -> Any:
    if not x.shape:  # PyTorch lets a 0-d tensor have a dim 0, NumPy does not
        x, keepdim = x.reshape(1), False
    return best(x, axis=dim, keepdims=keepdim), where(x, axis=dim, keepdims=keepdim)


def placed(grad: Any, ctx: Any) -> Any:
    """`grad` at the indices that were found, 0 elsewhere."""
    if not ctx.shape:
        return grad
    kept = kept_shape(ctx.shape, (ctx.dim,))
    line = tuple([n if dim == ctx.dim else 1 for dim, n in enumerate(ctx.shape)])
    places = np.arange(ctx.shape[ctx.dim], like=array_of(ctx.indices)).reshape(line)
    return np.where(places == ctx.indices.reshape(kept), grad.reshape(kept), 0)


def max(
    input: Tensor,
    dim: int | Tensor | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool | None = None,
) -> Any:
    """The largest of all elements; with a dim, the largest along it and their indices.

    Args:
        input: real tensor of shape `S`.
        dim, axis: one dim, or a tensor to take the elementwise `maximum` with.
        keepdim, keepdims: keep that dim, with size 1.

    Returns:
        Without a dim, a 0-d tensor, whose gradient is split evenly between ties. With one, the
        named tuple (values, indices): the first of several ties, which gets all the gradient.

    Raises:
        ShapeError, DimError: if there is no element to choose from, or no such dim.

    Example:
        >>> max(tensor([1.0, 3.0, 2.0]))
        tensor(3.)
        >>> max(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1)
        glassgrad.return_types.max(
        values=tensor([3., 4.]),
        indices=tensor([1, 0]))

    See also: https://pytorch.org/docs/stable/generated/torch.max.html
    """
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    wanted = dim_or_axis(dim, axis)
    if wanted is None:
        _check_any_element(input, "max")
        return Max.apply(input)
    at, keep = filled_dim(input, wanted, "max"), kept_or_keepdims(keepdim, keepdims)
    return MaxReturn(*MaxDim.apply(input, dim=at, keepdim=keep))


def min(
    input: Tensor,
    dim: int | Tensor | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool | None = None,
) -> Any:
    """The smallest of all elements; with a dim, the smallest along it and their indices.

    Everything else is as for `max`.

    Example:
        >>> min(tensor([1.0, 3.0, 2.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.min.html
    """
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    wanted = dim_or_axis(dim, axis)
    if wanted is None:
        _check_any_element(input, "min")
        return Min.apply(input)
    at, keep = filled_dim(input, wanted, "min"), kept_or_keepdims(keepdim, keepdims)
    return MinReturn(*MinDim.apply(input, dim=at, keepdim=keep))


def amax(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The largest element over some dims; unlike `max`, without indices.

    Args:
        input: real tensor of shape `S`.
        dim, axis: the dims to reduce; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`. Its gradient is split evenly between ties.

    Raises:
        DimError: for a dim that `input` does not have, or one of size 0.

    Example:
        >>> amax(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=0)
        tensor([4., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.amax.html
    """
    if out is not None:
        return written_to(out, amax, input, dim, keepdim, axis=axis, keepdims=keepdims)
    return _over_dims(Amax, "amax", input, dim_or_axis(dim, axis), keepdim, keepdims)


def amin(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The smallest element over some dims; everything else is as for `amax`.

    Example:
        >>> amin(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=0)
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.amin.html
    """
    if out is not None:
        return written_to(out, amin, input, dim, keepdim, axis=axis, keepdims=keepdims)
    return _over_dims(Amin, "amin", input, dim_or_axis(dim, axis), keepdim, keepdims)


def _over_dims(
    op: type[Primitive], name: str, input: Tensor, dim: Dims, keepdim: Any, keepdims: Any
) -> Tensor:
    dims = reduced(dim, input.ndim)
    if dim is None or names_none(dim):
        _check_any_element(input, name)
    for each in dims:
        filled_dim(input, each, name)
    return op.apply(input, dim=dims, keepdim=kept_or_keepdims(keepdim, keepdims))


def _check_any_element(input: Tensor, name: str) -> None:
    require_tensor(name, input)
    if not input.numel():
        raise ShapeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Shape "
            f"{tuple(input.shape)} is empty. Specify the reduction dim with the 'dim' argument."
        )


def filled_dim(input: Tensor, dim: Any, name: str) -> int:
    """`dim` counted from the front, if there is something along it."""
    require_tensor(name, input)
    if isinstance(dim, (tuple, list)):
        raise ArgumentTypeError(
            f"{name}(): dim must be one int, got {dim}. An index counts along one dim. Write "
            f"x.a{name}(dim) for the values over several."
        )
    wrapped = wrap_dim(cast("int", dim), input.ndim)
    if input.ndim and input.shape[wrapped] == 0:
        raise DimError(
            f"{name}(): Expected reduction dim {wrapped} to have non-zero size. Shape "
            f"{tuple(input.shape)} has no element along it. Check where it became empty."
        )
    return wrapped
