import itertools
from functools import cache

import numpy as np
import pytest

from checks import Checks, together
from glassgrad.viz.style import (
    COLOURS,
    FLOWS,
    KINDS,
    MARKS,
    TIES,
    look_of,
    text_width,
)

# How people see who lack one of the three kinds of cones, as matrices on linear RGB: G. Machado,
# M. Oliveira and L. Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (2009), severity 1.0.
SIGHTS = {
    "usual": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
CASES = list(itertools.product(KINDS.values(), ["light", "dark"], SIGHTS))
VIEWS = list(itertools.product(["light", "dark"], SIGHTS))


@cache
def seen(colour, sight):
    """A colour (`#RRGGBB`) as somebody of that sight has it."""
    channels = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(SIGHTS[sight]) @ linear, 0, 1)
    curved = 1.055 * linear ** (1 / 2.4) - 0.055
    channels = np.where(linear <= 0.0031308, linear * 12.92, curved)
    return "#" + "".join(f"{round(value * 255):02X}" for value in channels)


def contrast(first, second):
    """The contrast ratio of two colours (`#RRGGBB`), from 1 to 21, as WCAG 2 defines it."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@cache
def luminance(colour):
    channels = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast_for(sight, first, second):
    return contrast(seen(first, sight), seen(second, sight))


def test_text_can_be_read_on_every_fill():
    with Checks() as checks:
        for kind, theme, sight in CASES:
            with checks.named(kind.name, theme, sight):
                colours = COLOURS[theme]
                fill, badge = colours[f"{kind.name}-fill"], colours[f"{kind.name}-badge"]
                assert contrast_for(sight, colours["text"], fill) >= 4.5
                assert contrast_for(sight, colours["muted"], fill) >= 4.5
                assert contrast_for(sight, colours["canvas"], badge) >= 4.5  # a badge's text


def test_borders_stand_out_from_fill_and_canvas():
    with Checks() as checks:
        for kind, theme, sight in CASES:
            with checks.named(kind.name, theme, sight):
                colours = COLOURS[theme]
                border = colours[f"{kind.name}-border"]
                assert contrast_for(sight, border, colours[f"{kind.name}-fill"]) >= 3
                assert contrast_for(sight, border, colours["canvas"]) >= 3


def test_a_bad_box_and_a_marked_one_stand_out():
    with Checks() as checks:
        for kind, theme, sight in CASES:
            with checks.named(kind.name, theme, sight):
                colours = COLOURS[theme]
                for colour in (colours["bad"], *(colours[mark] for mark in MARKS)):
                    assert contrast_for(sight, colour, colours[f"{kind.name}-fill"]) >= 3
                    # And the text of its badge.
                    assert contrast_for(sight, colour, colours["canvas"]) >= 4.5


@together
@pytest.mark.parametrize(("theme", "sight"), VIEWS)
def test_ties_stand_out_and_do_not_differ_by_colour_alone(theme, sight):
    for tie in TIES.values():
        assert contrast_for(sight, COLOURS[theme][tie.role], COLOURS[theme]["canvas"]) >= 3
    assert len({(tie.dash, tie.width) for tie in TIES.values()}) == len(TIES)


def test_marks_do_not_differ_by_colour_alone():
    assert len({mark.dash for mark in MARKS.values()}) == len(MARKS)
    assert len({mark.label for mark in MARKS.values()}) == len(MARKS)


@together
@pytest.mark.parametrize(("theme", "sight"), VIEWS)
def test_the_player_can_be_read(theme, sight):
    colours = COLOURS[theme]
    assert contrast_for(sight, colours["on-accent"], colours["accent"]) >= 4.5
    grounds, roles = ("canvas", "panel"), ("text", "muted", "accent", "bad", "done")
    for ground, role in itertools.product(grounds, roles):
        assert contrast_for(sight, colours[role], colours[ground]) >= 4.5
    assert contrast_for(sight, colours["line"], colours["canvas"]) >= 3


@together
@pytest.mark.parametrize(("theme", "sight"), VIEWS)
def test_arrows_by_flow_stand_out_and_more_is_wider_and_further_from_the_canvas(theme, sight):
    shades = [COLOURS[theme][f"flow-{step}"] for step in range(6)]
    contrasts = [contrast_for(sight, shade, COLOURS[theme]["canvas"]) for shade in shades]
    assert contrasts[0] >= 3
    assert contrasts == sorted(contrasts)
    looks = [look_of(".line", [f"flow-{step}"], theme) for step in range(6)]
    assert [look["stroke"] for look in looks] == shades
    widths = [float(look["stroke-width"]) for look in looks]
    assert widths == sorted(widths)


def test_arrows_by_flow_do_not_differ_by_colour_alone():
    looks = [look_of(".line", [flow]) for flow in FLOWS]
    assert len({(each["stroke-width"], each.get("stroke-dasharray")) for each in looks}) == 8


def test_no_two_kinds_differ_by_colour_alone():
    # In the picture the word in a badge tells an output from a leaf, and "heat" has neither.
    badges = {"output": "OUT", "leaf": "LEAF", "function": "#1"}
    looks = [
        (kind.shape, kind.width, kind.dash, kind.doubled, kind.sign or badges.get(kind.name, ""))
        for kind in KINDS.values()
    ]
    assert len(set(looks)) == len(looks)


def test_a_colour_seen_without_green_cones():
    assert seen("#FFFFFF", "deuteranopia") == "#FFFFFF"
    assert seen("#00FF00", "deuteranopia") == "#EFD63A"
    assert seen("#123456", "usual") == "#123456"


def test_contrast_of_known_pairs():
    assert contrast("#FFFFFF", "#FFFFFF") == 1
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


def test_wide_characters_are_wide():
    assert text_width("漢字", 10) == pytest.approx(20.02)
    assert text_width("漢字", 10, mono=True) == pytest.approx(4 * text_width("a", 10, mono=True))


def test_room_is_kept_for_the_sign_that_stands_for_control_characters():
    assert text_width("\ufffd", 10) > text_width("W", 10)
