"""A U-Net of two levels (Ronneberger et al., 2015) that separates ink from paper."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from drawn import digits, draw_weights


def double_conv(in_channels, out_channels):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False),
        nn.GroupNorm(2, out_channels),
        nn.SiLU(),
        nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False),
        nn.GroupNorm(2, out_channels),
        nn.SiLU(),
    )


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1 = double_conv(1, 4)
        self.down2 = double_conv(4, 8)
        self.bottom = double_conv(8, 8)
        self.up2 = nn.ConvTranspose2d(8, 8, kernel_size=2, stride=2)
        self.conv2 = double_conv(16, 8)
        self.up1 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.conv1 = double_conv(12, 4)
        self.out = nn.Conv2d(4, 2, kernel_size=1)

    def forward(self, x):
        d1 = self.down1(x)
        d2 = self.down2(F.max_pool2d(d1, 2))
        x = self.bottom(F.max_pool2d(d2, 2))
        x = self.conv2(torch.cat([self.up2(x), d2], dim=1))
        x = self.conv1(torch.cat([self.up1(x), d1], dim=1))
        return self.out(x)


def dice_loss(logits, mask):
    ink = logits.softmax(dim=1)[:, 1]
    overlap = (ink * mask).sum(dim=(1, 2))
    return 1 - (2 * overlap + 1).div(ink.sum(dim=(1, 2)) + mask.sum(dim=(1, 2)) + 1).mean()


def main() -> list[float]:
    images = torch.from_numpy(digits(8)[0]).unsqueeze(1)
    mask = (images.squeeze(1) > 0.4).long()

    model = draw_weights(UNet())
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    weight = torch.tensor([0.4, 0.6])
    losses = []
    for _ in range(30):
        logits = model(images)
        loss = F.cross_entropy(logits, mask, weight=weight) + dice_loss(logits, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
