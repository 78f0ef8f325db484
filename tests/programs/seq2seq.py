"""An encoder and a decoder with additive attention (Bahdanau et al., 2015) reverse a sequence."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from drawn import draw_weights

PAD, START, WORDS, WIDTH = 0, 1, 8, 16


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, WIDTH, bias=False)
        self.energy = nn.Linear(WIDTH, 1, bias=False)

    def forward(self, state, memory, padding):
        scores = self.energy(torch.tanh(self.query(state)[:, None] + self.key(memory)))[..., 0]
        weights = F.softmax(scores.masked_fill(padding, float("-inf")), dim=-1)
        return torch.einsum("bt,btd->bd", weights, memory)


class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH, padding_idx=PAD)
        self.encoder = nn.GRUCell(WIDTH, WIDTH)
        self.decoder = nn.GRUCell(2 * WIDTH, WIDTH)
        self.attention = Attention()
        self.out = nn.Linear(2 * WIDTH, WORDS)

    def forward(self, source, target):
        padding = source.eq(PAD)
        state = torch.zeros(len(source), WIDTH)
        states = []
        for word in self.embedding(source).unbind(dim=1):
            state = self.encoder(word, state)
            states.append(state)
        memory = torch.stack(states, dim=1)

        logits = []
        word = torch.full((len(source),), START)
        for step in range(target.size(1)):
            context = self.attention(state, memory, padding)
            state = self.decoder(torch.cat([self.embedding(word), context], dim=-1), state)
            logits.append(self.out(torch.cat([state, context], dim=-1)))
            word = target[:, step]  # teacher forcing
        return torch.stack(logits, dim=1)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    source = torch.from_numpy(rng.integers(2, WORDS, size=(8, 6)))
    lengths = torch.tensor([6, 5, 4, 6, 3, 6, 5, 2])
    source[torch.arange(6).expand(8, 6) >= lengths[:, None]] = PAD
    target = source.flip(dims=(1,))

    model = draw_weights(Seq2Seq())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    losses = []
    for _ in range(30):
        loss = criterion(model(source, target).flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
