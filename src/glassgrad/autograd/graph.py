"""`torch.autograd.graph`: the nodes and edges of a backward graph."""

from glassgrad.autograd.multi_grad import register_multi_grad_hook
from glassgrad.autograd.mutation import allow_mutation_on_saved_tensors
from glassgrad.autograd.saved_hooks import (
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, get_gradient_edge

__all__ = [
    "AccumulateGrad",
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]
