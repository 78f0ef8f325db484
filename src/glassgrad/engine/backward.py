"""`backward()` and `grad()`: what a user asks of the engine, checked before anything runs."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from glassgrad.base.backend import backend_of, whole
from glassgrad.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    GraphError,
    ShapeError,
    TransformError,
    UnusedInputError,
)
from glassgrad.core.graph import GradientEdge, edge_of, ends
from glassgrad.core.hooks import retain_grad
from glassgrad.core.state import modes
from glassgrad.core.tensor import LEAF, Tensor, wrap

from .roots import batch_of, find_roots, is_seen, plain
from .schedule import Edge
from .task import GraphTask

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
            retain_grad(x)
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
            zeros = backend_of(x.payload).xp.zeros_like(x.payload)
            result = wrap(zeros, LEAF if create_graph else None)
        filled.append(result)
    return tuple(filled)
