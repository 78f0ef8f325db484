"""A Wasserstein GAN with gradient penalty (Gulrajani et al., 2017), on 8×8 digits."""

import numpy as np
import torch
from torch import autograd, nn, optim

from drawn import digits, draw_weights


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, 4, 4, 2, 1, bias=False),
            nn.LayerNorm([4, 4, 4]),
            nn.LeakyReLU(0.2),
            nn.Conv2d(4, 1, 4, 1, 0),
        )

    def forward(self, image):
        return self.main(image).view(-1)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(6, 8, 4, 1, 0, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU(True),
            nn.ConvTranspose2d(8, 1, 4, 2, 1),
            nn.Tanh(),
        )

    def forward(self, noise):
        return self.main(noise[:, :, None, None])


def gradient_penalty(critic, real, fake, mixture):
    between = (mixture * real + (1 - mixture) * fake).requires_grad_(True)
    scores = critic(between)
    (slopes,) = autograd.grad(
        outputs=scores,
        inputs=between,
        grad_outputs=torch.ones_like(scores),
        create_graph=True,
        retain_graph=True,
    )
    return ((slopes.flatten(1).norm(2, dim=1) - 1) ** 2).mean()


def main() -> list[float]:
    rng = np.random.default_rng(0)
    images = torch.from_numpy(digits(48)[0]).unsqueeze(1) * 2 - 1
    critic, generator = draw_weights(Critic(), seed=1), draw_weights(Generator(), seed=2)
    optimizer_c = optim.Adam(critic.parameters(), lr=1e-3, betas=(0.0, 0.9))
    optimizer_g = optim.Adam(generator.parameters(), lr=1e-3, betas=(0.0, 0.9))

    losses = []
    for step in range(30):
        real = images[step % 3 * 16 : step % 3 * 16 + 16]
        fake = generator(torch.from_numpy(rng.normal(size=(16, 6))))
        mixture = torch.from_numpy(rng.uniform(size=(16, 1, 1, 1)))

        loss_c = critic(fake.detach()).mean() - critic(real).mean()
        loss_c = loss_c + 10 * gradient_penalty(critic, real, fake.detach(), mixture)
        optimizer_c.zero_grad()
        loss_c.backward()
        optimizer_c.step()
        losses.append(loss_c.item())

        if step % 3 == 2:
            for parameter in critic.parameters():
                parameter.requires_grad_(False)
            loss_g = -critic(fake).mean()
            optimizer_g.zero_grad()
            loss_g.backward()
            optimizer_g.step()
            losses.append(loss_g.item())
            for parameter in critic.parameters():
                parameter.requires_grad_(True)
    return losses
