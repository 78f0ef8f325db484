"""`glassgrad view`: a record in the terminal, as tables if it is one, as plain lines if not."""

from typing import TYPE_CHECKING, Literal

from glassgrad.tracing import Trace
from glassgrad.viz import text_view
from glassgrad.viz.wording import Narrator, both_ends, node_rows

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MOST = 200  # rows of a table, if nothing else is said: it is laid out as a whole
LEFT_OUT = "…"  # in the place of the rows between the first and the last
NARROW = 60  # columns that a table does not fit into
WHOLE = 24  # characters of an op's name that no line break parts


def show_trace(
    trace: Trace, console: "Console", *, limit: int | None = None, is_plain: bool = False
) -> None:
    """Print a trace: its nodes in the order of the pass, then its events.

    Args:
        trace: what `record` returned.
        console: where to.
        limit: at most so many nodes and events, the first and the last; None: all, or 200 of each
            in tables.
        is_plain: no tables: lines, as into a pipe.
    """
    if is_plain or not console.is_terminal or console.width < NARROW:
        console.file.write(text_view(trace, limit=limit) + "\n")  # rich would measure each line
        return
    from rich.text import Text

    limit = MOST if limit is None else limit
    longest, count = 0, len(trace.nodes)
    nodes = _table(f"{count:,} nodes", "turn", "id", "op", "shape", "goes to", "saved")
    for row in both_ends(node_rows(trace), limit, count):
        if row is None:
            nodes.add_row(LEFT_OUT, LEFT_OUT)
            continue
        goes = f"{row.goes}.grad" if row.is_leaf else row.goes
        told = [Text(text) for text in (row.op, row.shape, goes, row.saved)]
        nodes.add_row(str(row.turn or ""), row.id, *told)
        longest = max(longest, len(row.op))
    if longest <= WHOLE:
        nodes.columns[2].width = longest  # of the others' columns the lines break
    _print(console, nodes, count - limit)
    if not trace.events:
        return
    narrator, count = Narrator(trace), len(trace.events)
    events = _table(f"{count:,} events", "no.", "type", "what happened")
    for each in both_ends(enumerate(trace.events, start=1), limit, count):
        if each is None:
            events.add_row(LEFT_OUT, LEFT_OUT)
            continue
        number, event = each
        events.add_row(str(number), event["type"], Text(narrator.sentence(event)))
    _print(console, events, count - limit)
    if trace.events[-1]["type"] == "error" and count > limit == 1:  # it is not in the table
        console.print(narrator.sentence(trace.events[-1]))


def _print(console: "Console", table: "Table", more: int) -> None:
    console.print(table)
    if more > 0:
        console.print(f"… {more:,} more: --limit N shows more of them")


def _table(title: str, *columns: str) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for name in columns:
        justify: Literal["left", "right"] = "right" if name in ("turn", "no.") else "left"
        table.add_column(name, justify=justify, overflow="fold")  # nothing is left out
    return table
