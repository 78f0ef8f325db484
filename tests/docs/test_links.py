"""The built pages as text: links, ids, and that all public names are in the reference."""

import importlib
import json
import re
from collections import Counter
from functools import cache
from html import unescape
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from pages import unpack

ROOT = Path(__file__).parents[2]
DATA = re.compile(r'<script type="application/zlib" class="gg-data">(.*?)</script>', re.DOTALL)
# Five times as fast as a parser, and enough for pages that one program writes.
HIDDEN = re.compile(r"<!--.*?-->|(<(script|style)\b[^>]*>).*?(?=</\2>)", re.DOTALL)
TAG = re.compile(r"""<([a-z][\w-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>""", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""\s(id|href|src)=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


class Page:
    """The ids of a page and what it refers to."""

    def __init__(self, path):
        self.ids, self.targets = [], []
        for tag, inside in TAG.findall(HIDDEN.sub(r"\1", path.read_text("utf-8"))):
            for name, *values in ATTRIBUTE.findall(inside):
                value = unescape("".join(values))
                if name == "id":
                    self.ids.append(value)
                elif value:
                    self.targets.append((tag, value))


def plain(title):
    """A title without signs that a page writes in another way."""
    return re.sub(r"\W+", " ", title).strip()


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_every_internal_link_leads_somewhere(site, pages):
    broken = []
    ids = {path: set(page.ids) for path, page in pages.items()}

    @cache
    def goal_of(folder, address):
        goal = (folder / unquote(address)).resolve()
        return goal / "index.html" if goal.is_dir() else goal

    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for _, target in page.targets:
            address, fragment = urldefrag(target)
            if urlsplit(address).scheme or address.startswith("//"):
                continue
            goal = goal_of(path.parent, address) if address else path
            is_there = goal in ids or goal.is_file()
            known = ids.get(goal, {unquote(fragment)})
            if not is_there or (fragment and unquote(fragment) not in known):
                broken.append((path.relative_to(site), target))
    assert broken == []


def test_pages_load_nothing_from_elsewhere(site, pages):
    loading = ("script", "link", "img", "iframe", "source")
    foreign = [
        (path.relative_to(site), target)
        for path, page in pages.items()
        for tag, target in page.targets
        if tag in loading and urlsplit(target).scheme not in ("", "data")
    ]
    assert foreign == []


def test_no_id_stands_twice_on_a_page(site, pages):
    twice = {
        path.relative_to(site): [name for name, times in Counter(page.ids).items() if times > 1]
        for path, page in pages.items()
    }
    assert {path: names for path, names in twice.items() if names} == {}


def test_each_page_has_a_title_of_its_own_and_says_what_it_is_about(site, pages):
    heads, wrong = {}, {}
    for path in pages:
        head = path.read_text("utf-8").partition("</head>")[0]
        title = re.search(r"<title>(.+?)</title>", head)
        about = re.search(r'<meta name="description" content="(.*?)"', head)
        heads[path.relative_to(site)] = title[1] if title else ""
        if path.name != "404.html" and (about is None or not 20 < len(unescape(about[1])) < 200):
            wrong[path.relative_to(site)] = about and about[1]
    assert wrong == {}
    assert [title for title, times in Counter(heads.values()).items() if times > 1] == []


def test_no_player_shows_a_pass_whose_graph_another_one_has_freed(site, pages):
    freed = [
        path.relative_to(site)
        for path in pages
        for data in DATA.findall(path.read_text("utf-8"))
        if unpack(data)["events"][-1].get("error") == "FreedGraphError"
    ]
    assert freed == []


@pytest.fixture(scope="module")
def search(site):
    """The titles of what the search can find, and all its words."""
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    entries = [
        [unescape(re.sub(r"<[^>]+>", " ", entry[part])) for part in ("title", "text")]
        for entry in index["docs"]
    ]
    words = re.split(index["config"]["separator"], " ".join([" ".join(each) for each in entries]))
    return {plain(title) for title, _ in entries}, set(words)


def test_the_search_has_each_chapter_and_each_message(search):
    paths = sorted((ROOT / "notebooks").glob("*.ipynb"))
    cells = [json.loads(path.read_text("utf-8"))["cells"][0]["source"][0] for path in paths]
    assert len(cells) >= 3
    assert {plain(cell) for cell in cells} - search[0] == set()
    assert plain("Trying to backward through the graph a second time") in search[0]


PACKAGES = [
    *("", ".autograd", ".autograd.graph", ".autograd.functional", ".autograd.forward_ad"),
    *(".autograd.function", ".func", ".nn", ".nn.functional", ".nn.init", ".optim", ".tracing"),
    *(".optim.lr_scheduler", ".optim.swa_utils", ".distributions"),
    *(".tracing.torch", ".viz", ".utils.checkpoint", ".utils.data", ".data", ".doctor", ".errors"),
]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_in_the_reference_and_is_found(package, pages, search):
    module = importlib.import_module(f"glassgrad{package}".replace(".errors", ".core.errors"))
    described = {
        name for path, page in pages.items() if "reference" in path.parts for name in page.ids
    }
    missing = []
    for name in module.__all__:
        path = f"{module.__name__}.{name}"
        is_module = isinstance(getattr(module, name), ModuleType)
        known = {
            path,
            f"{path}.{name}",
            f"glassgrad.autograd.{name}",
            f"glassgrad.environment.{name}",
        }
        if not (is_module or name.startswith("_") or known & described):
            missing.append(name)
        elif not (is_module or name.startswith("_") or name in search[1]):
            missing.append(f"{name}, by the search")
    assert missing == []
