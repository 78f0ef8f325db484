"""`Rprop`: only the signs of the gradients count."""

from dataclasses import KW_ONLY, InitVar
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor

from .optimizer import Group, Optimizer, Params, State, with_options


@with_options
class Rprop(Optimizer):
    r"""Resilient propagation: a step size for each number, that grows while the sign stays.

        η ← η·η₊  if g has the sign it had,   η·η₋ if it has the other (and g ← 0)
        η within step_sizes
        p ← p - η·sign g

    Args:
        params: tensors to move, or groups with options of their own.
        lr: the first step size.
        etas: (η₋, η₊).
        step_sizes: the smallest and the largest step.
        capturable, foreach: as in PyTorch on a CPU.
        maximize: climb instead.
        differentiable: record the step.

    Raises:
        ArgumentError: for a negative step size, or factors that are not on both sides of 1.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = Rprop([x], lr=0.1)
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        2.9

    See also: Riedmiller and Braun, *A Direct Adaptive Method for Faster Backpropagation* (1993).
    """

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1e-2
    etas: InitVar[tuple[float, float]] = (0.5, 1.2)
    step_sizes: InitVar[tuple[float, float]] = (1e-6, 50)
    _: KW_ONLY
    capturable: InitVar[bool] = False
    foreach: InitVar[bool | None] = None
    maximize: InitVar[bool] = False
    differentiable: InitVar[bool] = False
    _order = ("lr", "etas", "step_sizes", "foreach", "maximize", "differentiable")

    def _completed(self, options: Group) -> Group:
        etas = options["etas"]
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ArgumentError(
                f"Invalid eta values: {etas[0]}, {etas[1]}. One shrinks a step, one lets it grow. "
                "Write a number from 0 to 1, and one above 1."
            )
        return options

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        state.count()
        shrink, grow = group["etas"]
        before = state.buffer("prev")
        size = state.buffer("step_size", group["lr"])
        agreement = grad * before
        factor = np.where(agreement > 0, grow, np.where(agreement < 0, shrink, 1.0))
        size[...] = np.clip(size * factor, *group["step_sizes"])
        grad = np.where(agreement < 0, 0.0, grad)
        x -= size * np.sign(grad)
        before[...] = grad
