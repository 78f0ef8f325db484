"""Losses that are distances: of numbers, of distributions, of pairs and triplets, of sequences.

Squares and cross-entropies are in `losses.py`. Most of these are compositions: their gradients
follow from the ops that they are made of.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DTypeError, RangeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy

from ._arguments import scalar_name
from ._declaring import functional
from ._families import seen
from .activations import logsigmoid
from .creation import as_tensor
from .joining import stack
from .losses import (
    PointwiseLoss,
    chosen_reduction,
    count_of,
    of_all,
    paired,
    reduced,
    share_of,
    weighted_mean,
)
from .resampling import pad
from .selection import where

# Numbers -----------------------------------------------------------------------------------------


@functional()
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The distance, element by element.

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
        >>> l1_loss(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.l1_loss.html
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    input, target = paired(input, target)
    losses = (input - target).abs()
    return of_all(losses, reduction) if weight is None else weighted_mean(losses, weight, reduction)


class DifferenceLoss(PointwiseLoss):
    """A loss of differences. A subclass says what its slope is, at one of them: `slope`."""

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        wants_x, wants_y = ctx.needs_input_grad
        share = share_of(grad, ctx.reduction, count_of(x.shape))
        x_bar = ctx._forward_cls.slope(ctx, x - y) * share
        return x_bar if wants_x else None, -x_bar if wants_y else None


class SmoothL1Loss(DifferenceLoss):
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
    def slope(ctx, difference):
        near = np.abs(difference) < ctx.beta
        return np.where(near, difference / ctx.beta, np.sign(difference))


@functional(SmoothL1Loss)
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """The distance, rounded off where it is below `beta`: half the square over `beta`.

    Args:
        input, target: floating-point tensors of one shape `S`; others are broadcast, with a
            warning.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all elements, or "none".
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
    reduction = chosen_reduction(reduction, size_average, reduce)
    input, target = paired(input, target)
    if beta < 0:
        raise RangeError(
            f"smooth_l1_loss does not support negative values for beta, got {beta}. It is a "
            "distance. Write `-beta`."
        )
    if not beta:
        return of_all((input - target).abs(), reduction)
    return SmoothL1Loss.apply(input, target, reduction=reduction, beta=beta)


class HuberLoss(DifferenceLoss):
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
    def slope(ctx, difference):
        near = np.abs(difference) < ctx.delta
        return np.where(near, difference, np.sign(difference) * ctx.delta)


@functional(HuberLoss)
def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Half the square of the distance where it is below `delta`; from there on a line.

    Args:
        input, target: floating-point tensors of one shape `S`; others are broadcast, with a
            warning.
        reduction: "mean" or "sum" of all elements, or "none".
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
    reduction = chosen_reduction(reduction, None, None)
    input, target = paired(input, target)
    if delta <= 0:
        raise RangeError(
            f"huber_loss does not support non-positive values for delta, got {delta}. It is a "
            "distance. Write a positive number."
        )
    if weight is None:
        return HuberLoss.apply(input, target, reduction=reduction, delta=delta)
    losses = HuberLoss.apply(input, target, reduction="none", delta=delta)
    total = weighted_mean(losses, weight, "sum" if reduction == "mean" else reduction)
    return total / losses.numel() if reduction == "mean" else total


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
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next "
            "major release.",
            stacklevel=2,
        )
    reduction = chosen_reduction("sum" if is_batchmean else reduction, size_average, reduce)
    if log_target:
        losses = target.exp() * (target - input)
    else:
        # 0·ln 0 counts as 0.
        losses = target * where(target != 0, target, 1.0).log() - target * input
    total = of_all(losses, reduction)
    return total / input.shape[0] if is_batchmean and input.ndim else total


@functional()
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`-log` of the probability of the counts `target`, of Poisson distributions.

    Args:
        input: their expectations, or the logarithms of these.
        target: what was counted. The shapes broadcast to `S`.
        log_input: whether `input` has logarithms.
        full: add what does not depend on `input`, by Stirling's formula.
        size_average, reduce: what PyTorch had before `reduction`.
        eps: what is added to an expectation, whose logarithm is taken.
        reduction: "mean" or "sum" of all elements, or "none".

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
    reduction = chosen_reduction(reduction, size_average, reduce)
    expected, log_expected = (input.exp(), input) if log_input else (input, (input + eps).log())
    losses = expected - target * log_expected
    if full:
        stirling = target * target.log() - target + (target * (2 * math.pi)).log() * 0.5
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return of_all(losses, reduction)


