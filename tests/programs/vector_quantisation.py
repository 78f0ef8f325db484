"""A VQ-VAE (van den Oord et al., 2017): codes from a book, and gradients straight through them."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from drawn import digits, draw_weights


class Quantizer(nn.Module):
    def __init__(self, codes, width):
        super().__init__()
        self.book = nn.Embedding(codes, width)

    def forward(self, z):
        z = z.permute(0, 2, 3, 1).contiguous()
        flat = z.view(-1, z.shape[-1])
        distances = (
            torch.sum(flat**2, dim=1, keepdim=True)
            + torch.sum(self.book.weight**2, dim=1)
            - 2 * torch.matmul(flat, self.book.weight.t())
        )
        chosen = torch.argmin(distances, dim=1)
        q = self.book(chosen).view(z.shape)
        loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
        q = z + (q - z).detach()
        return q.permute(0, 3, 1, 2), loss, chosen


class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 8, 2, stride=2), nn.ReLU(), nn.Conv2d(8, 4, 1))
        self.quantizer = Quantizer(8, 4)
        self.decoder = nn.Sequential(nn.Conv2d(4, 4 * 4, 3, padding=1), nn.PixelShuffle(2))
        self.out = nn.Conv2d(4, 1, 1)

    def forward(self, x):
        q, loss, chosen = self.quantizer(self.encoder(x))
        return self.out(F.relu(self.decoder(q))), loss, chosen


def main() -> list[float]:
    images = torch.from_numpy(digits(16)[0]).unsqueeze(dim=1)
    model = draw_weights(VQVAE())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(40):
        picture, commitment, chosen = model(images)
        loss = F.mse_loss(picture, images) / images.var() + commitment
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    share = torch.bincount(chosen, minlength=8) / chosen.numel()
    perplexity = torch.exp(-torch.sum(share * torch.log(share + 1e-10)))
    return [*losses, perplexity.item()]
