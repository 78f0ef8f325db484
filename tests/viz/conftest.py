"""A real browser for what a browser shows (pages from files, no network), and a count of calls."""

import pytest

from chromium import visits
from glassgrad.viz.players.html import POLICY
from walks import calls_in


@pytest.fixture
def count_calls():
    """How many calls, of Python and of C, something takes: on any machine the same number."""

    return lambda doing: len(calls_in(doing, "c_call"))


WRITE = """([html, fragment, mode]) => {
    localStorage.clear();
    localStorage.setItem("glassgrad-mode", mode);
    history.replaceState(null, "", location.pathname + fragment);
    document.adoptedStyleSheets = []; // those of the page before: nothing else takes them away
    document.open();
    document.write(html);
    document.close();
}"""


@pytest.fixture(scope="session")
def blank(tmp_path_factory):
    """An empty page in a file, at whose address pages are shown, under their policy."""
    path = tmp_path_factory.mktemp("pages") / "page.html"
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8>{policy}", encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def visit(context, blank, tmp_path):
    """Shows a page to a reader who has last chosen that mode of a player.

    A fragment is what its address has after the name of the file.

    It is written into one that is open. One that is `stored` is gone to in a file of its own, as a
    reader does: that takes four times as long.
    """
    with visits(context, own=(blank, tmp_path.as_uri())) as take_page:

        def open_html(html, *, fragment="", stored=False, mode="debug", **options):
            page = take_page(**options)
            page.set_default_timeout(5_000)
            if stored:
                path = tmp_path / "page.html"
                path.write_text(html, encoding="utf-8")
                page.goto(path.as_uri() + fragment)
                page.evaluate("mode => localStorage.setItem('glassgrad-mode', mode)", mode)
                page.reload()
            else:
                if not page.url.startswith(blank):
                    page.goto(blank)
                page.evaluate(WRITE, [html, fragment, mode])
            if "mount(" in html:  # the script unpacks the log first
                page.locator(".gg-player:not(:has(.gg-bar))").first.wait_for(state="detached")
            return page

        yield open_html


WALK = """([key, times]) => {
    const look = LOOK;
    const seen = [look()];
    for (let at = 0; at < times; at++) {
        document.dispatchEvent(new KeyboardEvent("keydown", { key }));
        seen.push(look());
    }
    return seen;
}"""


class Shown:
    """What a page with a player shows."""

    def __init__(self, page):
        self.page = page

    @property
    def count(self):
        return self.page.locator(".gg-count").inner_text()

    @property
    def at(self):
        """How many events it shows."""
        return int(self.page.locator(".gg-scrub").input_value())

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

    def walk(self, key, times, look):
        """What `look`, a function of the page, sees at first and after each press of the key.

        The page is told of the presses and asked at once: one that is painted each time takes ten
        times as long.
        """
        return self.page.evaluate(WALK.replace("LOOK", look), [key, times])


@pytest.fixture
def play(visit):
    """Opens the page of a player."""

    def open_player(player, **options):
        return Shown(visit(player.html, **options))

    return open_player
