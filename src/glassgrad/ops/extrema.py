"""The largest, the smallest and the middle element; with a dim, also where it is.

For each place, the largest and the smallest so far, too.
"""

import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DimError, DTypeError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import Func, Shape
from glassgrad.core.tensor import Tensor

from ._arguments import Dims, check_kind, names_none, reduced, require_tensor, wrap_dim
from ._declaring import op
from ._families import (
    AlongLine,
    Reduction,
    kept_shape,
    over_dims,
    rows_of,
    run,
    total,
    zeros_like,
)
from .reduction import in_numpys_order, sum
from .scattering import Gather, ScatterAdd
from .selection import maximum, minimum
from .shape import reshape


class ValuesAndIndices(NamedTuple):
    """Values chosen along a dim, and where they were found."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        kind = type(self).__name__.removesuffix("Return").lower()
        return f"glassgrad.return_types.{kind}(\nvalues={self.values!r},\nindices={self.indices!r})"


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
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        kept = kept_shape(x.shape, ctx.dim)
        here = x == y.reshape(kept)
        ties = here.sum(axis=ctx.dim, keepdims=True, dtype=grad.dtype)
        return grad.reshape(kept) * here / ties


class Amax(_OverDims):
    """y = maxᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    forward = staticmethod(over_dims(np.max))


class Amin(_OverDims):
    """y = minᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    forward = staticmethod(over_dims(np.min))


class AlongDim(AlongLine):
    """Elements chosen along one dim, and their indices: one of a line, or several in its place."""

    multiple = True
    keeps_index = True

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape, ctx.indices = inputs[0].shape, output[1]

    @staticmethod
    def backward(ctx, grad, _):
        places, zeros = _places(ctx), zeros_like(grad, ctx.shape or (1,))
        there = run(ScatterAdd, zeros, grad.reshape(places.shape), places, dim=ctx.dim)
        return there.reshape(ctx.shape)

    @staticmethod
    def jvp(ctx, dx):
        chosen = run(Gather, dx.reshape(ctx.shape or (1,)), _places(ctx), dim=ctx.dim)
        return chosen.reshape(ctx.indices.shape), None


def _places(ctx: Any) -> Any:
    """The indices, with the dim that they count along; PyTorch lets a 0-d tensor have one, too."""
    if ctx.shape and ctx.indices.ndim == len(ctx.shape):
        return ctx.indices
    return ctx.indices.reshape(kept_shape(ctx.shape or (1,), (ctx.dim,)))


def as_line(x: Any) -> Any:
    """`x`, or a 0-d array as a line of one element: PyTorch lets it have a dim 0."""
    return x if x.shape else x.reshape(1)


def chosen_at(x: Any, places: Any, dim: int, *, keepdim: bool = True) -> tuple[Any, Any]:
    """The elements at these places along a dim, and the places; of a 0-d array, 0-d ones."""
    values = np.take_along_axis(as_line(x), places, axis=dim)
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

    node = "MaxBackward0"

    forward = staticmethod(_with_indices(np.max, np.argmax))


class MinDim(AlongDim):
    """y, k = minᵢ xᵢ, argminᵢ xᵢ        x̄ᵢ = ȳ·[i = k]"""

    node = "MinBackward0"

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
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        here = np.where(y != y, x != x, x == y)  # nan is a place, too
        return np.where(here, grad / here.sum(dtype=grad.dtype), 0)

    @classmethod
    def vmap(cls, info, in_dims, x):
        """As in PyTorch, of ties the first one gets all tangents then."""
        return cls.along.apply(rows_of(x), dim=1, keepdim=False)[0]


class Max(_OfAll):
    """y = maxᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    node = "MaxBackward1"
    along = MaxDim

    @staticmethod
    def forward(x):
        return np.max(x)


class Min(_OfAll):
    """y = minᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    node = "MinBackward1"
    along = MinDim

    @staticmethod
    def forward(x):
        return np.min(x)


@op(Max, MaxDim, axis=True)
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
    return _chosen(Max, MaxReturn, input, dim, keepdim)


@op(Min, MinDim, axis=True)
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
    return _chosen(Min, MinReturn, input, dim, keepdim)


@op(Amax, out=True, axis=True)
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
    return _over_dims(Amax, input, dim, keepdim)


@op(Amin, out=True, axis=True)
def amin(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The smallest element over some dims; everything else is as for `amax`.

    Example:
        >>> amin(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=0)
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.amin.html
    """
    return _over_dims(Amin, input, dim, keepdim)


