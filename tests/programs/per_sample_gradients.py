"""Private learning (DP-SGD, Abadi et al., 2016): each example's gradient, clipped, plus noise."""

import numpy as np
import torch
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.nn.functional import cross_entropy

from drawn import digits, draw_weights

CLIP, NOISE, RATE = 1.0, 0.1, 0.5


def main() -> list[float]:
    rng = np.random.default_rng(0)
    pixels, labels = digits(64)
    images = torch.from_numpy(pixels)[:, None]
    labels = torch.from_numpy(labels)

    model = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.Softplus(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 10)
    )
    draw_weights(model)
    weights = {name: weight.detach() for name, weight in model.named_parameters()}

    def loss_of_one(weights, image, label):
        logits = functional_call(model, weights, (image.unsqueeze(0),))
        return cross_entropy(logits, label.unsqueeze(0))

    gradients_of_each = vmap(grad(loss_of_one), in_dims=(None, 0, 0))

    losses = []
    for step in range(30):
        batch = torch.arange(step % 4 * 16, step % 4 * 16 + 16)
        each = gradients_of_each(weights, images[batch], labels[batch])
        squares = [g.flatten(1).pow(2).sum(1) for g in each.values()]
        norms = torch.stack(squares).sum(0).sqrt()
        factors = torch.clamp(CLIP / (norms + 1e-6), max=1.0)
        for name, g in each.items():
            noise = torch.from_numpy(rng.normal(scale=NOISE, size=tuple(weights[name].shape)))
            total = torch.einsum("b,b...->...", factors, g) + noise
            weights[name] = weights[name] - RATE * total / len(batch)
        with torch.no_grad():
            losses.append(cross_entropy(functional_call(model, weights, images), labels).item())
    return losses
