"""`torch.autograd.graph`: the nodes and edges of a backward graph."""

from glassgrad.autograd._graph_task import (
    _current_autograd_node,
    _current_graph_task_id,
    _will_engine_execute_node,
)
from glassgrad.autograd._node_call import call_node
from glassgrad.autograd.multi_grad import register_multi_grad_hook
from glassgrad.autograd.mutation import allow_mutation_on_saved_tensors, increment_version
from glassgrad.autograd.saved_hooks import (
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, get_gradient_edge
from glassgrad.core.saved import PrimitiveNode

__all__ = [
    "AccumulateGrad",
    "GradientEdge",
    "Node",
    "_current_autograd_node",
    "_current_graph_task_id",
    "_will_engine_execute_node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]

# The tape itself never calls a node. A user's node is no function either: its backward is one.
for _made_callable in (PrimitiveNode, AccumulateGrad):
    _made_callable.__call__ = call_node  # type: ignore[method-assign]  # of `type`, says mypy
