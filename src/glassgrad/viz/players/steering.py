"""What a live player asks of a paused pass, in the same words for glassgrad's engine and PyTorch's.

The page names nodes, tensors and hooks by their ids in the trace; here they become the things.
"""

import math
from itertools import count
from typing import Any, Protocol

from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.tracing._torch.session import Session as TorchSession
from glassgrad.tracing.breakpoints import Breakpoint, find_node
from glassgrad.tracing.describing import numbers
from glassgrad.tracing.events import Trace
from glassgrad.tracing.inspection import hooks_of
from glassgrad.tracing.session import Session
from glassgrad.viz.explaining.entries import explained

__all__ = ["BREAKS", "Steering", "is_session", "steering_of"]

Entry = dict[str, Any]

BREAKS = ("node", "op", "tensor", "scope", "hook", "nan", "norm")


class Steering(Protocol):
    """A paused pass, as a live player sees it.

    Attributes:
        granularity: how much one step does.
        no_way_back: why it cannot go back; empty if it can.
    """

    granularity: str
    no_way_back: str

    @property
    def trace(self) -> Trace: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def stopped(self) -> str | None: ...
    @property
    def ahead(self) -> list[str]: ...
    @property
    def breakpoints(self) -> list[dict[str, Any]]: ...
    def next(self) -> None: ...
    def back(self) -> None: ...
    def run(self) -> None: ...
    def restart(self) -> None: ...
    def until(self, node: str) -> None: ...
    def break_at(self, what: str, value: Any) -> None: ...
    def unbreak(self, id: int) -> None: ...
    def node(self, id: str) -> Any: ...
    def explain_waiting(self, chosen: Any) -> dict[str, Entry]: ...


def is_session(what: Any) -> bool:
    """Whether `what` is a pass that `step` has paused, of glassgrad or of PyTorch."""
    return isinstance(what, (Session, TorchSession))


def steering_of(session: Session | TorchSession) -> Steering:
    """How to steer a session."""
    return OfEngine(session) if isinstance(session, Session) else OfTorch(session)


class _Of:
    """What is alike for both."""

    session: Any

    def __init__(self) -> None:
        self._ids: dict[Breakpoint, int] = {}
        self._next_id = count(1)

    @property
    def trace(self) -> Trace:
        trace: Trace = self.session.trace
        return trace

    @property
    def is_over(self) -> bool:
        return bool(self.session.is_done or self.session.is_closed)

    @property
    def stopped(self) -> str | None:
        if self.session.is_closed and not self.session.is_done:
            return "where the session was closed: the rest of this pass will not run"
        return None if self.session.stopped_by is None else self.session.stopped_by.why

    @property
    def breakpoints(self) -> list[dict[str, Any]]:
        """All that are set, also those that Python code set."""
        known = self.session.breakpoints
        self._ids = {point: self._ids.get(point) or next(self._next_id) for point in known}
        nodes = self.session.names.node
        return [
            {
                "id": id,
                "words": point.why,
                **({"node": nodes[point.node]} if point.node is not None else {}),
            }
            for point, id in self._ids.items()
        ]

    def next(self) -> None:
        self.session.next()

    def back(self) -> None:
        self.session.back()

    def run(self) -> None:
        self.session.run()

    def break_at(self, what: str, value: Any) -> None:
        self.session.break_at(**{what: self._meant(what, value)})

    def _meant(self, what: str, value: Any) -> Any:
        """What the page means, which knows ids and names."""
        if what == "tensor":
            return self._tensors().get(value, value)
        return True if what == "nan" else number_of(value) if what == "norm" else value

    def _tensors(self) -> dict[str, Any]:
        """Leaves and outputs by their ids."""
        names, outputs = self.session.names, self.session.outputs
        leaves = {id: node.variable for node, id in names.leaf.items()}
        first = len(leaves)
        return leaves | {f"t{first + rank}": tensor for rank, tensor in enumerate(outputs)}

    def unbreak(self, id: int) -> None:
        for point in [point for point, known in self._ids.items() if known == id]:
            point.remove()


class OfEngine(_Of):
    """Steers glassgrad's own pass."""

    session: Session
    no_way_back = ""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._explained: dict[str, tuple[Any, Entry]] = {}  # each with the gradients it is of

    @property
    def granularity(self) -> str:
        return self.session.granularity

    @granularity.setter
    def granularity(self, value: str) -> None:
        self.session.granularity = value

    @property
    def ahead(self) -> list[str]:
        """The ids of the nodes that are yet to run, in their order."""
        session = self.session
        rest = session.schedule[session.position :]
        return [session.names.node[node] for node in rest if node in session._runs]

    def restart(self) -> None:
        """Back to before the first step."""
        if self.session.is_closed:
            self.session.back()  # which says so
        while self.session.can_go_back:
            self.session.back()

    def until(self, node: str) -> None:
        self.session.run_until(find_node(self.session, node))

    def _meant(self, what: str, value: Any) -> Any:
        if what == "hook":
            rows = [row for node in self.session.schedule for row in hooks_of(self.session, node)]
            return next((row.hook for row in rows if value in (row.id, row.name)), value)
        return super()._meant(what, value)

    def node(self, id: str) -> Any:
        return find_node(self.session, id)

    def explain_waiting(self, chosen: Any) -> dict[str, Entry]:
        """The node that is next, and the chosen one if all its gradients are there, on those."""
        found = {}
        for row in self.session.queue:
            is_ready = row.node is chosen and row.arrived == row.expected
            if row.node is self.session.current or is_ready:
                key = [None if grad is None else numbers(grad).tobytes() for grad in row.gradients]
                known, entry = self._explained.get(row.id, (None, {}))
                if known != key:  # each explanation runs the rule
                    entry = explained(row.node, row.gradients)
                found[row.id] = key, entry
        self._explained = found
        return {id: entry for id, (_, entry) in found.items()}


class OfTorch(_Of):
    """Steers a pass of PyTorch, which waits before each node and cannot go back.

    One that has not begun is brought to its first node: there is no log of it before.
    """

    session: TorchSession
    no_way_back = (
        "PyTorch's engine only goes forward: what it freed and added up is gone. "
        "The slider and the log look back at what has happened."
    )

    def __init__(self, session: TorchSession) -> None:
        super().__init__()
        self.session = session
        if session.current is None and not self.is_over:
            session.next()

    @property
    def granularity(self) -> str:
        return "node"

    @granularity.setter
    def granularity(self, value: str) -> None:
        if value != "node":
            raise ArgumentError(
                f"a step of {value!r} is too small for PyTorch's pass. Its engine can be kept "
                "waiting before a node, and nowhere else. Step node by node."
            )

    @property
    def ahead(self) -> list[str]:
        """Nothing: PyTorch does not tell its order before."""
        return []

    def next(self) -> None:
        if self.session.is_done:
            raise GraphError(
                "next() after the end: all nodes of PyTorch's pass are done. There is nothing "
                "left to do. Begin another pass with `step(loss)`."
            )
        self.session.next()

    def restart(self) -> None:
        self.session.back()  # which says that it cannot

    def until(self, node: str) -> None:
        self.session.run_until(self.node(node))

    def node(self, id: str) -> Any:
        return self.session.node(id)

    def explain_waiting(self, chosen: Any) -> dict[str, Entry]:
        """Nothing: the rules of PyTorch's nodes run in C++, once."""
        return {}


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
