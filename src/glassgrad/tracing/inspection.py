"""What a paused pass shows of itself: rows of data, and the sentences that they print as."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from .graph import Graph, is_leaf, op_of, plain
from .summary import batch_of, numbers, summarize

if TYPE_CHECKING:
    from .paused import Paused

_MOST_ROWS = 12


class Waiting(NamedTuple):
    """A node that gradients are on their way to.

    Attributes:
        id, node: which.
        label: how it is called in sentences: "n1 AccumulateGrad of x".
        arrived, expected: how many gradients have arrived there, of how many.
        gradients: the sum of them, one for each output of the node; None where none has arrived.
    """

    id: str
    node: Any
    label: str
    arrived: int
    expected: int
    gradients: tuple[Any, ...]

    def __str__(self) -> str:
        what = ", ".join(shown(grad) for grad in self.gradients if grad is not None)
        return f"{self.label}: {self.arrived} of {self.expected} arrived" + (what and f"; {what}")


class Saved(NamedTuple):
    """A tensor that a node saved for its rule.

    Attributes:
        name: what the rule calls it: "self", "result", "saved_tensors[0]".
        shape, dtype, bytes: what it is.
        version, now: the version of its memory when it was saved, and now; the rule refuses to
            run if they differ.
        shared_with: who else holds the same memory: other nodes, and the leaf or output itself.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    version: int
    now: int
    shared_with: tuple[str, ...]

    def __str__(self) -> str:
        version = f"saved at version {self.version}"
        if self.now != self.version:
            version += f", which is stale: it is at version {self.now} now"
        shared = f"; memory shared with {', '.join(self.shared_with)}" if self.shared_with else ""
        size = "1 byte" if self.bytes == 1 else f"{self.bytes:,} bytes"
        return f"{self.name} {self.shape} {self.dtype}, {size}, {version}{shared}"


# In words ---------------------------------------------------------------------------------------


def label_of(graph: Graph, node: Any) -> str:
    """A node in a sentence: "n3 MulBackward0", "n0 AccumulateGrad of x"."""
    label = f"{graph.node[node]} {plain(op_of(node))}"
    return f"{label} of {leaf_name(graph, node)}" if is_leaf(node) else label


def leaf_name(graph: Graph, node: Any) -> str:
    """A leaf in a sentence: its name, its id if it has none."""
    return plain(graph.label(node.variable) or graph.leaf[node])


def shown(grad: Any) -> str:
    """A gradient in a few words: shape, dtype, and its elements or its norm."""
    array, batch = numbers(grad), batch_of(grad)
    about = summarize(array, examples=len(batch))
    examples = "".join([f"{size} × " for size in batch])
    text = f"{examples}{tuple(about['shape'])} {about['dtype']}"
    if len(about["head"]) == array.size:
        values = [f"{x:.3g}" if isinstance(x, float) else str(x) for x in about["head"]]
        text += f" [{', '.join(values)}]"
    elif about["norm"] is not None:
        text += f", norm {about['norm']:.3g}"
    return text + "".join([f", {about[bad]} {bad}" for bad in ("nan", "inf") if bad in about])


def view(session: "Paused") -> str:
    """The whole session as text: a sentence, then lists that read from top to bottom."""
    total = len(session.schedule)
    done, node = f"{session.position} of {total} nodes", session._node
    if session.is_closed and not session.is_done:
        lines = [f"Closed after {done} of the pass."]
    elif session.is_done:
        lines = [f"The pass is over: {done} are done."]
    elif node is None:
        return f"{session._how()}: {done} of the pass are done."
    else:
        label = session.describe(node)
        why = f" Stopped {session.stopped_by.why}." if session.stopped_by else ""
        place = f"node {session.position + 1} of {total} of the pass"
        lines = [f"Paused at {label}{session._how()}: {place}.{why}"]
        lines += section("Queue:", map(str, session.queue))
        lines += section(f"Saved by {label}:", map(str, session.saved))
        return "\n".join(lines + section("Hooks here:", map(str, session.hooks)))
    pairs = session.gradients.items()
    rows = [f"{plain(n)}: {'none' if grad is None else shown(grad)}" for n, grad in pairs]
    return "\n".join(lines + section("Gradients:", rows))


def section(title: str, rows: Iterable[str]) -> list[str]:
    """A title and its rows as lines; nothing if there are no rows."""
    rows = list(rows)
    if not rows:
        return []
    more = [f"  … and {len(rows) - _MOST_ROWS:,} more"] if len(rows) > _MOST_ROWS else []
    return [title, *[f"  {row}" for row in rows[:_MOST_ROWS]], *more]
