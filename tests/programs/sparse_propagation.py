"""Predict, then propagate (Gasteiger et al., 2019): a network, and steps over a sparse graph."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from drawn import draw_weights


class Propagates(nn.Module):
    def __init__(self, graph, features, classes, steps=4, back=0.1):
        super().__init__()
        self.register_buffer("graph", graph)
        self.predicts = nn.Sequential(nn.Linear(features, 16), nn.ReLU(), nn.Linear(16, classes))
        self.steps, self.back = steps, back

    def forward(self, x):
        start = found = self.predicts(x)
        for _ in range(self.steps):
            found = (1 - self.back) * torch.sparse.mm(self.graph, found) + self.back * start
        return F.log_softmax(found, dim=1)


def normalized(links: np.ndarray) -> torch.Tensor:
    """The graph with a link from each node to itself, so that each row adds up to about 1."""
    places = torch.from_numpy(np.stack(links.nonzero()))
    ones = torch.ones(places.size(1))
    graph = torch.sparse_coo_tensor(places, ones, links.shape, check_invariants=True)
    graph = (graph + torch.eye(len(links)).to_sparse()).coalesce()
    row, column = graph.indices()
    scale = torch.sparse.sum(graph, dim=1).to_dense().pow(-0.5)
    weights = scale[row] * graph.values() * scale[column]
    return torch.sparse_coo_tensor(graph.indices(), weights, links.shape, check_invariants=True)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 10)
    likely = np.where(group[:, None] == group, 0.4, 0.03)
    links = np.triu(rng.uniform(size=likely.shape) < likely, k=1)
    features = torch.from_numpy(rng.normal(size=(30, 5)) + np.eye(3, 5)[group])
    labels = torch.from_numpy(group)
    known = torch.from_numpy(np.arange(0, 30, 4))

    model = draw_weights(Propagates(normalized(links | links.T), 5, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-3)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = F.nll_loss(model(features)[known], labels[known])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
