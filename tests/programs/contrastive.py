"""Contrastive learning (SimCLR, Chen et al., 2020): two views of one digit find each other."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from drawn import digits, draw_weights


def view(images, rng):
    """Shift each image, and add noise."""
    shifts = tuple(int(shift) for shift in rng.integers(-1, 2, size=2))
    noise = torch.from_numpy(rng.normal(scale=0.1, size=tuple(images.shape)))
    return torch.roll(images, shifts=shifts, dims=(-2, -1)) + noise


def info_nce(z1, z2, temperature=0.5):
    z = F.normalize(torch.cat([z1, z2]), dim=-1)
    likeness = z @ z.T / temperature
    likeness.fill_diagonal_(float("-inf"))
    n = len(z1)
    partner = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(likeness, partner)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    images = torch.from_numpy(digits(32)[0])
    encoder = nn.Sequential(
        nn.Unflatten(1, (1, 8)),
        nn.Conv2d(1, 4, 3, padding="same", padding_mode="circular"),
        nn.InstanceNorm2d(4, affine=True),
        nn.Hardswish(),
        nn.AdaptiveMaxPool2d(4),
        nn.Flatten(),
        nn.Linear(64, 16),
        nn.BatchNorm1d(16),
        nn.ReLU(),
        nn.Linear(16, 8),
    )
    draw_weights(encoder)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.2, total_steps=30)

    losses = []
    for _ in range(30):
        loss = info_nce(encoder(view(images, rng)), encoder(view(images, rng)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses
