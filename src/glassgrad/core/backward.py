"""`backward()`: what a user asks of the engine, checked before anything runs.

PyTorch's functions `backward` and `grad` start a pass in the same way (`autograd/gradients.py`).
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ArgumentTypeError, GradientError, TransformError
from .graph import Edge, GradientEdge, edge_of, plain
from .state import Shape, modes, plugs
from .tensor import PLAIN, Tensor, wrap

if TYPE_CHECKING:
    from glassgrad.hooks.turn import GraphTask

Tensors = Tensor | GradientEdge | Iterable[Tensor | GradientEdge]


def backward(
    tensor: Tensors,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Run a backward pass from here: `autograd.backward(self, …)`."""
    if create_graph:
        plugs.calls.warn(
            "Using backward() with create_graph=True will create a reference cycle between the "
            "parameter and its gradient which can cause a memory leak. Write `autograd.grad(…)`, "
            "or set `.grad` to None after use."
        )
    try:
        backward_task(tensor, gradient, retain_graph, create_graph, inputs).run()
    except Exception as error:
        plugs.checks.tell(error, tensor)
        raise


def backward_task(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> "GraphTask":
    """The pass that `backward` runs, checked and not yet begun: for whoever wants to step it."""
    if modes.levels:
        raise TransformError(
            "backward() called inside a functorch transform. This is not supported: a transform "
            "leaves no .grad, and its levels are not the tape. Please use grad or vjp of "
            "glassgrad.func instead, or call backward() outside of the transform. To see the pass "
            "of a transform, write `with glassgrad.tracing.watching() as passes:` around it."
        )
    goals = None if inputs is None else plugs.checks.not_empty(as_list(inputs))
    start = start_of(as_list(tensors), grad_tensors, retain_graph, create_graph)
    at = None if goals is None else plugs.checks.accumulation_targets(goals)
    return plugs.task(**start, accumulate_at=at)  # type: ignore[no-any-return]  # of a GraphTask


def start_of(
    outputs: list[Any], grad_outputs: Any, retain_graph: bool | None, create_graph: bool
) -> dict[str, Any]:
    """Where a pass starts, and how it is to run: arguments of a `Pass`."""
    given = gradients_given(outputs, grad_outputs)
    lift = create_graph or is_seen([*outputs, *given])
    roots, grads = find_roots(outputs, given, lift)
    return {
        "roots": roots,
        "grads": grads,
        "keep_graph": create_graph if retain_graph is None else retain_graph,
        "create_graph": create_graph,
        "lift": lift,
    }


def as_list(tensors: Any) -> list[Any]:
    """One tensor, one edge or several of them, as a list."""
    if isinstance(tensors, (Tensor, GradientEdge)):
        return [tensors]
    if isinstance(tensors, Iterable) and not isinstance(tensors, (str, bytes)):
        return list(tensors)
    raise ArgumentTypeError(
        f"expected Tensors or GradientEdges, got {type(tensors).__name__}. A pass goes from "
        "tensors to tensors. Pass a tensor, or a tuple of them."
    )


def find_roots(
    outputs: Sequence[Any], given: Sequence[Any], as_tensors: bool
) -> tuple[list[Edge], list[Any]]:
    """The edges of the outputs and the gradients that arrive there: arrays, or Tensors."""
    edges: list[Edge] = []
    grads: list[Any] = []
    for output, gradient in zip(outputs, given, strict=True):
        edge, shape, dtype = root(output, len(edges), gradient)
        if gradient is None:
            start = wrap(one(output, shape, dtype))
        else:
            start = plugs.checks.given(gradient, shape, dtype, len(edges))
        edges.append(edge)
        grads.append(start if as_tensors else start.payload)
    return edges, grads


def is_seen(tensors: list[Any]) -> bool:
    """Whether a transform sees an output, or a gradient that is given: values are Tensors then.

    So they are while tensors have tangents, which may hang on any that was saved.
    """
    if modes.duals is not None and modes.duals.is_used():
        return True
    for x in tensors:
        if x is None or x.__class__ in PLAIN:
            continue
        of_level = x.__class__ is GradientEdge and hasattr(x.node, "_level")
        if of_level or hasattr(getattr(x, "payload", None), "level"):
            return True
    return False


def gradients_given(outputs: Sequence[Any], grad_outputs: Any) -> list[Any]:
    """What was given as the gradient of each output, None where nothing was."""
    if grad_outputs is None:
        return [None] * len(outputs)
    given = list(grad_outputs) if isinstance(grad_outputs, (list, tuple)) else [grad_outputs]
    if len(given) != len(outputs):
        raise GradientError(
            f"got {len(outputs)} tensors and {len(given)} gradients. Each output has one. "
            "Pass None for an output of one element."
        )
    return given


def root(output: Any, position: int, gradient: Any = None) -> tuple[Edge, tuple[int, ...], Any]:
    """The edge of an output that a gradient was given for, its shape and its dtype."""
    if isinstance(output, GradientEdge):
        shape, dtype = output.node._input_metadata[output.output_nr]
        return plain(output), shape, dtype
    edge = edge_of(output) if isinstance(output, Tensor) else None
    if edge is None:
        raise plugs.checks.no_root(output, position, gradient)
    return edge, output.payload.shape, output.payload.dtype


def one(output: Any, shape: Shape, dtype: Any) -> Any:
    """The gradient of a one-element output with respect to itself."""
    if shape and math.prod(shape) != 1:
        raise GradientError(
            f"grad can be implicitly created only for scalar outputs, got shape {shape}. A "
            "gradient is that of one number. Reduce it, for example with `.sum()`, or pass "
            "`gradient=` of that shape (to `autograd.grad`, `grad_outputs=`)."
        )
    if dtype.kind != "f":
        raise GradientError(
            f"grad can be implicitly created only for real scalar outputs but got {dtype}. "
            "Pass `gradient=`."
        )
    like = output.payload if isinstance(output, Tensor) else None
    if like is None or type(like) is np.ndarray:
        return np.array(1, dtype, ndmin=len(shape))
    return np.ones_like(like, dtype, shape=shape)
