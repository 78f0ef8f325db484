"""Chapters as a student has them, in a real JupyterLab: run to the end, answered, stepped."""

import json

import pytest

from glassgrad.course import tasks
from solved import NOTEBOOKS, source_of

pytestmark = pytest.mark.slow

NOTEBOOK = "jupyterapp.shell.currentWidget.content"
CELLS = f"() => {NOTEBOOK}.model.toJSON().cells"
RAN = f"""place => {NOTEBOOK}.model.cells.get(place).executionCount > 0
  && document.querySelector(".jp-Notebook-ExecutionIndicator[data-status=idle]")"""
RUN = f"""([place, text]) => {{
  const notebook = {NOTEBOOK};
  if (text !== null) notebook.widgets[place].model.sharedModel.setSource(text);
  notebook.activeCellIndex = place;
  return jupyterapp.commands.execute("notebook:run-cell");
}}"""

# What the last line of a cell makes, and what a page has of it.
SHOWN = {
    "gg.player(session": ".gg-widget",
    "gg.player(": ".gg-recorded iframe",
    "gg.draw(": "img",
    "gg.course.slider(": "input[type=range]",
    "gg.course.plot(": "svg polyline",
    "gg.course.heat(": "svg rect",
    "gg.explain(": "table",
    "gg.course.check(": ".gg-report",
}


class Chapter:
    """The notebook of a chapter, open on the one page of JupyterLab."""

    def __init__(self, frontend, number):
        self.frontend, self.page, self.number = frontend, None, number
        self.name, (path,) = f"chapter-{number}", NOTEBOOKS.glob(f"{number}-*.ipynb")
        self.cells = json.loads(path.read_text("utf-8"))["cells"]
        self.ids = [cell["id"] for cell in self.cells]
        frontend.write(
            self.name, [cell | {"source": "".join(cell["source"])} for cell in self.cells]
        )

    def cell(self, id):
        """A cell's place on the page, in sight."""
        found = self.page.locator(".jp-Notebook .jp-Cell").nth(self.ids.index(id))
        found.scroll_into_view_if_needed()
        return found

    def run_all(self):
        self.frontend.run_all(self.page)
        last = max(at for at, cell in enumerate(self.cells) if cell["cell_type"] == "code")
        self.page.wait_for_function(RAN, arg=last)

    def run(self, id, text=None):
        """Run a cell, after its text was replaced."""
        self.page.evaluate(RUN, [self.ids.index(id), text])

    def saved(self):
        return self.page.evaluate(CELLS)


@pytest.fixture(scope="module")
def pages(frontend):
    """The page that all chapters are opened on, once there is one: to load it takes ten seconds."""
    if frontend.kind != "lab":
        pytest.skip("the course opens JupyterLab")
    return []


@pytest.fixture(scope="module")
def chapter(request, frontend, pages):
    """A chapter that was run from its first cell to its last."""
    opened = Chapter(frontend, request.param)
    if pages:
        frontend.turn_to(pages[0], opened.name)
    else:
        pages.append(frontend.open(opened.name))
    opened.page = pages[0]
    opened.run_all()
    return opened


def of(*numbers):
    return pytest.mark.parametrize("chapter", numbers, indirect=True)


@of("02", "04", "07", "10")
def test_it_runs_to_the_end_and_all_its_pictures_are_there(chapter):
    for cell in chapter.saved():
        if cell["cell_type"] != "code":
            continue
        wrong = [each for each in cell["outputs"] if each["output_type"] == "error"]
        wrong += [each for each in cell["outputs"] if each.get("name") == "stderr"]
        assert cell["execution_count"], cell["id"]
        assert wrong == [], cell["id"]
        *_, last = "".join(cell["source"]).splitlines()
        for beginning, what in SHOWN.items():
            if last.startswith(beginning):
                place = chapter.cell(cell["id"]).locator(f".jp-OutputArea {what}").first
                place.scroll_into_view_if_needed()
                assert place.bounding_box()["width"] > 0, (cell["id"], what)
                break
    for image in chapter.page.locator(".jp-OutputArea img").all():
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100


