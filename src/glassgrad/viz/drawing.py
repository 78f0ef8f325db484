"""`gg.draw`: a trace as a picture, in whatever form is asked for."""

import base64
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from glassgrad._words import plain
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.state import Names
from glassgrad.core.tensor import Tensor
from glassgrad.tracing.compare import Comparison
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Ids, op_of
from glassgrad.tracing.log import snapshot
from glassgrad.tracing.session import Session
from glassgrad.tracing.watching import Passes
from glassgrad.viz.layout.dot import to_dot
from glassgrad.viz.layout.engines import lay_out
from glassgrad.viz.layout.places import Layout
from glassgrad.viz.overview import cut_title, overview
from glassgrad.viz.scene.derived import Mirror, compared, in_folds, inside_of, mirrored
from glassgrad.viz.scene.graph import PARTS, Graph, Look, Vertex, graph_of, look_of
from glassgrad.viz.style import Theme
from glassgrad.viz.svg.document import Document
from glassgrad.viz.wording import escape, notices, text_view

_SIZE = re.compile(r'width="(\d+)" height="(\d+)"')
WIDEST = 6_000  # px: a picture from left to right that is wider, and so many times as wide as it is
LONGEST = 12  # high, is a strip; from top to bottom a page shows it at the width of its text
DOWNWARDS = 'from top to bottom, for it is long; rankdir="LR" draws it from left to right'
LARGEST_PNG = 32_000  # px a side: above it viewers give up, and the picture takes gigabytes


