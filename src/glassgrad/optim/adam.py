"""`Adam` and its kin: steps of about the same size in every direction.

All keep two running averages, of the gradient and of its size, and divide the one by the other.
"""

import math
from dataclasses import KW_ONLY, InitVar
from typing import Any, ClassVar

import numpy as np

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor

from .optimizer import Group, Optimizer, Params, State, decayed, with_options


def _averages(x: Any, grad: Any, group: Group, state: State) -> tuple[Any, Any, Any]:
    """The gradient with weight decay; the running averages of it and of its square."""
    beta1, beta2 = group["betas"]
    grad = decayed(x, grad, group)
    mean, square = state.buffer("exp_avg"), state.buffer("exp_avg_sq")
    mean += (1 - beta1) * (grad - mean)
    square *= beta2
    square += (1 - beta2) * (grad * grad)
    return grad, mean, square


@with_options
class _OfAverages(Optimizer):
    """The options that Adam and all its kin have."""

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1e-3
    betas: InitVar[tuple[float | Tensor, float | Tensor]] = (0.9, 0.999)
    eps: InitVar[float] = 1e-8
    weight_decay: InitVar[float] = 0
    _: KW_ONLY
    foreach: InitVar[bool | None] = None
    maximize: InitVar[bool] = False
    capturable: InitVar[bool] = False
    differentiable: InitVar[bool] = False


@with_options
class Adam(_OfAverages):
    r"""Adam: momentum over a running root mean square.

        g ← grad + weight_decay·p
        m ← β₁·m + (1 - β₁)·g            m̂ = m / (1 - β₁ᵗ)
        s ← β₂·s + (1 - β₂)·g²           ŝ = s / (1 - β₂ᵗ)
        p ← p - lr·m̂ / (√ŝ + ε)

    Args:
        params: tensors to move, or groups with options of their own.
        lr: the step size.
        betas: (β₁, β₂), how slowly m and s forget.
        eps: ε keeps the quotient finite.
        weight_decay: pulls every parameter towards 0.
        amsgrad: divide by the largest s so far.
        maximize: climb instead.
        foreach, capturable, fused: as in PyTorch on a CPU, where they change no number.
        differentiable: record the step.
        decoupled_weight_decay: shrink p directly, not through the gradient (AdamW).

    Raises:
        ArgumentError: for a negative option, or a β outside of [0, 1).

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = Adam([x], lr=0.1)
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        2.9

    See also: Kingma and Ba, *Adam: A Method for Stochastic Optimization* (2015), algorithm 1;
    Reddi et al., *On the Convergence of Adam and Beyond* (2018) for amsgrad.
    """

    amsgrad: InitVar[bool] = False
    _: KW_ONLY
    fused: InitVar[bool | None] = None
    decoupled_weight_decay: InitVar[bool] = False
    _order = ("lr", "betas", "eps", "weight_decay", "amsgrad", "maximize")

    def _completed(self, options: Group) -> Group:
        betas = options["betas"]
        numbers = {"lr": options["lr"], "betas[0]": betas[0], "betas[1]": betas[1]}
        for name, value in numbers.items():
            if isinstance(value, Tensor) and options["foreach"] and not options["capturable"]:
                raise ArgumentError(
                    f"{name} as a Tensor is not supported for capturable=False and foreach=True. "
                    "Leave foreach out: it changes nothing here."
                )
        if {isinstance(beta, Tensor) for beta in betas} == {True, False}:
            raise ArgumentError(
                f"betas must be either both floats or both Tensors, got {betas}. "
                "Write two numbers: `betas=(0.9, 0.999)`."
            )
        return {**options, "betas": tuple(float(beta) for beta in betas)}

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        step = state.count()
        beta1, beta2 = group["betas"]
        grad, mean, square = _averages(x, grad, group, state)
        if group["amsgrad"]:
            largest = state.buffer("max_exp_avg_sq")
            largest[...] = np.maximum(largest, square)
            square = largest
        scale = group["lr"] / (1 - beta1**step)
        spread = np.sqrt(square) / math.sqrt(1 - beta2**step) + group["eps"]
        x -= scale * (mean / spread)


