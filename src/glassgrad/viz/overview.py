"""A graph of thousands of nodes at a glance: a tree of bars, and its gradients as a strip.

The x axis is the tape, newest op on the left, as the gradient goes. A bar is a module, or a stretch
of the tape where there are none, as wide as it has ops; what is inside of it stands below it. Under
the tree the strip shows how large the gradients were, place by place.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry
from glassgrad.viz.layout.places import Layout, Place
from glassgrad.viz.scene.folding import contents, numbered_names, runs_by_scope
from glassgrad.viz.scene.graph import Graph, Look, Vertex
from glassgrad.viz.scene.results import STEPS, Results, Scale, norm_of
from glassgrad.viz.scene.words import counts_text, title_of
from glassgrad.viz.style import BADGE_SIZE, TITLE_SIZE, text_width
from glassgrad.viz.wording import notices, plain

WIDTH = 1_180.0  # px of the tape
BAR, ROW = 30.0, 34.0  # px: height of a bar, and from one row to the next
NARROWEST = 7.0  # px: narrower neighbours are drawn as one bar
DEEPEST = 5  # levels of modules
FEW = 24  # modules side by side: of more, several are one bar
STRETCHES = 10  # bars of a part of the tape that has no modules, or too many
CELL = 5.0  # px: width of a place on the strip
TALLEST = 44.0  # px: height of the strip
# Tip, and share of the height of the strip, of gradients that are on no scale.
UNSCALED = {"zero": ("gradients are zero here", 0.06), "nan": ("a gradient holds nan here", 1.0)}
PAD = 7.0  # px that a bar keeps free, left and right together

Nodes = list[Entry]


@dataclass(frozen=True, slots=True)
class _Bar:
    """A stretch of the tape, from the `start`-th newest op up to the `end`-th."""

    start: int
    end: int
    title: str
    depth: int
    is_last: bool  # nothing is drawn below it

    @property
    def count(self) -> int:
        return self.end - self.start


def overview(trace: Trace, look: Look) -> tuple[Graph, Layout]:
    """The picture of a graph that is too large for boxes and arrows, with its layout."""
    return _Maker(trace, look).make()


class _Maker:
    def __init__(self, trace: Trace, look: Look) -> None:
        self.trace, self.look = trace, look
        leaves = {leaf["acc"] for leaf in trace.leaves}
        self.ops: Nodes = [node for node in reversed(trace.nodes) if node["id"] not in leaves]
        self.px = WIDTH / max(len(self.ops), 1)
        self.results = Results(trace)
        self.vertices: list[Vertex] = []
        self.places: dict[str, Place] = {}
        self.place: dict[str, str] = {}

    def make(self) -> tuple[Graph, Layout]:
        bars = self._bars()
        for number, bar in enumerate(bars):
            self._add_bar(bar, number)
        height = ROW * (1 + max((bar.depth for bar in bars), default=0))
        words = self._add_strip(height + 10)
        strip = "the strip below has the largest gradient at each place"
        graph = Graph(
            tuple(self.vertices),
            (),
            title=title_of(self.trace, self.look.title),
            counts=counts_text(self.trace),
            place=self.place,
            notice=notices(
                "each bar is a module or a stretch of the tape, as wide as it has ops",
                strip if words else "",
            ),
            flow=words,
            reading="The tape from its newest op, on the left, as the gradient goes",
        )
        height += TALLEST + 10 if words else 0
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
        runs = [
            (plain(scope[-1], 40) if len(scope) == depth else "", len(run))
            for scope, run in runs_by_scope(ops, depth)
        ]
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
        parts = min(STRETCHES, int(outer.count * self.px / 60), outer.count)
        if parts < 2 or outer.depth > 0:
            return []
        cuts = [outer.start + outer.count * part // parts for part in range(parts + 1)]
        return [
            _Bar(start, end, f"{end - start:,} ops", depth, is_last=True)
            for start, end in pairwise(cuts)
        ]

    def _add_bar(self, bar: _Bar, number: int) -> None:
        ops = self.ops[bar.start : bar.end]
        name = f"f{ops[-1]['id'][1:]}" if bar.is_last else f"g{number}"
        room = bar.count * self.px
        width = room - min(2.0, 0.3 * room)
        size = round(width, 2), BAR
        bad = ""
        if bar.is_last or number == 0:
            for node in ops:
                self.place[node["id"]] = name  # the root first: whatever is below it comes later
        if bar.is_last and self.results.bad:
            found = (self.results.bad.get(node["id"], "") for node in ops)
            bad = next(filter(None, found), "")
        title, badge = _texts(bar, width)
        tip = f"{bar.title}\n{contents(ops)}"
        self.vertices.append(Vertex(name, "bar", title, badge, tip=tip, bad=bad, size=size))
        x = bar.start * self.px + room / 2
        self.places[name] = Place(round(x, 2), bar.depth * ROW + BAR / 2, *size)

    # --- the strip ---

    def _add_strip(self, top: float) -> str:
        """The places of the strip; returns the range of its scale, empty before a pass."""
        largest: dict[int, float] = {}
        for number, node in enumerate(self.ops):
            given = self.results.gradients.get(node["id"])
            if given is not None:
                at = min(int(number * self.px / CELL), int(WIDTH / CELL) - 1)
                norms = [norm_of(self.trace, each) for each in given if each is not None]
                largest[at] = max(*norms, 0.0, largest.get(at, 0.0), key=_nan_first)
        scale = Scale.of(largest.values())
        for at, each in sorted(largest.items()):
            flow = scale.step(each)
            tip, share = UNSCALED.get(flow) or (
                f"step {int(flow) + 1} of {STEPS} of the scale",
                (int(flow) + 1) / STEPS,
            )
            high = round(TALLEST * share, 2)
            size = CELL - 1.0, high
            self.vertices.append(Vertex(f"h{at}", "heat", "", tip=tip, flow=flow, size=size))
            self.places[f"h{at}"] = Place(at * CELL + CELL / 2, top + TALLEST - high / 2, *size)
        return str(scale) if largest else ""


def _nan_first(norm: float) -> float:
    """For `max`: what a nan spoils is what one looks for."""
    return math.inf if math.isnan(norm) else norm


def _wide_enough(runs: list[tuple[str, int]], least: int) -> list[tuple[str, int, bool]]:
    """Name, ops, and whether it is one module: neighbours with fewer than `least` ops are not."""
    groups: list[list[str]] = []
    totals: list[int] = []
    for name, count in runs:
        if not groups or count >= least or totals[-1] >= least:
            groups.append([])
            totals.append(0)
        groups[-1].append(name)
        totals[-1] += count
    return [
        (_together(names, total), total, len(names) == 1)
        for names, total in zip(groups, totals, strict=True)
    ]


def _together(names: list[str], count: int) -> str:
    """How several modules are called that are one bar."""
    known = [name for name in dict.fromkeys(names) if name]
    if len(known) < 2:
        return known[0] if known else f"{count:,} ops"
    numbered = numbered_names(known)
    return numbered[0] if numbered else f"{known[0]} … {known[-1]}"


def _texts(bar: _Bar, width: float) -> tuple[str, str]:
    """What fits into a bar: its title, cut where need be, and how many ops it has."""
    title, count = cut_title(bar.title, width), f"{bar.count:,} ops"
    taken = text_width(title, TITLE_SIZE, bold=True) + text_width(count, BADGE_SIZE, bold=True)
    return title, count if title == bar.title and bar.depth and taken + 26 < width - PAD else ""


def cut_title(title: str, width: float) -> str:
    """As much of `title` as fits into a bar of `width` px; nothing if that is too little.

    Example:
        >>> cut_title("layer12", 100.0), cut_title("layer12", 55.0), cut_title("layer12", 15.0)
        ('layer12', 'laye…', '')
    """
    while title and text_width(title, TITLE_SIZE, bold=True) > width - PAD:
        title = title[:-2] + "…" if len(title) > 3 else ""
    return title
