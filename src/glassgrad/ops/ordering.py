"""Elements by their order: extremes, the middle, sorting, quantiles, searching, counting.

What is chosen along a dim has an index, and its gradient goes back to where it was found.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from glassgrad.core import errors
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import Func
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of, in_rows
from glassgrad.values.dtypes import Number, as_dtype, int32, int64

from . import _checks as check
from ._arguments import Dims, OpClass, dim_there, int_of, names_none, reduced, wrap_dim
from ._declaring import in_numpys_order, op
from ._families import (
    Along,
    AlongLine,
    Reduction,
    Transposed,
    forward_of,
    over_dims,
    without_derivative,
)
from ._rules import (
    batch_all,
    in_dim,
    kept_shape,
    reduce_at,
    rows_of,
    run,
    seen,
    show_named,
    total,
    zeros_like,
)
from .arithmetic import lerp
from .conversion import to
from .creation import arange, as_tensor, full
from .masking import masked_fill
from .reduction import any as any_of
from .reduction import diff, sum
from .scattering import ScatterAdd, gather
from .selection import clamp, maximum, minimum, where
from .shape import flatten, in_shape, movedim, reshape

NO_ORDER = "None is larger or smaller than another. Write `x.abs()`, or `x.real`."
"""Why complex numbers are refused, and what to write instead."""


# The largest, the smallest, the middle ------------------------------------------------------------


class ValuesAndIndices(NamedTuple):
    """Values chosen along a dim, and where they were found."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return show_named(self)


class MaxReturn(ValuesAndIndices):
    """What `max` with a dim returns."""


class MinReturn(ValuesAndIndices):
    """What `min` with a dim returns."""


class CummaxReturn(ValuesAndIndices):
    """What `cummax` returns."""


class CumminReturn(ValuesAndIndices):
    """What `cummin` returns."""


class MedianReturn(ValuesAndIndices):
    """What `median` with a dim returns."""


class NanmedianReturn(ValuesAndIndices):
    """What `nanmedian` with a dim returns."""


class _OverDims(Reduction):
    """The largest or the smallest element over some dims; as in PyTorch, nan is no place."""

    saves = ("self", "result")

    @staticmethod
    def gradient(grad, x, y, *, dim):
        kept = kept_shape(x.shape, dim)
        here = x == y.reshape(kept)
        ties = here.sum(axis=dim, keepdims=True, dtype=grad.dtype)
        return grad.reshape(kept) * here / ties


class Amax(_OverDims):
    """y = maxᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    kernel, kinds = "max_values_cpu", "biuf"
    forward = staticmethod(over_dims(np.max))


class Amin(_OverDims):
    """y = minᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    kernel, kinds = "min_values_cpu", "biuf"
    forward = staticmethod(over_dims(np.min))


class AlongDim(Transposed, AlongLine):
    """Elements chosen along one dim, and their indices: one of a line, or several in its place."""

    multiple = True
    keeps_index = True
    returned: ClassVar[type[ValuesAndIndices]]

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape, ctx.indices = inputs[0].shape, output[1]

    @staticmethod
    def backward(ctx, grad):
        shape, places = ctx.shape or (1,), ctx.indices  # PyTorch lets a 0-d tensor have a dim, too
        if places.ndim < len(shape):
            places = places.reshape(kept_shape(shape, (ctx.dim,)))
        there = run(
            ScatterAdd, zeros_like(grad, shape), grad.reshape(places.shape), places, dim=ctx.dim
        )
        return there.reshape(ctx.shape)


def as_line(x: Any) -> Any:
    """`x`, or a 0-d array as a line of one element: PyTorch lets it have a dim 0."""
    return x if x.shape else x.reshape(1)


def chosen_at(x: Any, places: Any, dim: int, *, keepdim: bool = True) -> tuple[Any, Any]:
    """The elements at these places along a dim, and the places; of a 0-d array, 0-d ones."""
    values, places = in_rows(np.take_along_axis(as_line(x), places, axis=dim)), in_rows(places)
    if not x.shape:
        return values.reshape(()), places.reshape(())
    return (values, places) if keepdim else (np.squeeze(values, dim), np.squeeze(places, dim))


def _with_indices(best: Func, where: Func) -> Callable[..., tuple[Any, Any]]:
    """The forward of an op that finds values along a dim, and where they are."""

    def forward(x: Any, *, dim: int, keepdim: bool) -> tuple[Any, Any]:
        line, keepdim = as_line(x), keepdim and bool(x.shape)
        return best(line, axis=dim, keepdims=keepdim), where(line, axis=dim, keepdims=keepdim)

    return forward


class MaxDim(AlongDim):
    """y, k = maxᵢ xᵢ, argmaxᵢ xᵢ        x̄ᵢ = ȳ·[i = k]"""

    kernel, kinds = "max_cpu", "biuf"
    node = "MaxBackward0"
    returned = MaxReturn

    forward = staticmethod(_with_indices(np.max, np.argmax))


class MinDim(AlongDim):
    """y, k = minᵢ xᵢ, argminᵢ xᵢ        x̄ᵢ = ȳ·[i = k]"""

    kernel, kinds = "min_cpu", "biuf"
    node = "MinBackward0"
    returned = MinReturn

    forward = staticmethod(_with_indices(np.min, np.argmin))


class _OfAll(Reduction):
    """One of all elements; its gradient is split evenly between ties.

    Attributes:
        along: the op that finds one along a dim, and its index.
        of_nothing: what is found among no elements; None if that is a mistake.
    """

    saves = ("self", "result")
    along: ClassVar[type[AlongDim]]
    of_nothing: ClassVar[float | None] = None

    @staticmethod
    def gradient(grad, x, y):
        here = np.where(y != y, x != x, x == y)  # nan is a place, too
        return np.where(here, grad / here.sum(dtype=grad.dtype), 0)

    @classmethod
    def vmap(cls, info, in_dims, x):
        """As in PyTorch, of ties the first one gets all tangents then."""
        return cls.along.apply(rows_of(x), dim=1, keepdim=False)[0]


class Max(_OfAll):
    """y = maxᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    kernel, kinds = "max_all", "biuf"
    node = "MaxBackward1"
    along = MaxDim
    forward = staticmethod(forward_of(np.max))


class Min(_OfAll):
    """y = minᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    kernel, kinds = "min_all", "biuf"
    node = "MinBackward1"
    along = MinDim
    forward = staticmethod(forward_of(np.min))


def _chosen(name: str, whole: type[_OfAll], input: Tensor, dim: Any, keepdim: bool) -> Any:
    """One of all elements; along a dim, values and where they are."""
    if dim is None:
        if whole.of_nothing is not None and not input.numel():
            return sum(input) + whole.of_nothing  # so it stays in the graph
        _check_any_element(input, name)
        return whole.apply(input)
    at = filled_dim(input, dim, name)
    along = whole.along
    return along.returned(*along.apply(input, dim=at, keepdim=keepdim))


