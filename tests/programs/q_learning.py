"""Deep Q-learning with a replay memory and a target network (Mnih et al., 2015), on a grid."""

import copy
from collections import deque
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

from drawn import draw_weights

SIDE, DISCOUNT, TAU = 4, 0.9, 0.1
MOVES = ((0, 1), (0, -1), (1, 0), (-1, 0))


class Transition(NamedTuple):
    state: Any
    action: int
    reward: float
    next_state: Any
    done: bool


def step(place, action):
    """Move on the grid; the goal is the last corner."""
    moved = tuple(min(max(p + d, 0), SIDE - 1) for p, d in zip(place, MOVES[action]))
    done = moved == (SIDE - 1, SIDE - 1)
    return moved, (1.0 if done else -0.1), done


class DQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(2, 16)
        self.value = nn.Linear(16, 1)
        self.advantage = nn.Linear(16, 4)

    def forward(self, x):
        x = torch.relu(self.layer1(x))
        advantage = self.advantage(x)
        return self.value(x) + advantage - advantage.mean(dim=1, keepdim=True)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    policy_net = draw_weights(DQN())
    target_net = copy.deepcopy(policy_net)
    target_net.load_state_dict(policy_net.state_dict())
    optimizer = optim.AdamW(policy_net.parameters(), lr=5e-3, amsgrad=True)
    memory = deque(maxlen=200)
    criterion = nn.SmoothL1Loss()

    losses = []
    place = (0, 0)
    for number in range(80):
        state = torch.tensor(place, dtype=torch.get_default_dtype())
        if rng.uniform() < max(0.2, 1 - number / 40):
            action = int(rng.integers(4))
        else:
            with torch.no_grad():
                action = policy_net(state.unsqueeze(0)).max(1).indices.item()
        place, reward, done = step(place, action)
        next_state = torch.tensor(place, dtype=torch.get_default_dtype())
        memory.append(Transition(state, action, reward, next_state, done))
        if done:
            place = (0, 0)
        if len(memory) < 16:
            continue

        sample = [memory[i] for i in rng.choice(len(memory), size=16, replace=False)]
        batch = Transition(*zip(*sample))
        states, next_states = torch.stack(batch.state), torch.stack(batch.next_state)
        actions = torch.tensor(batch.action).unsqueeze(1)
        q = policy_net(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            outlook = target_net(next_states).max(1)[0]
            outlook[torch.tensor(batch.done)] = 0.0
        loss = criterion(q, torch.tensor(batch.reward) + DISCOUNT * outlook)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
        optimizer.step()

        target = target_net.state_dict()
        learned = policy_net.state_dict()
        for key in learned:
            target[key] = learned[key] * TAU + target[key] * (1 - TAU)
        target_net.load_state_dict(target)
        losses.append(loss.item())
    return losses
