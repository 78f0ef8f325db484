"""The ops: one class with its rules and one public function each, a file for each family."""

from . import elementwise
from .activations import log_softmax, relu, sigmoid, softmax
from .alike import (
    empty_like,
    full_like,
    ones_like,
    zeros_like,
)
from .argextrema import argmax, argmin
from .comparison import (
    allclose,
    eq,
    equal,
    ge,
    gt,
    isclose,
    isfinite,
    isin,
    isinf,
    isnan,
    le,
    lt,
    ne,
    signbit,
)
from .complexes import conj
from .conversion import clone
from .covariance import cov
from .creation import (
    arange,
    as_tensor,
    empty,
    eye,
    from_numpy,
    full,
    linspace,
    ones,
    tensor,
    zeros,
)
from .cumulating import cumprod, cumsum, prod
from .diagonals import diag, diag_embed, diagflat, trace
from .dlpack import from_dlpack
from .einsum import einsum
from .elementwise import *
from .extrema import amax, amin, max, min
from .fused import addcdiv, addcmul, lerp
from .gathering import gather, index_select
from .generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .index_writing import index_add, index_copy, index_fill
from .indexing import narrow, select
from .inplace_elementwise import clamp_max_, clamp_min_
from .joining import cat, concat, stack
from .legacy import (
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)
from .linalg import bmm, dot, matmul, mm, mv, outer
from .logic import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
)
from .masking import masked_fill, masked_scatter, masked_select
from .medians import median, nanmedian
from .moments import std_mean, var_mean
from .putting import index_put
from .random import (
    bernoulli,
    multinomial,
    normal,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
)
from .reduction import all, any, logsumexp, mean, sum
from .repeating import tile
from .scatter_reducing import index_reduce, scatter_reduce
from .scattering import scatter, scatter_add
from .selection import clamp, clamp_max, clamp_min, clip, maximum, minimum, where
from .shape import (
    broadcast_to,
    flatten,
    ravel,
    reshape,
    squeeze,
    unflatten,
    unsqueeze,
)
from .splitting import chunk, split, split_with_sizes, tensor_split, unbind
from .stacking import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    column_stack,
    dstack,
    hstack,
    row_stack,
    vstack,
)
from .statistics import std, var
from .strided import as_strided
from .transposing import movedim, permute, swapaxes, t, transpose
from .triangles import diagonal, tril, triu
from .turning import flip, roll
from .unsafe_splitting import unsafe_chunk, unsafe_split, unsafe_split_with_sizes
from .vectors import cross, ger, inner

__all__ = [
    # elementwise
    *elementwise.__all__,
    # activations
    "log_softmax",
    "relu",
    "sigmoid",
    "softmax",
    # alike
    "empty_like",
    "full_like",
    "ones_like",
    "zeros_like",
    # argextrema
    "argmax",
    "argmin",
    # complexes
    "conj",
    # comparison
    "allclose",
    "eq",
    "equal",
    "ge",
    "gt",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "le",
    "lt",
    "ne",
    "signbit",
    # conversion
    "clone",
    # covariance
    "cov",
    # creation
    "arange",
    "as_tensor",
    "empty",
    "eye",
    "from_numpy",
    "full",
    "linspace",
    "ones",
    "tensor",
    "zeros",
    # cumulating
    "cumprod",
    "cumsum",
    "prod",
    # diagonals
    "diag",
    "diag_embed",
    "diagflat",
    "trace",
    # dlpack
    "from_dlpack",
    # einsum
    "einsum",
    # extrema
    "amax",
    "amin",
    "max",
    "min",
    # fused
    "addcdiv",
    "addcmul",
    "lerp",
    # gathering
    "gather",
    "index_select",
    # generator
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
    # putting, index_writing
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    # indexing
    "narrow",
    "select",
    # inplace_elementwise
    "clamp_max_",
    "clamp_min_",
    # joining
    "cat",
    "concat",
    "stack",
    # legacy
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    # linalg
    "bmm",
    "dot",
    "matmul",
    "mm",
    "mv",
    "outer",
    # logic
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    # masking
    "masked_fill",
    "masked_scatter",
    "masked_select",
    # medians
    "median",
    "nanmedian",
    # random
    "bernoulli",
    "multinomial",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    # reduction
    "all",
    "any",
    "logsumexp",
    "mean",
    "sum",
    # scattering, scatter_reducing
    "index_reduce",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    # selection
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "maximum",
    "minimum",
    "where",
    # shape
    "broadcast_to",
    "flatten",
    "ravel",
    "reshape",
    "squeeze",
    "unflatten",
    "unsqueeze",
    # repeating
    "tile",
    # splitting
    "chunk",
    "split",
    "split_with_sizes",
    "tensor_split",
    "unbind",
    # stacking
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "column_stack",
    "dstack",
    "hstack",
    "row_stack",
    "vstack",
    # statistics
    "std",
    "var",
    # strided
    "as_strided",
    # transposing
    "movedim",
    "permute",
    "swapaxes",
    "t",
    "transpose",
    # triangles
    "diagonal",
    "tril",
    "triu",
    # turning
    "flip",
    "roll",
    # unsafe_splitting
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    # vectors
    "cross",
    "ger",
    "inner",
    # moments
    "std_mean",
    "var_mean",
]
