"""Gaussian process regression: its three hyperparameters follow the marginal likelihood."""

import math

import numpy as np
import torch

JITTER = 1e-8


def kernel(x1, x2, log_length, log_scale):
    distance = torch.cdist(x1 / log_length.exp(), x2 / log_length.exp())
    return log_scale.exp() ** 2 * torch.exp(-0.5 * distance**2)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    x = torch.from_numpy(np.sort(rng.uniform(-3, 3, size=(20, 1)), axis=0))
    y = torch.sin(2 * x) + 0.1 * torch.from_numpy(rng.normal(size=(20, 1)))

    log_length = torch.zeros((), requires_grad=True)
    log_scale = torch.zeros((), requires_grad=True)
    log_noise = torch.tensor(-1.0, requires_grad=True)
    hyperparameters = [log_length, log_scale, log_noise]
    optimizer = torch.optim.Adam(hyperparameters, lr=0.05)

    def covariance():
        noise = log_noise.exp() ** 2 + JITTER
        return kernel(x, x, log_length, log_scale) + noise * torch.eye(len(x))

    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        L = torch.linalg.cholesky(covariance())
        alpha = torch.cholesky_solve(y, L)
        fit = 0.5 * (y.mT @ alpha).squeeze()
        complexity = L.diagonal().log().sum()
        loss = fit + complexity + 0.5 * len(x) * math.log(2 * math.pi)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    with torch.no_grad():
        x_new = torch.linspace(-3, 3, 5).unsqueeze(-1)
        L = torch.linalg.cholesky(covariance())
        cross = kernel(x, x_new, log_length, log_scale)
        mean = cross.T @ torch.cholesky_solve(y, L)
        v = torch.linalg.solve_triangular(L, cross, upper=False)
        variance = log_scale.exp() ** 2 - (v * v).sum(dim=0)
    return losses + mean.flatten().tolist() + variance.sqrt().tolist()
