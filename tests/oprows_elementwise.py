"""Rows of elementwise ops."""

import operator

import numpy as np

import glassgrad
from glassgrad.ops import (
    activations,
    arithmetic,
    comparison,
    elementary,
    selection,
)
from opcase import OpCase, fixed, flags, positive, real, sample, whole

__all__ = ["ROWS"]

EMPTY, POINT = sample(real(0, 3)), sample(real())
TIES = fixed([[1.0, 3.0, 3.0], [2.0, 2.0, -1.0]])


def _unary(function, *inputs, **params):
    return OpCase(function, *inputs, more=[EMPTY, POINT], **params)


ARITHMETIC = [
    OpCase(
        arithmetic.add,
        [real(2, 3), real(3)],
        numpy=lambda x, y, alpha=1: x + alpha * y,
        rules="Add AddScaled",
        more=[
            sample(real(2, 3), real(3), alpha=-2.5),
            sample(real(2), whole(2)),
            sample(real(0, 3), real(3)),
            sample(real(), real(1)),
        ],
    ),
    OpCase(
        arithmetic.sub,
        [real(2, 3), real(3)],
        numpy=lambda x, y, alpha=1: x - alpha * y,
        rules="Sub SubScaled",
        more=[
            sample(real(2, 3), real(3), alpha=-2.5),
            sample(whole(2), real(2)),
            sample(real(1, 3), real(2, 1)),
        ],
    ),
    OpCase(
        arithmetic.rsub,
        [real(2, 3)],
        {"other": 1.5},
        numpy=lambda x, other, alpha=1: other - alpha * x,
        rules="Rsub RsubTensor",
        more=[sample(real(2, 3), real(3), alpha=-2.5), sample(real(2), real(2, 1))],
    ),
    OpCase(
        arithmetic.mul,
        [real(2, 3), real(3)],
        numpy=np.multiply,
        more=[sample(real(1), real(2, 1)), sample(real(2), whole(2)), sample(real(), real(2))],
    ),
    OpCase(
        arithmetic.div,
        [real(2, 3), positive(3)],
        numpy=np.divide,
        more=[sample(positive(2, 1), positive(1, 3)), sample(whole(2), positive(2))],
    ),
    OpCase(elementary.reciprocal, [positive(2, 3)], numpy=np.reciprocal, more=[EMPTY]),
    _unary(arithmetic.neg, [real(2, 3)], numpy=np.negative),
    OpCase(
        elementary.pow,
        [positive(2, 3), real(3)],
        numpy=np.power,
        rules="PowTensor",
        more=[sample(fixed([0.0, 2.0]), fixed([2.0, 0.0]), smooth=False)],
    ),
    OpCase(elementary.square, [real(2, 3)], numpy=np.square, rules="Pow", more=[EMPTY, POINT]),
    OpCase(
        operator.pow,
        [real(2)],
        rules="PowScalarBase",
        call=lambda f, y: f(3.0, y),
        numpy=lambda y: 3.0**y,
    ),
    _unary(arithmetic.abs, [real(2, 3)], numpy=np.abs, avoid=[0]),
    OpCase(arithmetic.sign, [real(2, 3)], numpy=np.sign, avoid=[0]),
]

TRANSCENDENTAL = [
    _unary(elementary.exp, [real(2, 3)], numpy=np.exp),
    OpCase(elementary.log, [positive(2, 3)], numpy=np.log, more=[EMPTY]),
    OpCase(elementary.sqrt, [positive(2, 3)], numpy=np.sqrt, more=[EMPTY]),
    _unary(elementary.sin, [real(2, 3)], numpy=np.sin),
    _unary(elementary.cos, [real(2, 3)], numpy=np.cos),
    _unary(elementary.tanh, [real(2, 3)], numpy=np.tanh),
]

