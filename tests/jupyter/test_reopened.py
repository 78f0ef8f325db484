"""A notebook that was saved with a live player, opened again without the kernel that drove it."""

import json

import pytest


@pytest.fixture(scope="module")
def saved(frontend, page):
    """The notebook, saved after its first player was run to the end."""
    widget = page.locator(".gg-widget").first
    widget.get_by_role("button", name="To the end", exact=True).click()
    widget.get_by_text("12 / 12", exact=True).wait_for()
    frontend.save(page, cell=1, until="LivePlayer(12 events)")
    return frontend.path("live")


@pytest.fixture(scope="module")
def reopened(frontend, page, saved):
    """The notebook, opened again; the kernel that drove its players is gone."""
    page = frontend.open_again(page)
    yield page
    frontend.shut_down(page)


def test_the_recorded_player_is_there_and_steps(reopened):
    reopened.locator(".gg-still").first.scroll_into_view_if_needed()
    frame = reopened.frame_locator(".gg-still iframe").first
    frame.get_by_role("button", name="Step", exact=True).click()
    assert frame.locator(".gg-count").inner_text().endswith("/ 12")
    frame.get_by_role("button", name="To the end", exact=True).click()
    assert frame.locator(".gg-count").inner_text() == "12 / 12"
    assert frame.locator(".gg-said").inner_text() == "x.grad is now [2, 4]."


def test_nothing_is_left_of_the_widget(reopened):
    reopened.get_by_text("model not found").first.wait_for(state="attached")
    assert not reopened.get_by_text("model not found").first.is_visible()
    assert reopened.locator(".gg-widget").count() == 0


@pytest.mark.slow
def test_not_trusted_it_keeps_the_picture(frontend, saved):
    document = json.loads(saved.read_text())
    document["cells"][1]["source"] = "# from somebody else"
    frontend.path("foreign").write_text(json.dumps(document))
    page = frontend.open("foreign")
    image = page.locator(".jp-OutputArea-output img").first
    image.wait_for()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert page.locator("iframe").count() == 0
    frontend.shut_down(page)
