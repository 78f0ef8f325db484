"""Rows of ops on lines of a tensor: diagonals, windows, vectors, distributions."""

import numpy as np

import glassgrad
from glassgrad.ops import diagonals, linalg, random
from opcase import OpCase, fixed, real, sample, whole

__all__ = ["ROWS"]

ROWS = [
    OpCase(
        diagonals.diag_embed,
        [real(2, 3)],
        more=[
            sample(real(2), offset=1),
            sample(real(2, 3), offset=-1, dim1=0, dim2=2),
            sample(real(2, 2), offset=2, dim1=-1, dim2=0),
            sample(whole(3)),
        ],
        wrong=[sample(real()), sample(real(2), dim1=0, dim2=0), sample(real(2), dim1=2)],
    ),
    OpCase(
        diagonals.diag,
        [real(2, 3)],
        numpy=lambda x, diagonal=0: np.diag(x, diagonal),
        rules="DiagonalCopy",
        more=[sample(real(3, 3), diagonal=-1), sample(real(2, 2), diagonal=3)],
        wrong=[sample(real()), sample(real(2, 2, 2))],
    ),
    OpCase(
        diagonals.trace,
        [real(2, 3)],
        numpy=np.trace,
        more=[sample(real(3, 2)), sample(real(0, 3)), sample(whole(2, 2))],
        wrong=[sample(real(2)), sample(real(2, 2, 2))],
    ),
    OpCase(
        glassgrad.Tensor.unfold,
        [real(5)],
        {"dimension": 0, "size": 3, "step": 1},
        call=lambda f, x, dimension, size, step: x.unfold(dimension, size, step),
        rules="Unfold UnfoldInto",
        more=[
            sample(real(2, 5), dimension=-1, size=2, step=2),
            sample(real(4, 3), dimension=0, size=2, step=3),
            sample(real(3), dimension=0, size=0, step=1),
        ],
        wrong=[
            sample(real(2), dimension=0, size=3, step=1),
            sample(real(2), dimension=0, size=-1, step=1),
            sample(real(2), dimension=0, size=1, step=0),
            sample(real(2), dimension=1, size=1, step=1),
        ],
    ),
    OpCase(
        linalg.cross,
        [real(2, 3), real(2, 3)],
        {"dim": 1},
        numpy=lambda x, y, dim: np.cross(x, y, axis=dim),
        rules="LinalgCross",
        more=[sample(real(3, 2), real(3, 1), dim=0), sample(real(3), real(3), dim=-1)],
        wrong=[
            sample(real(2, 3), real(3), dim=-1),
            sample(real(2, 2), real(2, 2), dim=0),
            sample(real(2, 2), real(2, 2)),
        ],
    ),
    OpCase(
        random.multinomial,
        [fixed([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])],  # whatever the numbers: no other choice
        {"num_samples": 1},
        more=[sample(fixed([0.0, 3.0, 0.0]), num_samples=4, replacement=True)],
        wrong=[
            sample(real(2, 2, 2), num_samples=1),
            sample(fixed([1.0, 2.0]), num_samples=3),
            sample(fixed([1.0, 2.0]), num_samples=0),
            sample(fixed([1.0, -2.0]), num_samples=1),
            sample(fixed([0.0, 0.0]), num_samples=1),
            sample(whole(3), num_samples=1),
        ],
    ),
]
