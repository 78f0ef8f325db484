"""Discrete choices with a gradient (Jang et al., 2017), and a sorting loss by Sinkhorn steps."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from drawn import draw_weights


def gumbel_softmax(logits, uniform, tau):
    noise = -torch.log(-torch.log(uniform))
    soft = F.softmax((logits + noise) / tau, dim=-1)
    hard = F.one_hot(soft.argmax(dim=-1), logits.size(-1)).type_as(soft)
    return (hard - soft).detach() + soft


def sinkhorn(scores, steps=8):
    """Nearly a permutation: rows and columns add up to one."""
    for _ in range(steps):
        scores = scores - torch.logsumexp(scores, dim=-1, keepdim=True)
        scores = scores - torch.logsumexp(scores, dim=-2, keepdim=True)
    return scores.exp()


def main() -> list[float]:
    rng = np.random.default_rng(0)
    chooser = draw_weights(nn.Linear(4, 3), seed=1)
    values = nn.Parameter(torch.tensor([0.0, 1.0, 2.0]))
    sorter = draw_weights(nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 5)), seed=2)
    parameters = [*chooser.parameters(), values, *sorter.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.02)

    losses = []
    for step in range(30):
        x = torch.from_numpy(rng.normal(size=(16, 4)))
        uniform = torch.from_numpy(rng.uniform(0.01, 0.99, size=(16, 3)))
        chosen = gumbel_softmax(chooser(x), uniform, tau=max(0.5, 1 - step / 30)) @ values
        choice_loss = F.mse_loss(chosen, 2.0 * (x[:, 0] > 0))

        numbers = torch.from_numpy(rng.uniform(size=(8, 5, 1)))
        ordered, _ = torch.sort(numbers, dim=1)
        permutation = sinkhorn(sorter(numbers) / 0.5)
        sorting_loss = F.mse_loss(permutation.transpose(-2, -1) @ numbers, ordered)

        loss = choice_loss + 10 * sorting_loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
