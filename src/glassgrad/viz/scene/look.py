"""What a picture is asked to show."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from glassgrad.core.errors import ArgumentError, ArgumentTypeError

__all__ = ["FULL", "HUGE", "MEDIUM", "PARTS", "Look", "look_of"]

PARTS = ("values", "shapes", "saved", "hooks", "versions")
FULL, MEDIUM = 15, 60  # up to so many nodes: everything is written out; names, shapes and norms
LARGE, FEW = 300, 150  # more nodes than LARGE are folded, to at most FEW boxes
HUGE = 1_500  # more nodes than that are an overview


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
    """

    show: frozenset[str] = frozenset(PARTS)
    fold: bool = True
    max_nodes: int | None = None
    title: str | None = None
    flow: bool = False
    apart: frozenset[str] = frozenset()

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
    options: tuple[Any, ...] = ("auto", False)
    if fold not in options or (fold == 0 and fold is not False):
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
