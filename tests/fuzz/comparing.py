"""What is different between two outcomes, and the smallest program that shows it."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.known import known
from fuzz.playing import Outcome, play
from fuzz.program import Program, script

__all__ = ["differences", "report", "shrunk"]


def differences(ours: Outcome, theirs: Outcome) -> list[str]:
    """In words; empty if the two agree."""
    found: list[str] = []
    same = functools.partial(_same, within=theirs.tolerance)
    if not _same_error(ours.error, theirs.error) and not _stumbles(ours, theirs):
        found.append(
            f"error: {ours.error} {ours.message}\n   torch: {theirs.error} {theirs.message}"
        )
        return found
    if ours.error is None:
        found += [f"log: {a}\n   torch: {b}" for a, b in _apart(ours.log, theirs.log, same)]
    for name in {**ours.graphs, **theirs.graphs}:
        a, b = ours.graphs.get(name), theirs.graphs.get(name)
        if not same(a, b):
            found += [f"graphs {name}: {a}\n   torch: {b}"]
    for name in {**ours.facts, **theirs.facts}:
        a, b = ours.facts.get(name), theirs.facts.get(name)
        if isinstance(a, dict) and isinstance(b, dict):
            unlike = [key for key in a if not same(a[key], b.get(key))]
            found += [f"facts {name} {key}: {a[key]}\n   torch: {b.get(key)}" for key in unlike]
        else:
            parts = _apart(a, b, same)
            found += [f"facts {name}: {mine}\n   torch: {other}" for mine, other in parts]
    return found


def _apart(ours: Any, theirs: Any, same: Callable[[Any, Any], bool]) -> list[tuple[Any, Any]]:
    """What differs: part by part where there are as many parts here as there."""
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [(a, b) for a, b in zip(ours, theirs, strict=True) if not same(a, b)]
    return [] if same(ours, theirs) else [(ours, theirs)]


def _same_error(ours: Any, theirs: Any) -> bool:
    """Whether both come at the same step, are of one kind, and one `except` catches both."""
    if ours is None or theirs is None:
        return ours is theirs
    caught = {*theirs[1]} <= {*ours[1]}
    return ours[0] == theirs[0] and ours[2] == theirs[2] and caught


def _stumbles(ours: Outcome, theirs: Outcome) -> bool:
    """Whether PyTorch has another error before it gets to that of the stale tensor.

    It stumbles over a forbidden view while it words the one that we give, and sees first that a
    tensor was detached in place.
    """
    if ours.error is None or theirs.error is None or ours.error[0] != theirs.error[0]:
        return False
    others = ("created in", "returns multiple views", "detached in-place")
    return "modified by an inplace" in ours.error[2] and any(w in theirs.message for w in others)


def _same(a: Any, b: Any, within: float) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key], within) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(_same(x, y, within) for x, y in zip(a, b, strict=True))
    if isinstance(a, (float, complex)) and type(a) is type(b):
        return bool(np.isclose(a, b, rtol=within, atol=within / 10, equal_nan=True))
    return type(a) is type(b) and a == b


def shrunk(program: Program, fails: Callable[[Program], bool]) -> Program:
    """The program without the steps that are not needed for it to fail."""
    size = max(len(program.steps) // 2, 1)
    while size:
        position = 0
        while position < len(program.steps):
            smaller = program.without(range(position, position + size))
            if smaller.steps and len(smaller.steps) < len(program.steps) and fails(smaller):
                program = smaller
            else:
                position += size
        size //= 2
    return program


def unknown(program: Program) -> list[str]:
    """What is different between the two libraries' answers and belongs to no known class."""
    found = differences(play(program, "glassgrad"), play(program, "torch"))
    lines = [step.line for step in program.steps]
    return [difference for difference in found if known(lines, difference) is None]


def report(program: Program) -> str:
    """A failing program, shrunk: a script for both libraries, and what differs."""
    small = shrunk(program, lambda smaller: bool(unknown(smaller)))
    found = unknown(small)
    return f"# seed {program.seed}\n{script(small)}\n# differs:\n" + "\n".join(found)
