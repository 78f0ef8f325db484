"""The targets of a classification loss: what they must look like."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DimError, DTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops._families import is_batched
from glassgrad.ops._reduce import array_of
from glassgrad.ops._texts import scalar_name
from glassgrad.values.backend import asnumpy
from glassgrad.values.layers import visible

__all__ = [
    "check_indices",
    "check_probabilities",
    "check_range",
    "check_reduction",
    "check_weight",
]


def check_reduction(reduction: str) -> None:
    """Raise ArgumentError for a reduction that is none."""
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(
            f"{reduction} is not a valid value for reduction. It says how many losses become one. "
            "Write 'mean', 'sum' or 'none'."
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
