"""Recommendations: users and films as vectors, from the ratings that are known."""

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, Subset

from drawn import draw_weights


class Ratings(Dataset):
    def __init__(self, rng, users=12, films=10):
        taste, kind = rng.normal(size=(users, 2)), rng.normal(size=(films, 2))
        user, film = np.nonzero(rng.uniform(size=(users, films)) < 0.6)
        self.user, self.film = user, film
        self.rating = (taste[user] * kind[film]).sum(-1)

    def __len__(self):
        return len(self.rating)

    def __getitem__(self, index):
        return self.user[index], self.film[index], self.rating[index]


class Factors(nn.Module):
    def __init__(self, users=12, films=10, width=3):
        super().__init__()
        self.users = nn.Embedding(users, width)
        self.films = nn.Embedding(films, width, max_norm=3.0)
        self.bias = nn.EmbeddingBag(films, 1, mode="sum")

    def forward(self, user, film):
        likeness = torch.sum(self.users(user) * self.films(film), dim=-1)
        return likeness + self.bias(film.unsqueeze(1)).squeeze(1)


def main() -> list[float]:
    ratings = Ratings(np.random.default_rng(0))
    known = Subset(ratings, range(48))
    held_out = Subset(ratings, range(48, len(ratings)))
    loader = DataLoader(known, batch_size=16, shuffle=False, drop_last=True)

    model = draw_weights(Factors())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, weight_decay=1e-3)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=2)
    losses = []
    for _epoch in range(12):
        for user, film, rating in loader:
            loss = nn.functional.mse_loss(model(user, film), rating)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        with torch.no_grad():
            user, film, rating = next(iter(DataLoader(held_out, batch_size=len(held_out))))
            error = (model(user, film) - rating).abs().mean()
        plateau.step(error)
        losses += [error.item(), optimizer.param_groups[0]["lr"]]
    return losses
