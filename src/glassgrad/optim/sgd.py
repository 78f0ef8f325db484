"""`SGD`: one step down the gradient, with momentum if wanted."""

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.optim.optimizer import Group, Optimizer, Params, State, require_at_least_zero


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

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        require_at_least_zero(lr, "learning rate")
        require_at_least_zero(momentum, "momentum value")
        require_at_least_zero(weight_decay, "weight_decay value")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ArgumentError(
                "Nesterov momentum requires a momentum and zero dampening, got "
                f"momentum={momentum}, dampening={dampening}. It looks ahead along the momentum. "
                "Write `momentum=0.9, nesterov=True`."
            )
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def update(self, param: Tensor, grad: Tensor, group: Group, state: State) -> None:
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * param
        momentum = group["momentum"]
        if momentum:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.clone()
            else:
                velocity *= momentum
                velocity += (1 - group["dampening"]) * grad
            grad = grad + momentum * velocity if group["nesterov"] else velocity
        param -= group["lr"] * grad
