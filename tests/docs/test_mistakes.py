"""The table of beginners' mistakes: what each message promises, and that PyTorch's are its own."""

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def mistakes():
    sys.path.insert(0, str(DOCS / "_build"))
    try:
        import mistakes
    finally:
        sys.path.remove(str(DOCS / "_build"))
    return mistakes


@pytest.fixture(scope="module")
def rows(mistakes):
    theirs = mistakes.stored()[1]
    return [mistakes.judged(mistake, theirs[mistake.title]) for mistake in mistakes.mistakes()]


def test_there_are_fifty_six_each_with_a_line_that_has_to_be_changed(mistakes):
    every = mistakes.mistakes()
    assert len({mistake.title for mistake in every}) == len(every) == 56
    assert [mistake.title for mistake in every if not mistake.works and mistake.line < 1] == []


def test_none_is_worse_than_in_pytorch_and_at_most_six_are_equal(rows):
    found = {row.mistake.title: row.verdict for row in rows}
    assert [title for title, verdict in found.items() if verdict == "worse"] == []
    equal = [title for title, verdict in found.items() if verdict == "equal"]
    assert len(equal) <= 6, equal


def test_each_message_has_what_its_row_promises(rows):
    told = {
        row.mistake.title: set(row.mistake.asked()) - set(row.our_merits) - set(row.mistake.lacks)
        for row in rows
    }
    assert {title: missing for title, missing in told.items() if missing} == {}


def test_a_traceback_shows_at_most_three_frames_of_ours(rows):
    assert {row.mistake.title: row.ours.frames for row in rows if row.ours.frames > 3} == {}


def test_what_pytorch_says_is_what_it_says_today(mistakes):
    """`python docs/_build/mistakes.py` writes it down anew."""
    torch = pytest.importorskip("torch")
    version, theirs = mistakes.stored()
    assert version == torch.__version__.partition("+")[0]
    for mistake in mistakes.mistakes():
        assert mistakes.run(mistake, "torch") == theirs[mistake.title], mistake.title


def test_the_page_has_every_program_and_no_place_left_to_fill(mistakes, rows):
    page = mistakes.fill((DOCS / "guides" / "mistakes.md").read_text("utf-8"))
    assert not re.search(r"\[\[[a-zP]", page)
    assert all(row.mistake.program.rstrip() in page for row in rows)
