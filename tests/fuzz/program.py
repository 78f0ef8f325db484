"""A random program: lines of Python that both libraries can play, and what is known of each.

A program is its own script: what runs in a test is what is printed when it fails.
"""

import ast
from pathlib import Path
from typing import NamedTuple

from fuzz.known import is_fused

__all__ = ["PRELUDE", "Program", "Step", "script"]

PARTS = ("values", "hooks", "saved", "functions", "transforms", "machines")
PRELUDE = "\n\n".join(
    (Path(__file__).parent / "prelude" / f"{part}.py").read_text() for part in PARTS
)
TOLERANCES = {
    "half": 3e-2,
    "float16": 3e-2,
    "float32": 2e-4,
    "float()": 2e-4,
    "typed": 2e-4,
    "lib.ones(": 2e-4,
    "gradients(": 1e-6,
}
"""How exact a program is in which one of these words is met."""


class Step(NamedTuple):
    """One line.

    Attributes:
        op: what it does, as counted in the table.
        feature: the group of ops it belongs to.
        line: Python; `lib` is the library.
        makes, uses: names of values.
        roots: for a backward pass, where it starts.
        changes: for a write, the values that may have another place in the graph afterwards.
    """

    op: str
    feature: str
    line: str
    makes: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


class Program(NamedTuple):
    """Steps in order.

    Attributes:
        seed: what made it.
        steps: the lines.
        peeks: whether graphs are looked at before each pass, too: looking is not without effect,
            a view whose base was written gets its node then.
    """

    seed: int
    steps: tuple[Step, ...]
    peeks: bool

    @property
    def tolerance(self) -> float:
        """How far apart numbers may be."""
        lines = " ".join(step.line for step in self.steps)
        return max((t for word, t in TOLERANCES.items() if word in lines), default=1e-8)

    def without(self, positions: range) -> "Program":
        """The program without some steps, and without those that need what they made."""
        gone: set[str] = set()
        kept: list[Step] = []
        for position, step in enumerate(self.steps):
            if position in positions or gone & {*step.uses, *step.roots}:
                gone.update(step.makes)
            else:
                kept.append(step)
        return self._replace(steps=tuple(kept))

    @property
    def tainted(self) -> set[str]:
        """The values whose graph is not compared: results of fused ops, and what is behind them."""
        found: set[str] = set()
        for step in self.steps:
            if is_fused(step.op) or found & {*step.uses}:
                found.update(step.makes, step.changes)
        return found


def script(program: Program) -> str:
    """A script that plays the program in the library its first argument names."""
    lines = [step.line for step in program.steps]
    names = [name for step in program.steps for name in step.makes]
    show = [
        f"for name in {names}:",
        "    value = globals()[name]",
        "    if isinstance(value, lib.Tensor):",
        "        grad = value.grad if value.is_leaf or value.retains_grad else None",
        "        print(name, value.detach().tolist(), value._version, value.grad_fn, seen(grad))",
        "print(*log, sep='\\n')",
    ]
    return "\n".join([*_needed("\n".join([*lines, "seen(log)"])), "", *lines, *show, ""])


def _needed(text: str) -> list[str]:
    """The definitions of the prelude that `text` uses, directly or not."""
    parts = [part for part in ast.parse(PRELUDE).body if not isinstance(part, ast.Expr)]
    texts = [ast.get_source_segment(PRELUDE, part) or "" for part in parts]
    always = [isinstance(part, (ast.Import, ast.ImportFrom, ast.AnnAssign)) for part in parts]
    found = text
    for _ in parts:  # a definition may use another
        used = [
            needed or f"{getattr(part, 'name', '')}" in _words(found)
            for part, needed in zip(parts, always, strict=True)
        ]
        found = text + "\n" + "\n".join(t for t, u in zip(texts, used, strict=True) if u)
    return list(dict.fromkeys(t for t, u in zip(texts, used, strict=True) if u))


def _words(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
