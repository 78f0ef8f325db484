"""Charts of the chapters: curves, maps of numbers, and a slider over several of them.

They are SVG in the colour of the text around them, so that they can be read in both themes; the
slider is one line of script. A chapter needs no plotting library.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError
from glassgrad.viz.wording import escape

WIDE, HIGH = 560, 320  # px of a chart
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 46  # px around what is plotted
COLOURS = ("#0a7ea4", "#d1495b", "#5a9216", "#b07d00")
DASHES = ("", "6 3", "2 3", "9 3 2 3")  # told apart without colours, too
LEGEND, LEGEND_ROW, LETTER = 18, 20, 7  # px: where its last row is, and how large it is
MOST_LABELLED = 144  # cells of a map whose numbers are written out
_SLIDE = (
    "const all=this.parentNode.parentNode.querySelectorAll('.gg-slide');"
    "all.forEach((each,i)=>{each.hidden=i!=this.value})"
)
_PICK = (  # a click on a point of a chart that has one for each slide
    "const dots=[...this.querySelectorAll('.gg-dot')],at=dots.indexOf(event.target),"
    "to=this.parentNode.querySelector('input');"
    "if(at>=0&&dots.length==+to.max+1){to.value=at;to.oninput()}"
)


# JupyterLab would take an arrow key for itself, or give the focus back to the active cell.
_OWN_KEYS = 'data-lm-suppress-shortcuts="true" onkeydown="event.stopPropagation()"'


@dataclass(frozen=True, slots=True, repr=False)
class Figure:
    """A chart. A notebook shows it; `save` writes it as SVG.

    Args:
        told: what it shows, in words, for who cannot see it.
        body: its SVG without the frame; of a slider, the HTML of what is moved.
        frames: of a slider, its charts.
        head, below: of a chart of a slider, the line above it, and a picture or player under it.
        above: px over the chart, for the rows of a long legend.
    """

    told: str
    body: str
    frames: tuple["Figure", ...] = ()
    head: str = ""
    below: Any = None
    above: int = 0

    @property
    def svg(self) -> str:
        """The chart as an SVG element; of a slider, that of its first chart."""
        if self.frames:
            return self.frames[0].svg
        box = f"0 {-self.above} {WIDE} {HIGH + self.above}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" '
            f'role="img" aria-label="{escape(self.told)}" font-family="sans-serif" font-size="12" '
            f'style="max-width:{WIDE}px;width:100%" fill="currentColor">{self.body}</svg>'
        )

    @property
    def html(self) -> str:
        """The chart as HTML."""
        return self.html_with(lambda below: str(below._repr_mimebundle_()["text/html"]))

    def html_with(self, show: Callable[[Any], str]) -> str:
        """The same, where `show` makes the HTML of each picture or player under a chart."""
        slides = "".join(
            f'<div class="gg-slide" onclick="{escape(_PICK)}"{"" if place == 0 else " hidden"}>'
            f"<p>{escape(frame.head)}</p>{frame.svg}"
            + ("" if frame.below is None else f'<div class="gg-below">{show(frame.below)}</div>')
            + "</div>"
            for place, frame in enumerate(self.frames)
        )
        return f'<div class="gg-plot">{self.body if self.frames else self.svg}{slides}</div>'

    def save(self, path: str | Path) -> Path:
        """Write the SVG to `path` and return the path."""
        path = Path(path)
        path.write_text(self.svg, encoding="utf-8", newline="\n")
        return path

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"Figure({self.told})"


def plot(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    x: str = "",
    y: str = "",
    log: bool = False,
    dots: Sequence[str] = (),
    mark: tuple[float, float] | None = None,
) -> Figure:
    """Curves over one another.

    Args:
        curves: by name, the x and the y of the points of each; at most four.
        x, y: what the axes show.
        log: whether both axes go by powers of ten; what is not above zero is left out.
        dots: the names of those that are points, and not joined.
        mark: a point to ring.

    Example:
        >>> plot({"loss": ([0, 1, 2], [4.0, 2.0, 1.0])}, x="step", y="loss")
        Figure(loss over step: loss)
    """
    points = {name: _points(*pair, log=log) for name, pair in curves.items()}
    every = [point for several in points.values() for point in several]
    if not every or len(points) > len(COLOURS):
        raise ArgumentError(
            f"there is nothing to plot in {len(points)} curves, or there are too many of them. A "
            "chart has one to four curves of finite numbers, above zero where `log=True`. "
            "Write `plot({'loss': (steps, losses)})`."
        )
    axes = _Axes.around(every, log)
    body = [axes.frame(x, y)]
    legend = _legend_places(points)
    for number, (name, several) in enumerate(points.items()):
        colour, dash = COLOURS[number], DASHES[number]
        places = " ".join(f"{axes.across(a):.1f},{axes.up(b):.1f}" for a, b in several)
        line = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        at, high = legend[number]
        if name in dots:
            spots = [f'cx="{axes.across(a):.1f}" cy="{axes.up(b):.1f}"' for a, b in several]
            body += [f'<circle class="gg-dot" {spot} r="4" fill="{colour}"/>' for spot in spots]
            point = f'stroke="{colour}" stroke-width="8" stroke-linecap="round"'
            body.append(f'<path d="M{at + 11} {high}h0" {point}/>')
        else:
            body.append(f'<polyline points="{places}" {line}/>')
            body.append(f'<path d="M{at} {high}h22" {line}/>')
        body.append(f'<text x="{at + 28}" y="{high + 4}">{escape(name)}</text>')
    if mark is not None:
        body += [axes.ring(*_points([mark[0]], [mark[1]], log=log)[0])]
    told = f"{y or 'y'} over {x or 'x'}: {', '.join(points)}"
    return Figure(told, "".join(body), above=LEGEND - legend[0][1])


def _legend_places(names: Iterable[str]) -> list[tuple[int, int]]:
    """Where each name of a legend begins: in rows from left to right, the last one at the chart."""
    found: list[tuple[int, int]] = []
    at, row = LEFT, 0
    for name in names:
        wide = max(120, 44 + LETTER * len(name))
        if at > LEFT and at + wide > WIDE:
            at, row = LEFT, row + 1
        found.append((at, row))
        at += wide
    return [(at, LEGEND - LEGEND_ROW * (row - own)) for at, own in found]


def heat(
    numbers: Any,
    *,
    x: str = "",
    y: str = "",
    across: tuple[float, float] | None = None,
    up: tuple[float, float] | None = None,
    path: Sequence[tuple[float, float]] = (),
) -> Figure:
    """A map of numbers: the stronger the colour, the larger; blue above zero, red below.

    Args:
        numbers: a matrix, its first row on top; small ones are written out.
        x, y: what the axes show.
        across, up: of a map of a function, the first and the last value along each axis: then
            the first row is at the bottom.
        path: points to join, in these values: the way of a descent.

    Example:
        >>> heat([[1.0, 0.0], [0.0, -2.0]])
        Figure(a map of 2 × 2 numbers)
    """
    matrix = np.asarray(numbers.detach().numpy() if hasattr(numbers, "detach") else numbers)
    rows, columns = matrix.shape
    span = (across or (0, columns), up or (rows, 0))
    axes = _Axes(*span[0], *span[1])
    wide, high = (WIDE - LEFT - RIGHT) / columns, (HIGH - TOP - BOTTOM) / rows
    most = float(np.abs(matrix).max()) or 1.0
    body = []
    for (row, column), number in np.ndenumerate(matrix if up is None else matrix[::-1]):
        # Rounded edges, which neighbours share: rounded widths leave a seam between some of them.
        left, right = round(LEFT + column * wide), round(LEFT + (column + 1) * wide)
        top, bottom = round(TOP + row * high), round(TOP + (row + 1) * high)
        colour = COLOURS[0] if number >= 0 else COLOURS[1]
        body.append(
            f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" '
            f'shape-rendering="crispEdges" fill="{colour}" '
            f'fill-opacity="{abs(number) / most:.2f}"/>'
        )
        if matrix.size <= MOST_LABELLED and up is None:
            middle = f'x="{left + wide / 2:.1f}" y="{top + high / 2 + 4:.1f}"'
            body.append(f'<text {middle} text-anchor="middle">{number:.3g}</text>')
    body.append(axes.frame(x, y, ticks=across is not None))
    if path:
        places = " ".join(f"{axes.across(a):.1f},{axes.up(b):.1f}" for a, b in path)
        line = 'fill="none" stroke="currentColor" stroke-width="2"'
        body.append(f'<polyline points="{places}" {line}/>{axes.ring(*path[-1])}')
    way = f", and a way of {len(path)} points" if path else ""
    return Figure(f"a map of {rows} × {columns} numbers{way}", "".join(body))


def slider(
    values: Sequence[Any],
    figure: Callable[[Any], "Figure | tuple[Figure, Any]"],
    *,
    label: str = "",
) -> Figure:
    """A chart for each value, and a slider to go through them.

    A chart that has a point for each value goes to the one that is clicked.

    Args:
        values: what the slider goes through.
        figure: makes the chart of a value; or a chart, and a drawing or a player to stand under it.
        label: what the value is, "h".

    Example:
        >>> slider([1, 2], lambda n: plot({"n": ([0, 1], [0, n])}), label="slope")
        Figure(2 charts, one for each slope: y over x: n)
    """
    frames = []
    for value in values:
        made = figure(value)
        chart, below = made if isinstance(made, tuple) else (made, None)
        frames.append(replace(chart, head=f"{label} = {_short(value)}", below=below))
    typed = (
        f'<label>{escape(label)} <input type="range" style="width:min(20em,70%)" min="0" '
        f'max="{len(frames) - 1}" value="0" oninput="{_SLIDE}" {_OWN_KEYS}></label>'
    )
    told = f"{len(frames)} charts, one for each {label or 'value'}: {frames[0].told}"
    return Figure(told, typed, tuple(frames))


# Axes --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Axes:
    """Where numbers are in a chart; on a logarithmic one they are exponents."""

    left: float
    right: float
    bottom: float
    top: float
    is_log: bool = False

    @classmethod
    def around(cls, points: Sequence[tuple[float, float]], is_log: bool) -> "_Axes":
        (left, right), (bottom, top) = (_span(values) for values in zip(*points, strict=True))
        return cls(left, right, bottom, top, is_log)

    def across(self, value: float) -> float:
        part = (value - self.left) / (self.right - self.left)
        return LEFT + part * (WIDE - LEFT - RIGHT)

    def up(self, value: float) -> float:
        part = (value - self.bottom) / (self.top - self.bottom)
        return HIGH - BOTTOM - part * (HIGH - TOP - BOTTOM)

    def ring(self, x: float, y: float) -> str:
        place = f'cx="{self.across(x):.1f}" cy="{self.up(y):.1f}"'
        return f'<circle {place} r="6" fill="none" stroke="currentColor" stroke-width="2"/>'

    def frame(self, x: str, y: str, *, ticks: bool = True) -> str:
        wide, high = WIDE - LEFT - RIGHT, HIGH - TOP - BOTTOM
        middle = TOP + high / 2
        box = f'x="{LEFT}" y="{TOP}" width="{wide}" height="{high}"'
        turned = f'transform="rotate(-90 14 {middle})"'
        parts = [
            f'<rect {box} fill="none" stroke="currentColor" stroke-opacity=".4"/>',
            f'<text x="{LEFT + wide / 2}" y="{HIGH - 8}" text-anchor="middle">{escape(x)}</text>',
            f'<text x="14" y="{middle}" text-anchor="middle" {turned}>{escape(y)}</text>',
        ]
        for value in _ticks(self.left, self.right, self.is_log) if ticks else ():
            at = f'x="{self.across(value):.1f}" y="{HIGH - BOTTOM + 16}"'
            parts.append(f'<text {at} text-anchor="middle">{self._label(value)}</text>')
        for value in _ticks(self.bottom, self.top, self.is_log) if ticks else ():
            at = f'x="{LEFT - 6}" y="{self.up(value) + 4:.1f}"'
            parts.append(f'<text {at} text-anchor="end">{self._label(value)}</text>')
        return "".join(parts)

    def _label(self, value: float) -> str:
        return f"1e{value:.0f}" if self.is_log else _short(value)


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _ticks(low: float, high: float, log: bool) -> list[float]:
    """At most some seven round numbers from the lower to the higher."""
    low, high = min(low, high), max(low, high)
    rough = (high - low) / 5
    step = 10 ** math.floor(math.log10(rough))
    step *= next(times for times in (1, 2, 5, 10) if step * times >= rough)
    step = max(step, 1) if log else step
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def _points(xs: Sequence[float], ys: Sequence[float], *, log: bool) -> list[tuple[float, float]]:
    pairs = [(float(a), float(b)) for a, b in zip(xs, ys, strict=True)]
    if log:
        pairs = [(math.log10(a), math.log10(b)) for a, b in pairs if a > 0 and b > 0]
    return [(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
