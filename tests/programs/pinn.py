"""A network that obeys Burgers' equation, u_t + u u_x = ν u_xx (Raissi et al., 2019)."""

import math

import numpy as np
import torch
import torch.nn as nn
from torch.autograd import grad

from drawn import draw_weights

VISCOSITY = 0.01 / math.pi


def residual(net, t, x):
    u = net(torch.hstack([t, x]))
    u_t, u_x = grad(u.sum(), (t, x), create_graph=True)
    (u_xx,) = grad(u_x.sum(), x, create_graph=True)
    return u_t + u * u_x - VISCOSITY * u_xx


def main() -> list[float]:
    rng = np.random.default_rng(0)
    t = torch.tensor(rng.uniform(0, 1, size=(64, 1)), requires_grad=True)
    x = torch.tensor(rng.uniform(-1, 1, size=(64, 1)), requires_grad=True)
    x0 = torch.linspace(-1, 1, 17).unsqueeze(1)
    walls = torch.tensor([-1.0, 1.0]).repeat_interleave(8).unsqueeze(1)
    times = torch.rand(16, 1).new_tensor(rng.uniform(0, 1, size=(16, 1)))

    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
    draw_weights(net)
    optimizer = torch.optim.NAdam(net.parameters(), lr=5e-3)
    mse = nn.MSELoss()

    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        inside = residual(net, t, x).pow(2).mean()
        begin = mse(net(torch.cat([torch.zeros_like(x0), x0], dim=1)), -torch.sin(math.pi * x0))
        edges = net(torch.cat([times, walls], 1)).norm() / 4
        loss = inside + begin + edges**2
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
