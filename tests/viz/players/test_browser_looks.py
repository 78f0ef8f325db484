"""Contrast in both themes, width, focus, and several players on one page."""

import re

import pytest

import glassgrad as gg
from contrast import PAIRS, ratio, too_like
from glassgrad.tracing import Trace
from glassgrad.viz import player
from glassgrad.viz.players.assets import script, styles


def full():
    """A pass with something for each panel, and a stale tensor at its end."""
    x = gg.tensor([3.0, 4.0], requires_grad=True)
    x.name = "x"
    with gg.scope("model"):
        y = (x * 2).tanh()
        z = y.exp()
        loss = (z * z).sum()

    def halve(grad):
        return grad * 0.5

    z.register_hook(halve)
    with gg.no_grad():
        y += 1
    return loss


def test_all_text_can_be_read_and_all_controls_and_marks_can_be_seen(play):
    shown = play(player(full()))
    shown.page.locator("#gg-n2").click()
    shown.press("b", "End")
    for scheme in ("light", "dark"):
        shown.page.emulate_media(color_scheme=scheme)
        marks_stand_out(shown.page)
    shown.press("h", "?")
    for width in (400, 1400):
        shown.page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            shown.page.emulate_media(color_scheme=scheme)
            found = shown.page.evaluate(PAIRS)
            assert len(found["texts"]) > 60
            assert too_like(found["texts"], 4.5) == [], scheme
            assert len(found["borders"]) > 10
            assert too_like(found["borders"], 3) == [], scheme


def marks_stand_out(page):
    ground = page.evaluate("getComputedStyle(document.querySelector('.gg-player')).backgroundColor")
    for selector, part in [
        (".bp .stop path", "fill"),
        (".current > .ring", "stroke"),
        (".chosen > .ring", "stroke"),
        (".fault rect", "fill"),
        (".done > .sign circle", "fill"),
        (".gg-cursor", "stroke"),
        (".gg-curve", "stroke"),
    ]:
        colour = page.locator(selector).first.evaluate(f"each => getComputedStyle(each).{part}")
        assert ratio(colour, ground) >= 3, selector


def test_the_focus_is_seen_and_goes_from_the_drawing_to_the_controls_to_the_panels(play, samples):
    shown = play(player(samples.mlp()))
    outline = "getComputedStyle(document.activeElement).outlineWidth"
    order = []
    for at in range(34):
        shown.press("Tab")
        if at == 1:
            assert shown.page.evaluate(outline) == "3px"
        order.append(shown.page.evaluate("document.activeElement.className || 'none'"))
    stops = ["gg-stage", "gg-first", "gg-play", "gg-scrub", "gg-grain", "gg-source", "gg-picker"]
    places = [order.index(stop) for stop in stops]
    assert places == sorted(places)


def embedded(*players):
    """A page of somebody else's, with a style of its own, that shows several players."""
    parts = "".join(f"<p>Text before.</p>{each.fragment()}" for each in players)
    code = 'for (const each of document.querySelectorAll(".gg-player")) mount(each, {});'
    rude = "li{margin-left:3em} button{background:red;border:9px solid} h2{font-size:60px}"
    rude += "p{margin:2em}"
    return (
        f"<!DOCTYPE html><meta charset=utf-8><style>{rude}{styles()}</style>"
        f'<article style="width:700px">{parts}</article>'
        f'<script type="module">{script()}\n{code}</script>'
    )


def test_several_players_share_a_page(visit, samples):
    page = visit(embedded(player(samples.square()), player(samples.mlp())))
    first, second = page.locator(".gg-player").all()
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(set(ids)) == len(ids)
    second.get_by_role("button", name="Step", exact=True).click()
    page.keyboard.press("ArrowRight")
    assert second.locator(".gg-count").inner_text() == "2 / 33"
    assert first.locator(".gg-count").inner_text() == "0 / 12"
    assert "#" not in page.url


STANDS_STILL = """
new Promise((done) => {
  let last = 0;
  (function look() {
    if (scrollY && scrollY === last) return done();
    last = scrollY;
    return setTimeout(look, 100);
  })();
})
"""  # the page has scrolled, and scrolls no more


