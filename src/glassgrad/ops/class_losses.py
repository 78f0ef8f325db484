"""Losses of a classifier: cross-entropy and negative log-likelihood.

Classes lie along dim 1 (dim 0 of a 1-D input). Inside the rules they lie last: an input of shape
`(N, C, d…)` becomes `rows` of shape `(N·d…, C)`.

# Note [Weights of a loss]
# A loss with class indices is −Σ q·ln p, where a row of q has one entry: the weight of its target,
# 0 if that is ignored. The mean divides by the sum of these weights. With ln p = x − ln Σ eˣ the
# gradient is x̄ = p·Σq − q in each row; for nll_loss, whose input is ln p itself, it is −q.

# Note [Log p in the place of x]
# In each row, ln p is x less one number, on which p does not depend: the loss and all of its
# derivatives at ln p are those at x. So ln p may take the place of x in the graph. The node then
# keeps ln p, as PyTorch's does, and not x, and backward needs no softmax but one exponential.
"""

import math
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DimError, DTypeError, ShapeError
from glassgrad.core.graph import edge_of
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import asnumpy, in_rows
from glassgrad.values.layers import visible

from ._arguments import scalar_name
from ._families import array_of, batch_all, is_batched, run, spread, total
from .activations import LogSoftmax, Softmax
from .losses import (
    check_reduction,
    reduce_each,
    reduce_losses,
    reduce_tangents,
    share_of,
)


def check_weight(weight: Tensor | None, scores: Any) -> None:
    """Raise unless there is one constant weight per class, in the dtype of the scores."""
    classes = scores.shape[scores.ndim > 1]
    if weight is None:
        return
    if tuple(weight.shape) != (classes,):
        raise ShapeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but "
            f"got weight tensor of shape: {list(weight.shape)}. Classes lie along dim "
            f"{int(scores.ndim > 1)} of the input. Give one weight per class."
        )
    if weight.requires_grad:
        raise ArgumentError(
            "the derivative for 'weight' is not implemented. The weights of the classes are "
            "chosen, not learned. Write `weight.detach()`."
        )
    if weight.payload.dtype is not scores.dtype:
        raise DTypeError(
            f"expected scalar type {scalar_name(scores.dtype)} but found "
            f"{scalar_name(weight.dtype)}. Weights multiply the losses. "
            "Write `weight.to(input.dtype)`."
        )


def check_indices(scores: Any, target: Any, ignore_index: int) -> bool:
    """Check class indices against scores `(N, C, d…)`.

    Returns:
        Whether all of them count; False if some may have to be ignored.

    Raises:
        ShapeError, ArgumentError: if there is not one target per row of scores.
        DTypeError: if the scores are no floats or the targets no indices.
        DimError: if there is no such class.
    """
    shape, wanted = scores.shape, scores.shape[:1] + scores.shape[2:]
    if scores.dtype.kind != "f":
        raise DTypeError(
            f'"log_softmax_lastdim_kernel_impl" not implemented for {scalar_name(scores.dtype)!r}. '
            "Scores are fractions. Write `input.float()`."
        )
    if not shape:
        raise ShapeError(
            "the input is 0-d: it has no dim along which classes could lie. "
            "Give it the shape (N, C), or (C,) for one example."
        )
    if target.shape != wanted and not (len(shape) == 1 and target.shape in ((), (1,))):
        raise _unfit_target(shape, target.shape)
    if target.dtype.kind not in "iu" or target.dtype.itemsize not in (1, 8):
        raise DTypeError(
            f"expected target dtype to be Long or Byte, but got {scalar_name(target.dtype)}. "
            "A target is the index of a class. Write `target.long()`, or give probabilities in "
            "the shape of the input."
        )
    classes = shape[len(shape) > 1]
    if not target.size:
        return True
    target = visible(target)
    if target is None:
        return False  # the numbers of a batch are checked where they can be seen
    # Negative numbers become huge unsigned ones: a single search finds what is out of range.
    if target.view(_UNSIGNED[target.dtype.itemsize]).max() >= classes:
        check_range(target, classes, ignore_index)
        return False
    return ignore_index < 0


_UNSIGNED = {1: np.uint8, 8: np.uint64}


def check_range(target: Any, classes: int, ignore_index: int) -> None:
    """Raise DimError if one of the class indices, a value of any shape, is no class."""
    if is_batched(target):
        return  # a level further down will see the numbers
    numbers = asnumpy(array_of(target))
    outside = ((numbers < 0) | (numbers >= classes)) & (numbers != ignore_index)
    if outside.any():
        index = numbers[outside][0]
        raise DimError(
            f"Target {index} is out of bounds. The input has {classes} classes, numbered from "
            f"0. Give indices from 0 to {classes - 1}, or ignore_index={index}."
        )


def _unfit_target(shape: tuple[int, ...], target: tuple[int, ...]) -> Exception:
    remedy = f"Each example has one target. The input's shape is {shape}, the target's {target}."
    if len(shape) == 1:
        return ArgumentError(
            f"For 1D input, 1D target must have size 1, but got target size: {target[0]}. "
            f"{remedy} Give one index."
        )
    if target and target[0] != shape[0]:
        return ArgumentError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({target[0]}). "
            f"{remedy} Cut one of them."
        )
    if len(shape) == 2:  # a batch of vectors
        return ShapeError(
            f"0D or 1D target tensor expected, multi-target not supported. {remedy} "
            "Write `target.squeeze(1)`."
        )
    return ShapeError(
        f"Expected target size {[shape[0], *shape[2:]]}, got {list(target)}. {remedy} "
        "Leave the dim of the classes out."
    )


