"""`gg.draw`: a trace as a picture, in whatever form is asked for."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from glassgrad.base.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.tracing.events import Trace
from glassgrad.tracing.session import Session
from glassgrad.tracing.snapshot import snapshot
from glassgrad.viz.dot import to_dot
from glassgrad.viz.graph import Graph
from glassgrad.viz.layout import Layout, lay_out
from glassgrad.viz.look import PARTS, look_of
from glassgrad.viz.paused import mark_current, trace_so_far
from glassgrad.viz.snapshot import graph_of
from glassgrad.viz.style import Theme
from glassgrad.viz.svg import to_svg
from glassgrad.viz.text import text_view
from glassgrad.viz.wording import escape

__all__ = ["Drawing", "draw"]

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
    """

    trace: Trace
    graph: Graph
    places: Layout = field(repr=False)
    rankdir: str
    theme: Theme

    @property
    def layout(self) -> str:
        """Which layout was used, and why not a better one, in one line."""
        reasons = [part for part in (self.places.notice, self.graph.notice) if part]
        return f"laid out by {self.places.engine}" + (f" ({'; '.join(reasons)})" if reasons else "")

    @property
    def svg(self) -> str:
        """The picture as an SVG document."""
        return to_svg(self.graph, self.places, theme=self.theme, rankdir=self.rankdir)

    @property
    def dot(self) -> str:
        """The picture in Graphviz's language, with all its labels."""
        shade: Literal["light", "dark"] = "dark" if self.theme == "dark" else "light"
        return to_dot(self.graph, rankdir=self.rankdir, theme=shade)

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
        return to_svg(
            self.graph, self.places, rankdir=self.rankdir, prefix=prefix, framed=False, styled=False
        )

    def png(self, *, scale: float = 2.0) -> bytes:
        """The picture as PNG, `scale` times as large as on the screen.

        Raises:
            ArgumentError: if a side would be longer than 32,000 px.
            ModuleNotFoundError: if `resvg_py` is not installed.
        """
        theme: Theme = "dark" if self.theme == "dark" else "light"
        svg = to_svg(self.graph, self.places, theme=theme, rankdir=self.rankdir, styled=False)
        size = re.search(r'width="(\d+)" height="(\d+)"', svg)
        assert size is not None
        if max(int(size[1]), int(size[2])) * scale > LARGEST_PNG:
            raise ArgumentError(
                f"the picture is {size[1]} × {size[2]} px, too large for a PNG at scale {scale:g}. "
                f"Above {LARGEST_PNG:,} px a side most programs cannot open it. "
                'Save it as SVG (`.save("graph.svg")`) or give a smaller `scale`.'
            )
        try:
            import resvg_py
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "a PNG needs the package resvg_py, which is not installed. "
                "It turns the SVG into pixels. Write `pip install 'glassgrad[png]'`.",
                name="resvg_py",
            ) from error
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=max(1, round(scale))))

    def save(self, path: str | Path) -> Path:
        """Write the picture to `path`: `.svg`, `.png`, `.dot`, `.html`, `.txt` or `.json`.

        Raises:
            ArgumentError: for another suffix.
            OSError: if the file cannot be written.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix == ".png":
            path.write_bytes(self.png())
            return path
        if suffix == ".json":
            return self.trace.save(path)
        texts = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".html": "html"}
        if suffix != ".txt" and suffix not in texts:
            raise ArgumentError(
                f"a picture cannot be saved as {path.name!r}. Its suffix says no form that "
                "glassgrad writes. Use .svg, .png, .html, .dot, .txt or .json."
            )
        text = text_view(self.trace) if suffix == ".txt" else getattr(self, texts[suffix])
        path.write_text(text, encoding="utf-8", newline="\n")
        return path

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"Drawing({self.graph.title}: {self.graph.counts}; {self.layout})"


def draw(
    loss: Any,
    *,
    rankdir: str = "LR",
    theme: Theme = "auto",
    show: Iterable[str] = PARTS,
    fold: Literal["auto", False] = "auto",
    max_nodes: int | None = None,
    title: str | None = None,
    flow: bool = False,
) -> Drawing:
    """Draw a backward graph. Nothing is run.

    Args:
        loss: a tensor, or several, before or after its backward pass; a `Trace`, which also
            knows the gradients; or a paused `Session`.
        rankdir: "LR", the gradient goes from left to right, or "TB", from top to bottom.
        theme: "light", "dark", or "auto": as the reader's system has it.
        show: what to write beside the names: any of "values", "shapes", "saved", "hooks" and
            "versions".
        fold: "auto" draws more than 300 nodes as at most 150 boxes; False draws all of them.
        max_nodes: how many boxes there may be, in place of that rule.
        title: what stands above the picture.
        flow: show by the width and shade of each arrow how much gradient went along it, on a
            logarithmic scale: dotted for zero, red where it holds a nan. Needs a recorded pass.

    Returns:
        A `Drawing`: shown by a notebook, with `.svg`, `.dot`, `.png()`, `.html` and `.save(path)`.

    Raises:
        ArgumentError: for an unknown option.
        ArgumentTypeError: if `loss` is neither a tensor nor a trace nor a session.
        GraphError: if a tensor has no graph.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> draw((x * x).sum()).graph.counts
        '3 nodes · 4 edges · 1 leaf'
    """
    _check_choice("rankdir", rankdir, ("LR", "TB"))
    _check_choice("theme", theme, ("auto", "light", "dark"))
    look = look_of(show, fold, max_nodes, title, flow)
    is_paused = isinstance(loss, Session)
    trace = trace_so_far(loss) if is_paused else trace_of(loss, "draw", snapshot)
    graph = graph_of(trace, look)
    graph = mark_current(graph, loss) if is_paused else graph
    return Drawing(trace, graph, lay_out(graph, rankdir=rankdir), rankdir, theme)


def trace_of(loss: Any, name: str, look_at: Callable[[Any], Trace]) -> Trace:
    """The trace of what was given: itself, or what `look_at` finds; `name` is who was called."""
    if isinstance(loss, Trace):
        return loss
    several = list(loss) if isinstance(loss, (list, tuple)) else [loss]
    if several and all(isinstance(each, Tensor) for each in several):
        return look_at(several)
    raise ArgumentTypeError(
        f"{name}() was given a {type(loss).__name__}. It shows the graph of a tensor, or a "
        f"recorded backward pass. Write `{name}(loss)` or `{name}(record(loss))`."
    )


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ArgumentError(
            f"{name}={value!r} is not known. A picture can only have one of {known}. "
            f"Write `{name}={choices[0]!r}`."
        )
