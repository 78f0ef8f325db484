"""Denoising diffusion (Ho et al., 2020) on a plane: noise is predicted, then taken away."""

import math

import numpy as np
import torch
from torch import nn

from drawn import draw_weights

STEPS = 20


class Denoiser(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.width = width
        self.net = nn.Sequential(
            nn.Linear(2 + width, width), nn.Mish(), nn.Linear(width, width), nn.Mish()
        )
        self.out = nn.Linear(width, 2)

    def time_features(self, t):
        half = self.width // 2
        rates = torch.exp(-math.log(100.0) * torch.arange(half) / half)
        angles = t[:, None] * rates[None, :]
        return torch.cat([torch.sin(angles), torch.cos(angles)], dim=-1)

    def forward(self, x, t):
        return self.out(self.net(torch.cat([x, self.time_features(t)], dim=-1)))


def main() -> list[float]:
    rng = np.random.default_rng(0)
    beta = torch.linspace(1e-3, 0.2, STEPS)
    kept = torch.cumprod(1.0 - beta, dim=0)

    model = draw_weights(Denoiser())
    average = {name: p.detach().clone() for name, p in model.named_parameters()}
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    losses = []
    for _ in range(40):
        angle = torch.from_numpy(rng.uniform(0, 2 * np.pi, size=48))
        clean = torch.stack([angle.cos(), angle.sin()], dim=-1)
        noise = torch.from_numpy(rng.normal(size=(48, 2)))
        t = torch.from_numpy(rng.integers(0, STEPS, size=48))
        a = kept[t].unsqueeze(-1)
        noisy = a.sqrt() * clean + (1 - a).sqrt() * noise
        loss = nn.functional.mse_loss(model(noisy, t), noise)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        for name, p in model.named_parameters():
            average[name].lerp_(p.detach(), 0.1)
        losses.append(loss.item())

    model.load_state_dict(average)
    x = torch.from_numpy(rng.normal(size=(8, 2)))
    with torch.inference_mode():
        for step in reversed(range(STEPS)):
            noise = model(x, torch.full((8,), step))
            x = (x - beta[step] / (1 - kept[step]).sqrt() * noise) / (1 - beta[step]).sqrt()
            if step > 0:
                x = x + beta[step].sqrt() * torch.from_numpy(rng.normal(size=(8, 2)))
    return losses + x.flatten().tolist()
