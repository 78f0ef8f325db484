"""`torch.autograd.graph`: the nodes and edges of a backward graph."""

from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, get_gradient_edge

__all__ = ["AccumulateGrad", "GradientEdge", "Node", "get_gradient_edge"]
