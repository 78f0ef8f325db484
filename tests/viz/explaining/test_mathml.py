"""LaTeX as MathML: all formulas of the ops, typeset by a browser; nothing but text gets through."""

import re
import xml.etree.ElementTree as ET

import pytest

import glassgrad.nn  # noqa: F401  # its losses are ops, too
from checks import Checks, together
from glassgrad.viz.explaining.formulas import latex_of
from glassgrad.viz.explaining.mathml import mathml
from opcase import all_primitives


def formulas():
    return sorted({tex for cls in all_primitives().values() for tex in latex_of(cls)})


def elements(markup):
    return ET.fromstring(f"<all>{markup}</all>")


TAGS = {"math", "mi", "mn", "mo", "mrow", "mtext", "mspace", "mover", "mfrac", "msqrt"}
TAGS |= {"msub", "msup", "msubsup", "all"}
ATTRIBUTES = {"width", "form", "stretchy", "lspace", "rspace", "mathvariant"}
THIN = '<mspace width="0.17em"/>'


def test_every_formula_of_every_op_is_read():
    assert len(formulas()) > 390
    with Checks() as checks:
        for tex in formulas():
            with checks.named(tex):
                markup = mathml(tex)
                assert {each.tag for each in elements(markup).iter()} <= TAGS
                assert "\\" not in markup
                assert "\\text" in tex or "<mtext>" not in markup


@together
@pytest.mark.parametrize(
    ("tex", "markup"),
    [
        ("x", "<mi>x</mi>"),
        ("10^k", "<msup><mn>10</mn><mi>k</mi></msup>"),
        ("x_{ij}^2", "<msubsup><mi>x</mi><mrow><mi>i</mi><mi>j</mi></mrow><mn>2</mn></msubsup>"),
        (r"\tfrac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\frac{1}{n-c}", "<mfrac><mn>1</mn><mrow><mi>n</mi><mo>−</mo><mi>c</mi></mrow></mfrac>"),
        (r"\sqrt x", "<msqrt><mi>x</mi></msqrt>"),
        (r"\bar x", "<mover><mi>x</mi><mo>¯</mo></mover>"),
        (r"\psi'", "<msup><mi>ψ</mi><mo>′</mo></msup>"),
        (r"\operatorname{sgn} x", f"<mi>sgn</mi>{THIN}<mi>x</mi>"),
        (r"2 \ln 3", f"<mn>2</mn>{THIN}<mi>ln</mi>{THIN}<mn>3</mn>"),
        (r"x < y", "<mi>x</mi><mo>&lt;</mo><mi>y</mi>"),
        (r"\frac{}{x}", "<mfrac><mrow></mrow><mi>x</mi></mfrac>"),
        ("", ""),
        (r"\text{at a < b}", "<mtext>at a &lt; b</mtext>"),
    ],
)
def test_what_is_written_for_what(tex, markup):
    assert mathml(tex) == f"<math>{markup}</math>"


def test_a_sign_is_told_from_a_difference():
    assert '<mo form="prefix">−</mo><mi>x</mi>' in mathml(r"y = -x")
    assert "<mi>y</mi><mo>−</mo><mi>x</mi>" in mathml("y - x")


def test_bars_open_and_close():
    markup = mathml(r"|x| + |y|")
    assert re.findall(r'form="(\w+)"', markup) == ["prefix", "postfix"] * 2


def test_a_line_may_end_between_two_formulas():
    assert mathml(r"\bar x = 0,\ \bar y = 1").count("</math> <math>") == 1


@together
@pytest.mark.parametrize(
    "tex",
    [r"\unknown", "{", "}", "x}", r"x^", r"x_1_2", r"\frac1", r"\text{", "#", "$x$", "\\"],
)
def test_what_cannot_be_read_is_shown_as_it_is(tex):
    markup = mathml(tex)
    assert elements(markup).find("math/mtext").text == tex


@together
@pytest.mark.parametrize(
    "tex",
    [
        "<script>alert(1)</script>",
        r"\text{<img src=x onerror=alert(1)>}",
        r'\operatorname{a"onclick="x}',
        r"\mathrm{</math><script>}",
        "</math><b>",
        "x & y < z",
        "\x00\u202e\ud800",
        "{" * 5_000,
        "{" * 1_500,
        r"\text{a\\}</math>",
        "x" * 100_000,
    ],
)
def test_no_markup_gets_through(tex):
    markup = mathml(tex)
    assert {each.tag for each in elements(markup).iter()} <= TAGS
    assert all(set(each.attrib) <= ATTRIBUTES for each in elements(markup).iter())
    assert not re.search("[\x00\u202e\ud800]", markup)
    assert len(markup) < 40_000


def test_the_same_formula_is_read_once():
    mathml.cache_clear()
    assert mathml("x + y") is mathml("x + y")
    assert mathml.cache_info().misses == 1
