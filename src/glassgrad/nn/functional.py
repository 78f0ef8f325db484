"""The ops that networks are made of, under the names of `torch.nn.functional`."""

from glassgrad.ops.activations import log_softmax, relu, sigmoid, softmax
from glassgrad.ops.affine import linear
from glassgrad.ops.entropy import cross_entropy
from glassgrad.ops.losses import mse_loss, nll_loss
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
