"""Five networks trained as one, by `vmap` over their stacked weights."""

import copy

import numpy as np
import torch
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

from drawn import draw_weights


def main() -> list[float]:
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.uniform(-2, 2, size=(5, 24, 1)))  # each network has its own data
    y = torch.sin(2 * x)

    models = [
        draw_weights(nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 1)), seed=seed)
        for seed in range(5)
    ]
    params, buffers = stack_module_state(models)
    base = copy.deepcopy(models[0])

    def loss_of_one(params, buffers, x, y):
        return nn.functional.mse_loss(functional_call(base, (params, buffers), (x,)), y)

    step_of_all = vmap(grad_and_value(loss_of_one))
    velocity = {name: torch.zeros_like(p) for name, p in params.items()}
    losses = []
    for _ in range(40):
        grads, loss = step_of_all(params, buffers, x, y)
        with torch.no_grad():
            for name, p in params.items():
                velocity[name].mul_(0.9).add_(grads[name])
                p.sub_(velocity[name], alpha=0.05)
        losses.append(loss.mean().item())

    grid = torch.linspace(-2, 2, 7).unsqueeze(1)
    guesses = vmap(lambda p: functional_call(base, p, (grid,)))(params)
    return losses + guesses.std(dim=0, unbiased=False).detach().flatten().tolist()
