"""A multilayer perceptron that reads handwritten digits, trained batch by batch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from drawn import digits, draw_weights


def main() -> list[float]:
    pixels, labels = digits(320)
    images = torch.from_numpy(pixels).flatten(1)
    loader = DataLoader(TensorDataset(images, torch.from_numpy(labels)), batch_size=32)

    model = nn.Sequential(
        nn.Linear(64, 32),
        nn.ReLU(),
        nn.Linear(32, 32),
        nn.Tanh(),
        nn.Linear(32, 10),
    )
    draw_weights(model)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

    losses = []
    for _epoch in range(5):
        model.train()
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    model.eval()
    with torch.no_grad():
        guesses = model(images).argmax(dim=1)
    accuracy = (guesses == torch.from_numpy(labels)).float().mean()
    assert accuracy > 0.95
    return losses