ACTIVATIONS = [
    OpCase(
        activations.relu,
        [real(2, 3)],
        numpy=lambda x: np.maximum(x, 0),
        rules="Relu ThresholdBackward",
        avoid=[0],
        more=[EMPTY, sample(fixed([-1.0, 0.0, 1.0]), smooth=False)],
    ),
    OpCase(
        activations.sigmoid,
        [real(2, 3)],
        numpy=lambda x: 1 / (1 + np.exp(-x)),
        more=[EMPTY, POINT, sample(fixed([-1000.0, 1000.0]), smooth=False)],
    ),
    OpCase(
        activations.softmax,
        [real(2, 3)],
        {"dim": -1},
        numpy=lambda x, dim: np.exp(x) / np.exp(x).sum(axis=dim, keepdims=True),
        more=[sample(real(2, 3, 2), dim=1), sample(real(2, 1), dim=-2), sample(real(0, 3), dim=1)],
        wrong=[sample(real(2), dim=1)],
    ),
    OpCase(
        activations.log_softmax,
        [real(2, 3)],
        {"dim": -1},
        numpy=lambda x, dim: x - np.log(np.exp(x).sum(axis=dim, keepdims=True)),
        more=[sample(real(2, 3, 2), dim=1), sample(real(), dim=0), sample(real(2, 0), dim=1)],
        wrong=[sample(real(2), dim=1)],
    ),
]

COMPARISON = [
    *[
        OpCase(
            getattr(comparison, name),
            [TIES, fixed([2.0, 3.0, 3.0])],
            numpy=function,
            more=[sample(whole(2, 3), whole(3)), sample(real(), whole(2))],
        )
        for name, function in [
            ("eq", np.equal),
            ("ne", np.not_equal),
            ("lt", np.less),
            ("le", np.less_equal),
            ("gt", np.greater),
            ("ge", np.greater_equal),
        ]
    ],
    *[
        OpCase(
            getattr(comparison, name),
            [fixed([0.0, float("nan"), float("inf"), float("-inf")])],
            numpy=function,
            rules=rule,
            more=[sample(whole(2)), EMPTY],
        )
        for name, function, rule in [
            ("isnan", np.isnan, "IsNan"),
            ("isinf", np.isinf, "IsInf"),
            ("isfinite", np.isfinite, "IsFinite"),
        ]
    ],
    OpCase(
        comparison.isclose,
        [fixed([1.0, 1.0, float("inf"), float("nan")]), fixed([1.0, 1.1, float("inf"), 0.0])],
        numpy=np.isclose,
        rules="IsClose",
        more=[sample(fixed([float("nan"), 1.0]), fixed([float("nan")] * 2), equal_nan=True)],
    ),
    *[
        OpCase(
            getattr(comparison, f"logical_{name}"),
            [flags(2, 3), flags(3)],
            numpy=getattr(np, f"logical_{name}"),
            more=[sample(real(2), whole(2)), sample(whole(3), flags(3))],
        )
        for name in ("and", "or", "xor")
    ],
    OpCase(comparison.logical_not, [flags(2, 3)], numpy=np.logical_not, more=[EMPTY]),
    *[
        OpCase(
            getattr(comparison, f"bitwise_{name}"),
            [flags(2, 3), flags(3)],
            numpy=getattr(np, f"bitwise_{name}"),
            more=[sample(whole(3, high=9), whole(3, high=9)), sample(whole(3), flags(3))],
            wrong=[sample(real(2), real(2))],
        )
        for name in ("and", "or", "xor")
    ],
    OpCase(
        comparison.bitwise_not,
        [flags(2, 3)],
        numpy=np.invert,
        more=[sample(whole(3))],
        wrong=[sample(real(2))],
    ),
]

