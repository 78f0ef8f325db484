"""The player that drives a paused pass: what it sends, and what it does with the answers."""

import json

import pytest

from glassgrad.tracing import Trace
from glassgrad.viz import player
from glassgrad.viz.players.assets import script, styles

FAKE = """
window.sent = [];
const live = {
  ...OPTIONS,
  send: (message) => {
    window.sent.push(message);
    document.body.dataset.sent = Number(document.body.dataset.sent ?? 0) + 1;
  },
};
const player = await mount(document.querySelector(".gg-player"), { keys: document, live });
window.hear = (message) => player.hear(message);
"""


class Live:
    """A page whose player talks to nobody, and a trace to answer with."""

    def __init__(self, page, data):
        self.page, self.data = page, data

    @property
    def sent(self):
        return self.page.evaluate("window.sent.splice(0)")

    def hear(self, **message):
        self.page.evaluate("message => window.hear(message)", message)

    def update(self, start, end, **extra):
        """What Python says when events `start` to `end` have happened."""
        fresh = {key: self.data[key][start:end] for key in ("events", "said")}
        known = {key: self.data[key] for key in ("arrays", "norms")}
        also = {"stopped": None, "over": False, "error": None} | extra
        self.hear(type="update", **{"from": start}, **fresh, **known, **also)

    @property
    def count(self):
        return self.page.locator(".gg-count").inner_text()

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)


@pytest.fixture
def live(visit, samples):
    def open_live(trace=None, **options):
        trace = trace or samples.square()
        begun = player(Trace(trace.graph, trace.arrays, []))
        code = FAKE.replace("OPTIONS", json.dumps(options))
        page = visit(
            f"<!DOCTYPE html><meta charset=utf-8><style>{styles()}</style>{begun.fragment('gg-')}"
            f'<script type="module">{script()}\n{code}</script>'
        )
        return Live(page, player(trace).data())

    return open_live


def test_keys_and_buttons_drive_the_engine(live):
    shown = live()
    for key in ["ArrowRight", "ArrowLeft", "End", "Home"]:
        shown.page.keyboard.press(key)
    assert shown.sent == [{"do": name} for name in ("next", "back", "run", "restart")]
    for name in ["Step", "Back", "To the end", "To the beginning", "Run to the next breakpoint"]:
        shown.button(name).click()
    assert shown.sent == [{"do": name} for name in ("next", "back", "run", "restart", "run")]
    assert shown.count == "0 / 0"  # nothing moves before the engine has


def test_an_update_adds_events_and_goes_to_the_end(live):
    shown = live()
    shown.update(0, 4)
    assert shown.count == "4 / 4"
    shown.update(4, 9)
    assert shown.count == "9 / 9"
    assert "current" in shown.page.locator("#gg-n1").get_attribute("class")
    assert shown.page.locator(".gg-log li").count() == 9


def test_an_update_takes_events_back(live):
    shown = live()
    shown.update(0, 9)
    shown.update(4, 4)
    assert shown.count == "4 / 4"
    assert "current" in shown.page.locator("#gg-n2").get_attribute("class")


def test_looking_back_does_not_move_the_engine(live):
    shown = live()
    shown.update(0, 9)
    shown.page.locator(".gg-log button").nth(2).click()
    assert shown.count == "3 / 9"
    assert shown.sent == []
    assert "the pass itself stands after event 9" in shown.page.locator(".gg-note").inner_text()
    shown.button("Back to now").click()
    assert shown.count == "9 / 9"
    shown.page.locator(".gg-scrub").fill("5")
    assert shown.count == "5 / 9"
    assert shown.sent == []


def test_it_says_why_the_engine_stopped(live):
    shown = live()
    shown.update(0, 4, stopped="before each MulBackward0")
    note = shown.page.locator(".gg-note")
    assert note.inner_text() == "Stopped before each MulBackward0."
    shown.update(4, 12, over=True)
    assert note.inner_text() == "The pass is over."
    shown.update(12, 12, error="GraphError: next() after the end")
    assert note.inner_text() == "GraphError: next() after the end"
    assert "gg-failed" in shown.page.locator(".gg-now").get_attribute("class")


def test_a_session_that_was_closed_is_replayed(live):
    shown = live(noWayBack="PyTorch's pass cannot be stepped back.")
    why = "In Python this session was closed, before its last node."
    shown.update(0, 9, over=True, closed=why, stopped="where the session was closed")
    note = shown.page.locator(".gg-note").inner_text()
    assert note.endswith(f"{why} What has happened can be replayed here.")
    assert "\n" not in note
    shown.page.get_by_label("Step size").select_option("micro")
    shown.button("Back").click()
    assert shown.count == "8 / 9"
    shown.page.keyboard.press("Home")
    shown.button("Step").click()
    shown.page.locator("#gg-n1").click()
    assert shown.count == "1 / 9"
    shown.button("To the end").click()
    assert shown.count == "9 / 9"
    assert shown.sent == []


def test_a_python_that_is_gone_leaves_the_replay(live):
    shown = live()
    shown.update(0, 4)
    shown.page.evaluate("() => { window.sent.push = () => { throw new Error('gone'); }; }")
    shown.page.keyboard.press("ArrowRight")
    assert "Python does not answer any more." in shown.page.locator(".gg-note").inner_text()
    shown.page.keyboard.press("Home")
    assert shown.count == "0 / 4"


