"""How far a prediction is from its target: cross entropy, negative log-likelihood, squares.

Classes lie along dim 1 (dim 0 of a 1-D input). Inside the rules they lie last: an input of shape
`(N, C, d…)` becomes `rows` of shape `(N·d…, C)`.

# Note [Weights of a loss]
# A loss with class indices is −Σ q·ln p, where a row of q has one entry: the weight of its target,
# 0 if that is ignored. The mean divides by the sum of these weights. With ln p = x − ln Σ eˣ the
# gradient is x̄ = p·Σq − q in each row; for nll_loss, whose input is ln p itself, it is −q.
"""

import math

import numpy as np

from glassgrad.base.backend import backend_of
from glassgrad.base.errors import ArgumentError, ShapeError
from glassgrad.core.levels import Layer
from glassgrad.core.tensor import Tensor
from glassgrad.ops._families import batch_all, rows_of, run, total
from glassgrad.ops._loss_parts import (
    as_rows,
    class_weights,
    find_hits,
    from_rows,
    reduce_each,
    reduce_losses,
    reduce_tangents,
    rows_of_each,
    share_of,
    softened,
    softly,
    target_weights,
    values_at,
)
from glassgrad.ops._reduce import array_of
from glassgrad.ops._targets import (
    check_indices,
    check_probabilities,
    check_range,
    check_reduction,
    check_weight,
)
from glassgrad.ops.activations import LogSoftmax, Softmax
from glassgrad.recording.primitive import Primitive

__all__ = ["cross_entropy", "mse_loss", "nll_loss"]


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
        row, count = _slopes(ctx)
        return from_rows(row * share_of(grad, ctx.reduction, count), ctx.saved_tensors[0].shape)

    @staticmethod
    def jvp(ctx, dx):
        row, count = _slopes(ctx)
        moved = (row * as_rows(dx)).sum(axis=1)
        return reduce_tangents(moved, count, ctx.reduction, ctx.saved_tensors[1].shape)

    @classmethod
    def vmap(cls, info, in_dims, x, target, *weight, label_smoothing, complete, exponentials, **given):
        x, target, *weight = batch_all(info, in_dims, (x, target, *weight))
        rows = rows_of_each(x)
        log_p = LogSoftmax.apply(rows, dim=2)
        return _loss_of_each(log_p, target, weight, label_smoothing, **given)


def _slopes(ctx):
    """p·Σq − q in each row, and what the mean divides by."""
    x, target = ctx.saved_tensors
    if isinstance(x, Tensor):
        p = Softmax.apply(as_rows(x), dim=1)
    else:
        e, total = ctx.exponentials
        p = e / total
    q, count = target_weights(ctx, x, target, p.shape, ctx.label_smoothing)
    plain = ctx.complete and not ctx.weight
    return p - q if plain else p * q.sum(axis=1, keepdims=True) - q, count


def _loss_of_each(scores, target, weight, smoothing, *, ignore_index, reduction):
    """−Σ q·s of each example, for `(B, R, C)` scores s, which may be infinite where q is 0."""
    batch, rows, classes = scores.shape
    check_range(target, classes, ignore_index)
    hits, shape = target.reshape(batch, rows), target.shape[1:]
    weight = [w.reshape(batch, 1, classes) for w in weight]
    q = class_weights(hits, weight, ignore_index, classes, array_of(scores))
    count = q.sum(axis=(1, 2))
    q = softly(q, hits, weight, ignore_index, smoothing)
    losses = -np.where(q == 0, 0, q * scores).sum(axis=2)
    return reduce_each(losses, count, reduction, shape)


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
            return (Softmax.apply(x, dim=1) - _ones_at(ctx.hits, x)) * share
        e, total = ctx.exponentials
        rows = e / total
        rows.put(ctx.hits, rows.take(ctx.hits) - 1)
        rows *= share
        return rows

    @staticmethod
    def jvp(ctx, dx):
        (x,) = ctx.saved_tensors
        rows = Softmax.apply(x, dim=1) - _ones_at(ctx.hits, x)
        return (rows * dx).sum() / x.shape[0]

    @classmethod
    def vmap(cls, info, in_dims, x, *, hits, exponentials):
        scores = LogSoftmax.apply(x, dim=2)
        rows, classes = x.shape[1:]
        losses = (scores * _ones_at(hits, np.zeros_like(array_of(x), shape=(rows, classes))))
        return -losses.sum(axis=(1, 2)) / rows


def _ones_at(hits, x):
    """Ones at the places `hits`, counted through `x`, and zeros elsewhere."""
    ones = np.zeros_like(array_of(x), shape=x.shape)
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
        x, target, *weight = batch_all(info, in_dims, (x, target, *weight))
        log_p, t = LogSoftmax.apply(rows_of_each(x), dim=2), rows_of_each(target)
        batch, rows, classes = log_p.shape
        if label_smoothing:
            t = t * (1 - label_smoothing) + label_smoothing / classes
        for w in weight:
            t = t * w.reshape(batch, 1, classes)
        losses = -(t * log_p).sum(axis=2)
        return reduce_each(losses, rows or math.nan, reduction, x.shape[1:2] * (x.ndim > 2) + x.shape[3:])


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
    def vmap(cls, info, in_dims, x, target, *weight, complete, **given):
        x, target, *weight = batch_all(info, in_dims, (x, target, *weight))
        return _loss_of_each(rows_of_each(x), target, weight, 0, **given)


def _form(x, target):
    """How many rows and classes there are."""
    return math.prod(target.shape), x.shape[x.ndim > 1]


class MseLoss(Primitive):
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

    @staticmethod
    def jvp(ctx, dx, dy):
        x, y = ctx.saved_tensors
        moved = total([dx, None if dy is None else -dy]) * (2 * (x - y))
        return reduce_tangents(moved, math.prod(x.shape) or math.nan, ctx.reduction, x.shape)

    @classmethod
    def vmap(cls, info, in_dims, x, y, *, reduction):
        x, y = batch_all(info, in_dims, (x, y))
        losses = rows_of(cls.apply(x, y, reduction="none"))
        return reduce_each(losses, losses.shape[1] or math.nan, reduction, x.shape[1:])


# What the rules share ---------------------------------------------------------------------------


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
        starts = backend_of(scores).xp.arange(0, scores.size, scores.shape[1])
        return MeanCrossEntropy.apply(input, hits=starts + wanted, exponentials=[])
    return CrossEntropy.apply(
        *operands,
        ignore_index=ignore_index,
        complete=complete,
        reduction=reduction,
        label_smoothing=label_smoothing,
        exponentials=[],
    )


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