class AminmaxReturn(NamedTuple):
    """What `aminmax` returns."""

    min: Tensor
    max: Tensor

    def __repr__(self) -> str:
        return f"glassgrad.return_types.aminmax(\nmin={self.min!r},\nmax={self.max!r})"


class Aminmax(Reduction):
    """y, z = minᵢ xᵢ, maxᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y] + z̄·[xᵢ = z]/Σⱼ [xⱼ = z]"""

    saves = ("self",)
    multiple = True

    @staticmethod
    def forward(x, *, dim, keepdim):
        return np.min(x, axis=dim, keepdims=keepdim), np.max(x, axis=dim, keepdims=keepdim)

    @staticmethod
    def backward(ctx, *grads):
        (x,) = ctx.saved_tensors
        kept = kept_shape(x.shape, ctx.dim)
        return total(
            [
                grad.reshape(kept) * shares
                for grad, shares in zip(grads, _shares(x, ctx.dim), strict=True)
                if grad is not None
            ]
        )

    @staticmethod
    def jvp(ctx, dx):
        (x,) = ctx.operands
        return tuple(
            [
                (dx * shares).sum(axis=ctx.dim, keepdims=ctx.keepdim)
                for shares in _shares(x, ctx.dim)
            ]
        )


def _shares(x: Any, dim: Shape) -> list[Any]:
    """The part of each element in the smallest and in the largest one: ties share them."""
    ends = np.min(x, axis=dim, keepdims=True), np.max(x, axis=dim, keepdims=True)
    here = [(x == end) * np.ones_like(x) for end in ends]
    return [part / part.sum(axis=dim, keepdims=True) for part in here]


@op(Aminmax, out=True, axis=True)
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
    require_tensor("aminmax", input)
    check_kind('"aminmax_cpu"', input, "biuf", "They have no order. Write `x.abs()`.")
    if dim is None:
        if not input.numel():
            raise ShapeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
                f"identity. The shape is {list(input.shape)}. Check where it became empty."
            )
        dims = tuple(range(input.ndim))
    else:
        dims = (filled_dim(input, dim, "aminmax"),) if input.ndim else ()
    return AminmaxReturn(*Aminmax.apply(input, dim=dims, keepdim=keepdim))


def _chosen(
    whole: type[_OfAll],
    returned: type[ValuesAndIndices],
    input: Tensor,
    dim: Any,
    keepdim: bool,
) -> Any:
    """One of all elements; along a dim, values and where they are."""
    name = whole.__name__.lower()
    if dim is None:
        if whole.of_nothing is not None and not input.numel():
            return sum(input) + whole.of_nothing  # so it stays in the graph
        _check_any_element(input, name)
        return whole.apply(input)
    at = filled_dim(input, dim, name)
    return returned(*whole.along.apply(input, dim=at, keepdim=keepdim))


