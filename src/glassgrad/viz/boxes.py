"""How large each vertex is, and where its text stands: where layout and drawing agree."""

from dataclasses import dataclass

from glassgrad.viz.graph import Vertex
from glassgrad.viz.style import BADGE_SIZE, ROW_SIZE, TITLE_SIZE, kind_of, text_width

__all__ = ["Box", "box_of", "hook_width"]

PAD = 11.0
GAP = 10.0  # between title and badge, key and value
TITLE_LINE = 18.0
ROW_LINE = 16.0
BADGE_PAD = 6.0
HOOK_SIZE, HOOK_PAD = 9.0, 5.0
NARROWEST = 74.0


@dataclass(frozen=True, slots=True)
class Box:
    """The measures of a vertex in px, from its own top left corner.

    Args:
        width, height: of the whole.
        badge: width of the badge, 0 without one.
        values: where the values of the rows begin.
    """

    width: float
    height: float
    badge: float
    values: float


def hook_width(name: str) -> float:
    """How much of a box's upper border the pill of a hook takes.

    Example:
        >>> hook_width("H1 clip") > hook_width("H1")
        True
    """
    return text_width(name, HOOK_SIZE, bold=True) + 2 * HOOK_PAD + 4.0


def box_of(vertex: Vertex) -> Box:
    """The measures of `vertex`.

    Example:
        >>> box_of(Vertex("z0-1", "none", "∅")).width
        20.0
    """
    shape = kind_of(vertex.kind).shape
    if shape == "dot":
        return Box(20.0, 20.0, 0.0, 0.0)
    badge = vertex.bad or vertex.badge
    pill = text_width(badge, BADGE_SIZE, bold=True) + 2 * BADGE_PAD if badge else 0.0
    title = text_width(vertex.title, TITLE_SIZE, bold=True)
    head = title + (GAP + pill if pill else 0.0)
    keys = max((text_width(key, ROW_SIZE) for key, _ in vertex.rows), default=0.0)
    values = max((text_width(value, ROW_SIZE, mono=True) for _, value in vertex.rows), default=0.0)
    body = keys + GAP + values if vertex.rows else 0.0
    hooks = sum(hook_width(name) for name in vertex.hooks)
    width = max(head, body, hooks, NARROWEST - 2 * PAD) + 2 * PAD
    if shape == "note":
        width += 6.0  # the folded corner
    height = TITLE_LINE + 2 * 6.0 if shape != "pill" else 26.0
    if vertex.rows:
        height += ROW_LINE * len(vertex.rows) + 5.0
    return Box(round(width), round(height), round(pill, 1), round(PAD + keys + GAP, 1))