@with_options
class AdamW(Adam):
    r"""Adam whose weight decay shrinks the parameters directly, whatever their gradients are.

        p ← p - lr·weight_decay·p, then as `Adam`

    Args:
        params, lr, betas, eps, amsgrad: as `Adam`.
        weight_decay: pulls every parameter towards 0.
        maximize, foreach, capturable, differentiable, fused: as `Adam`.

    Raises:
        ArgumentError: for a negative option, or a β outside of [0, 1).

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = AdamW([x], lr=0.1)
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        2.897

    See also: Loshchilov and Hutter, *Decoupled Weight Decay Regularization* (2019).
    """

    weight_decay: InitVar[float] = 1e-2
    decoupled_weight_decay: ClassVar[bool] = True

    def _completed(self, options: Group) -> Group:
        return {**super()._completed(options), "decoupled_weight_decay": True}


@with_options
class Adamax(_OfAverages):
    r"""Adam with the largest gradient of late in the place of the root mean square.

        g ← grad + weight_decay·p
        m ← β₁·m + (1 - β₁)·g            m̂ = m / (1 - β₁ᵗ)
        u ← max(β₂·u, |g| + ε)
        p ← p - lr·m̂ / u

    Args:
        params: tensors to move, or groups with options of their own.
        lr: the step size.
        betas: (β₁, β₂), how slowly m and u forget.
        eps: ε keeps the quotient finite.
        weight_decay: pulls every parameter towards 0.
        foreach, maximize, differentiable, capturable: as `Adam`.

    Raises:
        ArgumentError: for a negative option, or a β outside of [0, 1).

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = Adamax([x], lr=0.1)
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        2.9

    See also: Kingma and Ba, *Adam: A Method for Stochastic Optimization* (2015), §7.1.
    """

    lr: InitVar[float | Tensor] = 2e-3
    foreach: InitVar[bool | None] = None
    _order = ("lr", "betas", "eps", "weight_decay", "foreach", "maximize", "differentiable")

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        step = state.count()
        beta1, beta2 = group["betas"]
        grad = decayed(x, grad, group)
        mean, largest = state.buffer("exp_avg"), state.buffer("exp_inf")
        mean += (1 - beta1) * (grad - mean)
        largest[...] = np.maximum(largest * beta2, np.abs(grad) + group["eps"])
        x -= group["lr"] / (1 - beta1**step) * (mean / largest)


@with_options
class NAdam(_OfAverages):
    r"""Adam with Nesterov's look ahead along the momentum.

        m, s as in `Adam`;  ŝ = s / (1 - β₂ᵗ)
        μₜ = β₁·(1 - ½·0.96^(t·momentum_decay))     Mₜ = μ₁·μ₂ ⋯ μₜ
        p ← p - lr·[(1 - μₜ)/(1 - Mₜ)·g + μₜ₊₁/(1 - Mₜ₊₁)·m] / (√ŝ + ε)

    Args:
        params: tensors to move, or groups with options of their own.
        lr: the step size.
        betas: (β₁, β₂), how slowly m and s forget.
        eps: ε keeps the quotient finite.
        weight_decay: pulls every parameter towards 0.
        momentum_decay: how fast μ grows to β₁.
        decoupled_weight_decay: shrink p directly, not through the gradient.
        foreach, maximize, capturable, differentiable: as `Adam`.

    Raises:
        ArgumentError: for a negative option, or a β outside of [0, 1).

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = NAdam([x], lr=0.1)
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> x.item() < 3.0
        True

    See also: Dozat, *Incorporating Nesterov Momentum into Adam* (2016).
    """

    lr: InitVar[float | Tensor] = 2e-3
    momentum_decay: InitVar[float] = 4e-3
    decoupled_weight_decay: InitVar[bool] = False
    _order = (
        "lr",
        "betas",
        "eps",
        "weight_decay",
        "momentum_decay",
        "decoupled_weight_decay",
        "maximize",
    )

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        step = state.count()
        product = state.number("mu_product", 1.0)
        lr, (beta1, beta2) = group["lr"], group["betas"]
        grad, mean, square = _averages(x, grad, group, state)
        now = beta1 * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
        after = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
        product *= now
        spread = np.sqrt(square / (1 - beta2**step)) + group["eps"]
        x -= lr * (1 - now) / (1 - float(product)) * (grad / spread)
        x -= lr * after / (1 - float(product) * after) * (mean / spread)


