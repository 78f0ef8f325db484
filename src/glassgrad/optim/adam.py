"""`Adam`: steps of about the same size in every direction."""

import math
from typing import Any

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import zeros_like
from glassgrad.ops.creation import tensor
from glassgrad.ops.selection import maximum
from glassgrad.optim.optimizer import Group, Optimizer, Params, State, require_at_least_zero


class Adam(Optimizer):
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

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        require_at_least_zero(lr, "learning rate")
        require_at_least_zero(eps, "epsilon value")
        require_at_least_zero(weight_decay, "weight_decay value")
        pair: Any = betas
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ArgumentTypeError(
                f"Invalid betas: {betas!r}. One is for the mean, one for the square. "
                "Write two numbers: `betas=(0.9, 0.999)`."
            )
        for index, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ArgumentError(
                    f"Invalid beta parameter at index {index}: {beta}. It is the share of the old "
                    "average that is kept. Write a number from 0 up, below 1."
                )
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def add_param_group(self, param_group: Group) -> None:
        super().add_param_group(param_group)
        for param in self.param_groups[-1]["params"]:
            if param.dtype.kind == "c":
                del self.param_groups[-1]
                raise DTypeError(
                    f"Adam takes real parameters, got {param.dtype} of shape "
                    f"{tuple(param.shape)}. g² has no root mean square there. "
                    "Keep real and imaginary part as two parameters."
                )

    def update(self, param: Tensor, grad: Tensor, group: Group, state: State) -> None:
        if not state:
            state["step"] = tensor(0.0)
            state["exp_avg"] = zeros_like(param)
            state["exp_avg_sq"] = zeros_like(param)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros_like(param)
        state["step"] += 1
        if group["maximize"]:
            grad = -grad
        if group["decoupled_weight_decay"]:
            param *= 1 - group["lr"] * group["weight_decay"]
        elif group["weight_decay"]:
            grad = grad + group["weight_decay"] * param
        beta1, beta2 = group["betas"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean += (1 - beta1) * (grad - mean)
        square *= beta2
        square += (1 - beta2) * (grad * grad)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"] = maximum(state["max_exp_avg_sq"], square)
        t = state["step"].item()
        scale = group["lr"] / (1 - beta1**t)
        spread = square.sqrt()
        spread /= math.sqrt(1 - beta2**t)
        spread += group["eps"]
        param -= scale * (mean / spread)
