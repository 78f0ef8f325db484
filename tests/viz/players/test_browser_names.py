"""Names that hold markup, and worse, in every panel: they are text, and nothing breaks."""

import pytest

import glassgrad as gg
from glassgrad.viz import player
from users import Twice

NAMES = {
    "html": "<script>alert(1)</script>",
    "attribute": '"><img src=x onerror=alert(1)>',
    "end of script": "</script><script>alert(1)</script>",
    "svg": "</text></svg><svg onload=alert(1)>",
    "dot": 'a|b{"}\\N\\l',
    "json": '"}],"forms":[[]]}',
    "packed": "~0",
    "template": "${alert(1)}`",
    "prototype": "__proto__",
    "right to left": "\N{RIGHT-TO-LEFT OVERRIDE}right",
    "control": "a\x00\x01\x1b[31m\nb",
    "other scripts": "ε 漢字 🦊",
    "long": "x" * 10_000,
}
# Those that would run, break the page, or break its width; the others are `slow`.
ALWAYS = ("html", "end of script", "packed", "prototype", "long")
EACH = [
    pytest.param(name, id=key, marks=() if key in ALWAYS else pytest.mark.slow)
    for key, name in NAMES.items()
]
# What a page of the player is made of. No img, no iframe, no a, no b.
TAGS = """
main header h1 p div section aside footer details summary h3 h4 ul ol li dl dt dd
table tr th td span strong code button select option input output label form
noscript script svg g path rect circle text tspan title
math mrow mi mn mo mtext mspace mover msub msup mfrac msqrt semantics mstyle
"""


def program(name):
    """A pass in which tensors, scopes, a hook, an op and its docstring have that name."""
    safe = name.replace("\x00", "")

    class Named(Twice):
        pass

    Named.__name__ = Named.__qualname__ = safe
    Named.__doc__ = name

    def hook(grad):
        return grad

    hook.__name__ = safe
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = name
    with gg.scope(name):
        y = Named.apply(x * 3)
    y.register_hook(hook)
    loss = (y * y).sum()
    loss.name = name
    return loss


def spoiled(trace, name):
    """The same with that name in the source lines and in an error."""
    for node in trace.nodes:
        node["src"] = f"{name}, line 3: `{name}`" if node["id"] != "n1" else name
    last = trace.events[-1]
    failed = {"type": "error", "node": "n1", "error": name or "E", "message": name}
    trace.events[-1] = {"k": last["k"], **failed}
    return trace


def tags(page):
    return set(
        page.evaluate("[...document.querySelectorAll('body *')].map(each => each.localName)")
    )


@pytest.mark.parametrize("name", EACH)
def test_no_markup_of_a_name_or_a_line_or_an_error_gets_into_the_page(name, play):
    shown = play(player(spoiled(player(program(name)).trace, name)))
    walk(shown)
    assert tags(shown.page) <= set(TAGS.split())
    assert shown.page.locator("[onload], [onerror], [onclick]").count() == 0
    assert shown.page.evaluate("document.scripts.length") == 2
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in shown.page.locator(".gg-panel").inner_text()
    for width in (1400, 400):
        shown.page.set_viewport_size({"width": width, "height": 900})
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= width


WALK = """
const choose = (list, value) => { list.value = value; list.dispatchEvent(new Event("change")); };
const picker = document.querySelector(".gg-picker");
for (const { value } of [...picker.options]) choose(picker, value);
const form = document.querySelector(".gg-form");
const kinds = form.querySelector("select");
for (const { value } of kinds.options) {
  choose(kinds, value);
  form.requestSubmit();
}
for (const key of ["Home", "r", "r", "h", "?", "End"]) {
  document.dispatchEvent(new KeyboardEvent("keydown", { key }));
}
"""


def walk(shown):
    """See everything once: each node, each kind of breakpoint, each step, the heat, the help."""
    shown.page.evaluate(f"() => {{{WALK}}}")


@pytest.mark.parametrize("key", ["html", "dot", "json", "packed", "prototype", "other scripts"])
def test_a_name_that_can_be_shown_is_shown_as_it_is(key, play):
    name = NAMES[key]
    shown = play(player(program(name)))
    shown.press("End")
    words = shown.page.locator(".gg-panel").inner_text()
    assert f"{name}\n" in shown.section("tensors").inner_text()
    assert name in shown.section("hooks").inner_text()
    assert words.count(name) >= 3