@functional()
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """`-log` of the density of `target`, of normal distributions.

    Args:
        input: their means, of shape `S`.
        target: what was seen, of a shape that broadcasts to `S`.
        var: their variances: a number, or a tensor of shape `S`, of `S` without the last dim, or
            with a dim of size 1. Its gradient does not see `eps`.
        full: add what does not depend on `input` and `var`.
        eps: the least variance.
        reduction: "mean" or "sum" of all elements, or "none".

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
        raise ArgumentError(
            "var has negative entry/entries: a variance is a mean of squares. Write `var.exp()` "
            "for a network's output."
        )
    if spread.shape != input.shape:
        if spread.shape == input.shape[:-1]:
            spread = spread.unsqueeze(-1)
        elif not _has_one_of_many(spread.shape, input.shape):
            raise ArgumentError(
                f"var is of incorrect size: {tuple(spread.shape)}, for an input of "
                f"{tuple(input.shape)}. Each mean has its variance, or a row of them has one. "
                "Write `var.expand(input.shape)`."
            )
    reduction = _valid(reduction)
    bounded = spread + (spread.detach().clamp(min=eps) - spread.detach())
    losses = (bounded.log() + (input - target) ** 2 / bounded) * 0.5
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return of_all(losses, reduction)


def _has_one_of_many(few: Any, many: Any) -> bool:
    """Whether two shapes differ in one dim alone, in which the first has the size 1."""
    if len(few) != len(many):
        return False
    differing = [n for n, wanted in zip(few, many, strict=True) if n != wanted]
    return differing == [1]


def _valid(reduction: str) -> str:
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(
            f"{reduction} is not valid. A reduction says how many losses become one. Write "
            "'mean', 'sum' or 'none'."
        )
    return reduction


# Pairs and triplets ------------------------------------------------------------------------------


@functional()
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How much is missing until one score is larger than the other by a margin.

    Args:
        input1, input2: the scores.
        target: 1 where the first should be larger, -1 where the second should. The shapes
            broadcast to `S`, and have as many dims.
        margin: by how much.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all elements, or "none".

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
    reduction = chosen_reduction(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise ShapeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {tuple(input1.shape)}, input2: {tuple(input2.shape)}, target: "
            f"{tuple(target.shape)}. Each pair has its target. Write `target.unsqueeze(-1)`."
        )
    return of_all((-target * (input1 - input2) + margin).clamp_min(0), reduction)


@functional()
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """A distance where two things are alike; where they are not, what it lacks of a margin.

    Args:
        input: distances.
        target: 1 for alike, -1 for not alike. The shapes broadcast to `S`.
        margin: how far apart things should be that are not alike.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all elements, or "none".

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
    reduction = chosen_reduction(reduction, size_average, reduce)
    apart = where(target != 1, (margin - input).clamp_min(0), 0.0)
    return of_all(apart + where(target != -1, input, 0.0), reduction)


@functional()
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """What the cosine between vectors lacks of 1 where they are alike; else what is above `margin`.

    Args:
        input1, input2: vectors, of shape `(N, D)` or `(D,)`.
        target: 1 for alike, -1 for not alike; of shape `(N,)` or `()`.
        margin: from -1 to 1: how small the cosine of what is not alike should be.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all pairs, or "none".

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
    reduction = chosen_reduction(reduction, size_average, reduce)
    if target.ndim > 1:
        raise ShapeError(
            "0D or 1D target tensor expected, multi-target not supported. A pair is alike or not. "
            "Write `target.reshape(-1)`."
        )
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise ShapeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found "
            f"inputs with sizes {list(input1.shape)} and {list(input2.shape)}. Each pair of "
            "vectors has its target. Write `x.unsqueeze(0)`."
        )
    squares = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cosine = (input1 * input2).sum(-1) / squares.sqrt()
    alike = where(target == 1, 1 - cosine, 0.0)
    return of_all(alike + where(target == -1, (cosine - margin).clamp_min(0), 0.0), reduction)


@functional()
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How much is missing until something alike is nearer by a margin than something else.

    Args:
        anchor, positive, negative: vectors of shape `(…, D)`: what is compared, what is like it,
            and what is not.
        margin: by how much.
        p: the norm of the distance.
        eps: what is added to each difference: a distance of 0 has no gradient.
        swap: take the distance from `positive` to `negative`, if that is smaller.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all triplets, or "none".

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

    reduction = chosen_reduction(reduction, size_average, reduce)
    return _of_triplets(anchor, positive, negative, distance, margin, swap, reduction)


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
    return _of_triplets(anchor, positive, negative, distance, margin, swap, reduction)


def _of_triplets(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Callable[[Tensor, Tensor], Tensor],
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    if margin <= 0:
        raise ArgumentError(
            f"margin must be greater than 0, got {margin}. It is how much nearer things should be "
            "that are alike. Write a positive number."
        )
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise ShapeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
            f"{negative.ndim}D inputs. Each triplet has one of all. Write `x.unsqueeze(0)`."
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return of_all((margin + near - far).clamp_min(0), reduction)


def _norm(x: Tensor, p: float) -> Tensor:
    """The p-norm along the last dim."""
    far = x.abs()
    if p == math.inf:
        return far.amax(-1)
    return (far * far).sum(-1).sqrt() if p == 2 else far.pow(p).sum(-1).pow(1 / p)


# Margins of classes ------------------------------------------------------------------------------


@functional()
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`log(1 + exp(-target·input))`: what a score lacks of being on the right side.

    Args:
        input: scores.
        target: 1 or -1 for each. The shapes broadcast to `S`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all elements, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction.

    Example:
        >>> soft_margin_loss(tensor([0.0, 2.0]), tensor([1.0, 1.0]))
        tensor(0.4100)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.soft_margin_loss.html
    """
    reduction = chosen_reduction(reduction, size_average, reduce)
    return of_all((-target * input).exp().log1p(), reduction)


