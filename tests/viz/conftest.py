"""A real browser for what a browser shows (pages from files, no network), and a count of calls."""

import sys

import pytest

from chromium import visits


@pytest.fixture
def count_calls():
    """How many calls, of Python and of C, something takes: on any machine the same number."""

    def count(doing):
        calls = 0

        def note(frame, event, arg):
            nonlocal calls
            calls += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            doing()
        finally:
            sys.setprofile(before)
        return calls

    return count


@pytest.fixture
def visit(context, tmp_path):
    """Opens a page from a file; a fragment is what its address has after the name of the file."""
    with visits(context, own=tmp_path.as_uri()) as open_page:

        def open_html(html, *, fragment="", **options):
            path = tmp_path / "page.html"
            path.write_text(html, encoding="utf-8")
            page = open_page(path.as_uri() + fragment, **options)
            page.set_default_timeout(5_000)
            if "mount(" in html:
                for player in page.locator(".gg-player").all():
                    player.locator(".gg-bar").wait_for()  # the script unpacks the log first
            return page

        yield open_html


class Shown:
    """What a page with a player shows."""

    def __init__(self, page):
        self.page = page

    @property
    def count(self):
        return self.page.locator(".gg-count").inner_text()

    @property
    def said(self):
        return self.page.locator(".gg-said").inner_text()

    @property
    def note(self):
        return self.page.locator(".gg-note").inner_text()

    def classes(self, name):
        return set(self.page.locator(f"#gg-{name}").get_attribute("class").split())

    def section(self, key):
        return self.page.locator(f".gg-sec-{key}")

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)


@pytest.fixture
def play(visit):
    """Opens the page of a player."""

    def open_player(player, **options):
        return Shown(visit(player.html, **options))

    return open_player
