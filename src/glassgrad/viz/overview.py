"""A graph of thousands of nodes at a glance: a tree of bars, and its gradients as a strip.

The x axis is the tape, newest op on the left, as the gradient goes. A bar is a module, or a stretch
of the tape where there are none, as wide as it has ops; what is inside of it stands below it. Under
the tree the strip shows how large the gradients were, place by place.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from glassgrad._words import plain
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Ids
from glassgrad.viz.layout.places import Layout, Place
from glassgrad.viz.results import STEPS, Results, steps_of
from glassgrad.viz.scene.folding import Part, Runs, contents, numbered_names, runs_by_scope
from glassgrad.viz.scene.graph import Graph, Look, Vertex, counts_text, title_of
from glassgrad.viz.style import BADGE_SIZE, TITLE_SIZE, text_width
from glassgrad.viz.wording import notices

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


Box = tuple[Vertex, Place]


@dataclass(frozen=True, slots=True)
class _Bar:
    """A stretch of the tape, newest op first."""

    start: int  # so many ops are newer
    ops: Part
    title: str
    depth: int
    is_last: bool  # nothing is drawn below it


def overview(trace: Trace, look: Look) -> tuple[Graph, Layout]:
    """The picture of a graph that is too large for boxes and arrows, with its layout."""
    results = Results(trace)
    ops = [node for node in reversed(trace.nodes) if node["id"] not in results.leaf_of]
    px = WIDTH / max(len(ops), 1)
    bars = [_Bar(0, ops, f"{len(ops):,} ops", 0, is_last=False)]
    for bar in bars:  # the root, then level by level from left to right: it grows meanwhile
        bars += [] if bar.is_last else _inside(bar, px)
    boxes: list[Box] = []
    place: Ids = {}
    for number, bar in enumerate(bars):
        boxes.append(_box_of(bar, number, px, results))
        if bar.is_last or number == 0:  # the root first: whatever is below it comes later
            place |= dict.fromkeys((node["id"] for node in bar.ops), boxes[-1][0].id)
    height = ROW * (1 + bars[-1].depth)
    cells, words = _strip(ops, px, height + 10, results)
    boxes += cells
    graph = Graph(
        tuple(vertex for vertex, _ in boxes),
        (),
        title=title_of(trace, look.title),
        counts=counts_text(trace),
        place=place,
        notice=notices(
            "each bar is a module or a stretch of the tape, as wide as it has ops",
            "the strip below has the largest gradient at each place" if words else "",
        ),
        flow=words,
        reading="The tape from its newest op, on the left, as the gradient goes",
    )
    height += TALLEST + 10 if words else 0
    places = {vertex.id: at for vertex, at in boxes}
    return graph, Layout(places, {}, {}, WIDTH, height, "glassgrad's overview")


# --- bars ---


def _inside(outer: _Bar, px: float) -> list[_Bar]:
    """The modules in a bar; equal stretches of it if it has none."""
    depth, count = outer.depth + 1, len(outer.ops)
    runs = runs_by_scope(outer.ops, depth)
    if any(len(scope) == depth for scope, _ in runs):
        pieces = _wide_enough(runs, depth, px)
    else:
        parts = min(STRETCHES, count)
        cuts = [count * part // parts for part in range(1, parts)]
        pieces = [(["", ""], outer.ops[i:j]) for i, j in pairwise([0, *cuts, count])]
    bars, at = [], outer.start
    for names, ops in pieces:
        is_wide = len(names) == 1 and len(ops) * px >= 4 * NARROWEST and depth < DEEPEST
        is_last = not (is_wide and any(len(node.get("scope", ())) > depth for node in ops))
        bars.append(_Bar(at, ops, _together(names, len(ops)), depth, is_last=is_last))
        at += len(ops)
    return bars


def _wide_enough(runs: Runs, depth: int, px: float) -> list[tuple[list[str], Part]]:
    """The names of modules with their ops: neighbours that have too few are put together."""
    least = math.ceil(NARROWEST / px)
    if len(runs) > FEW:  # a little less than equal parts: no small rest
        least = max(least, int(0.99 * sum(len(ops) for _, ops in runs) / STRETCHES))
    pieces: list[tuple[list[str], Part]] = []
    for scope, ops in runs:
        name = plain(scope[-1], 40) if len(scope) == depth else ""
        if pieces and max(len(ops), len(pieces[-1][1])) < least:
            names, before = pieces[-1]
            names.append(name)
            before += ops
        else:
            pieces.append(([name], ops))
    return pieces


def _together(names: list[str], count: int) -> str:
    """How several modules are called that are one bar."""
    known = [name for name in dict.fromkeys(names) if name]
    if not known:
        return f"{count:,} ops"
    return numbered_names(known) or f"{known[0]} … {known[-1]}"


def _box_of(bar: _Bar, number: int, px: float, results: Results) -> Box:
    """A bar with its title, cut where need be, and with how many ops it has where that fits."""
    room = len(bar.ops) * px
    width = room - min(2.0, 0.3 * room)
    title, badge = cut_title(bar.title, width), f"{len(bar.ops):,} ops"
    taken = text_width(title, TITLE_SIZE, bold=True) + text_width(badge, BADGE_SIZE, bold=True)
    is_room = title == bar.title and bar.depth and taken + 26 < width - PAD
    bad = [results.bad[node["id"]] for node in bar.ops if node["id"] in results.bad]
    size = round(width, 2), BAR
    vertex = Vertex(
        f"f{bar.ops[-1]['id'][1:]}" if bar.is_last else f"g{number}",
        "bar",
        title,
        badge if is_room else "",
        tip=f"{bar.title}\n{contents(bar.ops)}",
        bad=bad[0] if bad and bar.is_last else "",
        size=size,
    )
    x, y = bar.start * px + room / 2, bar.depth * ROW + BAR / 2
    return vertex, Place(round(x, 2), y, *size)


# --- the strip ---


def _strip(ops: Part, px: float, top: float, results: Results) -> tuple[list[Box], str]:
    """The places of the strip, and the range of its scale in words; nothing before a pass."""
    norms: dict[int, list[float]] = {}
    for number, node in enumerate(ops):
        if (given := results.gradients.get(node["id"])) is not None:
            at = min(int(number * px / CELL), int(WIDTH / CELL) - 1)
            norms.setdefault(at, [0.0]).extend(results.norm(each) for each in given if each)
    largest = {at: float(np.max(each)) for at, each in sorted(norms.items())}  # nan before all
    steps, words = steps_of(largest)
    cells = []
    for at, flow in steps.items():
        tip, share = UNSCALED.get(flow) or (
            f"step {int(flow) + 1} of {STEPS} of the scale",
            (int(flow) + 1) / STEPS,
        )
        high = round(TALLEST * share, 2)
        size = CELL - 1.0, high
        vertex = Vertex(f"h{at}", "heat", "", tip=tip, flow=flow, size=size)
        place = Place(at * CELL + CELL / 2, top + TALLEST - high / 2, *size)
        cells.append((vertex, place))
    return cells, words


def cut_title(title: str, width: float) -> str:
    """As much of `title` as fits into a bar of `width` px; nothing if that is too little.

    Example:
        >>> cut_title("layer12", 100.0), cut_title("layer12", 55.0), cut_title("layer12", 15.0)
        ('layer12', 'laye…', '')
    """
    while title and text_width(title, TITLE_SIZE, bold=True) > width - PAD:
        title = title[:-2] + "…" if len(title) > 3 else ""
    return title
