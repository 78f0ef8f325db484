"""The live player in a real JupyterLab and a real Notebook 7: its buttons drive the real engine."""

import re

import pytest


@pytest.fixture(scope="module")
def kernel(frontend, page):
    with frontend.kernel(page) as kernel:
        yield kernel


@pytest.fixture
def widget(page, kernel):
    """The player of `s`, at its beginning."""
    kernel.run("s.breakpoints.clear(); player.receive({'do': 'restart'})")
    found = page.locator(".gg-widget").first
    is_at(found, "1 / 1")
    found.locator(".gg-points li", has_text="none").wait_for()
    return found


def is_at(widget, count):
    widget.get_by_text(count, exact=True).wait_for()


def press(widget, name):
    widget.get_by_role("button", name=name, exact=True).click()


def test_a_button_steps_the_engine(widget, kernel):
    press(widget, "Step")
    is_at(widget, "4 / 4")
    assert widget.locator(".gg-said").inner_text() == (
        "MulBackward0 is ready: every gradient it waits for has arrived."
    )
    kernel.wait_until("s.position, s.current.name()", gives="(1, 'MulBackward0')")


def test_the_keys_step_it_and_leave_the_notebook_alone(widget, kernel, page):
    active = page.locator(".jp-Notebook-cell.jp-mod-active .jp-InputPrompt").inner_text
    widget.locator(".gg-head").click()
    before = active()
    for count in ("4 / 4", "11 / 11", "12 / 12"):
        page.keyboard.press("ArrowRight")
        is_at(widget, count)
    kernel.wait_until("x.grad", gives="tensor([2., 4.])")
    page.keyboard.press("ArrowLeft")
    is_at(widget, "11 / 11")
    page.keyboard.press("b")  # a shortcut of the notebook, too: a new cell
    widget.locator(".gg-points li", has_text="before n1").wait_for()
    assert active() == before
    assert page.locator(".jp-CodeCell").count() == 6


def test_shift_and_escape_give_the_keys_back_to_the_notebook_and_escape_alone_does_not(
    widget, page
):
    cells = "[...document.querySelectorAll('.jp-Cell')]"
    active = f"{cells}.findIndex(cell => cell.matches('.jp-mod-active'))"
    widget.locator(".gg-head").click()
    before, count = page.evaluate(active), page.locator(".jp-CodeCell").count()
    for key in ("Escape", "d", "d", "x", "a", "Shift+Enter", "Control+Enter", "ArrowDown"):
        page.keyboard.press(key)  # of which a notebook deletes, adds and runs cells
    # Nor do keys that merge, turn, interrupt or restart, from a button, the search and the list.
    widget.get_by_role("button", name="Keys", exact=True).focus()
    for key in ("Escape", "m", "y", "c", "v", "z", "0", "0", "i", "i", "Shift+M", "k", "j"):
        page.keyboard.press(key)
    for key in ("/", "d", "d", "Escape", "Escape", "d", "d", "?", "Escape", "d", "d"):
        page.keyboard.press(key)
    assert page.locator(".jp-Dialog").count() == 0
    assert page.evaluate("document.querySelector('.gg-widget').contains(document.activeElement)")
    assert page.locator(".jp-CodeCell").count() == count
    assert page.evaluate(active) == before
    is_at(widget, "1 / 1")
    page.keyboard.press("Shift+Escape")
    page.keyboard.press("ArrowDown")
    page.wait_for_function(f"{active} === {before + 1}")
    is_at(widget, "1 / 1")


def test_going_back_to_the_beginning_undoes_the_gradient(widget, kernel):
    press(widget, "To the end")
    is_at(widget, "12 / 12")
    kernel.wait_until("x.grad", gives="tensor([2., 4.])")
    press(widget, "To the beginning")
    is_at(widget, "1 / 1")
    kernel.wait_until("x.grad", gives="None")


def test_it_stops_at_a_breakpoint(widget, kernel):
    widget.get_by_label("What to stop at").select_option("op")
    widget.get_by_label("Which op").select_option("MulBackward0")
    press(widget, "Add")
    widget.locator(".gg-points li", has_text="before each MulBackward0").wait_for()
    press(widget, "Run to the next breakpoint")
    is_at(widget, "4 / 4")
    assert widget.locator(".gg-note").inner_text() == "Stopped before each MulBackward0."
    kernel.wait_until("s.stopped_by.why, x.grad", gives="('before each MulBackward0', None)")


def test_a_breakpoint_of_python_code_is_listed(widget, kernel):
    kernel.run("point = s.break_at(norm=0.5)")
    widget.locator(".gg-points li", has_text="a gradient of norm over 0.5").wait_for()
    press(widget, "Remove breakpoint: before a gradient of norm over 0.5 is used")
    widget.locator(".gg-points li", has_text="none").wait_for()
    kernel.wait_until("s.breakpoints", gives="[]")


