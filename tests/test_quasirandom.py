"""`torch.quasirandom` in both libraries."""

import pytest
import torch

import glassgrad


def test_points_of_sobols_sequence_are_pytorchs():
    def drawn(lib):
        engine = lib.quasirandom.SobolEngine(dimension=3)
        points = [engine.draw(3), engine.fast_forward(2).draw(), engine.reset().draw_base2(2)]
        written = engine.reset().draw(2, out=lib.zeros(2, 3))
        counted = engine.num_generated, engine.MAXDIM, repr(engine)
        return [x.tolist() for x in (*points, written)], engine.draw(1).dtype.itemsize, counted

    assert drawn(glassgrad) == drawn(torch)


def test_scrambled_points_have_a_seed(lib):
    first, second = [lib.quasirandom.SobolEngine(2, scramble=True, seed=1) for _ in range(2)]
    points = first.draw(8, dtype=lib.float64)
    assert points.tolist() == second.draw(8, dtype=lib.float64).tolist()
    assert points.min() >= 0
    assert points.max() < 1
    assert repr(first) == "SobolEngine(dimension=2, scramble=True, seed=1)"


def test_scrambled_points_follow_the_generator(lib):
    def points(seed):
        lib.manual_seed(seed)
        return lib.quasirandom.SobolEngine(2, scramble=True).draw(4).tolist()

    assert points(0) == points(0) != points(1)


def test_what_cannot_be_drawn_is_refused(lib):
    with pytest.raises(ValueError, match="Supported range of dimensionality for SobolEngine"):
        lib.quasirandom.SobolEngine(0)
    engine = lib.quasirandom.SobolEngine(2)
    engine.draw(1)
    with pytest.raises(ValueError, match="require n to be a power of 2"):
        engine.draw_base2(2)
