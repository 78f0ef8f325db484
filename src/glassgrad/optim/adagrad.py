"""`Adagrad`, `RMSprop`, `Adadelta`: steps divided by how large the gradients have been."""

from dataclasses import KW_ONLY, InitVar
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import _checks as check

from .optimizer import Group, Optimizer, Params, State, decayed, with_options


@with_options
class Adagrad(Optimizer):
    r"""Divide by the root of the sum of all squared gradients.

        g ← grad + weight_decay·p
        s ← s + g²
        p ← p - lr/(1 + (t - 1)·lr_decay)·g / (√s + ε)

    Args:
        params: tensors to move, or groups with options of their own.
        lr: the step size.
        lr_decay: how fast the step size shrinks.
        weight_decay: pulls every parameter towards 0.
        initial_accumulator_value: where s begins.
        eps: ε keeps the quotient finite.
        maximize: climb instead.
        foreach, fused: other ways in which PyTorch computes the same; they change nothing here.
        differentiable: record the step.

    Raises:
        ArgumentError: for a negative option.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = Adagrad([x], lr=0.1)
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        2.9

    See also: Duchi et al., *Adaptive Subgradient Methods for Online Learning* (2011).
    """

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1e-2
    lr_decay: InitVar[float] = 0
    weight_decay: InitVar[float] = 0
    initial_accumulator_value: InitVar[float] = 0
    eps: InitVar[float] = 1e-10
    foreach: InitVar[bool | None] = None
    _: KW_ONLY
    maximize: InitVar[bool] = False
    differentiable: InitVar[bool] = False
    fused: InitVar[bool | None] = None
    _not_negative = (*Optimizer._not_negative, "lr_decay", "initial_accumulator_value")

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters; what is remembered of them is there before the first step."""
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        for param in group["params"]:
            state = State(param, self.state[param], on_arrays=True)
            state.number("step")
            state.buffer("sum", group["initial_accumulator_value"])

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        step = state.count()
        grad = decayed(x, grad, group)
        total = state.buffer("sum", group["initial_accumulator_value"])
        total += grad * grad
        scale = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        x -= scale * (grad / (np.sqrt(total) + group["eps"]))


@with_options
class RMSprop(Optimizer):
    r"""Divide by the root of a running mean of squared gradients.

        g ← grad + weight_decay·p
        s ← alpha·s + (1 - alpha)·g²
        a ← alpha·a + (1 - alpha)·g                 (centered: s - a² in the place of s)
        v ← momentum·v + g / (√s + ε)
        p ← p - lr·v

    Args:
        params: tensors to move, or groups with options of their own.
        lr: the step size.
        alpha: how slowly s forgets.
        eps: ε keeps the quotient finite.
        weight_decay: pulls every parameter towards 0.
        momentum: how much of the last step to keep.
        centered: divide by the standard deviation of the gradients.
        maximize: climb instead.
        foreach, capturable: as in PyTorch on a CPU.
        differentiable: record the step.

    Raises:
        ArgumentError: for a negative option.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = RMSprop([x], lr=0.01)
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        2.9

    See also: Hinton's sixth lecture on neural networks for machine learning (2012).
    """

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1e-2
    alpha: InitVar[float] = 0.99
    eps: InitVar[float] = 1e-8
    weight_decay: InitVar[float] = 0
    momentum: InitVar[float] = 0
    centered: InitVar[bool] = False
    capturable: InitVar[bool] = False
    foreach: InitVar[bool | None] = None
    maximize: InitVar[bool] = False
    differentiable: InitVar[bool] = False
    _not_negative = (*Optimizer._not_negative, "alpha")

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        state.count()
        alpha = group["alpha"]
        grad = decayed(x, grad, group)
        square = state.buffer("square_avg")
        square *= alpha
        square += (1 - alpha) * (grad * grad)
        if group["centered"]:
            mean = state.buffer("grad_avg")
            mean += (1 - alpha) * (grad - mean)
            square = square - mean * mean
        grad = grad / (np.sqrt(square) + group["eps"])
        if group["momentum"] > 0:
            velocity = state.buffer("momentum_buffer")
            velocity *= group["momentum"]
            velocity += grad
            grad = velocity
        x -= group["lr"] * grad


@with_options
class Adadelta(Optimizer):
    r"""Steps in the units of the parameter: mean steps divided by mean gradients.

        g ← grad + weight_decay·p
        s ← rho·s + (1 - rho)·g²
        d = √(u + ε) / √(s + ε)·g
        u ← rho·u + (1 - rho)·d²
        p ← p - lr·d

    Args:
        params: tensors to move, or groups with options of their own.
        lr: scales the step.
        rho: how slowly s and u forget.
        eps: ε keeps the quotient finite, and lets the first step begin.
        weight_decay: pulls every parameter towards 0.
        maximize: climb instead.
        foreach, capturable: as in PyTorch on a CPU.
        differentiable: record the step.

    Raises:
        ArgumentError: for a negative option, or `rho` above 1.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = Adadelta([x])
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        2.9968

    See also: Zeiler, *ADADELTA: An Adaptive Learning Rate Method* (2012).
    """

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1.0
    rho: InitVar[float] = 0.9
    eps: InitVar[float] = 1e-6
    weight_decay: InitVar[float] = 0
    foreach: InitVar[bool | None] = None
    _: KW_ONLY
    capturable: InitVar[bool] = False
    maximize: InitVar[bool] = False
    differentiable: InitVar[bool] = False

    def _completed(self, options: Group) -> Group:
        why = "It is the share of the old average that is kept. Write a number from 0 to 1."
        check.within("Invalid rho value: {}", options["rho"], 0.0, 1.0, why, ArgumentError)
        return options

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        state.count()
        rho, eps = group["rho"], group["eps"]
        grad = decayed(x, grad, group)
        square, moved = state.buffer("square_avg"), state.buffer("acc_delta")
        square *= rho
        square += (1 - rho) * (grad * grad)
        delta = np.sqrt(moved + eps) / np.sqrt(square + eps) * grad
        moved *= rho
        moved += (1 - rho) * (delta * delta)
        x -= group["lr"] * delta
