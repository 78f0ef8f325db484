"""A picture gets the content of one digit and the style of another (Gatys et al., 2015)."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from drawn import digits, draw_weights


def gram_matrix(features):
    n, c, h, w = features.size()
    flat = features.view(n * c, h * w)
    return torch.mm(flat, flat.t()).div(n * c * h * w)


def total_variation(image):
    down = (image[:, :, 1:, :] - image[:, :, :-1, :]).abs().mean()
    right = (image[:, :, :, 1:] - image[:, :, :, :-1]).abs().mean()
    return down + right


def main() -> list[float]:
    pixels, _ = digits(2)
    content, style = torch.from_numpy(pixels)[:, None].split(1)
    extractor = nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(6, 8, 3, padding=1),
        nn.ReLU(),
    )
    draw_weights(extractor)
    extractor.eval().requires_grad_(False)

    kept = {}
    for name, layer in extractor.named_children():
        layer.register_forward_hook(lambda _layer, _x, y, name=name: kept.update({name: y}))

    def features(image):
        kept.clear()
        extractor(image)
        return dict(kept)

    wanted_content = features(content)["2"].detach()
    wanted_style = {name: gram_matrix(y).detach() for name, y in features(style).items()}

    image = content.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([image], lr=0.05)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        seen = features(image)
        content_loss = F.mse_loss(seen["2"], wanted_content)
        style_loss = sum(F.mse_loss(gram_matrix(seen[n]), wanted_style[n]) for n in wanted_style)
        loss = content_loss + 100 * style_loss + 0.01 * total_variation(image)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            image.clamp_(0, 1)
        losses.append(loss.item())
    return losses
