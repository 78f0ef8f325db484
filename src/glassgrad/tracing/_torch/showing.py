"""A paused PyTorch pass as text: the sentences and rows that a glassgrad session prints as."""

from typing import TYPE_CHECKING, Any

from glassgrad.tracing import inspection
from glassgrad.tracing.inspection import Hook, Saved, gradients_in_words, plain, section

from .arrays import array_of, bytes_of, dtype_of
from .graph import Graph, is_leaf, memory_of, node_of, op_of, outputs_of
from .recorder import Recorder
from .saved import Saved as SavedTensor
from .saved import saved_by, version_now

if TYPE_CHECKING:
    from .turns import Stop

__all__ = [
    "Waiting",
    "copies",
    "gradients_of",
    "hooks_of",
    "label_of",
    "queue_of",
    "saved_of",
    "view",
]

_ORDER = ("tensor", "pre", "post_accumulate", "post")


class Waiting(inspection.Waiting):
    """A node that gradients are on their way to, which are PyTorch's tensors."""

    __slots__ = ()

    def __str__(self) -> str:
        arrays = [None if grad is None else array_of(grad) for grad in self.gradients]
        return inspection.Waiting.__str__(self._replace(gradients=tuple(arrays)))


def view(recorder: Recorder, stop: "Stop | None", state: str, why: str = "") -> str:
    """The whole session: a sentence, then lists that read from top to bottom.

    Args:
        recorder: what watches the pass.
        stop: where the pass waits, or None.
        state: what it is if it does not wait: "not begun", "under way" or "over".
        why: what the breakpoint says that it has stopped at.
    """
    done, total = recorder.done, len(recorder.graph.running)
    if stop is not None:
        return "\n".join(_paused(recorder, stop, why))
    if state == "over":
        if done < total:
            lines = [f"Closed after {done} of {total} nodes of the pass."]
        else:
            lines = [f"The pass is over: {done} of {total} nodes are done."]
        return "\n".join(lines + gradients_in_words(_arrays_of(recorder.graph)))
    return f"{state.capitalize()}: {done} of {total} nodes of the pass are done."


def _paused(recorder: Recorder, stop: "Stop", why: str) -> list[str]:
    graph, node = recorder.graph, stop.node
    place = f"node {recorder.done + 1} of {len(graph.running)} of the pass."
    how = "before it adds to .grad" if is_leaf(node) else "before its rule"
    label = label_of(graph, node)
    return [
        f"Paused at {label}, {how}: {place}" + (why and f" Stopped {why}."),
        *section("Queue:", map(str, queue_of(recorder, stop))),
        *section(f"Saved by {label}:", map(str, saved_of(recorder, node))),
        *section("Hooks here:", map(str, hooks_of(recorder, node))),
    ]


def label_of(graph: Graph, node: Any) -> str:
    """A node in a sentence: "n3 MulBackward0", "n0 AccumulateGrad of x"."""
    label = f"{graph.node[node]} {plain(op_of(node))}"
    return label + (f" of {_leaf_name(graph, node)}" if is_leaf(node) else "")


def _leaf_name(graph: Graph, node: Any) -> str:
    name = graph.label.get(id(node.variable))
    return graph.leaf[node] if name is None else plain(name)


def queue_of(recorder: Recorder, stop: "Stop") -> list[Waiting]:
    """The nodes that gradients have arrived at, the current one first."""
    graph = recorder.graph
    roots = [node_of(tensor) for tensor in graph.outputs]
    rows = [_waiting(recorder, stop.node, stop.gradients, roots)]
    for node in reversed(graph.nodes):  # newest first, as PyTorch takes them
        if node not in recorder.begun and (recorder.have[node] or node in roots):
            slots = range(outputs_of(node))
            grads = tuple(recorder.waiting.get((node, slot)) for slot in slots)
            rows.append(_waiting(recorder, node, grads, roots))
    return rows


def _waiting(recorder: Recorder, node: Any, grads: tuple[Any, ...], roots: list[Any]) -> Waiting:
    given = roots.count(node)
    arrived, expected = recorder.have[node] + given, recorder.need[node] + given
    graph = recorder.graph
    return Waiting(graph.node[node], node, label_of(graph, node), arrived, expected, copies(grads))


def saved_of(recorder: Recorder, node: Any) -> list[Saved]:
    """What `node` holds on to."""
    rows = []
    for name, tensor, version in _held(recorder, node):
        about = tuple(tensor.shape), dtype_of(tensor), bytes_of(tensor)
        owners = _owners(recorder, memory_of(tensor), node)
        rows.append(Saved(name, *about, version, version_now(tensor), owners))
    return rows


def _held(recorder: Recorder, node: Any) -> list[SavedTensor]:
    """What `node` has saved, also when the pass is not under way."""
    items = recorder.saved.get(node)
    return saved_by(node) if items is None else items


def _owners(recorder: Recorder, memory: int, besides: Any) -> tuple[str, ...]:
    """Who holds a piece of memory, in words."""
    found, graph = [], recorder.graph
    for node in reversed(graph.nodes):
        if is_leaf(node):
            held, who = [node.variable], f"leaf {_leaf_name(graph, node)}"
        else:
            held = [saved.tensor for saved in _held(recorder, node)]
            who = label_of(graph, node)
        if node is not besides and any(memory_of(tensor) == memory for tensor in held):
            found.append(who)
    return tuple(found)


def hooks_of(recorder: Recorder, node: Any) -> list[Hook]:
    """The hooks at `node`, in the order in which they run."""
    entries = sorted(recorder.hooks.get(node, ()), key=lambda entry: _ORDER.index(entry["kind"]))
    function = recorder.functions
    return [
        Hook(entry["id"], entry["kind"], entry["name"], function[entry["id"]]) for entry in entries
    ]


def gradients_of(graph: Graph) -> dict[str, Any]:
    """The `.grad` of all leaves, by name (by id, "t0", if they have none)."""
    found: dict[str, Any] = {}
    for node, name in graph.leaf.items():
        label = graph.label.get(id(node.variable))
        found[name if label is None or label in found else label] = node.variable.grad
    return found


def _arrays_of(graph: Graph) -> dict[str, Any]:
    grads = gradients_of(graph).items()
    return {name: None if grad is None else array_of(grad) for name, grad in grads}


def copies(grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """Gradients to look at: writing to them changes nothing. Under `create_graph` the real ones."""
    return tuple(
        grad if grad is None or grad.requires_grad else grad.detach().clone() for grad in grads
    )
