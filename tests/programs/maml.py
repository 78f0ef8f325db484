"""Learning to learn (MAML, Finn et al., 2017): a start from which one step fits any sine."""

import numpy as np
import torch
from torch import nn
from torch.func import functional_call

from drawn import draw_weights


def task(rng):
    amplitude, phase = rng.uniform(0.5, 2.0), rng.uniform(0, np.pi)
    x = rng.uniform(-3, 3, size=(2, 10, 1))
    return torch.from_numpy(x), torch.from_numpy(amplitude * np.sin(x - phase))


def main() -> list[float]:
    rng = np.random.default_rng(0)
    model = draw_weights(nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)))
    meta_optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    mse = nn.functional.mse_loss

    losses = []
    for _ in range(30):
        meta_optimizer.zero_grad()
        meta_loss = 0.0
        for _task in range(3):
            (x_support, x_query), (y_support, y_query) = task(rng)
            weights = dict(model.named_parameters())
            loss = mse(functional_call(model, weights, (x_support,)), y_support)
            slopes = torch.autograd.grad(loss, tuple(weights.values()), create_graph=True)
            adapted = {
                name: weight - 0.1 * slope for (name, weight), slope in zip(weights.items(), slopes)
            }
            meta_loss = meta_loss + mse(functional_call(model, adapted, (x_query,)), y_query)
        meta_loss.backward()  # through the inner step
        meta_optimizer.step()
        losses.append(meta_loss.item())
    return losses
