"""What a live player asks of a paused pass, in the same words for glassgrad's engine and PyTorch's.

The page names nodes, tensors and hooks by their ids in the trace; here they become the things.
"""

import math
from collections.abc import Callable
from itertools import count
from typing import Any, Protocol

from glassgrad.base.errors import ArgumentError, GraphError
from glassgrad.tracing._torch.arrays import array_of
from glassgrad.tracing._torch.session import Session as TorchSession
from glassgrad.tracing._torch.session import Stop
from glassgrad.tracing.breakpoints import Breakpoint, find_node
from glassgrad.tracing.describing import numbers
from glassgrad.tracing.events import Trace
from glassgrad.tracing.inspection import hooks_of
from glassgrad.tracing.session import Session
from glassgrad.tracing.summary import summarize
from glassgrad.viz.explaining.entries import explained

__all__ = ["BREAKS", "Steering", "is_session", "steering_of"]

Entry = dict[str, Any]
Point = tuple[dict[str, Any], Callable[[Stop], Any]]  # what the page is told of it, and the test

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


class OfEngine:
    """Steers glassgrad's own pass."""

    no_way_back = ""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._ids: dict[Breakpoint, int] = {}
        self._next_id = count(1)
        self._explained: dict[str, tuple[Any, Entry]] = {}  # each with the gradients it is of

    @property
    def granularity(self) -> str:
        return self.session.granularity

    @granularity.setter
    def granularity(self, value: str) -> None:
        self.session.granularity = value

    @property
    def trace(self) -> Trace:
        return self.session.trace

    @property
    def is_over(self) -> bool:
        return self.session.is_done or self.session.is_closed

    @property
    def stopped(self) -> str | None:
        if self.session.is_closed and not self.session.is_done:
            return "where the session was closed: the rest of this pass will not run"
        return None if self.session.stopped_by is None else self.session.stopped_by.why

    @property
    def ahead(self) -> list[str]:
        """The ids of the nodes that are yet to run, in their order."""
        session = self.session
        rest = session.schedule[session.position :]
        return [session.names.node[node] for node in rest if node in session._runs]

    @property
    def breakpoints(self) -> list[dict[str, Any]]:
        """All that are set, also those that Python code set."""
        known = self.session.breakpoints
        self._ids = {point: self._ids.get(point) or next(self._next_id) for point in known}
        nodes = self.session.names.node
        return [
            {"id": id, "words": point.why, **({"node": nodes[point.node]} if point.node else {})}
            for point, id in self._ids.items()
        ]

    def next(self) -> None:
        self.session.next()

    def back(self) -> None:
        self.session.back()

    def run(self) -> None:
        self.session.run()

    def restart(self) -> None:
        """Back to before the first step."""
        if self.session.is_closed:
            self.session.back()  # which says so
        while self.session.can_go_back:
            self.session.back()

    def until(self, node: str) -> None:
        self.session.run_until(find_node(self.session, node))

    def break_at(self, what: str, value: Any) -> None:
        self.session.break_at(**{what: self._meant(what, value)})

    def _meant(self, what: str, value: Any) -> Any:
        names = self.session.names
        if what == "hook":
            rows = [row for node in self.session.schedule for row in hooks_of(self.session, node)]
            return next((row.hook for row in rows if value in (row.id, row.name)), value)
        if what == "tensor":
            tensors = {id: node.variable for node, id in names.leaf.items()}
            tensors |= dict(zip(names.outputs, self.session.outputs, strict=True))
            return tensors.get(value, value)
        return True if what == "nan" else number_of(value) if what == "norm" else value

    def unbreak(self, id: int) -> None:
        for point in [point for point, known in self._ids.items() if known == id]:
            point.remove()

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