def test_a_click_reaches_python(widget, kernel):
    widget.locator(".vertex", has_text="MulBackward0").first.click()
    widget.locator(".vertex.chosen").wait_for()
    clicked = "player.selected is s.schedule[1], clicked[-1:] == [player.selected]"
    kernel.wait_until(clicked, gives="(True, True)")


def test_hooks_and_smaller_steps_are_a_choice(widget, kernel):
    widget.get_by_label("Step size").select_option("micro")
    press(widget, "Step")
    press(widget, "Step")
    is_at(widget, "2 / 2")
    kernel.wait_until("s.granularity, s.position", gives="('micro', 0)")
    widget.get_by_label("Step size").select_option("node")
    press(widget, "Step")
    is_at(widget, "4 / 4")
    kernel.wait_until("s.granularity", gives="'node'")


def test_what_python_does_shows_on_the_page(widget, kernel):
    kernel.run("s.next()")
    is_at(widget, "4 / 4")
    kernel.run("s.run()")
    is_at(widget, "12 / 12")


def test_a_cell_sees_what_the_page_has_done(widget, frontend, page):
    for count in ("4 / 4", "11 / 11"):  # one further than when the cell ran first
        press(widget, "Step")
        is_at(widget, count)
    frontend.run_cell(page, "'moved to'", shows="('moved to', 2)")


def test_looking_back_does_not_move_the_engine(widget, kernel):
    press(widget, "To the end")
    is_at(widget, "12 / 12")
    widget.locator(".gg-scrub").fill("7")
    is_at(widget, "7 / 12")
    assert "Looking back" in widget.locator(".gg-note").inner_text()
    kernel.wait_until("s.is_done", gives="True")
    press(widget, "Back to now")
    is_at(widget, "12 / 12")


def test_an_exception_of_a_hook_is_shown_and_the_widget_lives_on(page, kernel):
    widget = page.locator(".gg-widget").nth(1)
    press(widget, "To the end")
    note = widget.locator(".gg-note")
    note.get_by_text("ValueError").wait_for()
    assert "<b>no</b>" in note.inner_text()
    kernel.wait_until("failed.error, f.is_closed", gives="(ValueError('<b>no</b>'), True)")
    press(widget, "Step")
    note.get_by_text("this session was closed").wait_for()


def test_a_session_that_ends_a_cell_is_a_player_that_begins_with_a_lesson(page):
    widget = page.locator(".gg-widget").nth(2)
    assert widget.locator(".gg-panel").is_hidden()
    widget.get_by_role("radio", name="Debug").check()
    press(widget, "Step")
    is_at(widget, "4 / 4")


def test_the_recorded_player_is_hidden_while_the_widget_lives(page):
    assert page.locator(".gg-still").count() == 3
    for still in page.locator(".gg-still").all():
        still.wait_for(state="hidden")


def test_a_later_cell_shows_the_session_as_text(page):
    cell = page.locator(".jp-CodeCell", has_text="s.next()").last
    cell.locator(".jp-OutputArea-output", has_text=re.compile(r"^\s*Paused at n1")).wait_for()


@pytest.mark.parametrize("theme", ["Dark", "Light"])
def test_it_follows_the_theme_of_the_notebook(theme, page, widget):
    page.evaluate(f"document.body.dataset.jpThemeLight = '{str(theme == 'Light').lower()}'")
    ground = "element => getComputedStyle(element).backgroundColor"
    wanted = {"Dark": "rgb(13, 17, 23)", "Light": "rgb(255, 255, 255)"}[theme]
    assert widget.locator(".gg-player").evaluate(ground) == wanted


def test_it_fits_the_cell(page, widget):
    output = page.locator(".jp-OutputArea-output:has(.gg-widget)").first.bounding_box()
    player = widget.locator(".gg-player").bounding_box()
    assert player["x"] >= output["x"]
    assert player["x"] + player["width"] <= output["x"] + output["width"] + 1
    assert re.match(r"\d+ / \d+", widget.locator(".gg-count").inner_text())


def test_a_session_that_is_closed_elsewhere_is_replayed(page, kernel):
    widget = page.locator(".gg-widget").nth(2)
    widget.get_by_role("radio", name="Debug").check()
    kernel.run("from glassgrad.viz.players.live import SHOWN; third = SHOWN[-1].player.session")
    kernel.run("third.position or third.next(); third.close()")
    widget.get_by_text("In Python this session was closed, before its last node.").wait_for()
    press(widget, "To the beginning")
    is_at(widget, "0 / 4")
    widget.get_by_label("Step size").select_option("node")
    press(widget, "Step")
    is_at(widget, "4 / 4")
    kernel.wait_until("third.is_closed, third.position", gives="(True, 1)")


def test_a_player_that_is_closed_leaves_the_recorded_one(page, kernel):
    kernel.run("failed.close()")
    still = page.locator(".gg-still").nth(1)
    still.wait_for(state="visible")
    assert page.locator(".gg-widget").count() == 2
    kernel.wait_until("failed.session", gives="None")
