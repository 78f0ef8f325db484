"""The backward graph: nodes, edges, what they saved, and the hooks that hang on them.

    x = tensor([1., 2.], requires_grad=True)         y.grad_fn ──> MulBackward0
    y = x * x                                                     │        │
                                                        edge 1    │        │  edge 2
                                                                  ▼        ▼
                                                               AccumulateGrad ──.variable──> x

A node is what `backward` gets as `ctx`, and what `grad_fn` shows. An *edge* says which output of
which older node a gradient belongs to. Single-output nodes are their own edge, which keeps the
graph small; `GradientEdge(node, output_nr)` is the edge of all others.

# Note [Edges point to older nodes]
# Edges are looked up before the node takes its number: no cycles, and newest first is the schedule.

# Note [One compare finds a write]
# In-place writes draw numbers from the counter that numbers nodes. A node newer than the latest
# write anywhere holds nothing stale: one comparison. Otherwise the engine compares the version
# each tensor had when it was saved with the version it has now.
"""

import sys
import weakref
from types import CodeType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from . import state
from .state import Func, Names, Shape, Values, plugs
from .tensor import LEAF, Pending, Tensor, Version

if TYPE_CHECKING:
    from glassgrad.hooks.on_gradients import NodeHooks, RemovableHandle


class GradientEdge(NamedTuple):
    """Which output of which node a gradient belongs to.

    Attributes:
        node: the node that made the tensor, an `AccumulateGrad` for a leaf.
        output_nr: the position of the tensor among the node's outputs.
        ownership_token: keeps alive what the node alone would not; None for nodes in Python.
    """

    node: "Node"
    output_nr: int = 0
    ownership_token: object = None


class Metadata(NamedTuple):
    """What a node knows of one of its outputs: the gradient that comes back looks like this."""

    shape: Shape
    dtype: "np.dtype[Any] | None"


