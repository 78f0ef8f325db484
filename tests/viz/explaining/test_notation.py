"""Formulas: read from text, printed as text and as LaTeX, and what their letters stand for."""

import pytest

from checks import together
from glassgrad.autograd import Function
from glassgrad.viz.explaining.formulas import (
    MOST_READ,
    NotationError,
    equations,
    formulas_of,
    latex,
    letters_of,
    read,
    text,
    words_of,
)
from glassgrad.viz.explaining.mathml import mathml
from opcase import all_primitives

OPS = all_primitives()


@together
@pytest.mark.parametrize(
    ("written", "tex"),
    [
        ("x̄ = −½·ȳ·y³", r"\bar x = -\tfrac12\,\bar y\,y^3"),
        ("y = 1/(1 + e⁻ˣ)", r"y = \frac{1}{1 + e^{-x}}"),
        ("x̄ = ȳ/(2y)", r"\bar x = \frac{\bar y}{2\,y}"),
        ("x̄ = ȳ/√(1 − x²)", r"\bar x = \bar y / \sqrt{1 - x^2}"),
        ("y = 2·3", r"y = 2 \cdot 3"),
        ("Z = X·Yᵀ", r"Z = X\,Y^\top"),
        ("yᵢ = exp xᵢ/Σⱼ exp xⱼ", r"y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}"),
        ("dyᵢ = Σ_{j ≤ i, j ≠ k} dxⱼ", r"\dot y_i = \sum_{j \le i,\,j \ne k} \dot x_j"),
        ("yᵢⱼ = x[indexᵢⱼ, j]", r"y_{ij} = x_{\mathrm{index}_{ij},\,j}"),
        ("yᵢ = xᵢ₊₁", r"y_i = x_{i + 1}"),
        ("y = v if m else x", r"y = v\ \text{if}\ m\ \text{else}\ x"),
        ("y = [a ≤ x < b ∨ |x| = ∞]", r"y = [a \le x < b \vee |x| = \infty]"),
        ("y = ψ⁽ⁿ⁺¹⁾(x) − ψ'(x)", r"y = \psi^{(n + 1)}(x) - \psi'(x)"),
        ("y = ∃ᵢ (xᵢ ≠ 0)", r"y = \exists i: x_i \ne 0"),
        ("y = log₁₀ x·ln 2", r"y = \log_{10} x \ln 2"),
        ("y, k = maxᵢ xᵢ, argmaxᵢ xᵢ", r"y, k = \max_i x_i, \operatorname{argmax}_i x_i"),
        ("y ~ split(x, split_size)", r"y \sim \operatorname{split}(x, \mathrm{split\_size})"),
        ("y = ~x & conj x", r"y = \mathord{\sim} x \mathbin{\&} \overline{x}"),
    ],
)
def test_a_formula_is_printed_as_it_was_written_and_as_latex(written, tex):
    [equation] = equations(written)
    assert text(equation) == written
    assert latex(equation) == tex
    assert "<mtext>\\" not in mathml(tex)


def test_products_bind_more_tightly_than_sums_and_functions_than_products():
    [equation] = equations("y = −a·tanh x·b + c/d")
    assert equation.right.sign == "+"
    negative, quotient = equation.right.parts
    assert (negative.sign, quotient.sign) == ("−", "/")
    [product] = negative.parts
    assert [part.kind for part in product.parts[0].parts] == ["name", "call"]


def test_numbers_take_the_places_of_letters():
    [equation] = equations("y = 2x·xᶜ⁻¹ + 2ˣ")
    assert text(equation.right, lambda _: "7") == "2·7·7^(7−1) + 2^(7)"


@together
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("tanh x", "= is missing after 'tanh x'"),
        ("y = ", "a term is missing"),
        ("y = (x", ") is missing after 'y = (x'"),
        ("y = x)", "')' was not expected"),
        ("y = x where x > 0", "'where' was not expected"),
        ("z = |x | y|", "'y' was not expected"),
        ("y = x if x > 0", "else is missing"),
        ("y = €", "'€' was not expected"),
        ("y = " + "√" * 900 + "x", "nested too deeply"),
        ("y = " + "(" * 900, "nested too deeply"),
        ("y = x" + " + x" * MOST_READ, "more than 1000 characters"),
    ],
)
def test_what_is_no_formula_is_said_in_words(written, said):
    with pytest.raises(NotationError) as caught:
        equations(written)
    assert said in str(caught.value)


def test_letters_are_operands_and_results_by_the_names_they_are_saved_under():
    assert letters_of(OPS["Mul"]) == {"z": "result", "x": "self", "y": "other"}
    assert letters_of(OPS["Pow"]) == {"y": "result", "x": "self", "c": "exponent"}
    assert letters_of(OPS["Cat"])["y"] == "tensors"
    assert letters_of(Function) == {}


def test_a_tangent_follows_from_the_gradients_or_from_the_value():
    assert words_of(OPS["Div"]).split("        ")[1] == "dz = dx/y − x·dy/y²"
    assert words_of(OPS["Clone"]).split("        ")[1] == "dy = dx"


def test_an_op_without_formulas_is_told_what_is_missing():
    with pytest.raises(NotationError, match="= is missing"):
        read(type("Sinc", (OPS["Clone"],), {"__doc__": "The sine of x, divided by x."}))
    with pytest.raises(NotationError, match="begin with the value"):
        read(type("Sinc", (OPS["Clone"],), {"__doc__": "x̄ = ȳ"}))


def test_of_a_users_function_formulas_are_read_if_there_are_some():
    kind = type("Cube", (Function,), {"__doc__": "y = x³        x̄ = 3·ȳ·x²\n\nAnd some words."})
    assert str(formulas_of(kind)) == "y = x³        x̄ = 3·ȳ·x²"
    for words in ("It cubes.", "1 = 1", "x̄ = ȳ", None):
        assert formulas_of(type("Cube", (Function,), {"__doc__": words})) is None