SELECTION = [
    OpCase(
        selection.maximum,
        [real(2, 3), real(3)],
        numpy=np.maximum,
        more=[sample(TIES, fixed([2.0, 3.0, 1.0]), smooth=False), sample(real(2), whole(2))],
    ),
    OpCase(
        selection.minimum,
        [real(2, 3), real(3)],
        numpy=np.minimum,
        more=[sample(TIES, fixed([2.0, 3.0, 1.0]), smooth=False)],
    ),
    OpCase(
        selection.where,
        [flags(2, 3), real(2, 3), real(3)],
        numpy=np.where,
        more=[
            sample(flags(3), real(2, 1), real()),
            sample(flags(2), whole(2), real(2)),
        ],
        wrong=[sample(real(2), real(2), real(2)), sample(flags(2), real(2), real(3))],
    ),
    OpCase(
        selection.where,
        [fixed([[1.0, 0.0], [2.0, 3.0]])],
        rules="Nonzero",
        more=[sample(fixed(2.0)), sample(flags(4))],
    ),
    OpCase(
        selection.clamp,
        [real(2, 3)],
        {"min": -1, "max": 0.5},
        numpy=np.clip,
        avoid=[-1, 0.5],
        rules="Clamp",
        more=[
            sample(real(3), min=-1.0),
            sample(real(3), max=0.5),
            sample(fixed([-1.0, 0.0, 1.0]), min=-1, max=1, smooth=False),
            sample(real(3), min=1, max=-1, smooth=False),
            sample(whole(4, high=9), min=2, max=4),
        ],
        wrong=[sample(real(2))],
    ),
    OpCase(
        glassgrad.Tensor.clamp,
        [real(2, 3), real(3, high=0), real(2, 1, low=0)],
        rules="ClampTensor",
        numpy=lambda x, low, high=np.inf: np.clip(x, low, high),
        more=[
            sample(real(4), real(4, high=0)),
            sample(real(40), real(40), real(40)),
            sample(fixed([1.0, 2.0]), fixed([1.0, 3.0]), fixed([2.0, 2.0]), smooth=False),
        ],
        wrong=[sample(real(2), real(3), real(3))],
    ),
    OpCase(
        selection.clamp_min,
        [real(2, 3)],
        {"min": 0},
        numpy=np.clip,
        avoid=[0],
        more=[sample(fixed([0.0, 1.0]), min=0, smooth=False)],
    ),
    OpCase(
        selection.clamp_max,
        [real(2, 3)],
        {"max": 0},
        numpy=np.clip,
        avoid=[0],
        more=[sample(fixed([0.0, 1.0]), max=0, smooth=False)],
    ),
]

MEMBERSHIP = [
    OpCase(
        comparison.isin,
        [whole(2, 3), whole(2)],
        numpy=np.isin,
        rules="IsIn",
        more=[sample(real(3), real(0)), sample(whole(3), whole(2), invert=True)],
    ),
    OpCase(
        comparison.signbit,
        [fixed([1.0, -1.0, 0.0, -0.0])],
        numpy=np.signbit,
        rules="SignBit",
        more=[sample(whole(3, low=-2)), EMPTY],
    ),
]

FUSED = [
    OpCase(
        arithmetic.addcmul,
        [real(2, 3), real(3), real(2, 1)],
        numpy=lambda x, a, b, value=1: x + value * a * b,
        more=[sample(real(3), real(2, 3), real(), value=0.5), sample(real(0), real(0), real(0))],
    ),
    OpCase(
        arithmetic.addcdiv,
        [real(2, 3), real(3), positive(2, 1)],
        numpy=lambda x, a, b, value=1: x + value * a / b,
        more=[sample(real(3), real(2, 3), positive(), value=-2)],
        wrong=[sample(real(3), whole(3), whole(3, low=1)), sample(real(3), real(2), real(2))],
    ),
    OpCase(
        arithmetic.lerp,
        [real(2, 3), real(2, 3)],
        {"weight": 0.25},
        rules="Lerp LerpTensor",
        more=[
            sample(real(3), real(2, 3), weight=0.75),
            sample(real(2, 3), real(3), real(2, 1)),
            sample(real(2), real(2), fixed([0.0, 1.0])),
        ],
        wrong=[sample(real(3), whole(3), weight=0.5), sample(whole(3), whole(3), weight=0.5)],
    ),
]

ROWS = [*ARITHMETIC, *TRANSCENDENTAL, *ACTIVATIONS, *COMPARISON, *MEMBERSHIP, *SELECTION, *FUSED]
