"""Losses: of elements, of classes, of distributions, of pairs and triplets, and of sequences.

Squares, cross-entropies and the loss of spelling are ops with rules of their own. The others are
made of ops, and their gradients follow.

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
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glassgrad.core import errors
from glassgrad.core.graph import edge_of
from glassgrad.core.state import Func, Shape, modes
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.memory.calls import warn
from glassgrad.values.backend import asnumpy, in_rows
from glassgrad.values.layers import array_of
from glassgrad.values.operands import broadcast_text

from . import _checks as check
from ._arguments import chosen_reduction
from ._checks import scalar_name
from ._declaring import functional, loss
from ._families import Elementwise, Transposed
from ._rules import batch_all, rows_of, run, seen, zeros_like, zeros_of
from .activations import LogSoftmax, Sigmoid, Softmax, logsigmoid
from .creation import as_tensor, ones
from .scattering import ScatterAdd
from .selection import where
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


class PointwiseLoss(Transposed, Elementwise):
    """A loss of each element, and then their mean, their sum or none of the two: `reduction`.

    Its operands have one shape. Forward and backward know of the reduction; the other rules
    follow. A subclass says how the loss of an element moves: `by_input`, and `by_target` where that
    is not the opposite.
    """

    saves = ("self", "target")
    broadcasts = False
    by_input: Func

    @staticmethod
    def backward(ctx, grad):
        x, t = ctx.saved_tensors
        share = share_of(grad, ctx.reduction, count_of(x.shape))
        rule = ctx._forward_cls
        pairs = zip((rule.by_input, rule.by_target), ctx.needs_input_grad, strict=True)
        return tuple([slope(ctx, x, t) * share if wanted else None for slope, wanted in pairs])

    @classmethod
    def by_target(cls, ctx, x, t):
        """Where the loss is one of x − t."""
        return -cls.by_input(ctx, x, t)

    @classmethod
    def vmap(cls, info, in_dims, *values, **parameters):
        """The losses of all elements, reduced for each example."""
        losses = cls.apply(*batch_all(info, in_dims, values), **{**parameters, "reduction": "none"})
        return reduced(losses, parameters["reduction"], is_batch=True)


class WeightedLoss(PointwiseLoss):
    """One that may have weights behind its operands, which have no gradient."""

    differentiates = slice(2)
    keeps_index = True

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.weights = inputs[2:]

    @staticmethod
    def backward(ctx, grad):
        return PointwiseLoss.backward(ctx, grad * ctx.weights[0] if ctx.weights else grad)


def of_all(losses: Tensor, reduction: str, weight: Tensor | None = None) -> Tensor:
    """The mean of some losses, their sum, or the losses themselves.

    Args:
        weight: how much each of them counts: the mean divides by the sum of these.

    Raises:
        ArgumentError: if there is not one weight for each.
    """
    if weight is not None:
        said, why = "Weights and input must have the same size, got {} and {}", "Each loss has one."
        check.equal(said, weight.shape, losses.shape, why, errors.ArgumentError)
        losses = losses * weight
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    return losses.mean() if weight is None else losses.sum() / weight.sum()


def paired(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in one shape. PyTorch warns if that is not what they have.

    Raises:
        ShapeError: if there is none.
    """
    if input.shape == target.shape:
        return input, target
    warn(
        f"Using a target size ({tuple(target.shape)}) that is different to the input size "
        f"({tuple(input.shape)}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size."
    )
    try:
        shape = np.broadcast_shapes(input.shape, target.shape)
    except ValueError:
        raise errors.ShapeError(
            f"{broadcast_text(input.shape, target.shape)} Each element has its target. Write "
            "`target.reshape(input.shape)`."
        )
    return expand(input, *shape), expand(target, *shape)


class MseLoss(PointwiseLoss):
    """z = Σᵢ (xᵢ − yᵢ)²/n        x̄ᵢ = 2·z̄·(xᵢ − yᵢ)/n,  ȳᵢ = −2·z̄·(xᵢ − yᵢ)/n"""

    kernel = "mse_cpu"

    @staticmethod
    def forward(x, y, *, reduction):
        difference = x - y
        return reduced(difference * difference, reduction)

    @staticmethod
    def by_input(ctx, x, y):
        return (x - y) * 2


