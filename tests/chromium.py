"""The one browser of a test run: Debian's Chromium, with the network cut off.

One, because Playwright's synchronous interface can be open only once in a process.
"""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
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
