"""A generator learns to draw a ring that a discriminator cannot tell from the real one."""

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

from drawn import draw_weights


def main() -> list[float]:
    rng = np.random.default_rng(0)
    generator = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
    discriminator = nn.Sequential(
        nn.Linear(2, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 1), nn.Flatten(0)
    )
    draw_weights(generator, seed=1)
    draw_weights(discriminator, seed=2)
    optimizer_g = optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    optimizer_d = optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    criterion = nn.BCEWithLogitsLoss()

    losses = []
    for _ in range(40):
        angle = torch.from_numpy(rng.uniform(0, 2 * np.pi, size=32))
        real = torch.stack([angle.cos(), angle.sin()], dim=1)
        fake = generator(torch.from_numpy(rng.normal(size=(32, 4))))

        optimizer_d.zero_grad()
        loss_real = criterion(discriminator(real), torch.ones(32))
        loss_fake = criterion(discriminator(fake.detach()), torch.zeros(32))
        (loss_real + loss_fake).backward()
        optimizer_d.step()

        optimizer_g.zero_grad()
        loss_g = criterion(discriminator(fake), torch.ones(32))
        loss_g.backward()
        optimizer_g.step()

        losses += [loss_real.item() + loss_fake.item(), loss_g.item()]
    return losses
