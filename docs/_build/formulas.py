r"""Formulas: `\(x^2\)` on a page becomes MathML, which browsers set without a script."""

import re
from typing import Any

from glassgrad.viz.explaining.mathml import mathml
from glassgrad.viz.wording import escape

FORMULA = re.compile(r"\\\((.+?)\\\)", re.DOTALL)
MARK = "formula-{}-of-page"  # Markdown has nothing to say to it


def take_out(markdown: str, page: Any) -> str:
    """The page with a mark for each formula, which wait on `page.formulas`."""
    page.formulas = []

    def mark(found: re.Match[str]) -> str:
        page.formulas.append(found[1])
        return MARK.format(len(page.formulas) - 1)

    return FORMULA.sub(mark, markdown)


def put_in(html: str, page: Any) -> str:
    """The rendered page with its formulas as MathML."""
    for at, formula in enumerate(getattr(page, "formulas", ())):
        if (set_formula := mathml(formula)) == f"<math><mtext>{escape(formula)}</mtext></math>":
            raise ValueError(
                f"{page.file.src_uri} has the formula {formula!r}, which mathml() cannot read. "
                "It would stand on the page as LaTeX. Write it with the signs that mathml() knows."
            )
        html = html.replace(MARK.format(at), set_formula)
    return html
