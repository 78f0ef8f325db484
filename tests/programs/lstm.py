"""The adding problem: an LSTM sums the two marked numbers of a sequence (Hochreiter, 1997)."""

import numpy as np
import torch
import torch.nn as nn

from drawn import draw_weights


class Adder(nn.Module):
    def __init__(self, hidden_size=12):
        super().__init__()
        self.lstm = nn.LSTM(input_size=2, hidden_size=hidden_size, num_layers=2)
        self.out = nn.Linear(hidden_size, 1)

    def forward(self, x):
        _, (hidden, _cell) = self.lstm(x)
        return self.out(hidden[-1]).squeeze(-1)


def problems(rng, length=10, batch=16):
    """Sequences of numbers and marks, shape (length, batch, 2), and the sums of what is marked."""
    numbers = rng.uniform(size=(length, batch))
    marks = np.zeros((length, batch))
    marks[rng.integers(0, length // 2, batch), np.arange(batch)] = 1
    marks[rng.integers(length // 2, length, batch), np.arange(batch)] = 1
    sums = (numbers * marks).sum(axis=0)
    return torch.from_numpy(np.stack([numbers, marks], axis=-1)), torch.from_numpy(sums)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    model = draw_weights(Adder())
    optimizer = torch.optim.RMSprop(model.parameters(), lr=3e-3)
    criterion = nn.MSELoss()

    losses = []
    for _ in range(40):
        inputs, targets = problems(rng)
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 0.1)
        optimizer.step()
        losses.append(loss.item())
    return losses
