"""Where a pass starts: the outputs, and the gradients that were given for them, checked."""

import math
from collections.abc import Sequence
from typing import Any

from glassgrad.base.backend import CPU_BACKEND
from glassgrad.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    DimError,
    DTypeError,
    GradientError,
    GraphError,
)
from glassgrad.core.graph import GradientEdge, edge_of
from glassgrad.core.layers import Wrapped, backend_below
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor, wrap

from .schedule import Edge

__all__ = ["batch_of", "find_roots", "is_seen", "plain"]


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
        if x.__class__ is Wrapped or (x.__class__ is GradientEdge and hasattr(x.node, "_level")):
            return True
    if grad_outputs is None:
        return False
    given = grad_outputs if isinstance(grad_outputs, (list, tuple)) else (grad_outputs,)
    return any(gradient.__class__ is Wrapped for gradient in given)


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
    backend = backend_below(output.payload) if isinstance(output, Tensor) else CPU_BACKEND
    return backend.xp.array(1, dtype, ndmin=len(shape))


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
