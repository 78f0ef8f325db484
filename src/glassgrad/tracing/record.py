"""`record(loss)`: the log of a backward pass; `snapshot(loss)`: the graph as it is, without one."""

from collections.abc import Callable, Iterable
from typing import Any

from glassgrad.core.backward import backward_task
from glassgrad.core.engine import Grads, Schedule
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.graph import Node, get_gradient_edge
from glassgrad.core.tensor import Tensor

from .events import Trace
from .graph import Graph
from .log import Log
from .summary import ArrayTable


def record(
    tensors: Tensor | Iterable[Tensor],
    gradient: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    values: str = "summary",
) -> Trace:
    """Run `tensors.backward(...)` and return the log of it.

    The pass is the real one: gradients are accumulated, hooks run, saved tensors are freed.

    Args:
        tensors: the output to differentiate, or several.
        gradient, retain_graph, create_graph, inputs: as for `backward`.
        values: "summary" keeps shape, range, norm and the first elements of each array; "full"
            keeps all elements.

    Returns:
        A Trace: `.save(path)` writes it, `draw` and `player` show it.

    Raises:
        ArgumentError: if `values` is neither "summary" nor "full".
        GraphError and its kin: as `backward`. What is raised while the pass runs has the log up to
            there as its attribute `trace`.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> record((x * x).sum()).schedule()
        ['n2', 'n1', 'n0']
    """
    options = {"gradient": gradient, "retain_graph": retain_graph, "create_graph": create_graph}
    return watched(tensors, None, inputs=inputs, values=values, **options)


def watched(
    tensors: Tensor | Iterable[Tensor],
    look: Callable[[str, Node, Grads], None] | None,
    *,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    values: str = "summary",
) -> Trace:
    """As `record`, with an eye on the nodes while they are there.

    Args:
        look: called before each rule runs, with the id of its node, the node, which still has what
            it saved, and the gradients that it is about to be given, one per output.
        tensors, gradient, retain_graph, create_graph, inputs, values: as for `record`.
    """
    check_values(values)
    outputs = outputs_of(tensors, "record")
    task = backward_task(outputs, gradient, retain_graph, create_graph, inputs)
    task.tell_outer()
    log = Log(task, Graph(task.schedule, outputs), full=values == "full")
    try:
        if look is None:
            log.run()
        while look is not None and not task.is_over:
            log.step(task.step_here)
            turn = task.turn
            if turn is not None and turn.upcoming[0] == "apply":
                look(log.graph.node[turn.node], turn.node, turn.grads)
    finally:
        task.close()
    return log.trace()


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
    return Trace(Graph(schedule, outputs).describe(table), table.summaries, [])


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
