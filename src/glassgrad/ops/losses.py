"""How far a prediction is from its target: negative log-likelihood, squares."""

import math

from glassgrad.base.errors import ShapeError
from glassgrad.core.tensor import Tensor

from ._families import batch_all
from ._loss_parts import (
    ClassLoss,
    PointwiseLoss,
    as_rows,
    loss_of_each,
    losses_of_rows,
    reduce_losses,
    rows_of_each,
    target_weights,
)
from ._targets import check_indices, check_reduction, check_weight


class NllLoss(ClassLoss):
    """z = −Σᵢ w[tᵢ]·x[i, tᵢ]/Σᵢ w[tᵢ]        x̄ᵢⱼ = −z̄·w[tᵢ]·[j = tᵢ]/Σₖ w[tₖ]"""

    node = "NllLossBackward0"

    @staticmethod
    def forward(x, target, *weight, ignore_index, complete, reduction):
        ignored = None if complete else ignore_index
        losses, counts = losses_of_rows(as_rows(x), target, weight, ignored)
        return reduce_losses(losses, counts, reduction, target.shape)

    @staticmethod
    def slopes(ctx, x, target):
        form = math.prod(target.shape), x.shape[x.ndim > 1]  # so many rows and classes
        q, count = target_weights(ctx, x, target, form, 0)
        return -q, count

    @classmethod
    def vmap(cls, info, in_dims, *values, ignore_index, complete, reduction):
        x, *others = batch_all(info, in_dims, values)
        return loss_of_each(rows_of_each(x), others, ignore_index, reduction)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """`-input` at the target class, for an input that `log_softmax` made.

    Args:
        input: log-probabilities of shape `(N, C)`, `(C,)` or `(N, C, d…)`.
        target, weight, ignore_index, reduction: as for `cross_entropy`, with class indices.

    Returns:
        A 0-d tensor; of the shape of `target` for "none".

    Raises:
        ShapeError, ArgumentError, DTypeError, DimError: as `cross_entropy`.

    Example:
        >>> nll_loss(tensor([[-0.1, -2.3], [-3.0, -0.05]]), tensor([0, 1]))
        tensor(0.0750)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html
    """
    check_reduction(reduction)
    complete = check_indices(input.payload, target.payload, ignore_index)
    check_weight(weight, input.payload)
    operands = (input, target) if weight is None else (input, target, weight)
    return NllLoss.apply(
        *operands, ignore_index=ignore_index, complete=complete, reduction=reduction
    )


class MseLoss(PointwiseLoss):
    """z = Σᵢ (xᵢ − yᵢ)²/n        x̄ᵢ = 2·z̄·(xᵢ − yᵢ)/n,  ȳᵢ = −2·z̄·(xᵢ − yᵢ)/n"""

    node = "MseLossBackward0"
    saves = ("self", "target")

    @staticmethod
    def forward(x, y, *, reduction):
        difference = x - y
        squares = difference * difference
        if reduction == "none":
            return squares
        total = squares.sum()
        return total if reduction == "sum" else total / (math.prod(x.shape) or math.nan)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        wants_x, wants_y = ctx.needs_input_grad
        factor = 2 / (math.prod(x.shape) or math.nan) if ctx.reduction == "mean" else 2
        x_bar = (x - y) * (grad * factor)
        return x_bar if wants_x else None, -x_bar if wants_y else None


def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The squared distance, element by element.

    Args:
        input, target: of one shape `S`.
        reduction: "mean" or "sum" of all elements, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes differ.
        ArgumentError: for another reduction.

    Example:
        >>> mse_loss(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.mse_loss.html
    """
    check_reduction(reduction)
    if input.payload.shape != target.payload.shape:
        raise ShapeError(
            f"mse_loss takes two tensors of the same size, got {tuple(input.shape)} and "
            f"{tuple(target.shape)}. Broadcasting them compares elements that do not belong "
            "together. Write `target.reshape(input.shape)`, or `expand` it if that is meant."
        )
    return MseLoss.apply(input, target, reduction=reduction)
