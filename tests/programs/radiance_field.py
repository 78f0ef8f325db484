"""A radiance field in one dimension (NeRF, Mildenhall et al., 2020), seen along rays."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from drawn import draw_weights


def positional_encoding(x, octaves=4):
    scaled = x.unsqueeze(-1) * 2.0 ** torch.arange(octaves) * math.pi
    return torch.cat([scaled.sin(), scaled.cos()], dim=-1).flatten(-2)


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(16, 16), nn.Linear(32, 16)])
        self.density = nn.Linear(16, 1)
        self.colour = nn.Linear(16, 3)

    def forward(self, points):
        encoded = positional_encoding(points)
        h = F.relu(self.layers[0](encoded))
        h = F.relu(self.layers[1](torch.cat([h, encoded], dim=-1)))
        return F.softplus(self.density(h)).squeeze(-1), torch.sigmoid(self.colour(h))


def render(field, origins, directions, depths):
    points = origins[:, None, :] + depths[..., None] * directions[:, None, :]
    density, colour = field(points)
    gaps = torch.diff(depths, dim=-1, append=torch.full_like(depths[:, :1], 3.0))
    opacity = 1.0 - torch.exp(-density * gaps)
    clear = torch.cumprod(1.0 - opacity + 1e-10, dim=-1)
    clear = torch.cat([torch.ones_like(clear[:, :1]), clear[:, :-1]], dim=-1)
    weights = opacity * clear
    seen = (weights.unsqueeze(-1) * colour).sum(dim=-2)
    return seen + (1.0 - weights.sum(dim=-1, keepdim=True)), weights


def resample(depths, weights, uniform):
    """Depths where the weights are large, by inverting their cumulative sum."""
    with torch.no_grad():
        share = weights + 1e-5
        cdf = torch.cumsum(share / share.sum(-1, keepdim=True), dim=-1)
        indices = torch.searchsorted(cdf.contiguous(), uniform, right=True)
        more = depths.gather(-1, indices.clamp(max=depths.shape[-1] - 1))
        return torch.sort(torch.cat([depths, more + 0.01], dim=-1), dim=-1).values


def main() -> list[float]:
    rng = np.random.default_rng(0)
    angles = torch.from_numpy(rng.uniform(0, 2 * np.pi, size=24))
    origins = torch.stack([torch.cos(angles), torch.sin(angles)], dim=-1) * 1.5
    directions = F.normalize(-origins + 0.2 * torch.from_numpy(rng.normal(size=(24, 2))), dim=-1)
    missed = (origins[:, 0] * directions[:, 1] - origins[:, 1] * directions[:, 0]).abs()
    red, white = torch.tensor([1.0, 0.2, 0.1]), torch.ones(3)
    target = torch.where(missed[:, None] < 0.3, red, white)

    field = draw_weights(Field())
    optimizer = torch.optim.Adam(field.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.97)
    losses = []
    for _ in range(30):
        jitter = torch.from_numpy(rng.uniform(size=(24, 8)))
        coarse = 0.5 + 2.0 * (torch.arange(8) + jitter) / 8
        seen, weights = render(field, origins, directions, coarse)
        uniform = torch.from_numpy(np.sort(rng.uniform(size=(24, 4))))
        fine = resample(coarse, weights, uniform)
        seen_fine, _ = render(field, origins, directions, fine)
        loss = F.mse_loss(seen, target) + F.mse_loss(seen_fine, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses
