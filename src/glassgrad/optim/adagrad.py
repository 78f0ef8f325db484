"""`Adagrad`, `RMSprop`, `Adadelta`, `Adafactor`: steps divided by how large gradients were."""

from dataclasses import KW_ONLY, InitVar
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import _checks as check

from .optimizer import (
    Group,
    Optimizer,
    Params,
    State,
    decayed,
    require_not_negative,
    require_real,
    with_options,
)


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
    _order = ("lr", "lr_decay", "eps")
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
    _order = ("lr", "momentum", "alpha", "eps", "centered")
    _not_negative = (*Optimizer._not_negative, "alpha")

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        state.count()
        alpha = group["alpha"]
        grad = decayed(x, grad, group)
        square = state.buffer("square_avg")
        square *= alpha
        square += (1 - alpha) * (grad * grad)
        velocity = state.buffer("momentum_buffer") if group["momentum"] > 0 else None
        if group["centered"]:
            mean = state.buffer("grad_avg")
            mean += (1 - alpha) * (grad - mean)
            square = square - mean * mean
        grad = grad / (np.sqrt(square) + group["eps"])
        if velocity is not None:
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

    _order = ("lr", "rho", "eps", "weight_decay", "maximize", "capturable")

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


@with_options
class Adafactor(Optimizer):
    r"""Divide by the root of a mean of squared gradients, of which rows and columns are kept only.

        β ← 1 - t^beta2_decay
        R ← β·R + (1 - β)·mean of g² over each row,  C likewise of each column
        V ← R·C / mean of R                         (of a vector V itself is kept)
        u ← g / max(√V, ε₁)
        p ← p - max(ε₂, rms p)·min(lr, 1/√t) / max(1, rms u / d)·u

    Args:
        params: tensors to move, or groups with options of their own.
        lr: the greatest step size, relative to the parameters.
        beta2_decay: how fast the means come to rest; at most 0.
        eps: ε₁, None for that of the dtype, and ε₂, the least size of a parameter.
        d: how large a step may be.
        weight_decay: shrinks every parameter before the step.
        foreach: another way in which PyTorch computes the same; it changes nothing here.
        maximize: climb instead.

    Raises:
        ArgumentError: for an option out of its bounds.

    Example:
        >>> x = tensor([3.0], requires_grad=True)
        >>> optimizer = Adafactor([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        2.7

    See also: Shazeer and Stern, *Adafactor: Adaptive Learning Rates with Sublinear Memory Cost*
    (2018).
    """

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1e-2
    beta2_decay: InitVar[float] = -0.8
    eps: InitVar[tuple[float | None, float]] = (None, 1e-3)
    d: InitVar[float] = 1.0
    weight_decay: InitVar[float] = 0.0
    _: KW_ONLY
    foreach: InitVar[bool | None] = None
    maximize: InitVar[bool] = False
    _not_negative = ("lr", "weight_decay")

    def _completed(self, options: Group) -> Group:
        for name, number in zip(("epsilon1", "epsilon2"), options["eps"], strict=True):
            require_not_negative(name, 0.0 if number is None else number)
        said, why = (
            "Clipping threshold d should be >= 1 but is: {}",
            "Longer steps are cut to it. Write 1.",
        )
        check.least(said, options["d"], 1, why, ArgumentError)
        if options["beta2_decay"] > 0:
            raise ArgumentError(
                f"beta2_decay should be <= 0 but is: {options['beta2_decay']}. Then the means come "
                "to rest. Write a negative number, such as -0.8."
            )
        return options

    def add_param_group(self, param_group: Group) -> None:
        """Add real parameters."""
        super().add_param_group(param_group)
        require_real(self)

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        step, lr, (least, smallest) = state.count(), group["lr"], group["eps"]
        least = np.finfo(x.dtype).eps if least is None else least
        new = step ** group["beta2_decay"]
        scale = max(smallest, _rms(x)) * min(lr, 1 / step**0.5)
        x *= 1 - lr * group["weight_decay"]
        square, shape = grad * grad, grad.shape
        if grad.ndim > 1:
            rows = state.buffer("row_var", shape=(*shape[:-1], 1))
            columns = state.buffer("col_var", shape=(*shape[:-2], 1, shape[-1]))
            rows += new * (square.mean(-1, keepdims=True) - rows)
            columns += new * (square.mean(-2, keepdims=True) - columns)
            variance = rows @ columns / np.maximum(rows.mean(-2, keepdims=True), least)
        else:
            variance = state.buffer("variance")
            variance += new * (square - variance)
        change = grad / np.sqrt(np.maximum(variance, least * least))
        x -= scale / max(1.0, _rms(change) / group["d"]) * change


def _rms(x: Any) -> float:
    return float(np.sqrt((x * x).mean()))
