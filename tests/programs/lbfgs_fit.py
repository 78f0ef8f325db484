"""Two peaks on a sloping ground, fitted to a measured spectrum by L-BFGS."""

import numpy as np
import torch


class Spectrum(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ground = torch.nn.Parameter(torch.tensor([0.0, 0.0]))
        self.heights = torch.nn.Parameter(torch.tensor([1.0, 1.0]))
        self.centers = torch.nn.Parameter(torch.tensor([-1.0, 1.0]))
        self.log_widths = torch.nn.Parameter(torch.tensor([0.0, 0.0]))

    def forward(self, x):
        offset = (x[:, None] - self.centers) / self.log_widths.exp()
        peaks = self.heights / (1 + offset**2)
        return self.ground[0] + self.ground[1] * x + peaks.sum(dim=-1)


def main() -> list[float]:
    rng = np.random.default_rng(0)
    x = torch.linspace(-4, 4, 60)
    measured = 0.2 + 0.05 * x + 1.5 / (1 + (x + 1.5) ** 2) + 0.8 / (1 + (2 * (x - 0.8)) ** 2)
    measured = measured + torch.from_numpy(rng.normal(scale=0.02, size=60))

    model = Spectrum()
    optimizer = torch.optim.LBFGS(
        model.parameters(), lr=1, max_iter=5, history_size=10, line_search_fn="strong_wolfe"
    )
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), measured)
        loss.backward()
        losses.append(loss.item())
        return loss

    for _ in range(4):
        optimizer.step(closure)
    return losses + [value for p in model.parameters() for value in p.tolist()]
