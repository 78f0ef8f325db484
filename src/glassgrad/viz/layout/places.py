"""Where everything of a picture goes."""

from dataclasses import dataclass, field

__all__ = ["Layout", "Place", "Point"]

Point = tuple[float, float]
Place = tuple[float, float, float, float]  # x and y of the middle, width, height


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything goes, in px, y downwards.

    Args:
        places: by vertex: the x and y of its middle, width, height.
        routes: by arc: the points of a chain of cubic Bézier curves (1 + 3·n of them).
        labels: by arc with a label: the label's middle.
        width, height: of the whole.
        engine: which layout was used, in words.
        notice: why not a better one; empty if it was the machine's own choice.
        frames: by cluster: left, top, width, height.
    """

    places: dict[str, Place]
    routes: dict[str, list[Point]]
    labels: dict[str, Point] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0
    engine: str = ""
    notice: str = ""
    frames: dict[str, Place] = field(default_factory=dict)
