"""The same dims in another order. All of these are views."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view

from ._dims import ints_of, size_of, wrap_dim
from ._families import Along, Linear, run, shifted

__all__ = ["mT", "movedim", "permute", "reversed_dims", "swapaxes", "t", "transpose"]

Dims = int | Sequence[int]


class Permute(Linear, Along):
    """y = x, dims in the order p        dy = dx so        x̄ = ȳ, dims in the order p⁻¹"""

    node = "PermuteBackward0"
    latex = (
        r"\operatorname{permute}_p x",
        r"\operatorname{permute}_p \dot x",
        r"\bar x = \operatorname{permute}_{p^{-1}} \bar y",
    )
    promotes = None
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
    order = tuple([wrap_dim(dim, input.ndim) for dim in asked])
    if len(set(order)) < len(order):
        raise ShapeError(
            f"permute(): duplicate dims are not allowed, got {list(asked)}. Each dim has one new "
            "place. Name every dim once."
        )
    return as_view(Permute.apply(input, dims=order), input)


class Transpose(Linear, Along):
    """y = x, two dims swapped        dy = dx so        x̄ = ȳ so"""

    node = "TransposeBackward0"
    latex = ("x^T", r"\dot x^T", r"\bar x = \bar y^T")
    promotes = None
    views = True
    axes = ("dim0", "dim1")

    @staticmethod
    def forward(x, *, dim0, dim1):
        return np.swapaxes(x, dim0, dim1) if dim0 != dim1 else x[...]  # one is a 0-d tensor's

    @staticmethod
    def backward(ctx, grad):
        return run(Transpose, grad, dim0=ctx.dim0, dim1=ctx.dim1)


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


def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose` under NumPy's name.

    Example:
        >>> swapaxes(tensor([[1, 2, 3]]), 0, 1).shape
        glassgrad.Size([3, 1])
    """
    return transpose(input, axis0, axis1)


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
    moved = _distinct(leaving, input.ndim, "source")
    goals = _distinct(arriving, input.ndim, "destination")
    comes_from = dict(zip(goals, moved, strict=True))
    others = iter([dim for dim in range(input.ndim) if dim not in moved])
    return permute(
        input, [comes_from[at] if at in comes_from else next(others) for at in range(input.ndim)]
    )


def _distinct(dims: tuple[int, ...], ndim: int, argument: str) -> tuple[int, ...]:
    wrapped = tuple([wrap_dim(dim, ndim) for dim in dims])
    if len(set(wrapped)) < len(wrapped):
        raise ShapeError(
            f"movedim: repeated dim in `{argument}` ({list(dims)}). A dim has one place. "
            "Name each dim once."
        )
    return wrapped


class T(Linear):
    """y = xᵀ        dy = dxᵀ        x̄ = ȳᵀ"""

    node = "TBackward0"
    latex = ("x^T", r"\dot x^T", r"\bar x = \bar y^T")
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
