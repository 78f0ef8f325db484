"""The table of operators, of what `docs/operators.py` has measured and what the ops themselves say."""

import csv
import functools
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import glassgrad
from glassgrad.levels.subclasses import PUBLIC
from glassgrad.ops._declaring import METHODS
from glassgrad.viz.explaining.formulas import all_ops, formulas_of
from glassgrad.viz.explaining.mathml import mathml
from glassgrad.viz.explaining.formulas import latex

FILE = Path(__file__).parents[1] / "operators.csv"
HEADS = ("operator", "right", "time", "of PyTorch's", "formulas")
_ALL_OPS = functools.cache(all_ops)  # they do not change while the page is made


def fill(markdown: str) -> str:
    """The page with the table."""
    return markdown.replace("[[operators]]", table())


def table() -> str:
    """The table as HTML: a grid, whose rows are paragraphs where the page is narrow."""
    with FILE.open(encoding="utf-8", newline="") as file:
        _, *lines = csv.reader(file)
    right = sum([not why for _, why, *_ in lines])
    rows = [_row(*[f"<b>{head}</b>" for head in HEADS]), *[_line(*line) for line in lines]]
    told = f"<p>{right} of {len(lines)} operators are right.</p>"
    return "\n".join([told, '<div class="gg-operators">', *rows, "</div>"])


def _line(name: str, wrong: str, recorded: str, time: str, ratio: str) -> str:
    figures = [escape(wrong) or "yes", time and f"{time} µs", ratio and f"{ratio} ×"]
    return _row(f"<code>{escape(name)}</code>", *figures, formulas(name, recorded.split()))


def _row(*cells: str) -> str:
    # With spaces between them: the search and who copies the text would glue them together.
    return "<div>" + " ".join([f"<div>{cell}</div>" for cell in cells]) + "</div>"


def formulas(name: str, recorded: Sequence[str] = ()) -> str:
    """Value, tangent and gradient of an operator; of one that is made of others, their names.

    Args:
        recorded: the ops that it puts on the graph.
    """
    function = _function(name.partition("#")[0])
    rules = [rule for rule, public in PUBLIC.items() if public is function]
    if not rules and len(recorded) == 1:
        rules = [rule for rule in _ALL_OPS() if rule.__name__ == recorded[0]]
    for rule in rules:
        found = formulas_of(rule)
        if found is not None:
            return "<br>".join([mathml(latex(each)) for column in found.columns for each in column])
    return f"made of {', '.join(recorded)}" if recorded else "–"


def _function(name: str) -> Any:
    try:
        return functools.reduce(getattr, name.split("."), glassgrad)
    except AttributeError:
        return METHODS.get(name)