@dataclass(frozen=True, slots=True, repr=False)
class Drawing:
    """A laid-out picture. A notebook shows it; `save` writes it by the file's suffix.

    Args:
        trace: what is drawn.
        graph: its vertices and arcs.
        places: where they are.
        rankdir: "LR" or "TB".
        theme: "light", "dark" or "auto".
        report: of a comparison, what differs, as text; empty for anything else.
    """

    trace: Trace
    graph: Graph
    places: Layout = field(repr=False)
    rankdir: str
    theme: Theme
    report: str = field(default="", repr=False)

    @property
    def layout(self) -> str:
        """Which layout was used, and why not a better one, in one line."""
        reasons = notices(self.places.notice, self.graph.notice)
        return f"laid out by {self.places.engine}" + (f" ({reasons})" if reasons else "")

    @property
    def svg(self) -> str:
        """The picture as an SVG document."""
        return Document(self.graph, self.places, self.theme).svg(self.rankdir)

    @property
    def dot(self) -> str:
        """The picture in Graphviz's language, with all its labels."""
        return to_dot(self.graph, rankdir=self.rankdir, theme=self.theme)

    @property
    def html(self) -> str:
        """A page with the picture: no script, and nothing from elsewhere."""
        scheme = {"auto": "light dark"}.get(self.theme, self.theme)
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="color-scheme" content="{scheme}">\n'
            f"<title>{escape(self.graph.title)}</title>\n"
            "<style>body{margin:0}svg{display:block;max-width:100%;height:auto;margin:auto}</style>\n"
            f"{self.svg}</html>\n"
        )

    def bare_svg(self, *, prefix: str) -> str:
        """The picture without frame and style sheet, for a page that has both; ids prefixed."""
        return Document(self.graph, self.places, prefix=prefix, framed=False).svg()

    def inside(self, fold: str) -> "Drawing":
        """A small drawing of what is inside of one fold, or of one bar of an overview.

        Args:
            fold: the id of its box, "f12".

        Raises:
            ArgumentError: if the picture has no such fold.
        """
        members = {box.id: nodes for box, nodes in in_folds(self.trace, self.graph)}
        if fold not in members:
            some = ", ".join([*members][:4]) or "none at all"
            raise ArgumentError(
                f"there is no fold {fold!r} to look into. This picture has {some}"
                f"{', …' if len(members) > 4 else ''}. Give the id of a box that stands for "
                "several nodes."
            )
        part, graph = inside_of(self.trace, members[fold])
        return Drawing(part, graph, lay_out(graph, rankdir=self.rankdir), self.rankdir, self.theme)

    def png(self, *, scale: float = 2.0) -> bytes:
        """The picture as PNG, `scale` times as large as on the screen.

        Raises:
            ArgumentError: if a side would be longer than 32,000 px.
            ModuleNotFoundError: if `resvg_py` is not installed.
        """
        svg = Document(self.graph, self.places, self.theme).svg(self.rankdir, styled=False)
        wide, high = map(int, _SIZE.findall(svg)[0])
        if max(wide, high) * scale > LARGEST_PNG:
            raise ArgumentError(
                f"the picture is {wide} × {high} px, too large for a PNG at scale {scale:g}. "
                f"Above {LARGEST_PNG:,} px a side most programs cannot open it. "
                'Save it as SVG (`.save("graph.svg")`) or give a smaller `scale`.'
            )
        try:
            import resvg_py
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                "a PNG needs the package resvg_py, which is not installed. "
                "It turns the SVG into pixels. Write `pip install resvg_py`.",
                name="resvg_py",
            ) from None
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=max(1, round(scale))))

    def save(self, path: str | Path) -> Path:
        """Write the picture to `path`: `.svg`, `.png`, `.dot`, `.html`, `.txt` or `.json`.

        Raises:
            ArgumentError: for another suffix.
            OSError: if the file cannot be written.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix == ".json" and self.report:
            raise ArgumentError(
                f"a comparison cannot be saved as {path.name!r}. It is of two passes, and a log "
                "tells of one. Save each: `comparison.a.save(…)` and `comparison.b.save(…)`."
            )
        if suffix == ".json":
            return self.trace.save(path)
        if suffix == ".png":
            path.write_bytes(self.png())
            return path
        texts = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".html": "html", ".txt": "_text"}
        if suffix not in texts:
            raise ArgumentError(
                f"a picture cannot be saved as {path.name!r}. Its suffix says no form that "
                "glassgrad writes. Use .svg, .png, .html, .dot, .txt or .json."
            )
        path.write_text(getattr(self, texts[suffix]), encoding="utf-8", newline="\n")
        return path

    @property
    def _text(self) -> str:
        return self.report or text_view(self.trace)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        svg = self.svg
        least = int(0.6 * int(_SIZE.findall(svg)[0][0]))  # px: below it the text cannot be read
        # An SVG by itself is shown as wide as it is, and JupyterLab cuts it off.
        html = self.image(svg, f"max-width:100%;min-width:{least}px;height:auto")
        return {"text/html": html, "image/svg+xml": svg, "text/plain": repr(self)}

    @property
    def alt(self) -> str:
        """What is said in place of the picture, as HTML."""
        return escape(f"{self.graph.title}. {self.graph.counts}.")

    def image(self, svg: str, style: str) -> str:
        """The picture, as `svg` has it, as an `<img>` that needs no other file."""
        data = base64.b64encode(svg.encode()).decode()
        return f'<img alt="{self.alt}" style="{style}" src="data:image/svg+xml;base64,{data}">'

    def __repr__(self) -> str:
        return f"Drawing({self.graph.title}: {self.graph.counts}; {self.layout})"


def draw(
    loss: Any,
    *,
    rankdir: str | None = None,
    theme: Theme = "auto",
    show: Iterable[str] = PARTS,
    fold: Literal["auto", False] = "auto",
    max_nodes: int | None = None,
    title: str | None = None,
    flow: bool = False,
    mirror: bool = False,
) -> Drawing:
    """Draw a backward graph. Nothing is run.

    Args:
        loss: a tensor, or several, before or after its backward pass; a `Trace`, which also
            knows the gradients, or the `Passes` of `tracing.watching`; a paused `Session`; or a
            `Comparison` of two traces, whose picture has both and marks what differs.
        rankdir: "LR", the gradient goes from left to right, or "TB", from top to bottom. By
            default "LR", unless that would be a strip that nobody can read: wider than 6,000 px,
            and than 12 times its height.
        theme: "light", "dark", or "auto": as the reader's system has it.
        show: what to write beside the names: any of "values", "shapes", "saved", "hooks" and
            "versions".
        fold: "auto" draws more than 300 nodes as at most 150 boxes, and more than 1,500 as an
            overview; False draws all of them.
        max_nodes: how many boxes there may be, in place of that rule.
        title: what stands above the picture.
        flow: show by the width and shade of each arrow how much gradient went along it, on a
            logarithmic scale: dotted for zero, in red dashes where it holds a nan. Needs a
            recorded pass.
        mirror: draw forward and backward face to face, with what was saved between them; for
            up to 60 nodes.

    Returns:
        A `Drawing`: shown by a notebook, with `.svg`, `.dot`, `.png()`, `.html` and `.save(path)`.

    Raises:
        ArgumentError: for an unknown option, or `mirror` with too large a graph.
        ArgumentTypeError: if `loss` is neither a tensor nor a trace nor a session, `title` no
            text, or `show` no names.
        DataError: for a `Trace` that was made by hand and is not sound; the message says where.
        GraphError: if a tensor has no graph.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> draw((x * x).sum()).graph.counts
        '3 nodes · 4 edges · 1 leaf'
    """
    if rankdir is not None:
        _check_choice("rankdir", rankdir, ("LR", "TB"))
    _check_choice("theme", theme, ("auto", "light", "dark"))
    look = look_of(show, fold, max_nodes, title, flow)
    if isinstance(loss, Comparison):
        if mirror:
            raise ArgumentError(
                "mirror=True was given with a comparison. It shows forward and backward of one "
                "pass, and here are two. Write `gg.draw(comparison.a, mirror=True)`."
            )
        union, graph = compared(loss, look)
        places, way = _lay_out(graph, rankdir)
        return Drawing(union, graph, places, way, theme, report=str(loss))
    is_paused = isinstance(loss, Session)
    trace = _trace_so_far(loss) if is_paused else trace_of(loss, "draw", snapshot)
    if flow and not is_paused and not trace.events:
        raise ArgumentError(
            "flow=True was given with a graph on which no pass was recorded. It shows how much "
            "gradient went along each arrow, and none has. Write `draw(record(loss), flow=True)`."
        )
    session = loss if is_paused else None
    return drawn(trace, look, rankdir, theme, mirror=mirror, session=session)


def drawn(
    trace: Trace,
    look: Look,
    rankdir: str | None = None,
    theme: Theme = "auto",
    *,
    mirror: bool = False,
    session: Session | None = None,
    values: Ids | None = None,
) -> Drawing:
    """The drawing of a trace that need not be checked; the arguments are those of `draw`.

    `values` are those of ops, in words by node, for the forward half of a mirror.
    """
    places, facing = None, None
    if mirror:
        rankdir = rankdir or "LR"
        facing = mirrored(trace, look, rankdir, values)
        graph = facing.graph
    elif look.is_overview(len(trace.nodes)):
        graph, places = overview(trace, look)
    else:
        graph = graph_of(trace, look)
    graph, way = _mark_current(graph, session), rankdir or "LR"
    if places is None:
        places, way = _lay_out(graph, rankdir, facing)
    return Drawing(trace, graph, places, way, theme)


def _lay_out(graph: Graph, rankdir: str | None, mirror: Mirror | None = None) -> tuple[Layout, str]:
    """The layout and which way it goes: as given, else from left to right if that can be read."""
    layout = lay_out(graph, rankdir=rankdir or "LR", mirror=mirror)
    is_readable = layout.width <= max(WIDEST, LONGEST * layout.height)
    if rankdir or is_readable or layout.notice:  # Graphviz has had its ten seconds
        return layout, rankdir or "LR"
    return replace(lay_out(graph, rankdir="TB"), notice=DOWNWARDS), "TB"


def trace_of(loss: Any, name: str, look_at: Callable[[Any], Trace]) -> Trace:
    """The trace of what was given: itself, or what `look_at` finds; `name` is who was called.

    Raises:
        ArgumentTypeError: if it is nothing that can be shown.
        DataError: if it is a trace that is not sound.
    """
    if isinstance(loss, Trace):
        loss.check(name)
        return loss
    if isinstance(loss, Passes):
        return loss.together()
    several = list(loss) if isinstance(loss, (list, tuple)) else [loss]
    if several and all(isinstance(each, Tensor) for each in several):
        return look_at(several)
    is_torch = type(loss).__module__.partition(".")[0] == "torch"
    remedy = f"`{name}(loss)` or `{name}(record(loss))`"
    if is_torch:
        remedy = f"`{name}(glassgrad.tracing.torch.record(loss))`"
    raise ArgumentTypeError(
        f"{name}() was given a {'torch.' * is_torch}{type(loss).__name__}. It shows the graph of "
        f"glassgrad's tensors, or a recorded backward pass. Write {remedy}."
    )


def _check_choice(name: str, value: str, choices: Names) -> None:
    if value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ArgumentError(
            f"{name}={value!r} is not known. A picture can only have one of {known}. "
            f"Write `{name}={choices[0]!r}`."
        )


# --- a paused pass: what has run has its turn, and ▶ stands where it is ---------------------------


def _trace_so_far(session: Session) -> Trace:
    """The log of a paused pass, on the graph as it is now: nodes that have freed hold nothing."""
    trace = session.trace
    freed = {event["node"] for event in trace.events if event["type"] == "free_saved"}
    nodes = [
        node | {"saved": [], "freed": True} if node["id"] in freed else node for node in trace.nodes
    ]
    return Trace(trace.graph | {"nodes": nodes}, trace.arrays, trace.events)


def _mark_current(graph: Graph, session: Session | None) -> Graph:
    """`graph` with ▶ at the node whose turn it is; before it is laid out, for ▶ takes room."""
    if session is None or (node := session.current) is None:
        return graph
    here = graph.place[session.names.node[node]]
    vertices = tuple(_marked(vertex) if vertex.id == here else vertex for vertex in graph.vertices)
    notice = notices(f"paused: ▶ {plain(op_of(node))} is next", graph.notice)
    return replace(graph, vertices=vertices, notice=notice)


def _marked(vertex: Vertex) -> Vertex:
    if vertex.size is None:
        return replace(vertex, badge=f"▶ {vertex.badge}".strip())
    width, _ = vertex.size  # of a bar of an overview, which is as wide as it has ops
    title = cut_title(f"▶ {vertex.title}".strip(), width) or cut_title("▶", width)
    return replace(vertex, title=title, badge="")
