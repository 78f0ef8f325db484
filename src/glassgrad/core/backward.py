"""`backward()` and `grad()`: what a user asks of the engine, checked before anything runs."""

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .backend import CPU_BACKEND, backend_of, whole
from .engine import GraphTask
from .errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    GradientError,
    GraphError,
    ShapeError,
    UnusedInputError,
)
from .graph import GradientEdge, edge_of
from .hooks import retain_grad
from .schedule import Edge, ends
from .tensor import LEAF, Tensor, wrap

__all__ = ["backward", "grad"]

Tensors = Tensor | GradientEdge | Iterable[Tensor | GradientEdge]


def backward(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Tensors | None = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves they were computed from.

    Args:
        tensors: the outputs to differentiate.
        grad_tensors: for each of them the gradient that arrives there, of its shape; None is
            allowed for a tensor of one element and means 1.
        retain_graph: keep the saved tensors, so that the graph can be used again. Default:
            `create_graph`.
        create_graph: record the pass, so that gradients can be differentiated.
        grad_variables: the old name of `grad_tensors`.
        inputs: accumulate only in these tensors, which may be non-leaves.

    Raises:
        GradientError: if an output needs a gradient and none, or a wrong one, is given.
        GraphError: if an output does not require grad.
        FreedGraphError: if the graph was used before without `retain_graph=True`.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> backward((x * x).sum())
        >>> x.grad
        tensor([2., 4.])

    See also: https://pytorch.org/docs/stable/generated/torch.autograd.backward.html
    """
    if grad_variables is not None:
        if grad_tensors is not None:
            raise GraphError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=2,
        )
        grad_tensors = grad_variables
    backward_task(tensors, grad_tensors, retain_graph, create_graph, inputs).run()


def backward_task(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> GraphTask:
    """The pass that `backward` runs, checked and not yet begun: for whoever wants to step it."""
    roots, grads = _roots(_sequence(tensors), grad_tensors, create_graph)
    keep = create_graph if retain_graph is None else retain_graph
    at = None if inputs is None else _accumulation_targets(_sequence(inputs))
    return GraphTask(roots, grads, keep_graph=keep, create_graph=create_graph, accumulate_at=at)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of the sum of `outputs` with respect to `inputs`; no `.grad` is touched.

    Args:
        outputs: the tensors to differentiate.
        inputs: the tensors with respect to which; leaves or not.
        grad_outputs: as `grad_tensors` of `backward`.
        retain_graph, create_graph: as for `backward`.
        only_inputs: deprecated, has no effect.
        allow_unused: give None for an input the outputs do not depend on, instead of an error.
        is_grads_batched: `grad_outputs` have one more dim in front; so have the results.
        materialize_grads: give zeros instead of None.

    Returns:
        One tensor of the input's shape and dtype for each input.

    Raises:
        UnusedInputError: if an input was not used, unless `allow_unused`.
        GradientError, GraphError, FreedGraphError: as `backward`.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> (dy,) = grad(x**3, x, create_graph=True)
        >>> grad(dy, x)
        (tensor(18.),)

    See also: https://pytorch.org/docs/stable/generated/torch.autograd.grad.html
    """
    if materialize_grads and allow_unused is False:
        raise ArgumentError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False. Zeros are what an unused input gets."
        )
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To "
            "accumulate gradient for other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    keep = create_graph if retain_graph is None else retain_graph
    wanted = _sequence(inputs)
    if is_grads_batched:
        return _batched(_sequence(outputs), wanted, grad_outputs, create_graph, allow_unused)
    roots, grads = _roots(_sequence(outputs), grad_outputs, create_graph)
    captures = [_target(x) for x in wanted]
    task = GraphTask(roots, grads, keep_graph=keep, create_graph=create_graph, captures=captures)
    task.run()
    results = _results(task.captured, allow_unused)
    return _zeros_for_none(results, wanted, create_graph) if materialize_grads else results


def _sequence(tensors: Any) -> list[Any]:
    """One tensor, one edge or several of them, as a list."""
    if isinstance(tensors, (Tensor, GradientEdge)):
        return [tensors]
    if isinstance(tensors, Iterable) and not isinstance(tensors, (str, bytes)):
        return list(tensors)
    raise ArgumentTypeError(
        f"expected Tensors or GradientEdges, got {type(tensors).__name__}. A pass goes from "
        "tensors to tensors. Pass a tensor, or a tuple of them."
    )


# Where the pass starts --------------------------------------------------------------------------


def _roots(
    outputs: Sequence[Any], grad_outputs: Any, create_graph: bool
) -> tuple[list[Edge], list[Any]]:
    """The edges of the outputs and the values of the gradients that arrive there."""
    given = [None] * len(outputs) if grad_outputs is None else _gradients(grad_outputs)
    if len(given) != len(outputs):
        raise GradientError(
            f"got {len(outputs)} tensors and {len(given)} gradients. Each output has one. "
            "Pass None for an output of one element."
        )
    edges: list[Edge] = []
    grads: list[Any] = []
    for output, gradient in zip(outputs, given, strict=True):
        edge, shape, dtype = _root(output, len(edges))
        if gradient is None:
            array = _one(output, shape, dtype)
            gradient = wrap(array) if create_graph else array
        else:
            gradient = _fitting(gradient, shape, dtype, len(edges))
            gradient = gradient if create_graph else gradient.payload
        edges.append(edge)
        grads.append(gradient)
    return edges, grads


def _gradients(grad_outputs: Any) -> list[Any]:
    if isinstance(grad_outputs, (list, tuple)):
        return list(grad_outputs)
    return [grad_outputs]


def _root(output: Any, position: int) -> tuple[Edge, tuple[int, ...], Any]:
    if isinstance(output, GradientEdge):
        shape, dtype = output.node._input_metadata[output.output_nr]
        return _plain(output), shape, dtype
    if not isinstance(output, Tensor):
        raise ArgumentTypeError(
            f"element {position} of tensors is no Tensor but {type(output).__name__}. Only a "
            "tensor knows how it was computed. Differentiate a tensor that requires grad."
        )
    edge = edge_of(output)
    if edge is None:
        raise GraphError(
            f"element {position} of tensors does not require grad and does not have a grad_fn "
            f"(shape {tuple(output.shape)}). Nothing it was computed from requires grad, or it "
            "was made under no_grad(). Set requires_grad=True on the leaves first."
        )
    return edge, output.payload.shape, output.payload.dtype


def _plain(edge: GradientEdge) -> Edge:
    """The form in which the graph itself holds an edge."""
    return edge if edge.node.num_outputs > 1 else edge.node


def _one(output: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """The gradient of a one-element output with respect to itself."""
    if shape and math.prod(shape) != 1:
        raise GradientError(
            f"grad can be implicitly created only for scalar outputs, got shape {shape}. A "
            "gradient is that of one number. Reduce it, for example with `.sum()`, or pass "
            "`gradient=` of that shape."
        )
    if dtype.kind != "f":
        raise GradientError(
            f"grad can be implicitly created only for real scalar outputs but got {dtype}. "
            "Pass `gradient=`."
        )
    backend = backend_of(output.payload) if isinstance(output, Tensor) else CPU_BACKEND
    return backend.xp.array(1, dtype, ndmin=len(shape))


def _fitting(gradient: Any, shape: tuple[int, ...], dtype: Any, position: int) -> Tensor:
    """The gradient that was given for an output, in the output's dtype."""
    if not isinstance(gradient, Tensor):
        raise ArgumentTypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__} for "
            f"output {position}. The pass computes with tensors. "
            "Write `glassgrad.tensor(gradient)`."
        )
    if tuple(gradient.shape) != shape:
        raise GradientError(
            f"Mismatch in shape: grad_output[{position}] has a shape of "
            f"{list(gradient.shape)} and output[{position}] has a shape of {list(shape)}. The "
            "gradient of an output has the output's shape. Write `glassgrad.ones_like(output)` "
            "for the gradient of its sum."
        )
    if (gradient.dtype.kind == "c") != (dtype.kind == "c"):
        raise DTypeError(
            "For complex Tensors, both grad_output and output are required to have the same "
            f"dtype. Mismatch in dtype: grad_output[{position}] has a dtype of {gradient.dtype} "
            f"and output[{position}] has a dtype of {dtype}. Write `gradient.to(output.dtype)`."
        )
    return gradient if gradient.dtype == dtype else gradient.to(dtype)


# Where it goes ----------------------------------------------------------------------------------


def _accumulation_targets(inputs: list[Any]) -> set[Any]:
    """The nodes to run for `backward(inputs=…)`; a non-leaf keeps its gradient there."""
    if not inputs:
        raise ShapeError(
            "`inputs` argument to `backward()` cannot be empty. It names the tensors whose .grad "
            "will be filled, and there are none. Leave it out to fill that of all leaves."
        )
    targets = set()
    for x in inputs:
        node = ends(_target(x))[0]
        if isinstance(x, Tensor) and not x.is_leaf:
            retain_grad(x)
        targets.add(node)
    return targets


def _target(x: Any) -> Edge:
    if isinstance(x, GradientEdge):
        return _plain(x)
    if not isinstance(x, Tensor):
        raise ArgumentTypeError(
            "all inputs have to be Tensors or GradientEdges, but got "
            f"{type(x).__name__}. Gradients are taken with respect to tensors."
        )
    edge = edge_of(x)
    if edge is None:
        raise GraphError(
            "One of the differentiated Tensors does not require grad (shape "
            f"{tuple(x.shape)}). Nothing recorded how the outputs depend on it. "
            "Set requires_grad=True before computing them."
        )
    return edge


def _results(captured: list[Any], allow_unused: bool) -> tuple[Tensor | None, ...]:
    results: list[Tensor | None] = []
    for value in captured:
        if value is not None:
            results.append(value if isinstance(value, Tensor) else wrap(whole(value)))
        elif allow_unused:
            results.append(None)
        else:
            raise UnusedInputError(
                "One of the differentiated Tensors appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior. It is number "
                f"{len(results)} of the inputs."
            )
    return tuple(results)


def _zeros_for_none(
    results: tuple[Tensor | None, ...], inputs: list[Any], create_graph: bool
) -> tuple[Tensor | None, ...]:
    """`materialize_grads`: with create_graph, zeros that can be differentiated again."""
    filled: list[Tensor | None] = []
    for x, result in zip(inputs, results, strict=True):
        if result is None and isinstance(x, GradientEdge):
            raise GraphError(
                "materialize_grads cannot be used when the given input is a GradientEdge: there "
                f"is no tensor whose zeros input {len(filled)} could get. Pass the tensor."
            )
        if result is None:
            zeros = backend_of(x.payload).xp.zeros_like(x.payload)
            result = wrap(zeros, LEAF if create_graph else None)
        filled.append(result)
    return tuple(filled)


def _batched(
    outputs: list[Any], inputs: list[Any], grad_outputs: Any, create_graph: bool, unused: bool
) -> tuple[Tensor | None, ...]:
    """One pass for each entry of the first dim of `grad_outputs`, the results stacked."""
    given = _gradients(grad_outputs)
    for position, (output, gradient) in enumerate(zip(outputs, given, strict=True)):
        if tuple(gradient.shape[1:]) != tuple(output.shape):
            raise GradientError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                "as the batch dimension. The sizes of the remaining dimensions are expected to "
                f"match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{position}] has a shape of {gradient.shape} and output[{position}] "
                f"has a shape of {output.shape}."
            )
    rows = [
        grad(
            outputs,
            inputs,
            [g[row] for g in given],
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=unused,
        )
        for row in range(given[0].shape[0])
    ]
    columns: Any = zip(*rows, strict=True)  # of Tensors, which NumPy stacks by our rule
    stacked: list[Any] = [None if column[0] is None else np.stack(column) for column in columns]
    return tuple(stacked)
