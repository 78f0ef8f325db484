"""The same elements in another order: dims swapped, which are views; flip and roll, which copy."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view
from glassgrad.values.backend import copy_of, in_rows

from ._arguments import ints_of, size_of, wrap_dim, wrap_dims
from ._declaring import method, of_numpy, op
from ._families import Linear, Moved, run, shifted
from ._writing import reshaped_in_place
from .shape import reshape

Dims = int | Sequence[int]


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


def _distinct(dims: tuple[int, ...], ndim: int, refusal: str) -> tuple[int, ...]:
    """Dims counted from the front, none of them there twice."""
    wrapped = tuple([wrap_dim(dim, ndim) for dim in dims])
    if len(set(wrapped)) < len(wrapped):
        raise ShapeError(f"{refusal} {list(dims)}. A dim has one place. Name each dim once.")
    return wrapped


@of_numpy(np.transpose)
def _numpy_transpose(a: Tensor, axes: tuple[int, ...] | None = None) -> Tensor:
    return permute(a, tuple(reversed(range(a.ndim))) if axes is None else axes)


class Transpose(Moved):
    """y = transpose(x, dim0, dim1)        x̄ = transpose(ȳ, dim0, dim1)"""

    views = True
    axes = ("dim0", "dim1")

    @staticmethod
    def forward(x, *, dim0, dim1):
        return np.swapaxes(x, dim0, dim1) if dim0 != dim1 else x[...]  # one is a 0-d tensor's

    @staticmethod
    def backward(ctx, grad):
        return run(Transpose, grad, dim0=ctx.dim0, dim1=ctx.dim1)


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


@op()
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose` under NumPy's name.

    Example:
        >>> swapaxes(tensor([[1, 2, 3]]), 0, 1).shape
        glassgrad.Size([3, 1])
    """
    return transpose(input, axis0, axis1)


@method()
def swapaxes_(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose_` under NumPy's name.

    Example:
        >>> swapaxes_(tensor([[1, 2]]), 0, 1).shape
        glassgrad.Size([2, 1])
    """
    return transpose_(input, axis0, axis1)


@op(numpy=(np.moveaxis,))
def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
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


class T(Linear):
    """Y = Xᵀ        X̄ = Ȳᵀ"""

    promotes = None
    views = True

    @staticmethod
    def forward(x):
        return np.transpose(x)

    @staticmethod
    def backward(ctx, grad):
        return run(T, grad)

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
    if input.ndim > 2:  # a matrix
        raise ShapeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D (shape "
            f"{list(input.shape)}). Which dims to swap is open. Write `x.transpose(-2, -1)`."
        )


def reversed_dims(input: Tensor) -> Tensor:
    """`x.T`: the dims in reversed order.

    Example:
        >>> tensor([[1, 2], [3, 4]]).T
        tensor([[1, 3],
                [2, 4]])
    """
    if input.ndim != 2:  # a matrix
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
            f"deprecated, and this one has {input.ndim}. Write `x.mT` to transpose a batch of "
            "matrices, or `x.permute(...)`.",
            UserWarning,
            stacklevel=3,
        )
    return permute(input, tuple(reversed(range(input.ndim))))


def mT(input: Tensor) -> Tensor:  # noqa: N802  # PyTorch's name
    """`x.mT`: each matrix of a batch transposed.

    Args:
        input: tensor of shape `(…, n, m)`.

    Returns:
        A view of shape `(…, m, n)`.

    Raises:
        ShapeError: if it has fewer than two dims.

    Example:
        >>> tensor([[[1, 2, 3]]]).mT.shape
        glassgrad.Size([1, 3, 1])
    """
    if input.ndim < 2:  # a matrix
        raise ShapeError(
            "tensor.mT is only supported on matrices or batches of matrices. Got "
            f"{input.ndim}-D tensor. Write `x[:, None]` for a column."
        )
    return transpose(input, -2, -1)


class Flip(Moved):
    """y = flip(x, dims)        x̄ = flip(ȳ, dims)"""

    axes = ("dims",)

    @staticmethod
    def forward(x, *, dims):
        return copy_of(np.flip(x, dims))

    @staticmethod
    def backward(ctx, grad):
        return run(Flip, grad, dims=ctx.dims)


@op(Flip)
def flip(input: Tensor, *dims: Any) -> Tensor:
    """Some dims from back to front.

    Args:
        input: tensor of shape `S`.
        dims: which, as numbers or one sequence.

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
    asked = size_of(dims, "flip", argument="dims")
    wrapped = wrap_dims(asked, input.ndim)
    return Flip.apply(input, dims=wrapped if input.ndim else ())


class Roll(Moved):
    """y = roll(x, shifts, dims)        x̄ = roll(ȳ, −shifts, dims)"""

    axes = ("dims",)

    @staticmethod
    def forward(x, *, shifts, dims):
        return in_rows(np.roll(x, shifts, dims))

    @staticmethod
    def backward(ctx, grad):
        return run(Roll, grad, shifts=tuple([-s for s in ctx.shifts]), dims=ctx.dims)


@op(Roll)
def roll(
    input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None
) -> Tensor:
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
    if not asked and len(steps) == 1:
        flat = Roll.apply(reshape(input, (-1,)), shifts=steps, dims=(0,))
        return reshape(flat, tuple(input.shape))
    if len(asked) != len(steps):
        raise ShapeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(asked)}. Each dim "
            "moves by a number of its own. Write as many shifts as dims."
        )
    wrapped = tuple([wrap_dim(dim, input.ndim) for dim in asked])
    return Roll.apply(input, shifts=steps, dims=wrapped)
