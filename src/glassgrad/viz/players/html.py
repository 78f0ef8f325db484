"""A page that shows a recorded backward pass, event by event.

One file: the drawing, the log, a style sheet, and the player's script, which steps through the log
and only toggles classes on the drawing. It asks nothing of the network, evaluates no text as code
(its own content security policy forbids both), and opens from `file://`.

The picture is laid out once, with room for all that comes to stand in it. The page shows in a box
the gradient that is there at each event. So the boxes are as wide as the widest of these, and
nothing in the picture tells how the pass ends: the script writes what is so at an event, and marks
what goes wrong in its time. It reads a trace, its sentences, and its numbers already put in words:

place     {"n3": "n3", "n4": "f4"}       which box of the drawing stands for a node
nodes     {"n3": {"op", "name", "about", "saved", "edges", …}, …}
leaves    [{"id", "name", "acc", "shape", "dtype", "array"}, …]
tensors   the outputs (their ids are `outputs`), and those that keep their gradient: likewise, with
          "node", "slot" and "retains"
arrays    {"a7": "[1, 2]"}               in words
boxed     {"a7": "‖·‖=2.24"}             the same as boxes show it
norms     {"a7": 2.236}                  "nan" where there is one, else "inf"
events    the trace's own                `said`: a sentence each; `begin`: one before the first. One
          of type "cut" stands for those that the page leaves out, as `_of_page` has it
story     {"n3": "tanh (line 6) got 1, …"}   what a node did, once its turn is over
lines     [{"file", "line", "code", "nodes"}, …]   the program, as far as it is known
checkpoints [{"id", "saved", "line"}]    each keeps its arguments; and where it is called
wanted    ["n0"]                         nodes whose gradients are given out, not added to .grad
notation  what a bar and a dot over a letter mean
hooked    ["h1"]                         hooks of tensors: they run before `retains` keeps anything
folds     {"f4": {"title", "count", "members"}}   what is in the folded boxes
mode      "lesson"                       "predict" or "debug": in which the page begins
predict   {"questions": […]}             as `questions.py` has them
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

from glassgrad._words import counted, plain, shape_text
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry
from glassgrad.tracing.held import leaf_of, of_no_leaf, sizes_of
from glassgrad.viz.drawing import Drawing, drawn
from glassgrad.viz.explaining.entries import explanations
from glassgrad.viz.layout.engines import lay_out
from glassgrad.viz.memory import completed
from glassgrad.viz.players.assets import colours, script, sheet
from glassgrad.viz.players.forward import Values, ops_of, with_forward
from glassgrad.viz.players.questions import questions
from glassgrad.viz.results import Results
from glassgrad.viz.scene.derived import FOLDS, cut_out, in_folds
from glassgrad.viz.scene.graph import Graph, Look, gradient_text, graph_of
from glassgrad.viz.story import Story
from glassgrad.viz.style import KINDS, NOTEBOOK, TIES
from glassgrad.viz.svg.document import Document
from glassgrad.viz.svg.pen import legend_items, state_items
from glassgrad.viz.whose import Whose
from glassgrad.viz.wording import NOTATION, NUMBERED, ROOMY, Narrator, array_text, escape

# How the page looks before the script is there, and without one.
BARE = ".gg-page{margin:0}.gg-page .gg-stage>svg{max-width:100%;height:auto}"

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
        mode: in which it begins, "lesson" or "debug"; a reader who has chosen "debug" before finds
            that again.
        marked: the nodes that ask in predict mode, as `questions.asking` has them; None: nothing
            is asked.
        forward: the values of the ops, by node, for a player that begins with the forward pass, as
            `forward.values_behind` has them; None: it begins with backward.
    """

    trace: Trace
    drawing: Drawing
    explain: Entry | None = None
    mode: str = "lesson"
    marked: tuple[set[str], set[str]] | None = None
    forward: Values | None = None

    @property
    def html(self) -> str:
        """The whole page."""
        has = {"predict": self.marked is not None, "forward": self.forward is not None}
        has["again"] = self._runs_again
        extra = frozenset(name for name in has if has[name])
        title, style = escape(self.drawing.graph.title), colours(self._kinds(), alone=True)
        element = self._element(PREFIX, tag="main", heading="h1", sheet=sheet(extra=extra))
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<title>{title}</title>\n<style>\n{style}\n{BARE}\n</style>\n</head>\n"
            f'<body class="gg-page">\n{element}\n'
            f'<script type="module">\n{script(extra=extra)}\n'
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
        return self._element(prefix, tag=tag, heading=heading)

    def _element(self, prefix: str | None, *, tag: str, heading: str, **more: str) -> str:
        """The same, with more for the script: its style sheet, which is much smaller packed."""
        graph, contents = self.drawing.graph, self.data()
        events = [{key: e[key] for key in e if key != "k"} for e in contents["events"]]
        data = pack(contents | {"events": events} | more)
        prefix = prefix or f"gg{hashlib.blake2b(data.encode(), digest_size=4).hexdigest()}-"
        count, notices = f"{len(self.trace.events):,}", [self.drawing.layout]
        if len(self.trace.events) > MOST_EVENTS:
            count = f"{MOST_EVENTS - 1:,} of {count}"
            notices.append(f"{count} events are here, the first and the last; the trace has all")
        if self.forward is not None:
            count = f"{counted(len(ops_of(self.trace)), 'op')} · {count}"
        inside = "".join(
            f'<template data-pass="{key}">{html}</template>\n'
            for key, html in players_inside(self.trace.events[:MOST_EVENTS]).items()
        )
        sentences = [notice[:1].upper() + notice[1:] for notice in notices]
        title = escape(graph.title)
        return (
            f'<{tag} class="gg gg-player" data-prefix="{escape(prefix)}" tabindex="-1"'
            f' aria-label="{title}" data-lm-suppress-shortcuts="true">\n'
            f'<header class="gg-head"><{heading}>{title}</{heading}>'
            f"<p>{escape(graph.reading or 'Arrows follow the gradient')} · {escape(graph.counts)}"
            f'<span class="gg-total"> · {count} events</span></p></header>\n'
            '<div class="gg-stage" tabindex="0" role="group" aria-label="The graph">\n'
            f"{slim(page_drawing(self.drawing).bare_svg(prefix=prefix))}</div>\n"
            "<noscript><p>The steps need JavaScript; the picture above is the finished pass.</p>"
            "</noscript>\n"
            f'<footer class="gg-foot"><ul class="gg-legend">{self._legend()}</ul>'
            f"<p>{escape('. '.join(sentences))}.</p></footer>\n"
            f"{templates_of(self.trace, graph, prefix)}{inside}"
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

    @property
    def _runs_again(self) -> bool:
        """Whether some checkpoint does."""
        return any(event["type"] == "recompute" for event in self.trace.events)

    def _legend(self) -> str:
        items = [*legend_items(self.drawing.graph), *state_items(again=self._runs_again)]
        items += (
            [("", NUMBERED)] if any(node["op"].endswith("0") for node in self.trace.nodes) else []
        )
        late = {KINDS["error"].label: ' class="gg-ended"', TIES["error"].label: ' class="gg-ended"'}
        return "".join(
            f"<li{late.get(label, '')}>{swatch}<span>{escape(label)}</span></li>"
            for swatch, label in items
        )

    def data(self) -> Entry:
        """What `player.js` reads: the log, its sentences, and numbers already put in words."""
        known = explanations(self.trace) if self.explain is None else self.explain
        data = replay_data(self.trace, self.drawing.graph, known)
        data["explain"] = {id: known[id] for id in known if id in data["nodes"]}
        data |= {"mode": self.mode, "again": self._runs_again}
        if self.marked is not None:
            mode = "predict" if self.mode == "lesson" else self.mode
            asked = questions(self.trace, self.marked, data["events"])
            data |= {"mode": mode, "predict": {"questions": asked}}
        return data if self.forward is None else with_forward(data, self.trace, self.forward)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        svg = self.drawing.svg
        high = 680 if self.marked is None else 820  # px; a question takes room from the picture
        # A notebook that is not trusted strips the frame; the picture under it stays.
        html = (
            f'<div class="gg-recorded" style="position:relative;min-height:{high}px">'
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


# The picture --------------------------------------------------------------------------------------

GRAD = "grad"  # the row of a box that the script writes
# Numbers of many characters; the first such that an array of them is still written out.
WIDE = (-1.23e-10, -0.0123, -0.123, -0.12, -0.1, 0.1)

MOST_NODES = 40  # of a folded box; a larger one is opened as a list of its nodes
ROOM = 200_000  # characters of all drawings of folded boxes
SHOWN = ("id", "op", "seq", "shape", "dtype", "scope", "src", "user", "hooks")


def page_drawing(drawing: Drawing) -> Drawing:
    """The drawing as a page has it, before anything has happened."""
    graph, wide = drawing.graph, _widest_gradients(drawing)
    before, roomy = [], []
    for vertex in graph.vertices:
        early = replace(vertex, bad="", tip=re.sub(r"\n(gradient|grad) .*", "", vertex.tip))
        widest = wide.get(vertex.id, "")
        rows = [
            (key, max(text, widest, key=len) if key == GRAD else text) for key, text in vertex.rows
        ]
        before.append(early)
        roomy.append(replace(early, rows=tuple(rows)))
    places = drawing.places
    is_marked = any(vertex.bad for vertex in graph.vertices)
    if (is_marked or roomy != before) and not graph.reading:  # two halves stay face to face
        places = lay_out(replace(graph, vertices=tuple(roomy)), rankdir=drawing.rankdir)
    return replace(drawing, graph=replace(graph, vertices=tuple(before)), places=places)


def drawn_with_room(trace: Trace, order: Iterable[str]) -> Drawing:
    """The drawing of a pass under way: its log goes on to the end, with gradients that are wide.

    Args:
        trace: what has happened until now.
        order: the ids of the nodes that are yet to run, in their order.
    """
    events, arrays, results = list(trace.events), dict(trace.arrays), Results(trace)
    for id in order:
        about = results.leaf_of.get(id) or results.nodes[id]
        shape = about.get("shape", [])
        name, count = f"room {shape}", min(prod(shape), 4)
        rooms = [{"shape": shape, "head": [wide] * count, "norm": WIDE[0]} for wide in WIDE]
        arrays[name] = max(rooms, key=lambda room: len(array_text(room)))
        room: Any = {"type": "apply", "node": id, "grad_in": [name], "grad_out": []}
        if id in results.leaf_of:
            room = {"type": "accumulate", "tensor": about["id"], "grad": name}
        events.append(room)
    return replace(drawn(Trace(trace.graph, arrays, events), Look(), "LR"), trace=trace)


def _widest_gradients(drawing: Drawing) -> dict[str, str]:
    """By box, the longest text of a gradient that is there at some event."""
    trace = drawing.trace
    found: dict[str, str] = {}
    leaf = {leaf["acc"]: leaf["id"] for leaf in trace.leaves}
    for event in trace.events:
        box, arrays = event.get("node"), [*event.get("before", ())[:1], *event.get("after", ())[:1]]
        if event["type"] in ("post_hook", "buffer"):
            box, arrays = leaf.get(box), [*arrays, event.get(GRAD)]
        for array in arrays:
            if box is not None and array is not None:
                text = gradient_text(trace.arrays[array], len(trace.nodes))
                found[box] = max(found.get(box, ""), text, key=len)
    return found


def slim(svg: str) -> str:
    """A drawing of ours without what the page's script says, and in fewer signs.

    It is HTML then, which needs no quotes around plain words and numbers.

    Example:
        >>> slim('<g id="gg-e1-0"><title>e1-0</title><path class="" d="M1.0 2.5L3.0 2.0"/>1.0</g>')
        '<g id="gg-e1-0"><path d="M1 2.5L3 2"/>1.0</g>'
    """
    svg = re.sub(r"<title>([a-z]\d+(-\d+)?|n\d+  [^<]*)</title>", "", svg)
    svg = re.sub(r'( data-of="[^"]*"[^<>]*>)<title>[^<]*</title>', r"\1", svg)
    return re.sub(r"<(?:g|path|rect|text|circle) [^>]*>", _short_tag, svg.replace(' class=""', ""))


def _short_tag(tag: re.Match[str]) -> str:
    text = re.sub(r"(?<=\d)\.0(?!\d)", "", tag[0])
    text = re.sub(r"(M[\d.]+ ([\d.]+))C[\d.]+ \2 [\d.]+ \2 ([\d.]+) \2(?=\")", r"\1H\3", text)
    return re.sub(r' (?!id=)([a-z-]+)="([\w.-]+)"(?=[ >])', r" \1=\2", text)


# What is in the folded boxes ---------------------------------------------------------------------


def templates_of(trace: Trace, graph: Graph, prefix: str) -> str:
    """A `<template data-fold="f4">` with a drawing for each box of `graph` that is small enough.

    They have the ids of the log, so that the player shows in them what it shows in the whole.

    Args:
        trace: what is drawn.
        graph: the folded graph.
        prefix: put before each id of the drawings.
    """
    parts, room = [], ROOM
    for box, nodes in in_folds(trace, graph):
        if box.kind == "bar" or room < 0 or len(nodes) > MOST_NODES:
            continue
        svg = _inside(trace, nodes, prefix)
        room -= len(svg)
        if room >= 0:
            parts.append(f'<template data-fold="{box.id}">{svg}</template>\n')
    return "".join(parts)


def _inside(trace: Trace, nodes: list[Entry], prefix: str) -> str:
    """The graph of some nodes by themselves: fewer words, and no gates, than `inside_of` has."""
    known = {node["id"] for node in nodes}
    inner = [cut_out(node, SHOWN, known) for node in nodes]
    leaves = [leaf for leaf in trace.leaves if leaf["acc"] in known]
    cut = frozenset(f"e{n['id'][1:]}-{index}" for n in nodes for index, _ in enumerate(n["edges"]))
    graph = graph_of(Trace({"nodes": inner, "leaves": leaves}, trace.arrays), Look(cut=cut))
    return slim(Document(graph, lay_out(graph), prefix=prefix, framed=False).svg())


# What the script reads ----------------------------------------------------------------------------


MOST_EVENTS = 5_000  # a page that a browser opens at once
MOST_MEMBERS = 200  # of a folded box, in a list
MOST_INNER = 16  # passes inside that can be opened

TOLD = ("id", "name", "shape", "dtype", "array", "grad", "version", "acc", "node", "slot")
_LINE = re.compile(r"(?:(.*), line (\d+)(?:: `(.*)`)?\Z)|(.*)", re.DOTALL)


def pack(value: Any) -> str:
    """Plain data as short text without a sign that HTML knows: JSON, deflated, in base 64.

    `unpack` in `static/log.js` is the way back.

    Example:
        >>> zlib.decompress(base64.b64decode(pack({"op": "AddBackward0"})))
        b'{"op":"AddBackward0"}'
    """
    text = json.dumps(value, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def replay_data(trace: Trace, graph: Graph, explain: Entry | None = None) -> Entry:
    """The data of a player.

    Args:
        trace: what it plays.
        graph: on which drawing.
        explain: what is known of the nodes, by id.

    Example:
        >>> nodes = [{"id": "n0", "op": "NegBackward0", "seq": 0, "edges": []}]
        >>> replay_data(Trace({"nodes": nodes, "leaves": []}), Graph((), (), "", ""))["begin"]
        'Nothing was recorded: this is the graph alone.'
    """
    trace = completed(trace)
    narrator, whose = Narrator(trace), Whose(trace)
    nodes = _nodes(trace, graph)
    ids = [node["id"] for node in nodes]
    events = _of_page(trace, set(ids))
    said = [_left_out(trace) if e["type"] == "cut" else narrator.sentence(e) for e in events]
    story = Story(trace, explain).sentences(ids)
    if len(events) < len(trace.events):
        ending = f" {_ending(trace)}"
        said[-1] += ending
        story |= {node: story[node] + ending for node in trace.schedule()[-1:] if node in story}
    passed = {name: trace.arrays[name] for name in _passed_on(events)}
    return _beyond(trace, nodes) | {
        "place": {
            node["id"]: graph.place[node["id"]] for node in nodes if node["id"] in graph.place
        },
        "nodes": {node["id"]: _node(node, narrator, whose) for node in nodes},
        "leaves": [_tensor(leaf) for leaf in trace.leaves],
        "tensors": _outputs_and_retained(trace, nodes),
        "wanted": trace.graph.get("wanted", []),
        "checkpoints": [
            {
                "id": call["id"],
                "saved": [_saved(each, "") for each in call.get("saved", ())],
                "line": _line(call.get("src", "")),
            }
            for call in trace.graph.get("checkpoints", ())
        ],
        "hooked": [
            hook["id"]
            for node in nodes
            for hook in node.get("hooks", ())
            if hook.get("kind") == "tensor"
        ],
        "outputs": [output["id"] for output in trace.outputs],
        "arrays": {name: array_text(array, ROOMY) for name, array in trace.arrays.items()},
        "boxed": {name: gradient_text(array, len(trace.nodes)) for name, array in passed.items()},
        "norms": {
            name: next((kind for kind in ("nan", "inf") if array.get(kind)), array["norm"])
            for name, array in passed.items()
        },
        "events": [*map(_event, events)],
        "said": said,
        "begin": _begin(trace),
        "notation": NOTATION,
        "story": story,
        "lines": _lines(nodes),
        "folds": _folds(trace, graph),
    }


def _cut(trace: Trace) -> slice:
    """Which events a page leaves out: it has the first and the last, and one in place of these."""
    if len(trace.events) <= MOST_EVENTS:
        return slice(0, 0)
    return slice(MOST_EVENTS // 2, len(trace.events) - (MOST_EVENTS - 1) // 2)


def _of_page(trace: Trace, known: set[str]) -> list[Entry]:
    """The events that a page has, which knows the nodes with these ids.

    The event `cut` stands for those between: {"left": how many, "events": those of them that are
    about nodes of the page, so that its state is right behind them, "hooks": how many hooks ran
    besides, "held": the bytes that saved tensors hold then}.
    """
    part = _cut(trace)
    between = trace.events[part]
    if not between:
        return trace.events
    accumulators = {leaf["id"]: leaf["acc"] for leaf in trace.leaves}
    here, hooks = [], 0
    for event in between:
        if event.get("node", accumulators.get(event.get("tensor", ""))) in known:
            here.append({key: event[key] for key in event if key != "k"})
        else:
            hooks += event["type"] in ("pre_hook", "post_hook")
    about = {"left": len(between), "hooks": hooks, "held": trace.held(part.stop)}
    cut = {"k": part.start, "type": "cut", **about, "events": here}
    return [*trace.events[: part.start], cut, *trace.events[part.stop :]]


def _left_out(trace: Trace) -> str:
    part = _cut(trace)
    left = f"{part.stop - part.start:,} events are left out here, {part.start + 1:,} to"
    return f"{left} {part.stop:,}: they are in the trace, and not in the page."


def _ending(trace: Trace) -> str:
    part = _cut(trace)
    left = f"{part.stop - part.start:,} of {len(trace.events):,} events"
    return f"The page was cut for length: {left} are left out, behind event {part.start:,}."


def _event(event: Entry) -> Entry:
    """An event as the page has it."""
    if event["type"] == "cut":
        return event | {"events": [*map(_event, event["events"])]}
    if event["type"] != "recompute":
        return event
    made = [
        {**_saved(each, ""), "for": each.get("node", each.get("for"))} for each in event["made"]
    ]
    told = {key: event[key] for key in event if key not in ("inner", "ran", "made")}
    inside = {"pass": str(event["k"])} if "inner" in event else {}
    return told | {"ran": event["ran"], "made": made} | inside


def players_inside(events: list[Entry]) -> dict[str, str]:
    """The players of passes that ran inside of this one, by the number of the event."""
    inside = [event for event in events if "inner" in event][:MOST_INNER]
    return {
        str(event["k"]): _inner_player(json.dumps(event["inner"], sort_keys=True))
        for event in inside
    }


@lru_cache(maxsize=2 * MOST_INNER)  # a live player asks again at each step
def _inner_player(document: str) -> str:
    whole = json.loads(document)
    trace = Trace(whole["graph"], whole["arrays"], whole["events"])
    look = Look(title="The pass inside of the checkpoint")
    return Player(trace, drawn(trace, look, "LR")).fragment()


def _passed_on(events: list[Entry]) -> list[str]:
    """The arrays that went along edges."""
    names: list[str | None] = []
    for event in chain.from_iterable([event, *event.get("events", ())] for event in events):
        for key in ("grad_in", "grad_out", "before", "after"):
            names += event.get(key, ())
        names.append(event.get("grad"))
    return [name for name in dict.fromkeys(names) if name is not None]


def _beyond(trace: Trace, nodes: list[Entry]) -> dict[str, int]:
    """What the nodes that are left out hold besides: bytes that no event of the page frees."""
    if len(nodes) == len(trace.nodes):
        return {}
    here, all_ = (
        sizes_of(chain.from_iterable(map(of_no_leaf, each))) for each in (nodes, trace.nodes)
    )
    return {"beyond": sum(size for storage, size in all_.items() if storage not in here)}


def _nodes(trace: Trace, graph: Graph) -> list[Entry]:
    """Those that have a box and those the events speak of: not all of a million."""
    if len(trace.nodes) <= MOST_EVENTS // 4:
        return trace.nodes
    folds = {vertex.id for vertex in graph.vertices if vertex.kind in FOLDS}
    part = _cut(trace)
    known = {event.get("node") for event in trace.events[: part.start or None]}
    known |= {event.get("node") for event in trace.events[part.stop :]}
    known |= {node for node, place in graph.place.items() if place not in folds}
    known |= {leaf["acc"] for leaf in trace.leaves[:MOST_EVENTS]}
    # Of each folded box the node that runs last, so that it is seen to have run.
    last = {graph.place[node]: node for node in trace.schedule() if node in graph.place}
    known |= set(last.values())
    packed = {node["id"] for node in trace.nodes if "packed" in node}
    known |= set([node for node in trace.schedule() if node in packed][-1:])
    return [node for node in trace.nodes if node["id"] in known]


def _node(node: Entry, narrator: Narrator, whose: Whose) -> Entry:
    scope = node.get("scope", ())
    about = [plain(".".join(scope), 80), plain(node.get("src", "").partition(": `")[0], 80)]
    if "shape" in node:
        about.insert(0, f"out {shape_text(node['shape'])} {plain(node.get('dtype', ''))}".strip())
    hooks = node.get("hooks", ())
    return {
        "op": node["op"],
        "name": narrator.name(node["id"]),
        "about": [part for part in about if part],
        "edges": [edge["to"] for edge in node["edges"]],
        "saved": [
            _saved(each, whose.saved(node, each) or whose.made_by(node, each))
            for each in node.get("saved", ())
        ],
        "scope": [plain(part, 80) for part in scope],
        "hooks": [{"id": hook["id"], "name": plain(hook.get("name", ""))} for hook in hooks],
        "freed": node.get("freed", False),
        **({"packed": [*map(_packed, node["packed"])]} if "packed" in node else {}),
    }


def _saved(entry: Entry, whose: str) -> Entry:
    found: Entry = {"of": leaf_of(entry) or entry["storage"]} | ({"whose": whose} if whose else {})
    kept = ("name", "bytes", "version", "now", "array", "again")
    found |= {key: entry[key] for key in kept if key in entry}
    return found | ({"shape": shape_text(entry["shape"])} if "shape" in entry else {})


def _packed(entry: Entry) -> Entry:
    known = "bytes" in entry
    return {"of": leaf_of(entry) or entry["storage"], "bytes": entry["bytes"]} if known else {}


def _tensor(tensor: Entry) -> Entry:
    words = {"name": tensor["name"] or tensor["id"], "shape": shape_text(tensor["shape"])}
    return {key: words.get(key, tensor[key]) for key in TOLD if key in tensor}


def _outputs_and_retained(trace: Trace, nodes: list[Entry]) -> list[Entry]:
    """The outputs, and what keeps its gradient; the node where that arrives, and its slot."""
    leaves = {leaf["id"] for leaf in trace.leaves}
    made = [output for output in trace.outputs if output["id"] not in leaves]
    kept = {(node["id"], each["slot"]): each for node in nodes for each in node.get("retains", ())}
    places = [(output["node"], output["slot"]) for output in made]
    for (node, slot), tensor in kept.items():
        if (node, slot) not in places:
            made.append({**tensor, "id": f"{node}.{slot}", "node": node, "slot": slot})
    return [_tensor(each) | {"retains": (each["node"], each["slot"]) in kept} for each in made]


def _begin(trace: Trace) -> str:
    names = ", ".join(plain(output["name"] or output["id"]) for output in trace.outputs)
    if not trace.events:
        return "Nothing was recorded: this is the graph alone."
    return f"Backward begins{f' at {names}' if names else ''}. Press → to step."


def _lines(nodes: list[Entry]) -> list[Entry]:
    """The lines that made the nodes, by file and number."""
    made: dict[str, list[str]] = {}
    for node in nodes:
        if node.get("src"):
            made.setdefault(node["src"], []).append(node["id"])
    lines = []
    for src, ids in made.items():
        lines.append({**_line(src), "nodes": ids})
    files = list(dict.fromkeys(line["file"] for line in lines))
    return sorted(lines, key=lambda line: (files.index(line["file"]), line["line"]))


def _line(src: str) -> Entry:
    """A line of the program, taken apart."""
    file, line, code, other = _LINE.findall(src)[0]
    return {"file": plain(file, 60), "line": int(line or 0), "code": plain(code or other, 160)}


def _folds(trace: Trace, graph: Graph) -> Entry:
    """The folded boxes with the ids of their nodes, as far as they are few enough to be listed."""
    return {
        box.id: {
            "title": box.title,
            "count": len(nodes),
            "members": [node["id"] for node in nodes[:MOST_MEMBERS]],
        }
        for box, nodes in in_folds(trace, graph)
    }
