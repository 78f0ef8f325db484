"""The one browser of a test run: Debian's Chromium, with the network cut off.

One, because Playwright's synchronous interface can be open only once in a process.
"""

import os
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
# What a window has around the page is itself made of pages: a second of work before the first. The
# others are those of Playwright's own list, which this one takes the place of, that matter here.
NO_FEATURES = [
    *("WebUIToolbar", "WebUIReloadButton", "WebUILocationBar", "WebUIOmniboxPopup"),
    *("WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    *("PaintHolding", "HttpsUpgrades", "OptimizationHints"),
]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(NO_FEATURES)}",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]


def need(*needed):
    """Skip the tests where a package or a file is missing; fail them where that is CI."""
    missing = [
        str(each)
        for each in needed
        if not (each.exists() if isinstance(each, Path) else find_spec(each))
    ]
    if missing:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop(f"not installed: {', '.join(missing)}")


@pytest.fixture(scope="session")
def browser():
    need("playwright", CHROMIUM)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def context(browser):
    """A context for all who store nothing in it: a new one for each page takes twice the time."""
    context = browser.new_context()
    yield context
    context.close()


# Nothing that a page has put off happens in the next test.
STOP_TIMERS = "for (let id = setTimeout(() => {}); id > 0; id--) clearTimeout(id);"


# The scheme that pages have, and whether they move little. Told anew, all is styled anew.
LOOKS = """() => [matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    matchMedia("(prefers-reduced-motion: reduce)").matches]"""


@contextmanager
def visits(context, own):
    """Lends pages; what one complains about, or asks of a place that is not `own`, is a failure.

    A page that is done with is there for the next test: a new one takes as long as a test.

    `own` is what an address may begin with: a text, or a tuple of texts.
    """
    complaints, requests, pages = [], [], []

    def lost(request):
        # Whoever goes on to another page stops what the one before was still loading.
        if request.failure != "net::ERR_ABORTED":
            complaints.append(f"lost: {request.url}")

    listeners = {
        "console": lambda message: complaints.append(message.text),
        "pageerror": lambda error: complaints.append(str(error)),
        "dialog": lambda dialog: complaints.append(f"dialog {dialog.message}"),
        "request": lambda request: requests.append(request.url),
        "requestfailed": lost,
    }

    def take_page(*, width=1400, height=900, scheme="light"):
        spare = [page for page in context.pages if page not in pages]
        page = spare[0] if spare else context.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        if page.evaluate(LOOKS) != [scheme, True]:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for event, listener in listeners.items():
            page.on(event, listener)
        return page

    yield take_page
    for page in pages:
        page.mouse.move(0, 0)
        page.evaluate(STOP_TIMERS)
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
    assert complaints == []
    assert [url for url in requests if not url.startswith(own)] == []