def check_probabilities(scores: Any, target: Any, ignore_index: int) -> None:
    """Check a target of the shape of the scores that holds a probability for each class.

    Raises:
        DTypeError: if scores and target are not floats of one dtype.
        ArgumentError: for an `ignore_index`.
    """
    if target.dtype.kind != "f":
        raise DTypeError(
            "Expected floating point type for target with class probabilities, got "
            f"{scalar_name(target.dtype)}. A target of the input's shape {scores.shape} holds "
            "probabilities. Write `target.float()`, or give class indices."
        )
    if target.dtype is not scores.dtype:
        raise DTypeError(
            f"expected scalar type {scalar_name(scores.dtype)} but found "
            f"{scalar_name(target.dtype)}. Both are multiplied. Write `target.to(input.dtype)`."
        )
    if ignore_index >= 0:
        raise ShapeError(
            "ignore_index is not supported for floating point target. A probability is no index. "
            "Leave it out, and give the ignored class the weight 0."
        )


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


def places_of(hits: Any, rows: Any) -> Any:
    """Where the hit of each row lies in the flattened rows: sooner found than by two indices."""
    n, classes = rows.shape
    return np.arange(n, like=rows) * classes + hits


def losses_of_rows(scores: Any, target: Any, weight: Any, ignore_index: int | None) -> Any:
    """The loss of each row, and how much it counts; None if each counts 1."""
    hits, counts = find_hits(target, weight, ignore_index, scores)
    losses = -scores.reshape(-1)[places_of(hits, scores)]
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
    """The t of each row, with a share spread evenly over the classes, and weighted."""
    t = as_rows(target)
    if smoothing:
        t = t * (1 - smoothing) + smoothing / t.shape[1]
    return t * weight[0] if weight else t


# For each example of a batch: (B, N, C, d…) becomes (B, N·d…, C) --------------------------------


def rows_of_each(x: Any) -> Any:
    """`as_rows` for each example of a batch."""
    if x.ndim == 2:
        return x.reshape(x.shape[0], 1, x.shape[1])
    batch, n, classes, *inner = x.shape
    return np.moveaxis(x, 2, -1).reshape(batch, n * math.prod(inner), classes)


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
        ctx._is_quick = not ctx.weight  # then there is nothing to let go of beside what is saved

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


class CrossEntropy(ClassLoss):
    """z = −Σᵢ w[tᵢ]·ln p[i, tᵢ]/Σᵢ w[tᵢ],  pᵢⱼ = exp xᵢⱼ/Σₖ exp xᵢₖ
    x̄ᵢⱼ = z̄·w[tᵢ]·(pᵢⱼ − [j = tᵢ])/Σₖ w[tₖ]
    """

    assumes = ("is_log_p",)  # that x is ln p

    @staticmethod
    def forward(x, target, *weight, ignore_index, complete, reduction, label_smoothing, is_log_p):
        log_p = as_rows(x) if is_log_p else run(LogSoftmax, as_rows(x), dim=1)
        losses, counts = losses_of_rows(log_p, target, weight, None if complete else ignore_index)
        if label_smoothing:
            even = (-log_p * weight[0] if weight else -log_p).sum(axis=1) / log_p.shape[1]
            if not complete:
                even = np.where(target.reshape(-1) == ignore_index, 0, even)
            losses = losses * (1 - label_smoothing) + even * label_smoothing
        return reduce_losses(losses, counts, reduction, target.shape)

    @staticmethod
    def slopes(ctx, x, target):
        if isinstance(x, Tensor) or not ctx.is_log_p:
            p = run(Softmax, as_rows(x), dim=1)
        else:
            p = in_rows(np.exp(as_rows(x)))
        sums_to_one = ctx.complete and not ctx.weight
        if sums_to_one and not ctx.label_smoothing and not isinstance(p, Tensor):
            p.reshape(-1)[places_of(target.reshape(-1), p)] -= 1  # nearly always, so at once
            return p, p.shape[0]
        q, count = target_weights(ctx, x, target, p.shape, ctx.label_smoothing)
        return p - q if sums_to_one else p * q.sum(axis=1, keepdims=True) - q, count

    @classmethod
    def vmap(
        cls, info, in_dims, *values, ignore_index, complete, reduction, label_smoothing, is_log_p
    ):
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
    keeps_index = True  # the weights

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
    is_log_p = input.edge is not None and modes.duals is None and not modes.levels
    if is_log_p:  # Note [Log p in the place of x]
        log_p = LogSoftmax.apply(wrap(scores), dim=int(scores.ndim > 1))
        operands = (wrap(log_p.payload, edge_of(input)), *operands[1:])
    return CrossEntropy.apply(
        *operands,
        ignore_index=ignore_index,
        complete=complete,
        reduction=reduction,
        label_smoothing=label_smoothing,
        is_log_p=is_log_p,
    )


class NllLoss(ClassLoss):
    """z = −Σᵢ w[tᵢ]·x[i, tᵢ]/Σᵢ w[tᵢ]        x̄ᵢⱼ = −z̄·w[tᵢ]·[j = tᵢ]/Σₖ w[tₖ]"""

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
