"""A neural ODE (Chen et al., 2018): its gradient is the solution of another ODE, backwards."""

import numpy as np
import torch
from torch import nn

from drawn import draw_weights

STEPS, DT = 10, 0.1


def runge_kutta(slope, state, dt):
    """One step of the classical method of order 4, on a tuple of tensors."""

    def moved(k, by):
        return tuple(s + by * d for s, d in zip(state, k))

    k1 = slope(state)
    k2 = slope(moved(k1, dt / 2))
    k3 = slope(moved(k2, dt / 2))
    k4 = slope(moved(k3, dt))
    return tuple(
        s + dt / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4)
    )


class ODEAdjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, field, z0, *parameters):
        z = z0
        with torch.no_grad():
            for _ in range(STEPS):
                (z,) = runge_kutta(lambda state: (field(state[0]),), (z,), DT)
        ctx.field = field
        ctx.save_for_backward(z, *parameters)
        return z.clone()

    @staticmethod
    def backward(ctx, grad_z):
        z, *parameters = ctx.saved_tensors

        def slope(state):
            z, adjoint, *_ = state
            with torch.enable_grad():
                z = z.detach().requires_grad_(True)
                dz = ctx.field(z)
                pulled = torch.autograd.grad(dz, (z, *parameters), grad_outputs=-adjoint)
            return dz.detach(), *pulled

        state = (z, grad_z, *[torch.zeros_like(p) for p in parameters])
        for _ in range(STEPS):
            state = runge_kutta(slope, state, -DT)
        _, adjoint, *grads = state
        return None, adjoint, *grads


def main() -> list[float]:
    rng = np.random.default_rng(0)
    start = torch.from_numpy(rng.normal(size=(16, 2)))
    turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
    target = start @ torch.linalg.matrix_exp(turn * STEPS * DT)

    field = draw_weights(nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 2)))
    optimizer = torch.optim.Adam(field.parameters(), lr=0.02)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = (ODEAdjoint.apply(field, start, *field.parameters()) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
