"""Losses: squares and binary cross-entropy of elements, cross-entropy and likelihood of classes.

Classes lie along dim 1 (dim 0 of a 1-D input). Inside the rules they lie last: an input of shape
`(N, C, d…)` becomes `rows` of shape `(N·d…, C)`.

# Note [Weights of a loss]
# A loss with class indices is −Σ q·ln p, where a row of q has one entry: the weight of its target,
# 0 if that is ignored. The mean divides by the sum of these weights. With ln p = x − ln Σ eˣ the
# gradient is x̄ = p·Σq − q in each row; for nll_loss, whose input is ln p itself, with p = 0.

# Note [Log p in the place of x]
# In each row, ln p is x less one number, on which p does not depend: the loss and all of its
# derivatives at ln p are those at x. So ln p may take the place of x in the graph. The node then
# keeps ln p, as PyTorch's does, and not x, and backward needs no softmax but one exponential.
"""

import math
import warnings
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DimError, DTypeError, GraphError, ShapeError
from glassgrad.core.graph import edge_of
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import Shape, modes
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import asnumpy, in_rows
from glassgrad.values.operands import broadcast_text

from ._arguments import check_kind, scalar_name
from ._declaring import functional
from ._families import Elementwise, array_of, batch_all, rows_of, run, seen, spread, total, zeros_of
from .activations import LogSoftmax, Sigmoid, Softmax
from .creation import ones
from .shape import expand


def reduced(losses: Any, reduction: str, count: Any = None, *, is_batch: bool = False) -> Any:
    """The loss from those of its elements; of each example, if they are those of a batch.

    Args:
        count: what the mean divides by; None: how many elements there are.
    """
    if reduction == "none":
        return losses
    total = rows_of(losses).sum(axis=1) if is_batch else losses.sum()
    if reduction == "sum":
        return total
    return total / (count_of(losses.shape[is_batch:]) if count is None else count)


def share_of(grad: Any, reduction: str, count: Any) -> Any:
    """The part of the gradient that belongs to one element."""
    return grad / count if reduction == "mean" else grad


def count_of(shape: Shape) -> float:
    """How many losses there are; nan for none, whose mean that is."""
    return math.prod(shape) or math.nan


# Losses of elements -----------------------------------------------------------------------------


class PointwiseLoss(Elementwise):
    """A loss of each element, and then their mean, their sum or none of the two: `reduction`.

    Its operands have one shape. Forward and backward know of the reduction; the other rules follow.
    """

    saves = ("self", "target")
    broadcasts = False

    @classmethod
    def jvp(cls, ctx, *tangents):
        """The tangents of the elements' losses, reduced as those are."""
        reduction, ctx.reduction = ctx.reduction, "none"
        return reduced(super().jvp(ctx, *tangents), reduction)

    @classmethod
    def vmap(cls, info, in_dims, *values, **parameters):
        """The losses of all elements, reduced for each example."""
        losses = cls.apply(*batch_all(info, in_dims, values), **{**parameters, "reduction": "none"})
        return reduced(losses, parameters["reduction"], is_batch=True)


def chosen_reduction(reduction: str, size_average: bool | None, reduce: bool | None) -> str:
    """The reduction; as its two flags say, if there are some: so PyTorch's older programs do.

    Raises:
        ArgumentError: for one that is none.
    """
    if size_average is not None or reduce is not None:
        named = {(True, True): "mean", (False, True): "sum"}
        reduction = named.get((size_average is not False, reduce is not False), "none")
        warnings.warn(
            "size_average and reduce args will be deprecated, please use "
            f"reduction='{reduction}' instead.",
            stacklevel=3,
        )
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(
            f"{reduction} is not a valid value for reduction. It says how many losses become one. "
            "Write 'mean', 'sum' or 'none'."
        )
    return reduction


def of_all(losses: Tensor, reduction: str) -> Tensor:
    """The mean of some losses, their sum, or the losses themselves."""
    if reduction == "none":
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()


