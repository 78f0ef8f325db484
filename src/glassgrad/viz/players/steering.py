"""What a live player asks of a paused pass, in the same words for glassgrad's engine and PyTorch's.

The page names nodes, tensors and hooks by their ids in the trace; here they become the things.
"""

import math
from itertools import count
from typing import Any

from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.tracing._torch.session import Session as TorchSession
from glassgrad.tracing.breakpoints import Breakpoint, find_node
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry
from glassgrad.tracing.paused import Waiting
from glassgrad.tracing.session import Session

BREAKS = ("node", "op", "tensor", "scope", "hook", "nan", "norm")
ONLY_FORWARD = (
    "PyTorch's engine only goes forward: what it freed and added up is gone. "
    "The slider and the log look back at what has happened."
)


def is_session(what: Any) -> bool:
    """Whether `what` is a pass that `step` has paused, of glassgrad or of PyTorch."""
    return isinstance(what, (Session, TorchSession))


class Steering:
    """A paused pass, as a live player sees it.

    PyTorch's waits before each node, cannot go back, does not tell its order before, and runs its
    rules once, in C++. One that has not begun is brought to its first node: there is no log of it
    before.

    Attributes:
        session: of either engine.
        no_way_back: why it cannot go back; empty if it can.
    """

    def __init__(self, session: Any) -> None:
        self.session, self._is_ours = session, isinstance(session, Session)
        self.no_way_back = "" if self._is_ours else ONLY_FORWARD
        self._ids: dict[Breakpoint, int] = {}
        self._next_id = count(1)
        if not self._is_ours and session.current is None and not self.is_over:
            session.next()

    @property
    def trace(self) -> Trace:
        return self.session.trace  # type: ignore[no-any-return]  # of either engine

    @property
    def is_over(self) -> bool:
        return bool(self.session.is_done or self.session.is_closed)

    @property
    def stopped(self) -> str | None:
        if self.session.is_closed and not self.session.is_done:
            return "where the session was closed: the rest of this pass will not run"
        return None if self.session.stopped_by is None else self.session.stopped_by.why

    @property
    def granularity(self) -> str:
        """How much one step does."""
        return self.session.granularity if self._is_ours else "node"

    @granularity.setter
    def granularity(self, value: str) -> None:
        if self._is_ours:
            self.session.granularity = value
        elif value != "node":
            raise ArgumentError(
                f"a step of {value!r} is too small for PyTorch's pass. Its engine can be kept "
                "waiting before a node, and nowhere else. Step node by node."
            )

    @property
    def ahead(self) -> list[str]:
        """The ids of the nodes that are yet to run, in their order, as far as it is known."""
        session = self.session
        rest = session.schedule[session.position :] if self._is_ours else ()
        return [session.names.node[node] for node in rest if node in session._runs]

    def node(self, id: str) -> Any:
        """The node that has this id."""
        return find_node(self.session, id)

    def waiting(self, chosen: Any) -> list[Waiting]:
        """The node that is next, and the chosen one if all its gradients are there."""
        return [
            row
            for row in (self.session.queue if self._is_ours else ())
            if row.node is self.session.current
            or (row.node is chosen and row.arrived == row.expected)
        ]

    # Moving -------------------------------------------------------------------------------------

    def next(self) -> None:
        if not self._is_ours and self.session.is_done:
            raise GraphError(
                "next() after the end: all nodes of PyTorch's pass are done. There is nothing "
                "left to do. Begin another pass with `step(loss)`."
            )
        self.session.next()

    def back(self) -> None:
        self.session.back()

    def restart(self) -> None:
        """Back to before the first step."""
        if not self._is_ours or self.session.is_closed:
            self.session.back()  # which says that it cannot
        while self.session.can_go_back:
            self.session.back()

    def run(self) -> None:
        self.session.run()

    def until(self, node: str) -> None:
        self.session.run_until(self.node(node))

    # Breakpoints --------------------------------------------------------------------------------

    @property
    def breakpoints(self) -> list[Entry]:
        """All that are set, also those that Python code set."""
        known = self.session.breakpoints
        self._ids = {point: self._ids.get(point) or next(self._next_id) for point in known}
        found = []
        for point, id in self._ids.items():
            entry = {"id": id, "words": point.why}
            if point.node is not None:
                entry["node"] = self.session.names.node[point.node]
            found.append(entry)
        return found

    def break_at(self, what: str, value: Any) -> None:
        self.session.break_at(**{what: self._meant(what, value)})

    def _meant(self, what: str, value: Any) -> Any:
        """What the page means, which knows ids and names."""
        session = self.session
        if what == "tensor":
            known = {id: node.variable for node, id in session.names.leaf.items()}
            known |= {f"t{at}": tensor for at, tensor in enumerate(session.outputs, len(known))}
            return known.get(value, value)
        if what == "hook":
            rows = [row for node in session.schedule for row in session.names.hooks_at(node)]
            return next((row.hook for row in rows if value in (row.id, row.name)), value)
        return True if what == "nan" else number_of(value) if what == "norm" else value

    def unbreak(self, id: int) -> None:
        for point in [point for point, known in self._ids.items() if known == id]:
            point.remove()


def number_of(value: Any) -> float:
    """A number that a page sent, perhaps as text.

    Raises:
        ArgumentError: if it is none, or negative.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not number >= 0:
        raise ArgumentError(
            f"{value!r} is no number to compare a norm with. The pass stops before a gradient "
            "with a larger one. Write 1 or 1e3."
        )
    return number
