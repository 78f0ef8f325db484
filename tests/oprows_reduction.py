"""Rows of reductions."""

import math

import numpy as np

from glassgrad.ops import ordering, reduction
from opcase import OpCase, fixed, flags, real, sample, whole

__all__ = ["ROWS"]

EMPTY, POINT = sample(real(0, 3)), sample(real())
TIES = fixed([[1.0, 3.0, 3.0], [2.0, 2.0, -1.0]])


def _spread(name):
    """NumPy's var or std with PyTorch's parameters."""

    def function(x, dim=None, correction=1, keepdim=False):
        axis = tuple(dim) if isinstance(dim, list) else dim
        return getattr(np, name)(x, axis=axis, ddof=correction, keepdims=keepdim)

    return function


def _over(name):
    """A reduction of NumPy with PyTorch's parameters."""

    def function(x, dim=None, keepdim=False):
        return getattr(np, name)(x, axis=dim, keepdims=keepdim)

    return function


REDUCTION = [
    OpCase(
        reduction.sum,
        [real(2, 3)],
        numpy=lambda x, dim=None, keepdim=False, dtype=None: np.sum(x, dim, dtype, None, keepdim),
        rules="Sum SumDim",
        more=[
            sample(real(2, 3), dim=0),
            sample(real(2, 3, 2), dim=(0, -1), keepdim=True),
            sample(real(0, 3), dim=0),
            sample(real(), dim=0),
            sample(whole(2, 3)),
            sample(flags(3), dim=-1),
        ],
        wrong=[sample(real(2), dim=1), sample(real(2, 2), dim=(0, 0))],
    ),
    OpCase(
        reduction.mean,
        [real(2, 3)],
        numpy=_over("mean"),
        rules="Mean MeanDim",
        more=[
            sample(real(2, 3), dim=-1),
            sample(real(2, 3, 2), dim=(0, 2), keepdim=True),
            sample(real(1), dim=0),
            POINT,
        ],
        wrong=[sample(real(2), dim=1), sample(whole(2))],
    ),
    OpCase(
        reduction.var,
        [real(2, 3)],
        numpy=_spread("var"),
        more=[sample(real(2, 3), dim=1, correction=0), sample(real(3, 2), dim=[0], keepdim=True)],
        wrong=[sample(whole(2)), sample(real(2), dim=2)],
    ),
    OpCase(
        reduction.std,
        [real(2, 3)],
        numpy=_spread("std"),
        more=[
            sample(real(2, 3), dim=1, correction=0.5),
            sample(fixed([2.0, 2.0]), smooth=False),
        ],
        wrong=[sample(whole(2))],
    ),
    OpCase(
        reduction.logsumexp,
        [real(2, 3)],
        {"dim": 0},
        numpy=lambda x, dim, keepdim=False: np.log(np.exp(x).sum(axis=dim, keepdims=keepdim)),
        rules="LogSumExp",
        more=[sample(real(2, 3), dim=(0, 1)), sample(real(2, 1), dim=-1, keepdim=True)],
        wrong=[sample(real(2), dim=1)],
    ),
    OpCase(
        reduction.any,
        [flags(2, 3)],
        numpy=_over("any"),
        rules="Some",
        more=[sample(real(2, 3), dim=0), sample(whole(2, 3), dim=(0, 1)), sample(flags(0))],
    ),
    OpCase(
        reduction.all,
        [flags(2, 3)],
        numpy=_over("all"),
        more=[sample(real(2, 3), dim=0, keepdim=True), sample(whole(2, 3), dim=1)],
    ),
    OpCase(
        ordering.max,
        [real(2, 3)],
        rules="Max MaxDim",
        more=[
            sample(real(2, 3), dim=0),
            sample(real(2, 3), dim=-1, keepdim=True),
            sample(real(), dim=0),
            sample(TIES, smooth=False),
            sample(TIES, dim=1, smooth=False),
        ],
        wrong=[EMPTY, sample(real(0, 3), dim=0), sample(real(2), dim=1)],
    ),
    OpCase(
        ordering.min,
        [real(2, 3)],
        rules="Min MinDim",
        more=[sample(real(2, 3), dim=0), sample(TIES, dim=0, smooth=False), POINT],
        wrong=[EMPTY, sample(real(0, 3), dim=0)],
    ),
    OpCase(
        ordering.amax,
        [real(2, 3)],
        numpy=_over("max"),
        more=[
            sample(real(2, 3), dim=0),
            sample(TIES, dim=(0, 1), keepdim=True, smooth=False),
            sample(TIES, dim=1, smooth=False),
        ],
        wrong=[sample(real(0, 3), dim=0)],
    ),
    OpCase(
        ordering.amin,
        [real(2, 3)],
        numpy=_over("min"),
        more=[sample(real(2, 3), dim=-1), sample(TIES, dim=(0, 1), smooth=False)],
        wrong=[sample(real(0, 3), dim=0)],
    ),
    OpCase(
        ordering.argmax,
        [TIES],
        numpy=lambda x, dim=None, keepdim=False: np.argmax(x, dim, keepdims=keepdim),
        rules="ArgMax",
        more=[sample(TIES, dim=1), sample(real(2, 3), dim=0, keepdim=True), sample(real(), dim=0)],
        wrong=[EMPTY, sample(real(2), dim=1)],
    ),
    OpCase(
        ordering.argmin,
        [TIES],
        numpy=lambda x, dim=None, keepdim=False: np.argmin(x, dim, keepdims=keepdim),
        rules="ArgMin",
        more=[sample(TIES, dim=1), sample(whole(2, 3), dim=0)],
        wrong=[EMPTY],
    ),
]

