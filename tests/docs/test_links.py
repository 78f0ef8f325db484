"""The built pages as text: links, ids, and that all public names are in the reference."""

import importlib
import re
from collections import Counter
from functools import cache
from html import unescape
from types import ModuleType
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

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


PACKAGES = [
    *("", ".autograd", ".autograd.graph", ".autograd.functional", ".autograd.forward_ad"),
    *(".autograd.function", ".func", ".nn", ".nn.functional", ".nn.init", ".optim", ".tracing"),
    *(".optim.lr_scheduler", ".optim.swa_utils", ".distributions"),
    *(".tracing.torch", ".viz", ".utils.checkpoint", ".utils.data", ".data", ".doctor", ".errors"),
]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_in_the_reference(package, site, pages):
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
    assert missing == []
