"""Heat, and what went wrong, in the drawing."""

import re

import numpy as np
import pytest

import glassgrad as gg
from glassgrad.tracing import Trace, record, snapshot
from glassgrad.viz import player
from glassgrad.viz.results import Results
from glassgrad.viz.style import COLOURS


def flow_classes(shown):
    """The step of the ramp that each arc wears."""
    found = shown.page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.gg-stage .arc[id]')]"
        ".map(each => [each.id.slice(3), each.getAttribute('class')]))"
    )
    steps = {name: re.search(r"flow-(\w+)", classes) for name, classes in found.items()}
    return {name: step[1] for name, step in steps.items() if step}


def test_h_shows_how_much_gradient_went_along_each_edge_and_a_legend_the_range(play, samples):
    trace = samples.neuron()
    shown = play(player(trace))
    assert shown.page.locator(".gg-heat").count() == 0
    shown.press("End")
    assert flow_classes(shown) == {}
    shown.press("h")
    drawn = set(flow_classes(shown))
    assert flow_classes(shown) == {a: f for a, f in Results(trace).flows()[0].items() if a in drawn}
    assert len(drawn) >= 8
    top = shown.page.locator(".gg-stage .flow-5 > .line").first
    for scheme in ("light", "dark"):  # more is wider, and has the colour of the ramp
        shown.page.emulate_media(color_scheme=scheme)
        look = top.evaluate(
            "each => [getComputedStyle(each).strokeWidth, getComputedStyle(each).stroke]"
        )
        red, green, blue = (int(COLOURS[scheme]["flow-5"][at : at + 2], 16) for at in (1, 3, 5))
        assert look == ["6.2px", f"rgb({red}, {green}, {blue})"]
    shown.press("h")
    assert flow_classes(shown) == {}
    shown.press("Home")
    shown.page.get_by_label("heat").check()
    legend = shown.page.locator(".gg-heat")
    assert "so far" in legend.inner_text()
    assert "nothing yet" in legend.inner_text()
    shown.press("End")
    words = legend.inner_text()
    assert re.search(r"[\d.e-]+ to [\d.e-]+, logarithmic; dotted: zero; red dashes: nan", words)


def test_what_backward_was_given_is_in_the_range_as_in_a_drawing(play):
    x = gg.tensor(2.0, requires_grad=True)
    trace = gg.record(x * 1e-3)  # nothing but that gradient is as large as 1
    shown = play(player(trace))
    shown.press("End", "h")
    assert flow_classes(shown) == Results(trace).flows()[0] == {"r1": "5", "e1-0": "0", "e0-0": "0"}
    assert "0.001 to 1," in shown.page.locator(".gg-heat").inner_text().replace("1.0e-3", "0.001")


def test_heat_grows_with_the_steps(play, samples):
    trace = samples.neuron()
    shown = play(player(trace))
    shown.press("h")
    wearing = """() => document.querySelectorAll(".gg-stage .arc[id][class*=flow-]").length"""
    counts = shown.walk("ArrowRight", len(trace.events), wearing)
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]


HEAD = """each => {
  const box = each.querySelector(".tip").getBoundingClientRect();
  const width = getComputedStyle(each.querySelector(".line")).strokeWidth;
  return [box.right, Math.min(box.height, box.width), parseFloat(width)];
}"""


def test_an_arrows_head_grows_with_its_line_and_points_where_it_did(play):
    x = gg.tensor(2.0, requires_grad=True)
    trace = gg.record((x * 1e-3).exp() * 1e-3)  # a row: all arrows point to the right
    shown = play(player(trace))
    shown.press("End")
    arc = shown.page.locator(".gg-stage [id^=gg-r]")
    point, before, _ = arc.evaluate(HEAD)
    shown.press("h")
    after, head, line = arc.evaluate(HEAD)
    assert after == pytest.approx(point, abs=0.2)
    assert head > before > line / 2
    assert head > 1.5 * line


def test_no_label_lies_on_its_arrow_when_that_is_wide(play):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = gg.tensor([3.0, 4.0], requires_grad=True)
    shown = play(player(gg.record((x * 2 * y).sum())))
    shown.press("End", "h")
    crossed = shown.page.evaluate(
        """() => [...document.querySelectorAll(".gg-stage .label")].filter((label) => {
          const box = label.getBBox();
          return [...document.querySelectorAll(".gg-stage .line")].some((line) => {
            const reach = parseFloat(getComputedStyle(line).strokeWidth) / 2;
            const length = line.getTotalLength();
            return Array.from({ length: 100 }, (_, at) => line.getPointAtLength(length * at / 99))
              .some(({ x, y }) => x > box.x - reach + 1 && x < box.x + box.width + reach - 1
                && y > box.y + 3 - reach && y < box.y + box.height - 3 + reach);
          });
        }).map((label) => label.textContent)"""
    )
    assert shown.page.locator(".gg-stage .label").count() >= 2
    assert crossed == []


