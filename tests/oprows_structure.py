"""Rows of ops that move, choose, join and copy elements."""

import numpy as np

import glassgrad
from glassgrad.ops import (
    conversion,
    diagonals,
    indexing,
    joining,
    memory,
    scattering,
    shape,
)
from opcase import OpCase, fixed, flags, real, sample, whole

__all__ = ["ROWS"]


def _listed(function, *inputs, **params):
    """Call a function that takes its tensors as one list."""
    return function(inputs, **params)


def _get(function, x, *indices, index=None):
    """`x[index]`, or `x[indices]`; the same in both libraries."""
    return x[indices or index]


def _copied(function, x, y):
    """Copy into a fresh tensor: the row's inputs are leaves."""
    return x.clone().copy_(y)


SHAPE = [
    OpCase(
        shape.reshape,
        [real(2, 3)],
        {"shape": (3, 2)},
        numpy=lambda x, shape: x.reshape(shape),
        call=lambda f, x, shape: x.reshape(shape),
        rules="View",
        more=[
            sample(real(2, 3), shape=(-1,)),
            sample(real(1), shape=()),
            sample(real(0, 3), shape=(3, 0)),
        ],
        wrong=[sample(real(2, 3), shape=(4,))],
    ),
    OpCase(
        glassgrad.Tensor.reshape,
        [real(2, 3)],
        {"shape": (6,)},
        call=lambda f, x, shape: x.t().reshape(shape),
        rules="UnsafeView Contiguous ReshapeAlias",
        more=[sample(real(2, 3), shape=(3, 2, 1))],
    ),
    OpCase(
        shape.squeeze,
        [real(2, 1, 3, 1)],
        rules="Squeeze SqueezeDim SqueezeDims",
        more=[
            sample(real(2, 1), dim=1),
            sample(real(2, 1), dim=0),
            sample(real(1, 2, 1), dim=(0, 2)),
        ],
        wrong=[sample(real(2), dim=1)],
    ),
    OpCase(
        shape.unsqueeze,
        [real(2, 3)],
        {"dim": 1},
        numpy=lambda x, dim: np.expand_dims(x, dim),
        more=[sample(real(), dim=-1), sample(real(2), dim=-2)],
        wrong=[sample(real(2), dim=2)],
    ),
    OpCase(
        shape.expand,
        [real(2, 1)],
        {"size": (3, 2, 4)},
        call=lambda f, x, size: x.expand(*size),
        more=[sample(real(), size=(2,)), sample(real(3), size=(2, -1))],
        wrong=[sample(real(3), size=(2,))],
    ),
    OpCase(
        shape.repeat,
        [real(2, 3)],
        {"repeats": (2, 1)},
        numpy=lambda x, repeats: np.tile(x, repeats),
        call=lambda f, x, repeats: x.repeat(*repeats),
        more=[
            sample(real(), repeats=(3,)),
            sample(real(2), repeats=(2, 1, 3)),
            sample(real(2), repeats=(0,)),
            sample(real(0, 2), repeats=(2, 2)),
        ],
        wrong=[sample(real(2, 3), repeats=(2,)), sample(real(2), repeats=(-1,))],
    ),
    OpCase(
        shape.permute,
        [real(2, 3, 4)],
        {"dims": (2, 0, 1)},
        numpy=lambda x, dims: np.transpose(x, dims),
        call=lambda f, x, dims: f(x, dims),
        more=[sample(real(2, 3), dims=(-1, 0))],
        wrong=[sample(real(2, 3), dims=(0, 0)), sample(real(2, 3), dims=(0,))],
    ),
    OpCase(
        shape.transpose,
        [real(2, 3, 4)],
        {"dim0": 0, "dim1": -1},
        numpy=lambda x, dim0, dim1: np.swapaxes(x, dim0, dim1),
        wrong=[sample(real(2), dim0=0, dim1=1)],
    ),
    OpCase(
        shape.t,
        [real(2, 3)],
        numpy=np.transpose,
        more=[sample(real(2)), sample(real())],
        wrong=[sample(real(2, 2, 2))],
    ),
]

