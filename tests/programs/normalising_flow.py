"""A flow of affine couplings (RealNVP, Dinh et al., 2017) turns a Gaussian into two moons."""

import numpy as np
import torch
from torch import nn
from torch.distributions import Independent, Normal

from drawn import draw_weights


class AffineCoupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, x):
        kept, changed = x.chunk(2, dim=1)
        if self.flip:
            kept, changed = changed, kept
        log_scale, shift = self.net(kept).chunk(2, dim=1)
        log_scale = torch.tanh(log_scale)
        changed = changed * log_scale.exp() + shift
        parts = (changed, kept) if self.flip else (kept, changed)
        return torch.cat(parts, dim=1), log_scale.squeeze(1)


class Flow(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList(AffineCoupling(flip=i % 2 == 1) for i in range(depth))
        self.register_buffer("loc", torch.zeros(2))
        self.register_buffer("scale", torch.ones(2))

    def log_prob(self, x):
        log_det = torch.zeros(x.shape[0])
        for layer in self.layers:
            x, contribution = layer(x)
            log_det = log_det + contribution
        return Independent(Normal(self.loc, self.scale), 1).log_prob(x) + log_det


def two_moons(rng, count):
    angle = rng.uniform(0, np.pi, size=count)
    side = np.where(rng.uniform(size=count) < 0.5, 1.0, -1.0)
    moons = np.stack([side * (np.cos(angle) - 0.5), side * (np.sin(angle) - 0.25)], axis=1)
    return torch.from_numpy(moons + rng.normal(scale=0.1, size=(count, 2)))


def main() -> list[float]:
    rng = np.random.default_rng(0)
    flow = draw_weights(Flow(depth=4))
    optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        loss = -flow.log_prob(two_moons(rng, 64)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
