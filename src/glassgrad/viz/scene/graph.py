"""What a picture is made of: boxes, lines and frames, in words; and what it is asked to show."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.state import Names
from glassgrad.tracing.graph import Ids

PARTS = ("values", "shapes", "saved", "hooks", "versions")
FULL, MEDIUM = 15, 60  # up to so many nodes: everything is written out; names, shapes and norms
LARGE, FEW = 300, 150  # more nodes than LARGE are folded, to at most FEW boxes
HUGE = 1_500  # more nodes than that are an overview

Rows = tuple[tuple[str, str], ...]  # of a box: key and value


@dataclass(frozen=True, slots=True)
class Vertex:
    """One box of the picture.

    Args:
        id: as in the log: "n3" (node), "t1" (leaf, output), "s1" (storage); "f3" for a fold.
        kind: a name in `style.KINDS`.
        title: the bold line.
        badge: the pill at its right.
        rows: key and value, at most three. A "grad" row is filled by the pass.
        tip: what hovering shows.
        freed: for a saved tensor, whether the pass let it go.
        bad: why it is marked as bad ("NaN", "v1≠v0"); empty for a sound one.
        of: for a stub, the id of its leaf.
        hooks: short names of the hooks on it, in the order in which they run.
        kept: how much it saved ("2 saved"), where that is not drawn; struck out if `freed`.
        mark: in a comparison, "only-a", "only-b" or "differs".
        flow: as of an arc, for a part of the strip of an overview.
        size: width and height in px, if its text does not say them.
    """

    id: str
    kind: str
    title: str
    badge: str = ""
    rows: Rows = ()
    tip: str = ""
    freed: bool = False
    bad: str = ""
    of: str = ""
    hooks: Names = ()
    kept: str = ""
    mark: str = ""
    flow: str = ""
    size: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Arc:
    """One line of the picture: an arrow along which a gradient goes, or a tie without arrowhead.

    Args:
        id: "e3-0" for edge 0 of n3, "d3-0" for its saved tensor 0, "r2" for output t2's line;
            "b3", "p3" and "x3" for n3's ties to its base, to its origin and to its error.
        tail, head: ids of vertices.
        kind: "grad", "value" (forward), or a tie: a name in `style.TIES`.
        label: short text beside it.
        flow: how much gradient went along it: "0" to "5", "zero", "nan"; empty if not shown.
        bad: why it is marked as bad; empty for a sound one.
        mark: in a comparison, "only-a" or "only-b".
    """

    id: str
    tail: str
    head: str
    kind: str = "grad"
    label: str = ""
    flow: str = ""
    bad: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A frame around vertices that belong together: one level of transforms, one module's call.

    Args:
        id: "c0", "c1", …
        title: what stands in its corner.
        members: the ids of its vertices.
    """

    id: str
    title: str
    members: Names


@dataclass(frozen=True, slots=True)
class Graph:
    """What is drawn.

    Args:
        vertices, arcs: the boxes and lines, in the order of the log.
        title: what the picture is of.
        counts: how much there is, in words.
        place: which vertex stands for a node of the log (a fused or folded one has another's id).
        notice: what was left out or folded; empty if nothing was.
        clusters: frames; no vertex is in two.
        flow: where the arcs show how much gradient went along, the range in words.
        reading: how the picture is to be read, if not as arrows that follow the gradient.
    """

    vertices: tuple[Vertex, ...]
    arcs: tuple[Arc, ...]
    title: str
    counts: str
    place: Ids = field(default_factory=dict)
    notice: str = ""
    clusters: tuple[Cluster, ...] = ()
    flow: str = ""
    reading: str = ""


# --- what is asked for ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Look:
    """The options of a picture that say what is in it, not how it is coloured.

    Args:
        show: which of `PARTS` to show.
        fold: whether large graphs are folded.
        max_nodes: at most so many boxes; None for the usual rule (more than 300 nodes become 150).
        title: in place of "Backward graph of loss".
        flow: show by the arcs how much gradient went along them.
        apart: the ids of nodes that no fold takes in.
        cut: of a part of a graph, the ids of edges at whose ends nothing is drawn.
        turns: of a part of a pass, the turn of each node in the whole.
    """

    show: frozenset[str] = frozenset(PARTS)
    fold: bool = True
    max_nodes: int | None = None
    title: str | None = None
    flow: bool = False
    apart: frozenset[str] = frozenset()
    cut: frozenset[str] = frozenset()
    turns: dict[str, int] = field(default_factory=dict)

    def is_overview(self, count: int) -> bool:
        """Whether a graph of `count` nodes is drawn as an overview, not as boxes and arrows."""
        return self.fold and self.max_nodes is None and count > HUGE

    def most(self, count: int) -> int | None:
        """How many boxes a graph of `count` nodes may have; None for as many as there are.

        Example:
            >>> Look().most(100), Look().most(1_000), Look(max_nodes=20).most(100)
            (None, 150, 20)
        """
        if not self.fold:
            return None
        return self.max_nodes if self.max_nodes else FEW if count > LARGE else None


def look_of(
    show: Iterable[str],
    fold: Literal["auto", False],
    max_nodes: int | None,
    title: str | None,
    flow: bool,
) -> Look:
    """The options of `draw`, checked.

    Raises:
        ArgumentError: for one that means nothing.
        ArgumentTypeError: for a title that is no text, or parts that are no names.
    """
    parts = _parts_of(show)
    if fold != "auto" and fold is not False:
        raise ArgumentError(
            f"fold={fold!r} is not known. Large graphs are folded by rule or not at all. "
            "Write `fold='auto'` or `fold=False`."
        )
    if max_nodes is not None and (type(max_nodes) is not int or max_nodes < 1):
        raise ArgumentError(
            f"max_nodes={max_nodes!r} leaves nothing to draw. It says how many boxes a folded "
            "graph may have. Write `max_nodes=60`, or `fold=False` for all nodes."
        )
    if max_nodes is not None and fold is False:
        raise ArgumentError(
            f"max_nodes={max_nodes} was given with fold=False. Without folding every node is "
            "drawn, however many there are. Leave one of the two out."
        )
    if title is not None and not isinstance(title, str):
        raise ArgumentTypeError(
            f"title={title!r} is of type {type(title).__name__}. What stands above a picture is "
            f"text. Write `title={str(title)!r}`."
        )
    return Look(parts, fold == "auto", max_nodes, title, bool(flow))


def _parts_of(show: Iterable[str]) -> frozenset[str]:
    """The parts that were asked for, by one name or several."""
    if not isinstance(show, Iterable):
        raise ArgumentTypeError(
            f"show={show!r} is of type {type(show).__name__}. It names the parts of a picture. "
            'Write `show=("values", "saved")`.'
        )
    parts = (show,) if isinstance(show, str) else tuple(show)
    for part in parts:
        if part not in PARTS:
            raise ArgumentError(
                f"show has {part!r}, which is no part of a picture. It takes any of "
                f'{", ".join(map(repr, PARTS))}. Write `show=("values", "saved")`.'
            )
    return frozenset(parts)
