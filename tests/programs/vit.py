"""A vision transformer (Dosovitskiy et al., 2021): digits as sixteen patches and a class token."""

import torch
from torch import nn

from drawn import digits, draw_weights


class ViT(nn.Module):
    def __init__(self, width=16, patch=2):
        super().__init__()
        self.patches = nn.Conv2d(1, width, kernel_size=patch, stride=patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.zeros(1, 17, width))
        layer = nn.TransformerEncoderLayer(
            d_model=width,
            nhead=4,
            dim_feedforward=32,
            dropout=0.0,
            activation="gelu",
            batch_first=True,
            norm_first=True,
        )
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 10))

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1) + self.positions
        return self.head(self.encoder(x)[:, 0])


def main() -> list[float]:
    pixels, labels = digits(24)
    images = torch.from_numpy(pixels)[:, None]
    targets = torch.from_numpy(labels)

    model = draw_weights(ViT())
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
    warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 10))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)

    losses = []
    for _ in range(30):
        loss = criterion(model(images), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        warmup.step()
        losses.append(loss.item())
    return losses
