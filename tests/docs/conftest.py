"""The built site, served on loopback, and a browser that visits it."""

import functools
import http.server
import json
import os
import sys
import threading
from pathlib import Path

import pytest

from chromium import visits

ROOT = Path(__file__).parents[2]


@pytest.fixture
def build(monkeypatch):
    """Imports a module of docs/_build."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_build"))
    before = set(sys.modules)
    yield __import__
    for name in set(sys.modules) - before:
        if str(ROOT / "docs") in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture(scope="session")
def site():
    """The folder that `make docs` wrote."""
    folder = os.environ.get("GLASSGRAD_SITE")
    if folder is None:
        pytest.skip("which site? `make test-docs` builds one and visits its pages")
    path = ROOT / folder
    assert (path / "index.html").is_file(), f"{path} holds no site: `make docs` builds it"
    return path


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def address(site):
    """Where the site is served."""
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def nothing_to_find(site):
    """The index of the site's search, of no page."""
    return json.loads((site / "search" / "search_index.json").read_text("utf-8")) | {"docs": []}


@pytest.fixture
def visit(address, browser, nothing_to_find):
    """Opens a page by its path in the site; the browser remembers nothing of other tests.

    Each page of the site reads the index of the search, which takes longer than all the rest: those
    where nobody `searches` get an empty one.
    """
    context = browser.new_context()
    with visits(context, own=(address, "data:", "blob:")) as take_page:

        def open_page(path, *, searches=False, **options):
            page = take_page(**options)
            if not searches:
                page.route(
                    "**/search_index.json", lambda route: route.fulfill(json=nothing_to_find)
                )
            page.goto(address + path)
            return page

        yield open_page
    context.close()
