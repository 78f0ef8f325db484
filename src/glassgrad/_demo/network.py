"""The network of the demo, and the batch whose backward pass is shown.

A file of its own, for its lines are what the player shows beside the nodes.
"""

import math

from glassgrad.core.tensor import Tensor
from glassgrad.nn import Linear, Module
from glassgrad.nn.functional import cross_entropy, relu

__all__ = ["Network", "batch_loss", "clip"]

LONGEST = 0.01  # the norm to which `clip` cuts a gradient


class Network(Module):
    """Two layers: images of shape `(B, 64)` → `(B, width)` → scores of shape `(B, 10)`."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.hidden = Linear(64, width)
        self.output = Linear(width, 10)

    def forward(self, images: Tensor) -> Tensor:
        """The scores of the ten digits."""
        hidden = relu(self.hidden(images))
        hidden.name = "hidden"
        scores: Tensor = self.output(hidden)
        return scores


def batch_loss(network: Network, images: Tensor, labels: Tensor) -> Tensor:
    """The loss of a few images, with names and a hook for the player to show.

    Args:
        network: its parameters lose their `.grad`.
        images: of shape `(B, 64)`.
        labels: of shape `(B,)`.

    Returns:
        Tensor of shape `()`.
    """
    for parameter in network.parameters():
        parameter.grad = None
    images.name = "images"
    scores = network(images)
    scores.register_hook(clip)
    loss = cross_entropy(scores, labels)
    scores.name, loss.name = "scores", "loss"
    return loss


def clip(grad: Tensor) -> Tensor:
    """A hook: scale a gradient of a norm over `LONGEST` down to that norm.

    Args:
        grad: what arrives at the tensor that the hook hangs on, of any shape.

    Returns:
        Tensor of the same shape and direction.

    Example:
        >>> clip(tensor([3.0, 4.0]))
        tensor([0.0060, 0.0080])
    """
    norm = math.sqrt((grad * grad).sum().item())
    return grad * (LONGEST / norm) if norm > LONGEST else grad
