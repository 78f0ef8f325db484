"""Optimisers: what turns gradients into steps, with PyTorch's names, arguments and numbers."""

from glassgrad.optim.adam import Adam
from glassgrad.optim.optimizer import Optimizer
from glassgrad.optim.sgd import SGD

__all__ = ["SGD", "Adam", "Optimizer"]
