"""Advantage actor-critic: eight walkers at once look for the way out of a corridor."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from drawn import draw_weights

CELLS, WALKERS, STEPS, DISCOUNT = 6, 8, 5, 0.95


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(CELLS, 16)
        self.actor = nn.Linear(16, 2)
        self.critic = nn.Linear(16, 1)

    def forward(self, cells):
        h = F.relu(self.body(F.one_hot(cells, CELLS).to(torch.get_default_dtype())))
        return self.actor(h), self.critic(h).squeeze(-1)


def walk(cells, actions):
    """Move left or right; who arrives at the last cell is rewarded and begins anew."""
    cells = torch.clamp(cells + 2 * actions - 1, min=0)
    arrived = cells == CELLS - 1
    return torch.where(arrived, torch.zeros_like(cells), cells), arrived.double() - 0.05


def main() -> list[float]:
    rng = np.random.default_rng(0)
    model = draw_weights(ActorCritic())
    optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-3, alpha=0.9)
    cells = torch.zeros(WALKERS, dtype=torch.int64)

    losses = []
    for _ in range(30):
        log_probs, values, rewards, entropies = [], [], [], []
        for _step in range(STEPS):
            logits, value = model(cells)
            log_policy = logits.log_softmax(dim=-1)
            chance = torch.from_numpy(rng.uniform(size=WALKERS))
            actions = (chance < log_policy[:, 1].exp()).long()
            log_probs.append(log_policy.gather(1, actions[:, None]).squeeze(1))
            entropies.append(-(log_policy.exp() * log_policy).sum(-1))
            cells, reward = walk(cells, actions)
            values.append(value)
            rewards.append(reward)

        with torch.no_grad():
            _, outlook = model(cells)
        returns = []
        for reward in rewards[::-1]:
            outlook = reward + DISCOUNT * outlook
            returns.append(outlook)
        returns = torch.stack(returns[::-1])
        advantage = returns - torch.stack(values)

        actor_loss = -(torch.stack(log_probs) * advantage.detach()).mean()
        critic_loss = F.huber_loss(torch.stack(values), returns)
        loss = actor_loss + 0.5 * critic_loss - 0.01 * torch.stack(entropies).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        losses.append(loss.item())
    return losses