@loss(MseLoss)
def mse_loss(
    input: Tensor, target: Tensor, *, reduction: str = "mean", weight: Tensor | None = None
) -> Tensor:
    """The squared distance, element by element.

    Args:
        input, target: of one shape `S`; others are broadcast, with a warning.
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
    input, target = paired(input, target)
    if weight is not None:
        return of_all((input - target) ** 2, reduction, weight)
    return MseLoss.apply(input, target, reduction=reduction)


@loss()
def l1_loss(
    input: Tensor, target: Tensor, *, reduction: str = "mean", weight: Tensor | None = None
) -> Tensor:
    """The distance, element by element.

    Args:
        input, target: of one shape `S`; others are broadcast, with a warning.
        weight: how much each element counts, of shape `S`.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction, or weights of another shape.

    Example:
        >>> l1_loss(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.l1_loss.html
    """
    input, target = paired(input, target)
    return of_all((input - target).abs(), reduction, weight)


class SmoothL1Loss(PointwiseLoss):
    """z = Σᵢ (½·(xᵢ − yᵢ)²/b if |xᵢ − yᵢ| < b else |xᵢ − yᵢ| − ½·b)/n,  b = beta
    x̄ᵢ = z̄·sᵢ/n,  ȳᵢ = −z̄·sᵢ/n,  sᵢ = (xᵢ − yᵢ)/b if |xᵢ − yᵢ| < b else sgn(xᵢ − yᵢ)
    """

    kernel = "smooth_l1_cpu"

    @staticmethod
    def forward(x, y, *, reduction, beta):
        far = np.abs(x - y)
        losses = np.where(far < beta, far * far * (0.5 / beta), far - 0.5 * beta)
        return reduced(losses, reduction)

    @staticmethod
    def by_input(ctx, x, y):
        difference = x - y
        near = np.abs(difference) < ctx.beta
        return np.where(near, difference / ctx.beta, np.sign(difference))


@loss(SmoothL1Loss)
def smooth_l1_loss(
    input: Tensor, target: Tensor, *, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """The distance, rounded off where it is below `beta`: half the square over `beta`.

    Args:
        input, target: floating-point tensors of one shape `S`; others are broadcast, with a
            warning.
        beta: where the square ends, a number from 0 up.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction.
        RangeError: if `beta` is negative.

    Example:
        >>> smooth_l1_loss(tensor([1.0, 1.0]), tensor([1.5, 4.0]), reduction="none")
        tensor([0.1250, 2.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.smooth_l1_loss.html
    """
    input, target = paired(input, target)
    said = "smooth_l1_loss does not support negative values for beta, got {}"
    check.least(said, beta, 0, "It is a distance. Write `-beta`.", errors.RangeError)
    if not beta:
        return of_all((input - target).abs(), reduction)
    return SmoothL1Loss.apply(input, target, reduction=reduction, beta=beta)


class HuberLoss(PointwiseLoss):
    """z = Σᵢ (½·(xᵢ − yᵢ)² if |xᵢ − yᵢ| < d else d·(|xᵢ − yᵢ| − ½·d))/n,  d = delta
    x̄ᵢ = z̄·sᵢ/n,  ȳᵢ = −z̄·sᵢ/n,  sᵢ = xᵢ − yᵢ if |xᵢ − yᵢ| < d else d·sgn(xᵢ − yᵢ)
    """

    kernel = "huber_cpu"

    @staticmethod
    def forward(x, y, *, reduction, delta):
        far = np.abs(x - y)
        return reduced(
            np.where(far < delta, far * far * 0.5, (far - 0.5 * delta) * delta), reduction
        )

    @staticmethod
    def by_input(ctx, x, y):
        difference = x - y
        near = np.abs(difference) < ctx.delta
        return np.where(near, difference, np.sign(difference) * ctx.delta)


@loss(HuberLoss, flags=False)
def huber_loss(
    input: Tensor,
    target: Tensor,
    *,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Half the square of the distance where it is below `delta`; from there on a line.

    Args:
        input, target: floating-point tensors of one shape `S`; others are broadcast, with a
            warning.
        delta: where the square ends, and how steep the line is.
        weight: how much each element counts, of shape `S`. The mean divides by how many there are.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction, or weights of another shape.
        RangeError: if `delta` is not positive.

    Example:
        >>> huber_loss(tensor([1.0, 1.0]), tensor([1.5, 4.0]), reduction="none", delta=2.0)
        tensor([0.1250, 4.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.huber_loss.html
    """
    input, target = paired(input, target)
    if delta <= 0:
        raise errors.RangeError(
            f"huber_loss does not support non-positive values for delta, got {delta}. It is a "
            "distance. Write a positive number."
        )
    if weight is None:
        return HuberLoss.apply(input, target, reduction=reduction, delta=delta)
    losses = HuberLoss.apply(input, target, reduction="none", delta=delta)
    total = of_all(losses, "sum" if reduction == "mean" else reduction, weight)
    return total / losses.numel() if reduction == "mean" else total


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


@loss()
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: str = "mean"
) -> Tensor:
    """The cross-entropy of probabilities: `-target·log(input) - (1 - target)·log(1 - input)`.

    Args:
        input: probabilities, of shape `S`; see `binary_cross_entropy_with_logits` for scores.
        target: what was seen, from 0 to 1: shape `S`, of the same dtype.
        weight: how much each element counts: of a shape that broadcasts to `S`.

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
    if input.shape != target.shape:
        raise errors.ArgumentError(
            f"Using a target size ({tuple(target.shape)}) that is different to the input size "
            f"({tuple(input.shape)}) is deprecated. Please ensure they have the same size: each "
            "probability has its answer. Write `target.reshape(input.shape)`."
        )
    weights = [] if weight is None else [_expanded(name, "weight", weight, input)]
    for other in (target, *weights):
        said = "Found dtype {1} but expected {0}"
        check.one_dtype(input, other, said, "A loss is computed", called="target")
    check.kernel(f"{name}() is", input)
    _check_probabilities("input", input)
    _check_probabilities("target", target)
    return BinaryCrossEntropy.apply(input, target, *weights, reduction=reduction)


def _check_probabilities(name: str, x: Tensor) -> None:
    values = seen(x)
    if values is not None and not bool(((values >= 0) & (values <= 1)).all()):
        raise errors.RangeError(
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


@loss()
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy(sigmoid(input), target)`, without overflow.

    Args:
        input: scores of shape `S`: positive ones say yes.
        target: what was seen, from 0 (no) to 1 (yes): shape `S`.
        weight: how much each element counts: of a shape that broadcasts to `S`.
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
    if input.shape != target.shape:
        raise errors.ArgumentError(
            f"Target size ({tuple(target.shape)}) must be the same as input size "
            f"({tuple(input.shape)}). Each score has its answer. Write "
            "`target.reshape(input.shape)`."
        )
    for what, x in (("x", input), ("target", target)):
        why = f"Scores and answers are fractions. Write `{what}.float()`."
        check.kernel(f"{name}() is", x, why="" if x.dtype.kind == "c" else why)
    weights = []
    if weight is not None or pos_weight is not None:
        for key, value in (("weight", weight), ("pos_weight", pos_weight)):
            given = ones((), dtype=input.dtype, device=input.device) if value is None else value
            weights.append(_expanded(name, key, given, input))
    return BinaryCrossEntropyWithLogits.apply(input, target, *weights, reduction=reduction)


def _check_constant(name: str, argument: str, value: Tensor) -> None:
    """Raise if a gradient would be wanted of an argument that has none."""
    if value.requires_grad and modes.grad:
        raise errors.GraphError(
            f"The function '{name}' is not differentiable with respect to argument '{argument}'. "
            f"This input cannot have requires_grad True. Write `{argument}.detach()`."
        )


def _expanded(name: str, argument: str, weight: Tensor, input: Tensor) -> Tensor:
    """A weight for each element.

    Raises:
        GraphError: if a gradient of the weight would be wanted.
        ShapeError: if it does not broadcast.
    """
    _check_constant(name, argument, weight)
    return expand(weight, *input.shape) if weight.shape != input.shape else weight


# Class indices and probabilities ------------------------------------------------------------------


def check_weight(weight: Tensor | None, scores: Any) -> None:
    """Raise unless there is one constant weight per class, in the dtype of the scores."""
    classes = scores.shape[scores.ndim > 1]
    if weight is None:
        return
    if tuple(weight.shape) != (classes,):
        raise errors.ShapeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but "
            f"got weight tensor of shape: {list(weight.shape)}. Classes lie along dim "
            f"{int(scores.ndim > 1)} of the input. Give one weight per class."
        )
    if weight.requires_grad:
        raise errors.MissingRuleError(
            "the derivative for 'weight' is not implemented. The weights of the classes are "
            "chosen, not learned. Write `weight.detach()`."
        )
    if weight.payload.dtype is not scores.dtype:
        raise errors.DTypeError(
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
    if not shape:
        raise errors.DimError(
            "Dimension out of range: the input is 0-d, and has no dim along which classes could "
            "lie. Give it the shape (N, C), or (C,) for one example."
        )
    swapped = "The scores come first, the target second: `cross_entropy(scores, target)`."
    why = swapped if target.dtype.kind == "f" else ""
    check.kernel('"log_softmax_lastdim_kernel_impl"', scores, why=why)
    if target.shape != wanted and not (len(shape) == 1 and target.shape in ((), (1,))):
        raise _unfit_target(shape, target.shape)
    if target.dtype.kind not in "iu" or target.dtype.itemsize not in (1, 8):
        raise errors.DTypeError(
            f"expected target dtype to be Long or Byte, but got {scalar_name(target.dtype)}. "
            "A target is the index of a class. Write `target.long()`. (cross_entropy also takes "
            "probabilities, in the shape of the input.)"
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
        instead = f"ignore_index={index}" if index < 0 else "an input with a score for each class"
        raise errors.DimError(
            f"Target {index} is out of bounds. The input has {classes} classes, numbered from "
            f"0. Give indices from 0 to {classes - 1}, or {instead}."
        )


def _unfit_target(shape: Shape, target: Shape) -> Exception:
    remedy = f"Each example has one target. The input's shape is {shape}, the target's {target}."
    if len(shape) == 1:
        return errors.ArgumentError(
            f"For 1D input, 1D target must have size 1, but got target size: {target[0]}. "
            f"{remedy} Give one index."
        )
    if target and target[0] != shape[0]:
        return errors.ArgumentError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({target[0]}). "
            f"{remedy} Cut one of them."
        )
    if len(shape) == 2:  # a batch of vectors
        instead = "argmax(1)" if target == shape else "squeeze(1)"
        return errors.ShapeError(
            f"0D or 1D target tensor expected, multi-target not supported. {remedy} "
            f"Write `target.{instead}`."
        )
    return errors.ShapeError(
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
        instead = "Write `target.float()`, or give class indices."
        if scores.dtype.kind != "f":
            instead = "The input holds integers: give the scores, without their `argmax()`."
        raise errors.DTypeError(
            "Expected floating point type for target with class probabilities, got "
            f"{scalar_name(target.dtype)}. A target of the input's shape {scores.shape} holds "
            f"probabilities. {instead}"
        )
    if target.dtype != scores.dtype:
        raise errors.DTypeError(
            f"expected scalar type {scalar_name(scores.dtype)} but found "
            f"{scalar_name(target.dtype)}. Both are multiplied. Write `target.to(input.dtype)`."
        )
    if ignore_index >= 0:
        raise errors.ShapeError(
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
    scores: Any, target: Any, weight: Any, ignore_index: int, complete: bool, smoothing: float = 0
) -> tuple[Any, Any]:
    """The loss of each row, and how much they count together; None if each row counts 1.

    Args:
        scores: an array of shape `(R, C)`.
        target: R class indices.
        weight: nothing, or one weight per class, of shape `(C,)`; of shape `(R, C)` if rows differ.
        ignore_index: the index that does not count.
        complete: whether all rows are known to count.
        smoothing: the share of a row that is spread evenly over all classes.
    """
    if complete and not weight and not smoothing:  # nearly always: one number of each row
        return -scores.reshape(-1)[places_in(scores, target.reshape(-1))], None
    q, counts = shares_of(target, weight, ignore_index, scores, smoothing)
    return np.where(q == 0, 0, -q * scores).sum(axis=1), counts.sum()


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
    """
    classes, wanted = like.shape[-1], target.reshape(-1, 1)
    weights = weight[0] if weight else np.ones((), like.dtype, like=like)
    is_counted = wanted != ignore_index
    is_hit = np.arange(classes, like=like) == np.where(is_counted, wanted, -1)
    q = np.where(is_hit, weights, 0)
    counts = q.sum(axis=1)
    if smoothing:
        q = q * (1 - smoothing) + np.where(is_counted, weights, 0) * (smoothing / classes)
    return q, counts


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


class ClassLoss(Transposed):
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

    @classmethod
    def vmap(cls, info, in_dims, *values, reduction, **parameters):
        """The rows of all examples at once; their losses are then reduced for each example."""
        x, target, *weight = batch_all(info, in_dims, values)
        rows = as_rows(joined(x))
        form = (info.batch_size, rows.shape[0] // (info.batch_size or 1), rows.shape[1])
        # Within a batch of batches there is a weight for each row already.
        each = [np.broadcast_to(w if w.ndim == 3 else w[:, None], form) for w in weight]
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
    x̄ᵢⱼ = z̄·(pᵢⱼ − [j = tᵢ])·w[tᵢ]/Σₖ w[tₖ]
    """

    assumes = {"is_log_p": log_p_of}
    gist = "softmax − one-hot of the target, times 1/n in a mean of n rows"

    @staticmethod
    def forward(x, target, *weight, ignore_index, complete, reduction, label_smoothing, is_log_p):
        log_p = as_rows(x) if is_log_p else log_p_of(as_rows(x))
        losses, count = losses_of_rows(
            log_p, target, weight, ignore_index, complete, label_smoothing
        )
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
        log_p = log_p_of(as_rows(x))
        losses = -(softened(target, weight, label_smoothing) * log_p).sum(axis=1)
        return reduced(losses.reshape(x.shape[:1] + x.shape[2:] if x.ndim > 1 else ()), reduction)

    @staticmethod
    def slopes(ctx, x, target):
        wants_x, wants_target = ctx.needs_input_grad
        log_p = log_p_of(as_rows(x))
        by_x = by_target = None
        if wants_x:
            t = softened(target, ctx.weight, ctx.label_smoothing)
            by_x = np.exp(log_p) * t.sum(axis=1, keepdims=True) - t
        if wants_target:
            by_target = weighted(log_p * (ctx.label_smoothing - 1), ctx.weight)
        return by_x, by_target, log_p.shape[0]


@loss(between="ignore_index")
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
    if not 0 <= label_smoothing <= 1:
        raise errors.RangeError(
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
        log_p = LogSoftmax.forward(scores, dim=int(scores.ndim > 1))
        operands = (wrap(log_p, edge_of(input)), *operands[1:])
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


@loss(between="ignore_index")
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
    complete = check_indices(input.payload, target.payload, ignore_index)
    check_weight(weight, input.payload)
    operands = (input, target) if weight is None else (input, target, weight)
    return NllLoss.apply(
        *operands, ignore_index=ignore_index, complete=complete, reduction=reduction
    )


# Distributions -----------------------------------------------------------------------------------


@functional()
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """How much the probabilities `target` say that those of `input` do not.

    Args:
        input: the logarithms of probabilities.
        target: probabilities; their logarithms, with `log_target`. The shapes broadcast to `S`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "batchmean", the sum over the size of the first dim; "mean", "sum" or "none".
        log_target: whether `target` has logarithms, too.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction.

    Example:
        >>> kl_div(tensor([0.5, 0.5]).log(), tensor([0.25, 0.75]), reduction="sum")
        tensor(0.1308)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.kl_div.html
    """
    is_batchmean = reduction == "batchmean"
    if reduction == "mean" and size_average is None and reduce is None:
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next "
            "major release."
        )
    reduction = chosen_reduction("sum" if is_batchmean else reduction, size_average, reduce)
    if log_target:
        losses = target.exp() * (target - input)
    else:
        # 0·ln 0 counts as 0.
        losses = target * where(target != 0, target, 1.0).log() - target * input
    total = of_all(losses, reduction)
    return total / input.shape[0] if is_batchmean and input.ndim else total


@loss(between="eps")
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, *, eps: float = 1e-8
) -> Tensor:
    """`-log` of the probability of the counts `target`, of Poisson distributions.

    Args:
        input: their expectations, or the logarithms of these.
        target: what was counted. The shapes broadcast to `S`.
        log_input: whether `input` has logarithms.
        full: add what does not depend on `input`, by Stirling's formula.
        eps: what is added to an expectation, whose logarithm is taken.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction.

    Example:
        >>> poisson_nll_loss(tensor([0.0, 1.0]), tensor([1.0, 2.0]))
        tensor(0.8591)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.poisson_nll_loss.html
    """
    expected, log_expected = (input.exp(), input) if log_input else (input, (input + eps).log())
    losses = expected - target * log_expected
    if full:
        stirling = target * target.log() - target + (target * (2 * math.pi)).log() * 0.5
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return losses


@loss(flags=False, refusal="is not valid")
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6
) -> Tensor:
    """`-log` of the density of `target`, of normal distributions.

    Args:
        input: their means, of shape `S`.
        target: what was seen, of a shape that broadcasts to `S`.
        var: their variances: a number, or a tensor of shape `S`, of `S` without the last dim, or
            with a dim of size 1. Its gradient does not see `eps`.
        full: add what does not depend on `input` and `var`.
        eps: the least variance.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction, and for variances that are negative or do not fit.

    Example:
        >>> gaussian_nll_loss(tensor([0.0, 1.0]), tensor([1.0, 1.0]), 1.0)
        tensor(0.2500)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.gaussian_nll_loss.html
    """
    spread = input * 0 + var if isinstance(var, (int, float)) else var
    values = seen(spread)
    if values is not None and bool((values < 0).any()):
        raise errors.ArgumentError(
            "var has negative entry/entries: a variance is a mean of squares. Write `var.exp()` "
            "for a network's output."
        )
    if spread.shape != input.shape:
        if spread.shape == input.shape[:-1]:
            spread = spread.unsqueeze(-1)
        elif not _has_one_of_many(spread.shape, input.shape):
            raise errors.ArgumentError(
                f"var is of incorrect size: {tuple(spread.shape)}, for an input of "
                f"{tuple(input.shape)}. Each mean has its variance, or a row of them has one. "
                "Write `var.expand(input.shape)`."
            )
    bounded = spread + (spread.detach().clamp(min=eps) - spread.detach())
    losses = (bounded.log() + (input - target) ** 2 / bounded) * 0.5
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return losses


def _has_one_of_many(few: Any, many: Any) -> bool:
    """Whether two shapes differ in one dim alone, in which the first has the size 1."""
    if len(few) != len(many):
        return False
    differing = [n for n, wanted in zip(few, many, strict=True) if n != wanted]
    return differing == [1]


# Pairs and triplets ------------------------------------------------------------------------------


@loss()
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0
) -> Tensor:
    """How much is missing until one score is larger than the other by a margin.

    Args:
        input1, input2: the scores.
        target: 1 where the first should be larger, -1 where the second should. The shapes
            broadcast to `S`, and have as many dims.
        margin: by how much.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not fit.
        ArgumentError: for another reduction.

    Example:
        >>> margin_ranking_loss(tensor([1.0, 2.0]), tensor([3.0, 0.0]), tensor([1.0, 1.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.margin_ranking_loss.html
    """
    if not input1.ndim == input2.ndim == target.ndim:
        raise errors.ShapeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {tuple(input1.shape)}, input2: {tuple(input2.shape)}, target: "
            f"{tuple(target.shape)}. Each pair has its target. Write `target.unsqueeze(-1)`."
        )
    return (-target * (input1 - input2) + margin).clamp_min(0)


@loss()
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0) -> Tensor:
    """A distance where two things are alike; where they are not, what it lacks of a margin.

    Args:
        input: distances.
        target: 1 for alike, -1 for not alike. The shapes broadcast to `S`.
        margin: how far apart things should be that are not alike.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction.

    Example:
        >>> hinge_embedding_loss(tensor([0.25, 0.25]), tensor([1, -1]))
        tensor(0.5000)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hinge_embedding_loss.html
    """
    apart = where(target != 1, (margin - input).clamp_min(0), 0.0)
    return apart + where(target != -1, input, 0.0)


@loss()
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0
) -> Tensor:
    """What the cosine between vectors lacks of 1 where they are alike; else what is above `margin`.

    Args:
        input1, input2: vectors, of shape `(N, D)` or `(D,)`.
        target: 1 for alike, -1 for not alike; of shape `(N,)` or `()`.
        margin: from -1 to 1: how small the cosine of what is not alike should be.

    Returns:
        A 0-d tensor; of the shape of `target` for "none".

    Raises:
        ShapeError: if the shapes do not fit.
        ArgumentError: for another reduction.

    Example:
        >>> cosine_embedding_loss(tensor([1.0, 0.0]), tensor([3.0, 4.0]), tensor(1))
        tensor(0.4000)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_embedding_loss.html
    """
    said = "0D or 1D target tensor expected, multi-target not supported"
    check.ndim(said, target, (0, 1), "A pair is alike or not. Write `target.reshape(-1)`.")
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise errors.ShapeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found "
            f"inputs with sizes {list(input1.shape)} and {list(input2.shape)}. Each pair of "
            "vectors has its target. Write `x.unsqueeze(0)`."
        )
    squares = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cosine = (input1 * input2).sum(-1) / squares.sqrt()
    alike = where(target == 1, 1 - cosine, 0.0)
    return alike + where(target == -1, (cosine - margin).clamp_min(0), 0.0)


@loss()
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
) -> Tensor:
    """How much is missing until something alike is nearer by a margin than something else.

    Args:
        anchor, positive, negative: vectors of shape `(…, D)`: what is compared, what is like it,
            and what is not.
        margin: by how much.
        p: the norm of the distance.
        eps: what is added to each difference: a distance of 0 has no gradient.
        swap: take the distance from `positive` to `negative`, if that is smaller.

    Returns:
        A 0-d tensor; of shape `(…)` for "none".

    Raises:
        ShapeError: if the shapes do not fit.
        ArgumentError: for another reduction, or a margin that is not positive.

    Example:
        >>> triplet_margin_loss(tensor([[0.0]]), tensor([[1.0]]), tensor([[1.5]]))
        tensor(0.5000)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_loss.html
    """

    def distance(x: Tensor, y: Tensor) -> Tensor:
        return _norm(x - y + eps, p)

    return _of_triplets(anchor, positive, negative, distance, margin, swap)


@functional()
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with any distance.

    Args:
        anchor, positive, negative, margin, swap, reduction: as there.
        distance_function: of two tensors; None: the length of the difference.

    Returns:
        A 0-d tensor; for "none", of the shape that distances have.

    Raises:
        ShapeError: if the shapes do not fit.
        ArgumentError: for another reduction, or a margin that is not positive.
    """
    distance = distance_function or (lambda x, y: _norm(x - y + 1e-6, 2))
    reduction = chosen_reduction(reduction, None, None)
    return of_all(_of_triplets(anchor, positive, negative, distance, margin, swap), reduction)


def _of_triplets(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Callable[[Tensor, Tensor], Tensor],
    margin: float,
    swap: bool,
) -> Tensor:
    if margin <= 0:
        raise errors.ArgumentError(
            f"margin must be greater than 0, got {margin}. It is how much nearer things should be "
            "that are alike. Write a positive number."
        )
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise errors.ShapeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
            f"{negative.ndim}D inputs. Each triplet has one of all. Write `x.unsqueeze(0)`."
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return (margin + near - far).clamp_min(0)


def _norm(x: Tensor, p: float) -> Tensor:
    """The p-norm along the last dim."""
    far = x.abs()
    if p == math.inf:
        return far.amax(-1)
    return (far * far).sum(-1).sqrt() if p == 2 else far.pow(p).sum(-1).pow(1 / p)


# Margins of classes ------------------------------------------------------------------------------


@loss()
def soft_margin_loss(input: Tensor, target: Tensor) -> Tensor:
    """`log(1 + exp(-target·input))`: what a score lacks of being on the right side.

    Args:
        input: scores.
        target: 1 or -1 for each. The shapes broadcast to `S`.

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        GraphError: if the target would want a gradient.
        ArgumentError: for another reduction.

    Example:
        >>> soft_margin_loss(tensor([0.0, 2.0]), tensor([1.0, 1.0]))
        tensor(0.4100)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.soft_margin_loss.html
    """
    _check_constant("soft_margin_loss", "target", target)
    return (-target * input).exp().log1p()


@loss(refusal="is not valid")
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None
) -> Tensor:
    """Binary cross-entropy of the scores of several labels, and its mean over them.

    Args:
        input: scores of shape `(…, C)`.
        target: 1 for the labels that are right, 0 for others: of the same shape.
        weight: of each label, shape `(C,)`.

    Returns:
        A 0-d tensor; of shape `(…)` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction.

    Example:
        >>> multilabel_soft_margin_loss(tensor([[0.0, 0.0]]), tensor([[1.0, 0.0]]))
        tensor(0.6931)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_soft_margin_loss.html
    """
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    return losses.sum(-1) / input.shape[-1]


@loss()
def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """By how much the scores of wrong classes come too close to that of the right one.

    Args:
        input: scores of shape `(N, C)` or `(C,)`.
        target: int64 class indices of shape `(N,)`, or `()`.
        p: 1, or 2 for squares.
        margin: how much larger the score of the right class should be.
        weight: of each class, shape `(C,)`.

    Returns:
        A 0-d tensor; of the shape of `target` for "none".

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if `target` has no int64 indices.
        ArgumentError: for another reduction or `p`, and for weights that are not 1-D.

    Example:
        >>> multi_margin_loss(tensor([[0.5, 1.0]]), tensor([1]))
        tensor(0.2500)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.multi_margin_loss.html
    """
    check.choice("only p == 1 and p == 2 supported, got {}", p, (1, 2), "Write one of them.")
    if weight is not None:
        said, why = "weight must be one-dimensional, got the shape {shape}", "Each class has one."
        check.ndim(said, weight, (1,), why + " Write `weight.reshape(-1)`.", errors.ArgumentError)
    classes = _count_of_classes(input)
    rows = input.reshape(-1, classes)
    if target.numel() != rows.shape[0] or target.ndim > 1:
        raise errors.ShapeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{rows.shape[0]}], got "
            f"{list(target.shape)}. Each example has one target. Cut one of them."
        )
    why = "A target is the index of a class. Write `target.long()`."
    check.dtype("expected scalar type Long but found {name}", target, ("int64",), why)
    if weight is not None and weight.shape[0] != classes:
        raise errors.ShapeError(
            f"inconsistent weight size, expected {classes} but got {list(weight.shape)}. Each "
            "class has one. Give as many."
        )
    at = target.reshape(-1, 1)
    lacking = (margin - rows.gather(1, at) + rows).clamp_min(0) ** p
    if weight is not None:
        lacking = lacking * weight[at]
    losses = lacking.scatter(1, at, 0.0).sum(1) / classes
    return losses.reshape(target.shape if input.ndim == 2 else ())


@loss()
def multilabel_margin_loss(input: Tensor, target: Tensor) -> Tensor:
    """By how much the scores of wrong classes come too close to those of the right ones.

    Args:
        input: scores of shape `(N, C)` or `(C,)`.
        target: int64 indices of the right classes, of the same shape: those in front of a -1.

    Returns:
        A 0-d tensor; of shape `(N,)` for "none" and a batch.

    Raises:
        ShapeError: if the shapes do not fit.
        ArgumentError: for another reduction.

    Example:
        >>> multilabel_margin_loss(tensor([[0.5, 1.0]]), tensor([[1, -1]]))
        tensor(0.2500)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_margin_loss.html
    """
    classes = _count_of_classes(input)
    said = "inconsistent target size: {} for input of size: {}"
    check.equal(said, target.shape, input.shape, "Fill the rows up with -1.")
    said = "expected scalar type Long but found {name}"
    check.dtype(said, target, "i", "A target holds indices of classes. Write `target.long()`.")
    rows, wanted = [x.reshape(-1, classes) for x in (input, target)]
    is_listed = (wanted >= 0).long().cumprod(1)  # in front of the first -1
    at = wanted * is_listed
    is_right = (at * 0).scatter_reduce(1, at, is_listed, "amax")
    lacking = (1 - rows.gather(1, at).unsqueeze(2) + rows.unsqueeze(1)).clamp_min(0)
    counts = is_listed.unsqueeze(2) * (1 - is_right).unsqueeze(1)
    losses = (lacking * counts).sum((1, 2)) / classes
    return losses if input.ndim == 2 else losses.reshape(())


def _count_of_classes(input: Tensor) -> int:
    classes = input.shape[-1] if input.ndim else 1
    if input.ndim > 2 or not classes:
        raise errors.ShapeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(input.shape)}. Classes lie along the last dim. Give the shape (N, C) or (C,)."
        )
    return classes


# Sequences ---------------------------------------------------------------------------------------

# Note [Spelling forwards and backwards]
# Signs are the labels of a target with a blank around each. Step by step, alpha[t, n, s] is ln of
# the probability to have spelt the first signs, and to be at sign s. From the other end, beta is
# the same of what is still to be spelt: it is alpha, of outputs and signs that are read backwards.
# Their product without one of the two emissions, which both have, is the probability of all ways
# through s at step t. Its share of the whole is what the loss falls with, if that emission rises.

NEVER = -1e30  # the log of a probability of 0: finite, so that differences of two are no nan


class CtcLoss(Transposed):
    """zₙ = −ln Σₖ exp Σₜ x[t, n, kₜ]        x̄ₜₙⱼ = z̄ₙ·(exp xₜₙⱼ − Σₛ gₜₙₛ·[qₙₛ = j])
    gₜₙₛ = exp(αₜₙₛ + βₜₙₛ − x[t, n, qₙₛ] + zₙ),  x = log_probs,  q = signs

    Each k is a way to spell the target n. The first part of the gradient vanishes behind a
    log_softmax, and PyTorch has it as if x came from there.
    """

    saves = ("log_probs",)
    promotes = None
    differentiates = slice(1)
    keeps_index = True

    @staticmethod
    def forward(log_probs, signs, lasts, sizes, *, zero_infinity):
        steps = np.arange(log_probs.shape[0], like=array_of(log_probs))[:, None]
        alpha = _alpha(_read(log_probs, steps, signs), signs)
        ln_p = _spelt(alpha, lasts, sizes)
        losses = np.where(_is_possible(ln_p, lasts), -ln_p, 0 if zero_infinity else math.inf)
        return np.where((lasts == 0) & (sizes == 0), 0, losses)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.target = inputs[1:]

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        signs, lasts, sizes = ctx.target
        never = 0 if ctx.zero_infinity else math.nan
        return _slopes(x, signs, lasts, sizes, never) * grad[:, None]

    @classmethod
    def vmap(cls, info, in_dims, *values, zero_infinity):
        """The sequences of all examples side by side."""
        x, signs, lasts, sizes = batch_all(info, in_dims, values)
        x = np.moveaxis(x, 0, 1)
        x = x.reshape(x.shape[0], x.shape[1] * x.shape[2], x.shape[3])
        numbers = signs.reshape(-1, signs.shape[2]), lasts.reshape(-1), sizes.reshape(-1)
        return cls.apply(x, *numbers, zero_infinity=zero_infinity).reshape(lasts.shape)


def _read(x: Any, steps: Any, places: Any) -> Any:
    """x[t, n, k] for each n at steps and places of its own; no less than NEVER."""
    _, count, size = x.shape
    rows = steps * count + np.arange(count, like=array_of(x))
    return np.maximum(x.reshape(-1)[(rows * size)[..., None] + places], NEVER)


def _alpha(emitted: Any, signs: Any) -> Any:
    """The alpha of Note [Spelling forwards and backwards], `(T, N, S)` as what is emitted."""
    blank, like = signs[:, :1], zeros_like(emitted, ())
    before = np.concatenate([blank, blank, signs], axis=1)[:, :-2]
    # A blank between two labels that differ may be left out.
    jump = np.where((signs != before) & (signs != blank), like, NEVER)
    never = np.full((signs.shape[0], 2), NEVER, like.dtype, like=like)
    alphas = [np.where(np.arange(signs.shape[1], like=like) < 2, emitted[0], NEVER)]
    for step in range(1, emitted.shape[0]):
        moved = np.concatenate([never, alphas[-1]], axis=1)
        ways = np.logaddexp(np.logaddexp(alphas[-1], moved[:, 1:-1]), moved[:, :-2] + jump)
        alphas.append(ways + emitted[step])
    return np.stack(alphas)


def _spelt(alpha: Any, lasts: Any, sizes: Any) -> Any:
    """The ln of the probability of each target: at its last label, or at the blank behind."""
    ends = np.stack([2 * sizes, np.maximum(2 * sizes - 1, 0)], axis=1)
    last = _read(alpha, np.maximum(lasts - 1, 0), ends)
    return np.logaddexp(last[:, 0], np.where(sizes > 0, last[:, 1], NEVER))


def _is_possible(ln_p: Any, lasts: Any) -> Any:
    return ~(ln_p <= NEVER / 2) & (lasts > 0)  # nan is not hidden


def _slopes(x: Any, signs: Any, lasts: Any, sizes: Any, never: float) -> Any:
    """What a change of x does to the losses: alpha and beta in one go, as if of 2·N sequences.

    To a loss that is inf it does what `never` says.
    """
    (length, count, _), size, like = x.shape, signs.shape[1], array_of(x)
    steps, numbers, ranks = [np.arange(n, like=like) for n in (length, count, size)]
    steps = steps[:, None]
    last_first = np.maximum(lasts - 1 - steps, 0)
    turned = np.maximum(2 * sizes[:, None] - ranks, 0)
    turned_signs = signs[numbers[:, None], turned]
    emitted = _read(x, steps, signs)
    read_backwards = _read(x, last_first, turned_signs)
    both = _alpha(
        np.concatenate([emitted, read_backwards], axis=1), np.concatenate([signs, turned_signs])
    )
    alpha, beta = both[:, :count], _read(both[:, count:], last_first, turned)
    ln_p = _spelt(alpha, lasts, sizes)
    is_read, is_possible = steps < lasts, _is_possible(ln_p, lasts)
    counts = is_read & is_possible
    is_there = counts[..., None] & (ranks <= 2 * sizes[:, None])
    shares = np.exp(np.where(is_there, alpha + beta - emitted - ln_p[:, None], NEVER))
    labels = np.broadcast_to(signs, shares.shape)
    emissions = run(ScatterAdd, zeros_like(x, x.shape), shares, labels, dim=2)
    others = np.where(is_read & ~is_possible, never, 0)
    return np.where(counts[..., None], np.exp(x) - emissions, others[..., None])


@loss(flags=False)
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    *,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """-ln of the probability that a sequence of outputs spells its target (CTC).

    An output spells a target if that is left when repeats are merged and blanks taken out. The
    sum over all such outputs goes step by step: `alpha[:, s]` is ln of the probability to have
    spelt the first `s` signs, where the signs are the labels with a blank around each.

    Args:
        log_probs: ln of the probabilities of `C` labels, shape `(T, N, C)`, or `(T, C)` of one.
        targets: labels, of shape `(N, S)`, or all in one row.
        input_lengths, target_lengths: how much of each counts; N numbers each.
        blank: the label that stands for none.
        reduction: "mean" of the losses, each divided by the length of its target; "sum"; "none".
        zero_infinity: whether targets that no output can spell have the loss 0, instead of inf.

    Returns:
        A 0-d tensor; with "none" a loss for each sequence. As PyTorch's, the gradient is that of
        numbers which a log_softmax makes `log_probs` of.

    Raises:
        ArgumentError: for another reduction.
        ShapeError: if shapes and lengths do not fit together, or there is no label `blank`.
        DTypeError: if lengths or targets are no integers.

    Example:
        >>> ctc_loss(tensor([[0.5, 0.5]] * 2).log(), tensor([1]), [2], [1])
        tensor(0.2877)

    See also: Graves et al., *Connectionist Temporal Classification*, 2006.
    """
    is_one = log_probs.ndim == 2
    if is_one:
        log_probs, targets = log_probs.unsqueeze(1), targets.reshape(1, -1)
        input_lengths, target_lengths = [
            as_tensor(lengths).reshape(-1) for lengths in (input_lengths, target_lengths)
        ]
    steps, count, labels = log_probs.shape
    if not 0 <= blank < labels:
        raise errors.ShapeError(
            f"blank must be in label range, got {blank} of {labels} labels. It stands for none of "
            "the others. Write a number from 0 up that is below that."
        )
    lasts = _lengths("input_lengths", input_lengths, count, steps)
    sizes = _lengths("target_lengths", target_lengths, count, None)
    given = [_signs(targets, sizes, blank), lasts, sizes]
    numbers = [as_tensor(each, device=log_probs.device) for each in given]
    losses = CtcLoss.apply(log_probs, *numbers, zero_infinity=zero_infinity)
    if reduction == "mean":
        return (losses / numbers[-1].clamp_min(1)).mean()
    losses = of_all(losses, reduction)
    return losses.squeeze(0) if is_one and reduction == "none" else losses


def _lengths(name: str, given: Tensor | Sequence[int], count: int, most: int | None) -> Any:
    """The lengths as an array."""
    lengths = asnumpy(seen(given)) if isinstance(given, Tensor) else np.asarray(given)
    check.dtype(f"{name} must be integral, got {{dtype}}", lengths, "iu", "Write `x.long()`.")
    if lengths.shape != (count,):
        raise errors.ShapeError(
            f"{name} must be of size batch_size, got the shape {lengths.shape} for {count} "
            "sequences. Write one number for each."
        )
    if count and lengths.min() < 0:
        raise errors.ShapeError(
            f"Expected {name} to have value at least 0, but got value {lengths.min()}. They count "
            "steps or labels."
        )
    if most is not None and count and lengths.max() > most:
        raise errors.ShapeError(
            f"Expected {name} to have value at most {most}, but got value {lengths.max()}. There "
            "are no more steps."
        )
    return lengths


def _signs(targets: Tensor, sizes: Any, blank: int) -> Any:
    """The labels of each target with blanks around them, blanks behind its end too."""
    given = asnumpy(seen(targets)).astype(np.int64)
    said = "Expected 1 to 2 dimensions, but got {ndim}-dimensional tensor for argument #2 'targets'"
    check.ndim(said, given, (1, 2), "Write a row for each sequence, or all labels in one row.")
    longest = int(sizes.max(initial=0))
    wanted = (int(sizes.sum()),) if given.ndim == 1 else (len(sizes), max(longest, given.shape[1]))
    for dim, (size, found) in enumerate(zip(wanted, given.shape, strict=True)):
        if size != found:
            least = "at least " if dim else ""
            raise errors.ShapeError(
                f"Expected tensor to have size {least}{longest if dim else size} at dimension "
                f"{dim}, but got size {found} for argument #2 'targets'. The lengths say how many "
                "labels there are."
            )
    is_label = np.arange(longest) < sizes[:, None]
    labels = np.full((len(sizes), longest), blank)
    labels[is_label] = given if given.ndim == 1 else given[:, :longest][is_label]
    signs = np.full((len(sizes), 2 * longest + 1), blank)
    signs[:, 1::2] = labels
    return signs