class OfTorch:
    """Steers a pass of PyTorch, which waits before each node and cannot go back.

    One that has not begun is brought to its first node: there is no log of it before.
    """

    no_way_back = (
        "PyTorch's engine only goes forward: what it freed and added up is gone. "
        "The slider and the log look back at what has happened."
    )

    def __init__(self, session: TorchSession) -> None:
        self.session = session
        self._points: dict[int, Point] = {}
        self._next_id = count(1)
        self.stopped: str | None = None
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
    def trace(self) -> Trace:
        return self.session.trace

    @property
    def is_done(self) -> bool:
        """Whether the pass came to its end by itself."""
        return self.session.done and not self.session.is_closed

    @property
    def is_over(self) -> bool:
        return self.session.is_closed or self.session.done

    @property
    def ahead(self) -> list[str]:
        """Nothing: PyTorch does not tell its order before."""
        return []

    @property
    def breakpoints(self) -> list[dict[str, Any]]:
        return [{"id": id, **about} for id, (about, _) in self._points.items()]

    def next(self) -> None:
        if self.is_done:
            raise GraphError(
                "next() after the end: all nodes of PyTorch's pass are done. There is nothing "
                "left to do. Begin another pass with `step(loss)`."
            )
        self.session.next()
        self._stop_here()

    def _stop_here(self) -> None:
        stop = self.session.current
        met = [about["words"] for about, meets in self._points.values() if stop and meets(stop)]
        self.stopped = met[0] if met else None

    def back(self) -> None:
        raise GraphError(f"a step cannot be undone. {self.no_way_back} Begin another pass.")

    restart = back

    def run(self) -> None:
        self._go(lambda _: False)

    def until(self, node: str) -> None:
        goal = self.node(node)
        self._go(lambda stop: stop.node is goal)

    def _go(self, is_there: Callable[[Stop], bool]) -> None:
        while not self.is_done:
            self.next()
            stop = self.session.current
            if stop is None or self.stopped or is_there(stop):
                return

    def break_at(self, what: str, value: Any) -> None:
        makers = {"node": self._at_node, "op": self._at_op, "tensor": self._at_tensor}
        makers |= {"nan": _at_nan, "norm": _at_norm}
        if what not in makers:
            raise ArgumentError(
                f"PyTorch's pass cannot break at a {what}: it knows no names of scopes and waits "
                "before nodes only. Break at a node, an op, a leaf, nan or a norm."
            )
        self._points[next(self._next_id)] = makers[what](value)

    def _at_node(self, id: Any) -> Point:
        goal = self.node(id)
        return {"words": f"before {id}", "node": id}, lambda stop: stop.node is goal

    def _at_op(self, name: Any) -> Point:
        ops = sorted({node["op"] for node in self.trace.nodes})
        if name not in ops and f"{name}Backward0" not in ops:
            raise ArgumentError(
                f"no node called {name!r} is part of this pass. It would never stop there. "
                f"It knows {', '.join(ops[:6])}."
            )
        names = (name, f"{name}Backward0")
        return {"words": f"before each {name}"}, lambda stop: stop.op in names

    def _at_tensor(self, name: Any) -> Point:
        leaves = [leaf for leaf in self.trace.leaves if name in (leaf["name"], leaf["id"])]
        if not leaves:
            raise ArgumentError(
                f"no leaf called {name!r} is known to this pass. PyTorch's tensors have no names "
                "of their own. Give them some: `step(loss, names=locals())`."
            )
        goal = leaves[0]["acc"]
        words = f"where the gradient of {name!r} has arrived"
        return {"words": words, "node": goal}, lambda stop: stop.id == goal

    def unbreak(self, id: int) -> None:
        self._points.pop(id, None)

    def node(self, id: str) -> Any:
        return self.session.node(id)

    def explain_waiting(self, chosen: Any) -> dict[str, Entry]:
        """Nothing: the rules of PyTorch's nodes run in C++, once."""
        return {}


def _at_nan(_: Any) -> Point:
    def is_spoiled(stop: Stop) -> bool:
        abouts = [summarize(array_of(grad)) for grad in stop.gradients if grad is not None]
        return any("nan" in about or "inf" in about for about in abouts)

    return {"words": "before a gradient with nan or inf is used"}, is_spoiled


def _at_norm(value: Any) -> Point:
    limit = number_of(value)

    def is_large(stop: Stop) -> bool:
        arrays = [array_of(grad) for grad in stop.gradients if grad is not None]
        norms = [summarize(array)["norm"] for array in arrays]
        return any(norm is not None and norm > limit for norm in norms)

    return {"words": f"before a gradient of norm over {limit:g} is used"}, is_large


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
