"""The player in a real browser: moving, and what the drawing shows of it."""

import pytest

from glassgrad.viz import draw, player


def count(page):
    return page.locator(".gg-count").inner_text()


def said(page):
    return page.locator(".gg-said").inner_text()


def classes(page, name):
    return set(page.locator(f"#gg-{name}").get_attribute("class").split())


def test_the_player_begins_at_the_output_and_keys_step_forward_and_back(visit, samples):
    page = visit(player(samples.square()).html)
    assert count(page) == "0 / 12"
    assert said(page) == "Backward begins at loss. Press → to step."
    assert "current" in classes(page, "t1")
    assert "pending" in classes(page, "n2")
    seen = []
    for key in ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowLeft"]:
        page.keyboard.press(key)
        seen.append(count(page))
    assert seen == [f"{k} / 12" for k in (1, 2, 1, 12, 12, 0, 0)]
    # The sentence is announced.
    assert page.locator(".gg-said").get_attribute("aria-live") == "polite"
    assert page.get_by_role("slider", name="Moment of the pass").count() == 1
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == said(page)


def test_space_plays_to_the_end_and_stops(visit, samples):
    page = visit(player(samples.square()).html)
    page.locator(".gg-speed").select_option("180")
    page.get_by_label("Step size").select_option("node")
    page.locator(".gg-head").click()
    page.keyboard.press(" ")
    assert page.locator(".gg-play").get_attribute("aria-label") == "Pause"
    page.get_by_text("12 / 12", exact=True).wait_for()
    assert page.locator(".gg-play").get_attribute("aria-label") == "Play"


def test_buttons_do_what_the_keys_do(visit, samples):
    page = visit(player(samples.square()).html)
    seen = []
    for name in ["Step", "Step", "Back", "To the end", "To the beginning"]:
        page.get_by_role("button", name=name, exact=True).click()
        seen.append(count(page))
    assert seen == [f"{k} / 12" for k in (1, 2, 1, 12, 0)]
    page.keyboard.press(" ")  # the button has the focus: the space bar presses it
    assert count(page) == "0 / 12"


def test_the_scrubber_goes_anywhere_and_a_line_of_the_log_goes_there(visit, samples):
    page = visit(player(samples.square()).html)
    page.locator(".gg-scrub").fill("7")
    assert count(page) == "7 / 12"
    assert said(page) == "MulBackward0 turns the gradient [1, 1] into ([1, 2], [1, 2])."
    page.get_by_role("button", name="a.grad is now [2, 4].").click()
    assert count(page) == "12 / 12"


def test_a_step_is_as_large_as_was_chosen(visit, samples):
    page = visit(player(samples.square()).html)
    sizes = {"node": [4, 11, 12, 11], "hook": [4, 11, 12, 11], "micro": [1, 2, 3, 2]}
    for size, steps in sizes.items():
        page.get_by_label("Step size").select_option(size)
        page.locator(".gg-head").click()
        page.keyboard.press("Home")
        seen = []
        for key in ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"]:
            page.keyboard.press(key)
            seen.append(count(page))
        assert seen == [f"{k} / 12" for k in steps], size


