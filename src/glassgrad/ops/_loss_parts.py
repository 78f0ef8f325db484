"""What the losses share: rows of scores, what a target picks, how losses become one.

Classes lie along dim 1 (dim 0 of a 1-D input). Inside the rules they lie last: an input of shape
`(N, C, d…)` becomes `rows` of shape `(N·d…, C)`.

# Note [Weights of a loss]
# A loss with class indices is −Σ q·ln p, where a row of q has one entry: the weight of its target,
# 0 if that is ignored. The mean divides by the sum of these weights. With ln p = x − ln Σ eˣ the
# gradient is x̄ = p·Σq − q in each row; for nll_loss, whose input is ln p itself, it is −q.
"""

import math
from typing import Any

import numpy as np

from glassgrad.core.tensor import Tensor
from glassgrad.ops._families import Elementwise, batch_all, rows_of
from glassgrad.ops._reduce import array_of, spread
from glassgrad.ops._targets import check_range
from glassgrad.recording.primitive import Primitive


def as_rows(x: Any) -> Any:
    """The classes last, everything else flattened."""
    if x.ndim == 2:  # a batch of vectors
        return x
    classes = x.shape[x.ndim > 1]
    return (np.moveaxis(x, 1, -1) if x.ndim > 1 else x).reshape(-1, classes)


def from_rows(rows: Any, shape: tuple[int, ...]) -> Any:
    """The opposite of `as_rows`, for a gradient."""
    if len(shape) == 2:  # a batch of vectors
        return rows
    if len(shape) == 1:
        return rows.reshape(shape)
    return np.moveaxis(rows.reshape(shape[0], *shape[2:], shape[1]), -1, 1)


def find_hits(target: Any, weight: Any, ignore_index: int | None, x: Any) -> tuple[Any, Any]:
    """The class each row is about, and how much the row counts; None if each counts 1."""
    hits = target.reshape(-1)
    counts = None
    if ignore_index is None:
        return hits, weight[0][hits] if weight else None
    ignored = hits == ignore_index
    hits = np.where(ignored, 0, hits)
    counts = weight[0][hits] if weight else np.ones_like(hits, x.dtype)
    return hits, np.where(ignored, 0, counts)


def losses_of_rows(scores: Any, target: Any, weight: Any, ignore_index: int | None) -> Any:
    """The loss of each row, and how much it counts; None if each counts 1."""
    hits, counts = find_hits(target, weight, ignore_index, scores)
    losses = -scores[np.arange(scores.shape[0], like=array_of(scores)), hits]
    return losses if counts is None else np.where(counts == 0, 0, losses * counts), counts


def target_weights(ctx: Any, x: Any, target: Any, shape: Any, smoothing: float) -> tuple[Any, Any]:
    """The q of Note [Weights of a loss] as an array, and what the mean divides by."""
    target, like = _plain(target), array_of(x)
    weight = tuple([_plain(w) for w in ctx.weight])
    if isinstance(target, Tensor) or (weight and isinstance(weight[0], Tensor)):
        q = _class_weights(target.reshape(-1), weight, ctx.ignore_index, shape[1], like)
        count = q.sum()
        return _softly(q, target.reshape(-1), weight, ctx.ignore_index, smoothing), _or_one(count)
    ignore_index = None if ctx.complete else ctx.ignore_index
    hits, counts = find_hits(target, weight, ignore_index, like)
    rows, classes = shape
    q = np.zeros((rows, classes), like.dtype, like=like)
    q[np.arange(rows, like=like), hits] = 1 - smoothing if counts is None else counts
    if counts is None and not smoothing:
        return q, rows
    if smoothing:
        even = spread(weight[0] if weight else np.ones_like(q), q.shape)
        q = (q if counts is None else q * (1 - smoothing)) + even * (smoothing / classes)
        if not ctx.complete:
            q = np.where((target.reshape(-1) == ctx.ignore_index)[:, None], 0, q)
    return q, rows if counts is None else _or_one(counts.sum())


def _plain(value: Any) -> Any:
    """The array of a plain tensor; a tensor of a level stays one."""
    return array_of(value) if type(value) is Tensor else value


def _or_one(total: Any) -> Any:
    return np.where(total == 0, 1, total)


def _class_weights(target: Any, weight: Any, ignore_index: int, classes: int, like: Any) -> Any:
    """The q of Note [Weights of a loss] without asking for numbers: `target` may be a batch.

    Args:
        target: class indices of shape `(…)`.
        weight: nothing, or one weight per class, of shape `(C,)` or one that fits `(…, C)`.
        like: an array of the kind that is wanted.

    Returns:
        Shape `(…, C)`.
    """
    numbers = np.arange(classes, like=like)
    wanted = target.reshape(*target.shape, 1)
    hit = np.logical_and(numbers == wanted, wanted != ignore_index)
    return np.where(hit, weight[0] if weight else np.ones_like(numbers, like.dtype), 0)


