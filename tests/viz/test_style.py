import itertools

import pytest

from glassgrad.viz.style import FLOW, KINDS, MARKS, THEMES, TIES, contrast, flow_width, text_width

CASES = list(itertools.product(KINDS.values(), ["light", "dark"]))
IDS = [f"{kind.name}-{theme}" for kind, theme in CASES]


@pytest.mark.parametrize(("kind", "theme"), CASES, ids=IDS)
def test_text_can_be_read_on_every_fill(kind, theme):
    colours = THEMES[theme]
    assert contrast(colours["text"], kind.fill[theme]) >= 4.5
    assert contrast(colours["muted"], kind.fill[theme]) >= 4.5
    assert contrast(colours["canvas"], kind.pill(theme)) >= 4.5  # the text of a badge


@pytest.mark.parametrize(("kind", "theme"), CASES, ids=IDS)
def test_borders_stand_out_from_fill_and_canvas(kind, theme):
    assert contrast(kind.border[theme], kind.fill[theme]) >= 3
    assert contrast(kind.border[theme], THEMES[theme]["canvas"]) >= 3


@pytest.mark.parametrize(("kind", "theme"), CASES, ids=IDS)
def test_a_bad_box_and_a_marked_one_stand_out(kind, theme):
    bad = THEMES[theme]["bad"]
    for colour in (bad, *(mark.colour[theme] for mark in MARKS.values())):
        assert contrast(colour, kind.fill[theme]) >= 3
        assert contrast(colour, THEMES[theme]["canvas"]) >= 4.5  # and the text of its badge


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_ties_stand_out_and_do_not_differ_by_colour_alone(theme):
    for tie in TIES.values():
        assert contrast(THEMES[theme][tie.role], THEMES[theme]["canvas"]) >= 3
    assert len({(tie.dash, tie.width) for tie in TIES.values()}) == len(TIES)


def test_marks_do_not_differ_by_colour_alone():
    assert len({mark.dash for mark in MARKS.values()}) == len(MARKS)
    assert len({mark.label for mark in MARKS.values()}) == len(MARKS)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_player_can_be_read(theme):
    colours = THEMES[theme]
    assert contrast(colours["on-accent"], colours["accent"]) >= 4.5
    for ground, role in itertools.product(("canvas", "panel"), ("text", "muted", "accent", "bad")):
        assert contrast(colours[role], colours[ground]) >= 4.5
    for role in ("line", "done"):
        assert contrast(colours[role], colours["canvas"]) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_arrows_by_flow_stand_out_and_more_is_wider_and_further_from_the_canvas(theme):
    contrasts = [contrast(shade, THEMES[theme]["canvas"]) for shade in FLOW[theme]]
    assert contrasts[0] >= 3
    assert contrasts == sorted(contrasts)
    assert [flow_width(step) for step in range(6)] == sorted(flow_width(step) for step in range(6))


def test_no_two_kinds_differ_by_colour_alone():
    looks = [
        (kind.shape, kind.width, kind.dash, kind.doubled, kind.badge) for kind in KINDS.values()
    ]
    assert len(set(looks)) == len(looks)


def test_contrast_of_known_pairs():
    assert contrast("#FFFFFF", "#FFFFFF") == 1
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


def test_wide_characters_are_wide():
    assert text_width("漢字", 10) == pytest.approx(21.6)
    assert text_width("漢字", 10, mono=True) == pytest.approx(4 * text_width("a", 10, mono=True))
