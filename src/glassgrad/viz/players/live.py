"""A player of a pass that is under way: its buttons drive the real engine.

Here is the conversation between the page and the session, whoever carries it; a `Notebook` puts it
into one. The page asks (`{"do": "next"}`), Python does it and tells what has changed
(`{"type": "update", "from": 3, "events": [...], ...}`); the same is told when Python code has
moved the session. A player holds no state of the pass but what it has told the page last.
"""

import contextlib
import os
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glassgrad._words import counted, plain
from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.tracing.breakpoints import MAKERS, Breakpoint, find_node
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Graph
from glassgrad.tracing.log import graph_behind
from glassgrad.tracing.paused import Paused
from glassgrad.tracing.session import Session
from glassgrad.tracing.summary import numbers, summarize
from glassgrad.viz.drawing import Drawing, draw, drawn, trace_of
from glassgrad.viz.explaining.entries import explained, explanations, record_explained
from glassgrad.viz.players import assets
from glassgrad.viz.players.forward import Values, in_words, values_behind, values_in
from glassgrad.viz.players.html import Player, drawn_with_room, players_inside
from glassgrad.viz.players.questions import asking
from glassgrad.viz.scene.graph import Look
from glassgrad.viz.style import NOTEBOOK, css_variables

if TYPE_CHECKING:
    import asyncio


