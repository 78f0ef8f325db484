"""Cross entropy: how far the scores of classes are from what they should be."""

import math

import numpy as np

from glassgrad.base.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.recording.primitive import Primitive

from ._families import batch_all, run, total
from ._loss_parts import (
    ClassLoss,
    as_rows,
    from_rows,
    loss_of_each,
    losses_of_rows,
    reduce_each,
    reduce_losses,
    reduce_tangents,
    rows_of_each,
    share_of,
    softened,
    target_weights,
)
from ._targets import check_indices, check_probabilities, check_reduction, check_weight
from .activations import LogSoftmax, Softmax


class CrossEntropy(ClassLoss):
    """z = −Σᵢ w[tᵢ]·ln p[i, tᵢ]/Σᵢ w[tᵢ],  pᵢⱼ = exp xᵢⱼ/Σₖ exp xᵢₖ
    x̄ᵢⱼ = z̄·w[tᵢ]·(pᵢⱼ − [j = tᵢ])/Σₖ w[tₖ]
    """

    node = "CrossEntropyBackward0"

    @staticmethod
    def forward(x, target, *weight, ignore_index, complete, reduction, label_smoothing):
        log_p = run(LogSoftmax, as_rows(x), dim=1)
        losses, counts = losses_of_rows(log_p, target, weight, None if complete else ignore_index)
        if label_smoothing:
            even = (-log_p * weight[0] if weight else -log_p).sum(axis=1) / log_p.shape[1]
            if not complete:
                even = np.where(target.reshape(-1) == ignore_index, 0, even)
            losses = losses * (1 - label_smoothing) + even * label_smoothing
        return reduce_losses(losses, counts, reduction, target.shape)

    @staticmethod
    def slopes(ctx, x, target):
        p = run(Softmax, as_rows(x), dim=1)
        sums_to_one = ctx.complete and not ctx.weight
        if sums_to_one and not ctx.label_smoothing and not isinstance(p, Tensor):
            p[np.arange(p.shape[0], like=p), target.reshape(-1)] -= 1  # nearly always, so at once
            return p, p.shape[0]
        q, count = target_weights(ctx, x, target, p.shape, ctx.label_smoothing)
        return p - q if sums_to_one else p * q.sum(axis=1, keepdims=True) - q, count

    @classmethod
    def vmap(cls, info, in_dims, *values, ignore_index, complete, reduction, label_smoothing):
        x, *others = batch_all(info, in_dims, values)
        log_p = LogSoftmax.apply(rows_of_each(x), dim=2)
        return loss_of_each(log_p, others, ignore_index, reduction, label_smoothing)


class SoftCrossEntropy(Primitive):
    """z = −Σᵢⱼ tᵢⱼ·ln pᵢⱼ/n,  pᵢⱼ = exp xᵢⱼ/Σₖ exp xᵢₖ
    x̄ᵢⱼ = z̄·(pᵢⱼ·Σₖ tᵢₖ − tᵢⱼ)/n,  t̄ᵢⱼ = −z̄·ln pᵢⱼ/n
    """

    node = "CrossEntropyBackward0"
    saves = ("self", "target")
    promotes = None
    differentiates = slice(2)

    @staticmethod
    def forward(x, target, *weight, reduction, label_smoothing):
        log_p = run(LogSoftmax, as_rows(x), dim=1)
        losses = -(softened(target, weight, label_smoothing) * log_p).sum(axis=1)
        return reduce_losses(
            losses, None, reduction, x.shape[:1] + x.shape[2:] if x.ndim > 1 else ()
        )

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.weight = inputs[2:]

    @staticmethod
    def backward(ctx, grad):
        x, target = ctx.saved_tensors
        wants_x, wants_target = ctx.needs_input_grad
        log_p = run(LogSoftmax, as_rows(x), dim=1)
        share = share_of(grad, ctx.reduction, log_p.shape[0])
        x_bar = target_bar = None
        if wants_x:
            t = softened(target, ctx.weight, ctx.label_smoothing)
            row = np.exp(log_p) * t.sum(axis=1, keepdims=True) - t
            x_bar = from_rows(row * share, x.shape)
        if wants_target:
            row = log_p * (share * (ctx.label_smoothing - 1))
            target_bar = from_rows(row * ctx.weight[0] if ctx.weight else row, x.shape)
        return x_bar, target_bar

    @staticmethod
    def jvp(ctx, dx, dt):
        x, target = ctx.saved_tensors
        log_p, parts = LogSoftmax.apply(as_rows(x), dim=1), []
        if dx is not None:
            t = softened(target, ctx.weight, ctx.label_smoothing)
            parts.append((np.exp(log_p) * t.sum(axis=1, keepdims=True) - t) * as_rows(dx))
        if dt is not None:
            row = log_p * (ctx.label_smoothing - 1)
            parts.append((row * ctx.weight[0] if ctx.weight else row) * as_rows(dt))
        moved = total(parts).sum(axis=1)
        return reduce_tangents(moved, log_p.shape[0], ctx.reduction, ctx.result.shape)

    @classmethod
    def vmap(cls, info, in_dims, x, target, *weight, reduction, label_smoothing):
        x, target, *weights = batch_all(info, in_dims, (x, target, *weight))
        log_p, t = LogSoftmax.apply(rows_of_each(x), dim=2), rows_of_each(target)
        batch, rows, classes = log_p.shape
        if label_smoothing:
            t = t * (1 - label_smoothing) + label_smoothing / classes
        for w in weights:
            t = t * w.reshape(batch, 1, classes)
        losses = -(t * log_p).sum(axis=2)
        shape = (x.shape[1], *x.shape[3:]) if x.ndim > 2 else ()
        return reduce_each(losses, rows or math.nan, reduction, shape)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """`-log(softmax(input))` at the target class: the loss of a classifier.

    Args:
        input: scores of shape `(N, C)`, `(C,)` or `(N, C, d…)`, not normalised.
        target: int64 class indices of shape `(N,)`, `()` or `(N, d…)`; or probabilities in the
            shape of `input`.
        weight: shape `(C,)`: how much each class counts.
        ignore_index: a target that does not count.
        reduction: "mean" (over what counts), "sum" or "none".
        label_smoothing: this share of each target is spread evenly over all classes.

    Returns:
        A 0-d tensor; of the shape of class indices for "none".

    Raises:
        ShapeError, ArgumentError: if there is not one target per example.
        DTypeError: if `input` has no floats or `target` no int64 indices.
        DimError: if a target is no class.

    Example:
        >>> cross_entropy(tensor([[2.0, 0.0], [0.0, 2.0]]), tensor([0, 0]))
        tensor(1.1269)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html
    """
    scores, wanted = input.payload, target.payload
    check_reduction(reduction)
    if not 0 <= label_smoothing <= 1:
        raise ArgumentError(
            f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}. It is a share "
            "of 1. Write 0.1 for ten percent."
        )
    operands = (input, target) if weight is None else (input, target, weight)
    if wanted.shape == scores.shape and scores.ndim:
        check_probabilities(scores, wanted, ignore_index)
        check_weight(weight, scores)
        return SoftCrossEntropy.apply(
            *operands, reduction=reduction, label_smoothing=label_smoothing
        )
    complete = check_indices(scores, wanted, ignore_index)
    check_weight(weight, scores)
    return CrossEntropy.apply(
        *operands,
        ignore_index=ignore_index,
        complete=complete,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )
