"""`backward()` and `grad()`: what a user asks of the engine, checked before anything runs."""

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .engine import GraphTask
from .errors import (
    ArgumentError,
    ArgumentTypeError,
    DimError,
    DTypeError,
    GradientError,
    GraphError,
    ShapeError,
    TransformError,
    UnusedInputError,
)
from .graph import Edge, GradientEdge, edge_of, ends
from .state import modes, plugs
from .tensor import LEAF, PLAIN, Tensor, whole, wrap

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
        TransformError: inside a transform.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> backward((x * x).sum())
        >>> x.grad
        tensor([2., 4.])

    See also: https://pytorch.org/docs/stable/generated/torch.autograd.backward.html
    """
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=2,
        )
        if grad_tensors is not None:
            raise GraphError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    backward_task(tensors, grad_tensors, retain_graph, create_graph, inputs).run()


def from_tensor(
    tensor: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Run a backward pass from here: `autograd.backward(self, …)`."""
    backward(tensor, gradient, retain_graph, create_graph, inputs=inputs)


def backward_task(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> GraphTask:
    """The pass that `backward` runs, checked and not yet begun: for whoever wants to step it."""
    if modes.levels:
        raise TransformError(
            "backward() called inside a functorch transform. This is not supported: a transform "
            "leaves no .grad, and its levels are not the tape. Please use grad or vjp of "
            "glassgrad.func instead, or call backward() outside of the transform. To see the pass "
            "of a transform, write `with glassgrad.tracing.watching() as passes:` around it."
        )
    outputs = _sequence(tensors)
    lift = create_graph or is_seen(outputs, grad_tensors)
    roots, grads = find_roots(outputs, grad_tensors, lift)
    keep = create_graph if retain_graph is None else retain_graph
    at = None if inputs is None else _accumulation_targets(_sequence(inputs))
    return GraphTask(
        roots, grads, keep_graph=keep, create_graph=create_graph, lift=lift, accumulate_at=at
    )


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
    if not wanted:
        raise ShapeError(
            "`inputs` argument to `grad()` cannot be empty. It names the tensors whose gradients "
            "are wanted, and there are none. Write backward() to fill the .grad of all leaves."
        )
    run = _captured_in_batch if is_grads_batched else _captured
    captured = run(_sequence(outputs), wanted, grad_outputs, keep, create_graph)
    results = _results(captured, allow_unused)
    return _zeros_for_none(results, wanted, create_graph) if materialize_grads else results


def _captured(
    outputs: list[Any], inputs: list[Any], grad_outputs: Any, keep: bool, create_graph: bool
) -> list[Any]:
    """Run one pass; returns the gradients of `inputs`, None where nothing arrived."""
    lift = create_graph or is_seen(outputs, grad_outputs)
    roots, grads = find_roots(outputs, grad_outputs, lift)
    captures = [_target(x) for x in inputs]
    task = GraphTask(
        roots, grads, keep_graph=keep, create_graph=create_graph, lift=lift, captures=captures
    )
    task.run()
    return task.captured


def _captured_in_batch(
    outputs: list[Any], inputs: list[Any], grad_outputs: Any, keep: bool, create_graph: bool
) -> list[Any]:
    """Run one pass for all entries of the first dim of `grad_outputs` at once."""
    batch = batch_of(outputs, grad_outputs)
    if not batch:
        return [None] * len(inputs)
    assert batched is not None, "glassgrad.autograd is imported"
    return batched(lambda grads: _captured(outputs, inputs, grads, keep, create_graph), batch)


batched: Callable[[Callable[..., list[Any]], list[Tensor]], list[Any]] | None = None
"""Runs a pass on a batch of gradients as if on one. It is a transform, known in `autograd`."""


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
            plugs.hooks.retain_grad(x)
        targets.add(node)
    return targets


def _target(x: Any) -> Edge:
    if isinstance(x, GradientEdge):
        return plain(x)
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
                f"The differentiated Tensor at index {len(results)} appears to not have been used "
                "in the graph. Set allow_unused=True if this is the desired behavior: its gradient "
                "is None then."
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
            result = wrap(np.zeros_like(x.payload), LEAF if create_graph else None)
        filled.append(result)
    return tuple(filled)


# Where it starts --------------------------------------------------------------------------------


def find_roots(
    outputs: Sequence[Any], grad_outputs: Any, as_tensors: bool
) -> tuple[list[Edge], list[Any]]:
    """The edges of the outputs and the gradients that arrive there: arrays, or Tensors."""
    given = _gradients(outputs, grad_outputs)
    edges: list[Edge] = []
    grads: list[Any] = []
    for output, gradient in zip(outputs, given, strict=True):
        edge, shape, dtype = _root(output, len(edges))
        if gradient is None:
            array = _one(output, shape, dtype)
            gradient = wrap(array) if as_tensors else array
        else:
            gradient = _fitting(gradient, shape, dtype, len(edges))
            gradient = gradient if as_tensors else gradient.payload
        edges.append(edge)
        grads.append(gradient)
    return edges, grads


def is_seen(outputs: Sequence[Any], grad_outputs: Any) -> bool:
    """Whether a transform sees an output, or a gradient that is given: values are Tensors then.

    So they are while tensors have tangents, which may hang on any that was saved.
    """
    if modes.duals is not None and modes.duals.is_used():
        return True
    for x in outputs:
        if x.__class__ in PLAIN:
            continue
        if _is_wrapped(x) or (x.__class__ is GradientEdge and hasattr(x.node, "_level")):
            return True
    if grad_outputs is None:
        return False
    given = grad_outputs if isinstance(grad_outputs, (list, tuple)) else (grad_outputs,)
    return any(_is_wrapped(gradient) for gradient in given)


def _is_wrapped(x: Any) -> bool:
    return isinstance(x, Tensor) and x.__class__ not in PLAIN and hasattr(x.payload, "level")


def _gradients(outputs: Sequence[Any], grad_outputs: Any) -> list[Any]:
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


def batch_of(outputs: Sequence[Any], grad_outputs: Any) -> list[Tensor]:
    """The gradients that were given, each with as many entries in its first dim."""
    batch = _gradients(outputs, grad_outputs)
    for position, (output, gradient) in enumerate(zip(outputs, batch, strict=True)):
        _, shape, dtype = _root(output, position)
        if gradient is None:
            gradient = wrap(_one(output, shape, dtype))
        gradient = _must_be_tensor(gradient, position)
        if gradient.ndim == 0:
            raise ArgumentError(
                f"is_grads_batched=True: Got in_dim=0 for grad_output[{position}], but that is a "
                "Tensor of dimensionality 0. Its first dim says how many gradients there are. "
                "Write `gradient.unsqueeze(0)` for one."
            )
        if tuple(gradient.shape[1:]) != shape:
            raise GradientError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                "as the batch dimension. The sizes of the remaining dimensions are expected to "
                f"match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{position}] has a shape of {list(gradient.shape)} and "
                f"output[{position}] has a shape of {list(shape)}. Stack gradients of the output."
            )
    sizes = [gradient.shape[0] for gradient in batch]
    if len(set(sizes)) > 1:
        raise ArgumentError(
            "is_grads_batched=True: Expected all tensors to have the same size in the mapped "
            f"dimension, got sizes {sizes} for the mapped dimension. Each pass takes one entry of "
            "each. Pass equally many for each output."
        )
    if 0 in sizes:
        raise DimError(
            "index 0 is out of bounds for dimension 0 with size 0: is_grads_batched=True got no "
            "gradients at all, so the shape of the results is not known. Pass at least one."
        )
    return batch


def _root(output: Any, position: int) -> tuple[Edge, tuple[int, ...], Any]:
    if isinstance(output, GradientEdge):
        shape, dtype = output.node._input_metadata[output.output_nr]
        return plain(output), shape, dtype
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


def plain(edge: GradientEdge) -> Edge:
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
    like = output.payload if isinstance(output, Tensor) else None
    if like is None or type(like) is np.ndarray:
        return np.array(1, dtype, ndmin=len(shape))
    return np.ones_like(like, dtype, shape=shape)


def _fitting(given: Any, shape: tuple[int, ...], dtype: Any, position: int) -> Tensor:
    """The gradient that was given for an output, in the output's dtype."""
    gradient = _must_be_tensor(given, position)
    array = gradient.payload
    if array.shape == shape and array.dtype == dtype:
        return gradient  # as nearly always
    if array.shape != shape:
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
    return gradient.to(dtype)


def _must_be_tensor(gradient: object, position: int) -> Tensor:
    if not isinstance(gradient, Tensor):
        raise ArgumentTypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__} for "
            f"output {position}. The pass computes with tensors. "
            "Write `glassgrad.tensor(gradient)`."
        )
    return gradient