CHOOSING = [
    OpCase(
        joining.select,
        [real(2, 3)],
        {"dim": 1, "index": -1},
        numpy=lambda x, dim, index: x.take(index, dim),
        rules="Select SelectInto",
        wrong=[sample(real(2, 3), dim=1, index=3), sample(real(2, 3), dim=2, index=0)],
    ),
    OpCase(
        joining.narrow,
        [real(4, 3)],
        {"dim": 0, "start": 1, "length": 2},
        rules="Slice SliceInto",
        wrong=[sample(real(2), dim=0, start=1, length=2)],
    ),
    OpCase(
        indexing.getitem,
        [real(4, 3)],
        {"index": (slice(0, None, 2), None, 1)},
        numpy=lambda x, *indices, index=None: x[indices or index],
        call=_get,
        rules="Index IndexPutImpl Alias",
        same_graph=False,  # a chain, compared node by node in test_indexing
        more=[
            sample(real(4, 3), index=...),
            sample(real(4, 3), whole(5)),
            sample(real(4, 3), whole(2, 1, high=4), whole(3)),
            sample(real(4, 3), flags(4)),
            sample(real(3, 4), index=(0, slice(1, 3))),
        ],
        wrong=[sample(real(2), index=2), sample(real(2), index=(0, 0))],
    ),
    OpCase(
        scattering.index_select,
        [real(2, 3), whole(4)],
        {"dim": 1},
        call=lambda f, x, index, dim: f(x, dim, index),
        wrong=[sample(real(2, 3), fixed([3]), dim=1), sample(real(2, 3), real(2), dim=1)],
    ),
    OpCase(
        scattering.gather,
        [real(3, 2), whole(2, 2)],
        {"dim": 0},
        numpy=lambda x, index, dim: np.take_along_axis(x, index, dim),
        call=lambda f, x, index, dim: f(x, dim, index),
        wrong=[sample(real(3, 2), fixed([[3]]), dim=0)],
    ),
]

JOINING = [
    OpCase(
        joining.cat,
        [real(2, 3), real(1, 3)],
        numpy=lambda *xs, dim=0: np.concatenate(xs, dim),
        call=_listed,
        more=[sample(real(2, 1), real(2, 0), real(2, 2), dim=-1)],
        wrong=[sample(real(2, 3), real(2, 2)), sample(real(), real())],
    ),
    OpCase(
        joining.stack,
        [real(2, 3), real(2, 3)],
        numpy=lambda *xs, dim=0: np.stack(xs, dim),
        call=_listed,
        more=[sample(real(2), real(2), dim=-1), sample(real(), real())],
        wrong=[sample(real(2, 3), real(2, 2))],
    ),
    OpCase(
        joining.split,
        [real(5, 2)],
        {"split_size_or_sections": 2},
        rules="Split SplitWithSizes",
        call=lambda f, x, split_size_or_sections, dim=0: f(x, split_size_or_sections, dim),
        more=[sample(real(2, 3), split_size_or_sections=[1, 2], dim=1)],
        wrong=[sample(real(2), split_size_or_sections=[1, 2])],
    ),
    OpCase(
        joining.unbind,
        [real(2, 3)],
        more=[sample(real(2, 3), dim=1)],
        wrong=[sample(real(2), dim=1)],
    ),
]

