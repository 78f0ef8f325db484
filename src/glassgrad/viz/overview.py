"""A graph of thousands of nodes at a glance: a tree of bars, and its gradients as a strip.

The x axis is the tape, newest op on the left, as the gradient goes. A bar is a module, or a stretch
of the tape where there are none, as wide as it has ops; what is inside of it stands below it. Under
the tree the strip shows how large the gradients were, place by place.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.layout.places import Layout, Place
from glassgrad.viz.scene.cutting import PAD, cut_title
from glassgrad.viz.scene.flow import norm_of, scale_of, step_of
from glassgrad.viz.scene.folding import numbered_names
from glassgrad.viz.scene.graph import Graph, Vertex
from glassgrad.viz.scene.look import Look
from glassgrad.viz.scene.results import bad_nodes
from glassgrad.viz.scene.words import counts_text, title_of
from glassgrad.viz.style import BADGE_SIZE, TITLE_SIZE, text_width
from glassgrad.viz.wording import plain

__all__ = ["overview"]

WIDTH = 1_180.0  # px of the tape
BAR, ROW = 30.0, 34.0  # px: height of a bar, and from one row to the next
NARROWEST = 7.0  # px: narrower neighbours are drawn as one bar
DEEPEST = 5  # levels of modules
FEW = 24  # modules side by side: of more, several are one bar
STRETCHES = 10  # bars of a part of the tape that has no modules, or too many
CELL = 5.0  # px: width of a place on the strip
TALLEST = 44.0  # px: height of the strip

Nodes = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Bar:
    """A stretch of the tape, from the `start`-th newest op up to the `end`-th."""

    start: int
    end: int
    title: str
    depth: int
    is_last: bool  # nothing is drawn below it


def overview(trace: Trace, look: Look) -> tuple[Graph, Layout]:
    """The picture of a graph that is too large for boxes and arrows, with its layout."""
    return _Maker(trace, look).make()


class _Maker:
    def __init__(self, trace: Trace, look: Look) -> None:
        self.trace, self.look = trace, look
        leaves = {leaf["acc"] for leaf in trace.leaves}
        self.ops: Nodes = [node for node in reversed(trace.nodes) if node["id"] not in leaves]
        self.px = WIDTH / max(len(self.ops), 1)
        self.bad = bad_nodes(trace)
        self.vertices: list[Vertex] = []
        self.places: dict[str, Place] = {}
        self.place: dict[str, str] = {}

    def make(self) -> tuple[Graph, Layout]:
        bars = self._bars()
        for number, bar in enumerate(bars):
            self._add_bar(bar, number)
        depth = 1 + max((bar.depth for bar in bars), default=0)
        words = self._add_strip(depth * ROW + 10)
        height = depth * ROW + (TALLEST + 10 if words else 0)
        notice = "each bar is a module or a stretch of the tape, as wide as it has ops"
        if words:
            notice += "; the strip below has the largest gradient at each place"
        graph = Graph(
            tuple(self.vertices),
            (),
            title=title_of(self.trace, self.look.title),
            counts=counts_text(self.trace),
            place=self.place,
            notice=notice,
            flow=words,
            reading="The tape from its newest op, on the left, as the gradient goes",
        )
        return graph, Layout(self.places, {}, {}, WIDTH, height, "glassgrad's overview")

    # --- bars ---

    def _bars(self) -> list[_Bar]:
        """The root, then the modules level by level, from left to right."""
        bars = [_Bar(0, len(self.ops), f"{len(self.ops):,} ops", 0, is_last=False)]
        above = bars
        while above:
            below = [bar for outer in above if not outer.is_last for bar in self._inside(outer)]
            bars += below
            above = below
        return bars

    def _inside(self, outer: _Bar) -> list[_Bar]:
        """The modules in a bar; stretches of it if it has none."""
        ops, depth = self.ops[outer.start : outer.end], outer.depth + 1
        runs: list[tuple[str, int]] = []
        for scope, run in groupby(ops, lambda node: tuple(node.get("scope", ())[:depth])):
            name = plain(scope[-1], 40) if len(scope) == depth else ""
            runs.append((name, sum(1 for _ in run)))
        if depth > DEEPEST or not any(name for name, _ in runs):
            return self._stretches(outer, depth)
        least = math.ceil(NARROWEST / self.px)
        if len(runs) > FEW:
            least = max(least, int(0.99 * len(ops) / STRETCHES))  # a little less: no small rest
        pieces = _wide_enough(runs, least)
        bars, at = [], outer.start
        for title, count, is_one in pieces:
            is_last = not is_one or self._is_last(at, count, depth)
            bars.append(_Bar(at, at + count, title, depth, is_last=is_last))
            at += count
        return bars

    def _is_last(self, start: int, count: int, depth: int) -> bool:
        ops = self.ops[start : start + count]
        deeper = depth < DEEPEST and any(len(node.get("scope", ())) > depth for node in ops)
        return not deeper or count * self.px < 4 * NARROWEST

    def _stretches(self, outer: _Bar, depth: int) -> list[_Bar]:
        """Equal parts of a bar, as many as can be read."""
        count = outer.end - outer.start
        parts = min(STRETCHES, int(count * self.px / 60), count)
        if parts < 2 or outer.depth > 0:
            return []
        cuts = [outer.start + count * part // parts for part in range(parts + 1)]
        return [
            _Bar(start, end, f"{end - start:,} ops", depth, is_last=True)
            for start, end in pairwise(cuts)
        ]

    def _add_bar(self, bar: _Bar, number: int) -> None:
        ops = self.ops[bar.start : bar.end]
        name = f"f{ops[-1]['id'][1:]}" if bar.is_last else f"g{number}"
        room = (bar.end - bar.start) * self.px
        width = room - min(2.0, 0.3 * room)
        title, badge = _texts(bar, width)
        bad = ""
        if bar.is_last or number == 0:
            for node in ops:
                self.place[node["id"]] = name  # the root first: whatever is below it comes later
        if bar.is_last and self.bad:
            bad = next((self.bad[node["id"]] for node in ops if node["id"] in self.bad), "")
        tip = f"{bar.title}\n{_contents(ops)}"
        self.vertices.append(
            Vertex(name, "bar", title, badge, tip=tip, bad=bad, size=(round(width, 2), BAR))
        )
        x = bar.start * self.px + room / 2
        self.places[name] = Place(round(x, 2), bar.depth * ROW + BAR / 2, round(width, 2), BAR)

    # --- the strip ---

    def _add_strip(self, top: float) -> str:
        """The places of the strip; returns the range of its scale, empty before a pass."""
        of = {name: norm_of(self.trace, name) for name in self.trace.arrays}
        norms = {
            event["node"]: max(
                (of[each] for each in event["grad_in"] if each is not None),
                key=_nan_first,
                default=0.0,
            )
            for event in self.trace.events
            if event["type"] == "apply"
        }
        if not norms:
            return ""
        largest: dict[int, float] = {}
        for number, node in enumerate(self.ops):
            norm = norms.get(node["id"])
            if norm is not None:
                at = min(int(number * self.px / CELL), int(WIDTH / CELL) - 1)
                largest[at] = max(norm, largest.get(at, 0.0), key=_nan_first)
        low, high, words = scale_of(largest.values())
        for at, norm in sorted(largest.items()):
            self._add_cell(at, step_of(norm, low, high), top)
        return words

    def _add_cell(self, at: int, flow: str, top: float) -> None:
        share = {"zero": 0.06, "nan": 1.0}.get(flow) or (int(flow) + 1) / 6
        high = round(TALLEST * share, 2)
        size = CELL - 1.0, high
        self.vertices.append(
            Vertex(f"h{at}", "heat", "", tip=_heat_tip(flow), flow=flow, size=size)
        )
        self.places[f"h{at}"] = Place(at * CELL + CELL / 2, top + TALLEST - high / 2, *size)


def _nan_first(norm: float) -> float:
    """For `max`: what a nan spoils is what one looks for."""
    return math.inf if math.isnan(norm) else norm


def _heat_tip(flow: str) -> str:
    if flow in ("zero", "nan"):
        return {"zero": "gradients are zero here", "nan": "a gradient holds nan here"}[flow]
    return f"step {int(flow) + 1} of 6 of the scale"


def _wide_enough(runs: list[tuple[str, int]], least: int) -> list[tuple[str, int, bool]]:
    """Name, ops, and whether it is one module: neighbours with fewer than `least` ops are not."""
    pieces: list[tuple[str, int, bool]] = []
    names: list[str] = []
    waiting = 0

    def close() -> None:
        nonlocal waiting
        if names:
            pieces.append((_together(names, waiting), waiting, len(names) == 1))
        names.clear()
        waiting = 0

    for name, count in runs:
        if count >= least:  # large enough for a bar of its own, whatever waits before it
            close()
        names.append(name)
        waiting += count
        if waiting >= least:
            close()
    close()
    return pieces


def _together(names: list[str], count: int) -> str:
    """How several modules are called that are one bar."""
    known = [name for name in dict.fromkeys(names) if name]
    if len(known) < 2:
        return known[0] if known else f"{count:,} ops"
    numbered = numbered_names(known)
    return numbered[0] if numbered else f"{known[0]} … {known[-1]}"


def _texts(bar: _Bar, width: float) -> tuple[str, str]:
    """What fits into a bar: its title, cut where need be, and how many ops it has."""
    room, title = width - PAD, cut_title(bar.title, width)
    count = f"{bar.end - bar.start:,} ops"
    taken = text_width(title, TITLE_SIZE, bold=True) + text_width(count, BADGE_SIZE, bold=True)
    return title, count if title == bar.title and bar.depth and taken + 26 < room else ""


def _contents(ops: Nodes) -> str:
    kinds = Counter([node["op"] for node in ops])
    more = ", …" if len(kinds) > 6 else ""
    words = [f"{count:,} {plain(op)}" for op, count in kinds.most_common(6)]
    return f"{len(ops):,} ops: {', '.join(words)}{more}"