def player(
    loss: Any,
    *,
    mode: str = "lesson",
    predict: Any = None,
    forward: bool = False,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> "Player | LivePlayer":
    """A page that plays a backward pass, forward and back.

    Args:
        loss: what `record` returns; or a tensor, or several, whose pass is then run and recorded
            as `record(loss)` does; or a session of `step(loss)`, glassgrad's or PyTorch's.
            Its nodes are explained meanwhile, and their rules checked against differences: the
            forwards of your own Functions run some more times. `player(record(loss))` does
            without.
        predict: which nodes ask for the gradients that they send before the page shows them: True
            for all, or some, by the name of an op ("MulBackward0"), by an id ("n3") or by
            themselves. Of a tensor, or its name, it is the gradient that arrives there. The pass
            is recorded with all numbers; of one that `record` has recorded the page asks for what
            it knows: `record(loss, values="full")` knows all.
        forward: begin with the forward pass: a step for each op, in the order of the program, in a
            picture with both directions face to face; for up to 60 nodes. Values that nobody has
            kept are computed again, where that can be done; of others there is the shape.
        mode: in which the page begins. "lesson": the picture, and for each node a sentence that
            says what it did; "debug": every event, with all that is known at it. A click changes
            it, and a browser remembers that for the next page.
        gradient, retain_graph, create_graph, inputs: of a pass that is run, as for `backward`.
            With `create_graph=True` the graph of the gradient is drawn, too.

    Returns:
        A `Player`: shown by a notebook, with `.html` and `.save(path)`. Of a pass that fails it
        shows how far the pass came and what is wrong, and nothing is raised. Of a session it is a
        `LivePlayer`, whose buttons drive the real pass.

    Raises:
        ArgumentTypeError: if `loss` is none of these, or `predict` no mark of a node.
        ArgumentError: if `mode` is no such word, if `predict` names what is not in the pass, if
            `forward` is asked of too large a graph, or if one of them is given with a session; if
            an argument of `backward` is given with a pass that has been recorded, or begun.
        DataError: for a `Trace` that was made by hand and is not sound; the message says where.

    Example:
        >>> nodes = [{"id": "n0", "op": "NegBackward0", "seq": 0, "edges": []}]
        >>> player(Trace({"nodes": nodes, "leaves": []}))
        Player(Backward graph: 0 events)
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> live = player(step((x * x).sum()))
        >>> live.receive({"do": "run"})
        >>> x.grad
        tensor([2., 4.])
    """
    if mode not in MODES:
        raise ArgumentError(
            f"mode={mode!r} is no mode of a player. It begins in one of "
            f"{', '.join(map(repr, MODES))}. Write `player(loss, mode={MODES[-1]!r})`, or "
            "`player(loss, predict=True)` for a page that asks."
        )
    options = {"gradient": gradient, "retain_graph": retain_graph, "inputs": inputs}
    options = {name: each for name, each in options.items() if each is not None}
    options |= {"create_graph": True} if create_graph else {}
    if options and isinstance(loss, (Paused, Trace)):
        raise ArgumentError(
            f"player() was given {', '.join(options)} with a pass that has "
            f"{'begun' if isinstance(loss, Paused) else 'been recorded'}. How it runs was settled "
            "before. Write `player(loss, ...)`, or give that to `record` or `step`."
        )
    is_asking = predict is not None and predict is not False
    if isinstance(loss, Paused):
        if is_asking or forward:
            raise ArgumentError(
                f"{'predict' if is_asking else 'forward'}= was given with a session. Its player "
                "drives a real pass: the forward pass is over, and what is to come is not known. "
                "Give the loss: `gg.player(loss, …)`; or what has run: "
                "`gg.player(session.trace, …)`."
            )
        return LivePlayer(loss, mode)
    known: Entry | None = None
    graph: Graph | None = None
    values: Values | None = None

    def run(tensors: Any) -> Trace:
        nonlocal known, graph, values
        if is_asking or forward:
            graph = graph_behind(tensors)
        if forward and graph:  # the pass frees what it is read from
            values = values_behind(graph)
        kept = "full" if is_asking else "summary"
        trace, known, _ = record_explained(tensors, values=kept, **options)
        return trace

    trace = trace_of(loss, "player", run)
    marked = asking(predict, trace, graph) if is_asking else None
    if not forward:
        return Player(trace, draw(trace, rankdir="LR"), known, mode, marked)
    values = {**values_in(trace), **(values or {})}
    drawing = drawn(trace, Look(), "LR", mirror=True, values=in_words(values))
    return Player(trace, drawing, known, mode, marked, values)


Send = Callable[[Entry], None]
Callback = Callable[[Any], Any]

ONLY_FORWARD = (
    "PyTorch's engine only goes forward: what it freed and added up is gone. "
    "The slider and the log look back at what has happened."
)
MODES = ("lesson", "debug")
_MOVING = ("next", "back", "run", "restart", "until")
_BY_ID = ("arrays", "boxed", "norms", "nodes", "place", "explain", "story", "inside")
_STATE = ("stopped", "over", "error", "granularity", "closed")  # of the pass, besides its log

_PLAYERS: "weakref.WeakSet[LivePlayer]" = weakref.WeakSet()


class LivePlayer:
    """A player whose buttons drive a session. A notebook shows it; made by `gg.player(session)`.

    What Python code does to the session shows on the page after the cell, and what the page does
    shows in Python at once; several players of one session stay in step. Where there is no
    notebook, `html` and `save` give the page that plays what has happened until now.

    Note [Two outputs]
    A notebook that is opened again has no Python behind it, and a front end shows a widget whose
    Python is gone as an error, whatever else the same output holds. So a live player puts two
    outputs into its cell: first the recorded player of what has happened until now, brought up to
    date as the pass moves, then the widget. While the widget lives it hides the first by a style
    of its own; the first hides a widget that does not live. Saved and opened without a kernel, the
    notebook shows the recorded player; not trusted, its picture.

    A pass of PyTorch's waits before each node, cannot go back, and runs its rules once, in C++. One
    that has not begun is brought to its first node: there is no log of it before.

    Args:
        session: of `gg.step(loss)`, or of `glassgrad.tracing.torch.step(loss)`.
        mode: in which its page begins, "lesson" or "debug".

    Attributes:
        session: the session; None once the player is closed.
        error: the exception of the last thing that the page asked for; None if it was done.
        selected: the node that was clicked last, glassgrad's or PyTorch's; None if none is held.
    """

    def __init__(self, session: Any, mode: str = "lesson") -> None:
        self.session = session
        self.mode = mode
        self.error: BaseException | None = None
        self.selected: Any = None
        self._is_ours = isinstance(session, Session)
        self._ids: dict[Breakpoint, int] = {}  # by which the page knows them
        self._trace: Trace | None = None  # what is left of it, once it is closed
        self._callbacks: list[Callback] = []
        self._send: Send | None = None
        self._drawing: Drawing | None = None  # laid out once
        self._told: Entry = {}  # what the page knows
        # Nodes that were explained before they ran, each with the gradients that it was given.
        self._explained: dict[str, tuple[Entry, list[Any]]] = {}
        self._notebook: Notebook | None = None
        _PLAYERS.add(self)
        if not self._is_ours and session.current is None and not self._is_over:
            session.next()

    # For users ----------------------------------------------------------------------------------

    def on_select(self, callback: Callback) -> Callback:
        """Have `callback(node)` called with each node that is clicked; None when it is let go.

        Returns:
            The callback, so that this is a decorator, too.
        """
        self._callbacks.append(callback)
        return callback

    @property
    def trace(self) -> Trace:
        """What has happened until now."""
        trace: Trace = self._trace or self.session.trace
        return trace

    @property
    def still(self) -> Player:
        """The recorded player of what has happened until now."""
        trace = self.trace
        return Player(trace, draw(trace, rankdir="LR"), self._explain(trace), self.mode)

    @property
    def html(self) -> str:
        """The page that plays what has happened until now."""
        return self.still.html

    def save(self, path: str | Path) -> Path:
        """Write that page to `path` and return the path.

        Raises:
            OSError: if the file cannot be written.
        """
        return self.still.save(path)

    def close(self) -> None:
        """Let go of the session, which stays as it is; the page is told so. Twice is harmless."""
        if self.session is None:
            return
        self._trace = self.session.trace
        self.session = self._send = self.selected = None
        self._told = {}
        _PLAYERS.discard(self)
        if self._notebook is not None:
            self._notebook.close()

    # The conversation ---------------------------------------------------------------------------

    def connect(self, send: Send) -> None:
        """Have all that the page is told go through `send(message)`."""
        self._send = send

    def receive(self, message: Entry) -> None:
        """Do what the page asks, and tell every player of the session what has changed.

        Nothing is raised: an exception, also of a hook or a rule, is told, and kept as `error`.
        """
        self.error = None
        try:
            self._obey(message)
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the connection lives on
            self.error = error
        # The page waits for an answer to what moves the pass; other answers must not move the page.
        self._tell_news(always=message.get("do") in _MOVING or self.error is not None)
        for other in list(_PLAYERS):
            if other is not self and other.session is self.session:
                other.refresh(at_once=False)
        if self._notebook is not None:
            self._notebook.keep(at_once=False)

    def _obey(self, message: Entry) -> None:
        session = self.session
        if session is None:
            raise GraphError(
                "this player was closed and has let go of its session. What it shows stays as it "
                "is. Make another one: `gg.player(session)`."
            )
        match message:
            case {"do": "next"} if not self._is_ours and session.is_done:
                raise GraphError(
                    "next() after the end: all nodes of PyTorch's pass are done. There is nothing "
                    "left to do. Begin another pass with `step(loss)`."
                )
            case {"do": "next" | "back" | "run" as name}:
                getattr(session, name)()
            case {"do": "restart"}:
                if not self._is_ours or session.is_closed:
                    session.back()  # which says that it cannot
                while session.can_go_back:
                    session.back()
            case {"do": "until", "node": str(node)}:
                session.run_until(find_node(session, node))
            case {"do": "granularity", "value": "hook" | "micro" as value} if not self._is_ours:
                raise ArgumentError(
                    f"a step of {value!r} is too small for PyTorch's pass. Its engine can be kept "
                    "waiting before a node, and nowhere else. Step node by node."
                )
            case {"do": "granularity", "value": "node" | "hook" | "micro" as value}:
                session.granularity = value
            case {"do": "break", "what": str(what), "value": value} if what in MAKERS:
                session.break_at(**{what: self._meant(what, value)})
            case {"do": "unbreak", "id": int(id)}:
                for point in [point for point, known in self._ids.items() if known == id]:
                    point.remove()
            case {"do": "select", "node": str() | None as node}:
                self._select(node)
            case {"do": "hello", "view": str(view)}:
                self._begin(view)
            case _:
                raise ArgumentError(
                    f"the page sent {plain(str(message), 100)}, which is no request that a player "
                    "knows. Its script and this Python may be of two versions. Load the page again."
                )

    def _meant(self, what: str, value: Any) -> Any:
        """What the page means, which knows ids, names, and numbers as text."""
        session = self.session
        if what == "tensor":
            known = {id: node.variable for node, id in session.names.leaf.items()}
            known |= {f"t{at}": tensor for at, tensor in enumerate(session.outputs, len(known))}
            return known.get(value, value)
        if what == "norm":
            with contextlib.suppress(TypeError, ValueError):
                return float(value)
        return value

    def _select(self, id: str | None) -> None:
        self.selected = None if id is None else find_node(self.session, id)
        for callback in self._callbacks:
            callback(self.selected)

    def _begin(self, view: str) -> None:
        """A page has opened: give it the player as it stands."""
        session = self.session
        if self._drawing is None:
            ahead = session.schedule[session.position :] if self._is_ours else ()
            ids = [session.names.node[node] for node in ahead if node in session._runs]
            self._drawing = drawn_with_room(self.trace, ids)
        self._tell_news()  # pages that are open already know as much as this one will
        self._told = self._look()
        page = Player(self.trace, self._drawing, self._told["explain"], self.mode)
        about = {
            "granularity": self._told["granularity"],
            "closed": self._told["closed"],
            "no_way_back": "" if self._is_ours else ONLY_FORWARD,
        }
        self._tell({"type": "begin", "view": view, "html": page.fragment(), **about})
        self._tell({"type": "breakpoints", "list": self._told["breakpoints"]})

    def refresh(self, *, at_once: bool = True) -> None:
        """Tell the page what has changed, and bring what the notebook keeps up to date.

        Args:
            at_once: whether the notebook's copy is brought up to date now, or when nothing has
                moved for a while.
        """
        self._tell_news()
        if self._notebook is not None:
            self._notebook.keep(at_once=at_once)

    def _tell_news(self, *, always: bool = False) -> None:
        if not self._told:
            return
        before, now = self._told, self._look()
        self._told = now
        news = _news(before, now)
        if always or any(before[key] != now[key] for key in ("events", *_STATE)):
            self._tell({"type": "update", **news})
        else:
            for id, entry in news["explain"].items():
                self._tell({"type": "explained", "node": id, "explain": entry})
        if now["breakpoints"] != before["breakpoints"]:
            self._tell({"type": "breakpoints", "list": now["breakpoints"]})

    def _look(self) -> Entry:
        """All that a page is told."""
        assert self._drawing is not None
        trace, session = self.trace, self.session
        stopped = session.stopped_by and session.stopped_by.why
        if session.is_closed and not session.is_done:
            stopped = "where the session was closed: the rest of this pass will not run"
        points = []
        for point in session.breakpoints:
            id = self._ids.setdefault(point, len(self._ids) + 1)
            place = {} if point.node is None else {"node": session.names.node[point.node]}
            points.append({"id": id, "words": point.why, **place})
        return {
            **Player(trace, self._drawing, self._explain(trace)).data(),
            "inside": players_inside(trace.events),
            "stopped": stopped,
            "over": self._is_over,
            "closed": self._closed,
            "error": None if self.error is None else f"{type(self.error).__name__}: {self.error}",
            "breakpoints": points,
            "granularity": session.granularity if self._is_ours else "node",
        }

    @property
    def _is_over(self) -> bool:
        return bool(self.session.is_done or self.session.is_closed)

    @property
    def _closed(self) -> str:
        """Why the page cannot move the pass any more; empty as long as it can."""
        if not self.session.is_closed:
            return ""
        if self.trace.events and self.trace.events[-1]["type"] == "error":
            return "The pass failed, and with that this session was closed."
        when = "after its last node" if self.session.is_done else "before its last node"
        return f"In Python this session was closed, {when}."

    def _explain(self, trace: Trace) -> Entry:
        """What is known of the nodes: those that ran were explained before, as the next is now.

        So is the chosen one, if all its gradients are there.
        """
        ran = {event["node"]: event for event in trace.events if event["type"] == "apply"}
        known = {id: found for id, found in self._explained.items() if id in ran}
        session = self.session
        for row in session.queue if session is not None and self._is_ours else ():
            is_next = row.node is session.current
            is_chosen = row.node is self.selected and row.arrived == row.expected
            if row.id not in ran and (is_next or is_chosen):
                given = [None if grad is None else _exact(numbers(grad)) for grad in row.gradients]
                entry, before = self._explained.get(row.id, ({}, None))
                if before != given:  # each explanation runs the rule
                    entry = explained(row.node, row.gradients)
                known[row.id] = entry, given
        self._explained = known
        checked = {}
        for id, (entry, given) in known.items():
            rows = entry["rows"]
            told = [grad and grad[1] for grad in given]
            if id in ran and told != [trace.arrays.get(each) for each in ran[id]["grad_in"]]:
                # A hook has changed the gradient since: the rule is shown in the log's numbers.
                rows = [row for row in rows if row[0] != "rule"]
            checked[id] = {**entry, "rows": rows}
        return explanations(trace, checked)

    def _tell(self, message: Entry) -> None:
        if self._send is not None:
            self._send(message)

    # In a notebook ------------------------------------------------------------------------------

    def _ipython_display_(self) -> None:
        ipython = shell()
        if ipython is None:
            raise NotImplementedError  # IPython asks `_repr_mimebundle_` then
        ipython.events.register("post_run_cell", refresh_all)  # once, however often it is asked for
        self._notebook = self._notebook or Notebook(self)
        self._notebook.show()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {**self.still._repr_mimebundle_(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        closed = ", closed" if self.session is None else ""
        return f"LivePlayer({counted(len(self.trace.events), 'event')}{closed})"


def _exact(grad: Any) -> tuple[bytes, Entry]:
    """A gradient exactly, and as a trace has it."""
    return grad.tobytes(), summarize(grad)


def _news(before: Entry, now: Entry) -> Entry:
    """What `now` has that `before` had not: the events from the first that differs on."""
    old, new = before["events"], now["events"]
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    kept = len(list(alike))
    news: Entry = {"from": kept, "events": new[kept:], "said": now["said"][kept:]}
    for key in _BY_ID:
        known = before[key]
        news[key] = {id: what for id, what in now[key].items() if known.get(id) != what}
    return news | {key: now[key] for key in ("leaves", "tensors", "hooked", *_STATE)}


def refresh_all(_result: Any = None) -> None:
    """Tell every page what Python code has changed."""
    for each in list(_PLAYERS):
        each.refresh()


def show_session(session: Any) -> None:
    """Show a session that ends a cell: as a live player, or as text where another cell has one.

    Raises:
        NotImplementedError: if this is no notebook; IPython prints the session then.
    """
    if shell() is None:
        raise NotImplementedError
    if any(each.player.session is session and each.is_elsewhere for each in SHOWN):
        display({"text/plain": repr(session)}, raw=True)
    else:
        display(LivePlayer(session))


# A place in a notebook: the widget, and the recorded player that is saved ---------------------


PAUSE = 1.0  # seconds without a step, after which the recorded player is brought up to date

# A widget that lives hides the recorded player before it, and that one a widget that does not.
HIDING = (
    "<style>.jp-OutputArea-child:has(.gg-still):has(+ .jp-OutputArea-child .gg-widget),"
    ".jp-OutputArea-child:has(.gg-still) + .jp-OutputArea-child:has(.jupyter-widgets)"
    ":not(:has(.gg-widget)){display:none}</style>"
)
MISSING = (
    "<p>This player shows what has happened until now. To drive the pass from here, install "
    "<code>anywidget</code>: <code>pip install anywidget</code>.</p>"
)


def shell() -> Any:
    """IPython's shell where there is one that shows more than text; else None."""
    ipython = sys.modules.get("IPython")
    found = ipython.get_ipython() if ipython is not None else None
    return found if hasattr(found, "kernel") else None


def display(what: Any, **options: Any) -> Any:
    """Put something into the output of the cell that runs: IPython's `display`."""
    import IPython.display

    show: Any = IPython.display.display
    return show(what, **options)


class Notebook:
    """A player's place in a notebook.

    Args:
        player: the player.
    """

    def __init__(self, player: LivePlayer) -> None:
        self.player = player
        self.widget: Any = None
        self._notice = ""
        if os.environ.get("GLASSGRAD_DISPLAY") != "static":
            try:
                self.widget = _widget_class()()
            except ModuleNotFoundError:
                self._notice = MISSING
        self.views: set[str] | None = None  # pages that show the widget; None before the first
        self._still: Any = None  # the handle of the output with the recorded player
        self._kept: list[Entry] = []  # the events in that output
        self._timer: asyncio.TimerHandle | None = None
        self._cells: dict[str, int] = {}  # those that show it, and in which run of each
        if self.widget is not None:
            self.widget.on_msg(lambda _widget, message, _buffers: self._hear(message))
            player.connect(self.widget.send)
            self.widget.comm.on_close(lambda _message: player.close())

    def show(self) -> None:
        """Put the player into the cell that runs."""
        cell, run = _cell()
        self._cells[cell] = run
        for each in [*SHOWN]:
            if each._cells.get(cell, run) != run:  # it was in an earlier run of this cell
                del each._cells[cell]
                if not each._cells:
                    SHOWN.remove(each)
                    each.player.close()
        if self not in SHOWN:
            SHOWN.append(self)
        key = True if self._still is None else self._still.display_id
        self._still = display(self._bundle(), raw=True, display_id=key)
        if self.widget is not None:
            display(self.widget)

    @property
    def is_elsewhere(self) -> bool:
        """Whether another cell than the one that runs shows the player."""
        here, _ = _cell()
        is_gone = self.views is not None and not self.views
        return bool(self._cells) and here not in self._cells and not is_gone

    def _bundle(self) -> dict[str, str]:
        """The recorded player, as the notebook keeps it."""
        still = self.player.still
        self._kept = still.trace.events
        bundle = still._repr_mimebundle_()
        styles = "" if self.widget is None else HIDING
        html = f'<div class="gg-still">{styles}{self._notice}{bundle["text/html"]}</div>'
        return {**bundle, "text/html": html, "text/plain": repr(self.player)}

    def _hear(self, message: Any) -> None:
        match message:
            case {"do": "bye", "view": str(view)}:
                (self.views or set()).discard(view)
                return
            case {"do": "hello", "view": str(view)}:
                self.views = {*(self.views or ()), view}
        self.player.receive(message)

    def keep(self, *, at_once: bool) -> None:
        """Bring the recorded player up to date: `at_once`, or once nothing moves any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        with suppress(RuntimeError):  # without a loop, nothing would move it later
            if not at_once:
                import asyncio  # slow to import; where a loop runs, that is done

                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(PAUSE, lambda: self.keep(at_once=True))
                return
        if self._still is not None and self.player.trace.events != self._kept:
            self._still.update(self._bundle(), raw=True)

    def close(self) -> None:
        """Take the widget away; the recorded player stays."""
        self.keep(at_once=True)
        if self.widget is not None:
            self.widget.close()


SHOWN: list[Notebook] = []  # in some cell; it keeps them alive


def _cell() -> tuple[str, int]:
    """The cell that runs, and the number of its run."""
    found = shell()
    run: int = found.execution_count
    about = getattr(found, "parent_header", None) or {}
    return str(about.get("metadata", {}).get("cellId", f"run {run}")), run


# The widget -------------------------------------------------------------------------------------


@cache
def _widget_class() -> Callable[[], Any]:
    """The page's half is `static/widget.js`; all that the two say to each other are messages."""
    import anywidget

    # The notebook's theme, where it says one, wins over the system's.
    colors = [
        f"{on} .gg{{{css_variables(theme)};color-scheme:{theme}}}" for theme, on in NOTEBOOK.items()
    ]
    parts = {
        "__module__": __name__,
        "__repr__": lambda _: "(with a running kernel this player is live)",
        "_esm": f"{assets.script(extra=frozenset({'again'}))}\n{assets.read('widget.js')}",
        "_css": "\n".join([*colors, assets.styles(), assets.read("widget.css")]),
    }
    return type("PlayerWidget", (anywidget.AnyWidget,), parts)
