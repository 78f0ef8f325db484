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
from .shape import expand


def reduce_losses(losses: Any, counts: Any, reduction: str, shape: tuple[int, ...]) -> Any:
    """The loss from those of its rows; the mean divides by the sum of `counts`, None for ones."""
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


def reduce_each(losses: Any, count: Any, reduction: str, shape: tuple[int, ...]) -> Any:
    """`reduce_losses` for each example: losses of shape `(B, R)`."""
    if reduction == "none":
        return losses.reshape(losses.shape[0], *shape)
    totals = losses.sum(axis=1)
    return totals if reduction == "sum" else totals / count


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


def check_reduction(reduction: str) -> None:
    """Raise ArgumentError for a reduction that is none."""
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(
            f"{reduction} is not a valid value for reduction. It says how many losses become one. "
            "Write 'mean', 'sum' or 'none'."
        )


class MseLoss(PointwiseLoss):
    """z = Σᵢ (xᵢ − yᵢ)²/n        x̄ᵢ = 2·z̄·(xᵢ − yᵢ)/n,  ȳᵢ = −2·z̄·(xᵢ − yᵢ)/n"""

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


_LEAST_LOG = -100.0  # PyTorch's, for the logarithm of 0: a loss stays finite
_LEAST_SLOPE = float(np.float32(1e-12))  # PyTorch's, too: x·(1 − x) may be 0


class BinaryCrossEntropy(PointwiseLoss):
    """z = −Σᵢ wᵢ·(tᵢ·ln xᵢ + (1 − tᵢ)·ln(1 − xᵢ))/n
    x̄ᵢ = z̄·wᵢ·(xᵢ − tᵢ)/(xᵢ·(1 − xᵢ))/n,  t̄ᵢ = z̄·wᵢ·ln((1 − xᵢ)/xᵢ)/n
    """

    saves = ("self", "target")
    differentiates = slice(2)
    keeps_index = True  # the weights

    @staticmethod
    def forward(x, t, *weight, reduction):
        yes, no = [np.maximum(p, _LEAST_LOG) for p in (np.log(x), np.log1p(-x))]
        losses = (t - 1) * no - t * yes
        return _reduced(losses * weight[0] if weight else losses, reduction)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.weight = inputs[2:]

    @staticmethod
    def backward(ctx, grad):
        x, t = ctx.saved_tensors
        wants_x, wants_t = ctx.needs_input_grad
        share = _share(grad, ctx, ctx.weight, x.shape)
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


class BinaryCrossEntropyWithLogits(PointwiseLoss):
    """z = Σᵢ wᵢ·((1 − tᵢ)·xᵢ + aᵢ·sᵢ)/n,  aᵢ = 1 + (pᵢ − 1)·tᵢ
    sᵢ = ln(1 + exp(−xᵢ)),  w, p = weights
    x̄ᵢ = z̄·wᵢ·(1 − tᵢ − aᵢ/(1 + exp xᵢ))/n,  t̄ᵢ = z̄·wᵢ·((pᵢ − 1)·sᵢ − xᵢ)/n
    """

    saves = ("self", "target")
    differentiates = slice(2)
    keeps_index = True  # the weights

    @staticmethod
    def forward(x, t, *weights, given, reduction):
        weight, positive = _told_apart(weights, given)
        softplus = _softplus(-x)
        if positive:
            softplus = (1 + (positive[0] - 1) * t) * softplus
        losses = (1 - t) * x + softplus
        return _reduced(losses * weight[0] if weight else losses, reduction)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.weights = inputs[2:]

    @staticmethod
    def backward(ctx, grad):
        x, t = ctx.saved_tensors
        wants_x, wants_t = ctx.needs_input_grad
        weight, positive = _told_apart(ctx.weights, ctx.given)
        share = _share(grad, ctx, weight, x.shape)
        x_bar = t_bar = None
        if wants_x and positive:
            x_bar = share * (1 - t - (1 + (positive[0] - 1) * t) * run(Sigmoid, -x))
        elif wants_x:
            x_bar = share * (run(Sigmoid, x) - t)
        if wants_t:
            t_bar = share * ((positive[0] - 1) * _softplus(-x) - x if positive else -x)
        return x_bar, t_bar


def _told_apart(weights: Any, given: tuple[str, ...]) -> tuple[Any, Any]:
    """The weights of elements, and those of the answer yes; () for what was not given."""
    at = "weight" in given
    return weights[:at], weights[at:]


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
    named = {"weight": weight, "pos_weight": pos_weight}
    weights = {
        key: _expanded(name, key, value, input) for key, value in named.items() if value is not None
    }
    return BinaryCrossEntropyWithLogits.apply(
        input, target, *weights.values(), given=tuple(weights), reduction=reduction
    )


# What both share --------------------------------------------------------------------------------


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


def _reduced(losses: Any, reduction: str) -> Any:
    if reduction == "none":
        return losses
    total = losses.sum()
    return total if reduction == "sum" else total / (math.prod(losses.shape) or math.nan)


def _share(grad: Any, ctx: Any, weight: Any, shape: tuple[int, ...]) -> Any:
    """The part of the gradient that belongs to one element, weighted."""
    share = grad / (math.prod(shape) or math.nan) if ctx.reduction == "mean" else grad
    return share * weight[0] if weight else share
