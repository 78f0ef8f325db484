"""`snapshot(loss)`: the graph as it is now, as a trace without events."""

from collections.abc import Iterable
from typing import Any

from glassgrad.core.engine import Schedule
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.graph import get_gradient_edge
from glassgrad.core.tensor import Tensor

from .describing import Names, describe
from .events import Trace
from .summary import ArrayTable

__all__ = ["check_values", "outputs_of", "snapshot"]


def snapshot(tensors: Tensor | Iterable[Tensor], *, values: str = "summary") -> Trace:
    """The graph behind `tensors` as it is now, without running a pass.

    It can be taken before, during (in a hook) and after backward: the nodes are the same, and
    those that have let go of what they saved say so (`"freed": true`).

    Args:
        tensors: the output whose graph it is, or several.
        values: "summary" keeps shape, range, norm and the first elements of each array; "full"
            keeps all elements.

    Returns:
        A Trace without events: `draw` shows it, `compare` compares it.

    Raises:
        ArgumentError: if `values` is neither "summary" nor "full".
        ArgumentTypeError: if `tensors` are no Tensors.
        GraphError: if one of them does not require grad: it has no graph.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> loss = (x * x).sum()
        >>> snapshot(loss)
        Trace(3 nodes, 1 leaf, 0 events)
        >>> loss.backward()
        >>> [node.get("freed", False) for node in snapshot(loss).nodes]
        [False, True, False]
    """
    check_values(values)
    outputs = outputs_of(tensors, "snapshot")
    table = ArrayTable(full=values == "full")
    schedule = Schedule([get_gradient_edge(output).node for output in outputs])
    graph = describe(Names(schedule, outputs), table, outputs)
    return Trace(graph, table.summaries, [])


def outputs_of(tensors: Any, function: str, *, also: tuple[type, ...] = ()) -> list[Any]:
    """`tensors` as a list; `function` names in errors what was called, and takes `also` those."""
    kinds = (Tensor, *also)
    if isinstance(tensors, kinds):
        return [tensors]
    is_torch = type(tensors).__module__.partition(".")[0] == "torch"  # it would be iterated
    outputs = list(tensors) if isinstance(tensors, Iterable) and not is_torch else [tensors]
    for output in outputs:
        if not isinstance(output, kinds):
            remedy = f"Pass the loss: `glassgrad.{function}(loss)`."
            if is_torch:
                call = function if function == "step" else "record"
                remedy = f"For a graph of PyTorch write `glassgrad.tracing.torch.{call}(loss)`."
            raise ArgumentTypeError(
                f"{function}() takes a Tensor or several, got {type(output).__name__}. "
                f"A graph hangs on tensors. {remedy}"
            )
    if not outputs:
        raise ArgumentError(
            f"{function}() was given an empty {type(tensors).__name__}. A graph hangs on tensors, "
            f"and here is none. Pass the loss: `glassgrad.{function}(loss)`."
        )
    return outputs


def check_values(values: str) -> None:
    """Refuse what says nothing of how much of each array is kept."""
    if values not in ("summary", "full"):
        raise ArgumentError(
            f"values must be 'summary' or 'full', got {values!r}. It says how much of each array "
            'the log keeps. Write `values="summary"`.'
        )