def test_breakpoints_are_python_s(live):
    shown = live()
    shown.page.get_by_label("What to stop at").select_option("op")
    shown.page.locator(".gg-slot select").select_option("MulBackward0")
    shown.button("Add").click()
    assert shown.sent == [{"do": "break", "what": "op", "value": "MulBackward0"}]
    assert shown.page.locator(".gg-points .gg-small").count() == 0  # it is not set yet
    shown.hear(type="breakpoints", list=[{"id": 7, "words": "before each MulBackward0"}])
    shown.button("Remove breakpoint: before each MulBackward0").click()
    assert shown.sent == [{"do": "unbreak", "id": 7}]


def test_the_choices_of_a_breakpoint_grow_with_the_graph(live):
    shown = live()
    what, which = shown.page.get_by_label("What to stop at"), shown.page.locator(".gg-slot select")
    known = which.locator("option").all_inner_texts()
    which.select_option("n1")
    which.focus()
    node = {"op": "TanhBackward0", "name": "TanhBackward0", "about": [], "edges": []}
    shown.update(0, 4, nodes={"n3": node})
    assert which.locator("option").all_inner_texts() == [*known, "n3 TanhBackward0"]
    assert which.input_value() == "n1"  # what was chosen stays so
    assert which.evaluate("each => each === document.activeElement")
    picker = shown.page.get_by_label("Show node").locator("option")
    assert picker.last.inner_text() == "n3 TanhBackward0"
    what.select_option("tensor")
    tensors = {key: with_a_name(shown.data[key]) for key in ("leaves", "tensors")}
    shown.update(4, 8, **tensors)
    assert "a named later (t0)" in which.locator("option").all_inner_texts()


def with_a_name(tensors):
    """The same tensors after t0 has got a name."""
    return [each | {"name": "a named later"} if each["id"] == "t0" else each for each in tensors]


@pytest.mark.parametrize(
    ("what", "value"),
    [("node", "n1"), ("tensor", "a"), ("nan", True), ("norm", 2.5)],
)
def test_each_kind_of_breakpoint_is_asked_for(what, value, live):
    shown = live()
    shown.page.get_by_label("What to stop at").select_option(what)
    field = shown.page.locator(".gg-slot > *")
    if what == "norm":
        field.fill("2.5")
    elif what != "nan":
        field.select_option("t0" if what == "tensor" else value)
    shown.button("Add").click()
    assert shown.sent == [{"do": "break", "what": what, "value": value}]


def test_the_size_of_a_step_is_told(live):
    shown = live(granularity="hook")
    assert shown.page.get_by_label("Step size").input_value() == "hook"
    shown.page.get_by_label("Step size").select_option("micro")
    assert shown.sent == [{"do": "granularity", "value": "micro"}]


def test_a_click_asks_for_an_explanation_and_shows_it(live):
    shown = live()
    shown.page.locator("#gg-n1").click()
    assert shown.sent == [{"do": "select", "node": "n1"}]
    rows = [["check", "edge 0", "✓ agrees"]]
    entry = {"words": "z = x·y", "formulas": [], "rows": rows, "ok": True}
    shown.hear(type="explained", node="n1", explain=entry)
    node = shown.page.locator(".gg-sec-node").inner_text()
    assert "✓ rule checked" in node
    assert "✓ agrees" in node
    shown.page.locator("#gg-n1").click()
    assert shown.sent == [{"do": "select", "node": None}]


def test_the_engine_runs_to_the_chosen_node(live):
    shown = live()
    shown.page.locator("#gg-n0").click()
    shown.button("Run to here").click()
    assert shown.sent[-1] == {"do": "until", "node": "n0"}


def test_where_there_is_no_way_back_the_buttons_say_so(live):
    shown = live(noWayBack="PyTorch's pass cannot be stepped back.")
    assert shown.button("Back").is_disabled()
    assert shown.button("To the beginning").is_disabled()
    shown.page.keyboard.press("ArrowLeft")
    assert shown.sent == []
    assert shown.page.locator(".gg-note").inner_text() == "PyTorch's pass cannot be stepped back."


def test_playing_waits_for_each_answer(live):
    shown = live()
    shown.page.get_by_label("Speed").select_option("180")
    shown.button("Play").click()
    shown.page.locator("body[data-sent='1']").wait_for()
    shown.page.wait_for_timeout(600)
    assert shown.sent == [{"do": "next"}]
    shown.update(0, 4)
    shown.page.locator("body[data-sent='2']").wait_for()
    shown.update(4, 12, over=True)
    assert shown.page.locator(".gg-play").get_attribute("aria-label") == "Play"


def test_the_address_is_not_the_player_s(live):
    shown = live()
    before = shown.page.url
    shown.update(0, 9)
    assert shown.page.url == before


def test_what_python_says_is_text(live):
    shown = live()
    bad = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    shown.update(0, 4, error=bad)
    shown.hear(type="breakpoints", list=[{"id": 1, "words": bad}])
    entry = {"words": bad, "formulas": [bad], "rows": [[bad, bad, bad]], "ok": False}
    shown.hear(type="explained", node="n2", explain=entry)
    assert shown.page.locator(".gg-note").inner_text() == bad
    assert bad in shown.page.locator(".gg-points").inner_text()
    assert shown.page.locator("img").count() == 0
    assert shown.page.locator("script").count() == 2
