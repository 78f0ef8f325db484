"""Random programs do in glassgrad what they do in PyTorch."""

import pytest

from fuzz.counting import run_many
from fuzz.generator import ALL_FEATURES, TAPE, THEMES


def slow(*args):
    return pytest.param(*args, marks=pytest.mark.slow)


@pytest.fixture(scope="module", params=[100, slow(450)])
def counts(request):
    return run_many(range(request.param), TAPE)


def test_random_programs_agree_with_pytorch(counts):
    assert not counts.mismatches, "\n\n".join([counts.table(), *counts.reports])


def test_most_programs_run_without_an_error(counts):
    assert counts.without_error >= 0.7 * counts.programs


def test_every_feature_and_some_errors_are_met(counts):
    seldom = {"watch"}  # only where no graph of a fused op is behind
    for feature in TAPE - seldom:
        assert counts.features[feature] >= counts.programs / 10, counts.table()
    assert counts.features["watch"] >= counts.programs / 30
    assert len(counts.errors) >= 5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("count", [8, slow(100)])
def test_programs_of_a_theme_agree_with_pytorch(theme, count):
    counts = run_many(range(count), TAPE | {theme})
    assert not counts.mismatches, "\n\n".join([counts.table(), *counts.reports])


def test_a_program_has_many_themes_or_none():
    assert TAPE | THEMES.keys() == ALL_FEATURES
