"""A rule in symbols and in its numbers."""

import re

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.autograd import Function
from glassgrad.tracing.summary import number_text
from glassgrad.viz.explaining.entries import explanations
from viz.explaining.cube import Cube


@pytest.fixture
def x():
    return gg.tensor([1.0, 4.0], requires_grad=True)


def rule(y, **options):
    return dict(gg.explain(y, **options).rule)


def test_numbers_take_the_places_of_the_letters(x):
    y = gg.tensor([3.0, 4.0], requires_grad=True)
    assert rule(x * y) == {
        "x̄": "z̄·y = [1, 1]·[3, 4] = [3, 4]",
        "ȳ": "z̄·x = [1, 1]·[1, 4] = [1, 4]",
    }


@pytest.mark.parametrize(
    ("run", "line"),
    [
        (lambda x: x.sqrt(), "ȳ/(2y) = [1, 1]/(2·[1, 2]) = [0.5, 0.25]"),
        (lambda x: x**3, "ȳ·c·xᶜ⁻¹ = [1, 1]·3·[1, 4]^(3−1) = [3, 48]"),
        (lambda x: -x, "−ȳ = −[1, 1] = [-1, -1]"),
        (lambda x: x.clone(), "ȳ = [1, 1]"),
        (lambda x: x.relu(), "ȳ·[y > 0] = [1, 1]·[[1, 4] > 0] = [1, 1]"),
        (lambda x: x.clamp(0, 2), "ȳ·[a ≤ x ≤ b] = [1, 1]·[0 ≤ [1, 4] ≤ 2] = [1, 0]"),
        (lambda x: x[1] * 3, "z̄·y = 1·3 = 3"),
    ],
)
def test_the_formulas_of_some_ops(run, line, x):
    assert rule(run(x))["x̄"] == line


def test_a_negative_number_stands_in_parentheses():
    x = gg.tensor(-2.0, requires_grad=True)
    assert rule(x * x, gradient=gg.tensor(-1.0))["x̄"] == "z̄·y = (-1)·(-2) = 2"


def by_hand(line):
    """What a reader's calculator makes of `… = [1, 1]·(1 − [0.964, -0.762]²) = […]`, and that."""
    *_, filled, result = line.split(" = ")
    sums = filled.replace("²", "**2").replace("·", "*").replace("−", "-").replace("^", "**")
    numbers = re.sub(r"\[([^][]*)\]", r"np.array([\1])", sums)
    found = np.atleast_1d(eval(numbers, {"np": np}))
    return [number_text(x) for x in found.tolist()], result.strip("[]").split(", ")


@together
@pytest.mark.parametrize("scale", [0.03, 0.4, 1.0, 2.0, 3.3, 4.4, 5.0])
def test_the_numbers_have_as_many_digits_as_make_them_come_out_right(scale):
    x = gg.tensor([1.2345, -0.87654], dtype=gg.float64, requires_grad=True)
    w = gg.tensor([0.98765, 1.23456], dtype=gg.float64, requires_grad=True)
    y = x * scale
    for made in (y * w, y.tanh(), y.sigmoid(), y**3, y / w, (y * y).sqrt()):
        gradient = gg.tensor([1.03456, -2.3456], dtype=gg.float64)
        for line in rule(made, gradient=gradient).values():
            found, shown = by_hand(line)
            assert found == shown, line


def test_more_digits_are_shown_only_where_three_do_not_do(x):
    half = gg.tensor(-1.0, requires_grad=True)
    assert rule(half.tanh())["x̄"] == "ȳ·(1 − y²) = 1·(1 − (-0.7616)²) = 0.42"
    assert rule((x * 0.123456).softmax(0), gradient=x.detach())["x̄ᵢ"].count("0.") > 2


def test_small_matrices_are_written_out():
    a = gg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    assert rule(a @ a)["X̄"] == "Z̄·Yᵀ = [[1, 1], [1, 1]]·[[1, 2], [3, 4]]ᵀ = [[3, 7], [3, 7]]"


def test_of_one_element_for_all(x):
    assert rule(x.sum())["x̄ᵢ"] == "ȳ = 1, so x̄ = [1, 1]"


def test_what_does_not_fit_stands_beside_the_formula(x):
    assert rule(x.softmax(0))["x̄ᵢ"] == (
        "yᵢ·(ȳᵢ − Σⱼ yⱼ·ȳⱼ), so x̄ = [0, 0], where y = [0.04743, 0.9526], ȳ = [1, 1]"
    )
    big = gg.ones(3, 3, requires_grad=True)
    assert rule(big * 2)["x̄"] == "z̄·y = (3, 3) ‖·‖=6, where z̄ = (3, 3) ‖·‖=3, y = 2"


def test_a_broadcast_operand_gets_a_sum(x):
    w = gg.tensor(3.0, requires_grad=True)
    assert rule(x * w)["ȳ"] == "z̄·x = [1, 1]·[1, 4], summed over what was broadcast: 5"


def test_a_sum_is_told_only_where_stacks_of_matrices_were_broadcast():
    a, b, one = [gg.ones(*s, requires_grad=True) for s in ((2, 3, 4), (2, 4, 5), (4, 5))]
    assert not any("summed" in line for line in rule(a @ b).values())
    assert ["summed" in line for line in rule(a @ one).values()] == [False, True]
    trace = gg.record((a @ b).sum())
    assert not any("summed" in text for _, _, text in explanations(trace)["n2"]["rows"])
    assert not any("sum_to" in edge for edge in trace.nodes[2]["edges"])


def test_an_operand_without_gradient_has_no_line(x):
    assert rule(x * 2).keys() == {"x̄"}


def test_the_formula_of_many_operands_is_told_once(x):
    assert rule(gg.cat([x, x])) == {"rule": "x̄, ȳ, … = split z̄"}


def test_a_users_function_by_its_docstring(x):
    assert rule(Cube.apply(x * 1)) == {"x̄": "3·ȳ·x² = 3·[1, 1]·[1, 4]² = [3, 48]"}


@pytest.mark.parametrize(
    "doc", [None, "", "A cube.", "x̄ =", "= = =        = = =", "a\x00        b̄ = {x}"]
)
def test_a_docstring_may_say_anything(doc, x):
    class Odd(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    Odd.__doc__ = doc
    found = gg.explain(Odd.apply(x))
    assert found.ok
    assert "\x00" not in str(found)