def _softly(q: Any, target: Any, weight: Any, ignore_index: int, smoothing: float) -> Any:
    """`q` with a share of its rows spread evenly over all classes; ignored rows stay 0."""
    if not smoothing:
        return q
    even = (weight[0] if weight else 1) * (smoothing / q.shape[-1])
    ignored = target.reshape(*target.shape, 1) == ignore_index
    return np.where(ignored, 0, q * (1 - smoothing) + even)


def softened(target: Any, weight: Any, smoothing: float) -> Any:
    t = as_rows(target)
    if smoothing:
        t = t * (1 - smoothing) + smoothing / t.shape[1]
    return t * weight[0] if weight else t


def reduce_losses(losses: Any, counts: Any, reduction: str, shape: tuple[int, ...]) -> Any:
    if reduction == "none":
        return losses.reshape(shape)
    if reduction == "sum":
        return losses.sum()
    return losses.sum() / ((losses.shape[0] or math.nan) if counts is None else counts.sum())


def reduce_tangents(losses: Any, count: Any, reduction: str, shape: tuple[int, ...]) -> Any:
    """The tangent of the loss from those of its rows; the mean divides by `count`."""
    if reduction == "none":
        return losses.reshape(shape)
    return losses.sum() if reduction == "sum" else losses.sum() / count


def share_of(grad: Any, reduction: str, count: Any) -> Any:
    """The part of the gradient that belongs to one row."""
    if reduction == "none":
        return grad.reshape(-1, 1)
    return grad if reduction == "sum" else grad / count


# For each example of a batch: (B, N, C, d…) becomes (B, N·d…, C) --------------------------------


def rows_of_each(x: Any) -> Any:
    """`as_rows` for each example of a batch."""
    if x.ndim == 2:
        return x.reshape(x.shape[0], 1, x.shape[1])
    batch, n, classes, *inner = x.shape
    return np.moveaxis(x, 2, -1).reshape(batch, n * math.prod(inner), classes)


def reduce_each(losses: Any, count: Any, reduction: str, shape: tuple[int, ...]) -> Any:
    """`reduce_losses` for each example: losses of shape `(B, R)`."""
    if reduction == "none":
        return losses.reshape(losses.shape[0], *shape)
    totals = losses.sum(axis=1)
    return totals if reduction == "sum" else totals / count


def loss_of_each(
    scores: Any, target_and_weight: Any, ignore_index: int, reduction: str, smoothing: float = 0
) -> Any:
    """−Σ q·s of each example of a batch.

    Args:
        scores: s, of shape `(B, R, C)`; what is infinite where q is 0 does not count.
        target_and_weight: of shape `(B, …)`, with R elements in each example, and `(B, C)`.
    """
    target, *weight = target_and_weight
    batch, rows, classes = scores.shape
    check_range(target, classes, ignore_index)
    hits = target.reshape(batch, rows)
    weight = [w.reshape(batch, 1, classes) for w in weight]
    q = _class_weights(hits, weight, ignore_index, classes, array_of(scores))
    count = q.sum(axis=(1, 2))
    q = _softly(q, hits, weight, ignore_index, smoothing)
    losses = -np.where(q == 0, 0, q * scores).sum(axis=2)
    return reduce_each(losses, count, reduction, target.shape[1:])


# Losses of classes ------------------------------------------------------------------------------


class ClassLoss(Primitive):
    """A loss with class indices, −Σ q·s: its `slopes` are ∂l/∂x in each row, and what they add to.

    Operands are x, of whose classes it makes scores, the target, and perhaps weights of classes.
    """

    saves = ("self", "target")
    promotes = None
    differentiates = slice(1)
    keeps_index = True

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.weight = inputs[2:]

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, target = ctx.saved_tensors
        slopes, count = ctx._forward_cls.slopes(ctx, x, target)
        return from_rows(slopes * share_of(grad, ctx.reduction, count), x.shape)

    @staticmethod
    def jvp(ctx: Any, dx: Any) -> Any:
        x, target = ctx.saved_tensors
        slopes, count = ctx._forward_cls.slopes(ctx, x, target)
        moved = (slopes * as_rows(dx)).sum(axis=1)
        return reduce_tangents(moved, count, ctx.reduction, target.shape)


# Losses of elements -----------------------------------------------------------------------------


class PointwiseLoss(Elementwise):
    """A loss of each element, and then their mean, their sum or none of the two: `reduction`.

    Its operands have one shape. Its backward knows of all three; the other rules follow.
    """

    broadcasts = False

    @classmethod
    def jvp(cls, ctx: Any, *tangents: Any) -> Any:
        """The tangents of the elements' losses, reduced as those are."""
        reduction, ctx.reduction = ctx.reduction, "none"
        shape = ctx.operands[0].shape
        moved = super().jvp(ctx, *tangents)
        return reduce_tangents(moved, math.prod(shape) or math.nan, reduction, shape)

    @classmethod
    def vmap(cls, info: Any, in_dims: Any, *values: Any, **parameters: Any) -> Any:
        """The losses of all elements, reduced for each example."""
        losses = cls.apply(*batch_all(info, in_dims, values), **{**parameters, "reduction": "none"})
        rows, reduction = rows_of(losses), parameters["reduction"]
        return reduce_each(rows, rows.shape[1] or math.nan, reduction, losses.shape[1:])
