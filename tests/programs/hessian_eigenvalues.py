"""The sharpest direction of a loss: power iteration with Hessian-vector products."""

import numpy as np
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector

from drawn import digits, draw_weights


def hessian_vector_product(loss, parameters, vector):
    grads = torch.autograd.grad(loss, parameters, create_graph=True)
    product = parameters_to_vector(grads).dot(vector)
    return parameters_to_vector(torch.autograd.grad(product, parameters, retain_graph=True))


def main() -> list[float]:
    rng = np.random.default_rng(0)
    pixels, labels = digits(32)
    images, targets = torch.from_numpy(pixels).view(32, -1), torch.from_numpy(labels)
    model = draw_weights(nn.Sequential(nn.Linear(64, 8), nn.Softplus(), nn.Linear(8, 10)))
    parameters = list(model.parameters())
    optimizer = torch.optim.SGD(parameters, lr=0.2)

    sharpness = []
    for _ in range(4):
        loss = nn.functional.cross_entropy(model(images), targets)
        vector = torch.from_numpy(rng.normal(size=sum(p.numel() for p in parameters)))
        for _iteration in range(10):
            vector = vector / vector.norm()
            product = hessian_vector_product(loss, parameters, vector)
            sharpness.append(torch.dot(vector, product).item())
            vector = product
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return sharpness