def test_zero_is_dotted_and_nan_is_red(play):
    x = gg.tensor([4.0, 0.0], requires_grad=True)
    y = gg.tensor([1.0, 2.0], requires_grad=True)
    with np.errstate(all="ignore"):
        shown = play(player((x.sqrt() * 0.0 + y).sum()))
    shown.press("End", "h")
    dashes = "each => getComputedStyle(each).strokeDasharray"
    assert shown.page.locator(".gg-stage .flow-zero > .line").first.evaluate(dashes) == "1.5px, 4px"
    assert "nan" in flow_classes(shown).values()


# --- what went wrong ---


def stale():
    """A pass that fails: what exp saved was written."""
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = "x"
    y = x.exp()
    loss = (y * 3).sum()
    with gg.no_grad():
        y += 1
    return loss


def test_a_pass_that_fails_shows_how_far_it_came(play):
    shown_player = player(stale())
    assert "failed: " in repr(shown_player)
    shown = play(shown_player)
    shown.press("End")
    assert "is at version 1; expected version 0" in shown.said
    assert shown.said.startswith("The pass ends at ExpBackward0")
    assert "bad" in shown.classes("n1")
    assert shown.page.locator("#gg-n1 .fault").text_content() == "v1≠v0"
    assert "saved at v0, now v1: stale" in shown.section("node").inner_text()
    assert shown.page.locator(".gg-phases li").all_inner_texts()[-1] == "error"
    # The tie, what it leads to and the edge of the failure are marked.
    assert "bad" in shown.classes("d1-0")
    assert shown.page.locator("#gg-d1-0 .fault").count() == 0
    note = shown.page.locator(".gg-stage .vertex.saved.bad")
    assert note.locator(".badge-text").text_content() == "v1≠v0"
    assert "bad" in shown.classes("e2-0")


def test_the_tie_to_a_leaf_says_itself_that_it_is_stale(play):
    x, b = (gg.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    loss = (x * b).sum()
    with gg.no_grad():
        b.mul_(2)
    shown = play(player(loss))
    shown.press("End")
    assert shown.page.locator(".arc text.fault").all_text_contents() == ["v1≠v0"]
    assert shown.page.locator(".gg-stage .vertex.bad").count() == 1


def test_two_ties_to_one_note_have_its_one_badge(play):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    a = x * 1.0
    loss = (a * a).sum()
    with gg.no_grad():
        a.add_(1)
    shown = play(player(loss))
    shown.press("End")
    assert shown.page.locator(".arc.bad .tie").count() == 2
    assert shown.page.locator("text.fault").count() == 0
    note = shown.page.locator(".gg-stage .vertex.saved.bad .badge-text")
    assert note.all_text_contents() == ["v1≠v0"]


def test_a_failure_is_not_told_before_it_happens(play, samples):
    trace = samples.square()
    failed = {"k": 6, "type": "error", "node": "n1", "error": "ValueError", "message": "too bad"}
    shown = play(player(Trace(trace.graph, trace.arrays, [*trace.events[:6], failed])))
    assert "bad" not in shown.classes("n1")
    legend, ending = shown.section("legend"), "the pass ended here"
    shown.page.get_by_label("Show node").select_option("n1")
    assert "error" not in shown.page.locator(".gg-phases li").all_inner_texts()
    assert ending not in legend.inner_text()
    shown.press("End")
    assert ending in legend.inner_text()
    assert shown.page.locator(".gg-phases li").all_inner_texts()[-1] == "error"
    assert shown.said == "The pass ends at MulBackward0 with ValueError: too bad"
    assert shown.page.locator("#gg-n1 .fault").text_content() == "error"
    assert "current" in shown.classes("n1")
    shown.press("ArrowLeft")
    assert "bad" not in shown.classes("n1")
    assert shown.page.locator(".fault").count() == 0


def test_a_node_that_makes_nan_is_marked_when_it_does(play):
    x = gg.tensor([4.0, 0.0], requires_grad=True)
    with np.errstate(all="ignore"):
        shown = play(player((x.sqrt() * 0.0).sum()))
    assert shown.page.locator(".gg-stage .vertex.bad").count() == 0
    shown.press("End")
    assert shown.page.locator(".gg-stage .vertex.bad").get_attribute("id") == "gg-n1"
    assert shown.page.locator("#gg-n1 .fault").text_content() == "NaN"


def test_what_is_stale_is_known_before_the_pass(play):
    loss = stale()
    trace = snapshot(loss)
    if not any("now" in saved for node in trace.nodes for saved in node.get("saved", ())):
        pytest.fail("a snapshot does not tell at which version memory is now")
    shown = play(player(trace))
    assert shown.page.locator("#gg-n1 .fault").text_content() == "v1≠v0"


def test_recording_still_raises():
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        record(stale())
