"""Choosing elements by an index tensor along one dim: index_select and gather."""

from typing import Any

import numpy as np

from glassgrad.core.backend import backend_of
from glassgrad.core.errors import ArgumentTypeError, DimError, DTypeError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor

from ._dims import wrap_dim
from ._families import KeepsShape, run
from .shape import reshape

__all__ = ["gather", "index_select"]

_SUMMED = (
    r"\textstyle\sum_{k:\, i_k = j} x_k",
    r"\textstyle\sum_{k:\, i_k = j} \dot x_k",
    r"\bar x_k = \bar y_{i_k}",
)


class IndexSelect(KeepsShape):
    """y = x[…, i, …]        dy = dx[…, i, …]        x̄ = Σ ȳ at i"""

    node = "IndexSelectBackward0"
    latex = (r"x_{i_k}", r"\dot x_{i_k}", r"\bar x_j = \textstyle\sum_{k:\, i_k = j} \bar y_k")
    promotes = None
    differentiates = slice(0, 1)

    @staticmethod
    def forward(x, index, *, dim):
        return x[(*(slice(None),) * dim, index)]

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape = inputs[0].shape
        ctx.index = np.copy(inputs[1])  # its owner may change it

    @staticmethod
    def backward(ctx, grad):
        return run(IndexAdd, grad, ctx.index, dim=ctx.dim, shape=ctx.shape)


class IndexAdd(Primitive):
    """y = Σ x at i        dy = Σ dx at i        x̄ = ȳ[…, i, …]"""

    node = "IndexAddBackward0"
    latex = _SUMMED
    promotes = None
    differentiates = slice(0, 1)

    @staticmethod
    def forward(x, index, *, dim, shape):
        out = np.zeros_like(x, order="C", shape=shape)
        backend_of(out).add_at(out, (*(slice(None),) * dim, index), x)
        return out

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.index = inputs[1]

    @staticmethod
    def backward(ctx, grad):
        return run(IndexSelect, grad, ctx.index, dim=ctx.dim)


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
    _check_index("index_select", index)
    at = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise DimError(
            "index_select(): Index is supposed to be a vector, got the shape "
            f"{list(index.shape)}. Write `x[index]`, or `index.flatten()`."
        )
    n = input.shape[at] if input.ndim else 1
    if _is_outside(index.payload, n):
        raise DimError(
            f"index out of range in self: index_select() on dim {at} of size {n}. "
            f"Write indices from 0 to {n - 1}."
        )
    if not input.ndim:
        return reshape(index_select(reshape(input, 1), 0, index), ())
    return IndexSelect.apply(input, reshape(index, -1), dim=at)


class Gather(KeepsShape):
    """y[k] = x[k, but i[k] in one dim]        dy so of dx        x̄ = Σ ȳ at those places"""

    node = "GatherBackward0"
    latex = (
        r"x_{i_{kl},\,l}",
        r"\dot x_{i_{kl},\,l}",
        r"\bar x_{jl} = \textstyle\sum_{k:\, i_{kl} = j} \bar y_{kl}",
    )
    promotes = None
    differentiates = slice(0, 1)

    @staticmethod
    def forward(x, index, *, dim):
        return x[_along(index, dim)]

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape = inputs[0].shape
        ctx.index = np.copy(inputs[1])  # its owner may change it

    @staticmethod
    def backward(ctx, grad):
        return run(ScatterAdd, grad, ctx.index, dim=ctx.dim, shape=ctx.shape)


class ScatterAdd(Primitive):
    """y = Σ x at the places of a gather        dy so of dx        x̄ = gather of ȳ"""

    node = "ScatterAddBackward0"
    latex = _SUMMED
    promotes = None
    differentiates = slice(0, 1)

    @staticmethod
    def forward(x, index, *, dim, shape):
        out = np.zeros_like(x, order="C", shape=shape)
        backend_of(out).add_at(out, _along(index, dim), x)
        return out

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.index = inputs[1]

    @staticmethod
    def backward(ctx, grad):
        return run(Gather, grad, ctx.index, dim=ctx.dim)


def _along(index: Any, dim: int) -> tuple[Any, ...]:
    """The key that takes `index` in one dim, and counts up in all others."""
    counts = np.ix_(*(np.arange(n) for n in index.shape))
    key = [backend_of(index).asarray(count) for count in counts]
    key[dim] = index
    return tuple(key)


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
    _check_index("gather", index)
    at = wrap_dim(dim, input.ndim)
    _check_gather(input, at, index)
    if input.ndim != index.ndim or not input.ndim:
        chosen = Gather.apply(reshape(input, -1), reshape(index, -1), dim=0)
        return reshape(chosen, tuple(index.shape))
    return Gather.apply(input, index, dim=at)


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
    n = input.shape[dim] if input.ndim else 1
    if _is_outside(index.payload, n):
        wrong = index.payload[(index.payload < 0) | (index.payload >= n)]
        raise ShapeError(
            f"index {int(wrong.reshape(-1)[0])} is out of bounds for dimension {dim} with size "
            f"{n}. Write indices from 0 to {n - 1}."
        )


def _check_index(name: str, index: object) -> None:
    if not isinstance(index, Tensor):
        raise ArgumentTypeError(
            f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}. "
            "Write `tensor(index)`."
        )
    if index.dtype not in (np.dtype("int64"), np.dtype("int32")):
        raise DTypeError(
            f"{name}(): Expected dtype int32 or int64 for index, got {index.dtype}. An index "
            "names places. Write `index.long()`."
        )


def _is_outside(index: Any, n: int) -> bool:
    return bool(index.size and (index.min() < 0 or index.max() >= n))
