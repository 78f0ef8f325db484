"""The ops that networks are made of, under the names of `torch.nn.functional`."""

from glassgrad.core.tensor import Tensor
from glassgrad.ops import activations
from glassgrad.ops.activations import log_softmax, sigmoid, softmax
from glassgrad.ops.affine import linear
from glassgrad.ops.inplace_elementwise import relu_
from glassgrad.ops.losses import cross_entropy, mse_loss, nll_loss
from glassgrad.ops.transcendental import tanh

__all__ = [
    "cross_entropy",
    "linear",
    "log_softmax",
    "mse_loss",
    "nll_loss",
    "relu",
    "sigmoid",
    "softmax",
    "tanh",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`max(input, 0)`.

    Args:
        input: tensor of any shape.
        inplace: write the result into `input` and return that.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        LeafWriteError: with `inplace`, for a leaf that requires grad.

    Example:
        >>> relu(tensor([-1.0, 2.0]))
        tensor([0., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.relu.html
    """
    return relu_(input) if inplace else activations.relu(input)