@functional()
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Binary cross-entropy of the scores of several labels, and its mean over them.

    Args:
        input: scores of shape `(…, C)`.
        target: 1 for the labels that are right, 0 for others: of the same shape.
        weight: of each label, shape `(C,)`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all examples, or "none".

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
    if size_average is not None or reduce is not None:
        reduction = chosen_reduction(reduction, size_average, reduce)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    return of_all(losses.sum(-1) / input.shape[-1], _valid(reduction))


@functional()
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """By how much the scores of wrong classes come too close to that of the right one.

    Args:
        input: scores of shape `(N, C)` or `(C,)`.
        target: int64 class indices of shape `(N,)`, or `()`.
        p: 1, or 2 for squares.
        margin: how much larger the score of the right class should be.
        weight: of each class, shape `(C,)`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all examples, or "none".

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
    reduction = chosen_reduction(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ArgumentError(f"only p == 1 and p == 2 supported, got {p}. Write one of them.")
    if weight is not None and weight.ndim != 1:
        raise ArgumentError(
            f"weight must be one-dimensional, got the shape {tuple(weight.shape)}. Each class has "
            "one. Write `weight.reshape(-1)`."
        )
    classes = _count_of_classes(input)
    rows = input.reshape(-1, classes)
    if target.numel() != rows.shape[0] or target.ndim > 1:
        raise ShapeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{rows.shape[0]}], got "
            f"{list(target.shape)}. Each example has one target. Cut one of them."
        )
    if target.dtype != np.int64:
        raise DTypeError(
            f"expected scalar type Long but found {scalar_name(target.dtype)}. A target is the "
            "index of a class. Write `target.long()`."
        )
    if weight is not None and weight.shape[0] != classes:
        raise ShapeError(
            f"inconsistent weight size, expected {classes} but got {list(weight.shape)}. Each "
            "class has one. Give as many."
        )
    at = target.reshape(-1, 1)
    lacking = (margin - rows.gather(1, at) + rows).clamp_min(0) ** p
    if weight is not None:
        lacking = lacking * weight[at]
    losses = lacking.scatter(1, at, 0.0).sum(1) / classes
    return of_all(losses.reshape(target.shape if input.ndim == 2 else ()), reduction)


@functional()
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """By how much the scores of wrong classes come too close to those of the right ones.

    Args:
        input: scores of shape `(N, C)` or `(C,)`.
        target: int64 indices of the right classes, of the same shape: those in front of a -1.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all examples, or "none".

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
    reduction = chosen_reduction(reduction, size_average, reduce)
    classes = _count_of_classes(input)
    if target.shape != input.shape:
        raise ShapeError(
            f"inconsistent target size: {list(target.shape)} for input of size: "
            f"{list(input.shape)}. Fill the rows up with -1."
        )
    rows, wanted = [x.reshape(-1, classes) for x in (input, target)]
    is_listed = (wanted >= 0).long().cumprod(1)  # in front of the first -1
    at = wanted * is_listed
    is_right = (at * 0).scatter_reduce(1, at, is_listed, "amax")
    lacking = (1 - rows.gather(1, at).unsqueeze(2) + rows.unsqueeze(1)).clamp_min(0)
    counts = is_listed.unsqueeze(2) * (1 - is_right).unsqueeze(1)
    losses = (lacking * counts).sum((1, 2)) / classes
    return of_all(losses if input.ndim == 2 else losses.reshape(()), reduction)


def _count_of_classes(input: Tensor) -> int:
    classes = input.shape[-1] if input.ndim else 1
    if input.ndim > 2 or not classes:
        raise ShapeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(input.shape)}. Classes lie along the last dim. Give the shape (N, C) or (C,)."
        )
    return classes


# Sequences ---------------------------------------------------------------------------------------

