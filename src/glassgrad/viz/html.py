"""`gg.player`: a page that shows a recorded backward pass, event by event.

One file: the drawing, the log, a style sheet, and the player's script, which steps through the log
and only toggles classes on the drawing. It asks nothing of the network, evaluates no text as code
(its own content security policy forbids both), and opens from `file://`.
"""

import base64
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.tracing.record import record
from glassgrad.viz.drawing import Drawing, draw, trace_of
from glassgrad.viz.sheet import style_sheet
from glassgrad.viz.swatches import legend_items, state_items
from glassgrad.viz.wording import Narrator, array_text, bytes_text, escape, shape_text

__all__ = ["Player", "player"]

MOST_EVENTS = 5_000  # a page that a browser opens at once
PREFIX = "gg-"  # before each id of the drawing, which shares its page with others

# Nothing may be fetched and no text may become code: what is in the file is all there is.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True, slots=True, repr=False)
class Player:
    """A page that plays a trace. A notebook shows it; `save` writes it.

    Args:
        trace: what it plays.
        drawing: the picture it plays it on.
    """

    trace: Trace
    drawing: Drawing

    @property
    def html(self) -> str:
        """The whole page."""
        title = escape(self.drawing.graph.title)
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<title>{title}</title>\n"
            f"<style>\n{style_sheet()}\n{_static('player.css')}</style>\n</head>\n"
            f'<body class="gg-page">\n{self.fragment()}\n'
            f'<script type="module">\n{_script()}\n'
            'for (const root of document.querySelectorAll(".gg-player")) mount(root, document);\n'
            "</script>\n</body>\n</html>\n"
        )

    def fragment(self) -> str:
        """The player's element alone, for a page that brings `player.js` and `player.css`."""
        graph = self.drawing.graph
        picture = self.drawing.bare_svg(prefix=PREFIX)
        notices = [self.drawing.layout, *self._notices()]
        return (
            f'<main class="gg gg-player" data-prefix="{PREFIX}">\n'
            f'<header class="gg-head"><h1>{escape(graph.title)}</h1>'
            f"<p>Arrows follow the gradient · {escape(graph.counts)} · "
            f"{len(self.trace.events):,} events</p></header>\n"
            f'<div class="gg-stage" tabindex="-1">\n{picture}</div>\n'
            "<noscript><p>The steps need JavaScript; the picture above is the finished pass.</p>"
            "</noscript>\n"
            f'<footer class="gg-foot"><ul class="gg-legend">{self._legend()}</ul>'
            f"<p>{escape('. '.join(_sentence(notice) for notice in notices))}.</p></footer>\n"
            f'<script type="application/json" class="gg-data">{self._data()}</script>\n</main>'
        )

    def save(self, path: str | Path) -> Path:
        """Write the page to `path` and return the path.

        Raises:
            OSError: if the file cannot be written.
        """
        path = Path(path)
        path.write_text(self.html, encoding="utf-8", newline="\n")
        return path

    def _notices(self) -> list[str]:
        count = len(self.trace.events)
        if count <= MOST_EVENTS:
            return []
        return [f"the first {MOST_EVENTS:,} of {count:,} events are here; the trace has them all"]

    def _legend(self) -> str:
        items = [*legend_items(self.drawing.graph), *state_items()]
        return "".join(f"<li>{swatch}<span>{escape(label)}</span></li>" for swatch, label in items)

    def _data(self) -> str:
        """The log as JSON inside a script element, where `<` could end it."""
        text = json.dumps(self.data(), ensure_ascii=True, separators=(",", ":"))
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")

    def data(self) -> dict[str, Any]:
        """What `player.js` reads: the log, its sentences, and numbers already put in words."""
        narrator = Narrator(self.trace)
        events = self.trace.events[:MOST_EVENTS]
        return {
            "place": self.drawing.graph.place,
            "nodes": {node["id"]: self._node(node, narrator) for node in self._nodes()},
            "leaves": [self._tensor(leaf) for leaf in self.trace.leaves],
            "outputs": [output["id"] for output in self.trace.outputs],
            "arrays": {name: array_text(array) for name, array in self.trace.arrays.items()},
            "events": events,
            "said": [narrator.sentence(event) for event in events],
            "begin": self._begin(),
        }

    def _nodes(self) -> list[dict[str, Any]]:
        """Those that are drawn and those the events speak of: not all of a million."""
        spoken = {event.get("node") for event in self.trace.events[:MOST_EVENTS]}
        spoken |= set(self.drawing.graph.place)
        spoken |= {leaf["acc"] for leaf in self.trace.leaves}
        return [node for node in self.trace.nodes if node["id"] in spoken]

    def _node(self, node: dict[str, Any], narrator: Narrator) -> dict[str, Any]:
        saved = [
            {
                "name": entry["name"],
                "of": entry.get("leaf", entry["storage"]),
                "words": _saved_words(entry),
                "bytes": entry["bytes"],
            }
            for entry in node.get("saved", ())
        ]
        edges = [
            [edge["to"], narrator.name(edge["to"]) if edge["to"] else "no gradient needed"]
            for edge in node["edges"]
        ]
        about = [".".join(node.get("scope", ())), node.get("src", "")]
        if "shape" in node:
            about.insert(0, f"out {shape_text(node['shape'])} {node.get('dtype', '')}".strip())
        return {
            "op": node["op"],
            "name": narrator.name(node["id"]),
            "about": [part for part in about if part],
            "saved": saved,
            "edges": edges,
        }

    def _tensor(self, leaf: dict[str, Any]) -> dict[str, Any]:
        name = leaf["name"] or leaf["id"]
        return {
            "id": leaf["id"],
            "name": name,
            "acc": leaf["acc"],
            "shape": shape_text(leaf["shape"]),
        }

    def _begin(self) -> str:
        names = ", ".join(output["name"] or output["id"] for output in self.trace.outputs)
        if not self.trace.events:
            return "Nothing was recorded: this is the graph alone."
        return f"Backward begins{f' at {names}' if names else ''}. Press → to step."

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        svg = self.drawing.svg
        image = base64.b64encode(svg.encode()).decode()
        alt = escape(f"{self.drawing.graph.title}. {self.drawing.graph.counts}.")
        # A notebook that is not trusted strips the frame; the picture under it stays.
        html = (
            '<div style="position:relative;min-height:680px">'
            f'<img alt="{alt}" style="max-width:100%" src="data:image/svg+xml;base64,{image}">'
            '<iframe sandbox="allow-scripts" style="position:absolute;inset:0;width:100%;'
            f'height:100%;border:0" title="{alt}" srcdoc="{escape(self.html)}"></iframe></div>'
        )
        return {"text/html": html, "image/svg+xml": svg, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"Player({self.drawing.graph.title}: {len(self.trace.events):,} events)"


def player(loss: Any) -> Player:
    """A page that plays a backward pass, forward and back.

    Args:
        loss: what `record` returns; or a tensor, or several, whose pass is then run and recorded
            as `record(loss)` does.

    Returns:
        A `Player`: shown by a notebook, with `.html` and `.save(path)`.

    Raises:
        ArgumentTypeError: if `loss` is neither a tensor nor a trace.

    Example:
        >>> nodes = [{"id": "n0", "op": "NegBackward0", "seq": 0, "edges": []}]
        >>> player(Trace({"nodes": nodes, "leaves": []}))
        Player(Backward graph: 0 events)
    """
    trace = trace_of(loss, "player", record)
    return Player(trace, draw(trace))


def _saved_words(entry: dict[str, Any]) -> str:
    shape = f"{shape_text(entry['shape'])}, " if "shape" in entry else ""
    return f"{shape}{bytes_text(entry['bytes'])}, version {entry['version']}"


def _sentence(notice: str) -> str:
    return notice[:1].upper() + notice[1:]


@cache
def _static(name: str) -> str:
    return resources.files("glassgrad.viz").joinpath("static", name).read_text("utf-8")


def _script() -> str:
    """The two files of the player as one module."""
    # Inside a script element even a comment that holds the end tag would end it.
    return f"{_static('log.js')}\n{_static('player.js')}".replace("</script", "<\\/script")