def _over_dims(name: str, op: type[Primitive], input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    if dim is None or names_none(dim):
        _check_any_element(input, name)
    wanted = reduced(dim, input.ndim)
    for each in wanted:
        filled_dim(input, each, name)
    return op.apply(input, dim=wanted, keepdim=keepdim)


@op(Max, MaxDim, out=True, axis=True)
def max(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False) -> Any:
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
    return _chosen("max", Max, input, dim, keepdim)


@op(Min, MinDim, out=True, axis=True)
def min(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False) -> Any:
    """The smallest of all elements; with a dim, the smallest along it and their indices.

    Everything else is as for `max`.

    Example:
        >>> min(tensor([1.0, 3.0, 2.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.min.html
    """
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    return _chosen("min", Min, input, dim, keepdim)


@op(Amax, out_exact=True, axis=True, by=_over_dims)
def amax(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The largest element over some dims; unlike `max`, without indices.

    Args:
        input: real tensor of shape `S`.
        dim, axis: the dims to reduce; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.

    Returns:
        Tensor of shape `S` without `dim`. Its gradient is split evenly between ties.

    Raises:
        DimError: for a dim that `input` does not have, or one of size 0.

    Example:
        >>> amax(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=0)
        tensor([4., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.amax.html
    """


@op(Amin, out_exact=True, axis=True, by=_over_dims)
def amin(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The smallest element over some dims; everything else is as for `amax`.

    Example:
        >>> amin(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=0)
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.amin.html
    """


class AminmaxReturn(NamedTuple):
    """What `aminmax` returns."""

    min: Tensor
    max: Tensor

    def __repr__(self) -> str:
        return show_named(self)


class Aminmax(Transposed, Along):
    """y, z = minᵢ xᵢ, maxᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y] + z̄·[xᵢ = z]/Σⱼ [xⱼ = z]"""

    saves = ("self",)
    multiple = True

    @staticmethod
    def forward(x, *, dim, keepdim):
        return np.min(x, axis=dim, keepdims=keepdim), np.max(x, axis=dim, keepdims=keepdim)

    @staticmethod
    def backward(ctx, *grads):
        (x,), parts = ctx.saved_tensors, []
        for grad, end in zip(grads, (np.min, np.max), strict=True):
            if grad is not None:
                here = (x == end(x, axis=ctx.dim, keepdims=True)) * np.ones_like(x)
                share = here / here.sum(axis=ctx.dim, keepdims=True)  # ties share it
                parts.append(grad.reshape(kept_shape(x.shape, ctx.dim)) * share)
        return total(parts)


@op(Aminmax, out_exact=True, axis=True)
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> AminmaxReturn:
    """The smallest and the largest of all elements, or along a dim.

    Args:
        input: real tensor of shape `S`.
        dim: along which dim; None for all elements.
        keepdim: keep that dim, with size 1; without a dim, keep all.

    Returns:
        The named tuple (min, max) of tensors of shape `S` without `dim`. Gradients are split
        evenly between ties.

    Raises:
        ShapeError, DimError: if there is no element to choose from, or no such dim.
        DTypeError: for complex numbers.

    Example:
        >>> aminmax(tensor([1.0, 3.0, 2.0]))
        glassgrad.return_types.aminmax(
        min=tensor(1.),
        max=tensor(3.))

    See also: https://pytorch.org/docs/stable/generated/torch.aminmax.html
    """
    check.tensor("aminmax", input)
    check.kernel('"aminmax_cpu"', input, "biuf", "They have no order. Write `x.abs()`.")
    if dim is None:
        if not input.numel():
            raise errors.ShapeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
                f"identity. The shape is {list(input.shape)}. Check where it became empty."
            )
        dims = tuple(range(input.ndim))
    else:
        dims = (filled_dim(input, dim, "aminmax"),) if input.ndim else ()
    return AminmaxReturn(*Aminmax.apply(input, dim=dims, keepdim=keepdim))


def _check_any_element(
    input: Tensor, name: str, error: type[Exception] = errors.ShapeError
) -> None:
    check.tensor(name, input)
    if not input.numel():
        raise error(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Shape "
            f"{tuple(input.shape)} is empty. Specify the reduction dim with the 'dim' argument."
        )


def filled_dim(input: Tensor, dim: Any, name: str) -> int:
    """`dim` counted from the front, if there is something along it."""
    check.tensor(name, input)
    if isinstance(dim, (tuple, list)):
        raise errors.ArgumentTypeError(
            f"{name}(): dim must be one int, got {dim}. An index counts along one dim. Write "
            f"x.a{name}(dim) for the values over several."
        )
    wrapped = wrap_dim(cast("int", dim), input.ndim)
    if input.ndim and input.shape[wrapped] == 0:
        raise errors.DimError(
            f"{name}(): Expected reduction dim {wrapped} to have non-zero size. Shape "
            f"{tuple(input.shape)} has no element along it. Check where it became empty."
        )
    return wrapped


class _Index(AlongLine):
    """The index of an extreme element."""

    differentiable = False
    kernel, kinds = "argmax_cpu", "biuf"


class ArgMax(_Index):
    """y = argmaxᵢ xᵢ"""

    forward = staticmethod(over_dims(np.argmax))


class ArgMin(_Index):
    """y = argminᵢ xᵢ"""

    forward = staticmethod(over_dims(np.argmin))


def _index(name: str, op: type[Primitive], input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    said = f"{name}(): does not support bool input"
    check.dtype(said, input, "iufc", f"True and False are no sizes. Write `x.int().{name}()`.")
    if dim is None:
        _check_any_element(input, name, errors.DimError)
    else:
        at = filled_dim(input, dim, name)
        if input.ndim:
            return op.apply(input, dim=at, keepdim=keepdim)
    found = op.apply(reshape(input.detach(), (input.numel(),)), dim=0, keepdim=False)
    return reshape(found, (1,) * input.ndim) if keepdim else found


@op(ArgMax, out_exact=True, axis=True, by=_index)
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element: the first one, if there are several.

    Args:
        input: real tensor of shape `S`.
        dim, axis: along which dim; None for the index into the flattened tensor.
        keepdim, keepdims: keep that dim, with size 1.

    Returns:
        int64 tensor of shape `S` without `dim`.

    Raises:
        DimError: if there is no such dim, or no element to choose from.
        DTypeError: for bools.

    Example:
        >>> argmax(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1)
        tensor([1, 0])

    See also: https://pytorch.org/docs/stable/generated/torch.argmax.html
    """


@op(ArgMin, out_exact=True, axis=True, by=_index)
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element; everything else is as for `argmax`.

    Example:
        >>> argmin(tensor([3.0, 1.0, 2.0]))
        tensor(1)

    See also: https://pytorch.org/docs/stable/generated/torch.argmin.html
    """


class Cummax(AlongDim):
    """y, k = cummax x        dyᵢ = dx[kᵢ]        x̄ⱼ = Σᵢ ȳᵢ·[kᵢ = j]"""

    returned = CummaxReturn

    @staticmethod
    def forward(x, *, dim):
        return _so_far(np.maximum, x, dim)


class Cummin(AlongDim):
    """y, k = cummin x        dyᵢ = dx[kᵢ]        x̄ⱼ = Σᵢ ȳᵢ·[kᵢ = j]"""

    returned = CumminReturn

    @staticmethod
    def forward(x, *, dim):
        return _so_far(np.minimum, x, dim)


def _so_far(best: Any, x: Any, dim: int) -> tuple[Any, Any]:
    """What is best of all up to each place, and where: the last of ties, and of nans."""
    line = as_line(x)
    is_new = (line == best.accumulate(line, axis=dim)) | (line != line)
    places = np.cumsum(np.ones_like(line, dtype=np.int64), axis=dim) - 1
    return chosen_at(x, np.maximum.accumulate(np.where(is_new, places, 0), axis=dim), dim)


def _running(name: str, op: type[AlongDim], input: Tensor, dim: int) -> Any:
    check.tensor(name, input)
    check.kernel(f'"{name}_cpu"', input, "biuf", "They have no order. Write `x.abs()`.")
    return op.returned(*op.apply(input, dim=wrap_dim(dim, input.ndim)))


@op(Cummax, out_exact=True, by=_running)
def cummax(input: Tensor, dim: int) -> CummaxReturn:
    """For each place, the largest element up to it in a dim, and its index.

    Args:
        input: real tensor of shape `S`.
        dim: along which dim.

    Returns:
        The named tuple (values, indices), both of shape `S`: the last of several ties, which gets
        the gradient. Behind a nan, all is nan.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for complex numbers.

    Example:
        >>> cummax(tensor([1.0, 3.0, 2.0]), 0)
        glassgrad.return_types.cummax(
        values=tensor([1., 3., 3.]),
        indices=tensor([0, 1, 1]))

    See also: https://pytorch.org/docs/stable/generated/torch.cummax.html
    """


@op(Cummin, out_exact=True, by=_running)
def cummin(input: Tensor, dim: int) -> CumminReturn:
    """For each place, the smallest element up to it in a dim, and its index; see `cummax`.

    Example:
        >>> cummin(tensor([2.0, 3.0, 1.0]), 0).values
        tensor([2., 2., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.cummin.html
    """


def _median(*, ignore_nan: bool) -> Callable[..., tuple[Any, Any]]:
    """The forward of an op that finds medians along a dim; of an even number the lower one."""

    def forward(x: Any, *, dim: int, keepdim: bool) -> tuple[Any, Any]:
        line = as_line(x)
        is_nan = line != line
        order = np.argsort(line, axis=dim, kind="stable")  # nan comes last
        count = (~is_nan).sum(axis=dim, keepdims=True)
        place = np.take_along_axis(order, np.maximum((count - 1) // 2, 0), axis=dim)
        if not ignore_nan:  # a nan is the median of all it is among
            first = np.argmax(is_nan, axis=dim, keepdims=True)
            place = np.where(count < line.shape[dim], first, place)
        return chosen_at(x, place, dim, keepdim=keepdim)

    return forward


class MedianDim(AlongDim):
    """y, k = medianᵢ xᵢ, argmedianᵢ xᵢ        x̄ᵢ = ȳ·[i = k]"""

    node = "MedianBackward1"
    returned = MedianReturn
    kernel, kinds = "median_out", "biuf"

    forward = staticmethod(_median(ignore_nan=False))


class NanmedianDim(AlongDim):
    """y, k = nanmedianᵢ xᵢ, argnanmedianᵢ xᵢ        x̄ᵢ = ȳ·[i = k]"""

    node = "NanmedianBackward1"
    returned = NanmedianReturn
    kernel, kinds = "median_out", "biuf"

    forward = staticmethod(_median(ignore_nan=True))


class Median(_OfAll):
    """y = medianᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    along = MedianDim
    of_nothing = math.nan
    kernel, kinds = "median_cpu", "iuf"

    @staticmethod
    def forward(x):
        return MedianDim.forward(x.reshape(-1), dim=0, keepdim=False)[0]


class Nanmedian(_OfAll):
    """y = nanmedianᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    along = NanmedianDim
    of_nothing = math.nan
    kernel, kinds = "median_cpu", "iuf"

    @staticmethod
    def forward(x):
        return NanmedianDim.forward(x.reshape(-1), dim=0, keepdim=False)[0]


@op(Median, MedianDim, out_exact=True, axis=True, by=_chosen)
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
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


@op(Nanmedian, NanmedianDim, axis=True, by=_chosen)
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """`median` of all elements but nan; of nothing else it is nan.

    Example:
        >>> nanmedian(tensor([3.0, float("nan"), 2.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nanmedian.html
    """


in_numpys_order(np.max, amax)
in_numpys_order(np.min, amin)
in_numpys_order(np.argmax, argmax)
in_numpys_order(np.argmin, argmin)


class SortReturn(ValuesAndIndices):
    """What `sort` returns."""


class TopkReturn(ValuesAndIndices):
    """What `topk` returns."""


class KthvalueReturn(ValuesAndIndices):
    """What `kthvalue` returns."""


class ModeReturn(ValuesAndIndices):
    """What `mode` returns."""


# All of them, and the first ones ------------------------------------------------------------------


class Sort(AlongDim):
    """y, k = sort x        dyᵢ = dx[kᵢ]        x̄ⱼ = Σᵢ ȳᵢ·[kᵢ = j]"""

    @staticmethod
    def forward(x, *, dim, descending):
        return chosen_at(x, _order(as_line(x), dim, descending=descending), dim)


class SortStable(Sort):
    """y, k = sort x        dyᵢ = dx[kᵢ]        x̄ⱼ = Σᵢ ȳᵢ·[kᵢ = j]"""

    node = "SortBackward1"


def _order(x: Any, dim: int, *, descending: bool) -> Any:
    """The indices that sort along a dim: nan is above all, and equals keep their order."""
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    from_behind = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return x.shape[dim] - 1 - np.flip(from_behind, dim)


@op(Sort, SortStable, out_exact=True, axis=True)
def sort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None
) -> SortReturn:
    """The elements along a dim in ascending order, and where they were.

    Args:
        input: real tensor of shape `S`.
        dim: along which dim.
        descending: whether the largest comes first.
        stable: whether equals must keep their order; here they always do.

    Returns:
        The named tuple (values, indices), both of shape `S`. nan counts as the largest.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for complex numbers.

    Example:
        >>> sort(tensor([3.0, 1.0, 2.0]))
        glassgrad.return_types.sort(
        values=tensor([1., 2., 3.]),
        indices=tensor([1, 2, 0]))

    See also: https://pytorch.org/docs/stable/generated/torch.sort.html
    """
    check.tensor("sort", input)
    _check_ordered("Sort", input)
    rule = Sort if stable is None else SortStable
    return SortReturn(
        *rule.apply(input, dim=wrap_dim(dim, input.ndim), descending=bool(descending))
    )


@op(axis=True)
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that sort along a dim: those of `sort`.

    Returns:
        int64 tensor of the shape of `input`.

    Raises:
        DimError, DTypeError: as `sort`.

    Example:
        >>> argsort(tensor([3.0, 1.0, 2.0]))
        tensor([1, 2, 0])

    See also: https://pytorch.org/docs/stable/generated/torch.argsort.html
    """
    return sort(input, dim, descending, stable).indices


@op(out_exact=True)
def msort(input: Tensor) -> Tensor:
    """The elements along the first dim in ascending order.

    Example:
        >>> msort(tensor([[3, 1], [2, 4]]))
        tensor([[2, 1],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.msort.html
    """
    return sort(input, 0).values


class Topk(AlongDim):
    """y, p = topk x        dyᵢ = dx[pᵢ]        x̄ⱼ = Σᵢ ȳᵢ·[pᵢ = j]"""

    @staticmethod
    def forward(x, *, k, dim, largest):
        order = _order(as_line(x), dim, descending=largest)
        return chosen_at(x, order[in_dim(slice(k), dim)], dim)


@op(Topk, out_exact=True, axis=True)
def topk(
    input: Tensor,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,  # noqa: ARG001  # as PyTorch has it
) -> TopkReturn:
    """The `k` largest elements along a dim, the largest first, and where they were.

    Args:
        input: real tensor of shape `(…, n, …)`.
        k: how many, from 0 to `n`.
        dim: which dim has the size `n`.
        largest: whether it is the largest; else the smallest.
        sorted: whether they must be in order; here they always are.

    Returns:
        The named tuple (values, indices), both of shape `(…, k, …)`. nan counts as the largest.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if there are not so many elements.
        DTypeError: for complex numbers and bools.

    Example:
        >>> topk(tensor([3.0, 1.0, 2.0]), 2)
        glassgrad.return_types.topk(
        values=tensor([3., 2.]),
        indices=tensor([0, 2]))

    See also: https://pytorch.org/docs/stable/generated/torch.topk.html
    """
    check.tensor("topk", input)
    at, count = wrap_dim(dim, input.ndim), int_of(k, "topk", "k")
    n = input.shape[at] if input.ndim else 1
    said = f"topk(): selected index k out of range: {{}} of {{high}} elements along dim {at}"
    check.within(said, count, 0, n, f"Write a number from 0 to {n}.")
    said = "topk does not support bool dtypes on CPU: True and False are no sizes"
    check.dtype(said, input, "iufc", "Write `x.int().topk(k)`.")
    _check_ordered("topk", input)
    return TopkReturn(*Topk.apply(input, k=count, dim=at, largest=bool(largest)))


def _check_ordered(name: str, input: Tensor) -> None:
    if input.dtype.kind == "c":
        raise errors.DTypeError(f"{name} does not support complex dtypes on CPU: {NO_ORDER}")


# One of them --------------------------------------------------------------------------------------


class Kthvalue(AlongDim):
    """y, p = kthvalue x        x̄ᵢ = ȳ·[i = p]"""

    @staticmethod
    def forward(x, *, k, dim, keepdim):
        order = _order(as_line(x), dim, descending=False)
        return chosen_at(x, order[in_dim(slice(k - 1, k), dim)], dim, keepdim=keepdim)


@op(Kthvalue, out_exact=True, axis=True)
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> KthvalueReturn:
    """The `k`-th smallest element along a dim, and where it is.

    Args:
        input: real tensor of shape `(…, n, …)`.
        k: which one, from 1 to `n`.
        dim: which dim has the size `n`.
        keepdim: keep that dim, with size 1.

    Returns:
        The named tuple (values, indices), without `dim`. nan counts as the largest.

    Raises:
        DimError: if there is no such dim, or nothing along it.
        ShapeError: if there is no `k`-th element.
        DTypeError: for complex numbers.

    Example:
        >>> kthvalue(tensor([3.0, 1.0, 2.0]), 2).values
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.kthvalue.html
    """
    at, which = filled_dim(input, dim, "kthvalue"), int_of(k, "kthvalue", "k")
    n = input.shape[at] if input.ndim else 1
    if not 1 <= which <= n:
        raise errors.ShapeError(
            f"kthvalue(): selected number k out of range for dimension {at}: {which} of {n} "
            f"elements. The smallest is the first. Write a number from 1 to {n}."
        )
    check.kernel('"kthvalue_cpu"', input, "iuf")
    return KthvalueReturn(*Kthvalue.apply(input, k=which, dim=at, keepdim=bool(keepdim)))


class Mode(AlongDim):
    """y, k = mode x        x̄ᵢ = ȳ·[i = k]"""

    @staticmethod
    def forward(x, *, dim, keepdim):
        """In order, equals are neighbours; each counts those of its kind that stand before it."""
        line = as_line(x)
        order = _order(line, dim, descending=False)
        row = np.moveaxis(np.take_along_axis(line, order, axis=dim), dim, -1)
        places = np.cumsum(np.ones_like(row, dtype=np.int64), axis=-1) - 1
        begins = np.concatenate(
            [np.ones_like(row[..., :1], dtype=np.bool_), row[..., 1:] != row[..., :-1]], axis=-1
        )
        before = places - np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
        most = np.moveaxis(np.argmax(before, axis=-1, keepdims=True), -1, dim)
        return chosen_at(x, np.take_along_axis(order, most, axis=dim), dim, keepdim=keepdim)


@op(Mode, out_exact=True, axis=True)
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> ModeReturn:
    """The most frequent element along a dim, and where it is.

    Args:
        input: real tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        keepdim: keep that dim, with size 1.

    Returns:
        The named tuple (values, indices), without `dim`: of equally frequent elements the
        smallest one, and where it is for the last time.

    Raises:
        DimError: if there is no such dim, or nothing along it.
        DTypeError: for complex numbers.

    Example:
        >>> mode(tensor([3, 1, 3]))
        glassgrad.return_types.mode(
        values=tensor(3),
        indices=tensor(2))

    See also: https://pytorch.org/docs/stable/generated/torch.mode.html
    """
    at = filled_dim(input, dim, "mode")
    check.kernel('"mode_cpu"', input, "biuf", NO_ORDER)
    return ModeReturn(*Mode.apply(input, dim=at, keepdim=bool(keepdim)))


# Quantiles ----------------------------------------------------------------------------------------

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@op(out_exact=True, axis=True)
def quantile(
    input: Tensor,
    q: Tensor | float,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The value below which a share `q` of the elements lies.

    Args:
        input: float32 or float64 tensor of shape `S`.
        q: a share from 0 to 1, or a tensor of such, with one dim or none.
        dim: along which dim; None for all elements.
        keepdim: keep that dim, with size 1.
        interpolation: what lies between two elements: "linear", "lower", "higher", "midpoint" or
            "nearest".

    Returns:
        Tensor of shape `S` without `dim`; if `q` has a dim, it is in front. nan if there is a nan.

    Raises:
        DTypeError: for other dtypes, or a `q` of another one than `input`.
        ShapeError: if there are no elements, for a share outside of [0, 1], or an unknown
            interpolation.

    Example:
        >>> quantile(tensor([1.0, 2.0, 3.0, 4.0]), 0.5)
        tensor(2.5000)

    See also: https://pytorch.org/docs/stable/generated/torch.quantile.html
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


@op(out_exact=True, axis=True)
def nanquantile(
    input: Tensor,
    q: Tensor | float,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """`quantile` of all elements but nan; of nothing else it is nan.

    Example:
        >>> nanquantile(tensor([1.0, float("nan"), 3.0]), 0.5)
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nanquantile.html
    """
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)


def _quantile(
    name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str
) -> Tensor:
    shares = _checked_shares(name, input, q, interpolation)
    at = 0 if dim is None else wrap_dim(dim, input.ndim)
    line = flatten(input) if dim is None or not input.ndim else input
    rows = sort(movedim(line, at, -1)).values
    is_nan = rows.detach().isnan()
    last = rows.shape[-1] - 1
    if name == "nanquantile":
        count = (~is_nan).sum(dim=-1, keepdim=True)
        ranks = clamp(shares * (count - 1).to(input.dtype), min=0)
    else:
        ranks = masked_fill(shares * last, any_of(is_nan, dim=-1, keepdim=True), last)
    found = _between(rows, ranks, interpolation)
    dims = reduced(dim, input.ndim)
    kept = kept_shape(input.shape, dims)
    size = kept if keepdim else [n for at, n in enumerate(kept) if at not in dims]
    if isinstance(q, Tensor) and q.ndim:
        return reshape(movedim(found, -1, 0), (-1, *size))
    return in_shape(found, tuple(size))


def _between(rows: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    """What stands at these ranks, which have fractions, in sorted rows."""
    ranks = ranks.expand(*rows.shape[:-1], ranks.shape[-1])
    if interpolation in ("lower", "higher", "nearest"):
        rounding = {"lower": Tensor.floor, "higher": Tensor.ceil, "nearest": Tensor.round}
        return gather(rows, -1, to(rounding[interpolation](ranks), int64))
    below = to(ranks, int64)
    weights = full((), 0.5, dtype=rows.dtype) if interpolation == "midpoint" else ranks - below
    return lerp(gather(rows, -1, below), gather(rows, -1, to(ranks.ceil(), int64)), weights)


def _checked_shares(name: str, input: Tensor, q: Any, interpolation: str) -> Tensor:
    """The shares that are asked for, as a vector."""
    check.tensor(name, input)
    if not input.numel():
        raise errors.ShapeError(
            f"{name}() input tensor must be non-empty, got the shape {list(input.shape)}. "
            "No element lies between none. Check where it became empty."
        )
    said = f"{name}() input tensor must be either float or double dtype, got {{name}}"
    why = "Values between its elements have fractions. Write `x.float()`."
    check.dtype(said, input, ("float32", "float64"), why)
    said = f"{name}() interpolation must be one of {', '.join(INTERPOLATIONS)}, but got {{}}"
    why = "It says what lies between two elements."
    check.choice(said, interpolation, INTERPOLATIONS, why, errors.ShapeError)
    outside = "A share of all elements is from none, 0, to all, 1."
    if not isinstance(q, Tensor):
        check.within(f"{name}() q must be in the range [0, 1] but got {{}}", q, 0, 1, outside)
        return full((1,), q, dtype=input.dtype, device=input.device)
    why = "Its dim is the first of the result."
    check.vector(f"{name}() q must be a scalar or 1D tensor, but", q, why, or_number=True)
    said = f"{name}() q tensor must be same dtype as the input tensor"
    check.same_dtype(said, input, q, called="q")
    values = seen(q)
    if values is not None and not bool(((values >= 0) & (values <= 1)).all()):
        raise errors.ShapeError(f"{name}() q values must be in the range [0, 1]. {outside}")
    return reshape(q, (-1,))


# Searching in what is sorted ----------------------------------------------------------------------


class Searchsorted(Primitive):
    """y = searchsorted(b, x)"""

    promotes = None
    differentiable = False

    @staticmethod
    def forward(boundaries, x, *, right, dtype):
        asarray = backend_of(x).asarray
        if boundaries.ndim == 1:
            return asarray(np.searchsorted(boundaries, x, "right" if right else "left"), dtype)
        parts = (boundaries, x) if right else (x, boundaries)
        order = np.argsort(np.concatenate(parts, axis=-1), axis=-1, kind="stable")
        n, m = boundaries.shape[-1], x.shape[-1]
        is_boundary = order < n if right else order >= m
        ranks = np.zeros_like(order)
        np.put_along_axis(ranks, order, np.cumsum(is_boundary, axis=-1), axis=-1)
        return asarray(ranks[..., n:] if right else ranks[..., :m], dtype)

    @classmethod
    def vmap(cls, info, in_dims, boundaries, x, **how):
        """Each example has values, and maybe boundaries: then these have as many dims."""
        if in_dims[0] is None and boundaries.ndim == 1:
            return cls.apply(boundaries, x, **how)
        boundaries, x = batch_all(info, in_dims, (boundaries, x))
        shape = x.shape
        if boundaries.ndim == 2:
            x = x.reshape(shape[0], math.prod(shape[1:]))
        return cls.apply(boundaries, x, **how).reshape(shape)


@op(Searchsorted, is_method=False, out_exact=True)
def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | Number,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """How many boundaries lie before each value: where it could be put in, keeping the order.

    Args:
        sorted_sequence: ascending boundaries: shape `(n,)`, or `(…, n)` with the same dims in
            front as `input`.
        input: a number, or a tensor of shape `S`.
        out_int32: whether the result is int32, not int64.
        right, side: whether equal boundaries count, too: `right=True`, or `side="right"`.
        sorter: the indices that sort the boundaries, if they are not in order.

    Returns:
        Integers of shape `S`, from 0 to `n`.

    Raises:
        ShapeError: for other shapes, or if `right` and `side` contradict each other.
        DTypeError: for complex numbers, or a `sorter` of other integers than int64.

    Example:
        >>> searchsorted(tensor([1, 3, 5]), tensor([3, 4]))
        tensor([1, 2])
        >>> searchsorted(tensor([1, 3, 5]), 3, right=True)
        tensor(2)

    See also: https://pytorch.org/docs/stable/generated/torch.searchsorted.html
    """
    check.tensor("searchsorted", sorted_sequence)
    said = "torch.searchsorted(): side can only be 'left' or 'right' but got {}"
    why = "It says whether a value goes before or behind its equals."
    check.choice(said, side, (None, "left", "right"), why, errors.ShapeError)
    if right and side == "left":
        raise errors.ShapeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left "
            "while right was True. They mean the same. Write `side` only."
        )
    shape = sorted_sequence.shape
    values = as_tensor(input, device=sorted_sequence.device)
    if not shape:
        raise errors.ShapeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 "
            "dimension. Write `boundaries.reshape(1)`."
        )
    if len(shape) > 1 and shape[:-1] != values.shape[:-1]:
        raise errors.ShapeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match, but we got "
            f"boundaries tensor {list(shape)} and input value tensor {list(values.shape)}. A row "
            "of values is looked for in the row of boundaries of the same place."
        )
    for each in (sorted_sequence, values):
        check.kernel('"searchsorted_out_cpu"', each, "iuf")
    if sorter is not None:
        sorted_sequence = gather(sorted_sequence, -1, _checked_sorter(sorted_sequence, sorter))
    return Searchsorted.apply(
        sorted_sequence.detach(),
        values.detach(),
        right=bool(right) or side == "right",
        dtype=as_dtype(int32 if out_int32 else int64),
    )


def _checked_sorter(boundaries: Tensor, sorter: Tensor) -> Tensor:
    said = "torch.searchsorted(): boundary and sorter must have the same size"
    check.same_shape(said, boundaries, sorter, "Write `boundaries.argsort()`.")
    check.long("torch.searchsorted(): sorter must be a tensor of long dtype", sorter)
    return sorter


@op(Searchsorted, is_method=False, out_exact=True)
def bucketize(
    input: Tensor | Number, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Between which boundaries each value lies: `searchsorted` in one row of them.

    Args:
        input: a number, or a tensor of shape `S`.
        boundaries: ascending boundaries of shape `(n,)`.
        out_int32: whether the result is int32, not int64.
        right: whether a value equal to a boundary lies behind it.

    Returns:
        Integers of shape `S`, from 0 to `n`.

    Raises:
        ShapeError: if `boundaries` has not one dim.

    Example:
        >>> bucketize(tensor([0.5, 3.0]), tensor([1.0, 2.0]))
        tensor([0, 2])

    See also: https://pytorch.org/docs/stable/generated/torch.bucketize.html
    """
    check.tensor("bucketize", boundaries)
    why = "All values are compared with the same. `searchsorted` takes rows of boundaries."
    check.vector("boundaries tensor must be 1 dimension, but", boundaries, why)
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


# Unique elements ----------------------------------------------------------------------------------


class _Distinct(Primitive):
    """The distinct elements, or slices; where each element went, and how often each is there."""

    promotes = None
    multiple = True
    differentiable = False

    @classmethod
    def vmap(cls, info, in_dims, x, **how):
        raise errors.TransformError(
            "vmap: We do not support batching operators that can output dynamic shape. Attempted "
            f"to vmap over unique: each of {info.batch_size} examples may hold more or fewer "
            "distinct elements. Write a loop."
        )


class Unique2(_Distinct):
    """y, k, m = unique x"""

    @staticmethod
    def forward(x):
        row = x.reshape(-1)
        order = np.argsort(row, kind="stable")
        return _runs(row[order], x.shape, order)


class UniqueConsecutive(_Distinct):
    """y, k, m = runs x"""

    @staticmethod
    def forward(x, *, dim):
        if dim is None:
            return _runs(x.reshape(-1), x.shape)
        values, places, counts = _runs(np.moveaxis(x, dim, 0), x.shape[dim : dim + 1])
        return np.moveaxis(values, 0, dim), places, counts


class UniqueDim(_Distinct):
    """y, k, m = unique(x, dim)"""

    @staticmethod
    def forward(x, *, dim):
        """Slices are sorted as words are: by their first elements, then by the second ones."""
        rows = np.moveaxis(x, dim, 0)
        letters = rows.reshape(rows.shape[0], math.prod(rows.shape[1:]))
        order = (
            np.lexsort(np.swapaxes(letters, 0, 1)[::-1])
            if math.prod(rows.shape)
            else np.nonzero(rows)[0]
        )
        values, places, counts = _runs(rows[order], x.shape[dim : dim + 1], order)
        return np.moveaxis(values, 0, dim), places, counts


def _runs(rows: Any, shape: Any, order: Any = None) -> tuple[Any, Any, Any]:
    """Of equal neighbours the first one; which of these each row is, in their old order; how many.

    Args:
        order: where each row was before they were sorted.
    """
    differs = rows[1:] != rows[:-1]
    begins = np.ones_like(rows, dtype=np.bool_, shape=rows.shape[:1])
    begins[1:] = np.any(differs, axis=tuple(range(1, differs.ndim)))
    run = np.cumsum(begins) - 1
    if order is not None:
        run[order] = np.copy(run)
    first = np.nonzero(begins)[0]
    ends = np.concatenate([first[1:], np.zeros_like(first[:1]) + rows.shape[0]])
    return rows[begins], run.reshape(shape), ends - first


@op(Unique2, UniqueDim)
def unique(
    input: Tensor,
    sorted: bool = True,  # noqa: ARG001  # as PyTorch has it
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements, in ascending order.

    Args:
        input: tensor of shape `S`.
        sorted: whether they must be in order; here they always are.
        return_inverse: whether to say where in the result each element went.
        return_counts: whether to say how often each is there.
        dim: the dim of which slices are compared; None: all elements are.

    Returns:
        Tensor of shape `(n,)`; with a dim, of the shape of `input` with the size `n` there. Behind
        it the int64 tensors that were asked for, of shape `S` (with a dim, its size) and `(n,)`.
        Each nan is another one.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if slices of nothing are compared.
        MissingRuleError: when it is differentiated: it has no derivative.

    Example:
        >>> unique(tensor([3, 1, 3]))
        tensor([1, 3])
        >>> unique(tensor([3, 1, 3]), return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))

    See also: https://pytorch.org/docs/stable/generated/torch.unique.html
    """
    check.tensor("unique", input)
    check.kernel('"unique"', input, "biuf", NO_ORDER)
    if dim is None:
        found = _distinct("_unique2", Unique2, input)
    else:
        at = _checked_slices("unique", input, dim)
        found = _distinct("unique_dim", UniqueDim, input, dim=at)
    return _asked(found, return_inverse, return_counts)


@op(UniqueConsecutive)
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The elements without those that equal the one before them; see `unique`.

    Example:
        >>> unique_consecutive(tensor([1, 1, 2, 1]))
        tensor([1, 2, 1])

    See also: https://pytorch.org/docs/stable/generated/torch.unique_consecutive.html
    """
    check.tensor("unique_consecutive", input)
    check.kernel('"unique"', input, "biuf", NO_ORDER)
    at = None if dim is None else _checked_slices("unique_consecutive", input, dim)
    found = _distinct("unique_consecutive", UniqueConsecutive, input, dim=at)
    return _asked(found, return_inverse, return_counts)


def _distinct(name: str, rule: OpClass, input: Tensor, **how: Any) -> tuple[Tensor, ...]:
    values, *others = rule.apply(input, **how)
    return without_derivative(name, values, input), *others


def _asked(found: Any, return_inverse: bool, return_counts: bool) -> Any:
    values, places, counts = found
    if not (return_inverse or return_counts):
        return values
    return (values, *[places] * return_inverse, *[counts] * return_counts)


def _checked_slices(name: str, input: Tensor, dim: int) -> int:
    at = dim_there(dim, input, f"{name}() compares slices along one. Leave `dim` out.")
    if input.shape.count(0) > 1:
        raise errors.ShapeError(
            "Number of zero sized dimensions is more than one, so unique cannot be applied to the "
            f"shape {list(input.shape)}."
        )
    if 0 in input.shape and input.shape[at]:
        raise errors.ShapeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied: "
            f"{name}() compares slices, which have no elements in the shape {list(input.shape)}."
        )
    return at


# Counts of integers -------------------------------------------------------------------------------


class Bincount(Along):
    """y = bincount x

    In a batch it is as long for all examples as the largest number of all asks for.
    """

    promotes = None
    differentiable = False

    @staticmethod
    def forward(x, *weights, minlength):
        """Rows are counted as one, each from a number of its own on."""
        n = int(np.maximum(np.max(x, initial=-1) + 1, minlength))
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        begins = backend_of(x).asarray(np.arange(len(rows)).reshape(-1, 1) * n)
        weight = weights[0].reshape(-1) if weights else None
        counts = np.bincount((rows + begins).reshape(-1), weight, len(rows) * n)
        return counts.reshape(*x.shape[:-1], n)


@op(Bincount)
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each integer from 0 on is there.

    Args:
        input: integers of shape `(n,)`, none of them negative.
        weights: what each counts: shape `(n,)`.
        minlength: the smallest length of the result.

    Returns:
        Tensor of one count more than the largest integer: int64; with weights, float32 if these
        are, else float64.

    Raises:
        ShapeError: for other shapes, negative integers or a negative `minlength`.
        DTypeError: for numbers that are no integers.

    Example:
        >>> bincount(tensor([0, 2, 2]))
        tensor([1, 0, 2])

    See also: https://pytorch.org/docs/stable/generated/torch.bincount.html
    """
    check.tensor("bincount", input)
    length = int_of(minlength, "bincount", "minlength")
    check.least("minlength should be >= 0, got {}", length, 0, "It counts counts.")
    check.kernel('"bincount_cpu"', input, "iu", "Only whole numbers are counted. Write `x.long()`.")
    input = input.long()
    values = seen(input)
    if input.ndim != 1 or (values is not None and values.size and values.min() < 0):
        raise errors.ShapeError(
            "bincount only supports 1-d non-negative integral inputs, got the shape "
            f"{list(input.shape)}. Each is the place of its count. Write `x.flatten()`."
        )
    if weights is None:
        return Bincount.apply(input, minlength=length)
    said = "weights should be 1-d and have the same length as input"
    check.same_shape(said, weights, input, "Each element has one.")
    counted = Bincount.apply(input, weights.detach(), minlength=length)
    counted = counted.to(weights.dtype) if weights.dtype.name == "float32" else counted
    return without_derivative("aten::bincount", counted, weights)


# Histograms ---------------------------------------------------------------------------------------


class HistogramReturn(NamedTuple):
    """What `histogram` returns."""

    hist: Tensor
    bin_edges: Tensor

    def __repr__(self) -> str:
        return show_named(self)


class Histogram(Along):
    """y = histogram(x, e)"""

    promotes = None
    differentiable = False

    @staticmethod
    def forward(x, edges, *weight, interpolates):
        """One row of edges; or several, and as many rows of elements."""
        lead, n = edges.shape[:-1], edges.shape[-1] - 1
        rows = x.reshape(*lead, math.prod(x.shape[len(lead) :]))
        first, last = edges[..., :1], edges[..., -1:]
        inside = (rows >= first) & (rows <= last)
        if interpolates:
            places = (rows - first) * n / (last - first)
        else:
            places = Searchsorted.forward(edges, rows, right=True, dtype=np.int64) - 1
        asarray = backend_of(x).asarray
        places = np.minimum(asarray(np.where(inside, places, 0), np.dtype(np.int64)), n - 1)
        counts = weight[0].reshape(rows.shape) if weight else np.ones_like(rows)
        out = zeros_like(edges, (math.prod(lead), n))
        if n:
            row = asarray(np.arange(len(out)).reshape(-1, 1))
            key = row, places.reshape(len(out), -1)
            values = np.where(inside, counts, 0).reshape(len(out), -1)
            reduce_at("add", out, key, values)
        return out.reshape(*lead, n)


@op(Histogram, out_exact=True)
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of some bins of one width.

    Args:
        input: floating-point tensor of any shape.
        bins: how many bins.
        min, max: where the first begins and the last ends; if equal, the smallest and the largest
            element. What lies outside is not counted.

    Returns:
        Tensor of shape `(bins,)` and the dtype of `input`.

    Raises:
        ShapeError: for less than one bin, or ends that are not finite or not in order.
        DTypeError: for other dtypes.

    Example:
        >>> histc(tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
        tensor([0., 2., 1., 0.])

    See also: https://pytorch.org/docs/stable/generated/torch.histc.html
    """
    check.tensor("histc", input)
    check.kernel('"histogram_cpu"', input, "f", WHOLE_NUMBERS)
    given = None if min == max else (min, max)
    if given is not None and min > max:
        raise errors.ShapeError(f"torch.histc: max must be larger than min, got {min} and {max}.")
    edges = _edges("torch.histc: ", input.detach(), bins, given)
    return Histogram.apply(input.detach(), edges, interpolates=True)


@op(Histogram, out_exact=True)
def histogram(
    input: Tensor,
    bins: Tensor | int = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> HistogramReturn:
    """How many elements lie in each of some bins, and where these begin and end.

    Args:
        input: floating-point tensor of shape `S`.
        bins: how many bins of one width; or their edges, a vector of `n + 1` ascending numbers.
        range: where the first bin begins and the last one ends. Default: the smallest and the
            largest element.
        weight: what each element counts: shape `S`.
        density: whether the areas of the bins are to sum up to 1.

    Returns:
        The named tuple (hist, bin_edges), of shapes `(n,)` and `(n + 1,)`. The last edge belongs to
        the last bin.

    Raises:
        ShapeError: for less than one bin, other shapes, or ends that are not finite or in order.
        DTypeError: for other dtypes, or different ones.
        ArgumentTypeError: for both edges and a range.

    Example:
        >>> histogram(tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0)).hist
        tensor([2., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.histogram.html
    """
    check.tensor("histogram", input)
    check.kernel('"histogramdd"', input, "f", WHOLE_NUMBERS)
    if not isinstance(bins, Tensor):
        edges = _edges("torch.histogramdd: dimension 0's ", input.detach(), bins, range)
    elif range is None:
        edges = _checked_edges(input, bins.detach()).clone()
    else:
        raise errors.ArgumentTypeError(
            "histogram() received an invalid combination of arguments: edges and a range. "
            "Edges say where bins begin and end. Leave `range` out."
        )
    weights = [] if weight is None else [_checked_weight(input, weight)]
    found = Histogram.apply(input.detach(), edges, *weights, interpolates=False)
    if density:
        found = found / (found.sum() * diff(edges))
    found = without_derivative("histogram", found, input, weight)
    return HistogramReturn(found, edges)


class HistogramddReturn(NamedTuple):
    """The result of `histogramdd`."""

    hist: Tensor
    bin_edges: tuple[Tensor, ...]

    def __repr__(self) -> str:
        return show_named(self)


@op(is_method=False)
def histogramdd(
    input: Tensor,
    bins: Any,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> HistogramddReturn:
    """`histogram` of points: how many lie in each of some boxes, and where these begin and end.

    Args:
        input: floating-point tensor of points, shape `(*S, d)`.
        bins: how many along each dim; a number for all; or the edges, a vector for each.
        range: where the boxes begin and end along each dim, `2·d` numbers.
        weight: what each point counts: shape `S`.
        density: whether the volumes of the boxes are to sum up to 1.

    Returns:
        The named tuple (hist, bin_edges): shape `(n₁, …, n_d)`, and a tuple of vectors.

    Raises:
        ShapeError: for less than two dims, or bins, ranges or weights that do not fit.

    Example:
        >>> histogramdd(tensor([[0.0, 1.0], [1.0, 0.0]]), [2, 2]).hist
        tensor([[0., 1.],
                [1., 0.]])
    """
    check.tensor("histogramdd", input)
    check.kernel('"histogramdd"', input, "f", WHOLE_NUMBERS)
    said = "torch.histogramdd: input tensor should have at least 2 dimensions, but got {ndim}"
    check.ndim(said, input, 2, "The last one is that of a point. Write `x.unsqueeze(-1)`.")
    d = input.shape[-1]
    given = [bins] * d if isinstance(bins, int) else list(bins)
    if len(given) != d:
        raise errors.ShapeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input: "
            f"{len(given)} and {d}. Write a number for each dim."
        )
    if range is not None and len(range) != 2 * d:
        raise errors.ShapeError(
            f"torch.histogramdd: for a {d}-dimensional histogram range should have {2 * d} "
            f"elements, but got {len(range)}. Each dim has two ends."
        )
    points = flatten(input.detach(), 0, -2)
    edges, number = [], full((), 0, dtype=int64, device=input.device)
    inside = points[:, 0] == points[:, 0]
    for dim, each in enumerate(given):
        x = points[:, dim]
        ends = None if range is None else range[2 * dim : 2 * dim + 2]
        name = f"torch.histogramdd: dimension {dim}'s "
        edge = _checked_edges(x, each) if isinstance(each, Tensor) else _edges(name, x, each, ends)
        n = edge.numel() - 1
        place = searchsorted(edge, x, right=True) - 1
        place = where(x == edge[-1], n - 1, place)
        inside = inside & (place >= 0) & (place < n)
        number = number * n + place
        edges.append(edge)
    sizes = [edge.numel() - 1 for edge in edges]
    if weight is None:
        counts = input.new_ones(len(points))
    else:
        counts = reshape(_checked_weight(input[..., 0], weight), (-1,))
    blank = input.new_zeros(math.prod(sizes))
    found = reshape(blank.index_add(0, number[inside], counts[inside]), sizes)
    if density:
        found = found / found.sum()
        for dim, edge in enumerate(edges):
            found = found / reshape(diff(edge), [-1, *[1] * (d - dim - 1)])
    found = without_derivative("histogramdd", found, input, weight)
    return HistogramddReturn(found, tuple(edges))


WHOLE_NUMBERS = (
    "It says where bins begin in the same dtype, and those are fractions. Write `x.float()`."
)
"""Why integers have no histogram, and what to write instead."""


def _edges(name: str, x: Tensor, bins: int, given: Sequence[float] | None) -> Tensor:
    """The edges of bins of one width between two ends, or the ends of `x`."""
    count = int_of(bins, "histogram", "bins")
    said = "torch.histogram(): bins must be > 0, but got {} for dimension 0"
    check.least(said, count, 1, "It says how many parts there are.")
    if given is not None:
        low, high = [full((), end, dtype=x.dtype, device=x.device) for end in given]
    elif x.numel():
        low, high = aminmax(x)
    else:
        low, high = x.new_zeros(()), x.new_ones(())
    ends = [seen(low), seen(high)]
    if ends[0] is not None and ends[1] is not None:
        said = f"[{float(ends[0]):g}, {float(ends[1]):g}]"
        if not np.isfinite(ends[0]) or not np.isfinite(ends[1]):
            raise errors.ShapeError(f"{name}range of {said} is not finite. Write finite ends.")
        if ends[0] > ends[1]:
            raise errors.ShapeError(
                "torch.histogramdd: min should not exceed max, but got "
                f"min {float(ends[0]):g} max {float(ends[1]):g} for dimension 0. Swap them."
            )
    is_point = low == high
    low, high = where(is_point, low - 0.5, low), where(is_point, high + 0.5, high)
    step = (high - low) / count
    at = arange(count + 1, dtype=x.dtype, device=x.device)
    return where(at < (count + 1) // 2, low + step * at, high - step * (count - at))


def _checked_edges(input: Tensor, edges: Tensor) -> Tensor:
    said = "torch.histogramdd: bins tensor should have one dimension, but"
    check.vector(said, edges, "It is a row of edges.")
    if not edges.numel():
        raise errors.ShapeError(
            "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in "
            "the bins tensor for dimension 0. A bin lies between two edges."
        )
    said = "torch.histogramdd: input tensor and bins tensors should have the same dtype"
    check.same_dtype(said, input, edges, called="bins")
    return edges


def _checked_weight(input: Tensor, weight: Tensor) -> Tensor:
    """The weight of each element, as a constant."""
    said = (
        "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
        "input tensor excluding its innermost dimension"
    )
    check.same_shape(said, input, weight, "Each element has a weight.")
    said = (
        "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should "
        "have the same dtype"
    )
    check.same_dtype(said, input, weight, called="weight")
    return weight.detach()
