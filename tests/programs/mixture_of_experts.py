"""A sparse mixture of experts (Shazeer et al., 2017): a gate sends each point to two of four."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from drawn import draw_weights


class MixtureOfExperts(nn.Module):
    def __init__(self, experts=4, chosen=2):
        super().__init__()
        self.chosen = chosen
        self.gate = nn.Linear(2, experts)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(2, 8), nn.SiLU(), nn.Linear(8, 1)) for _ in range(experts)
        )

    def forward(self, x):
        scores, indices = torch.topk(self.gate(x), self.chosen, dim=-1)
        weights = F.softmax(scores, dim=-1)
        result = x.new_zeros(x.size(0), 1)
        for number, expert in enumerate(self.experts):
            rows, slots = torch.where(indices == number)
            if rows.numel() == 0:
                continue
            result = result.index_add(0, rows, weights[rows, slots, None] * expert(x[rows]))
        everyone = F.softmax(self.gate(x), dim=-1).mean(dim=0)
        balance = len(self.experts) * (everyone**2).sum()
        return result, balance


def main() -> list[float]:
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.uniform(-1, 1, size=(64, 2)))
    y = torch.where(x[:, :1] > 0, torch.sin(4 * x[:, 1:]), x[:, 1:].abs())

    model = draw_weights(MixtureOfExperts())
    optimizer = torch.optim.Adam(
        [
            {"params": model.gate.parameters(), "lr": 1e-2},
            {"params": model.experts.parameters()},
        ],
        lr=5e-3,
    )
    losses = []
    for _ in range(40):
        prediction, balance = model(x)
        loss = F.l1_loss(prediction, y) + 0.01 * balance
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
