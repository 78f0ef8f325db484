"""A graph attention network (Veličković et al., 2018): a softmax over each node's neighbours."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from drawn import draw_weights


def softmax_by_node(scores, index, nodes):
    index = index[:, None].expand_as(scores)
    shape = (nodes, scores.size(1))
    highest = scores.new_full(shape, float("-inf"))
    highest = highest.scatter_reduce(0, index, scores.detach(), reduce="amax")
    out = torch.exp(scores - highest.gather(0, index))
    total = scores.new_zeros(shape).scatter_add(0, index, out)
    return out / total.gather(0, index)


class GATConv(nn.Module):
    def __init__(self, in_features, out_features, heads):
        super().__init__()
        self.heads, self.out_features = heads, out_features
        self.lin = nn.Linear(in_features, heads * out_features, bias=False)
        self.att_source = nn.Parameter(torch.empty(1, heads, out_features))
        self.att_target = nn.Parameter(torch.empty(1, heads, out_features))

    def forward(self, x, edges):
        source, target = edges.unbind(0)
        h = self.lin(x).unflatten(-1, (self.heads, self.out_features))
        alpha = (h * self.att_source).sum(-1)[source] + (h * self.att_target).sum(-1)[target]
        alpha = softmax_by_node(F.leaky_relu(alpha, negative_slope=0.2), target, len(x))
        messages = alpha.unsqueeze(-1) * h[source]
        return torch.zeros_like(h).index_add(0, target, messages).flatten(1)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    nodes = 16
    ring = torch.arange(nodes)
    edges = torch.stack([torch.cat([ring, ring, ring]), torch.cat([ring, ring + 1, ring + 5])])
    edges = edges % nodes
    features = torch.from_numpy(rng.normal(size=(nodes, 3)))
    target = torch.from_numpy(rng.integers(0, 2, size=nodes)).to(features.dtype)

    first = draw_weights(GATConv(3, 4, heads=2), seed=1)
    second = draw_weights(GATConv(8, 1, heads=1), seed=2)
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.02)
    losses = []
    for _ in range(30):
        logits = second(F.elu(first(features, edges)), edges).squeeze(1)
        loss = F.binary_cross_entropy_with_logits(logits, target, pos_weight=torch.tensor(1.5))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
