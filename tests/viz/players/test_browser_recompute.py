"""What a page shows of checkpoints: what runs again, what is in memory, the pass inside."""

import re

import pytest

import glassgrad as gg
from glassgrad.utils.checkpoint import checkpoint
from glassgrad.viz import player

LOOK = """() => {
  const named = (name) =>
    [...document.querySelectorAll(`.gg-stage .${name}`)].map((each) => each.id.slice(3)).sort();
  return [
    document.querySelector(".gg-memory strong").textContent.split(" of ")[0],
    ...["vertex.again", "saved.absent", "saved.freed"].map((each) => named(each).join(" ")),
    document.querySelector(".gg-said").textContent,
  ];
}"""


def block(x, w):
    h = gg.tanh(x * w)
    return (h * h).exp()


def page_of(*, use_reentrant):
    x, w = (gg.tensor(values, requires_grad=True) for values in ([1.0, 2.0], [0.5, 0.2]))
    x.name, w.name = "x", "w"
    return player(gg.record(checkpoint(block, x.sin(), w, use_reentrant=use_reentrant).sum()))


def test_a_lesson_stops_where_a_checkpoint_runs_again(play):
    shown = play(page_of(use_reentrant=False), mode="lesson")
    seen = shown.walk("ArrowRight", 9, LOOK)
    held, again, absent, freed, said = map(list, zip(*seen, strict=True))
    assert held == ["8 B", "8 B", "24 B", "16 B", "16 B", "8 B", "0 B", "0 B", "0 B", "0 B"]
    assert [*filter(None, again)] == ["n3 n4 n5 n6"]
    assert absent == ["s3 s4", "s3 s4", *[""] * 8]
    assert freed == ["", "", "", "s4", "s4", "s3 s4", *["s1 s3 s4"] * 4]
    why = r"The checkpoint of line \d+ runs again: mul, tanh, mul, exp \(4 nodes, 16 B\), because "
    assert re.fullmatch(f"{why}exp needs its result.", said[2])
    assert said[3].startswith("exp (line ")
    page = shown.page
    assert shown.count == "9 / 9"
    assert page.locator(".gg-time").is_visible()
    assert page.get_by_text("checkpoint of line").count() >= 1
    shown.press("ArrowLeft", *["ArrowLeft"] * 8)
    assert shown.walk("ArrowRight", 9, LOOK) == seen  # back is as on


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_the_pass_inside_is_opened_and_left_by_keys(play, size):
    shown = play(page_of(use_reentrant=True), mode="lesson")
    page = shown.page
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    assert not shown.button("Open the pass inside").count()
    shown.press("ArrowRight", "ArrowRight")
    assert page.locator(".gg-memory strong").inner_text() == "24 B of 24 B"
    shown.button("Open the pass inside").focus()
    shown.press("Enter")
    inside = page.locator(".gg-player").nth(1)
    inside.locator(".gg-bar").wait_for()
    assert not page.locator(".gg-player").first.is_visible()
    assert inside.locator("h2").inner_text() == "The pass inside of the checkpoint"
    shown.press("ArrowRight", "ArrowRight")
    assert inside.locator(".gg-count").inner_text() == "2 / 6"
    assert inside.locator(".gg-said").inner_text().startswith("mul #2 (line ")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    shown.press("Escape")
    assert page.locator(".gg-player").count() == 1
    assert shown.count == "2 / 6"
    assert shown.button("Open the pass inside").evaluate("each => each === document.activeElement")
    shown.press("ArrowRight")
    assert page.locator(".gg-memory strong").inner_text() == "0 B of 24 B"


def test_the_widget_gets_the_pass_inside_when_it_has_run():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = checkpoint(block, x.sin(), x, use_reentrant=True).sum()
    told = []
    with gg.step(y) as session:
        live = player(session)
        live.connect(told.append)
        live.receive({"do": "hello", "view": "a"})
        live.receive({"do": "next"})
        assert told[-1]["inside"] == {}
        live.receive({"do": "next"})
        ((key, html),) = told[-1]["inside"].items()
        assert key in {event.get("pass") for event in told[-1]["events"]}
        assert html.startswith('<section class="gg gg-player"')
        live.receive({"do": "next"})
        assert told[-1]["inside"] == {}  # nothing new
