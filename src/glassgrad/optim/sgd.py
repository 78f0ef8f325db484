"""`SGD`: steps down the gradient, with momentum; `ASGD`: their average; `Muon`: orthogonal ones."""

import math
from dataclasses import KW_ONLY, InitVar
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import tensor

from .optimizer import Group, Optimizer, Params, State, decayed, require_real, with_options


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
        rate[...] = tensor(lr / (1 + shrinking * lr * step) ** group["alpha"]).payload
        weight[...] = tensor(1 / max(1, step - group["t0"])).payload


@with_options
class Muon(Optimizer):
    r"""Momentum whose steps are made orthogonal: for the matrices inside of a network.

        v ← momentum·v + (1 - momentum)·g
        u ← g + momentum·(v - g)                    (without nesterov: v)
        p ← p - lr·weight_decay·p - lr·√max(1, n/m)·O,  O ≈ (u·uᵀ)^(-1/2)·u of shape (n, m)

    Args:
        params: matrices to move, or groups with options of their own.
        lr: the step size.
        weight_decay: pulls every parameter towards 0.
        momentum: how much of the last step to keep.
        nesterov: look ahead along the momentum.
        ns_coefficients: a, b and c of X ← a·X + b·(X·Xᵀ)·X + c·(X·Xᵀ)²·X, which makes X orthogonal.
        eps: keeps the quotient by the norm finite.
        ns_steps: how often.
        adjust_lr_fn: "original" or None, or "match_rms_adamw": 0.2·√max(n, m) in the place of the
            root. PyTorch computes O in bfloat16; here its dtype is that of the parameter.

    Raises:
        ArgumentError: for a parameter that is no matrix, or a negative option.

    Example:
        >>> x = tensor([[3.0, 0.0], [0.0, 2.0]], requires_grad=True)
        >>> optimizer = Muon([x], lr=1.0, weight_decay=0.0)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x.detach().round()
        tensor([[2., 0.],
                [0., 1.]])

    See also: Jordan, *Muon: An optimizer for hidden layers in neural networks* (2024).
    """

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1e-3
    weight_decay: InitVar[float] = 0.1
    momentum: InitVar[float] = 0.95
    nesterov: InitVar[bool] = True
    ns_coefficients: InitVar[tuple[float, float, float]] = (3.4445, -4.775, 2.0315)
    eps: InitVar[float] = 1e-7
    ns_steps: InitVar[int] = 5
    adjust_lr_fn: InitVar[str | None] = None

    def _completed(self, options: Group) -> Group:
        if options["adjust_lr_fn"] not in (None, "original", "match_rms_adamw"):
            raise ArgumentError(
                f"Adjust learning rate function {options['adjust_lr_fn']} is not supported. It "
                "says how steps of wide and high matrices compare. Write 'original'."
            )
        return options

    def add_param_group(self, param_group: Group) -> None:
        """Add real matrices."""
        super().add_param_group(param_group)
        require_real(self)
        for param in self.param_groups[-1]["params"]:
            if param.ndim != 2:
                raise ArgumentError(
                    "Muon only supports 2D parameters whereas we found a parameter with size: "
                    f"{param.shape}. Its step is an orthogonal matrix. Give others to AdamW."
                )

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        lr, momentum, (n, m) = group["lr"], group["momentum"], x.shape
        velocity = state.buffer("momentum_buffer")
        velocity += (1 - momentum) * (grad - velocity)
        step = grad + momentum * (velocity - grad) if group["nesterov"] else velocity
        is_original = group["adjust_lr_fn"] != "match_rms_adamw"
        scale = math.sqrt(max(1, n / m)) if is_original else 0.2 * math.sqrt(max(n, m))
        x *= 1 - lr * group["weight_decay"]
        x -= lr * scale * _orthogonal(step, group)


def _orthogonal(x: Any, group: Group) -> Any:
    """About the orthogonal matrix that is nearest, by iteration."""
    a, b, c = group["ns_coefficients"]
    is_high = x.shape[0] > x.shape[1]
    x = x.T if is_high else x
    x = x / np.maximum(np.sqrt((x * x).sum()), group["eps"])
    for _ in range(group["ns_steps"]):
        gram = x @ x.T
        x = a * x + (b * gram + c * (gram @ gram)) @ x
    return x.T if is_high else x
