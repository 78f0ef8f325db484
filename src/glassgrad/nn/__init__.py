"""Networks: modules that own parameters, with PyTorch's names and import paths.

`Module` keeps parameters, buffers and submodules by name; `layers` are the usual ones;
`functional` has the same as plain functions; `init` fills parameters.
"""

from glassgrad.nn import functional, init
from glassgrad.nn.layers import (
    CrossEntropyLoss,
    Flatten,
    Identity,
    Linear,
    LogSoftmax,
    MSELoss,
    ReLU,
    Sequential,
    Sigmoid,
    Softmax,
    Tanh,
)
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Buffer, Parameter

__all__ = [
    # the base
    "Buffer",
    "Module",
    "Parameter",
    "functional",
    "init",
    # layers
    "Flatten",
    "Identity",
    "Linear",
    "Sequential",
    # activations
    "LogSoftmax",
    "ReLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
    # losses
    "CrossEntropyLoss",
    "MSELoss",
]
