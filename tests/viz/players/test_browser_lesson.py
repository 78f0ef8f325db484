"""What a reader sees of a lesson: sizes, overlaps, contrast, keys alone, and what is read out.

All tests look at one page, which gets other sizes and themes.
"""

import pytest

from contrast import PAIRS, too_like
from glassgrad.viz import player

SIZES = [(1440, 900), (1280, 800), (768, 1024), (390, 844)]
STORY = "tanh got 1, times 0.42, sends 0.42 to mul"

# Of what is seen: its box, and of each text in the picture its size on the screen.
BOXES = """() => {
  const box = (each) => each.getBoundingClientRect().toJSON();
  const isText = (child) => child.nodeType === 3 && child.data.trim();
  const has = (each) => [...each.childNodes].some(isText);
  const parts = [
    ".gg-head", ".gg-stage", ".gg-said", ".gg-bar", ".gg-modes", ".gg-map", ".gg-shelf", ".gg-play",
    ".gg-next", ".gg-scrub", ".gg-count", ".gg-tools", ".gg-panel", ".gg-log", ".gg-time",
    ".gg-card",
  ];
  const seen = {};
  for (const name of parts) {
    const each = document.querySelector(name);
    if (each && each.checkVisibility()) seen[name] = box(each);
  }
  const scale = document.querySelector(".gg-stage svg").getBoundingClientRect().width /
    document.querySelector(".gg-stage svg").viewBox.baseVal.width;
  const size = (each) => parseFloat(getComputedStyle(each).fontSize);
  const shown = (selector) =>
    [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  const texts = shown(".gg-stage text").map((each) => size(each) * scale);
  const words = shown(".gg-player *:not(svg *, script, template *)").filter(has).map(size);
  return { seen, texts, words, current: box(document.querySelector(".gg-stage .current .box")),
    wide: document.documentElement.scrollWidth, isPart: PART };
}""".replace(
    "PART",
    """((stage) => stage.scrollWidth > stage.clientWidth + 1 ||
      stage.scrollHeight > stage.clientHeight + 1)(document.querySelector(".gg-stage"))""",
)


@pytest.fixture
def lesson(play, samples):
    """The page of a small network in the middle of its pass."""
    return play(player(samples.mlp()), fragment="#12", mode="lesson")


def overlap(first, second):
    return (
        min(first["right"], second["right"]) - max(first["x"], second["x"]) > 0.5
        and min(first["bottom"], second["bottom"]) - max(first["y"], second["y"]) > 0.5
    )


def test_at_each_size_the_picture_leads_and_nothing_lies_on_another(lesson):
    page = lesson.page
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(60)  # the observer of sizes is told with the next picture
        for key in ("Home", "ArrowRight", "ArrowRight", "End"):
            lesson.press(key)
            found = page.evaluate(BOXES)
            seen, stage = found["seen"], found["seen"][".gg-stage"]
            assert found["wide"] <= width
            assert seen[".gg-bar"]["bottom"] <= height  # the picture gets what the rest leaves it
            assert not {".gg-panel", ".gg-log", ".gg-time", ".gg-card"} & set(seen)
            assert min(found["texts"]) >= 10.99
            assert min(found["words"]) >= 12
            rest = (".gg-head", ".gg-said", ".gg-bar", ".gg-shelf")
            assert not [name for name in rest if overlap(stage, seen[name])], (width, key)
            bar = [".gg-play", ".gg-next", ".gg-scrub", ".gg-count", ".gg-tools"]
            crossed = [(a, b) for a in bar for b in bar if a < b and overlap(seen[a], seen[b])]
            assert crossed == []
            for name in bar:
                assert 0 <= seen[name]["x"] < seen[name]["right"] <= width, (name, width)
            current = found["current"]
            assert stage["x"] <= current["x"], (width, key)
            assert current["right"] <= stage["right"]
            assert (".gg-map" in seen) is found["isPart"]  # as large as it must be to be read
            assert ".gg-map" not in seen or not overlap(seen[".gg-map"], current)
            # What is said stands under the picture, on a telephone too.
            assert seen[".gg-head"]["bottom"] <= stage["y"] + 1
            assert stage["bottom"] <= seen[".gg-said"]["y"]
        if width >= 1280:
            assert stage["width"] * stage["height"] >= 0.6 * width * height
            assert seen[".gg-bar"]["bottom"] <= height


def test_a_lesson_can_be_read_in_both_themes(lesson):
    for width, height in SIZES:
        lesson.page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            lesson.page.emulate_media(color_scheme=scheme)
            lesson.page.locator("#gg-t0").focus()
            lesson.press("Enter", "/")
            found = lesson.page.evaluate(PAIRS)
            assert too_like(found["texts"], 4.5) == [], scheme
            assert too_like(found["borders"], 3) == [], scheme
            assert len(found["texts"]) > 12
            lesson.press("Escape", "Escape")