def test_the_address_keeps_the_step(visit, samples):
    page = visit(player(samples.square()).html, fragment="#9", stored=True)
    assert count(page) == "9 / 12"
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/*#10")  # it is written a moment later, not at every step
    assert page.url.endswith("#10")
    page.evaluate("location.hash = '#3'")
    page.get_by_text("3 / 12", exact=True).wait_for()


def test_many_steps_at_once_write_few_addresses(visit, samples):
    page = visit(player(samples.square()).html)
    count_writes = """() => {
        window.writes = 0;
        const real = history.replaceState.bind(history);
        history.replaceState = (...all) => { window.writes += 1; real(...all); };
    }"""
    go_everywhere = """() => {
        const scrub = document.querySelector(".gg-scrub");
        const begun = performance.now();
        for (let k = 1; k <= 30; k++) {
            scrub.value = k % 12;
            scrub.dispatchEvent(new Event("input"));
        }
        return performance.now() - begun;
    }"""
    page.evaluate(count_writes)
    took = page.evaluate(go_everywhere)
    page.wait_for_url("**#6")
    assert page.evaluate("window.writes") <= 2 + took / 200


def test_the_state_is_marked_in_the_drawing(visit, samples):
    page = visit(player(samples.square()).html, fragment="#9")
    assert "done" in classes(page, "n2")
    assert "current" in classes(page, "n1")
    assert "pending" in classes(page, "n0")
    assert "moving" in classes(page, "e1-0")
    assert "done" in classes(page, "e2-0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "ready" in classes(page, "n0")
    page.keyboard.press("End")
    assert "current" in classes(page, "n0")
    assert "done" in classes(page, "t0")


def test_a_saved_tensor_is_struck_out_when_freed_and_comes_back(visit, samples):
    page = visit(player(samples.neuron()).html)
    note = page.locator(".gg-stage .saved").first
    strike = note.locator(".strike")
    hidden = "element => getComputedStyle(element).display === 'none'"
    assert strike.evaluate(hidden)
    page.keyboard.press("End")
    assert "freed" in note.get_attribute("class")
    assert not strike.evaluate(hidden)
    page.keyboard.press("Home")
    assert strike.evaluate(hidden)


def test_going_back_gives_the_same_page_and_the_drawing_is_never_laid_out_again(play, samples):
    shown = play(player(samples.mlp()))
    places = """JSON.stringify([...document.querySelectorAll('.gg-stage .box, .gg-stage .line')]
                .map(e => ['x', 'y', 'd', 'width'].map(name => e.getAttribute(name))))"""
    before = shown.page.evaluate(places)
    look = """() => [...document.querySelectorAll(".vertex, .arc, .gg-said")]
        .map((e) => e.matches(".gg-said") ? e.textContent : [...e.classList].sort().join())"""
    forward = shown.walk("ArrowRight", 33, look)
    assert shown.page.evaluate(places) == before
    assert len({str(seen) for seen in forward}) == 34
    assert shown.walk("ArrowLeft", 33, look) == forward[::-1]


def test_a_click_on_a_stub_lights_all_uses_of_its_leaf(visit, samples):
    page = visit(player(samples.rnn(8)).html)
    page.locator(".gg-stage .stub").first.click()
    assert page.locator(".lit").count() == 9  # eight uses and the leaf


@pytest.mark.parametrize("make", [player, draw], ids=["player", "drawing"])
def test_both_themes(make, visit, samples):
    page = visit(make(samples.square()).html)
    selector, name = (".gg-player", "backgroundColor") if make is player else (".ground", "fill")
    look = f"getComputedStyle(document.querySelector('{selector}')).{name}"
    for scheme, ground in [("light", "rgb(255, 255, 255)"), ("dark", "rgb(13, 17, 23)")]:
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(look) == ground
        fill = page.evaluate("getComputedStyle(document.querySelector('.leaf > .box')).fill")
        assert fill != "rgb(0, 0, 0)"


def test_the_page_fits_its_window_and_on_a_wide_screen_nothing_lies_below_it(visit, samples):
    page = visit(player(samples.mlp()).html, width=320, fragment="#20")
    for width in (320, 400, 800, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for name in (".gg-buttons", ".gg-scrub", ".gg-said", ".gg-sec-node", ".gg-log"):
            box = page.locator(name).bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollHeight") <= 900
    assert page.locator(".gg-stage").bounding_box()["height"] >= 380


def test_what_happens_is_kept_in_sight(visit, samples):
    page = visit(player(samples.rnn(12)).html)
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    stage = page.locator(".gg-stage").bounding_box()
    box = page.locator(".gg-stage .current").first.bounding_box()
    assert stage["x"] <= box["x"]
    assert box["x"] + box["width"] <= stage["x"] + stage["width"]


def test_the_frame_in_a_notebook_plays(visit, samples):
    bundle = player(samples.square(), mode="debug")._repr_mimebundle_()
    page = visit(f"<!DOCTYPE html><meta charset=utf-8>{bundle['text/html']}")
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Step", exact=True).click()
    assert frame.locator(".gg-count").inner_text() == "1 / 12"


def test_how_much_a_node_saved_is_struck_out_when_it_lets_go(visit, samples):
    page = visit(player(samples.chain(70)).html, fragment="#1")
    strike = page.locator("#gg-n70 .kept .strike")
    hidden = "element => getComputedStyle(element).display === 'none'"
    assert strike.evaluate(hidden)
    page.get_by_label("Step size").select_option("node")
    page.locator(".gg-head").click()
    page.keyboard.press("ArrowRight")
    assert not strike.evaluate(hidden)
    page.keyboard.press("ArrowLeft")
    assert strike.evaluate(hidden)
