"""`backward()` and `grad()`: gradients that are left in leaves, and gradients that are returned."""

import importlib
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from glassgrad.core import backward as engine
from glassgrad.core import errors
from glassgrad.core.graph import Edge, GradientEdge, edge_of, ends, plain
from glassgrad.core.state import Shape, plugs
from glassgrad.core.tensor import LEAF, Tensor, as_tensor, wrap
from glassgrad.hooks.turn import GraphTask
from glassgrad.memory.calls import warn

# What PyTorch says where `get_gradient_edge` is asked of a tensor that has none.
NO_EDGE = "It is not possible to get the gradient edge for a Tensor that does not require gradients"


def backward(
    tensors: engine.Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: engine.Tensors | None = None,
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
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise errors.GraphError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if isinstance(tensors, (list, tuple)) and not tensors:
        return
    engine.backward(tensors, grad_tensors, retain_graph, create_graph, inputs)


def grad(
    outputs: engine.Tensors,
    inputs: engine.Tensors,
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
        raise errors.ArgumentError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False. Zeros are what an unused input gets."
        )
    if not only_inputs:
        warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To "
            "accumulate gradient for other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
        )
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    goals = engine.as_list(inputs)
    if not goals:
        raise errors.ShapeError(
            "`inputs` argument to `grad()` cannot be empty. It names the tensors whose gradients "
            "are wanted, and there are none. Write backward() to fill the .grad of all leaves."
        )
    starts = engine.as_list(outputs)

    def run(grads: Any) -> list[Any]:
        start = engine.start_of(starts, grads, retain_graph, create_graph)
        task = GraphTask(**start, captures=[target(x) for x in goals])
        task.run()
        return task.captured

    try:
        batch = _batch_of(starts, grad_outputs) if is_grads_batched else None
        if batch is None:
            captured = run(grad_outputs)
        else:
            captured = in_one_pass(run, batch) if batch else [None] * len(goals)
    except Exception as error:
        tell(error, starts)
        raise
    results: list[Tensor | None] = []
    given = engine.gradients_given(starts, grad_outputs)
    known = {id(_owner(x.payload)): x for x in given if x is not None}
    known |= {id(x.payload): x for x in known.values()}
    for x, value in zip(goals, captured, strict=True):
        if value is None and not allow_unused:
            unused = importlib.import_module("glassgrad.reasons.cuts").unused_error(
                f"The differentiated Tensor at index {len(results)} appears to not have been used "
                "in the graph. Set allow_unused=True if this is the desired behavior: its gradient "
                "is None then.",
                starts,
                x,
            )
            raise unused
        if value is None and materialize_grads:
            if isinstance(x, GradientEdge):
                raise errors.GraphError(
                    "materialize_grads cannot be used when the given input is a GradientEdge: "
                    f"there is no tensor whose zeros input {len(results)} could get. Pass the "
                    "tensor."
                )
            value = wrap(np.zeros_like(x.payload), LEAF if create_graph else None)
        results.append(_tensor_of(value, known))
    return tuple(results)


def _tensor_of(value: Any, known: dict[int, Tensor]) -> Tensor | None:
    """A gradient as a tensor; as the one that is known, if no rule has made another array.

    Args:
        known: the gradients that were given or returned, by the identity of their arrays, and of
            those in whose memory they lie. Who shares memory shares its version.
    """
    if type(value) is not np.ndarray:
        return as_tensor(value)
    owner = _owner(value)
    beside = known.get(id(value), known.get(id(owner)))
    if beside is not None and beside.payload is value:
        return beside
    result = known[id(value)] = wrap(value)
    if beside is not None:
        result.cold_side().version = beside.version_counter()
    known.setdefault(id(owner), result)
    return result


def _owner(array: Any) -> Any:
    """The array in whose memory an array lies."""
    while type(array) is np.ndarray and type(array.base) is np.ndarray:
        array = array.base
    return array


def in_one_pass(run: Callable[[list[Tensor]], list[Any]], batch: list[Tensor]) -> list[Any]:
    """What `run` returns for each entry of the first dim of the gradients in `batch`, stacked.

    Transforms are imported when the first such pass begins: a program without any starts sooner.
    """
    transform = importlib.import_module("glassgrad.func.vmap")
    found: list[Any] = transform.map_batch(run, batch, batch[0].shape[0], "never")
    return found


def _batch_of(outputs: list[Any], grad_outputs: Any) -> list[Tensor]:
    """The gradients that were given, each with as many entries in its first dim."""
    batch = engine.gradients_given(outputs, grad_outputs)
    for position, (output, gradient) in enumerate(zip(outputs, batch, strict=True)):
        _, shape, dtype = engine.root(output, position)
        if gradient is None:
            gradient = wrap(engine.one(output, shape, dtype))
        gradient = must_be_tensor(gradient, position)
        if gradient.ndim == 0:
            raise errors.ArgumentError(
                f"is_grads_batched=True: Got in_dim=0 for grad_output[{position}], but that is a "
                "Tensor of dimensionality 0. Its first dim says how many gradients there are. "
                "Write `gradient.unsqueeze(0)` for one."
            )
        if tuple(gradient.shape[1:]) != shape:
            raise errors.GradientError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                "as the batch dimension. The sizes of the remaining dimensions are expected to "
                f"match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{position}] has a shape of {list(gradient.shape)} and "
                f"output[{position}] has a shape of {list(shape)}. Stack gradients of the output."
            )
    sizes = [gradient.shape[0] for gradient in batch]
    if len(set(sizes)) > 1:
        raise errors.ArgumentError(
            "is_grads_batched=True: Expected all tensors to have the same size in the mapped "
            f"dimension, got sizes {sizes} for the mapped dimension. Each pass takes one entry of "
            "each. Pass equally many for each output."
        )
    if 0 in sizes:
        raise errors.DimError(
            "index 0 is out of bounds for dimension 0 with size 0: is_grads_batched=True got no "
            "gradients at all, so the shape of the results is not known. Pass at least one."
        )
    return batch


