"""Sequences of different lengths, packed, classified by a bidirectional GRU."""

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from drawn import draw_weights


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(3, 8, batch_first=True, bidirectional=True)
        self.score = nn.Linear(16, 1)

    def forward(self, sequences, lengths):
        packed = pack_padded_sequence(sequences, lengths, batch_first=True, enforce_sorted=False)
        packed, _ = self.gru(packed)
        states, lengths = pad_packed_sequence(packed, batch_first=True)
        means = states.sum(dim=1) / lengths.unsqueeze(1)
        return self.score(means).squeeze(1)


def main() -> list[float]:
    rng = np.random.default_rng(1)
    lengths = torch.tensor([5, 3, 8, 2, 6, 8, 4, 7])
    walks = [torch.from_numpy(rng.normal(size=(int(n), 3))).cumsum(dim=0) for n in lengths]
    sequences = pad_sequence(walks, batch_first=True)
    rising = torch.stack([walk[-1].sum() > 0 for walk in walks]).to(sequences.dtype)

    model = draw_weights(Classifier())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    criterion = nn.BCEWithLogitsLoss()

    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = criterion(model(sequences, lengths), rising)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
