"""The site as its readers meet it: every page in a real browser, with the network cut off."""

import re

import pytest

PARTS = 4  # of all pages: one test would keep one process busy while the others are done
# The page itself, and its tables, which scroll by themselves: nobody finds a column out of sight.
WIDEST = """Math.max(document.documentElement.scrollWidth,
    ...[...document.querySelectorAll("article table:not([class])")].map(e => e.offsetWidth))"""
CANVAS = "getComputedStyle(document.querySelector('.gg')).getPropertyValue('--gg-canvas').trim()"


def paths(site):
    """Every page, as its address ends."""
    found = sorted(site.rglob("index.html"))
    return [path.parent.relative_to(site).as_posix().removeprefix(".") for path in found]


def player(page, number=0):
    return page.locator(".gg-player").nth(number)


def count(page, number=0):
    return player(page, number).locator(".gg-count").inner_text()


def pages(paths, address, visit):
    """Each page, opened once, in one tab: a new one for each takes a third longer."""
    page = visit("")
    for path in paths:
        page.goto(f"{address}{path}/" if path else address)
        yield path, page


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_opens_and_fits_each_screen_in_both_themes(part, site, address, visit):
    broken, wide = {}, {}
    screens = [(390, "light"), (1280, "dark"), (1280, "light"), (390, "dark")]
    for path, page in pages(paths(site)[part::PARTS], address, visit):
        assert page.locator("h1").count() >= 1, path
        lost = "[...document.images].filter(image => !image.naturalWidth).map(image => image.src)"
        broken[path] = page.evaluate(lost)
        for width, scheme in screens[:2]:
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            if (found := page.evaluate(WIDEST)) > width:
                wide[path, width, scheme] = found
        screens = screens[2:] + screens[:2]  # a page opens as the last one ended: half the layouts
    assert {path: images for path, images in broken.items() if images} == {}
    assert wide == {}


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_first_screen_says_what_it_is_for_whom_and_what_to_type(width, height, visit):
    page = visit("", width=width, height=height)
    seen = ["h1", ".gg-lead", "text=For you, if you", "text=glassgrad course", ".gg-player header"]
    seen += [".gg-answer input"] if width > 1000 else []
    for each in seen:
        box = page.locator(each).first.bounding_box()
        assert box["y"] + box["height"] < height, each


def test_the_lesson_of_the_home_page_waits_for_an_answer(visit):
    page = visit("")
    answer = page.locator(".gg-answer input")
    answer.wait_for()
    assert "What does it send to w" in page.locator(".gg-ask").inner_text()
    assert page.evaluate("document.activeElement === document.body")  # keys are still the page's
    answer.fill("2")
    page.get_by_role("button", name="Check").click()
    assert "right" not in page.locator(".gg-verdict").inner_text().lower()
    answer.fill("3")
    page.keyboard.press("Enter")
    assert "Right" in page.locator(".gg-verdict").inner_text()


def test_a_player_steps_by_click(visit):
    page = visit("learn/")
    assert count(page).startswith("0 / ")
    player(page).get_by_role("button", name="Step", exact=True).click()
    assert count(page).startswith("1 / ")
    assert "#" not in page.url  # the address belongs to the page
    player(page).get_by_role("button", name="Back", exact=True).click()
    assert count(page).startswith("0 / ")


def test_a_player_steps_by_key(visit):
    page = visit("learn/")
    player(page).locator(".gg-bar").wait_for()  # the script unpacks the log first
    player(page).focus()
    for key in ["ArrowRight", "ArrowRight", "ArrowLeft"]:
        page.keyboard.press(key)
    assert count(page).startswith("1 / ")
    page.keyboard.press("End")
    assert re.fullmatch(r"(\d+) / \1", count(page))
    assert "w.grad was empty, now" in player(page).locator(".gg-said").inner_text()


def test_a_click_on_a_node_shows_it(visit):
    page = visit("learn/")
    player(page).locator("g.vertex", has_text="TanhBackward0").click()
    assert "TanhBackward0" in player(page).locator(".gg-card").inner_text()


def test_players_on_one_page_do_not_move_each_other(visit):
    page = visit("notebooks/03-build-a-tape/")
    assert page.locator(".gg-player").count() >= 2
    player(page, 1).get_by_role("button", name="Step", exact=True).click()
    assert count(page, 0).startswith("0 / ")
    assert count(page, 1).startswith("1 / ")


def test_the_switch_changes_pages_drawings_and_players(visit):
    page = visit("")
    assert page.evaluate(CANVAS) == "#FFFFFF"
    page.get_by_title("Dark colours").click()
    assert page.evaluate(CANVAS) == "#0D1117"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
    page.get_by_title("Light colours").click()
    assert page.evaluate(CANVAS) == "#FFFFFF"


def test_the_system_decides_if_nobody_has_switched(visit):
    page = visit("gallery/", scheme="dark")
    assert page.evaluate(CANVAS) == "#0D1117"


def test_players_start_on_pages_one_goes_on_to_and_back_to(visit):
    page = visit("")

    def shows(heading):
        page.locator("h1", has_text=heading).wait_for()

    page.locator("article").get_by_role("link", name="Learn").click()
    shows("Learn")
    page.get_by_role("link", name="Six short pages").click()
    shows("The tour, in an hour")
    page.get_by_role("link", name="Watch a whole network").first.click()
    shows("Watch a whole network")
    player(page).get_by_role("button", name="Step", exact=True).click()
    assert count(page).startswith("1 / ")
    page.go_back()
    shows("The tour, in an hour")
    page.go_back()
    shows("Learn")
    player(page).get_by_role("button", name="Step", exact=True).click()
    assert count(page).startswith("1 / ")


def test_the_search_finds_a_function_without_a_network(visit):
    page = visit("", searches=True)
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("stack_module_state")
    page.locator(".md-search-result__link").first.wait_for()
    links = page.locator(".md-search-result__link").evaluate_all("all => all.map(a => a.href)")
    assert any("/reference/func/" in link for link in links)
    page.get_by_role("textbox", name="Search").fill("")
    page.keyboard.type("nn.Linear")  # the search listens to keys
    page.locator('.md-search-result__link[href$="#glassgrad.nn.Linear"]').first.wait_for()
    links = page.locator(".md-search-result__link").evaluate_all("all => all.map(a => a.href)")
    first = next(link for link in links if "#" in link)
    assert first.endswith("/reference/nn/?h=nn+linear#glassgrad.nn.Linear")
    page.get_by_role("textbox", name="Search").fill("")
    page.keyboard.type("backward second time")
    page.locator('.md-search-result__link[href*="/reference/remedies/"]').first.wait_for()


def test_a_figure_that_is_too_wide_scrolls_by_itself(visit):
    page = visit("gallery/", width=400, height=800)
    inner, outer = page.locator(".gg-figure").first.evaluate("f => [f.scrollWidth, f.clientWidth]")
    assert inner > outer
