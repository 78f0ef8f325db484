"""Proximal policy optimisation (Schulman et al., 2017): reach a point, with Gaussian actions."""

import numpy as np
import torch
import torch.nn as nn
from torch.distributions.normal import Normal

from drawn import draw_weights

HORIZON, WALKERS, CLIP = 8, 8, 0.2


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
        self.actor_mean = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
        self.actor_log_std = nn.Parameter(torch.zeros(1, 2))

    def act(self, x, noise):
        mean = self.actor_mean(x)
        return mean + noise * self.actor_log_std.exp()

    def evaluate(self, x, action):
        mean = self.actor_mean(x)
        spread = self.actor_log_std.expand_as(mean).exp()
        chances = Normal(mean, spread)
        return chances.log_prob(action).sum(-1), chances.entropy().sum(-1), self.critic(x).flatten()


def main() -> list[float]:
    rng = np.random.default_rng(0)
    agent = draw_weights(Agent())
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3, eps=1e-5)

    losses = []
    for _ in range(8):
        states = torch.zeros(HORIZON, WALKERS, 2)
        actions = torch.zeros(HORIZON, WALKERS, 2)
        log_probs = torch.zeros(HORIZON, WALKERS)
        rewards = torch.zeros(HORIZON, WALKERS)
        values = torch.zeros(HORIZON + 1, WALKERS)
        place = torch.from_numpy(rng.uniform(-1, 1, size=(WALKERS, 2)))
        with torch.no_grad():
            for t in range(HORIZON):
                states[t] = place
                actions[t] = agent.act(place, torch.from_numpy(rng.normal(size=(WALKERS, 2))))
                log_probs[t], _, values[t] = agent.evaluate(place, actions[t])
                place = torch.clip(place + 0.2 * actions[t], -2, 2)
                rewards[t] = -place.norm(dim=-1)
            values[HORIZON] = agent.critic(place).view(-1)

            advantages = torch.zeros_like(rewards)
            last = torch.zeros(WALKERS)
            for t in reversed(range(HORIZON)):
                delta = rewards[t] + 0.95 * values[t + 1] - values[t]
                advantages[t] = last = delta + 0.95 * 0.9 * last
            returns = advantages + values[:-1]

        states, actions = states.view(-1, 2), actions.view(-1, 2)
        old, advantages, returns = log_probs.view(-1), advantages.view(-1), returns.view(-1)
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        for order in [rng.permutation(HORIZON * WALKERS) for _epoch in range(2)]:
            for chosen in torch.from_numpy(order).chunk(2):
                log_prob, entropy, value = agent.evaluate(states[chosen], actions[chosen])
                ratio = (log_prob - old[chosen]).exp()
                plain = -advantages[chosen] * ratio
                clipped = -advantages[chosen] * torch.clamp(ratio, 1 - CLIP, 1 + CLIP)
                policy_loss = torch.max(plain, clipped).mean()
                value_loss = 0.5 * ((value - returns[chosen]) ** 2).mean()
                loss = policy_loss - 0.01 * entropy.mean() + 0.5 * value_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
                losses.append(loss.item())
    return losses
