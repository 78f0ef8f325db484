"""`record(loss)`: run a backward pass and write down everything the engine does."""

from collections.abc import Callable, Iterable
from typing import Any

from glassgrad.core.backward import backward_task
from glassgrad.core.graph import Node
from glassgrad.core.tensor import Tensor

from .describing import Names
from .events import Trace
from .log import Log
from .snapshot import check_values, outputs_of

__all__ = ["record"]


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
    look: Callable[[str, Node, tuple[Any, ...]], None] | None,
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
    log = Log(task, Names(task.schedule, outputs), outputs, full=values == "full")
    try:
        if look is None:
            log.run()
        while not task.is_over:
            log.step(task.step_here)
            turn = task.turn
            if look is not None and turn is not None and turn.upcoming[0] == "apply":
                look(log.names.node[turn.node], turn.node, turn.grads)
                log.forget()
    finally:
        task.close()
    return log.trace()
