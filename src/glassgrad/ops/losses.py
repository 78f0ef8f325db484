"""Losses of elements, and how losses become one: squares, binary cross-entropy."""

import math
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DTypeError, GraphError, ShapeError
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.values.layers import visible

from ._arguments import scalar_name
from ._families import Elementwise, batch_all, rows_of, run
from .activations import Sigmoid
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
    return total / (_count(losses.shape[is_batch:]) if count is None else count)


def share_of(grad: Any, reduction: str, count: Any) -> Any:
    """The part of the gradient that belongs to one element."""
    return grad / count if reduction == "mean" else grad


def _count(shape: tuple[int, ...]) -> float:
    return math.prod(shape) or math.nan


# Losses of elements -----------------------------------------------------------------------------


class PointwiseLoss(Elementwise):
    """A loss of each element, and then their mean, their sum or none of the two: `reduction`.

    Its operands have one shape. Forward and backward know of the reduction; the other rules follow.
    """

    saves = ("self", "target")
    broadcasts = False

    @classmethod
    def jvp(cls, ctx: Any, *tangents: Any) -> Any:
        """The tangents of the elements' losses, reduced as those are."""
        reduction, ctx.reduction = ctx.reduction, "none"
        return reduced(super().jvp(ctx, *tangents), reduction)

    @classmethod
    def vmap(cls, info: Any, in_dims: Any, *values: Any, **parameters: Any) -> Any:
        """The losses of all elements, reduced for each example."""
        losses = cls.apply(*batch_all(info, in_dims, values), **{**parameters, "reduction": "none"})
        return reduced(losses, parameters["reduction"], is_batch=True)


def check_reduction(reduction: str) -> None:
    """Raise ArgumentError for a reduction that is none."""
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(
            f"{reduction} is not a valid value for reduction. It says how many losses become one. "
            "Write 'mean', 'sum' or 'none'."
        )


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
        x_bar = (x - y) * share_of(2 * grad, ctx.reduction, _count(x.shape))
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


class WeightedLoss(PointwiseLoss):
    """A loss of each element whose last operands may be weights, which have no gradient."""

    differentiates = slice(2)
    keeps_index = True

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.weights = inputs[2:]


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
    def backward(ctx, grad):
        x, t = ctx.saved_tensors
        wants_x, wants_t = ctx.needs_input_grad
        share = share_of(grad, ctx.reduction, _count(x.shape))
        share = share * ctx.weights[0] if ctx.weights else share
        x_bar = share * (x - t) / np.maximum(x * (1 - x), _LEAST_SLOPE) if wants_x else None
        return x_bar, share * (np.log1p(-x) - np.log(x)) if wants_t else None


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: str = "mean"
) -> Tensor:
    """The cross-entropy of probabilities: `-target·log(input) - (1 - target)·log(1 - input)`.

    Args:
        input: probabilities, of shape `S`; see `binary_cross_entropy_with_logits` for scores.
        target: what was seen, from 0 to 1: shape `S`, of the same dtype.
        weight: how much each element counts: of a shape that broadcasts to `S`.
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
    check_reduction(reduction)
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
    if input.dtype.kind != "f":
        raise DTypeError(
            f"{name}() is not implemented for '{scalar_name(input.dtype)}'. Probabilities are "
            "fractions. Write `x.float()`."
        )
    _check_probabilities("input", input)
    _check_probabilities("target", target)
    return BinaryCrossEntropy.apply(input, target, *weights, reduction=reduction)


def _check_probabilities(name: str, x: Tensor) -> None:
    values = visible(x.payload)
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
    def backward(ctx, grad):
        x, t = ctx.saved_tensors
        wants_x, wants_t = ctx.needs_input_grad
        share = share_of(grad, ctx.reduction, _count(x.shape))
        if not ctx.weights:
            x_bar = share * (run(Sigmoid, x) - t) if wants_x else None
            return x_bar, share * -x if wants_t else None
        weight, positive = ctx.weights
        share = share * weight
        a = 1 + (positive - 1) * t
        x_bar = share * (1 - t - a * run(Sigmoid, -x)) if wants_x else None
        return x_bar, share * ((positive - 1) * _softplus(-x) - x) if wants_t else None


def _softplus(x: Any) -> Any:
    """`ln(1 + eˣ)`, without overflow."""
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


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
    check_reduction(reduction)
    if input.shape != target.shape:
        raise ShapeError(
            f"Target size ({tuple(target.shape)}) must be the same as input size "
            f"({tuple(input.shape)}). Each score has its answer. Write "
            "`target.reshape(input.shape)`."
        )
    for x in (input, target):
        if x.dtype.kind != "f":
            raise DTypeError(
                f"{name}() is not implemented for '{scalar_name(x.dtype)}'. Losses are fractions. "
                "Write `x.float()`."
            )
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