class Node:
    """One step of the backward graph; the `ctx` of the op that made it.

    Attributes:
        edges: where the gradients of the op's operands go, one per operand: a node (its only
            output), a `GradientEdge`, or None for an operand that needs no gradient.
        seq: its number; an edge leads to a smaller one.
        out_shape, out_dtype: of the output; tuples of those if there are several outputs.
        checked: whether the engine must look at the gradients the rule returns (fit them to the
            operands' shape and dtype).
        saved_tensors: what was saved for backward.
        holders: the tensors behind `saved_tensors`, None where only the array was kept.
        caller_code, caller_offset: the instruction that called the op; unset if nobody noted it.
        versions: by position, (version, count) of what had one when it was saved.
        cold: hooks and metadata, once there are any.
        calls: marks of the modules whose output it made (`autograd/scopes.py`); unset without.
        _level: the transform that recorded it; unset on the tape itself.
    """

    __slots__ = (
        "__weakref__",
        "_level",
        "caller_code",
        "caller_offset",
        "calls",
        "cold",
        "edges",
        "out_dtype",
        "out_shape",
        "seq",
    )

    edges: "tuple[Node | GradientEdge | None, ...]"
    seq: int
    out_shape: Any
    out_dtype: Any
    checked: bool = False
    saved_tensors: Any = ()
    holders: Any = None
    caller_code: CodeType
    caller_offset: int
    calls: Values
    versions: dict[int, tuple[Version, int]] | None = None
    cold: "NodeHooks | None"
    _level: Any

    # Whether the engine may run `backward(grad)` on bare arrays, one in and one per edge out.
    _is_quick: ClassVar[bool] = False
    # Whether a user wrote its rule: what that returns is checked, and shown to hooks as it is.
    _is_users: ClassVar[bool] = False
    _saved_names: ClassVar[Names] = ()

    def name(self) -> str:
        """The node's name, as `grad_fn` shows it: "MulBackward0"."""
        return type(self).__name__

    def op_name(self) -> str:
        """The name of the op, as messages have it: "Mul"."""
        return type(self).__name__.rpartition("Backward")[0] or type(self).__name__

    @property
    def next_functions(self) -> "tuple[tuple[Node | None, int], ...]":
        """The node's edges as PyTorch shows them: (node, output number) or (None, 0)."""
        # An exact tuple: `tuple(map(…))` leaves pools of longer ones.
        return (*map(ends, self.edges),)

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """For each operand, whether its gradient is wanted."""
        return tuple([edge is not None for edge in self.edges])

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dict of your own that lives as long as the node."""
        return self.hooks().metadata

    @property
    def _input_metadata(self) -> list[Metadata]:
        if isinstance(self.out_dtype, tuple):
            return list(map(Metadata, self.out_shape, self.out_dtype))
        return [Metadata(self.out_shape, self.out_dtype)]

    def _sequence_nr(self) -> int:
        return self.seq

    @property
    def num_outputs(self) -> int:
        """How many gradients the node is given."""
        return len(self._input_metadata)

    def hooks(self) -> "NodeHooks":
        """The cold side, made on first use."""
        if self.cold is None:
            self.cold = plugs.hooks.NodeHooks()
        return self.cold

    def register_hook(self, fn: Func) -> "RemovableHandle":
        """Call `fn(grad_inputs, grad_outputs)` after the node has run.

        Args:
            fn: gets two tuples of tensors (None where there is no gradient); may return a tuple
                that replaces `grad_inputs`, the gradients with respect to the op's operands.

        Returns:
            A handle whose `remove()` takes the hook away.

        Example:
            >>> y = tensor(3.0, requires_grad=True) * 2
            >>> handle = y.grad_fn.register_hook(lambda gin, gout: print(gout))
            >>> y.backward()
            (tensor(1.),)
        """
        return plugs.hooks.add_hook(self.hooks().post, fn)  # type: ignore[no-any-return]  # a handle

    def register_prehook(self, fn: Func) -> "RemovableHandle":
        """Call `fn(grad_outputs)` before the node runs; a returned tuple replaces its gradients.

        Example:
            >>> x = tensor(3.0, requires_grad=True)
            >>> y = x * 2
            >>> handle = y.grad_fn.register_prehook(lambda gout: (gout[0] * 10,))
            >>> y.backward()
            >>> x.grad
            tensor(20.)
        """
        return plugs.hooks.add_prehook(self, fn)  # type: ignore[no-any-return]  # a handle

    def compute(self, grads: Values, recorded: bool) -> Values:
        """What the node's rule makes of `grads`: one gradient per edge, None where there is none.

        Args:
            grads: one per output; arrays, or Tensors if `recorded`, the mode of `create_graph`.
        """
        raise NotImplementedError

    def release(self) -> None:
        """Let go of what was saved; touching it later raises FreedGraphError."""


class AccumulateGrad(Node):
    """The end of an edge at a leaf: adds what arrives to the leaf's `.grad`.

    A leaf refers to it weakly, so graphs come and go without reference cycles; while any graph
    uses the leaf, all of them share this one node.
    """

    __slots__ = ("variable",)

    variable: Tensor
    edges = ()  # the same for all of them, so that making one sets two attributes
    seq = sys.maxsize
    out_shape = out_dtype = None

    def name(self) -> str:
        """The node's name: that of a C++ class, in PyTorch."""
        return f"torch::autograd::{type(self).__name__}"

    @property
    def _input_metadata(self) -> list[Metadata]:
        return [Metadata(self.variable.payload.shape, self.variable.payload.dtype)]


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The node that accumulates into `leaf.grad`, made if no graph uses the leaf yet."""
    cold = leaf.cold or leaf.cold_side()
    if cold.accumulator is not None:
        found: AccumulateGrad | None = cold.accumulator()
        if found is not None:
            return found
    made = object.__new__(AccumulateGrad)
    made.variable = leaf
    made.cold = None
    cold.accumulator = weakref.ref(made)
    return made


Edge = Node | GradientEdge


def edge_of(tensor: Tensor) -> Edge | None:
    """The edge of a tensor; an AccumulateGrad for a leaf that requires grad."""
    edge = tensor.edge
    return edge.settle(tensor) if edge.__class__ is Pending else edge  # type: ignore[no-any-return]  # it is Any


LEAF.settle = accumulator


def ends(edge: Edge | None) -> tuple[Any, int]:
    """The node at the end of an edge, and which output of it is meant; (None, 0) for no edge."""
    return edge[:2] if isinstance(edge, GradientEdge) else (edge, 0)


def plain(edge: GradientEdge) -> Edge:
    """The form in which the graph itself holds an edge."""
    return edge if edge.node.num_outputs > 1 else edge.node


def number(node: Any) -> None:
    """Give a node whose edges are known its number, and tell whoever wants to know of it."""
    node.seq = state.next_seq()
    for note in state.noting:
        note(node)
    if state.special and state.modes.scope is not None:
        state.modes.scope.note(node)


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge at which the gradient of `tensor` arrives.

    Args:
        tensor: one that requires grad.

    Returns:
        A GradientEdge, which `grad` and `backward` accept instead of the tensor.

    Raises:
        GraphError: if `tensor` does not require grad.

    Example:
        >>> get_gradient_edge(tensor(1.0, requires_grad=True)).node.name()
        'torch::autograd::AccumulateGrad'
    """
    edge = edge_of(tensor)
    if edge is None:
        raise plugs.checks.nothing_recorded(tensor)
    return edge if isinstance(edge, GradientEdge) else GradientEdge(edge, 0)
