"""A denoising autoencoder: digits go in with noise, and should come out without."""

import numpy as np
import torch
from torch import nn

from drawn import digits, draw_weights


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 4, 3, stride=2, padding=1),
            nn.ELU(),
            nn.Conv2d(4, 8, 3, stride=2, padding=1),
            nn.ELU(),
        )
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1),
            nn.ELU(),
            nn.ConvTranspose2d(4, 1, 2, stride=2),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


def main() -> list[float]:
    rng = np.random.default_rng(0)
    images = torch.from_numpy(digits(32)[0]).unsqueeze(1)
    model = draw_weights(Autoencoder())
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    criterion = nn.SmoothL1Loss(beta=0.1)

    losses = []
    for _ in range(40):
        noise = torch.from_numpy(rng.normal(scale=0.2, size=tuple(images.shape)))
        noisy = (images + noise).clamp(0.0, 1.0)
        loss = criterion(model(noisy), images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
