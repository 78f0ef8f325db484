"""What a paused pass shows of itself: rows of data, and the sentences that they print as."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from .graph import Graph, bytes_of, is_leaf, op_of
from .summary import batch_of, dtype_name, numbers, summarize

if TYPE_CHECKING:
    from .paused import Paused

_MOST_ROWS = 12
_LONGEST_NAME = 60


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


class Hook(NamedTuple):
    """A hook that runs at a node.

    Attributes:
        id: "h1".
        kind: "tensor", "pre", "post" or "post_accumulate".
        name: the name of the function.
        hook: the function.
    """

    id: str
    kind: str
    name: str
    hook: Any

    def __str__(self) -> str:
        return f"{self.id} {plain(self.name)} ({self.kind})"


def queue_of(session: "Paused") -> list[Waiting]:
    """The nodes where gradients wait, in the order of the pass; the current one is the first."""
    reached = session._reached()
    rest = session.schedule[session.position :]
    return [_row(session, node) for node in rest if node in reached]


def _row(session: "Paused", node: Any) -> Waiting:
    log, name = session._log, session.names.node[node]
    given = session._roots.count(node)
    arrived, expected = log.have[name] + given, log.need[node] + given
    gradients = session._copies(session._waiting_at(node))
    return Waiting(name, node, session.describe(node), arrived, expected, gradients)


def saved_of(session: "Paused", node: Any) -> list[Saved]:
    """What `node` holds on to now."""
    rows = []
    for name, what, version, now in session._saved_by(node):
        owners = _owners(session, session.names.storage(what), node)
        about = tuple(what.shape), dtype_name(what.dtype), bytes_of(what)  # one example, under vmap
        rows.append(Saved(name, *about, version, now, owners))
    return rows


def _owners(session: "Paused", storage: str, besides: Any) -> tuple[str, ...]:
    """Who holds a piece of memory, in words."""
    found, graph = [], session.names
    for node in session._all_nodes():
        if is_leaf(node):
            held, who = [node.variable], f"leaf {_leaf_name(graph, node)}"
        else:
            held = [saved.what for saved in session._saved_by(node)]
            who = session.describe(node)
        if node is not besides and any(graph.storage(what) == storage for what in held):
            found.append(who)
    return tuple(found)


def hooks_of(session: "Paused", node: Any) -> list[Hook]:
    """The hooks at `node`, in the order in which they run."""
    return [
        Hook(id, kind, getattr(hook, "__name__", "hook"), hook)
        for id, kind, hook in session.names.hooks_at(node)
    ]


def gradients_of(graph: Graph) -> dict[str, Any]:
    """The `.grad` of all leaves by name (by id, "t0", if they have none)."""
    found: dict[str, Any] = {}
    for node in graph.leaves:
        name = graph.label(node.variable)
        found[graph.leaf[node] if name is None or name in found else name] = node.variable.grad
    return found


# In words ---------------------------------------------------------------------------------------


def label_of(graph: Graph, node: Any) -> str:
    """A node in a sentence: "n3 MulBackward0", "n0 AccumulateGrad of x"."""
    label = f"{graph.node[node]} {plain(op_of(node))}"
    return label + (f" of {_leaf_name(graph, node)}" if is_leaf(node) else "")


def _leaf_name(graph: Graph, node: Any) -> str:
    name = graph.label(node.variable)
    return graph.leaf[node] if name is None else plain(name)


def shown(grad: Any) -> str:
    """A gradient in a few words: shape, dtype, and its elements or its norm."""
    about = summarize(numbers(grad))
    bad = "".join([f", {about[kind]} {kind}" for kind in ("nan", "inf") if kind in about])
    batch = batch_of(grad)
    shape, dtype, head = tuple(about["shape"][len(batch) :]), about["dtype"], about["head"]
    examples = "".join([f"{size} × " for size in batch])
    if len(head) == numbers(grad).size:
        values = ", ".join(f"{item:.3g}" if isinstance(item, float) else str(item) for item in head)
        return f"{examples}{shape} {dtype} [{values}]{bad}"
    norm = about["norm"]
    return f"{examples}{shape} {dtype}" + ("" if norm is None else f", norm {norm:.3g}") + bad


def plain(text: str) -> str:
    """A name without what would move the cursor, end the line or turn the direction of text."""
    safe = "".join([c if c.isprintable() else f"\\x{ord(c):02x}" for c in text])
    return safe if len(safe) <= _LONGEST_NAME else safe[: _LONGEST_NAME - 1] + "…"


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