def test_a_step_is_a_node_and_the_sentence_is_about_the_one_that_is_blue(visit, samples):
    shown = player(samples.mlp())
    page = visit(shown.html, mode="lesson")
    look = """() => [".gg-said", ".gg-count", ".gg-stage .function.current > .title"]
        .map((part) => document.querySelector(part)?.textContent)"""
    seen = [page.evaluate(look)]
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        seen.append(page.evaluate(look))
    assert [count for _, count, _ in seen] == [f"{at} / 8" for at in range(9)]
    for said, _, title in seen[1:]:
        word = (title or "").partition("Backward")[0].lower()
        assert said.lower().replace("_", "").startswith(word)
        assert "is ready" not in said
    page.keyboard.press("End")
    assert ".grad was empty, now" in page.locator(".gg-said").inner_text()


def test_what_is_told_of_a_node_is_said(visit, samples):
    shown = player(samples.square())
    told = shown.data() | {"story": {"n1": STORY}}
    type_ = type(shown)
    page = visit(
        type("Told", (type_,), {"data": lambda self: told})(shown.trace, shown.drawing).html,
        mode="lesson",
    )
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator(".gg-said").inner_text() == STORY


def test_details_are_behind_a_bar_and_debug_is_a_click_away_and_is_remembered(lesson):
    shelf = lesson.button("Details")
    assert shelf.get_attribute("aria-expanded") == "false"
    shelf.click()
    assert shelf.get_attribute("aria-expanded") == "true"
    assert lesson.section("node").is_visible()
    assert lesson.page.locator("#gg-n2").bounding_box()["width"] > 100
    shelf.press("Enter")
    assert lesson.section("node").is_hidden()
    page = lesson.page
    modes = page.get_by_role("radiogroup", name="Mode").get_by_role("radio")
    assert modes.count() == 2  # a page that asks nothing offers no questions
    assert page.get_by_role("radio", name="Lesson").is_checked()
    at = lesson.count
    page.get_by_role("radio", name="Debug").check()
    assert "gg-mode-debug" in page.locator(".gg-player").get_attribute("class")
    for part in (".gg-panel", ".gg-log", ".gg-time", ".gg-grain", ".gg-kind"):
        assert page.locator(part).is_visible()
    assert lesson.count.endswith("/ 33")
    assert page.evaluate("localStorage.getItem('glassgrad-mode')") == "debug"
    page.get_by_role("radio", name="Debug").press("ArrowLeft")  # by keys alone
    assert lesson.count == at
    assert page.evaluate("localStorage.getItem('glassgrad-mode')") == "lesson"


def test_what_a_page_was_made_for_goes_before_what_is_remembered(play, samples):
    shown = play(player(samples.square(), mode="debug"), mode="lesson")
    assert shown.count == "0 / 12"


def test_a_click_on_a_thing_says_what_it_is_now(play, samples):
    shown = play(player(samples.neuron()), mode="lesson")
    card = shown.page.locator(".gg-card")

    def click(selector):
        shown.page.locator(selector).first.evaluate(
            "each => each.dispatchEvent(new MouseEvent('click', { bubbles: true }))"
        )
        return card.inner_text()

    assert "none yet" in click(".gg-stage .leaf .title")
    shown.press("End")
    leaf = card.inner_text()
    assert "leaf" in leaf
    assert ".grad" in leaf
    assert "none yet" not in leaf
    saved = click(".gg-stage .saved .title")
    assert "saved tensor" in saved
    assert "let go" in saved
    assert "‖·‖" in click("#gg-e4-0 .reach")
    assert "this gradient went along it" in card.inner_text()
    shown.press("Home")
    assert "nothing has gone along it yet" in card.inner_text()
    assert "MulBackward0" in click(".gg-stage .tie") or "Backward0" in card.inner_text()
    assert "Backward0" in click("#gg-n4 .title")
    shown.press("Escape")
    assert card.is_hidden()


def test_search_finds_nodes_tensors_and_lines_by_keys_alone(lesson):
    lesson.press("/")
    field = lesson.page.get_by_role("combobox", name="Search")
    assert field.evaluate("each => each === document.activeElement")
    lesson.page.keyboard.type("weight")
    options = lesson.page.get_by_role("option")
    assert options.count() >= 2
    lesson.press("ArrowDown")
    assert options.nth(1).get_attribute("aria-selected") == "true"
    chosen = options.nth(1).locator("strong").inner_text()
    lesson.press("Enter")
    assert lesson.page.get_by_role("search").is_hidden()
    assert chosen in lesson.page.locator(".gg-card h3").inner_text()
    lesson.press("/")
    lesson.page.keyboard.type("no such thing")
    assert "nothing is called so" in lesson.page.locator(".gg-found").inner_text()
    lesson.press("Escape")
    assert lesson.page.get_by_role("search").is_hidden()


SCALE = """document.querySelector(".gg-stage svg").getBoundingClientRect().width /
    document.querySelector(".gg-stage svg").viewBox.baseVal.width"""
