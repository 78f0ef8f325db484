"""A SIREN (Sitzmann et al., 2020) is fitted to a picture's Laplacian alone."""

import torch
from torch import nn

from drawn import draw_weights


class Sine(nn.Module):
    def __init__(self, frequency=2.0):
        super().__init__()
        self.frequency = frequency

    def forward(self, x):
        return torch.sin(self.frequency * x)


def gradient(y, x):
    return torch.autograd.grad(y, x, grad_outputs=torch.ones_like(y), create_graph=True)[0]


def laplacian(y, x):
    slopes = gradient(y, x)
    return sum(gradient(slopes[:, i], x)[:, i] for i in range(x.shape[1]))


def main() -> list[float]:
    ticks = torch.linspace(-1, 1, steps=8)
    points = torch.stack(torch.meshgrid(ticks, ticks, indexing="ij"), dim=-1).reshape(-1, 2)
    points.requires_grad_()
    width = 0.5
    squared = points.detach().square().sum(dim=1) / width**2
    target = (squared - 2) / width**2 * torch.exp(-squared / 2)  # of a Gaussian hill

    net = nn.Sequential(nn.Linear(2, 16), Sine(), nn.Linear(16, 16), Sine(), nn.Linear(16, 1))
    draw_weights(net)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    losses = []
    for _ in range(30):
        loss = ((laplacian(net(points), points) - target) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
