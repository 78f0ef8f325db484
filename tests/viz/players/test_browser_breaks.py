"""Breakpoints that are set in the page, and looked for in the log."""

import math

import glassgrad as gg
from glassgrad.viz import player


def network():
    """Two scopes, two named leaves, a hook, and a nan on the way back."""
    x = gg.tensor([4.0, 0.0], requires_grad=True)
    w = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name, w.name = "x", "w"
    with gg.scope("encoder"):
        y = x.sqrt() * w
    with gg.scope("decoder"):
        loss = (y * 0.0 * 5.0).sum()
    loss.name = "loss"

    def spy(grad):
        return None

    y.register_hook(spy)
    return loss


def add(shown, what, value=None):
    """Fill in the form."""
    shown.page.get_by_label("What to stop at").select_option(what)
    if value is not None:
        field = shown.page.locator(".gg-slot > *")
        field.fill(value) if what == "norm" else field.select_option(value)
    shown.button("Add").click()


def run(shown):
    """Run on; the node that is next, by its id."""
    shown.button("Run to the next breakpoint").click()
    return shown.note


def test_a_run_stops_before_what_was_asked_for_and_where_nan_comes_out_of_numbers(play):
    shown = play(shown_player := player(network()))
    for what, value, words, upcoming in [
        ("node", "n3", "node n3", "n3"),
        ("op", "SqrtBackward0", "op SqrtBackward0", "n1"),
        ("tensor", "t0", "tensor x (t0)", "t0"),
        ("scope", "encoder", "scope encoder", "n3"),
        ("hook", "h1", "hook h1 spy", "h1"),
        ("norm", "3", "‖gradient‖ > 3", "n4"),
    ]:
        add(shown, what, value)
        assert words in shown.section("breaks").inner_text()
        assert words in run(shown)
        at = int(shown.count.split(" / ")[0])
        event = shown_player.trace.events[at]
        assert at > 0
        assert upcoming in (event.get("node"), event.get("tensor"), event.get("hook"))
        shown.page.get_by_role("button", name="Remove breakpoint: ").click()
        shown.press("Home")
    add(shown, "nan")
    assert run(shown) == "Stopped at the breakpoint: nan or inf."
    event = shown_player.trace.events[int(shown.count.split(" / ")[0]) - 1]
    assert event["type"] == "apply"
    assert event["node"] == "n1"
    assert math.isnan(float(shown_player.trace.arrays[event["grad_out"][0]]["head"][1]))


def test_b_sets_a_breakpoint_on_the_node_shown_and_takes_it_away(play, samples):
    shown = play(player(samples.square()))
    shown.page.locator("#gg-n1").click()
    shown.press("b")
    assert "bp" in shown.classes("n1")
    assert shown.page.locator("#gg-n1 .stop").is_visible()
    assert "node n1 MulBackward0" in shown.section("breaks").inner_text()
    shown.press("b")
    assert "bp" not in shown.classes("n1")
    assert "none: choose a node" in shown.section("breaks").inner_text()


def test_the_mark_is_a_shape_and_not_a_colour_alone(play, samples):
    shown = play(player(samples.square()), fragment="#1")
    shown.press("ArrowRight", "b")
    mark = shown.page.locator(".bp .stop")
    assert mark.first.is_visible()
    assert mark.first.locator("path").count() == 2  # an octagon with two bars


def test_the_same_breakpoint_is_set_once_and_removed_from_the_list(play, samples):
    shown = play(player(samples.square()))
    add(shown, "op", "MulBackward0")
    add(shown, "op", "MulBackward0")
    assert shown.section("breaks").locator("li").count() == 1
    shown.button("Remove breakpoint: op MulBackward0").click()
    run(shown)
    assert shown.count == "12 / 12"


def test_r_runs_and_says_so_when_nothing_is_met(play, samples):
    shown = play(player(samples.square()), fragment="#8")
    add(shown, "op", "MulBackward0")
    shown.page.locator(".gg-head").click()
    shown.press("r")
    assert shown.count == "12 / 12"
    assert shown.note == "No breakpoint was met on the way to the end."


def test_a_run_goes_to_the_chosen_node(play, samples):
    shown = play(player(samples.square()))
    shown.page.locator("#gg-n0").click()
    shown.button("Run to here").click()
    assert shown.count == "11 / 12"
    shown.press("End")
    shown.page.locator("#gg-n2").click()
    shown.button("Run to here").click()  # it lies behind: the run starts over
    assert shown.count == "1 / 12"


def test_the_button_of_the_panel_does_what_b_does(play, samples):
    shown = play(player(samples.square()))
    shown.page.locator("#gg-n1").click()
    shown.button("Break here").click()
    assert "bp" in shown.classes("n1")
    shown.button("Remove breakpoint").click()
    assert "bp" not in shown.classes("n1")


def test_a_norm_that_is_no_number_is_no_breakpoint(play, samples):
    shown = play(player(samples.square()))
    shown.page.get_by_label("What to stop at").select_option("norm")
    for value in ("", "0", "-1"):
        shown.page.locator(".gg-slot input").evaluate(
            "(field, value) => { field.value = value; }", value
        )
        shown.section("breaks").locator("form").evaluate("form => form.requestSubmit()")
        assert shown.section("breaks").locator(".gg-small").all_inner_texts() == ["Add"]
