"""What is different between two outcomes, and the smallest program that shows it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.playing import Outcome, play
from fuzz.program import Program, script

__all__ = ["differences", "report", "shrunk"]


def differences(ours: Outcome, theirs: Outcome) -> list[str]:
    """In words; empty if the two agree."""
    found: list[str] = []
    if ours.error != theirs.error and not _stumbles(ours, theirs):
        found.append(
            f"error: {ours.error} {ours.message}\n   torch: {theirs.error} {theirs.message}"
        )
        return found
    if ours.error is None and not _same(ours.log, theirs.log):
        found.append(f"log: {ours.log}\n   torch: {theirs.log}")
    for what in ("graphs", "facts"):
        mine, others = getattr(ours, what), getattr(theirs, what)
        for name in {**mine, **others}:
            a, b = mine.get(name), others.get(name)
            if not _same(a, b):
                found += [f"{what} {name}: {a}\n   torch: {b}"]
    return found


def _stumbles(ours: Outcome, theirs: Outcome) -> bool:
    """Whether PyTorch has another error before it gets to that of the stale tensor.

    It stumbles over a forbidden view while it words the one that we give, and sees first that a
    tensor was detached in place.
    """
    if ours.error is None or theirs.error is None or ours.error[:2] != theirs.error[:2]:
        return False
    others = ("created in", "returns multiple views", "detached in-place")
    return "modified by an inplace" in ours.error[2] and any(w in theirs.message for w in others)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.isclose(a, b, rtol=1e-8, atol=1e-9, equal_nan=True))
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


def disagree(program: Program) -> bool:
    """Whether the two libraries answer differently."""
    return bool(differences(play(program, "glassgrad"), play(program, "torch")))


def report(program: Program) -> str:
    """A failing program, shrunk: a script for both libraries, and what differs."""
    small = shrunk(program, disagree)
    found = differences(play(small, "glassgrad"), play(small, "torch"))
    return f"# seed {program.seed}\n{script(small)}\n# differs:\n" + "\n".join(found)