# What a pass is given -----------------------------------------------------------------------------


def given(gradient: object, shape: Shape, dtype: Any, position: int) -> Tensor:
    """The gradient that was given for an output, in the output's dtype."""
    gradient = must_be_tensor(gradient, position, shape)
    array = gradient.payload
    if array.shape == shape and array.dtype == dtype:
        return gradient  # as nearly always
    if array.shape != shape:
        raise errors.GradientError(
            f"Mismatch in shape: grad_output[{position}] has a shape of "
            f"{list(gradient.shape)} and output[{position}] has a shape of {list(shape)}. The "
            "gradient of an output has the output's shape. Write `glassgrad.ones_like(output)` "
            "for the gradient of its sum."
        )
    if (gradient.dtype.kind == "c") != (dtype.kind == "c"):
        raise errors.DTypeError(
            "For complex Tensors, both grad_output and output are required to have the same "
            f"dtype. Mismatch in dtype: grad_output[{position}] has a dtype of {gradient.dtype} "
            f"and output[{position}] has a dtype of {dtype}. Write `gradient.to(output.dtype)`."
        )
    return gradient.to(dtype)


def nothing_recorded(output: Tensor, said: str = NO_EDGE) -> Exception:
    """The error for an output that has no place in a graph, of which PyTorch says `said`."""
    cuts = importlib.import_module("glassgrad.reasons.cuts")
    return cuts.nothing_recorded(output, said)  # type: ignore[no-any-return]  # an exception


def no_root(output: object, position: int, gradient: Any) -> Exception:
    """The error for a pass that starts where nothing is recorded; first, its gradient must fit."""
    if not isinstance(output, Tensor):
        return errors.ArgumentTypeError(
            f"element {position} of tensors is no Tensor but {type(output).__name__}. Only a "
            "tensor knows how it was computed. Differentiate a tensor that requires grad."
        )
    if gradient is not None:
        given(gradient, output.payload.shape, output.payload.dtype, position)
    said = f"element {position} of tensors does not require grad and does not have a grad_fn"
    return nothing_recorded(output, said)


def named(error: Exception) -> Exception:
    """The error of an op, which also says what the names in the user's line stand for."""
    calls = importlib.import_module("glassgrad.reasons.calls")
    return calls.named(error)  # type: ignore[no-any-return]  # the error


def shorten(error: BaseException) -> None:
    """Leave of an op's error the frames of the user's, and the one that refused."""
    importlib.import_module("glassgrad.reasons.tracebacks").without_first(error, 2)


def tell(error: Exception, outputs: Any) -> None:
    """Let an exception of a pass from `outputs` say what is known of it, in few frames."""
    importlib.import_module("glassgrad.reasons.passes").tell(error, outputs)


def must_be_tensor(gradient: object, position: int, shape: Shape = ()) -> Tensor:
    """The gradient that was given for an output of a shape, if it is a tensor; else an error."""
    if not isinstance(gradient, Tensor):
        remedy = "`glassgrad.tensor(gradient)`"
        if isinstance(gradient, bool):
            remedy = f"`retain_graph={gradient}`, if that is meant"
        elif isinstance(gradient, (int, float)) and shape:
            remedy = f"`glassgrad.full({shape}, {float(gradient)})`"
        raise errors.ArgumentTypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__} for "
            f"output {position + 1}. The pass computes with tensors. Write {remedy}."
        )
    return gradient


def not_empty(inputs: list[Any]) -> list[Any]:
    """The `inputs` of `backward`, of which there must be some."""
    if not inputs:
        raise errors.ShapeError(
            "`inputs` argument to `backward()` cannot be empty. It names the tensors whose .grad "
            "will be filled, and there are none. Leave it out to fill that of all leaves."
        )
    return inputs


def accumulation_targets(inputs: list[Any]) -> set[Any]:
    """The nodes to run for `backward(inputs=…)`; a non-leaf keeps its gradient there."""
    for x in inputs:
        if isinstance(x, Tensor):
            plugs.hooks.retain_grad(x)
    return {ends(target(x))[0] for x in inputs}


def target(x: Any) -> Edge:
    """The edge of an input: where its gradient arrives."""
    if isinstance(x, GradientEdge):
        return plain(x)
    if not isinstance(x, Tensor):
        raise errors.ArgumentTypeError(
            "all inputs have to be Tensors or GradientEdges, but got "
            f"{type(x).__name__}. Gradients are taken with respect to tensors."
        )
    edge = edge_of(x)
    if edge is None:
        raise errors.GraphError(
            "One of the differentiated Tensors does not require grad (shape "
            f"{tuple(x.shape)}). Nothing recorded how the outputs depend on it. "
            "Set requires_grad=True before computing them."
        )
    return edge


def clear_gradients(tensors: Iterable[Tensor], *, set_to_none: bool) -> None:
    """Forget the gradients of some tensors; or make them zero, out of the graph."""
    for tensor in tensors:
        grad = tensor.grad
        if set_to_none or grad is None:
            tensor.grad = None
            continue
        if grad.grad_fn is not None:
            grad.detach_()
        grad.requires_grad_(False).zero_()


plugs.checks = sys.modules[__name__]
