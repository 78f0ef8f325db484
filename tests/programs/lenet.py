"""LeNet, scaled to 8×8 digits: convolutions and pooling, then a classifier (LeCun et al., 1998)."""

import torch
import torch.nn.functional as F
from torch import nn, optim

from drawn import digits, draw_weights


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(6, 12, kernel_size=3)
        self.fc1 = nn.Linear(12, 24)
        self.fc2 = nn.Linear(24, 10)

    def forward(self, x):
        x = F.max_pool2d(torch.tanh(self.conv1(x)), 2)
        x = F.avg_pool2d(torch.tanh(self.conv2(x)), 2)
        x = x.view(x.size(0), -1)
        x = F.relu(self.fc1(x))
        return F.log_softmax(self.fc2(x), dim=-1)


def main() -> list[float]:
    pixels, labels = digits(160)
    images = torch.from_numpy(pixels).unsqueeze(1)
    targets = torch.from_numpy(labels)

    model = draw_weights(LeNet())
    optimizer = optim.Adam(model.parameters(), lr=1e-2)
    schedule = optim.lr_scheduler.StepLR(optimizer, step_size=20, gamma=0.5)

    losses = []
    for step in range(40):
        batch = slice(step % 5 * 32, step % 5 * 32 + 32)
        optimizer.zero_grad(set_to_none=True)
        loss = F.nll_loss(model(images[batch]), targets[batch])
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses
