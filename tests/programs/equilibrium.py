"""A deep equilibrium model (Bai et al., 2019): a fixed point, differentiated by a hook."""

import numpy as np
import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

from drawn import draw_weights


def fixed_point(f, start, tolerance=1e-9, steps=60):
    z = start
    for _ in range(steps):
        z, before = f(z), z
        if torch.norm(z - before) < tolerance:
            break
    return z


class Equilibrium(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width, bias=False)
        self.outer = nn.Linear(2, width)

    def cell(self, z, x):
        return torch.tanh(0.5 * self.inner(z) + self.outer(x))

    def forward(self, x):
        with torch.no_grad():
            start = torch.zeros(len(x), self.inner.in_features)
            z = fixed_point(lambda z: self.cell(z, x), start)
        z = self.cell(z, x)
        z0 = z.detach().requires_grad_()
        f0 = self.cell(z0, x)

        def solve(grad):
            def pulled(g):
                return torch.autograd.grad(f0, z0, g, retain_graph=True)[0] + grad

            return fixed_point(pulled, grad)

        z.register_hook(solve)
        return z


def main() -> list[float]:
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.normal(size=(32, 2)))
    y = torch.logical_xor(x[:, 0] > 0, x[:, 1] > 0).to(x.dtype)
    model = nn.Sequential(Equilibrium(8), nn.Linear(8, 1), nn.Flatten(0))
    draw_weights(model)
    with torch.no_grad():
        model[0].inner.weight *= 0.5
    weight_norm(model[1])

    optimizer = torch.optim.RAdam(model.parameters(), lr=0.03)
    losses = []
    for _ in range(30):
        loss = nn.functional.soft_margin_loss(model(x), 2 * y - 1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
