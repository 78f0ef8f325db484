"""REINFORCE (Williams, 1992): a cart is pushed to the middle of its track."""

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

from drawn import draw_weights


class Cart:
    """A cart on a line. Each step it is pushed left or right; near the middle it is rewarded."""

    def reset(self, rng):
        self.position, self.speed = rng.uniform(-1, 1), 0.0
        return np.array([self.position, self.speed])

    def step(self, action):
        self.speed = 0.9 * self.speed + (0.1 if action == 1 else -0.1)
        self.position += self.speed
        return np.array([self.position, self.speed]), 1.0 - abs(self.position)


def draw(distribution, rng):
    """An action by its probability, with NumPy's random numbers."""
    passed = distribution.probs.detach().cumsum(-1) < rng.uniform()
    return passed.sum().clamp(max=distribution.probs.size(-1) - 1)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    policy = draw_weights(nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2)))
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
    cart = Cart()

    losses = []
    for _episode in range(30):
        state, log_probs, rewards = cart.reset(rng), [], []
        for _ in range(10):
            distribution = Categorical(logits=policy(torch.from_numpy(state)))
            action = draw(distribution, rng)
            log_probs.append(distribution.log_prob(action))
            state, reward = cart.step(action.item())
            rewards.append(reward)

        returns = []
        total = 0.0
        for reward in reversed(rewards):
            total = reward + 0.9 * total
            returns.insert(0, total)
        returns = torch.tensor(returns)
        returns = (returns - returns.mean()) / (returns.std() + 1e-8)

        loss = torch.stack([-p * r for p, r in zip(log_probs, returns)]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