@of("02", "04", "07", "10")
@pytest.mark.parametrize("exercise", [1, 2, 3])
def test_an_exercise_is_failed_and_passed(chapter, exercise):
    task = tasks(chapter.number)[exercise - 1]
    report = chapter.cell(f"exercise-{exercise}-check").locator(".gg-report")
    assert report.inner_text().startswith("Not yet: ")
    chapter.run(f"exercise-{exercise}-stub", source_of(task))
    chapter.run(f"exercise-{exercise}-check")
    report.get_by_text("✓ Right: ").wait_for()


@of("02")
def test_a_question_is_answered_wrong_and_right(chapter):
    cell = chapter.cell("play-chain")
    cell.locator("iframe").scroll_into_view_if_needed()
    player = cell.frame_locator("iframe")
    player.get_by_role("button", name="First question").click()
    asked = player.locator(".gg-ask")

    def answer(text, *, gets):
        player.locator(".gg-answer input").click()
        chapter.page.keyboard.press("Control+a")
        chapter.page.keyboard.type(f"{text}\n")
        verdict = player.locator(".gg-verdict", has_text=gets)
        verdict.wait_for()
        return verdict.inner_text()

    asked.get_by_text("PowBackward0 got 1. What does it send to SubBackward0?").wait_for()
    assert "8" not in answer(4, gets="Not yet.")
    answer(8, gets="Right")
    for name, sent in ("SubBackward0", 8), ("MulBackward0", 24):
        player.get_by_role("button", name="Next question").click()
        asked.get_by_text(f"{name} got 8.").wait_for()
        answer(sent, gets="Right")
    player.get_by_role("button", name="To the end", exact=True).first.click()
    assert player.locator(".gg-said").inner_text() == "a got 24: a.grad was empty, now 24."


@of("07")
def test_its_session_is_stepped_and_rewound(chapter):
    widget = chapter.cell("step").locator(".gg-widget")
    widget.get_by_text("In Python this session was closed").wait_for()
    chapter.run("step")  # a session that no later cell has closed yet
    widget.get_by_text("1 / 1", exact=True).wait_for()
    with chapter.frontend.kernel(chapter.page) as kernel:
        for position, name in (1, "AddBackward0"), (2, "MulBackward0"):
            widget.get_by_role("button", name="Step", exact=True).click()
            state = f"({position}, '{name}')"
            kernel.wait_until("session.position, session.current.name()", gives=state)
        assert widget.locator(".gg-phases, .gg-phase").first.is_visible()  # it is debug mode
        widget.get_by_role("button", name="Back", exact=True).click()
        kernel.wait_until("session.position", gives="1")
        widget.get_by_role("button", name="To the end", exact=True).click()
        kernel.wait_until("w.grad", gives="tensor([1.3634, 0.8638])")
        widget.get_by_role("button", name="To the beginning", exact=True).click()
        kernel.wait_until("session.position, w.grad", gives="(0, None)")


@of("10")
def test_its_slider_goes_through_the_charts(chapter):
    cell = chapter.cell("slider")
    slider, chart = cell.locator("input[type=range]"), cell.locator(".gg-slide:visible")
    slider.focus()
    cell.get_by_text("segments = 1", exact=True).wait_for()
    for segments in (2, 4, 8):
        chapter.page.keyboard.press("ArrowRight")
        cell.get_by_text(f"segments = {segments}", exact=True).wait_for()
        assert chart.count() == 1
        assert chart.locator("svg polyline").count() == 2


@of("04")
def test_a_point_of_its_curve_opens_the_pass_of_that_step(chapter):
    cell = chapter.cell("watch-passes")
    chart = cell.locator(".gg-slide:visible")
    chart.locator(".gg-dot").nth(3).click()
    cell.get_by_text("step = 50", exact=True).wait_for()
    chart.locator("iframe").scroll_into_view_if_needed()
    player = chart.frame_locator("iframe")
    player.get_by_role("button", name="To the end", exact=True).click()
    player.locator(".gg-said").get_by_text("got a gradient").wait_for()
