"""`quasirandom.SobolEngine` beside PyTorch's."""

import pytest

import glassgrad as gg
from glassgrad.core.errors import ArgumentError


def test_points_are_pytorchs(lib):
    engine = lib.quasirandom.SobolEngine(3)
    assert engine.draw(2).tolist() == [[0.0, 0.0, 0.0], [0.5, 0.5, 0.5]]
    engine.fast_forward(3)
    assert engine.draw(dtype=lib.float64).tolist() == [[0.875, 0.875, 0.125]]
    assert engine.num_generated == 6
    assert engine.reset().draw_base2(2).shape == (4, 3)
    assert repr(engine) == "SobolEngine(dimension=3)"


def test_scrambled_points_depend_on_the_seed():
    def points(seed):
        return gg.quasirandom.SobolEngine(2, scramble=True, seed=seed).draw(4).tolist()

    assert points(1) == points(1)
    assert points(1) != points(2)


def test_cube_has_at_least_one_dim():
    with pytest.raises(ArgumentError, match="Supported range of dimensionality"):
        gg.quasirandom.SobolEngine(0)
