"""A live player in a notebook: the widget, and the recorded player that is saved in its place.

See Note [Two outputs] in `live.py` for why there are two.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from glassgrad.tracing.graph import Entry
from glassgrad.viz.players import assets
from glassgrad.viz.style import NOTEBOOK, css_variables

if TYPE_CHECKING:
    from .live import LivePlayer

PAUSE = 1.0  # seconds without a step, after which the recorded player is brought up to date

# A widget that lives hides the recorded player before it, and that one a widget that does not.
HIDING = (
    "<style>.jp-OutputArea-child:has(.gg-still):has(+ .jp-OutputArea-child .gg-widget),"
    ".jp-OutputArea-child:has(.gg-still) + .jp-OutputArea-child:has(.jupyter-widgets)"
    ":not(:has(.gg-widget)){display:none}</style>"
)
MISSING = (
    "<p>This player shows what has happened until now. To drive the pass from here, install "
    "<code>anywidget</code>: <code>pip install 'glassgrad[jupyter]'</code>.</p>"
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

    def __init__(self, player: "LivePlayer") -> None:
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
        "_esm": f"{assets.script()}\n{assets.read('widget.js')}",
        "_css": "\n".join([*colors, assets.styles(), assets.read("widget.css")]),
    }
    return type("PlayerWidget", (anywidget.AnyWidget,), parts)
