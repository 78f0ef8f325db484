"""What was found: each mistake once, with its line, the names and what to write instead."""

import textwrap
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from glassgrad._words import counted, printable
from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.core.state import Place
from glassgrad.memory.calls import warn
from glassgrad.source.lines import shown, span

WAYS = ("report", "print", "warn", "raise")
_WIDTH = 88

Told = Callable[["Finding"], object]


@dataclass(slots=True)
class Finding:
    """A mistake that was seen.

    Attributes:
        kind: what kind it is, "grads-not-cleared".
        message: what happened, and why nobody complained.
        remedy: what to write instead.
        line: where, "train.py, line 12: `opt.step()`"; None if that is not known.
        file, lineno: the same for programs.
        tensors: the names of those it is about, as far as they are known.
        count: how often it was seen.
    """

    kind: str
    message: str
    remedy: str
    line: str | None
    file: str | None
    lineno: int | None
    tensors: tuple[str, ...] = ()
    count: int = 1

    def __str__(self) -> str:
        where = f" at {self.line}" if self.line else ""
        return f"{self.kind}{where}. {self.message} {self.remedy}"


class Findings(list[Finding]):
    """All findings of a block, in the order in which they were made; its text is the report.

    Args:
        on_finding: what to do with each when it is made, one of `WAYS` or a function.
        write: where a finding that is to be printed goes.
    """

    def __init__(self, on_finding: str | Told, write: Callable[[str], object]) -> None:
        super().__init__()
        if on_finding not in WAYS and not callable(on_finding):
            raise ArgumentError(
                f"watch() was given on_finding={on_finding!r}. It says what becomes of a finding. "
                f"Write one of {', '.join(map(repr, WAYS))}, or a function of a finding."
            )
        self.on_finding, self._write = on_finding, write
        self._known: dict[Hashable, Finding] = {}

    def add(
        self,
        kind: str,
        message: str,
        remedy: str,
        place: Place | None,
        tensors: Sequence[str] = (),
        key: Hashable = None,
    ) -> None:
        """Note a mistake; if it is known already, that it was seen once more.

        Args:
            place: the instruction that made it.
            key: what tells it from others of its kind, if the line does not.
        """
        key = place if key is None else key
        if self.is_known(kind, key):
            return
        line = None if place is None else shown(place)
        file = None if place is None else place[0].co_filename
        lineno = None if place is None else span(place)[0]
        message, remedy = printable(message), printable(remedy)
        found = Finding(kind, message, remedy, line, file, lineno, tuple(tensors))
        self._known[kind, key] = found
        self.append(found)
        self._tell(found)

    def is_known(self, kind: str, key: Hashable) -> bool:
        """Whether there is one already, which is seen once more then."""
        known = self._known.get((kind, key))
        if known is not None:
            known.count += 1
        return known is not None

    def _tell(self, found: Finding) -> None:
        how: Any = self.on_finding
        if how == "print":
            self._write(f"{_paragraph(found)}\n")
        elif how == "warn":
            warn(str(found))
        elif how == "raise":
            raise GraphError(str(found))
        elif how != "report":
            how(found)

    def __str__(self) -> str:
        if not self:
            return "nothing was found"
        head = counted(len(self), "finding")
        return "\n\n".join([head, *map(_paragraph, self)])


def _paragraph(found: Finding) -> str:
    """A finding as the report has it."""
    times = f" ({found.count} times)" if found.count > 1 else ""
    lines = [f"{found.kind}{times}"]
    lines += [f"  at {found.line}"] if found.line else []
    for text in (found.message, found.remedy):
        lines += textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines)
