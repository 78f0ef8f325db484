"""Notebooks as pages of the documentation: run at build, the same each time, in the site's ways."""

import importlib.util
import re
from pathlib import Path

import pytest

from solved import ASKED, RUN

ROOT = Path(__file__).parents[2]
PLAYER = 'class="gg gg-player'


@pytest.fixture(scope="module")
def step():
    """The module that makes pages of notebooks."""
    place = ROOT / "docs" / "_build" / "notebooks.py"
    spec = importlib.util.spec_from_file_location("glassgrad_docs_notebooks", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(step):
    return {path.stem: step.page_of(path) for path in RUN}


@pytest.mark.slow
def test_a_page_is_the_same_each_time(step, pages):
    path = RUN[-1]
    assert step.page_of(path) == pages[path.stem]


def test_pictures_and_players_are_those_of_the_site(pages):
    for path in RUN:
        page = pages[path.stem]
        source = path.read_text("utf-8")
        drawings, players = page.count('<figure class="gg-figure"'), page.count(PLAYER)
        drawings -= page.count('<div class="gg-below"><figure')  # of a slider
        players -= page.count('<div class="gg-below"><section')
        assert drawings == len(re.findall(r'"gg\.draw\(', source))
        assert players == len(re.findall(r'"gg\.player\(', source))
        assert "<iframe" not in page
        assert "data:image" not in page


def test_ids_are_those_of_one_picture(pages):
    for page in pages.values():
        ids = re.findall(r' id="([^"]+)"', page)
        assert len(set(ids)) == len(ids)


@pytest.mark.skipif(bool(ASKED), reason="one chapter was asked for")
def test_live_players_show_what_was_played(pages):
    players = next(
        page for stem, page in pages.items() if stem.endswith("inside-the-engine")
    ).split(PLAYER)[1:]
    assert all('"accumulate"' in player for player in players)


def test_links_lead_to_pages(pages):
    for page in pages.values():
        assert ".ipynb)" not in page
        for target in re.findall(r"\]\(([\w-]+)\.md\)", page):
            assert (ROOT / "notebooks" / f"{target}.ipynb").is_file()


def test_the_words_of_the_chapters_make_a_glossary(step):
    page = step.glossary()
    found = re.findall(r"^\*\*(.+)\*\*\n:   .+ \[.+\]\([\w-]+\.md\)$", page, re.M)
    assert {"gradient", "tape", "loss"} <= set(found)
    assert len(found) == len(set(found)) == page.count("\n:   ")


def test_solutions_stay_folded(pages):
    for page in pages.values():
        assert page.count('??? success "A solution"') == 3
        assert "<details>" not in page


def test_a_cell_to_complete_is_folded_up_with_its_check(pages):
    for page in pages.values():
        asked = re.findall(r"^( *)gg\.course\.check\(", page, re.MULTILINE)
        assert set(asked) <= {"    "}
        folded = page.split('??? example "The cell to complete, and its check"')[1:]
        assert len(folded) == len(asked)
        for each in folded:
            assert each.partition("gg.course.check(")[0].count("```python") == 2


def test_the_page_of_the_course_has_each_chapter_with_its_question(step):
    page = step.contents("[[chapters]]")
    assert "- 1 · [Why gradients: fitting a line" in page
    assert "(../notebooks/01-why-gradients.md)" in page
    chapters = list((ROOT / "docs" / "solutions").glob("*.py"))
    assert len(re.findall(r"^- \d+ · \[", page, re.MULTILINE)) == len(chapters)


def test_formulas_are_typeset_without_a_script(pages):
    for page in pages.values():
        assert "$" not in re.sub(
            r"```.*?```|<section.*?</section>|<figure.*?</figure>", "", page, flags=re.S
        )
        assert "<mtext>\\" not in page


def test_no_address_of_memory_is_shown(pages):
    assert not any(re.search(r"at 0x[0-9a-f]{6}", page) for page in pages.values())
