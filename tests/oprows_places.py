"""Rows of ops that read or write chosen places: by a mask, a vector of places, or an index."""

import warnings

from glassgrad.ops import indexing, masking, scattering
from opcase import OpCase, constant, fixed, flags, real, sample, whole

__all__ = ["ROWS"]

MASK = constant([True, False, True])
PLACES = fixed([0, 2])
INDEX = fixed([[0, 1, 0], [1, 1, 0]])
ZEROS = fixed([[0.0, 1.0, 2.0], [0.0, 3.0, 1.0]])
REDUCED = fixed([[1.0, 2.0, 3.0], [2.0, 2.0, 1.0], [0.5, 1.0, 1.0]])


def _masked(function, x, mask, *values, value=None):
    return function(x, mask, *values) if value is None else function(x, mask, value)


def _along(function, x, index, *values, dim=0, **params):
    """The tensors in the order of PyTorch's arguments; it says that index_reduce is new there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(x, dim, index, *values, **params)


def _put(function, x, values, *indices, accumulate=False):
    return function(x, indices, values, accumulate)


MASKS = [
    OpCase(
        masking.masked_fill,
        [real(2, 3), MASK],
        {"value": 2.0},
        call=_masked,
        rules="MaskedFill MaskedFillTensor",
        more=[
            sample(real(3), flags(2, 3), value=-1.0),
            sample(real(2, 3), MASK, real()),
            sample(real(), flags(2), real()),
            sample(whole(3), MASK, value=2.5),
        ],
        wrong=[
            sample(real(2), MASK, value=0.0),
            sample(real(3), real(3), value=0.0),
            sample(real(3), MASK, real(3)),
            sample(real(3), MASK, value=1j),
        ],
    ),
    OpCase(
        masking.masked_select,
        [real(2, 3), MASK],
        more=[
            sample(real(3), flags(2, 3)),
            sample(real(), constant(True)),
            sample(real(0), flags(0)),
        ],
        wrong=[sample(real(2), MASK), sample(real(3), real(3))],
    ),
    OpCase(
        masking.masked_scatter,
        [real(2, 3), MASK, real(4)],
        more=[
            sample(real(2, 3), MASK, real(2, 4)),
            sample(real(3), fixed([[True], [False]]), real(5)),
        ],
        wrong=[
            sample(real(2, 3), MASK, real(3)),
            sample(real(2, 3), MASK, whole(4)),
            sample(real(3), real(3), real(3)),
        ],
    ),
]

VECTORS = [
    OpCase(
        scattering.index_add,
        [real(3, 2), PLACES, real(2, 2)],
        call=_along,
        more=[
            sample(real(2, 3), fixed([1, 1, 0]), real(2, 3), dim=1, alpha=2),
            sample(real(2, 3), whole(), real(2, 1), dim=-1),
        ],
        wrong=[
            sample(real(3, 2), PLACES, real(3, 2)),
            sample(real(2, 2), PLACES, real(2, 2)),
            sample(real(3, 2), PLACES, real(2, 3)),
            sample(real(3, 2), PLACES, real(2)),
            sample(real(3, 2), real(2), real(2, 2)),
            sample(real(3, 2), INDEX, real(2, 2)),
        ],
    ),
    OpCase(
        scattering.index_copy,
        [real(3, 2), PLACES, real(2, 2)],
        call=_along,
        more=[sample(real(2, 3), PLACES, real(2, 2), dim=1)],
        wrong=[sample(real(3, 2), PLACES, real(3, 2)), sample(real(3, 2), real(2), real(2, 2))],
    ),
    OpCase(
        scattering.index_fill,
        [real(3, 2), PLACES],
        {"value": 2.0},
        call=lambda f, x, index, *c, dim=0, value=None: f(x, dim, index, c[0] if c else value),
        rules="IndexFill IndexFillTensor",
        more=[
            sample(real(2, 3), fixed([-1]), dim=1, value=0.5),
            sample(real(3, 2), PLACES, real()),
        ],
        wrong=[sample(real(2, 2), PLACES, value=1.0), sample(real(3), PLACES, real(2))],
    ),
    OpCase(
        scattering.index_reduce,
        [real(3, 2), fixed([0, 0, 2]), real(3, 2)],
        {"reduce": "prod"},
        call=_along,
        more=[
            sample(REDUCED, fixed([0, 1]), ZEROS, reduce="prod"),
            sample(real(3, 2), fixed([0, 0]), real(2, 2), reduce="mean", include_self=False),
            sample(real(3, 2), fixed([0, 0]), real(2, 2), reduce="mean"),
            sample(real(2, 3), fixed([0, 0]), real(2, 2), dim=1, reduce="amax"),
            sample(real(3, 2), fixed([0, 0]), real(2, 2), reduce="amin", include_self=False),
        ],
        wrong=[
            sample(real(3, 2), PLACES, real(2, 2), reduce="sum"),
            sample(real(3, 2), PLACES, real(3, 2), reduce="prod"),
        ],
    ),
]

INDICES = [
    OpCase(
        indexing.index_put,
        [real(3, 2), real(2, 2), PLACES],
        call=_put,
        more=[
            sample(real(3, 2), real(2), fixed([0, 0]), accumulate=True),
            sample(real(3, 2), real(), PLACES, fixed([1, -1])),
            sample(real(3, 2), real(2, 2), MASK),
        ],
        wrong=[
            sample(real(3, 2), real(3), PLACES),
            sample(real(3, 2), whole(2), PLACES),
            sample(real(2, 2), real(2), PLACES),
            sample(real(3), real(2), PLACES, PLACES),
        ],
    ),
    OpCase(
        scattering.scatter,
        [real(2, 3), fixed([[1, 0, 1]]), real(1, 3)],
        call=_along,
        rules="Scatter ScatterValue",
        more=[
            sample(real(2, 3), fixed([[1], [2]]), dim=1, value=0.5),
            sample(real(2, 3), fixed([[1], [2]]), real(2, 1), dim=-1),
        ],
        wrong=[
            sample(real(2, 3), fixed([[2, 0, 1]]), real(1, 3)),
            sample(real(2, 3), fixed([1, 0, 1]), real(1, 3)),
            sample(real(2, 3), INDEX, real(1, 3)),
            sample(real(2, 3), INDEX, whole(2, 3)),
            sample(real(2, 3), INDEX),
        ],
    ),
    OpCase(
        scattering.scatter_add,
        [real(2, 3), INDEX, real(2, 3)],
        call=_along,
        more=[sample(real(2, 3), fixed([[2, 2], [0, 1]]), real(2, 2), dim=1)],
        wrong=[sample(real(1, 3), INDEX, real(2, 3)), sample(real(2, 3), INDEX, real(2, 2))],
    ),
    OpCase(
        scattering.scatter_reduce,
        [real(3, 3), INDEX, real(2, 3)],
        {"reduce": "sum"},
        call=_along,
        more=[
            sample(real(3, 3), INDEX, real(2, 3), reduce="sum", include_self=False),
            sample(real(3, 3), INDEX, real(2, 3), reduce="prod"),
            sample(real(3, 3), INDEX, real(2, 3), reduce="prod", include_self=False),
            sample(real(3, 3), INDEX, fixed([[0.0, 1.0, 2.0], [1.0, 3.0, 1.0]]), reduce="prod"),
            sample(real(3, 3), INDEX, real(2, 3), reduce="mean"),
            sample(real(3, 3), INDEX, real(2, 3), reduce="amax"),
            sample(real(3, 3), INDEX, real(2, 3), reduce="amin", include_self=False),
            sample(REDUCED, INDEX, ZEROS, reduce="amax", smooth=False),
        ],
        wrong=[
            sample(real(3, 3), INDEX, real(2, 3), reduce="median"),
            sample(real(1, 3), INDEX, real(2, 3), reduce="sum"),
        ],
    ),
]

ROWS = [*MASKS, *VECTORS, *INDICES]
