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


def test_the_page_of_errors_has_each_message_under_its_first_words(rows, build, monkeypatch):
    remedies = build("remedies")
    monkeypatch.setattr(remedies, "rows", lambda: rows)
    page = remedies.fill((DOCS / "reference" / "remedies.md").read_text("utf-8"))
    assert "### Trying to backward through the graph a second time\n" in page
    assert "### mat1 and mat2 shapes cannot be multiplied\n" in page
    assert "- [`broadcast-loss`](../guides/watch.md#broadcast-loss): " in page
    for number, row in enumerate(rows, start=1):
        assert row.is_watched or not row.ours.text or f"#mistake-{number})" in page


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("does not require grad (shape ()). It was cut off.", "does not require grad"),
        ("modified by: [torch.FloatTensor [2]]", "modified by"),
        ("vmap: you call .item() on it. We do not.", "vmap: you call .item() on it"),
        ("Can't call numpy(), got shape (2,). Use", "Can't call numpy()"),
    ],
)  # fmt: skip
def test_first_words_are_those_that_people_search_for(message, first, build):
    assert build("remedies").key(message) == first
