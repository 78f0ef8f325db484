"""How large each vertex is, and where its text stands: where layout and drawing agree."""

import math
import re
from dataclasses import dataclass

from glassgrad.viz.scene.graph import Vertex
from glassgrad.viz.style import BADGE_SIZE, ROW_SIZE, TITLE_SIZE, kind_of, text_width

__all__ = ["Box", "box_of", "pill_width"]

PAD = 11.0
GAP = 10.0  # between title and badge, key and value
TITLE_LINE = 18.0
ROW_LINE = 16.0
BADGE_PAD = 6.0
PILL_SIZE, PILL_PAD = 9.0, 5.0
NARROWEST = 74.0
FOLD = 6.0  # how far text keeps from a folded corner
SLANT = 12.0  # how far a parallelogram leans


@dataclass(frozen=True, slots=True)
class Box:
    """The measures of a vertex in px, from its own top left corner.

    Args:
        width, height: of the whole.
        badge: width of the badge, 0 without one.
        values: where the values of the rows begin.
        left, right: how far the text keeps from the two sides.
    """

    width: float
    height: float
    badge: float = 0.0
    values: float = 0.0
    left: float = PAD
    right: float = PAD


def pill_width(name: str) -> float:
    """How much of a box's border a pill takes: of a hook, or of the number of saved tensors.

    Example:
        >>> pill_width("H1 clip") > pill_width("H1")
        True
    """
    return _even(text_width(name, PILL_SIZE, bold=True) + 2 * PILL_PAD + 4.0)


def box_of(vertex: Vertex, *, nominal: bool = False) -> Box:
    """The measures of `vertex`.

    Args:
        vertex: what is measured.
        nominal: as if all numbers were equally long, and all turns too: what remains is the
            structure, which is the same before, during and after a pass, and for other numbers.

    Example:
        >>> box_of(Vertex("z0-1", "none", "∅")).width
        20.0
    """
    shape = kind_of(vertex.kind).shape
    if vertex.size is not None:
        return Box(*vertex.size, badge=_badge_beside(vertex), left=5.0, right=5.0)
    if shape == "dot":
        return Box(20.0, 20.0)
    badge = vertex.bad or vertex.badge
    badge, rows = (_nominal_badge(vertex), _nominal(vertex)) if nominal else (badge, vertex.rows)
    pill = _badge_width(badge)
    title = text_width(vertex.title, TITLE_SIZE, bold=True)
    head = title + (GAP + pill if pill else 0.0)
    keys = max((text_width(key, ROW_SIZE) for key, _ in rows), default=0.0)
    values = max((text_width(value, ROW_SIZE, mono=True) for _, value in rows), default=0.0)
    body = keys + (GAP if keys else 0.0) + values if rows else 0.0
    pills = sum(pill_width(name) for name in vertex.hooks)
    kept = pill_width(vertex.kept) if vertex.kept else 0.0
    left = PAD + (SLANT / 2 if shape == "slant" else 0.0)
    right = left + (FOLD if shape == "note" else 0.0)
    width = max(head, body, pills, kept, NARROWEST - 2 * PAD) + left + right
    height = TITLE_LINE + 2 * 6.0 if shape != "pill" else 26.0
    if rows:
        height += ROW_LINE * len(rows) + 5.0
    elif vertex.kept:
        height += 6.0  # so that the pill on the lower border keeps clear of the badge
    begin = left + keys + (GAP if keys else 0.0)
    return Box(_even(width), round(height), pill, round(begin, 1), left, right)


def _badge_width(words: str) -> float:
    return _even(text_width(words, BADGE_SIZE, bold=True) + 2 * BADGE_PAD) if words else 0.0


def _even(size: float) -> float:
    """A size whose middle lies on a whole pixel."""
    return 2.0 * math.ceil(size / 2)


def _badge_beside(vertex: Vertex) -> float:
    """The width of the badge of a box of a given size; 0 if it does not fit beside the title."""
    assert vertex.size is not None
    pill = _badge_width(vertex.bad or vertex.badge)
    taken = text_width(vertex.title, TITLE_SIZE, bold=True) + pill + 20.0
    return pill if taken <= vertex.size[0] else 0.0


# --- sizes that do not depend on numbers ---------------------------------------------------------

_NUMBER = re.compile(r"-?(?:\d[\d.]*(?:e[+-]?\d+)?|nan|inf)")
_NUMERIC = {"value", "grad", "a", "b"}  # the rows whose values are numbers


def _nominal(vertex: Vertex) -> tuple[tuple[str, str], ...]:
    """The rows with every number five characters long; shapes stay."""
    rows = []
    for key, value in vertex.rows:
        if key in _NUMERIC:
            shape, norm, rest = value.rpartition("‖·‖=")
            is_shape = not norm and rest.startswith("(")
            value = shape + norm + (rest if is_shape else _NUMBER.sub("00.00", rest))
        rows.append((key, value))
    return tuple(rows)


def _nominal_badge(vertex: Vertex) -> str:
    """The badge with room for a turn, where the pass gives one."""
    if vertex.kind not in {"function", "user", "accumulate", "view"}:
        return vertex.badge
    sign = {"user": "ƒ ", "accumulate": "Σ ", "view": "VIEW "}.get(vertex.kind, "")
    return f"{sign}#00"
