"""What a task is: a stub to fill in, cases to try the answer on, and mistakes that are known.

A chapter's tasks are the `Task`s of its module in `chapters/`, which lists them.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from glassgrad.core.errors import ArgumentError

SOLVED = object()  # what a case expects, if nothing is said: what the task's `right` makes of it


@dataclass(frozen=True, slots=True)
class Case:
    """One input to try an answer on. `call(…)` makes the one in which the answer is called.

    Args:
        given: the input in words, as the report names it: "the slope of t² at 3".
        run: what is done with the answer; it returns what is judged.
        expects: what it should return; by default what it returns for the task's `right`.
        complains: judges in place of `expects`: it is given what `run` returned, and returns a
            sentence that says what is wrong, or None.
        args: what the answer is called with, where it is only called.
        parts: what is summed to the expected value, such as the gradients along each path: an
            answer that keeps only one of them is told so.
    """

    given: str
    run: Callable[..., Any]
    expects: Any = SOLVED
    complains: Callable[[Any], str | None] | None = None
    args: tuple[Any, ...] = ()
    parts: tuple[Any, ...] = ()

    @property
    def is_prediction(self) -> bool:
        """Whether the answer itself is judged, and no report may tell the right one."""
        return self.run is _itself


def call(*args: Any, expects: Any = SOLVED, given: str = "", parts: tuple[Any, ...] = ()) -> Case:
    """The case in which the answer is called with copies of `args`, which it must not change.

    Args:
        args: the arguments.
        expects: what it should return; by default what the task's `right` returns.
        given: the call in words, where the arguments' own text would be none: functions, networks.
        parts: as in `Case`.
    """
    return Case(given, _called, expects, None, args, parts)


def _called(answer: Any, *args: Any) -> Any:
    return answer(*args)


def value(expects: Any, given: str = "") -> Case:
    """The case of an answer that is no function: a prediction, compared as it is."""
    return Case(given, _itself, expects)


def _itself(answer: Any) -> Any:
    """The answer; names of nodes in it without their namespace, as `AccumulateGrad`."""
    if not isinstance(answer, (list, tuple)):
        return answer
    return [each.rpartition("::")[2] if isinstance(each, str) else each for each in answer]


def kind(value: Any) -> str:
    """What an answer returns, in a sentence: "nothing yet", "a list"."""
    if value is None or value is ...:
        return "nothing yet"
    name = type(value).__name__
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake that is known: its hint is given only to an answer that makes it.

    Args:
        wrong: an answer that makes the mistake. An answer is given the hint if it returns the same
            in each case where both return something to compare, and one of these fails.
        hint: a sentence or two: what was done, and where to look. Never the solution.
    """

    wrong: Any
    hint: str


@dataclass(frozen=True)
class Task:
    """An exercise that checks itself.

    Args:
        id: chapter and name, "05.matmul".
        title: what is asked, in a few words.
        stub: the program to fill in; its first name is the name of the answer.
        cases: from the smallest to the largest.
        right: an answer that is right, written with glassgrad itself (`autograd.grad`, `record`),
            so that it gives nothing away; not needed where all cases say what they expect.
        mistakes: what is known to go wrong here, beyond what `diagnoses` finds by itself.
        read: where the idea is: a node's rule, "MulBackward0", or a file of ours.
        points: what it is worth.
        seconds: how long all cases may take.
        rtol: how far numbers may differ.

    Attributes:
        name, head: of the answer in the stub: "matmul", and the line "def matmul(a, b):".
    """

    id: str
    title: str
    stub: str
    cases: Sequence[Case]
    right: Any = None
    mistakes: Sequence[Mistake] = ()
    read: str = ""
    points: int = 2
    seconds: float = 10.0
    rtol: float = 1e-5
    name: str = field(init=False, default="")
    head: str = field(init=False, default="")

    def __post_init__(self) -> None:
        named = re.search(r"^(?:def |class )?(\w+)(?=[(:]| =).*", self.stub, re.MULTILINE)
        if named is None or not re.fullmatch(r"\d\d\.[a-z][a-z0-9-]*", self.id):
            raise ArgumentError(
                f"the task {self.id!r} cannot be declared so. Its id is a chapter and a name, and "
                'its stub defines what is to be filled in. Write `Task("05.matmul", …, '
                'stub="def matmul(a, b): …")`.'
            )
        object.__setattr__(self, "name", named[1])
        object.__setattr__(self, "head", named[0])

    @property
    def chapter(self) -> str:
        """The number of its chapter, as "05"."""
        return self.id.partition(".")[0]
