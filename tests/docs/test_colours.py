"""The colours of the site can be told apart, in both themes."""

import re
from pathlib import Path

import pytest

SHEET = (Path(__file__).parents[2] / "docs" / "assets" / "site.css").read_text("utf-8")
INK = [
    "--md-default-fg-color",
    "--md-default-fg-color--light",
    "--md-typeset-color",
    "--md-typeset-a-color",
    "--md-primary-bg-color--light",
]
CODE_INK = ["--md-code-fg-color"] + [
    f"--md-code-hl-{kind}-color"
    for kind in ("comment", "keyword", "string", "number", "function", "name")
]
FOOT_INK = ["--md-footer-fg-color", "--md-footer-fg-color--light"]
PAPER = {
    "--md-default-bg-color": [*INK, *CODE_INK],
    "--md-code-bg-color": [*INK, *CODE_INK],
    "--md-footer-bg-color": FOOT_INK,
}


def colours(scheme):
    block = re.search(rf'\[data-md-color-scheme="{scheme}"\] \{{(.*?)\}}', SHEET, re.DOTALL)
    return dict(re.findall(r"(--[\w-]+): (#[0-9a-f]+);", block[1]))


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_text_stands_out_from_what_it_is_on(scheme):
    named = colours(scheme)
    weak = {
        (ink, paper): round(contrast(named[ink], named[paper]), 2)
        for paper, inks in PAPER.items()
        for ink in inks
        if contrast(named[ink], named[paper]) < 4.5
    }
    assert weak == {}


def test_both_themes_name_the_same_colours():
    only_dark = {f"--md-default-bg-color--{kind}" for kind in ("light", "lighter", "lightest")}
    assert set(colours("slate")) - only_dark == set(colours("default"))
