"""Habits of a good backward rule, which its right values do not show.

Zero for a zero gradient, no stumbling over a gradient that is missing, and the same for many
gradients at once as for one after the other.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from glassgrad.autograd._compare import SEED, differentiable_among
from glassgrad.autograd._differences import call
from glassgrad.core.backward import grad
from glassgrad.core.errors import GradcheckError
from glassgrad.core.function import Function
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import asnumpy, backend_of

__all__ = ["Habits", "check_habits", "random_like"]


class Habits(NamedTuple):
    """Which habits are looked at.

    Attributes:
        masked: zeros are compared with a tolerance.
        undefined: missing gradients are tried.
        batched: several gradients at once are tried.
    """

    masked: bool
    undefined: bool
    batched: bool


def check_habits(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    outputs: Sequence[Tensor],
    habits: Habits,
) -> None:
    """Raise GradcheckError for a bad one.

    Args:
        outputs: what `func` returned for `inputs`.
    """
    leaves = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    differentiable = differentiable_among(outputs)
    if habits.batched:
        for number, output in enumerate(differentiable):
            _check_batched(number, output, leaves)
    _check_zero_in_zero_out(differentiable, leaves, habits.masked)
    if habits.undefined:
        _check_undefined(func, inputs, leaves)


def random_like(tensor: Tensor, random: "np.random.Generator", *lead: int) -> Any:
    """An array in [-1, 1) like that of `tensor`, with the dims `lead` in front."""
    shape = (*lead, *tensor.shape)
    values = random.uniform(-1, 1, shape)
    if tensor.dtype.kind == "c":
        values = values + 1j * random.uniform(-1, 1, shape)
    return backend_of(tensor.payload).asarray(values.astype(tensor.dtype))


def _check_batched(number: int, output: Tensor, leaves: Sequence[Tensor]) -> None:
    """Two gradients in one batched pass give what they give one after the other."""
    seeds = wrap(random_like(output, np.random.default_rng(SEED), 2))
    singly = [grad(output, leaves, seed, retain_graph=True, allow_unused=True) for seed in seeds]
    try:
        together = grad(
            output, leaves, seeds, retain_graph=True, allow_unused=True, is_grads_batched=True
        )
    except RuntimeError as error:
        raise GradcheckError(
            f"While computing batched gradients, got: {error}\n{_BATCHED_MEANS}"
        ) from error
    for place, (batch, ones) in enumerate(zip(together, zip(*singly, strict=True), strict=True)):
        for row, one in enumerate(ones):
            found = 0.0 if batch is None else asnumpy(batch.payload)[row]
            expected = 0.0 if one is None else asnumpy(one.payload)
            if not np.allclose(found, expected):
                raise GradcheckError(
                    f"For output {number} and input {place}: the batched gradient is {found} "
                    f"where the gradient computed by itself is {expected}. {_BATCHED_MEANS}"
                )


_BATCHED_MEANS = (
    "gradcheck or gradgradcheck failed while testing batched gradient computation: a backward rule "
    "is run for several gradients at once. Write it with differentiable ops and nothing random, or "
    "pass check_batched_grad=False."
)


def _check_zero_in_zero_out(
    outputs: Sequence[Tensor], leaves: Sequence[Tensor], masked: bool
) -> None:
    """Backward is linear: zero gradients of the outputs give zero gradients of the inputs."""
    zeros = [_zeros(output) for output in outputs]
    found = grad(outputs, leaves, zeros, retain_graph=True, allow_unused=True)
    for place, (gradient, leaf) in enumerate(zip(found, leaves, strict=True)):
        if gradient is None:
            continue
        values = asnumpy(gradient.payload)
        if not (np.allclose(values, 0) if masked else (values == 0).all()):
            raise GradcheckError(
                f"backward not multiplied by grad_output: with zero gradients of all outputs, "
                f"that of input {place} is {gradient}. A backward rule is linear in the gradient "
                "it is given. Multiply by it."
            )
        for what in ("dtype", "device", "shape"):
            if getattr(gradient, what) != getattr(leaf, what):
                raise GradcheckError(
                    f"grad is incorrect {what}: {getattr(gradient, what)} for input {place} of "
                    f"{what} {getattr(leaf, what)}. They must be the same."
                )


def _zeros(like: Tensor) -> Tensor:
    return wrap(backend_of(like.payload).xp.zeros(tuple(like.shape), like.dtype))


class _UndefinedGrad(Function):
    """Hands its input on, and no gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return wrap(x.payload)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> None:
        return None


def _check_undefined(
    func: Callable[..., Any], inputs: tuple[Any, ...], leaves: Sequence[Tensor]
) -> None:
    """A rule gets None where no gradient arrived: at all outputs, and at each one alone."""
    count = len(differentiable_among(call(func, inputs)))
    for missing in (None, *(range(count) if count > 1 else ())):
        outputs = [
            _UndefinedGrad.apply(output) if missing in (None, nr) else output
            for nr, output in enumerate(differentiable_among(call(func, inputs)))
        ]
        which = "all outputs are" if missing is None else f"output {missing} is"
        try:
            zeros = [_zeros(output) for output in outputs]
            found = grad(outputs, leaves, zeros, allow_unused=True)
        except RuntimeError as error:
            _warn_undefined()
            raise GradcheckError(
                "Expected backward function to handle undefined output grads: it raised "
                f"{type(error).__name__} when the gradients of {which} None. Take None as zero."
            ) from error
        for place, gradient in enumerate(found):
            if gradient is not None and (asnumpy(gradient.payload) != 0).any():
                _warn_undefined()
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are "
                    f"undefined or zero, but that of input {place} is {gradient} when the "
                    f"gradients of {which} None. Take None as zero."
                )


def _warn_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by "
        "default. Where gradients are never missing, write `check_undefined_grad=False`.",
        UserWarning,
        stacklevel=5,
    )
