"""A convolution, or a linear layer, and the batch norm behind it as one layer, for evaluation."""

import copy
from typing import Any

from glassgrad.core.errors import GraphError
from glassgrad.core.tensor import Tensor
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """The weight and the bias that do what a layer and a batch norm do after each other.

    Args:
        conv_w, conv_b: those of the layer.
        bn_rm, bn_rv, bn_eps: mean, variance and eps of the batch norm.
        bn_w, bn_b: its weight and bias; None: 1 and 0.
        transpose: whether dim 1 of the weight counts the outputs, not dim 0.
    """
    scale = (bn_rv + bn_eps).rsqrt() if bn_w is None else bn_w * (bn_rv + bn_eps).rsqrt()
    shift = -bn_rm if conv_b is None else conv_b - bn_rm
    shape = [1] * conv_w.ndim
    shape[int(transpose)] = -1
    bias = shift * scale if bn_b is None else shift * scale + bn_b
    weight = conv_w * scale.reshape(shape)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_w.requires_grad)


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A copy of a layer that does what it and the batch norm behind it do in evaluation.

    Args:
        conv: a convolution, in evaluation.
        bn: the batch norm, in evaluation.
        transpose: whether it is a transposed convolution.

    Raises:
        GraphError: if one of them is in training.

    Example:
        >>> from glassgrad import nn
        >>> layer, norm = nn.Conv2d(1, 2, 3).eval(), nn.BatchNorm2d(2).eval()
        >>> x = ones(1, 1, 4, 4)
        >>> allclose(fuse_conv_bn_eval(layer, norm)(x), norm(layer(x)), atol=1e-6)
        True
    """
    if conv.training or bn.training:
        raise GraphError(
            "Fusion only for eval! In training, a batch norm takes mean and variance of each "
            "batch. Write `model.eval()` first."
        )
    fused: Module = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        conv.weight,
        conv.bias,
        bn.running_mean,
        bn.running_var,
        bn.eps,
        bn.weight,
        bn.bias,
        transpose,
    )
    return fused


fuse_linear_bn_eval = fuse_conv_bn_eval
fuse_linear_bn_weights = fuse_conv_bn_weights
