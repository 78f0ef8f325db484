"""A page that shows a recorded backward pass, event by event.

One file: the drawing, the log, a style sheet, and the player's script, which steps through the log
and only toggles classes on the drawing. It asks nothing of the network, evaluates no text as code
(its own content security policy forbids both), and opens from `file://`.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry
from glassgrad.viz.drawing import Drawing
from glassgrad.viz.explaining.entries import explanations
from glassgrad.viz.players.assets import script, styles
from glassgrad.viz.players.page import (
    MOST_EVENTS,
    pack,
    page_drawing,
    replay_data,
    slim,
    templates_of,
)
from glassgrad.viz.style import KINDS, NOTEBOOK
from glassgrad.viz.svg.legend import legend_items, state_items
from glassgrad.viz.wording import escape

PREFIX = "gg-"  # before each id of the drawing on a page of its own

# Nothing may be fetched and no text may become code: what is in the file is all there is.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)

# What is in a frame takes the scheme of its place for the system's: a notebook's theme gets in.
THEMED = "".join([f"{on} .gg-recorded{{color-scheme:{theme}}}" for theme, on in NOTEBOOK.items()])


@dataclass(frozen=True, slots=True, repr=False)
class Player:
    """A page that plays a trace. A notebook shows it; `save` writes it.

    Args:
        trace: what it plays.
        drawing: the picture it plays it on.
        explain: what is known of the nodes, by id, as `viz.explaining` has it; None: what the trace
            tells.
    """

    trace: Trace
    drawing: Drawing
    explain: Entry | None = None

    @property
    def html(self) -> str:
        """The whole page."""
        title, sheet = escape(self.drawing.graph.title), styles(self._kinds(), alone=True)
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<title>{title}</title>\n<style>\n{sheet}\n</style>\n</head>\n"
            f'<body class="gg-page">\n{self.fragment(PREFIX, tag="main", heading="h1")}\n'
            f'<script type="module">\n{script()}\n'
            'mount(document.querySelector(".gg-player"), { keys: document });\n'
            "</script>\n</body>\n</html>\n"
        )

    def fragment(
        self, prefix: str | None = None, *, tag: str = "section", heading: str = "h2"
    ) -> str:
        """The player's element alone, for a page that brings the script and the style sheet.

        Those are `viz.assets.script()`, a module that exports `mount(root, {keys, live})`, and
        `viz.assets.styles()`. Several players may share a page.

        Args:
            prefix: put before each id of the drawing; by default it depends on what is shown.
            tag, heading: of the element, and of its title.
        """
        graph, contents = self.drawing.graph, self.data()
        events = [{key: e[key] for key in e if key != "k"} for e in contents["events"]]
        data = pack(contents | {"events": events})
        prefix = prefix or f"gg{hashlib.blake2b(data.encode(), digest_size=4).hexdigest()}-"
        count, notices = f"{len(self.trace.events):,}", [self.drawing.layout]
        if len(self.trace.events) > MOST_EVENTS:
            count = f"the first {MOST_EVENTS:,} of {count}"
            notices.append(f"{count} events are here; the trace has them all")
        sentences = [notice[:1].upper() + notice[1:] for notice in notices]
        title = escape(graph.title)
        return (
            f'<{tag} class="gg gg-player" data-prefix="{escape(prefix)}" tabindex="-1"'
            f' aria-label="{title}" data-lm-suppress-shortcuts="true">\n'
            f'<header class="gg-head"><{heading}>{title}</{heading}>'
            f"<p>Arrows follow the gradient · {escape(graph.counts)}"
            f'<span class="gg-total"> · {count} events</span></p></header>\n'
            '<div class="gg-stage" tabindex="0" role="group" aria-label="The graph">\n'
            f"{slim(page_drawing(self.drawing).bare_svg(prefix=prefix))}</div>\n"
            "<noscript><p>The steps need JavaScript; the picture above is the finished pass.</p>"
            "</noscript>\n"
            f'<footer class="gg-foot"><ul class="gg-legend">{self._legend()}</ul>'
            f"<p>{escape('. '.join(sentences))}.</p></footer>\n"
            f"{templates_of(self.trace, graph, prefix)}"
            f'<script type="application/zlib" class="gg-data">{data}</script>\n</{tag}>'
        )

    def save(self, path: str | Path) -> Path:
        """Write the page to `path` and return the path.

        Raises:
            OSError: if the file cannot be written.
        """
        path = Path(path)
        path.write_text(self.html, encoding="utf-8", newline="\n")
        return path

    def _kinds(self) -> frozenset[str]:
        """The kinds of boxes on the page; any, where folded boxes are opened."""
        present = frozenset(vertex.kind for vertex in self.drawing.graph.vertices)
        return frozenset(KINDS) if "fold" in present else present

    def _legend(self) -> str:
        items = [*legend_items(self.drawing.graph), *state_items()]
        return "".join(f"<li>{swatch}<span>{escape(label)}</span></li>" for swatch, label in items)

    def data(self) -> Entry:
        """What `player.js` reads: the log, its sentences, and numbers already put in words."""
        data = replay_data(self.trace, self.drawing.graph)
        known = explanations(self.trace) if self.explain is None else self.explain
        return {**data, "explain": {id: known[id] for id in known if id in data["nodes"]}}

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        svg = self.drawing.svg
        # A notebook that is not trusted strips the frame; the picture under it stays.
        html = (
            '<div class="gg-recorded" style="position:relative;min-height:680px">'
            f"<style>{THEMED}</style>{self.drawing.image(svg, 'max-width:100%')}"
            '<iframe loading="lazy" sandbox="allow-scripts" style="position:absolute;inset:0;'
            f'width:100%;height:100%;border:0" title="{self.drawing.alt}" '
            f'srcdoc="{escape(self.html)}">'
            "</iframe></div>"
        )
        return {"text/html": html, "image/svg+xml": svg, "text/plain": repr(self)}

    def __repr__(self) -> str:
        last = self.trace.events[-1] if self.trace.events else {"type": ""}
        failed = f", failed: {last['error']}" if last["type"] == "error" else ""
        return f"Player({self.drawing.graph.title}: {len(self.trace.events):,} events{failed})"
