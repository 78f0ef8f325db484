"""Rows of functions of numbers: angles, exponentials, rounding, probabilities."""

import numpy as np
import torch

from glassgrad.ops import activations, elementary, losses, rounding, special
from opcase import OpCase, constant, fixed, positive, real, sample, whole

__all__ = ["ROWS"]

EMPTY, POINT, INTEGERS = sample(real(0, 3)), sample(real()), sample(whole(2, 3))
ZEROS = fixed([0.0, -0.0, 0.0, 1.0, -1.0])
HALVES = [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2]


def _within(low, high):
    return real(2, 3, low=low, high=high)


TRIGONOMETRIC = [
    OpCase(
        elementary.tan,
        [_within(-1.2, 1.2)],
        numpy=np.tan,
        more=[EMPTY, sample(real(low=-1.0, high=1.0))],
    ),
    OpCase(
        elementary.asin,
        [_within(-0.9, 0.9)],
        numpy=np.arcsin,
        more=[EMPTY, sample(fixed([-2.0, -1.0, 1.0]), smooth=False)],
    ),
    OpCase(
        elementary.acos,
        [_within(-0.9, 0.9)],
        numpy=np.arccos,
        more=[EMPTY, sample(fixed([-2.0, -1.0, 1.0]), smooth=False)],
    ),
    OpCase(elementary.atan, [real(2, 3)], numpy=np.arctan, more=[EMPTY, POINT]),
    OpCase(
        elementary.atan2,
        [real(2, 3), positive(3)],
        numpy=np.arctan2,
        more=[
            sample(real(2), whole(2, low=1)),
            sample(positive(0, 3), positive(3)),
            sample(ZEROS, fixed([0.0, 0.0, -0.0, 0.0, -1.0]), smooth=False),
        ],
    ),
    OpCase(
        elementary.hypot,
        [positive(2, 3), real(3)],
        numpy=np.hypot,
        more=[
            sample(positive(2, 1), real()),
            sample(ZEROS, fixed([0.0, 0.0, 0.0, 0.0, 2.0]), smooth=False),
        ],
        wrong=[sample(real(2, 3), real(4)), sample(whole(2), whole(2))],
    ),
]

HYPERBOLIC = [
    OpCase(elementary.sinh, [real(2, 3)], numpy=np.sinh, more=[EMPTY, POINT]),
    OpCase(elementary.cosh, [real(2, 3)], numpy=np.cosh, more=[EMPTY, POINT]),
    OpCase(elementary.asinh, [real(2, 3)], numpy=np.arcsinh, more=[EMPTY, POINT]),
    OpCase(
        elementary.acosh,
        [_within(1.2, 3.0)],
        numpy=np.arccosh,
        more=[EMPTY, sample(fixed([0.0, 1.0]), smooth=False)],
    ),
    OpCase(
        elementary.atanh,
        [_within(-0.9, 0.9)],
        numpy=np.arctanh,
        more=[EMPTY, sample(fixed([-1.0, 1.0, 2.0]), smooth=False)],
    ),
]

EXPONENTIAL = [
    OpCase(elementary.exp2, [real(2, 3)], numpy=np.exp2, more=[EMPTY, POINT]),
    OpCase(elementary.expm1, [real(2, 3)], numpy=np.expm1, more=[EMPTY, POINT]),
    OpCase(
        elementary.log1p,
        [_within(-0.5, 2.0)],
        numpy=np.log1p,
        more=[EMPTY, sample(fixed([-2.0, -1.0, 0.0]), smooth=False)],
    ),
    OpCase(
        elementary.log2,
        [positive(2, 3)],
        numpy=np.log2,
        more=[EMPTY, sample(fixed([-2.0, 0.0]), smooth=False)],
    ),
    OpCase(
        elementary.log10,
        [positive(2, 3)],
        numpy=np.log10,
        more=[EMPTY, sample(fixed([-2.0, 0.0]), smooth=False)],
    ),
    OpCase(
        elementary.rsqrt,
        [positive(2, 3)],
        numpy=lambda x: 1 / np.sqrt(x),
        more=[EMPTY, sample(fixed([-2.0, 0.0, -0.0]), smooth=False)],
    ),
    OpCase(
        elementary.logit,
        [_within(0.1, 0.9)],
        more=[
            EMPTY,
            sample(fixed([0.1, 0.3, 0.95]), eps=0.2),
            sample(fixed([0.0, 1.0]), smooth=False),
            sample(fixed([0.0, 0.25, 0.75, 1.0]), eps=0.25, smooth=False),
        ],
    ),
]