def weighted_mean(losses: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """The same with a weight for each loss: the mean divides by their sum.

    Raises:
        ArgumentError: if there is not one weight for each.
    """
    if weight.shape != losses.shape:
        raise ArgumentError(
            f"Weights and input must have the same size, got {tuple(weight.shape)} and "
            f"{tuple(losses.shape)}. Each loss has its weight. Write `weight.expand(x.shape)`."
        )
    total = of_all(losses * weight, "sum" if reduction == "mean" else reduction)
    return total / weight.sum() if reduction == "mean" else total


def paired(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in one shape. PyTorch warns if that is not what they have.

    Raises:
        ShapeError: if there is none.
    """
    if input.shape == target.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({tuple(target.shape)}) that is different to the input size "
        f"({tuple(input.shape)}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size.",
        stacklevel=3,
    )
    try:
        shape = np.broadcast_shapes(input.shape, target.shape)
    except ValueError as error:
        raise ShapeError(
            f"{broadcast_text(input.shape, target.shape)} Each element has its target. Write "
            "`target.reshape(input.shape)`."
        ) from error
    return expand(input, *shape), expand(target, *shape)


class MseLoss(PointwiseLoss):
    """z = Σᵢ (xᵢ − yᵢ)²/n        x̄ᵢ = 2·z̄·(xᵢ − yᵢ)/n,  ȳᵢ = −2·z̄·(xᵢ − yᵢ)/n"""

    @staticmethod
    def forward(x, y, *, reduction):
        difference = x - y
        return reduced(difference * difference, reduction)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        wants_x, wants_y = ctx.needs_input_grad
        x_bar = (x - y) * share_of(2 * grad, ctx.reduction, count_of(x.shape))
        return x_bar if wants_x else None, -x_bar if wants_y else None


@functional(MseLoss)
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared distance, element by element.

    Args:
        input, target: of one shape `S`; others are broadcast, with a warning.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all elements, or "none".
        weight: how much each element counts, of shape `S`.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction, or weights of another shape.

    Example:
        >>> mse_loss(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.mse_loss.html
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    input, target = paired(input, target)
    if weight is not None:
        return weighted_mean((input - target) ** 2, weight, reduction)
    return MseLoss.apply(input, target, reduction=reduction)


class WeightedLoss(PointwiseLoss):
    """A loss of each element whose last operands may be weights, which have no gradient.

    A subclass says how the unweighted loss moves: `by_input` and `by_target`.
    """

    differentiates = slice(2)
    keeps_index = True

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.weights = inputs[2:]

    @staticmethod
    def backward(ctx, grad):
        x, t = ctx.saved_tensors
        share = share_of(grad, ctx.reduction, count_of(x.shape))
        share = share * ctx.weights[0] if ctx.weights else share
        rule = ctx._forward_cls
        pairs = zip((rule.by_input, rule.by_target), ctx.needs_input_grad, strict=True)
        return tuple([share * slope(ctx, x, t) if wanted else None for slope, wanted in pairs])


_LEAST_LOG = -100.0  # PyTorch's, for the logarithm of 0: a loss stays finite
_LEAST_SLOPE = float(np.float32(1e-12))  # PyTorch's, too: x·(1 − x) may be 0


class BinaryCrossEntropy(WeightedLoss):
    """z = −Σᵢ wᵢ·(tᵢ·ln xᵢ + (1 − tᵢ)·ln(1 − xᵢ))/n
    x̄ᵢ = z̄·wᵢ·(xᵢ − tᵢ)/(xᵢ·(1 − xᵢ))/n,  t̄ᵢ = z̄·wᵢ·ln((1 − xᵢ)/xᵢ)/n
    """

    @staticmethod
    def forward(x, t, *weights, reduction):
        yes, no = [np.maximum(p, _LEAST_LOG) for p in (np.log(x), np.log1p(-x))]
        losses = (t - 1) * no - t * yes
        return reduced(losses * weights[0] if weights else losses, reduction)

    @staticmethod
    def by_input(ctx, x, t):
        return (x - t) / np.maximum(x * (1 - x), _LEAST_SLOPE)

    @staticmethod
    def by_target(ctx, x, t):
        return np.log1p(-x) - np.log(x)


@functional()
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The cross-entropy of probabilities: `-target·log(input) - (1 - target)·log(1 - input)`.

    Args:
        input: probabilities, of shape `S`; see `binary_cross_entropy_with_logits` for scores.
        target: what was seen, from 0 to 1: shape `S`, of the same dtype.
        weight: how much each element counts: of a shape that broadcasts to `S`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all elements, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none". The logarithm of 0 counts as -100.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ, or are not floating-point.
        ArgumentError: if `input` or `target` is not between 0 and 1; for another reduction.
        GraphError: if `weight` requires grad.

    Example:
        >>> binary_cross_entropy(tensor([0.9, 0.5]), tensor([1.0, 0.0]))
        tensor(0.3993)

    See Also:
        https://pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy.html
    """
    name = "binary_cross_entropy"
    reduction = chosen_reduction(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise ShapeError(
            f"Using a target size ({tuple(target.shape)}) that is different to the input size "
            f"({tuple(input.shape)}) is deprecated. Please ensure they have the same size: each "
            "probability has its answer. Write `target.reshape(input.shape)`."
        )
    weights = [] if weight is None else [_expanded(name, "weight", weight, input)]
    for other in (target, *weights):
        if other.dtype != input.dtype:
            raise DTypeError(
                f"Found dtype {scalar_name(other.dtype)} but expected {scalar_name(input.dtype)}: "
                f"{name}() computes in one precision. Write `target.to(input.dtype)`."
            )
    check_kind(f"{name}() is", input, "f", "Probabilities are fractions. Write `x.float()`.")
    _check_probabilities("input", input)
    _check_probabilities("target", target)
    return BinaryCrossEntropy.apply(input, target, *weights, reduction=reduction)


def _check_probabilities(name: str, x: Tensor) -> None:
    values = seen(x)
    if values is not None and not bool(((values >= 0) & (values <= 1)).all()):
        raise ArgumentError(
            f"all elements of {name} should be between 0 and 1: they are probabilities. Write "
            "`sigmoid(x)`, or `binary_cross_entropy_with_logits` for scores."
        )


class BinaryCrossEntropyWithLogits(WeightedLoss):
    """z = Σᵢ wᵢ·((1 − tᵢ)·xᵢ + aᵢ·sᵢ)/n,  aᵢ = 1 + (pᵢ − 1)·tᵢ
    sᵢ = ln(1 + exp(−xᵢ)),  w, p = weights
    x̄ᵢ = z̄·wᵢ·(1 − tᵢ − aᵢ/(1 + exp xᵢ))/n,  t̄ᵢ = z̄·wᵢ·((pᵢ − 1)·sᵢ − xᵢ)/n
    """

    @staticmethod
    def forward(x, t, *weights, reduction):
        softplus = _softplus(-x)
        if not weights:
            return reduced((1 - t) * x + softplus, reduction)
        weight, positive = weights
        return reduced(weight * ((1 - t) * x + (1 + (positive - 1) * t) * softplus), reduction)

    @staticmethod
    def by_input(ctx, x, t):
        if not ctx.weights:
            return run(Sigmoid, x) - t
        _, positive = ctx.weights
        return 1 - t - (1 + (positive - 1) * t) * run(Sigmoid, -x)

    @staticmethod
    def by_target(ctx, x, t):
        return (ctx.weights[1] - 1) * _softplus(-x) - x if ctx.weights else -x


def _softplus(x: Any) -> Any:
    """`ln(1 + eˣ)`, without overflow."""
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


@functional()
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy(sigmoid(input), target)`, without overflow.

    Args:
        input: scores of shape `S`: positive ones say yes.
        target: what was seen, from 0 (no) to 1 (yes): shape `S`.
        weight: how much each element counts: of a shape that broadcasts to `S`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all elements, or "none".
        pos_weight: how much more a yes counts than a no: of a shape that broadcasts to `S`.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if a dtype is not floating-point.
        ArgumentError: for another reduction.
        GraphError: if a weight requires grad.

    Example:
        >>> binary_cross_entropy_with_logits(tensor([2.0, -1.0]), tensor([1.0, 1.0]))
        tensor(0.7201)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy_with_logits.html
    """
    name = "binary_cross_entropy_with_logits"
    reduction = chosen_reduction(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise ShapeError(
            f"Target size ({tuple(target.shape)}) must be the same as input size "
            f"({tuple(input.shape)}). Each score has its answer. Write "
            "`target.reshape(input.shape)`."
        )
    for x in (input, target):
        check_kind(f"{name}() is", x, "f", "Losses are fractions. Write `x.float()`.")
    weights = []
    if weight is not None or pos_weight is not None:
        for key, value in (("weight", weight), ("pos_weight", pos_weight)):
            given = ones((), dtype=input.dtype, device=input.device) if value is None else value
            weights.append(_expanded(name, key, given, input))
    return BinaryCrossEntropyWithLogits.apply(input, target, *weights, reduction=reduction)


def _expanded(name: str, argument: str, weight: Tensor, input: Tensor) -> Tensor:
    """A weight for each element.

    Raises:
        GraphError: if a gradient of the weight would be wanted.
        ShapeError: if it does not broadcast.
    """
    if weight.requires_grad and modes.grad:
        raise GraphError(
            f"The function '{name}' is not differentiable with respect to argument '{argument}'. "
            "This input cannot have requires_grad True. Write `weight.detach()`."
        )
    return expand(weight, *input.shape) if weight.shape != input.shape else weight


# Class indices and probabilities ------------------------------------------------------------------


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
    why = "Scores are fractions. Write `input.float()`."
    check_kind('"log_softmax_lastdim_kernel_impl"', scores, "f", why)
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
    target = seen(target)
    if target is None:
        return False  # the numbers of a batch are checked where they can be seen
    # Negative numbers become huge unsigned ones: a single search finds what is out of range.
    numbers = target.view(_UNSIGNED[target.dtype.itemsize])
    if np.maximum.reduce(numbers, axis=None) >= classes:
        check_range(target, classes, ignore_index)
        return False
    return ignore_index < 0


_UNSIGNED = {1: np.uint8, 8: np.uint64}


def check_range(target: Any, classes: int, ignore_index: int) -> None:
    """Raise DimError if one of the class indices, a value of any shape, is no class."""
    numbers = seen(target)
    if numbers is None:
        return  # a level further down will see them
    outside = ((numbers < 0) | (numbers >= classes)) & (numbers != ignore_index)
    if outside.any():
        index = asnumpy(numbers[outside])[0]
        raise DimError(
            f"Target {index} is out of bounds. The input has {classes} classes, numbered from "
            f"0. Give indices from 0 to {classes - 1}, or ignore_index={index}."
        )


def _unfit_target(shape: Shape, target: Shape) -> Exception:
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
    if target.dtype != scores.dtype:
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


def from_rows(rows: Any, shape: Shape) -> Any:
    """The opposite of `as_rows`, for a gradient."""
    if len(shape) == 2:  # a batch of vectors
        return rows
    if len(shape) == 1:
        return rows.reshape(shape)
    return np.moveaxis(rows.reshape(shape[0], *shape[2:], shape[1]), -1, 1)


def losses_of_rows(
    scores: Any, target: Any, weight: Any, ignore_index: int, complete: bool
) -> tuple[Any, Any]:
    """The loss of each row, and how much they count together; None if each row counts 1.

    Args:
        scores: an array of shape `(R, C)`.
        target: R class indices.
        weight: nothing, or one weight per class, of shape `(C,)`; of shape `(R, C)` if rows differ.
        ignore_index: the index that does not count.
        complete: whether all rows are known to count.
    """
    hits, counts = target.reshape(-1), None
    if weight or not complete:
        is_counted = hits != ignore_index
        hits = np.where(is_counted, hits, 0)
        weights = spread(weights_of(weight, scores), scores.shape)
        rows = np.arange(scores.shape[0], like=scores)
        counts = np.where(is_counted, weights[rows, hits], 0)
    losses = -scores.reshape(-1)[places_in(scores, hits)]
    if counts is None:
        return losses, None
    return np.where(counts == 0, 0, losses * counts), counts.sum()


def places_in(rows: Any, hits: Any) -> Any:
    """Where one class of each row is in the flattened rows: sooner found than by two indices."""
    count, classes = rows.shape
    return np.arange(0, count * classes, classes or 1, like=rows) + hits


def shares_of(
    target: Any, weight: Any, ignore_index: int, like: Any, smoothing: float = 0
) -> tuple[Any, Any]:
    """The q of Note [Weights of a loss], and how much each row counts; see `losses_of_rows`.

    Args:
        like: an array of the classes' dtype, with as many of them in its last dim.
        smoothing: the share of a row that is spread evenly over all classes.
    """
    classes, wanted, weights = like.shape[-1], target.reshape(-1, 1), weights_of(weight, like)
    is_counted = wanted != ignore_index
    is_hit = np.arange(classes, like=like) == np.where(is_counted, wanted, -1)
    q = np.where(is_hit, weights, 0)
    counts = q.sum(axis=1)
    if smoothing:
        q = q * (1 - smoothing) + np.where(is_counted, weights, 0) * (smoothing / classes)
    return q, counts


def weights_of(weight: Any, like: Any) -> Any:
    """The weights of the classes, 1 if there are none."""
    return weight[0] if weight else np.ones((), like.dtype, like=like)


def softened(target: Any, weight: Any, smoothing: float) -> Any:
    """The t of each row, with a share spread evenly over the classes, and weighted."""
    t = as_rows(target)
    if smoothing:
        t = t * (1 - smoothing) + smoothing / t.shape[1]
    return weighted(t, weight)


def weighted(rows: Any, weight: Any) -> Any:
    """Rows times the weights of the classes, if there are some."""
    return rows * weight[0] if weight else rows


# Losses of classes ------------------------------------------------------------------------------


class ClassLoss(Primitive):
    """A loss −Σ q·s, which says of each row what its `slopes` are: ∂l/∂x, and what they add up to.

    Operands are x, of whose classes it makes scores, the target, and perhaps weights of classes.
    """

    saves = ("self", "target")
    promotes = None
    differentiates = slice(1)
    keeps_index = True

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.weight = inputs[2:]
        ctx._is_quick = not ctx.weight  # then there is nothing to let go of beside what is saved

    @staticmethod
    def backward(ctx, grad):
        x, target = ctx.saved_tensors
        *slopes, count = ctx._forward_cls.slopes(ctx, x, target)
        share = share_of(grad.reshape(-1, 1) if grad.ndim else grad, ctx.reduction, count)
        return tuple([None if s is None else from_rows(s * share, x.shape) for s in slopes])

    @staticmethod
    def jvp(ctx, *tangents):
        *slopes, count = ctx._forward_cls.slopes(ctx, *ctx.saved_tensors)
        pairs = zip(slopes, tangents, strict=True)
        moved = total([None if dx is None else slope * as_rows(dx) for slope, dx in pairs])
        return reduced(moved.sum(axis=1), ctx.reduction, count).reshape(ctx.result.shape)

    @classmethod
    def vmap(cls, info, in_dims, *values, reduction, **parameters):
        """The rows of all examples at once; their losses are then reduced for each example."""
        x, target, *weight = batch_all(info, in_dims, values)
        rows = as_rows(joined(x))
        form = (info.batch_size, rows.shape[0] // (info.batch_size or 1), rows.shape[1])
        # Within a batch of batches there is a weight for each row already.
        each = [spread(w if w.ndim == 3 else w[:, None], form) for w in weight]
        weight = [w.reshape(rows.shape) for w in each]
        count = None
        if "ignore_index" in parameters:  # class indices
            shape, ignored = target.shape, parameters["ignore_index"]
            check_range(target, rows.shape[1], ignored)
            target = target.reshape(rows.shape[0])
            if reduction == "mean":
                _, counts = shares_of(target, weight, ignored, array_of(rows))
                count = counts.reshape(form[:2]).sum(axis=1)
        else:
            shape, target = x.shape[:2] + x.shape[3:], as_rows(joined(target))
            shape = shape if x.ndim > 2 else shape[:1]
        losses = cls.apply(rows, target, *weight, reduction="none", **parameters)
        return reduced(losses.reshape(shape), reduction, count, is_batch=True)


def joined(x: Any) -> Any:
    """Examples of shape `(N, C, d…)` one behind the other."""
    return x.reshape(x.shape[0] * x.shape[1], *x.shape[2:]) if x.ndim > 2 else x


def log_p_of(x: Any) -> Any:
    """The logarithms of the probabilities of classes, of scores of any shape."""
    return run(LogSoftmax, x, dim=int(x.ndim > 1))


class IndexLoss(ClassLoss):
    """A loss of class indices. A subclass says the p of Note [Weights of a loss]: `shares`."""

    @staticmethod
    def slopes(ctx: Any, x: Any, target: Any) -> tuple[Any, Any]:
        """∂l/∂x in each row, p·Σq − q, and what the rows count together."""
        p = ctx._forward_cls.shares(ctx, x)
        smoothing = getattr(ctx, "label_smoothing", 0)  # an NllLoss has none
        if ctx.complete and not ctx.weight and not smoothing and not isinstance(p, Tensor):
            p.reshape(-1)[places_in(p, target.reshape(-1))] -= 1  # nearly always, so at once
            return p, p.shape[0]
        q, counts = shares_of(target, ctx.weight, ctx.ignore_index, array_of(p), smoothing)
        count = counts.sum()
        return p * q.sum(axis=1, keepdims=True) - q, np.where(count == 0, 1, count)


class CrossEntropy(IndexLoss):
    """z = −Σᵢ w[tᵢ]·ln p[i, tᵢ]/Σᵢ w[tᵢ],  pᵢⱼ = exp xᵢⱼ/Σₖ exp xᵢₖ
    x̄ᵢⱼ = z̄·w[tᵢ]·(pᵢⱼ − [j = tᵢ])/Σₖ w[tₖ]
    """

    assumes = {"is_log_p": log_p_of}

    @staticmethod
    def forward(x, target, *weight, ignore_index, complete, reduction, label_smoothing, is_log_p):
        log_p = as_rows(x) if is_log_p else log_p_of(as_rows(x))
        if label_smoothing:
            q, counts = shares_of(target, weight, ignore_index, log_p, label_smoothing)
            losses, count = -np.where(q == 0, 0, q * log_p).sum(axis=1), counts.sum()
        else:
            losses, count = losses_of_rows(log_p, target, weight, ignore_index, complete)
        return reduced(losses.reshape(target.shape), reduction, count)

    @staticmethod
    def shares(ctx, x):
        if isinstance(x, Tensor) or not ctx.is_log_p:
            return run(Softmax, as_rows(x), dim=1)
        return in_rows(np.exp(as_rows(x)))


class SoftCrossEntropy(ClassLoss):
    """z = −Σᵢⱼ tᵢⱼ·ln pᵢⱼ/n,  pᵢⱼ = exp xᵢⱼ/Σₖ exp xᵢₖ
    x̄ᵢⱼ = z̄·(pᵢⱼ·Σₖ tᵢₖ − tᵢⱼ)/n,  t̄ᵢⱼ = −z̄·ln pᵢⱼ/n
    """

    node = "CrossEntropyBackward0"
    differentiates = slice(2)

    @staticmethod
    def forward(x, target, *weight, reduction, label_smoothing):
        log_p = run(LogSoftmax, as_rows(x), dim=1)
        losses = -(softened(target, weight, label_smoothing) * log_p).sum(axis=1)
        return reduced(losses.reshape(x.shape[:1] + x.shape[2:] if x.ndim > 1 else ()), reduction)

    @staticmethod
    def slopes(ctx, x, target):
        wants_x, wants_target = ctx.needs_input_grad
        log_p = run(LogSoftmax, as_rows(x), dim=1)
        by_x = by_target = None
        if wants_x:
            t = softened(target, ctx.weight, ctx.label_smoothing)
            by_x = np.exp(log_p) * t.sum(axis=1, keepdims=True) - t
        if wants_target:
            by_target = weighted(log_p * (ctx.label_smoothing - 1), ctx.weight)
        return by_x, by_target, log_p.shape[0]


@functional()
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
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
        size_average, reduce: what PyTorch had before `reduction`.
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
    reduction = chosen_reduction(reduction, size_average, reduce)
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


class NllLoss(IndexLoss):
    """z = −Σᵢ w[tᵢ]·x[i, tᵢ]/Σᵢ w[tᵢ]        x̄ᵢⱼ = −z̄·w[tᵢ]·[j = tᵢ]/Σₖ w[tₖ]"""

    @staticmethod
    def forward(x, target, *weight, ignore_index, complete, reduction):
        losses, count = losses_of_rows(as_rows(x), target, weight, ignore_index, complete)
        return reduced(losses.reshape(target.shape), reduction, count)

    @staticmethod
    def shares(ctx, x):
        return zeros_of(as_rows(x))


@functional()
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`-input` at the target class, for an input that `log_softmax` made.

    Args:
        input: log-probabilities of shape `(N, C)`, `(C,)` or `(N, C, d…)`.
        target, weight, size_average, ignore_index, reduce, reduction: as for `cross_entropy`, with
            class indices.

    Returns:
        A 0-d tensor; of the shape of `target` for "none".

    Raises:
        ShapeError, ArgumentError, DTypeError, DimError: as `cross_entropy`.

    Example:
        >>> nll_loss(tensor([[-0.1, -2.3], [-3.0, -0.05]]), tensor([0, 1]))
        tensor(0.0750)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    complete = check_indices(input.payload, target.payload, ignore_index)
    check_weight(weight, input.payload)
    operands = (input, target) if weight is None else (input, target, weight)
    return NllLoss.apply(
        *operands, ignore_index=ignore_index, complete=complete, reduction=reduction
    )
