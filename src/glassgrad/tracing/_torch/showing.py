"""A paused PyTorch pass as text: the sentences and rows that a glassgrad session prints as."""

from typing import TYPE_CHECKING, Any

from glassgrad.tracing.inspection import (
    Hook,
    Saved,
    Waiting,
    gradients_in_words,
    plain,
    section,
)

from .arrays import array_of, bytes_of, dtype_of
from .graph import Graph, is_leaf, memory_of, node_of, op_of, outputs_of
from .recorder import Recorder
from .saved import version_now

if TYPE_CHECKING:
    from .session import Stop

__all__ = ["view"]

_ORDER = ("tensor", "pre", "post_accumulate", "post")


def view(recorder: Recorder, stop: "Stop | None", state: str) -> str:
    """The whole session: a sentence, then lists that read from top to bottom.

    Args:
        recorder: what watches the pass.
        stop: where the pass waits, or None.
        state: what it is if it does not wait: "not begun", "under way" or "over".
    """
    done, total = recorder.done, len(recorder.graph.running)
    if stop is not None:
        return "\n".join(_paused(recorder, stop, done, total))
    if state == "over":
        if done < total:
            lines = [f"Closed after {done} of {total} nodes of the pass."]
        else:
            lines = [f"The pass is over: {done} of {total} nodes are done."]
        return "\n".join(lines + gradients_in_words(_gradients(recorder.graph)))
    return f"{state.capitalize()}: {done} of {total} nodes of the pass are done."


def _paused(recorder: Recorder, stop: "Stop", done: int, total: int) -> list[str]:
    graph, node = recorder.graph, stop.node
    how = "before it adds to .grad" if is_leaf(node) else "before its rule"
    label = _label(graph, node)
    return [
        f"Paused at {label}, {how}: node {done + 1} of {total} of the pass.",
        *section("Queue:", map(str, _queue(recorder, stop))),
        *section(f"Saved by {label}:", map(str, _saved(recorder, node))),
        *section("Hooks here:", map(str, _hooks(recorder, node))),
    ]


def _label(graph: Graph, node: Any) -> str:
    """A node in a sentence: "n3 MulBackward0", "n0 AccumulateGrad of x"."""
    label = f"{graph.node[node]} {plain(op_of(node))}"
    return label + (f" of {_leaf_name(graph, node)}" if is_leaf(node) else "")


def _leaf_name(graph: Graph, node: Any) -> str:
    name = graph.label.get(id(node.variable))
    return graph.leaf[node] if name is None else plain(name)


def _queue(recorder: Recorder, stop: "Stop") -> list[Waiting]:
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
    arrays: Any = tuple(None if grad is None else array_of(grad) for grad in grads)
    graph = recorder.graph
    return Waiting(graph.node[node], node, _label(graph, node), arrived, expected, arrays)


def _saved(recorder: Recorder, node: Any) -> list[Saved]:
    """What `node` holds on to."""
    rows = []
    for name, tensor, version in recorder.saved.get(node, ()):
        about = tuple(tensor.shape), dtype_of(tensor), bytes_of(tensor)
        owners = _owners(recorder, memory_of(tensor), node)
        rows.append(Saved(name, *about, version, version_now(tensor), owners))
    return rows


def _owners(recorder: Recorder, memory: int, besides: Any) -> tuple[str, ...]:
    """Who holds a piece of memory, in words."""
    found, graph = [], recorder.graph
    for node in reversed(graph.nodes):
        if is_leaf(node):
            held, who = [node.variable], f"leaf {_leaf_name(graph, node)}"
        else:
            held = [saved.tensor for saved in recorder.saved.get(node, ())]
            who = _label(graph, node)
        if node is not besides and any(memory_of(tensor) == memory for tensor in held):
            found.append(who)
    return tuple(found)


def _hooks(recorder: Recorder, node: Any) -> list[Hook]:
    """The hooks at `node`, in the order in which they run."""
    entries = sorted(recorder.hooks.get(node, ()), key=lambda entry: _ORDER.index(entry["kind"]))
    return [Hook(entry["id"], entry["kind"], entry["name"], None) for entry in entries]


def _gradients(graph: Graph) -> dict[str, Any]:
    """The `.grad` of all leaves, by name (by id, "t0", if they have none)."""
    found: dict[str, Any] = {}
    for node, name in graph.leaf.items():
        label = graph.label.get(id(node.variable))
        grad = node.variable.grad
        name = name if label is None or label in found else label
        found[name] = None if grad is None else array_of(grad)
    return found
