"""A graph convolutional network (Kipf & Welling, 2017): messages along edges, summed by scatter."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from drawn import draw_weights


class GCNConv(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.lin = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x, edge_index):
        row, col = edge_index
        degree = torch.zeros(x.size(0)).index_add_(0, col, torch.ones(col.size(0)))
        scale = degree.pow(-0.5)
        norm = scale[row] * scale[col]
        messages = norm.view(-1, 1) * self.lin(x).index_select(0, row)
        index = col.view(-1, 1).expand_as(messages)
        gathered = torch.zeros(x.size(0), messages.size(1)).scatter_add_(0, index, messages)
        return gathered + self.bias


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = GCNConv(4, 8)
        self.conv2 = GCNConv(8, 2)

    def forward(self, x, edge_index):
        x = F.relu(self.conv1(x, edge_index))
        return F.log_softmax(self.conv2(x, edge_index), dim=1)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 10)
    likely = np.where(group[:, None] == group, 0.5, 0.05)
    adjacency = np.triu(rng.uniform(size=(20, 20)) < likely, k=1)
    adjacency = torch.from_numpy(adjacency | adjacency.T | np.eye(20, dtype=bool))
    edge_index = adjacency.nonzero().t()
    features = torch.from_numpy(rng.normal(size=(20, 4)))
    labels = torch.from_numpy(group)
    known = torch.zeros(20, dtype=torch.bool)
    known[[0, 3, 12, 17]] = True

    model = draw_weights(GCN())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05, weight_decay=5e-4)
    losses = []
    for _ in range(40):
        optimizer.zero_grad()
        out = model(features, edge_index)
        loss = F.nll_loss(out[known], labels[known])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
