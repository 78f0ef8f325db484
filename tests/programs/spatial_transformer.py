"""A spatial transformer (Jaderberg et al., 2015): a network straightens images, then reads them."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from drawn import draw_weights


class Straightens(nn.Module):
    def __init__(self):
        super().__init__()
        self.localization = nn.Sequential(
            nn.Conv2d(1, 4, kernel_size=5),
            nn.MaxPool2d(2, stride=2),
            nn.ReLU(True),
            nn.Flatten(),
            nn.Linear(4 * 4 * 4, 6),
        )
        self.reads = nn.Sequential(nn.Flatten(), nn.Linear(144, 16), nn.ReLU(), nn.Linear(16, 2))
        self.register_buffer("start", torch.tensor([[0.9, 0.1, 0.05], [-0.1, 1.1, 0.02]]))

    def forward(self, x):
        theta = self.start + 0.1 * self.localization(x).view(-1, 2, 3)
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return self.reads(F.grid_sample(x, grid, align_corners=False))


def bars(rng: np.random.Generator, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Images of a bar that stands or lies, turned by a small angle, with noise."""
    lies = rng.integers(0, 2, count)
    angles = lies * np.pi / 2 + rng.uniform(-0.5, 0.5, count)
    y, x = np.mgrid[-1:1:12j, -1:1:12j]
    across = x * np.cos(angles)[:, None, None] + y * np.sin(angles)[:, None, None]
    images = np.exp(-20 * across**2) + 0.3 * rng.normal(size=(count, 12, 12))
    return torch.from_numpy(images[:, None]), torch.from_numpy(lies)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    model = draw_weights(Straightens())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(25):
        images, lies = bars(rng, 16)
        loss = F.cross_entropy(model(images), lies)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