PLACE = "document.querySelector('.gg-stage svg').getBoundingClientRect().x"


def test_the_picture_is_zoomed_and_moved_by_keys_wheel_and_hand(lesson):
    page = lesson.page
    fit = page.evaluate(SCALE)
    lesson.press("+", "+")
    assert page.evaluate(SCALE) == pytest.approx(fit * 1.25**2, rel=0.01)
    assert not page.get_by_label("fit").is_checked()
    lesson.press("-")
    assert page.evaluate(SCALE) == pytest.approx(fit * 1.25, rel=0.01)
    lesson.press("+", "+")
    at = page.evaluate(PLACE)
    lesson.press("Shift+ArrowRight")
    assert page.evaluate(PLACE) < at
    stage = page.locator(".gg-stage").bounding_box()
    x, y = stage["x"] + stage["width"] / 2, stage["y"] + 20
    at = page.evaluate(PLACE)
    count = lesson.count
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 4, steps=3)
    page.mouse.up()
    assert page.evaluate(PLACE) == pytest.approx(at + 40, abs=2)
    assert page.locator(".gg-stage .chosen").count() == 0  # that was no click
    lesson.press("0")
    assert page.evaluate(SCALE) == pytest.approx(fit, rel=0.001)
    assert page.get_by_label("fit").is_checked()
    page.mouse.move(x, y)
    page.mouse.wheel(0, -100)  # this page has nothing else to scroll
    page.locator(".gg-fit:not(:checked)").wait_for()
    assert page.evaluate(SCALE) > fit * 1.1
    assert lesson.count == count


def test_the_map_shows_what_is_seen_and_can_be_dragged(play, samples):
    shown = play(player(samples.rnn(12)), mode="lesson")
    page = shown.page
    assert page.locator(".gg-map").is_visible()
    at = page.evaluate(PLACE)
    box = page.locator(".gg-map svg").bounding_box()
    part = page.locator(".gg-seen").bounding_box()
    assert 8 < part["width"] < box["width"]
    page.mouse.move(box["x"] + 20, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + box["height"] / 2, steps=3)
    page.mouse.up()
    assert page.evaluate(PLACE) < at - 1000
    assert page.locator(".gg-seen").bounding_box()["x"] > part["x"] + 50
    shown.press("ArrowRight")  # the next step is in sight again
    stage = page.locator(".gg-stage").bounding_box()
    current = page.locator(".gg-stage .current .box").first.bounding_box()
    assert stage["x"] <= current["x"] <= stage["x"] + stage["width"]


def test_a_screen_reader_finds_the_boxes_and_is_told_of_each_step_once(lesson):
    page = lesson.page
    page.keyboard.press("Home")
    boxes = page.get_by_role("group", name="The graph").get_by_role("button")
    names = boxes.evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
    assert len(names) >= 13
    assert any(name.endswith(", waits") for name in names)
    lesson.press("ArrowRight")
    assert page.get_by_role("button", name="runs now").count() == 1
    assert page.locator(".gg-said").get_attribute("aria-live") == "polite"
    assert page.get_by_role("slider", name="Moment of the pass").count() == 1
    tree = page.locator(".gg-player").aria_snapshot()
    for part in (
        'group "The graph"',
        'button "Step"',
        'button "Play"',
        'slider "Moment of the pass"',
    ):
        assert part in tree
    assert lesson.said in tree.replace('\\"', '"')
    page.get_by_role("slider").focus()  # which tells of it itself
    assert page.locator(".gg-said").get_attribute("aria-live") == "off"
    page.get_by_role("slider").blur()
    assert page.locator(".gg-said").get_attribute("aria-live") == "polite"
    page.get_by_label("Speed").select_option("180")
    lesson.button("Play").click()
    assert page.locator(".gg-said").get_attribute("aria-live") == "off"
    lesson.button("Pause").click()
    assert page.locator(".gg-said").get_attribute("aria-live") == "polite"
    lesson.press("n")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name in boxes.evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
    assert page.locator(".gg-card").is_visible()
    lesson.press("n", "p")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == name


def test_nothing_moves_by_itself_for_those_who_want_it_so_and_play_and_step_do_not_look_alike(
    lesson,
):
    moves = """() => [...document.querySelectorAll(".gg-player, .gg-player *")]
        .map((each) => getComputedStyle(each))
        .filter((look) => look.transitionDuration !== "0s" || look.animationName !== "none")
        .length"""
    assert lesson.page.evaluate(moves) == 0
    play_, step = (lesson.page.locator(name) for name in (".gg-play", ".gg-next"))
    look = """each => [each.querySelector("path").getAttribute("d"),
        getComputedStyle(each).backgroundColor]"""
    assert all(a != b for a, b in zip(play_.evaluate(look), step.evaluate(look), strict=True))
    assert (play_.inner_text(), step.inner_text()) == ("Play", "Step")
