"""What a paused pass shows of itself: rows of data, and the sentences that they print as."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from glassgrad.core.graph import AccumulateGrad, Node, ends
from glassgrad.core.tensor import Tensor, as_tensor

from .describing import hooks_at, numbers, saved_by
from .levels import batch_of
from .summary import summarize

if TYPE_CHECKING:
    from .paused import Paused

__all__ = [
    "Hook",
    "Saved",
    "Waiting",
    "gradients_in_words",
    "hooks_of",
    "plain",
    "queue_of",
    "saved_of",
    "section",
    "shown",
    "view",
]

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
    node: Node
    label: str
    arrived: int
    expected: int
    gradients: tuple[Tensor | None, ...]

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
    reached = {session.current, *session._task.buffers}
    rest = session.schedule[session.position :]
    return [_row(session, node) for node in rest if node in reached]


def _row(session: "Paused", node: Node) -> Waiting:
    sources = session._sources[node]
    arrived = sum(1 for source, place in sources if session._has_sent(source, place))
    gradients = copies(session._waiting_at(node))
    label = session.describe(node)
    return Waiting(session.names.node[node], node, label, arrived, len(sources), gradients)


def copies(grads: tuple[Any, ...]) -> tuple[Tensor | None, ...]:
    """Gradients to look at: writing to them changes nothing. Under `create_graph` the real ones."""
    return tuple([grad if isinstance(grad, Tensor) else _copy(grad) for grad in grads])


def _copy(grad: Any) -> Tensor | None:
    return None if grad is None else as_tensor(grad.copy())


def sources_of(session: "Paused") -> dict[Node, list[tuple[Node | None, int]]]:
    """For each node, where its gradients come from: (node, which edge); None is the caller."""
    found: dict[Node, list[tuple[Node | None, int]]] = {node: [] for node in session.schedule}
    for root in session._roots:
        found[ends(root)[0]].append((None, 0))
    for node in session.schedule:
        for place, edge in enumerate(node.edges if node in session._runs else ()):
            if edge is not None:
                found[ends(edge)[0]].append((node, place))
    return found


def saved_of(session: "Paused", node: Node) -> list[Saved]:
    """What `node` holds on to now."""
    rows = []
    for name, what, version, now in saved_by(node):
        owners = _owners(session, session.names.storage(numbers(what)), node)
        seen = what.payload if isinstance(what, Tensor) else what  # one example, under vmap
        about = tuple(seen.shape), str(seen.dtype), int(seen.nbytes)
        rows.append(Saved(name, *about, version, now, owners))
    return rows


def _owners(session: "Paused", storage: str, besides: Node) -> tuple[str, ...]:
    """Who holds a piece of memory, in words."""
    found: dict[str, None] = {}
    place = session.names.storage
    for node in session.schedule:
        if isinstance(node, AccumulateGrad):
            held, who = [numbers(node.variable)], f"leaf {_leaf_name(session, node)}"
        else:
            held, who = [numbers(what) for _, what, _, _ in saved_by(node)], session.describe(node)
        if node is not besides and any(place(array) == storage for array in held):
            found[who] = None
    return tuple(found)


def hooks_of(session: "Paused", node: Node) -> list[Hook]:
    """The hooks at `node`, in the order in which they run."""
    return [
        Hook(session.names.hook(node, hook), kind, getattr(hook, "__name__", "hook"), hook)
        for kind, hook in hooks_at(node)
    ]


# In words ---------------------------------------------------------------------------------------


def label_of(session: "Paused", node: Node) -> str:
    """A node in a sentence: "n3 MulBackward0", "n0 AccumulateGrad of x"."""
    label = f"{session.names.node[node]} {plain(node.name())}"
    return label + (f" of {_leaf_name(session, node)}" if isinstance(node, AccumulateGrad) else "")


def _leaf_name(session: "Paused", node: AccumulateGrad) -> str:
    name = session.names.naming.of(node.variable)
    return session.names.leaf[node] if name is None else plain(name)


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
    lines = [_where(session)]
    if session.current is None:
        return "\n".join(lines + gradients_in_words(session.gradients))
    lines += section("Queue:", map(str, session.queue))
    lines += section(f"Saved by {session.describe(session.current)}:", map(str, session.saved))
    lines += section("Hooks here:", map(str, session.hooks))
    return "\n".join(lines)


def _where(session: "Paused") -> str:
    total = len(session.schedule)
    if session.is_closed and not session.is_done:
        return f"Closed after {session.position} of {total} nodes of the pass."
    if session.current is None:
        return f"The pass is over: {total} of {total} nodes are done."
    turn = session._task.turn
    how = ", before it runs" if turn is None else _HALFWAY[turn.upcoming[0]]
    at = f"Paused at {session.describe(session.current)}{how}"
    why = f" Stopped {session.stopped_by.why}." if session.stopped_by else ""
    return f"{at}: node {session.position + 1} of {total} of the pass.{why}"


_HALFWAY = {
    "pre_hook": ", before a hook",
    "apply": ", before its rule",
    "accumulate": ", before it adds to .grad",
    "post_accumulate": ", after it added to .grad and before a hook",
    "post_hook": ", after its rule and before a hook",
    "free_saved": ", after its rule and before it lets go of what it saved",
    "buffer": ", after its rule and before a gradient is handed on",
    "pass_by": ", its gradient taken",
}


def section(title: str, rows: Iterable[str]) -> list[str]:
    """A title and its rows as lines; nothing if there are no rows."""
    rows = list(rows)
    if not rows:
        return []
    more = [f"  … and {len(rows) - _MOST_ROWS:,} more"] if len(rows) > _MOST_ROWS else []
    return [title, *[f"  {row}" for row in rows[:_MOST_ROWS]], *more]


def gradients_in_words(gradients: dict[str, Any]) -> list[str]:
    """The `.grad` of leaves, by name, as lines."""
    pairs = gradients.items()
    rows = [f"{plain(n)}: {'none' if grad is None else shown(grad)}" for n, grad in pairs]
    return section("Gradients:", rows)
