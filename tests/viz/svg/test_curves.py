import pytest

from glassgrad.viz.svg.curves import beside

LEVEL = [(0.0, 0.0), (20.0, 0.0), (40.0, 0.0), (60.0, 0.0)]
STEEP = [(30.0, -40.0), (30.0, -20.0), (30.0, 20.0), (30.0, 40.0)]


@pytest.mark.parametrize("y", [-3.0, 3.0])
def test_a_label_at_a_level_line_stays_on_its_side(y):
    assert beside([LEVEL], (30.0, y), (8.0, 6.0), 4.0) == (30.0, 8.0 if y > 0 else -8.0)


def test_a_label_at_a_steep_line_goes_aside():
    assert beside([STEEP], (25.0, 0.0), (8.0, 6.0), 4.0) == (pytest.approx(20.0), 0.0)


@pytest.mark.parametrize("label", [(30.0, 9.0), (90.0, 0.0)])
def test_a_label_that_is_clear_of_the_line_stays(label):
    assert beside([LEVEL], label, (8.0, 6.0), 4.0) == label


def test_a_label_does_not_leave_its_line():
    assert beside([STEEP], (30.0, 0.0), (80.0, 30.0), 4.0) == (30.0, 0.0)


def test_a_label_keeps_clear_of_the_lines_beside_its_own():
    below = [(x, 12.0) for x, _ in LEVEL]
    assert beside([LEVEL], (30.0, 3.0), (8.0, 6.0), 4.0) == (30.0, 8.0)
    assert beside([LEVEL, below], (30.0, 3.0), (8.0, 6.0), 4.0) == (30.0, -8.0)


def test_where_there_is_no_room_for_that_it_keeps_clear_of_its_own():
    others = [[(x, y) for x, _ in LEVEL] for y in (-26.0, -12.0, 12.0, 26.0)]
    assert beside([LEVEL, *others], (30.0, 3.0), (8.0, 6.0), 4.0) == (30.0, 8.0)
