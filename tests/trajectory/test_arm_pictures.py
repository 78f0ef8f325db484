"""What the pictures of the arm show, and that they leave nothing behind."""

import sys

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from glassgrad.trajectory._arm.pictures import (
    HOLD,
    JOINTS,
    UNITS,
    corners_of,
    draw_panels,
    draw_snapshots,
    save,
    save_animation,
    time_colors,
)
from glassgrad.trajectory._arm.planning import Task, plan

TASK = Task()


@pytest.fixture(scope="module")
def pair():
    """The straight line, and what a few steps make of a folded guess."""
    found = plan(TASK, 30)
    return found.before["straight"], found.after["folded right"]


@pytest.fixture(scope="module")
def animation(pair, tmp_path_factory):
    path = tmp_path_factory.mktemp("moving") / "arm.gif"
    save_animation(TASK, *pair, path)
    return path


def luminance(color):
    red, green, blue = mpl.colors.to_rgb(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def settings():
    """All but the backend: to ask for it chooses one."""
    return {name: mpl.rcParams[name] for name in mpl.rcParams if name != "backend"}


def curves(axes):
    """The lines of a panel, without the one at zero."""
    return [line for line in axes.lines if len(line.get_xdata()) == TASK.horizon]


def test_four_panels_have_names_and_units_and_share_the_time(pair):
    panels = draw_panels(TASK, *pair).axes
    names = ("position", "velocity", "acceleration", "jerk")
    assert [axes.get_ylabel() for axes in panels] == [
        f"{name}\n({unit})" for name, unit in zip(names, UNITS, strict=True)
    ]
    assert panels[-1].get_xlabel() == "time (s)"
    assert len({axes.get_xlim() for axes in panels}) == 1


def test_panels_show_before_dashed_and_after_solid(pair):
    for number, axes in enumerate(draw_panels(TASK, *pair).axes):
        for at, line in enumerate(curves(axes)):
            joint, is_after = divmod(at, 2)
            assert line.is_dashed() is not bool(is_after)
            wanted = pair[is_after].trajectory[number][0, :, joint]
            np.testing.assert_array_equal(line.get_ydata(), wanted.numpy())


def test_joints_differ_in_more_than_colour():
    assert len({marker for _, _, marker in JOINTS}) == len({color for _, color, _ in JOINTS}) == 2


def test_the_legend_covers_no_curve(pair):
    figure = draw_panels(TASK, *pair)
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert not any(box.overlaps(axes.get_window_extent()) for axes in figure.axes)


def test_snapshots_are_to_scale_and_show_the_disc_and_the_path_of_the_tip(pair):
    before, after, _ = draw_snapshots(TASK, *pair).axes
    for axes, outcome in zip((before, after), pair, strict=True):
        assert axes.get_aspect() == 1.0
        assert axes.patches[0].center == TASK.disc.center
        assert axes.patches[0].radius == TASK.disc.radius
        tips = corners_of(TASK, outcome)[1:, 2]
        assert any(np.array_equal(line.get_xydata(), tips) for line in axes.lines)
        words = [text.get_text() for text in axes.texts]
        assert words == ["start", "goal"]
        assert axes.get_xlabel() == "x (m)"
    assert "through the disc, clearance −0.23 m" in before.get_title()


def test_time_goes_from_dark_to_light_in_grey_too():
    shades = [luminance(time_colors()(x)) for x in np.linspace(0, 1, 9)]
    assert shades == sorted(shades)
    assert shades[-1] - shades[0] > 0.5


def test_the_animation_plays_every_sample_at_its_pace_and_then_rests(animation):
    with Image.open(animation) as moving:
        assert moving.n_frames == TASK.horizon - 1
        assert moving.info["loop"] == 0
        lasting = []
        for frame in range(moving.n_frames):
            moving.seek(frame)
            lasting.append(moving.info["duration"])
            assert moving.convert("RGB").getpixel((1, 1)) == (255, 255, 255)
    assert lasting == [*[50] * (TASK.horizon - 2), HOLD]
    assert animation.stat().st_size < 1_000_000


def test_frames_differ(animation):
    with Image.open(animation) as moving:
        pictures = []
        for frame in (0, 20, 42):
            moving.seek(frame)
            pictures.append(moving.convert("RGB").tobytes())
    assert len(set(pictures)) == 3


@pytest.mark.slow  # as test_main.py shows of all files, in two processes
@pytest.mark.parametrize("form", ["png", "svg"])
def test_a_picture_is_the_same_each_time(pair, tmp_path, form):
    paths = tmp_path / f"a.{form}", tmp_path / f"b.{form}"
    for path in paths:
        save(draw_snapshots(TASK, *pair), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_settings_of_matplotlib_are_used_by_none_and_kept(pair, tmp_path):
    had_windows = "matplotlib.pyplot" in sys.modules
    save(draw_panels(TASK, *pair), tmp_path / "a.png")
    with mpl.rc_context({"font.size": 30.0, "axes.facecolor": "red", "lines.linewidth": 9.0}):
        before = settings()
        save(draw_panels(TASK, *pair), tmp_path / "b.png")
        assert settings() == before
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert ("matplotlib.pyplot" in sys.modules) is had_windows
