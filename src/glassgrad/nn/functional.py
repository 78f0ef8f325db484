"""The ops that networks are made of, under the names of `torch.nn.functional`."""

from glassgrad.ops.activations import log_softmax, relu, sigmoid, softmax, threshold, threshold_
from glassgrad.ops.linalg import linear
from glassgrad.ops.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    mse_loss,
    nll_loss,
)
from glassgrad.ops.trigonometric import tanh

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "linear",
    "log_softmax",
    "mse_loss",
    "nll_loss",
    "relu",
    "sigmoid",
    "softmax",
    "tanh",
    "threshold",
    "threshold_",
]
