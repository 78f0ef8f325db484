"""Cross entropy: how far the scores of classes are from what they should be."""

import math
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.values.layers import Layer, backend_below

from ._families import batch_all, run, total
from ._loss_parts import (
    as_rows,
    find_hits,
    from_rows,
    loss_of_each,
    reduce_each,
    reduce_losses,
    reduce_tangents,
    rows_of_each,
    share_of,
    softened,
    target_weights,
    values_at,
)
from ._reduce import zeros_like
from ._targets import check_indices, check_probabilities, check_reduction, check_weight
from .activations import LogSoftmax, Softmax

__all__ = ["cross_entropy"]


class CrossEntropy(Primitive):
    """l = −Σᵢ qᵢ·ln pᵢ, p = softmax x        dl = Σᵢ (pᵢ·Σq − qᵢ)·dxᵢ        x̄ᵢ = l̄·(pᵢ·Σq − qᵢ)"""

    node = "CrossEntropyBackward0"
    latex = (
        r"-\sum_i q_i \ln p_i,\ p = \operatorname{softmax} x",
        r"\sum_i (p_i \textstyle\sum_j q_j - q_i)\,\dot x_i",
        r"\bar x_i = \bar l\,(p_i \textstyle\sum_j q_j - q_i)",
    )
    saves = ("self", "target")
    promotes = None
    differentiates = slice(1)

    @staticmethod
    def forward(
        x, target, *weight, ignore_index, complete, reduction, label_smoothing, exponentials
    ):
        rows = as_rows(x)
        z = rows - np.max(rows, axis=1, keepdims=True)
        e = np.exp(z)
        total = e.sum(axis=1, keepdims=True)
        exponentials[:] = e, total  # so that backward needs no softmax of its own
        log_total = np.log(total)
        hits, counts = find_hits(target, weight, None if complete else ignore_index, x)
        losses = log_total[:, 0] - values_at(z, hits)
        if counts is not None:
            losses = losses * counts
        if label_smoothing:
            surprise = (log_total - z) * weight[0] if weight else log_total - z
            even = surprise.sum(axis=1) * (label_smoothing / z.shape[1])
            if not complete:
                even = np.where(target.reshape(-1) == ignore_index, 0, even)
            losses = losses * (1 - label_smoothing) + even
        return reduce_losses(losses, counts, reduction, target.shape)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.weight = inputs[2:]

    @staticmethod
    def backward(ctx, grad):
        x, target = ctx.saved_tensors
        row, count = _slopes(ctx, x, target)
        return from_rows(row * share_of(grad, ctx.reduction, count), x.shape)

    @staticmethod
    def jvp(ctx, dx):
        x, target = ctx.saved_tensors
        row, count = _slopes(ctx, x, target)
        moved = (row * as_rows(dx)).sum(axis=1)
        return reduce_tangents(moved, count, ctx.reduction, target.shape)

    @classmethod
    def vmap(
        cls,
        info,
        in_dims,
        *values,
        ignore_index,
        complete,
        reduction,
        label_smoothing,
        exponentials,
    ):
        x, *others = batch_all(info, in_dims, values)
        log_p = LogSoftmax.apply(rows_of_each(x), dim=2)
        return loss_of_each(log_p, others, ignore_index, reduction, label_smoothing)


def _slopes(ctx: Any, x: Any, target: Any) -> tuple[Any, Any]:
    """p·Σq − q in each row, and what the mean divides by."""
    if isinstance(x, Tensor):
        p = Softmax.apply(as_rows(x), dim=1)
    else:
        e, total = ctx.exponentials
        p = e / total
    q, count = target_weights(ctx, x, target, p.shape, ctx.label_smoothing)
    plain = ctx.complete and not ctx.weight
    return p - q if plain else p * q.sum(axis=1, keepdims=True) - q, count


class MeanCrossEntropy(Primitive):
    """l = mean of ln Σⱼ exp xⱼ − xₜ        dl = mean of Σⱼ (pⱼ − [j = t])·dxⱼ        x̄ⱼ = l̄·(pⱼ − [j = t])/n"""  # noqa: E501  # formulas

    # What a classifier's training step computes: CrossEntropy without its options.
    node = "CrossEntropyBackward0"
    latex = (
        r"\tfrac1n \sum_i \bigl(\ln \sum_j e^{x_{ij}} - x_{it_i}\bigr)",
        r"\tfrac1n \sum_{ij} (p_{ij} - [j = t_i])\,\dot x_{ij}",
        r"\bar x_{ij} = \tfrac1n\,\bar l\,(p_{ij} - [j = t_i])",
    )
    saves = ("self",)

    @staticmethod
    def forward(x, *, hits, exponentials):
        z = x - np.max(x, axis=1, keepdims=True)
        e = np.exp(z)
        total = e.sum(axis=1, keepdims=True)
        exponentials[:] = e, total  # so that backward needs no softmax of its own
        return (np.log(total[:, 0]) - z.take(hits)).sum() / x.shape[0]

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        share = grad / x.shape[0]
        if isinstance(x, Tensor):
            return (Softmax.apply(x, dim=1) - _ones_at(ctx.hits, x, x.shape)) * share
        e, total = ctx.exponentials
        rows = e / total
        rows.put(ctx.hits, rows.take(ctx.hits) - 1)
        rows *= share
        return rows

    @staticmethod
    def jvp(ctx, dx):
        (x,) = ctx.saved_tensors
        rows = Softmax.apply(x, dim=1) - _ones_at(ctx.hits, x, x.shape)
        return (rows * dx).sum() / x.shape[0]

    @classmethod
    def vmap(cls, info, in_dims, x, *, hits, exponentials):
        scores = LogSoftmax.apply(x, dim=2)
        _, rows, classes = x.shape
        chosen = np.where(_ones_at(hits, x, (rows, classes)) == 0, 0, scores)
        return -chosen.sum(axis=(1, 2)) / rows


def _ones_at(hits: Any, like: Any, shape: tuple[int, ...]) -> Any:
    """Ones at the places `hits`, counted row by row, and zeros elsewhere."""
    ones = zeros_like(like, shape)
    ones.put(hits, 1)
    return ones


class SoftCrossEntropy(Primitive):
    """l = −Σᵢ tᵢ·ln pᵢ, p = softmax x        dl = Σᵢ (pᵢ·Σt − tᵢ)·dxᵢ − ln pᵢ·dtᵢ        x̄ᵢ = l̄·(pᵢ·Σt − tᵢ),  t̄ᵢ = −l̄·ln pᵢ"""  # noqa: E501  # formulas

    node = "CrossEntropyBackward0"
    latex = (
        r"-\sum_i t_i \ln p_i,\ p = \operatorname{softmax} x",
        r"\sum_i (p_i \textstyle\sum_j t_j - t_i)\,\dot x_i - \ln p_i\,\dot t_i",
        r"\bar x_i = \bar l\,(p_i \textstyle\sum_j t_j - t_i),\ \bar t_i = -\bar l \ln p_i",
    )
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
    plain = reduction == "mean" and weight is None and not label_smoothing
    seen = plain and complete and not isinstance(wanted, Layer)
    if seen and wanted.ndim == 1 and scores.ndim == 2 and wanted.size:
        starts = backend_below(scores).xp.arange(0, scores.size, scores.shape[1])
        return MeanCrossEntropy.apply(input, hits=starts + wanted, exponentials=[])
    return CrossEntropy.apply(
        *operands,
        ignore_index=ignore_index,
        complete=complete,
        reduction=reduction,
        label_smoothing=label_smoothing,
        exponentials=[],
    )
