"""Skip-gram with negative sampling (Mikolov et al., 2013): words are known by their neighbours."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from drawn import draw_weights

TEXT = [
    "the",
    "king",
    "rules",
    "the",
    "land",
    "and",
    "the",
    "queen",
    "rules",
    "the",
    "land",
    "the",
    "man",
    "walks",
    "the",
    "dog",
    "and",
    "the",
    "woman",
    "walks",
    "the",
    "dog",
    "the",
    "king",
    "is",
    "a",
    "man",
    "and",
    "the",
    "queen",
    "is",
    "a",
    "woman",
]


class SkipGram(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.center = nn.Embedding(words, size)
        self.context = nn.Embedding(words, size)

    def forward(self, center, context, negatives):
        v = self.center(center)
        positive = (v * self.context(context)).sum(dim=1)
        negative = torch.bmm(self.context(negatives), v.unsqueeze(2)).squeeze(2)
        return -(F.logsigmoid(positive) + F.logsigmoid(-negative).sum(dim=1)).mean()


def main() -> list[float]:
    rng = np.random.default_rng(0)
    vocabulary = {word: index for index, word in enumerate(dict.fromkeys(TEXT))}
    indices = [vocabulary[word] for word in TEXT]
    pairs = torch.tensor(
        [
            (indices[i], indices[j])
            for i in range(len(indices))
            for j in range(max(0, i - 2), min(len(indices), i + 3))
            if i != j
        ]
    )
    counts = torch.bincount(torch.tensor(indices)).double().pow(0.75)
    chances = (counts / counts.sum()).numpy()

    model = draw_weights(SkipGram(len(vocabulary), 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    losses = []
    for _ in range(40):
        negatives = torch.as_tensor(rng.choice(len(vocabulary), p=chances, size=(len(pairs), 4)))
        loss = model(pairs[:, 0], pairs[:, 1], negatives)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    vectors = F.normalize(model.center.weight.detach(), dim=1)
    likeness = vectors @ vectors[vocabulary["king"]]
    return losses + likeness.tolist()
