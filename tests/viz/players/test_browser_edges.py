"""The player at the edges: odd logs and addresses, and where the focus goes when it paints."""

import glassgrad as gg
from glassgrad.tracing import Trace, watching
from glassgrad.viz import player

FOCUSED = "document.activeElement.textContent || document.activeElement.className"


def failed_at_once(trace):
    """A pass that failed before any node began, as by a gradient of the wrong shape."""
    error = {"k": 0, "type": "error", "error": "ShapeError", "message": "a <b>wrong</b> seed"}
    return Trace(trace.graph, trace.arrays, [error])


def test_a_pass_that_failed_before_its_first_node_says_why(play, samples):
    shown = play(player(failed_at_once(samples.square())))
    shown.press("End")
    assert shown.said == "The pass ends with ShapeError: a <b>wrong</b> seed"
    assert "gg-failed" in shown.page.locator(".gg-now").get_attribute("class")
    assert shown.page.locator(".vertex.error").is_visible()
    shown.press("Home", "r", "b", "ArrowLeft")
    assert shown.count == "0 / 1"


def test_a_graph_of_nothing_can_be_opened(play):
    shown = play(player(Trace({"nodes": [], "leaves": []})))
    shown.press("ArrowRight", " ", "End", "r", "b", "h", "ArrowLeft", "Home")
    assert shown.count == "0 / 0"
    assert shown.button("Play").is_visible()


def goes(shown, address, count):
    """To another address in the page that is open, from a step in the middle."""
    shown.page.locator(".gg-scrub").fill("7")
    shown.page.evaluate("address => { location.hash = address; }", address)
    shown.page.get_by_text(count, exact=True).wait_for()


def test_an_address_behind_the_end_is_the_end(play, samples):
    shown = play(player(samples.square()), fragment="#99")
    assert shown.count == "12 / 12"
    goes(shown, "#" + "9" * 400, "12 / 12")


def test_an_address_that_is_no_number_is_the_beginning(play, samples):
    shown = play(player(samples.square()), fragment="#-1")
    assert shown.count == "0 / 12"
    for address in ("#1e1", "#NaN", "#x", "#<b>", "#%3Cscript%3E", "#1.5"):
        goes(shown, address, "0 / 12")


def test_a_button_keeps_the_focus_when_its_panel_is_painted_anew(play, samples):
    shown = play(player(samples.neuron()), fragment="#5")
    shown.button("Break here").focus()
    shown.press("Enter")
    assert shown.page.evaluate(FOCUSED) == "Remove breakpoint"
    shown.press("Enter", "ArrowRight")
    assert shown.page.evaluate(FOCUSED) == "Break here"
    assert shown.count == "6 / 22"


def test_the_choice_of_nodes_keeps_the_focus(play, samples):
    shown = play(player(samples.neuron()))
    shown.page.get_by_label("Show node").focus()
    shown.press("ArrowDown", "ArrowDown")
    assert shown.page.evaluate("document.activeElement.value") == "n1"


def test_a_line_of_the_log_leaves_the_focus_in_the_player(play, samples):
    shown = play(player(samples.neuron()))
    shown.page.locator(".gg-log button").nth(2).click()
    assert shown.said.endswith(shown.page.evaluate(FOCUSED))
    shown.press("ArrowRight")
    assert shown.count == "4 / 22"


def test_a_breakpoint_that_is_removed_leaves_the_focus_in_the_player(play, samples):
    shown = play(player(samples.neuron()), fragment="#5")
    shown.press("b")
    shown.page.get_by_role("button", name="Remove breakpoint:").press("Enter")
    assert "gg-player" in shown.page.evaluate("document.activeElement.className")


def test_a_key_held_down_switches_once(play, samples):
    shown = play(player(samples.neuron()), fragment="#5")
    shown.page.keyboard.down("h")
    shown.page.keyboard.down("h")  # what a keyboard sends while the key is held
    assert shown.page.get_by_label("heat").is_checked()
    shown.page.keyboard.up("h")
    shown.page.keyboard.down("ArrowRight")
    shown.page.keyboard.down("ArrowRight")
    assert shown.count == "7 / 22"


def test_nothing_waits_at_the_end_of_a_pass_that_gives_its_gradients_out(play):
    w = gg.tensor([1.0, 2.0], requires_grad=True)
    with watching() as passes:
        gg.autograd.grad((w * w).sum(), w)
    shown = play(player(next(iter(passes))))
    shown.press("End")
    assert "empty" in shown.section("queue").inner_text()
    assert "[2, 4]" in shown.section("tensors").inner_text()
    assert "done" in shown.classes("n0")
