"""What a browser makes of explanations: typeset formulas, numbers, and a wrong rule in red."""

import glassgrad as gg
from glassgrad.autograd import Function
from glassgrad.viz import player
from glassgrad.viz.explaining.formulas import latex_of
from glassgrad.viz.explaining.mathml import mathml
from opcase import all_primitives


class WrongCube(Function):
    """y = x³        x̄ = 3·ȳ·x²"""

    latex = ("x^3", r"3\,x^2\,\dot x", r"\bar x = 3\,\bar y\,x^2")

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x**2


def page_of(visit, function, **options):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    return visit(player(function(x).sum()).html, **options)


def explanation(page, node):
    page.locator(f"#gg-{node}").click()
    details = page.locator(".gg-explain")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    return details


def test_a_wrong_backward_is_shown_in_the_page(visit):
    page = page_of(visit, WrongCube.apply, fragment="#99")
    details = explanation(page, "n1")
    assert page.get_by_text("✗ rule is wrong").is_visible()
    assert "✗ WRONG at [1]: the rule says 4, differences say 12" in details.inner_text()
    assert "but the rule says" in page.locator(".gg-sec-node .gg-bad td").first.inner_text()


def test_a_right_backward_is_shown_to_be_checked(visit):
    page = page_of(visit, lambda x: x * x, fragment="#99")
    details = explanation(page, "n1")
    assert page.get_by_text("✓ rule checked").is_visible()
    assert "✓ agrees with differences of the forward, 2 of 2 elements" in details.inner_text()
    assert "z̄·y = [1, 1]·[1, 2] = [1, 2]" in page.locator(".gg-sec-node").inner_text()


def test_formulas_are_typeset(visit):
    page = page_of(visit, WrongCube.apply)
    explanation(page, "n1")
    formulas = page.locator(".gg-math math")
    assert formulas.count() == 3
    kinds = "math => [math.namespaceURI, math.querySelector('msup').namespaceURI]"
    assert set(formulas.first.evaluate(kinds)) == {"http://www.w3.org/1998/Math/MathML"}
    power = "math => math.querySelectorAll('msup *')[1].getBoundingClientRect().bottom"
    base = "math => math.querySelectorAll('msup *')[0].getBoundingClientRect().bottom"
    assert formulas.first.evaluate(power) < formulas.first.evaluate(base)  # it is raised


def test_a_docstring_and_a_latex_of_markup_stay_text(visit):
    class Hostile(WrongCube):
        """<img src=x onerror=alert(1)></script><script>alert(2)</script>"""

        latex = ("<img src=x onerror=alert(3)>", r"\text{</math><script>alert(4)</script>}", "&lt;")

    page = page_of(visit, Hostile.apply)
    details = explanation(page, "n1")
    assert "<img src=x onerror=alert(1)>" in details.inner_text()
    assert page.locator(".gg-player img").count() == 0
    assert page.locator(".gg-math script").count() == 0


def test_all_formulas_of_all_ops_have_a_size_and_no_error(visit):
    found = {tex for cls in all_primitives().values() for tex in latex_of(cls)}
    rows = "".join(f"<p>{mathml(tex)}</p>" for tex in found)
    page = visit(f"<!DOCTYPE html><meta charset=utf-8><body>{rows}")
    sizes = page.locator("math").evaluate_all(
        "all => all.map(math => math.getBoundingClientRect()).map(box => [box.width, box.height])"
    )
    assert len(sizes) >= len(found)
    assert min(width for width, _ in sizes) > 3
    assert max(height for _, height in sizes) < 80
    assert page.locator("merror").count() == 0
