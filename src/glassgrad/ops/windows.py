"""Windows that slide along a dim: unfold."""

from typing import Any

from glassgrad.core.errors import ArgumentError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view
from glassgrad.values.backend import backend_of

from ._dims import int_of, wrap_dim
from ._families import Along, KeepsShape, Linear, run
from ._reduce import zeros_like
from .shape import reshape
from .strided import steps_of

__all__ = ["unfold"]


class Unfold(KeepsShape):
    """yᵢₖ = xₛᵢ₊ₖ, k < n        dyᵢₖ = dxₛᵢ₊ₖ        x̄ⱼ = Σ ȳᵢₖ over s·i + k = j"""

    node = "UnfoldBackward0"
    latex = (
        r"x_{s i + k}",
        r"\dot x_{s i + k}",
        r"\bar x_j = \textstyle\sum_{s i + k = j} \bar y_{ik}",
    )
    promotes = None
    views = True
    axes = ("dimension",)

    @staticmethod
    def forward(x, *, dimension, size, step):
        sizes, strides = list(x.shape), list(steps_of(x))
        inner = strides[dimension]
        sizes[dimension] = (sizes[dimension] - size) // step + 1
        strides[dimension] *= step
        return backend_of(x).strided(x, (*sizes, size), (*strides, inner), 0)

    @staticmethod
    def backward(ctx, grad):
        return run(
            UnfoldInto,
            grad,
            shape=ctx.shape,
            dimension=ctx.dimension,
            size=ctx.size,
            step=ctx.step,
        )


class UnfoldInto(Linear, Along):
    """yⱼ = Σ xᵢₖ over s·i + k = j        dyⱼ = Σ dxᵢₖ        x̄ᵢₖ = ȳₛᵢ₊ₖ"""

    node = "UnfoldBackwardBackward0"
    latex = (
        r"\textstyle\sum_{s i + k = j} x_{ik}",
        r"\textstyle\sum_{s i + k = j} \dot x_{ik}",
        r"\bar x_{ik} = \bar y_{s i + k}",
    )
    promotes = None
    axes = ("dimension",)
    sizes = ("shape",)

    @staticmethod
    def forward(x, *, shape, dimension, size, step):
        out, reach = zeros_like(x, shape), (x.shape[dimension] - 1) * step + 1
        for k in range(size):  # the places of the k-th elements differ from each other
            out[_along(dimension, slice(k, k + reach, step))] += x[..., k]
        return out

    @staticmethod
    def backward(ctx, grad):
        return run(Unfold, grad, dimension=ctx.dimension, size=ctx.size, step=ctx.step)


def _along(dim: int, part: slice) -> tuple[Any, ...]:
    return (*[slice(None)] * dim, part)


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of a dim, without a copy.

    Args:
        input: tensor of shape `(…, n, …)`.
        dimension: which dim has the size `n`.
        size: how long each window is.
        step: how far the next one begins.

    Returns:
        A view of shape `(…, (n - size) // step + 1, …, size)`. Windows that overlap show the same
        memory.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if a window is longer than the dim.
        ArgumentError: if `size` is negative, or `step` not positive.
        ArgumentTypeError: if one of them is no integer.

    Example:
        >>> tensor([1, 2, 3, 4]).unfold(0, 2, 1)
        tensor([[1, 2],
                [2, 3],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.unfold.html
    """
    at = wrap_dim(dimension, input.ndim)
    size, step = int_of(size, "unfold", "size"), int_of(step, "unfold", "step")
    longest = input.shape[at] if input.ndim else 1
    if size > longest:
        raise ShapeError(
            f"maximum size for tensor at dimension {at} is {longest} but size is {size}: the shape "
            f"is {list(input.shape)}. A window lies within its dim. Write a smaller size."
        )
    if size < 0:
        raise ArgumentError(
            f"size is {size} but must be >= 0. It counts the elements of a window. "
            "Write a number from 0 on."
        )
    if step <= 0:
        raise ArgumentError(
            f"step is {step} but must be > 0. Windows move forwards. Write a number from 1 on."
        )
    if not input.ndim:
        return unfold(reshape(input, (1,)), 0, size, 1)[0]
    return as_view(Unfold.apply(input, dimension=at, size=size, step=step), input)