FAR = real(2, 3, low=12.0, high=14.0)  # nearer, PyTorch's polygamma(1, x) has ten digits

GAMMA = [
    OpCase(special.lgamma, [FAR], more=[EMPTY, sample(real(low=15.0, high=16.0))]),
    OpCase(special.digamma, [FAR], more=[EMPTY, sample(real(low=15.0, high=16.0))]),
    OpCase(
        special.polygamma,
        [real(2, 3)],
        {"n": 2},
        call=lambda f, x, n: x.polygamma(n),
        avoid=[-2, -1, 0],
        more=[sample(FAR, n=1), sample(real(3, low=0.5), n=3)],
        wrong=[sample(real(2), n=-1)],
    ),
]

ROUNDING = [
    *[
        OpCase(
            getattr(rounding, name),
            [real(2, 3)],
            numpy=function,
            avoid=HALVES,
            more=[
                EMPTY,
                sample(fixed([-1.5, -1.0, -0.5, -0.0, 0.5, 1.5, 2.5]), smooth=False),
                INTEGERS,
            ],
        )
        for name, function in [("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc)]
    ],
    OpCase(
        rounding.round,
        [real(2, 3)],
        numpy=lambda x, decimals=0: np.round(x, decimals),
        avoid=HALVES,
        rules="Round RoundDecimals",
        more=[
            sample(fixed([-1.5, -1.0, -0.5, -0.0, 0.5, 1.5, 2.5]), smooth=False),
            sample(fixed([0.126, -31.4159]), decimals=2),
            sample(fixed([123.4, -678.9]), decimals=-2),
            INTEGERS,
        ],
        wrong=[sample(whole(3), decimals=1)],
    ),
    OpCase(
        rounding.frac,
        [real(2, 3)],
        numpy=lambda x: x - np.trunc(x),
        avoid=HALVES,
        more=[EMPTY, sample(fixed([-1.0, -0.0, 1.5]), smooth=False)],
        wrong=[sample(whole(3))],
    ),
    OpCase(
        activations.threshold,
        [real(2, 3)],
        {"threshold": 0.5, "value": -2.0},
        numpy=lambda x, threshold, value: np.where(x > threshold, x, value),
        avoid=[0.5],
        more=[
            sample(fixed([0.0, 0.5, 1.0]), threshold=0.5, value=0.0, smooth=False),
            sample(whole(4), threshold=1, value=7),
        ],
    ),
]

ODDS = real(2, 3, low=0.2, high=0.8)
EVEN = real(2, 3, low=0.45, high=0.55)  # elsewhere the 1e-12 that PyTorch adds begins to show
LITTLE = constant([0.1, 0.05, 0.02])  # the same

PROBABILITIES = [
    OpCase(
        losses.binary_cross_entropy,
        [EVEN, ODDS],
        more=[
            sample(EVEN, ODDS, LITTLE, reduction="sum"),
            sample(EVEN, ODDS, LITTLE, reduction="none"),
            sample(ODDS, ODDS, reduction="none", smooth=False),
            sample(fixed([0.0, 0.0, 1.0, 1.0]), fixed([0.0, 1.0, 0.0, 1.0]), smooth=False),
            sample(real(0), real(0), smooth=False),
        ],
        wrong=[
            sample(ODDS, real(3)),
            sample(real(2, low=1.5), real(2, low=0.1, high=0.9)),
            sample(whole(2), whole(2)),
        ],
    ),
    OpCase(
        losses.binary_cross_entropy_with_logits,
        [real(2, 3), ODDS],
        torch=torch.nn.functional.binary_cross_entropy_with_logits,
        more=[
            sample(real(2, 3), ODDS, reduction="sum"),
            sample(real(2, 3), ODDS, reduction="none"),
            sample(fixed([0.0, 1000.0, -1000.0]), fixed([0.5, 1.0, 0.0]), smooth=False),
        ],
        wrong=[sample(real(2, 3), real(3)), sample(real(2), whole(2))],
    ),
]

ROWS = [*TRIGONOMETRIC, *HYPERBOLIC, *EXPONENTIAL, *GAMMA, *ROUNDING, *PROBABILITIES]
