"""Known differences, from `known.toml`: each has a reason, and says what is not compared."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["KNOWN", "is_fused", "known"]

KNOWN: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "known.toml").read_text())[
    "class"
]
FUSED = {op for entry in KNOWN for op in entry.get("graphs_of", ())}
"""Ops behind which graphs are not compared, or the first word of their names."""


def is_fused(op: str) -> bool:
    """Whether graphs behind results of the op are not compared."""
    return op in FUSED or op.partition(" ")[0] in FUSED


def known(lines: Iterable[str], difference: str) -> str | None:
    """The class that a difference of a program belongs to; None if it is a new one."""
    text = "\n".join(lines)
    for entry in KNOWN:
        is_it = "differs" in entry and re.search(entry["differs"], difference, re.DOTALL)
        if is_it and re.search(entry["lines"], text):
            return str(entry["name"])
    return None