@with_options
class RAdam(_OfAverages):
    r"""Adam that does not trust its root mean square before it has seen enough gradients.

        m, s, m̂, ŝ as in `Adam`
        ρ∞ = 2/(1 - β₂) - 1              ρ = ρ∞ - 2·t·β₂ᵗ/(1 - β₂ᵗ)
        p ← p - lr·m̂                     (while ρ ≤ 5; then:)
        p ← p - lr·r·m̂ / (√ŝ + ε)        r² = (ρ - 4)(ρ - 2)·ρ∞ / ((ρ∞ - 4)(ρ∞ - 2)·ρ)

    Args:
        params: tensors to move, or groups with options of their own.
        lr: the step size.
        betas: (β₁, β₂), how slowly m and s forget.
        eps: ε keeps the quotient finite.
        weight_decay: pulls every parameter towards 0.
        decoupled_weight_decay: shrink p directly, not through the gradient.
        foreach, maximize, capturable, differentiable: as `Adam`.

    Raises:
        ArgumentError: for a negative option, or a β outside of [0, 1).

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> optimizer = RAdam([x], lr=0.1)
        >>> (x * x).backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        2.4

    See also: Liu et al., *On the Variance of the Adaptive Learning Rate and Beyond* (2020).
    """

    decoupled_weight_decay: InitVar[bool] = False
    _order = (
        "lr",
        "betas",
        "eps",
        "weight_decay",
        "maximize",
        "foreach",
        "capturable",
        "decoupled_weight_decay",
    )

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        step = state.count()
        beta1, beta2 = group["betas"]
        grad, mean, square = _averages(x, grad, group, state)
        scale = group["lr"] / (1 - beta1**step)
        most = 2 / (1 - beta2) - 1
        seen = most - 2 * step * beta2**step / (1 - beta2**step)
        if seen <= 5:
            x -= scale * mean
            return
        trust = (seen - 4) * (seen - 2) * most / ((most - 4) * (most - 2) * seen)
        scale *= math.sqrt(trust * (1 - beta2**step))
        x -= scale * (mean / (np.sqrt(square) + group["eps"]))


@with_options
class SparseAdam(Optimizer):
    r"""Adam of those rows alone that have a gradient: for the tables of `nn.Embedding`.

    Gradients are dense here. A row whose gradient is 0 has none.

    Args:
        params: tensors to move, or groups with options of their own.
        lr, betas, eps, maximize: as `Adam`.

    Raises:
        ArgumentError: for a negative option, or a β outside of [0, 1).

    Example:
        >>> x = tensor([[3.0], [4.0]], requires_grad=True)
        >>> optimizer = SparseAdam([x], lr=0.1)
        >>> (x[0] * x[0]).sum().backward()
        >>> optimizer.step()
        >>> x.detach()
        tensor([[2.9000],
                [4.0000]])
    """

    params: InitVar[Params]
    lr: InitVar[float | Tensor] = 1e-3
    betas: InitVar[tuple[float, float]] = (0.9, 0.999)
    eps: InitVar[float] = 1e-8
    maximize: InitVar[bool] = False

    def update(self, x: Any, grad: Any, group: Group, state: State) -> None:
        step, (beta1, beta2) = state.count(), group["betas"]
        mean, square = state.buffer("exp_avg"), state.buffer("exp_avg_sq")
        rows = (grad != 0).reshape(len(grad), -1).any(-1)
        new = grad[rows]
        mean[rows] += (1 - beta1) * (new - mean[rows])
        square[rows] += (1 - beta2) * (new * new - square[rows])
        scale = group["lr"] * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        x[rows] -= scale * mean[rows] / (np.sqrt(square[rows]) + group["eps"])
