"""A recurrent network under a conditional random field (Huang et al., 2015), read by Viterbi."""

import numpy as np
import torch
from torch import nn

from drawn import draw_weights

WORDS, TAGS = 12, 3


class RandomField(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 6)
        self.lstm = nn.LSTM(6, 4, bidirectional=True)
        self.scores = nn.Linear(8, TAGS)
        self.steps = nn.Parameter(torch.zeros(TAGS, TAGS))

    def read(self, words):
        found, _ = self.lstm(self.embedding(words).unsqueeze(1))
        return self.scores(found.squeeze(1))

    def loss(self, words, tags):
        """Log of the scores of all sequences of tags, without that of the right one."""
        scores = self.read(words)
        total = scores[0]
        for now in scores[1:]:
            total = torch.logsumexp(total.unsqueeze(1) + self.steps, dim=0) + now
        right = scores.gather(1, tags.unsqueeze(1)).sum() + self.steps[tags[:-1], tags[1:]].sum()
        return torch.logsumexp(total, dim=0) - right

    @torch.no_grad()
    def decode(self, words):
        """The best sequence of tags, and its score."""
        scores = self.read(words)
        best, back = scores[0], []
        for now in scores[1:]:
            best, before = (best.unsqueeze(1) + self.steps).max(dim=0)
            best = best + now
            back.append(before.tolist())
        score, last = best.max(dim=0)
        path = [last.item()]
        for before in reversed(back):
            path.append(before[path[-1]])
        return path[::-1], score.item()


def main() -> list[float]:
    rng = np.random.default_rng(0)
    model = draw_weights(RandomField())
    groups = [
        {"params": model.steps, "lr": 0.1},
        {"params": [p for name, p in model.named_parameters() if name != "steps"]},
    ]
    optimizer = torch.optim.RMSprop(groups, lr=0.01, momentum=0.5)
    losses = []
    for _ in range(25):
        words = torch.from_numpy(rng.integers(0, WORDS, 7))
        tags = (words + torch.cat([words[:1], words[:-1]])) % TAGS
        optimizer.zero_grad()
        loss = model.loss(words, tags)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0)
        optimizer.step()
        losses.append(loss.item())
    path, score = model.decode(torch.arange(6))
    return [*losses, score, *map(float, path)]
