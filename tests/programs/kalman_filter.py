"""A Kalman filter whose noise is learnt: the likelihood is differentiated through all its steps."""

import numpy as np
import torch
from torch.distributions import MultivariateNormal


def log_likelihood(measured, transition, process_noise, measurement_noise):
    mean, covariance = torch.zeros(2), torch.eye(2)
    look = torch.tensor([[1.0, 0.0]])
    total = torch.tensor(0.0)
    for y in measured:
        mean = transition @ mean
        covariance = transition @ covariance @ transition.T + process_noise
        spread = look @ covariance @ look.T + measurement_noise
        total = total + MultivariateNormal(look @ mean, spread).log_prob(y)
        gain = torch.linalg.solve(spread, look @ covariance).mT
        mean = mean + gain @ (y - look @ mean)
        covariance = (torch.eye(2) - gain @ look) @ covariance
        covariance = (covariance + covariance.T) / 2
    return total


def main() -> list[float]:
    rng = np.random.default_rng(0)
    steps = torch.from_numpy(rng.normal(scale=0.1, size=8)).cumsum(0).cumsum(0)
    measured = (steps + 0.3 * torch.from_numpy(rng.normal(size=8))).unsqueeze(-1)
    transition = torch.tensor([[1.0, 1.0], [0.0, 1.0]])

    factor = torch.nn.Parameter(torch.tensor([[-1.0, 0.0], [0.1, -1.0]]))
    log_noise = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.Rprop([factor, log_noise], lr=0.05)
    losses = []
    for _ in range(20):
        lower = torch.tril(factor, -1) + torch.diag(factor.diagonal().exp())
        noise = torch.diag_embed(torch.exp(2 * log_noise))
        loss = -log_likelihood(measured, transition, lower @ lower.T, noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
