"""Connectionist temporal classification (Graves et al., 2006): digits spoken as tones."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from drawn import draw_weights

TONES = (3.0, 5.0, 7.0)


def speak(words, rng, length=160):
    """A wave with one tone for each word, each as long as the others."""
    part = length // len(words)
    time = torch.arange(part) / 20.0
    waves = [torch.sin(2 * math.pi * TONES[word] * time) for word in words]
    wave = F.pad(torch.cat(waves), (0, length - part * len(words)))
    return wave + 0.05 * torch.from_numpy(rng.normal(size=length))


class Listener(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(11, 12, kernel_size=3, padding=1)
        self.head = nn.Linear(12, len(TONES) + 1)

    def forward(self, waves):
        frames = waves.unfold(-1, 20, 10) * torch.hann_window(20)
        power = torch.fft.rfft(frames).abs().square()
        features = torch.log1p(power).transpose(1, 2)
        h = F.silu(self.conv(features))
        return self.head(h.permute(2, 0, 1)).log_softmax(dim=-1)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    sentences = [[0, 1], [2], [1, 2, 0], [0, 0], [2, 1]]
    waves = torch.stack([speak(words, rng) for words in sentences])
    targets = torch.tensor([word + 1 for words in sentences for word in words])  # 0 is the blank
    target_lengths = torch.tensor([len(words) for words in sentences])

    model = draw_weights(Listener())
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
    ctc = nn.CTCLoss(blank=0, zero_infinity=True)
    losses = []
    for _ in range(30):
        log_probs = model(waves)
        input_lengths = torch.full((len(sentences),), log_probs.size(0), dtype=torch.long)
        loss = ctc(log_probs, targets, input_lengths, target_lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    heard = torch.unique_consecutive(log_probs[:, 0].argmax(dim=-1))
    return losses + [float(word) for word in heard if word != 0]