NEVER = -1e30  # the log of a probability of 0: finite, so that differences of two are no nan


@functional()
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
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
    reduction = chosen_reduction(reduction, None, None)
    if log_probs.ndim == 2:
        losses = ctc_loss(
            log_probs.unsqueeze(1),
            targets.reshape(1, -1),
            as_tensor(input_lengths).reshape(-1),
            as_tensor(target_lengths).reshape(-1),
            blank,
            reduction,
            zero_infinity,
        )
        return losses.squeeze(0) if reduction == "none" else losses
    steps, count, labels = log_probs.shape
    if not 0 <= blank < labels:
        raise ShapeError(
            f"blank must be in label range, got {blank} of {labels} labels. It stands for none of "
            "the others. Write a number from 0 up that is below that."
        )
    lasts = _lengths("input_lengths", input_lengths, count, steps)
    sizes = _lengths("target_lengths", target_lengths, count, None)
    signs = _signs(targets, sizes, blank)
    device = log_probs.device
    places = as_tensor(signs, device=device)
    emitted = log_probs.gather(2, places.expand(steps, *places.shape))
    jumps = np.zeros(signs.shape, dtype=bool)  # over a blank, between two labels that differ
    jumps[:, 2:] = (signs[:, 2:] != signs[:, :-2]) & (signs[:, 2:] != blank)
    may_jump = as_tensor(jumps, device=device)
    start = as_tensor(np.arange(signs.shape[1]) < 2, device=device)
    alpha = where(start, emitted[0], NEVER)
    for step in range(1, steps):
        padded = pad(alpha, (2, 0), value=NEVER)
        ways = [alpha, padded[:, 1:-1], where(may_jump, padded[:, :-2], NEVER)]
        goes_on = as_tensor(step < lasts[:, None], device=device)
        alpha = where(goes_on, stack(ways).logsumexp(0) + emitted[step], alpha)
    ends = np.stack([2 * sizes, np.maximum(2 * sizes - 1, 0)], axis=1)
    is_end = np.stack([sizes >= 0, sizes > 0], axis=1)
    alpha = where(
        as_tensor(is_end, device=device), alpha.gather(1, as_tensor(ends, device=device)), NEVER
    )
    losses = -alpha.logsumexp(1)
    counts = as_tensor(np.arange(steps)[:, None, None] < lasts[:, None], device=device)
    mass = where(counts, log_probs.exp(), 0.0).sum((0, 2))
    losses = losses + (mass - mass.detach())  # its gradient vanishes behind a log_softmax
    nothing = as_tensor((lasts == 0) & (sizes == 0), device=device)
    unheard = as_tensor((lasts == 0) & (sizes > 0), device=device)
    impossible = (losses.detach() > -NEVER / 2).logical_or(unheard)
    losses = where(impossible, 0.0 if zero_infinity else math.inf, losses)
    losses = where(nothing, 0.0, losses)
    if reduction == "mean":
        return (losses / as_tensor(np.maximum(sizes, 1), device=device)).mean()
    return of_all(losses, reduction)


def _lengths(name: str, given: Tensor | Sequence[int], count: int, most: int | None) -> Any:
    """The lengths as an array."""
    lengths = asnumpy(seen(given)) if isinstance(given, Tensor) else np.asarray(given)
    if lengths.dtype.kind not in "iu":
        raise DTypeError(f"{name} must be integral, got {lengths.dtype}. Write `x.long()`.")
    if lengths.shape != (count,):
        raise ShapeError(
            f"{name} must be of size batch_size, got the shape {lengths.shape} for {count} "
            "sequences. Write one number for each."
        )
    if count and lengths.min() < 0:
        raise ShapeError(
            f"Expected {name} to have value at least 0, but got value {lengths.min()}. They count "
            "steps or labels."
        )
    if most is not None and count and lengths.max() > most:
        raise ShapeError(
            f"Expected {name} to have value at most {most}, but got value {lengths.max()}. There "
            "are no more steps."
        )
    return lengths


def _signs(targets: Tensor, sizes: Any, blank: int) -> Any:
    """The labels of each target with blanks around them, blanks behind its end too."""
    given = asnumpy(seen(targets)).astype(np.int64)
    if given.ndim not in (1, 2):
        raise ShapeError(
            f"Expected 1 to 2 dimensions, but got {given.ndim}-dimensional tensor for argument #2 "
            "'targets'. Write a row for each sequence, or all labels in one row."
        )
    longest = int(sizes.max(initial=0))
    wanted = (int(sizes.sum()),) if given.ndim == 1 else (len(sizes), max(longest, given.shape[1]))
    for dim, (size, found) in enumerate(zip(wanted, given.shape, strict=True)):
        if size != found:
            least = "at least " if dim else ""
            raise ShapeError(
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
