"""A variational autoencoder (Kingma & Welling, 2014) of digits, with a latent plane."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from drawn import digits, draw_weights


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 32)
        self.fc_mean = nn.Linear(32, 2)
        self.fc_log_variance = nn.Linear(32, 2)
        self.fc3 = nn.Linear(2, 32)
        self.fc4 = nn.Linear(32, 64)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc_mean(h), self.fc_log_variance(h)

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x, noise):
        mean, log_variance = self.encode(x)
        z = mean + torch.exp(0.5 * log_variance) * noise  # so the draw has a gradient
        return self.decode(z), mean, log_variance


def negative_elbo(reconstructed, x, mean, log_variance):
    cross_entropy = F.binary_cross_entropy(reconstructed, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    return (cross_entropy + divergence) / len(x)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    images = torch.from_numpy(digits(64)[0]).view(-1, 64)
    model = draw_weights(VAE())
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

    losses = []
    for _ in range(40):
        optimizer.zero_grad()
        noise = torch.from_numpy(rng.normal(size=(64, 2)))
        reconstructed, mean, log_variance = model(images, noise)
        loss = negative_elbo(reconstructed, images, mean, log_variance)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
