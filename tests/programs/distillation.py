"""A small network learns from a large one's soft answers (Hinton et al., 2015)."""

import torch
import torch.nn.functional as F
from torch import nn

from drawn import digits, draw_weights

TEMPERATURE, SHARE = 4.0, 0.7


def main() -> list[float]:
    pixels, labels = digits(96)
    images, labels = torch.from_numpy(pixels).reshape(96, 64), torch.from_numpy(labels)
    teacher = draw_weights(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)), seed=1)
    student = draw_weights(nn.Sequential(nn.Linear(64, 6), nn.PReLU(), nn.Linear(6, 10)), seed=2)

    losses = []
    optimizer = torch.optim.SGD(teacher.parameters(), lr=0.2, momentum=0.9)
    for _ in range(30):
        loss = F.cross_entropy(teacher(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    teacher.eval()
    for parameter in teacher.parameters():
        parameter.requires_grad = False

    optimizer = torch.optim.Adam(student.parameters(), lr=0.02, amsgrad=True)
    distance = nn.KLDivLoss(reduction="batchmean")
    for _ in range(30):
        with torch.no_grad():
            soft_targets = F.softmax(teacher(images) / TEMPERATURE, dim=-1)
        logits = student(images)
        soft_loss = distance(F.log_softmax(logits / TEMPERATURE, dim=-1), soft_targets)
        hard_loss = F.cross_entropy(logits, labels)
        loss = SHARE * TEMPERATURE**2 * soft_loss + (1 - SHARE) * hard_loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
