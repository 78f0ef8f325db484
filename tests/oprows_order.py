"""Rows of ops that sort, search and count, and of those that write into the place of a view."""

import math

import numpy as np

from glassgrad.ops import (
    diagonals,
    indexing,
    joining,
    ordering,
    random,
    reduction,
    selection,
    shape,
)
from opcase import OpCase, constant, fixed, real, sample, whole

__all__ = ["ROWS"]

TIES = fixed([[1.0, 3.0, 3.0], [2.0, 2.0, -1.0]])
POINT = sample(real(), dim=0)
SAME = constant([2.0, 2.0, 2.0])  # in order in all examples of a batch
FLAT = fixed([1, -1, 1])


ORDER = [
    OpCase(
        ordering.sort,
        [real(2, 3)],
        rules="Sort SortStable",
        more=[
            sample(real(3, 2), dim=0, descending=True, stable=True),
            sample(TIES, dim=1, descending=True, smooth=False),
            POINT,
            sample(whole(4)),
        ],
        wrong=[sample(real(2), dim=1), sample(constant([1j]))],
    ),
    OpCase(
        ordering.topk,
        [real(2, 4)],
        {"k": 2},
        more=[sample(real(3, 2), k=1, dim=0, largest=False), sample(real(), k=1)],
        wrong=[sample(real(2), k=3), sample(real(2), k=-1), sample(constant([True]), k=1)],
    ),
    OpCase(
        ordering.kthvalue,
        [real(2, 3)],
        {"k": 2},
        more=[sample(real(3, 2), k=1, dim=0, keepdim=True), sample(real(), k=1)],
        wrong=[sample(real(2), k=3), sample(real(0), k=1), sample(constant([1j]), k=1)],
    ),
    OpCase(
        ordering.mode,
        [real(2, 3)],
        more=[
            sample(TIES, smooth=False),
            sample(TIES, dim=0, keepdim=True, smooth=False),
            sample(whole(5)),
            POINT,
        ],
        wrong=[sample(real(0)), sample(constant([1j]))],
    ),
    OpCase(
        ordering.searchsorted,
        [SAME, constant([[0.0, 2.0], [2.5, 4.0]])],
        numpy=lambda x, y, right=False: np.searchsorted(x, y, "right" if right else "left"),
        more=[sample(SAME, constant([2.0, 1.0]), right=True)],
        wrong=[
            sample(real(2, 2), real(3, 1)),
            sample(real(), real(2)),
            sample(real(2), constant([1j])),
            sample(real(2), real(2), side="both"),
        ],
    ),
    OpCase(
        ordering.cummax,
        [real(2, 3)],
        {"dim": 1},
        more=[sample(TIES, dim=1, smooth=False), sample(real(3, 2), dim=0), POINT],
        wrong=[sample(real(2), dim=1), sample(constant([1j]), dim=0)],
    ),
    OpCase(
        ordering.cummin,
        [real(2, 3)],
        {"dim": 1},
        more=[sample(TIES, dim=1, smooth=False), POINT],
        wrong=[sample(real(2), dim=1)],
    ),
    OpCase(
        ordering.aminmax,
        [real(2, 3)],
        more=[sample(real(2, 3), dim=1, keepdim=True), sample(TIES, smooth=False)],
        wrong=[sample(real(0)), sample(real(0, 2), dim=0), sample(constant([1j]))],
    ),
]

COUNTS = [
    OpCase(
        ordering.unique,
        [constant([[3.0, 1.0], [1.0, 3.0], [3.0, 1.0]])],
        rules="Unique2 UniqueDim",
        more=[
            sample(constant([[3.0, 1.0], [1.0, 3.0], [3.0, 1.0]]), dim=0, return_counts=True),
            sample(whole(2, 3), return_inverse=True),
        ],
        wrong=[sample(constant([1j])), sample(real(0, 2), dim=1), sample(real(), dim=0)],
    ),
    OpCase(
        ordering.unique_consecutive,
        [whole(6)],
        more=[sample(constant([[1.0, 1.0, 2.0]]), dim=1, return_inverse=True)],
        wrong=[sample(constant([1j])), sample(real(2), dim=1)],
    ),
    OpCase(
        ordering.bincount,
        [whole(5)],
        numpy=np.bincount,
        more=[sample(constant([0, 2, 2]), constant([1.0, 1.0, 1.0]), minlength=5)],
        wrong=[
            sample(real(2)),
            sample(whole(2, 2)),
            sample(fixed([-1])),
            sample(whole(2), real(3)),
        ],
    ),
    OpCase(
        ordering.histc,
        [constant([1.0, 2.0, 1.0, 4.0])],
        {"bins": 3, "min": 0, "max": 3},
        rules="Histogram",
        more=[sample(constant([[1.0, 2.0], [2.5, 4.0]]), bins=4)],
        wrong=[sample(whole(2)), sample(real(2), bins=0), sample(real(2), bins=2, min=2, max=1)],
    ),
    OpCase(
        reduction.count_nonzero,
        [constant([[0.0, 1.0], [2.0, 3.0]])],
        numpy=lambda x, dim=None: np.count_nonzero(x, dim),
        more=[sample(whole(2, 3), dim=1)],
        wrong=[sample(real(2), dim=1)],
    ),
    OpCase(selection.argwhere, [whole(2, 3)], numpy=np.argwhere),
]