def _over_dims(op: type[Primitive], input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    name = op.__name__.lower()
    if dim is None or names_none(dim):
        _check_any_element(input, name)
    wanted = reduced(dim, input.ndim)
    for each in wanted:
        filled_dim(input, each, name)
    return op.apply(input, dim=wanted, keepdim=keepdim)


def _check_any_element(input: Tensor, name: str, error: type[Exception] = ShapeError) -> None:
    require_tensor(name, input)
    if not input.numel():
        raise error(
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


class _Index(AlongLine):
    """The index of an extreme element."""

    differentiable = False


class ArgMax(_Index):
    """y = argmaxᵢ xᵢ"""

    forward = staticmethod(over_dims(np.argmax))


class ArgMin(_Index):
    """y = argminᵢ xᵢ"""

    forward = staticmethod(over_dims(np.argmin))


@op(ArgMax, axis=True)
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
    return _index(ArgMax, input, dim, keepdim)


@op(ArgMin, axis=True)
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element; everything else is as for `argmax`.

    Example:
        >>> argmin(tensor([3.0, 1.0, 2.0]))
        tensor(1)

    See also: https://pytorch.org/docs/stable/generated/torch.argmin.html
    """
    return _index(ArgMin, input, dim, keepdim)


def _index(op: type[Primitive], input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    name = op.__name__.lower()
    if input.dtype.kind == "b":
        raise DTypeError(
            f"{name}(): does not support bool input. True and False are no sizes. "
            f"Write `x.int().{name}()`."
        )
    if dim is None:
        _check_any_element(input, name, DimError)
    else:
        at = filled_dim(input, dim, name)
        if input.ndim:
            return op.apply(input, dim=at, keepdim=keepdim)
    found = op.apply(reshape(input.detach(), (input.numel(),)), dim=0, keepdim=False)
    return reshape(found, (1,) * input.ndim) if keepdim else found


class Cummax(AlongDim):
    """y, k = cummax x        dyᵢ = dx[kᵢ]        x̄ⱼ = Σᵢ ȳᵢ·[kᵢ = j]"""

    @staticmethod
    def forward(x, *, dim):
        return _so_far(np.maximum, x, dim)


class Cummin(AlongDim):
    """y, k = cummin x        dyᵢ = dx[kᵢ]        x̄ⱼ = Σᵢ ȳᵢ·[kᵢ = j]"""

    @staticmethod
    def forward(x, *, dim):
        return _so_far(np.minimum, x, dim)


def _so_far(best: Any, x: Any, dim: int) -> tuple[Any, Any]:
    """What is best of all up to each place, and where: the last of ties, and of nans."""
    line = as_line(x)
    is_new = (line == best.accumulate(line, axis=dim)) | (line != line)
    places = np.cumsum(np.ones_like(line, dtype=np.int64), axis=dim) - 1
    return chosen_at(x, np.maximum.accumulate(np.where(is_new, places, 0), axis=dim), dim)


@op(Cummax, out=True)
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
    return CummaxReturn(*_running(Cummax, input, dim))


@op(Cummin, out=True)
def cummin(input: Tensor, dim: int) -> CumminReturn:
    """For each place, the smallest element up to it in a dim, and its index; see `cummax`.

    Example:
        >>> cummin(tensor([2.0, 3.0, 1.0]), 0).values
        tensor([2., 2., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.cummin.html
    """
    return CumminReturn(*_running(Cummin, input, dim))


def _running(op: type[Primitive], input: Tensor, dim: int) -> Any:
    name = op.__name__.lower()
    require_tensor(name, input)
    check_kind(f'"{name}_cpu"', input, "biuf", "They have no order. Write `x.abs()`.")
    return op.apply(input, dim=wrap_dim(dim, input.ndim))


class MedianDim(AlongDim):
    """y, k = medianᵢ xᵢ, argmedianᵢ xᵢ        x̄ᵢ = ȳ·[i = k]"""

    node = "MedianBackward1"

    @staticmethod
    def forward(x, *, dim, keepdim):
        return _middle(x, dim, keepdim, ignore_nan=False)


class NanmedianDim(AlongDim):
    """y, k = nanmedianᵢ xᵢ, argnanmedianᵢ xᵢ        x̄ᵢ = ȳ·[i = k]"""

    node = "NanmedianBackward1"

    @staticmethod
    def forward(x, *, dim, keepdim):
        return _middle(x, dim, keepdim, ignore_nan=True)


class Median(_OfAll):
    """y = medianᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    along = MedianDim
    of_nothing = math.nan

    @staticmethod
    def forward(x):
        return _middle(x.reshape(-1), 0, False, ignore_nan=False)[0]


class Nanmedian(_OfAll):
    """y = nanmedianᵢ xᵢ        x̄ᵢ = ȳ·[xᵢ = y]/Σⱼ [xⱼ = y]"""

    along = NanmedianDim
    of_nothing = math.nan

    @staticmethod
    def forward(x):
        return _middle(x.reshape(-1), 0, False, ignore_nan=True)[0]


def _middle(x: Any, dim: int, keepdim: bool, *, ignore_nan: bool) -> tuple[Any, Any]:
    """The median along a dim and its index. Of an even number the lower one."""
    line = as_line(x)
    is_nan = line != line
    order = np.argsort(line, axis=dim, kind="stable")  # nan comes last
    count = (~is_nan).sum(axis=dim, keepdims=True)
    place = np.take_along_axis(order, np.maximum((count - 1) // 2, 0), axis=dim)
    if not ignore_nan:  # a nan is the median of all it is among
        place = np.where(count < line.shape[dim], np.argmax(is_nan, axis=dim, keepdims=True), place)
    return chosen_at(x, place, dim, keepdim=keepdim)


@op(Median, MedianDim, axis=True)
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
    return _chosen(Median, MedianReturn, input, dim, keepdim)


@op(Nanmedian, NanmedianDim, axis=True)
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """`median` of all elements but nan; of nothing else it is nan.

    Example:
        >>> nanmedian(tensor([3.0, float("nan"), 2.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nanmedian.html
    """
    return _chosen(Nanmedian, NanmedianReturn, input, dim, keepdim)


in_numpys_order(np.max, amax)
in_numpys_order(np.min, amin)
in_numpys_order(np.argmax, argmax)
in_numpys_order(np.argmin, argmin)