WITH_NAN = fixed([[math.nan, 1.0, 3.0], [2.0, 2.0, math.nan]])
WITH_ZEROS = fixed([[0.0, 2.0, 3.0], [0.0, 0.0, 1.5]])

CHOSEN = [
    OpCase(
        ordering.median,
        [real(2, 3)],
        rules="Median MedianDim",
        more=[
            sample(real(2, 3), dim=0),
            sample(real(2, 3), dim=-1, keepdim=True),
            sample(real(), dim=0),
            sample(TIES, smooth=False),
            sample(WITH_NAN, smooth=False),
            sample(WITH_NAN, dim=1, smooth=False),
        ],
        wrong=[sample(real(0, 3), dim=0), sample(real(2), dim=1)],
    ),
    OpCase(
        ordering.nanmedian,
        [real(2, 3)],
        rules="Nanmedian NanmedianDim",
        more=[
            sample(real(2, 3), dim=0),
            sample(WITH_NAN, smooth=False),
            sample(WITH_NAN, dim=1, smooth=False),
        ],
        wrong=[sample(real(0, 3), dim=0)],
    ),
]

MOMENTS = [
    OpCase(
        reduction.var_mean,
        [real(2, 3)],
        more=[sample(real(2, 3), dim=1, correction=0), sample(real(3, 2), dim=[0], keepdim=True)],
        wrong=[sample(whole(2)), sample(real(2), dim=2)],
    ),
    OpCase(
        reduction.std_mean,
        [real(2, 3)],
        more=[sample(real(2, 3), dim=1), sample(fixed([2.0, 2.0]), smooth=False)],
        wrong=[sample(whole(2))],
    ),
]

CUMULATING = [
    OpCase(
        reduction.cumsum,
        [real(2, 3)],
        {"dim": 1},
        numpy=lambda x, dim: np.cumsum(x, dim),
        more=[sample(real(2, 3), dim=-2), sample(real(0, 2), dim=0), sample(whole(3), dim=0)],
        wrong=[sample(real(2), dim=1)],
    ),
    OpCase(
        reduction.cumprod,
        [real(2, 3)],
        {"dim": 1},
        numpy=lambda x, dim: np.cumprod(x, dim),
        more=[sample(WITH_ZEROS, dim=1), sample(WITH_ZEROS, dim=0), sample(real(0, 2), dim=0)],
        wrong=[sample(real(2), dim=1)],
    ),
    OpCase(
        reduction.prod,
        [real(2, 3)],
        rules="Prod ProdDim",
        more=[
            sample(real(2, 3), dim=0),
            sample(real(2, 3), dim=-1, keepdim=True),
            sample(WITH_ZEROS),
            sample(WITH_ZEROS, dim=1),
            sample(real(0, 3), dim=0),
            sample(whole(2, 3)),
            POINT,
        ],
        wrong=[sample(real(2), dim=1)],
    ),
]

ROWS = [*REDUCTION, *CHOSEN, *MOMENTS, *CUMULATING]
