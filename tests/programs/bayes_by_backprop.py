"""Weights as distributions (Blundell et al., 2015): regression that knows what it does not know."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal, kl_divergence


class BayesianLinear(nn.Module):
    def __init__(self, in_features, out_features, rng):
        super().__init__()
        shape = (out_features, in_features)
        mean = torch.as_tensor(rng.normal(scale=0.3, size=shape))
        self.weight_mean = nn.Parameter(mean)
        self.weight_rho = nn.Parameter(torch.full(shape, -3.0))
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.prior = Normal(0.0, 1.0)
        self.rng = rng

    def forward(self, x):
        scale = F.softplus(self.weight_rho)
        noise = torch.as_tensor(self.rng.normal(size=tuple(scale.shape)))
        weight = torch.addcmul(self.weight_mean, scale, noise)
        return F.linear(x, weight, self.bias)

    def divergence(self):
        posterior = Normal(self.weight_mean, F.softplus(self.weight_rho))
        return kl_divergence(posterior, self.prior).sum()


def main() -> list[float]:
    rng = np.random.default_rng(0)
    x = torch.linspace(-2, 2, 32).reshape(-1, 1)
    y = x**3 / 4 + 0.1 * torch.as_tensor(rng.normal(size=(32, 1)))

    net = nn.Sequential(BayesianLinear(1, 16, rng), nn.Tanh(), BayesianLinear(16, 1, rng))
    optimizer = torch.optim.Adamax(net.parameters(), lr=0.02)
    losses = []
    for _ in range(40):
        likelihood = -Normal(net(x), 0.1).log_prob(y).mean()
        divergence = sum(layer.divergence() for layer in net if isinstance(layer, BayesianLinear))
        loss = likelihood + divergence / 1000
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    with torch.no_grad():
        predictions = torch.stack([net(2 * x) for _ in range(10)])
    lower, middle, upper = torch.quantile(predictions, torch.tensor([0.1, 0.5, 0.9]), dim=0)
    spread = torch.std_mean(upper - lower)
    return [*losses, middle.mean().item(), spread[0].item(), spread[1].item()]