def test_the_only_player_of_a_page_hears_arrows_without_a_click_and_leaves_the_page_its_own_keys(
    visit, samples
):
    page = visit(embedded(player(samples.square())))
    root = page.locator(".gg-player")  # a notebook that swallows keys is told not to
    assert root.get_attribute("data-lm-suppress-shortcuts") == "true"
    counts = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home", "/", " ", "n"):
        page.keyboard.press(key)
        counts.append(page.locator(".gg-count").inner_text())
    assert counts == [f"{k} / 12" for k in (1, 2, 1, 1, 1, 1, 1, 1)]
    assert page.locator(".gg-search").is_hidden()
    page.set_viewport_size({"width": 1400, "height": 300})  # now the page can scroll
    page.evaluate("scrollTo(0, 0)")
    stage = page.locator(".gg-stage").bounding_box()
    size = "document.querySelector('.gg-stage svg').getBoundingClientRect().width"
    before = page.evaluate(size)
    page.mouse.move(stage["x"] + 80, stage["y"] + 20)
    page.mouse.wheel(0, 120)
    page.evaluate(STANDS_STILL)
    assert page.evaluate(size) == before  # the wheel is the page's
    # As a key and a wheel they may come in either order on a busy machine.
    pinch = {"deltaY": -100, "ctrlKey": True, "cancelable": True}
    page.locator(".gg-stage").dispatch_event("wheel", pinch)
    assert page.evaluate(size) > before


def test_two_equal_players_do_not_mix(visit, samples):
    page = visit(embedded(player(samples.square()), player(samples.square())))
    first, second = page.locator(".gg-player").all()
    second.locator(".gg-log button").last.click()
    assert first.locator(".vertex.done[id]").count() == 0
    assert second.locator(".vertex.done[id]").count() >= 3


def test_an_embedded_player_is_as_wide_as_its_place_and_no_higher_than_it_needs(visit, samples):
    page = visit(embedded(player(samples.mlp())))
    box = page.locator(".gg-player").bounding_box()
    assert box["width"] == 700
    assert box["height"] < 1500
    panel, stage = (page.locator(name).bounding_box() for name in (".gg-panel", ".gg-stage"))
    assert panel["y"] > stage["y"]  # stacked: its own width counts, not the window's


def test_the_style_of_the_page_does_not_reach_into_it_nor_its_own_out_of_it(visit, samples):
    page = visit(embedded(player(samples.square())))
    look = "each => [getComputedStyle(each).borderTopWidth, getComputedStyle(each).fontSize]"
    assert page.locator(".gg-first").evaluate(look)[0] == "1px"
    assert page.locator(".gg-player h2").evaluate(look)[1] == "20px"
    margin = "each => getComputedStyle(each).marginLeft"
    assert page.locator(".gg-log li").first.evaluate(margin) == "0px"
    # Nor is a rule of its own about the rest of the page.
    margin = page.locator("article > p").first.evaluate("each => getComputedStyle(each).margin")
    assert margin == "32px"


@pytest.mark.parametrize(("light", "ground"), [("true", (255, 255, 255)), ("false", (13, 17, 23))])
def test_the_recorded_player_has_the_theme_of_its_notebook(light, ground, visit, samples):
    html = player(samples.square(), mode="debug")._repr_mimebundle_()["text/html"]
    # A scheme that Playwright sets holds in every frame: this one is the browser's own, light.
    page = visit(f'<body data-jp-theme-light="{light}">{html}</body>', scheme="null")
    frame = page.frame_locator("iframe").locator(".gg-player")
    frame.get_by_text("0 / 12").wait_for()
    assert frame.evaluate("each => getComputedStyle(each).backgroundColor") == f"rgb{ground}"


def test_widths_do_not_depend_on_the_letters_of_the_page_around():
    assert not re.search(r"\drem\b", styles())


def test_the_choice_of_nodes_covers_no_heading(play, samples):
    shown = play(player(samples.mlp()))
    shown.page.get_by_label("Show node").select_option("n1")
    assert shown.section("node").locator("h3").inner_text() == "Chosen node"
    for width in (320, 400, 760, 1400):
        shown.page.set_viewport_size({"width": width, "height": 900})
        heading = shown.section("node").locator("h3").bounding_box()
        picker = shown.page.get_by_label("Show node").bounding_box()
        words = shown.page.evaluate(
            """() => {
              const range = document.createRange();
              range.selectNodeContents(document.querySelector(".gg-sec-node h3"));
              return range.getBoundingClientRect().right;
            }"""
        )
        assert heading["x"] < words <= picker["x"], width


def test_a_gradient_that_is_given_out_is_there_though_none_is_added(play, samples):
    trace = samples.square()
    (leaf,) = trace.leaves
    events = [event for event in trace.events if event["type"] != "accumulate"]
    graph = {**trace.graph, "wanted": [leaf["acc"]]}
    shown = play(player(Trace(graph, trace.arrays, events)))
    words = shown.section("tensors").inner_text()
    assert re.search(r"value\s+\[1, 2\]\s+gradient\s+none yet", words)
    shown.press("End")
    words = shown.section("tensors").inner_text()
    assert re.search(r"gradient\s+\[2, 4\]", words)
    assert ".grad" not in words
    assert "done" in shown.classes(leaf["id"])
