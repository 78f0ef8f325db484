"""Reading and adding at places that an index names along one dim: each is the other's transpose.

`index_select` and `index_add` take a vector of places, each for a slice; `gather` and `scatter_add`
an index for each element.
"""

from typing import Any

import numpy as np

from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of
from glassgrad.values.dtypes import Number

from ._arguments import wrap_dim
from ._declaring import of_numpy, op
from ._families import KeepsShape, Linear, Moved, zeros_like
from ._places import (
    ByElement,
    BySlice,
    Indexed,
    added,
    along,
    apply_along,
    check_elements,
    check_index,
    first_of,
    in_dim,
    read,
    vector_in,
    write_elements,
    write_slices,
)
from .creation import as_tensor
from .shape import reshape


class _Reading(Indexed, KeepsShape):
    """What both ways to read share: what was read somewhere is added there."""

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        zeros = zeros_like(grad, ctx.shape)
        if isinstance(grad, Tensor):
            return added(ctx, zeros, grad)
        return _add_at(zeros, ctx._forward_cls.key(ctx.index, ctx.dim), grad)


class IndexSelect(_Reading, BySlice):
    """yᵢ = x[indexᵢ]        x̄ₖ = Σᵢ ȳᵢ·[indexᵢ = k]"""

    @staticmethod
    def forward(x, index, *, dim):
        return x[in_dim(index, dim)]


class Gather(_Reading, ByElement):
    """yᵢⱼ = x[indexᵢⱼ, j]        x̄ₖⱼ = Σᵢ ȳᵢⱼ·[indexᵢⱼ = k]"""

    @staticmethod
    def forward(x, index, *, dim):
        return x[along(index, dim)]


def _add_at(array: Any, key: Any, values: Any) -> Any:
    backend_of(array).add_at(array, key, values)
    return array


class _Adding(Indexed):
    """What both ways to add share: the index is kept if the gradient of the source needs it."""

    @staticmethod
    def setup_context(ctx, inputs, output):
        if ctx.needs_input_grad[1]:
            ctx.index, ctx.source_shape = np.copy(inputs[2]), inputs[1].shape
        else:
            ctx.holders = None  # nothing is kept: a second pass may come

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_source = ctx.needs_input_grad
        to_source = ctx._forward_cls.to_source
        return grad if wants_x else None, to_source(ctx, grad) if wants_source else None


class IndexAdd(_Adding, BySlice, Linear):
    """zₖ = xₖ + alpha·Σᵢ sᵢ·[indexᵢ = k]        x̄ = z̄,  s̄ᵢ = alpha·z̄[indexᵢ]"""

    once = {"alpha": 1}

    @staticmethod
    def forward(x, source, index, *, dim, alpha):
        return _add_at(np.copy(x), in_dim(index, dim), source if alpha == 1 else alpha * source)

    @staticmethod
    def to_source(ctx, grad):
        return read(ctx, grad) if ctx.alpha == 1 else read(ctx, grad) * ctx.alpha

    @staticmethod
    def by_element(x, source, index, *, dim, alpha):
        return ScatterAdd.apply(x, source if alpha == 1 else source * alpha, index, dim=dim)


class ScatterAdd(_Adding, ByElement, Moved):
    """zₖⱼ = xₖⱼ + Σᵢ sᵢⱼ·[indexᵢⱼ = k]        x̄ = z̄,  s̄ᵢⱼ = z̄[indexᵢⱼ, j]"""

    @staticmethod
    def forward(x, src, index, *, dim):
        return _add_at(np.copy(x), along(index, dim), first_of(src, index.shape))


IndexSelect.by_element = Gather.apply
BySlice.reads, BySlice.adds = IndexSelect, IndexAdd
ByElement.reads, ByElement.adds = Gather, ScatterAdd


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
    at, places = vector_in("index_select", input, dim, index)
    return apply_along(IndexSelect, input, places, dim=at)


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
    check_elements("gather", input, at, index)
    if input.ndim != index.ndim or not input.ndim:
        chosen = Gather.apply(reshape(input, -1), reshape(index, -1), dim=0)
        return reshape(chosen, tuple(index.shape))
    return Gather.apply(input, index, dim=at)


@of_numpy(np.take_along_axis)
def _numpy_take_along_axis(arr: Tensor, indices: Any, axis: int) -> Tensor:
    return gather(arr, axis, as_tensor(indices))


@op(IndexAdd, inplace=True)
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1
) -> Tensor:
    """`input` plus slices of `source`, each at the place that `index` names.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        index: int32 or int64 tensor of shape `(m,)`, from 0 to `n - 1`; at repeats slices add up.
        source: tensor of shape `(…, m, …)` and of the dtype of `input`.
        alpha: what `source` is multiplied with.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        DimError: if there is no such dim or place, or `index` is not as long as `source`.
        ShapeError: if the other sizes differ.
        DTypeError: if `index` holds no integers, or the dtypes differ.

    Example:
        >>> index_add(tensor([1.0, 1.0, 1.0]), 0, tensor([0, 2, 0]), tensor([1.0, 2.0, 3.0]))
        tensor([5., 1., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html
    """
    return write_slices("index_add", IndexAdd, input, dim, index, source, alpha=alpha)


@op(ScatterAdd, inplace=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`input` plus the elements of `src`, each at the place that `index` names along a dim.

    Args:
        input, dim, index, src: as for `scatter`. Elements for one place add up.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        ShapeError: if the shapes do not fit, or there is no such place.
        DTypeError: if `index` holds no integers, or the dtypes differ.

    Example:
        >>> scatter_add(tensor([1, 1, 1]), 0, tensor([0, 0, 2]), tensor([10, 20, 30]))
        tensor([31,  1, 31])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html
    """
    return write_elements("scatter_add", ScatterAdd, input, dim, index, src)
