"""What a picture is made of: boxes, lines and frames, in words and without places."""

from dataclasses import dataclass, field

__all__ = ["Arc", "Cluster", "Graph", "Vertex"]


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
    rows: tuple[tuple[str, str], ...] = ()
    tip: str = ""
    freed: bool = False
    bad: str = ""
    of: str = ""
    hooks: tuple[str, ...] = ()
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
    members: tuple[str, ...]


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
    place: dict[str, str] = field(default_factory=dict)
    notice: str = ""
    clusters: tuple[Cluster, ...] = ()
    flow: str = ""
    reading: str = ""
