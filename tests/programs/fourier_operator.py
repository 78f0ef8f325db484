"""A Fourier neural operator (Li et al., 2021) learns what the heat equation does to a curve."""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from drawn import draw_weights

POINTS, MODES, WIDTH = 32, 6, 6


class SpectralConv1d(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(WIDTH, WIDTH, MODES, 2))

    def forward(self, x):
        spectrum = torch.fft.rfft(x)
        weights = torch.view_as_complex(self.weights)
        low = torch.einsum("bix,iox->box", spectrum[..., :MODES], weights)
        out = torch.zeros(x.size(0), WIDTH, x.size(-1) // 2 + 1, dtype=torch.cfloat)
        out = out.to(low.dtype)
        out[:, :, :MODES] = low
        return torch.fft.irfft(out, n=x.size(-1))


class FNO(nn.Module):
    def __init__(self):
        super().__init__()
        self.lift = nn.Conv1d(2, WIDTH, 1)
        self.spectral = nn.ModuleList(SpectralConv1d() for _ in range(2))
        self.local = nn.ModuleList(nn.Conv1d(WIDTH, WIDTH, 1) for _ in range(2))
        self.project = nn.Conv1d(WIDTH, 1, 1)

    def forward(self, u):
        grid = torch.linspace(0, 1, u.size(-1)).expand_as(u)
        x = self.lift(torch.stack([u, grid], dim=1))
        for spectral, local in zip(self.spectral, self.local):
            x = F.gelu(spectral(x) + local(x))
        return self.project(x).squeeze(1)


def heat(u, time=0.002):
    frequency = 2 * math.pi * torch.fft.rfftfreq(POINTS, d=1 / POINTS)
    return torch.fft.irfft(torch.fft.rfft(u) * torch.exp(-time * frequency**2), n=POINTS)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    begin = torch.from_numpy(rng.normal(size=(16, POINTS))).cumsum(-1)
    begin = begin - begin.mean(dim=-1, keepdim=True)
    end = heat(begin)

    model = draw_weights(FNO())
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-4)
    losses = []
    for _ in range(30):
        relative = (model(begin) - end).norm(dim=-1) / torch.linalg.vector_norm(end, dim=-1)
        loss = relative.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
