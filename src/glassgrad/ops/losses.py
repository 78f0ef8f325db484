"""How far a prediction is from its target: negative log-likelihood, squares."""

import math
from typing import Any

import numpy as np

from glassgrad.core.errors import ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor

from ._families import batch_all
from ._loss_parts import (
    PointwiseLoss,
    as_rows,
    find_hits,
    from_rows,
    loss_of_each,
    reduce_losses,
    reduce_tangents,
    rows_of_each,
    share_of,
    target_weights,
    values_at,
)
from ._targets import check_indices, check_reduction, check_weight

__all__ = ["mse_loss", "nll_loss"]


class NllLoss(Primitive):
    """l = −Σᵢ qᵢ·xᵢ        dl = −Σᵢ qᵢ·dxᵢ        x̄ᵢ = −l̄·qᵢ"""

    node = "NllLossBackward0"
    latex = (r"-\sum_i q_i x_i", r"-\sum_i q_i\,\dot x_i", r"\bar x_i = -\bar l\,q_i")
    saves = ("self", "target")
    promotes = None
    differentiates = slice(1)

    @staticmethod
    def forward(x, target, *weight, ignore_index, complete, reduction):
        hits, counts = find_hits(target, weight, None if complete else ignore_index, x)
        losses = -values_at(as_rows(x), hits)
        if counts is not None:
            losses = np.where(counts == 0, 0, losses * counts)
        return reduce_losses(losses, counts, reduction, target.shape)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.weight = inputs[2:]

    @staticmethod
    def backward(ctx, grad):
        x, target = ctx.saved_tensors
        q, count = target_weights(ctx, x, target, _form(x, target), 0)
        return from_rows(q * -share_of(grad, ctx.reduction, count), x.shape)

    @staticmethod
    def jvp(ctx, dx):
        x, target = ctx.saved_tensors
        q, count = target_weights(ctx, x, target, _form(x, target), 0)
        moved = -(q * as_rows(dx)).sum(axis=1)
        return reduce_tangents(moved, count, ctx.reduction, target.shape)

    @classmethod
    def vmap(cls, info, in_dims, *values, ignore_index, complete, reduction):
        x, *others = batch_all(info, in_dims, values)
        return loss_of_each(rows_of_each(x), others, ignore_index, reduction)


def _form(x: Any, target: Any) -> tuple[int, int]:
    """How many rows and classes there are."""
    return math.prod(target.shape), x.shape[x.ndim > 1]


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
    """l = Σᵢ (xᵢ − yᵢ)²/n        dl = 2·Σᵢ (xᵢ − yᵢ)·(dxᵢ − dyᵢ)/n        x̄ᵢ = 2·l̄·(xᵢ − yᵢ)/n = −ȳᵢ"""  # noqa: E501  # formulas

    node = "MseLossBackward0"
    latex = (
        r"\tfrac1n \sum_i (x_i - y_i)^2",
        r"\tfrac2n \sum_i (x_i - y_i) (\dot x_i - \dot y_i)",
        r"\bar x_i = \tfrac2n\,\bar l\,(x_i - y_i) = -\bar y_i",
    )
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
