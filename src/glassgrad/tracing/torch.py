"""Record and step PyTorch's own backward passes: the same log, and so the same pictures.

    from glassgrad.tracing import torch as watch
    trace = watch.record(loss, names=model)
    gg.draw(trace), gg.player(trace)

    with watch.step(loss) as session:
        session.run_until("MulBackward0")
        session.current.gradients

What is seen, and how: hooks before and after every node tell the order of the pass, each node's
gradients as they enter and leave its rule, and what users' hooks made of them; they are taken
away again, also after an error. What PyTorch does between two hooks follows from how its engine
works, and is written down so: that a node's saved tensors are read right before its rule
(`unpack`) and freed right after it (`free_saved`), and that its gradients arrive then (`buffer`,
`ready`; the sum in a buffer is computed again from its parts).

With `create_graph=True` the log has the graph that the pass left behind too, each node with the
one whose rule made it. A pass that fails has its log in the exception, as the attribute `trace`.

Where the forward pass ran within `torch.autograd.set_detect_anomaly(True)`, each node has the line
that made it.

What PyTorch does not show to Python, and is not in the log: the hooks of a tensor that is neither
a leaf, nor an output, nor in `names`; what a user's pack hook keeps; the gradient of a broadcast
before the engine sums it; the nodes of a pass inside of a pass; the time between two nodes of
different devices. Gradients that pass a node whose rule fails are in the log, its results are not.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.tracing._torch.recorder import Recorder, TorchGraph, is_tensor, named, the_torch
from glassgrad.tracing._torch.session import Session, Stop
from glassgrad.tracing.events import Trace
from glassgrad.tracing.log import check_values

__all__ = ["Session", "Stop", "record", "step"]


def record(
    tensors: Any,
    gradient: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    values: str = "summary",
    names: Any = None,
) -> Trace:
    """Run `torch.autograd.backward(tensors, …)` and return the log of it.

    The pass is the real one, and leaves the same `.grad` as without being watched.

    Args:
        tensors: the PyTorch tensor to differentiate, or several.
        gradient, retain_graph, create_graph, inputs: as for PyTorch's `backward`.
        values: "summary" keeps shape, range, norm and the first elements of each array; "full"
            keeps all elements.
        names: what tensors are called, for they have no names of their own: a dict, a module, or
            `locals()`.

    Returns:
        A Trace, as of `gg.record`: `draw`, `player` and `text_view` show it.

    Raises:
        ModuleNotFoundError: if PyTorch is not installed.
        ArgumentError: if `values` is neither "summary" nor "full".
        ArgumentTypeError: if `tensors` are none of PyTorch's, or `names` names nothing.
        RuntimeError and others: what PyTorch, or a hook, raises. It has the log up to there as
            its attribute `trace`.

    Example:
        >>> import torch
        >>> from glassgrad.tracing.torch import record
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> trace = record((x * x).sum(), names={"x": x})
        >>> [node["op"] for node in trace.nodes], trace.leaves[0]["name"]
        (['AccumulateGrad', 'MulBackward0', 'SumBackward0'], 'x')
        >>> trace.schedule(), x.grad
        (['n2', 'n1', 'n0'], tensor([2., 4.]))
    """
    options = {"retain_graph": retain_graph, "create_graph": create_graph}
    recorder, run = _prepare(tensors, gradient, inputs, values, names, **options)
    with recorder:
        recorder.run(run)
        recorder.close()
        return recorder.trace()


def step(
    tensors: Any,
    gradient: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    values: str = "summary",
    names: Any = None,
    timeout: float = 60.0,
) -> Session:
    """Pause PyTorch's real backward pass before each node.

    The pass runs in a thread of its own, which waits at each node until it is told to go on.
    Nothing is undone by leaving early: leaves that were reached keep their gradients, nodes that
    ran have freed what they saved.

    The session has the names of `gg.step`: `break_at`, `stopped_by`, `queue`, `saved`, `hooks`,
    `schedule`, `gradients`, `set_gradient`. What PyTorch's engine does not allow (`back`,
    `set_saved`, a breakpoint at a scope or a hook) says so.

    Args:
        tensors, gradient, retain_graph, create_graph, inputs, values, names: as for `record`.
        timeout: the seconds that one step may take.

    Returns:
        A Session, to be used in a `with`.

    Raises:
        As `record`. What the pass raises comes out of the step that ran into it, with its type.

    Example:
        >>> import torch
        >>> from glassgrad.tracing.torch import step
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> with step((x * x).sum()) as session:
        ...     stop = session.run_until("MulBackward0")
        ...     stop.edit(stop.gradients[0] * 10)
        ...     trace = session.run()
        >>> x.grad
        tensor([20., 40.])
    """
    options = {"retain_graph": retain_graph, "create_graph": create_graph}
    prepared = _prepare(tensors, gradient, inputs, values, names, **options)
    return Session(*prepared, timeout=timeout)


def _prepare(
    tensors: Any, gradient: Any, inputs: Any, values: str, names: Any, **options: Any
) -> tuple[Recorder, Any]:
    """What watches the pass, and the pass; `options` are its `retain_graph` and `create_graph`."""
    torch = the_torch()
    check_values(values)
    outputs = _listed(tensors, "tensors")
    wanted = None if inputs is None else _listed(inputs, "inputs")
    graph = TorchGraph(outputs, wanted, named(names))
    given = [gradient] if is_tensor(gradient) else gradient
    run = partial(torch.autograd.backward, outputs, given, inputs=wanted, **options)
    keep, recorded = options["retain_graph"], options["create_graph"]
    keep = recorded if keep is None else keep
    return Recorder(graph, keep_graph=keep, full=values == "full", recorded=recorded), run


def _listed(tensors: Any, what: str) -> list[Any]:
    is_one = is_tensor(tensors) or isinstance(tensors, Tensor) or not isinstance(tensors, Iterable)
    found = [tensors] if is_one else list(tensors)
    for item in found:
        if not is_tensor(item):
            raise ArgumentTypeError(
                f"{what} holds a {type(item).__module__}.{type(item).__name__}, which is no tensor "
                "of PyTorch. glassgrad.tracing.torch watches PyTorch's graphs. Pass a "
                "torch.Tensor; a tensor of glassgrad is recorded by `gg.record(loss)`."
            )
    return found