SUMS = [
    OpCase(
        reduction.nansum,
        [real(2, 3)],
        numpy=lambda x, dim=None, keepdim=False: np.nansum(x, dim, keepdims=keepdim),
        more=[
            sample(fixed([[1.0, math.nan], [2.0, 3.0]]), dim=1, smooth=False),
            sample(real(2, 3), dim=0, keepdim=True),
        ],
        wrong=[sample(constant([1j])), sample(real(2), dim=1)],
    ),
    OpCase(
        reduction.logcumsumexp,
        [real(2, 3)],
        {"dim": 1},
        numpy=lambda x, dim: np.logaddexp.accumulate(x, axis=dim) if x.ndim else x,
        more=[sample(real(3, 2), dim=0)],
        wrong=[sample(whole(2), dim=0), sample(real(2), dim=1)],
    ),
]

PLACES = [
    OpCase(
        joining.select_scatter,
        [real(2, 3), real(2)],
        {"dim": 1, "index": -1},
        more=[sample(real(2, 3), real(3), dim=0, index=1)],
        wrong=[sample(real(2), real(2), dim=0, index=0), sample(real(2), real(), dim=0, index=2)],
    ),
    OpCase(
        joining.slice_scatter,
        [real(4), real(2)],
        {"start": 1, "step": 2},
        more=[sample(real(2, 3), real(2, 2), dim=1, end=-1)],
        wrong=[sample(real(2), real(1)), sample(real(), real()), sample(real(2), real(2), step=0)],
    ),
    OpCase(
        diagonals.diagonal_scatter,
        [real(3, 3), real(3)],
        more=[sample(real(2, 2, 3), real(2, 2), offset=1, dim1=0, dim2=-1)],
        wrong=[sample(real(2, 2), real(3)), sample(real(2, 2), real(2), dim2=0)],
    ),
    OpCase(
        indexing.take,
        [real(2, 3), fixed([[0, -1], [0, 4]])],
        more=[sample(real(), fixed([0])), sample(real(2), whole())],
        wrong=[sample(real(2), fixed([2])), sample(real(2), real(1)), sample(real(0), fixed([0]))],
    ),
    OpCase(
        indexing.put,
        [real(2, 3), real(3), fixed([1, -1, 0])],
        call=lambda f, x, y, index, **params: f(x, index, y, **params),
        more=[sample(real(2, 3), real(3), FLAT, accumulate=True)],
        wrong=[
            sample(real(2), real(1), FLAT),
            sample(real(2), whole(3), FLAT),
            sample(real(2), real(3), real(3)),
        ],
    ),
    OpCase(
        indexing.unravel_index,
        [whole(3, high=6)],
        {"shape": (2, 3)},
        wrong=[sample(real(2), shape=(2,)), sample(whole(2), shape=(-1,))],
    ),
    OpCase(
        shape.rot90,
        [real(2, 3)],
        numpy=lambda x, k=1, dims=(0, 1): np.rot90(x, k, dims),
        more=[sample(real(2, 3, 1), k=-1, dims=(-1, 0)), sample(real(2, 2), k=2)],
        wrong=[sample(real(2)), sample(real(2, 2), dims=(0, 0)), sample(real(2, 2), dims=(0,))],
    ),
]

DRAWN = [
    OpCase(
        random.exponential_,
        [real(2, 3)],
        call=lambda f, x, lambd=1e300: f(x.clone(), lambd),
        rules="Exponential",
        wrong=[sample(real(2), lambd=-1.0)],
    ),
    OpCase(
        random.cauchy_,
        [real(2, 3)],
        call=lambda f, x, sigma=1e-300: f(x.clone(), 1.0, sigma),
        rules="Cauchy",
        wrong=[sample(real(2), sigma=0.0)],
    ),
    OpCase(
        random.log_normal_,
        [real(2, 3)],
        call=lambda f, x, std=1e-300: f(x.clone(), 1.0, std),
        rules="LogNormal",
        wrong=[sample(real(2), std=0.0)],
    ),
    OpCase(
        random.geometric_,
        [real(2, 3)],
        call=lambda f, x, p=1 - 1e-16: f(x.clone(), p),
        rules="Geometric",
        wrong=[sample(real(2), p=1.0)],
    ),
]

ROWS = [*ORDER, *COUNTS, *SUMS, *PLACES, *DRAWN]
