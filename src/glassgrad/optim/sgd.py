"""`SGD`: steps down the gradient, with momentum if wanted; `ASGD`: the average of such a path."""

from dataclasses import KW_ONLY, InitVar
from typing import Any

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor

from .optimizer import Group, Optimizer, Params, State, decayed, with_options


@with_options
class SGD(Optimizer):
    r"""Stochastic gradient descent.

        g ← grad + weight_decay·p
        v ← momentum·v + (1 - dampening)·g          (v = g at the first step)
        p ← p - lr·v                                (with nesterov: p - lr·(g + momentum·v))

    Args:
        params: tensors to move, or groups with options of their own.
        lr: the step size.
        momentum: how much of the last step to keep.
        dampening: how much of the new gradient to leave out of the momentum.
        weight_decay: pulls every parameter towards 0.
        nesterov: look ahead along the momentum.
        maximize: climb instead.
        foreach, fused: other ways in which PyTorch computes the same; they change nothing here.
        differentiable: record the step.

    Raises:
        ArgumentError: for a negative option, or Nesterov without plain momentum.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = SGD([x], lr=0.1)
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        2.4

    See also: Sutskever et al., *On the Importance of Initialization and Momentum* (2013); as in
    PyTorch, v is not scaled by lr.
    """

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1e-3
    momentum: InitVar[float] = 0
    dampening: InitVar[float] = 0
    weight_decay: InitVar[float | Tensor] = 0
    nesterov: InitVar[bool] = False
    _: KW_ONLY
    maximize: InitVar[bool] = False
    foreach: InitVar[bool | None] = None
    differentiable: InitVar[bool] = False
    fused: InitVar[bool | None] = None

    def _completed(self, options: Group) -> Group:
        momentum, dampening = options["momentum"], options["dampening"]
        if options["nesterov"] and (momentum <= 0 or dampening != 0):
            raise ArgumentError(
                "Nesterov momentum requires a momentum and zero dampening, got "
                f"momentum={momentum}, dampening={dampening}. It looks ahead along the momentum. "
                "Write `momentum=0.9, nesterov=True`."
            )
        return options

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        grad = decayed(x, grad, group)
        momentum = group["momentum"]
        if momentum:
            is_first = state.kept.get("momentum_buffer") is None
            velocity = state.buffer("momentum_buffer")
            velocity *= momentum
            velocity += grad if is_first else (1 - group["dampening"]) * grad
            grad = grad + momentum * velocity if group["nesterov"] else velocity
        x -= group["lr"] * grad


@with_options
class ASGD(Optimizer):
    r"""Averaged stochastic gradient descent: small steps, and the mean of where they led.

        η = lr / (1 + lambd·lr·t)^alpha             (as of the step before)
        p ← (1 - lambd·η)·p - η·g
        a ← a + μ·(p - a)                           μ = 1 / max(1, t - t0)

    The average a is in `optimizer.state[p]["ax"]`.

    Args:
        params: tensors to move, or groups with options of their own.
        lr: the step size.
        lambd: how fast the parameters and the step size shrink.
        alpha: the power with which the step size shrinks.
        t0: at which step the averaging begins.
        weight_decay: pulls every parameter towards 0.
        maximize: climb instead.
        foreach, capturable: as in PyTorch on a CPU.
        differentiable: record the step.

    Raises:
        ArgumentError: for a negative option.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = ASGD([x], lr=0.1)
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> round(x.item(), 2)
        2.4

    See also: Polyak and Juditsky, *Acceleration of Stochastic Approximation by Averaging* (1992).
    """

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1e-2
    lambd: InitVar[float] = 1e-4
    alpha: InitVar[float] = 0.75
    t0: InitVar[float] = 1e6
    weight_decay: InitVar[float] = 0
    foreach: InitVar[bool | None] = None
    maximize: InitVar[bool] = False
    differentiable: InitVar[bool] = False
    capturable: InitVar[bool] = False

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        lr, shrinking = group["lr"], group["lambd"]
        step = state.count()
        rate, weight = state.number("eta", lr), state.number("mu", 1.0)
        average = state.buffer("ax")
        grad = decayed(x, grad, group)
        x *= 1 - shrinking * float(rate)
        x -= float(rate) * grad
        average += float(weight) * (x - average)
        rate[...] = lr / (1 + shrinking * lr * step) ** group["alpha"]
        weight[...] = 1 / max(1, step - group["t0"])
