"""`torch.autograd.variable`: the name Tensors had before they could require grad themselves."""

from glassgrad.core.tensor import Tensor

__all__ = ["Variable"]

Variable = Tensor
