"""What is done to the parameters of modules, and to their inputs: `torch.nn.utils`'s names."""

from typing import Any

from glassgrad.nn.utils import fusion, parametrizations, parametrize, prune, rnn, stateless
from glassgrad.nn.utils._renamed import (
    remove_spectral_norm,
    remove_weight_norm,
    spectral_norm,
    weight_norm,
)
from glassgrad.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from glassgrad.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from glassgrad.nn.utils.fusion import (
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
)

__all__ = [
    # gradients
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    # layers
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "fusion",
    # parameters
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_spectral_norm",
    "remove_weight_norm",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
    # sequences
    "rnn",
]


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module of a class and its arguments, whose parameters nobody need rely on.

    They are drawn all the same: to leave that out saves nothing here.
    """
    return module_cls(*args, **kwargs)
