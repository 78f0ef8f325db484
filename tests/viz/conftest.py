"""A real browser for what a browser shows: pages from files, with the network cut off."""

import pytest


@pytest.fixture
def visit(browser, tmp_path):
    """Opens a page from a file; whatever it complains about or asks for fails the test."""
    complaints, requests, contexts = [], [], []

    def open_page(html, *, width=1400, height=900, scheme="light", fragment=""):
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri() + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(tmp_path.as_uri())] == []


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