PARTS = [
    OpCase(
        joining.unsafe_split,
        [real(5, 2)],
        {"split_size": 2},
        call=lambda f, x, split_size, dim=0: f(x, split_size, dim),
        more=[sample(real(2, 3), split_size=2, dim=1)],
        wrong=[sample(real(2), split_size=-1)],
    ),
    OpCase(
        joining.unsafe_split_with_sizes,
        [real(2, 3)],
        {"split_sizes": [1, 2], "dim": 1},
        wrong=[sample(real(2), split_sizes=[1, 2])],
    ),
    OpCase(
        diagonals.tril,
        [real(3, 3)],
        numpy=lambda x, diagonal=0: np.tril(x, diagonal),
        more=[sample(real(2, 2, 3), diagonal=1)],
        wrong=[sample(real(2))],
    ),
    OpCase(
        diagonals.triu,
        [real(3, 3)],
        numpy=lambda x, diagonal=0: np.triu(x, diagonal),
        more=[sample(real(2, 2, 3), diagonal=-1)],
        wrong=[sample(real(2))],
    ),
    OpCase(
        diagonals.diagonal,
        [real(3, 3)],
        numpy=lambda x, offset=0, dim1=0, dim2=1: np.diagonal(x, offset, dim1, dim2),
        rules="Diagonal DiagonalInto",
        more=[
            sample(real(2, 3), offset=1),
            sample(real(2, 3, 4), offset=-1, dim1=-1, dim2=0),
            sample(real(2, 2), offset=3),
        ],
        wrong=[sample(real(2)), sample(real(2, 2), dim1=1, dim2=1)],
    ),
    OpCase(
        joining.as_strided,
        [real(6)],
        {"size": (2, 3), "stride": (3, 1)},
        rules="AsStrided",
        more=[
            sample(real(5), size=(3, 2), stride=(1, 2), storage_offset=0),
            sample(real(2, 3), size=(2,), stride=(2,), storage_offset=1),
            sample(real(3), size=(2, 3), stride=(0, 1)),
        ],
        wrong=[
            sample(real(3), size=(4,), stride=(1,)),
            sample(real(3), size=(2,), stride=(1, 1)),
            sample(real(3), size=(2,), stride=(-1,)),
        ],
    ),
    OpCase(
        shape.flip,
        [real(2, 3)],
        {"dims": (0, -1)},
        numpy=lambda x, dims: np.flip(x, dims if x.ndim else ()),
        more=[sample(real(2, 3), dims=(1,)), sample(real(), dims=(0,))],
        wrong=[sample(real(2), dims=(1,)), sample(real(2), dims=(0, 0))],
        call=lambda f, x, dims: f(x, dims),
    ),
    OpCase(
        shape.roll,
        [real(2, 3)],
        {"shifts": (1, -1), "dims": (0, 1)},
        numpy=lambda x, shifts, dims=None: np.roll(x, shifts, dims),
        more=[sample(real(3), shifts=(4,), dims=(0,))],
        wrong=[sample(real(2), shifts=(1, 2), dims=(0,))],
    ),
]

COPYING = [
    OpCase(conversion.clone, [real(2, 3)], numpy=np.copy, more=[sample(real()), sample(whole(2))]),
    OpCase(
        conversion.to,
        [real(2, 3)],
        {"dtype": glassgrad.float16},
        rules="ToCopy",
        call=lambda f, x, dtype: x.to(dtype),
    ),
    OpCase(
        memory.copy_,
        [real(2, 3), real(3)],
        rules="Copy",
        call=_copied,
        wrong=[sample(real(2, 3), real(2))],
    ),
    OpCase(
        memory.fill_,
        [real(2, 3)],
        {"value": 2.5},
        rules="Fill",
        call=lambda f, x, value: x.clone().fill_(value),
    ),
    OpCase(
        memory.fill_,
        [real(2, 3), real()],
        rules="FillWith",
        call=lambda f, x, value: x.clone().fill_(value),
        wrong=[sample(real(2, 3), real(3))],
    ),
    OpCase(memory.zero_, [real(2, 3)], rules="Zero", call=lambda f, x: x.clone().zero_()),
]

ROWS = [*SHAPE, *CHOOSING, *JOINING, *PARTS, *COPYING]
