"""A recurrent network that learns to spell a sentence, letter by letter."""

import torch
from torch import nn

from drawn import draw_weights

TEXT = "the quick brown fox jumps over the lazy dog, and the dog did not mind at all. "


class CharRNN(nn.Module):
    def __init__(self, letters, hidden):
        super().__init__()
        self.embed = nn.Embedding(letters, 8)
        self.rnn = nn.RNN(8, hidden, nonlinearity="tanh", batch_first=True)
        self.head = nn.Linear(hidden, letters)

    def forward(self, indices, state=None):
        output, state = self.rnn(self.embed(indices), state)
        return self.head(output), state


def main() -> list[float]:
    letters = sorted(set(TEXT))
    number = {letter: index for index, letter in enumerate(letters)}
    text = torch.tensor([number[letter] for letter in TEXT]).view(2, -1)

    model = draw_weights(CharRNN(len(letters), 24))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    criterion = nn.CrossEntropyLoss()

    losses = []
    state = None
    for step in range(30):
        start = step % 3 * 13
        inputs, targets = text[:, start : start + 12], text[:, start + 1 : start + 13]
        logits, state = model(inputs, state)
        loss = criterion(logits.reshape(-1, len(letters)), targets.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        state = state.detach()  # the next part of the text goes on from here, without its past
        losses.append(loss.item())

    with torch.no_grad():
        letter, state = text[:1, :1], None
        for _ in range(5):
            logits, state = model(letter, state)
            letter = logits[:, -1].argmax(dim=-1, keepdim=True)
    losses.append(float(letter.item()))
    return losses
