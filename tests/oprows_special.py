"""Rows of special functions, and of functions of two numbers."""

import numpy as np
import torch
from scipy import special as scipy

import glassgrad
from glassgrad.ops import (
    arithmetic,
    comparison,
    elementary,
    rounding,
    selection,
    special,
)
from opcase import OpCase, constant, fixed, positive, real, sample, whole

__all__ = ["ROWS"]

EMPTY, POINT = sample(real(0, 3)), sample(real())
EMPTY_PAIR = sample(real(0, 3), real(3))
NAN, INF = float("nan"), float("inf")
EDGES = fixed([-INF, -1.0, -0.0, 0.0, 1.0, INF, NAN])


def _special(name, *inputs, rule, **row):
    return OpCase(
        getattr(glassgrad.special, name),
        *inputs,
        rules=rule,
        torch=getattr(torch.special, name),
        **row,
    )


SMOOTH = [
    OpCase(
        special.erf, [real(2, 3)], numpy=scipy.erf, more=[EMPTY, POINT, sample(EDGES, smooth=False)]
    ),
    OpCase(special.erfc, [real(2, 3)], numpy=scipy.erfc, more=[EMPTY, sample(EDGES, smooth=False)]),
    OpCase(
        special.erfinv,
        [real(2, 3, low=-0.8, high=0.8)],
        numpy=scipy.erfinv,
        more=[EMPTY, sample(fixed([-2.0, -1.0, 1.0]), smooth=False)],
    ),
    _special("erfcx", [real(2, 3)], rule="SpecialErfcx", numpy=scipy.erfcx, more=[EMPTY]),
    _special("log_ndtr", [real(2, 3)], rule="SpecialLogNdtr", more=[sample(fixed([-9.0, 9.0]))]),
    _special(
        "ndtri",
        [real(2, 3, low=0.2, high=0.8)],
        rule="SpecialNdtri",
        more=[sample(fixed([-1.0, 0.0, 1.0]), smooth=False)],
    ),
    _special(
        "entr",
        [positive(2, 3)],
        rule="SpecialEntr",
        numpy=scipy.entr,
        more=[EMPTY, sample(fixed([-1.0, 0.0, NAN]), smooth=False)],
    ),
    OpCase(special.i0, [real(2, 3)], numpy=scipy.i0, more=[EMPTY, POINT]),
    _special("i0e", [real(2, 3)], rule="SpecialI0e", numpy=scipy.i0e, avoid=[0.0], more=[EMPTY]),
    _special(
        "i1",
        [real(2, 3)],
        rule="SpecialI1",
        numpy=scipy.i1,
        avoid=[0.0],
        more=[EMPTY, sample(fixed([0.0, 1.0]), smooth=False)],
    ),
    _special(
        "i1e",
        [real(2, 3)],
        rule="SpecialI1e",
        numpy=scipy.i1e,
        avoid=[0.0],
        more=[sample(fixed([0.0, 1.0]), smooth=False)],
    ),
    OpCase(
        elementary.sinc,
        [real(2, 3)],
        numpy=np.sinc,
        avoid=[0.0],
        more=[EMPTY, sample(fixed([0.0, 1.0]), smooth=False)],
    ),
    OpCase(elementary.deg2rad, [real(2, 3)], rules="Deg2Rad", numpy=np.deg2rad, more=[EMPTY]),
    OpCase(elementary.rad2deg, [real(2, 3)], rules="Rad2Deg", numpy=np.rad2deg, more=[EMPTY]),
]

FLAT = [
    _special(name, [positive(2, 3)], rule=rule, numpy=function)
    for name, rule, function in [
        ("bessel_j0", "BesselJ0", scipy.j0),
        ("bessel_j1", "BesselJ1", scipy.j1),
        ("bessel_y0", "BesselY0", scipy.y0),
        ("bessel_y1", "BesselY1", scipy.y1),
        ("modified_bessel_k0", "ModifiedBesselK0", scipy.k0),
        ("modified_bessel_k1", "ModifiedBesselK1", scipy.k1),
        ("scaled_modified_bessel_k0", "ScaledModifiedBesselK0", scipy.k0e),
        ("scaled_modified_bessel_k1", "ScaledModifiedBesselK1", scipy.k1e),
        ("airy_ai", "AiryAi", lambda x: scipy.airy(x)[0]),
        ("spherical_bessel_j0", "SphericalBesselJ0", lambda x: scipy.spherical_jn(0, x)),
    ]
]

POLYNOMIALS = [
    _special(
        f"{name}_polynomial_{letter}",
        [real(2, 3, low=-0.9, high=0.9), constant([0.0, 2.0, 3.0])],
        rule="".join(word.capitalize() for word in f"{name}_polynomial_{letter}".split("_")),
        more=[sample(real(3), constant([-1.0, 1.0, 4.0]))],
    )
    for name, letters in [
        ("chebyshev", "tuvw"),
        ("shifted_chebyshev", "tuvw"),
        ("hermite", ("h", "he")),
        ("laguerre", "l"),
        ("legendre", "p"),
    ]
    for letter in letters
]

PAIRS = [
    OpCase(
        special.igamma,
        [constant([0.5, 1.0, 2.5]), positive(2, 3)],
        numpy=scipy.gammainc,
        same_graph=False,
        wrong=[sample(whole(3), whole(3))],
    ),
    OpCase(
        special.igammac,
        [constant([0.5, 1.0, 2.5]), positive(2, 3)],
        numpy=scipy.gammaincc,
        same_graph=False,
        wrong=[sample(real(3), positive(3))],
    ),
    _special(
        "zeta",
        [constant([1.5, 2.0, 3.5]), positive(2, 3)],
        rule="SpecialZeta",
        numpy=scipy.zeta,
        same_graph=False,
        wrong=[sample(real(3), positive(3))],
    ),
    OpCase(
        elementary.xlogy,
        [real(2, 3), positive(3)],
        numpy=scipy.xlogy,
        more=[
            sample(fixed([0.0, 0.0, 0.0, 1.0]), fixed([0.0, -1.0, NAN, NAN]), smooth=False),
            sample(real(2), whole(2, low=1)),
        ],
    ),
    _special(
        "xlog1py",
        [real(2, 3), positive(3)],
        rule="SpecialXlog1py",
        numpy=scipy.xlog1py,
        more=[sample(fixed([0.0, 0.0, 0.0, 1.0]), fixed([-1.0, -2.0, NAN, NAN]), smooth=False)],
    ),
    OpCase(
        elementary.logaddexp,
        [real(2, 3), real(3)],
        numpy=np.logaddexp,
        more=[sample(fixed([1000.0, -1000.0]), fixed([1000.0, 0.0]), smooth=False)],
    ),
    OpCase(elementary.logaddexp2, [real(2, 3), real(3)], numpy=np.logaddexp2, more=[EMPTY_PAIR]),
    OpCase(
        elementary.ldexp,
        [real(2, 3), real(3)],
        numpy=lambda x, y: x * 2.0**y,
        more=[sample(real(2), whole(2))],
    ),
    OpCase(
        elementary.frexp,
        [positive(2, 3)],
        avoid=[1.0],
        more=[sample(fixed([0.0, -3.0, 8.0]), smooth=False)],
        wrong=[sample(whole(2))],
    ),
    OpCase(
        arithmetic.copysign,
        [real(2, 3), real(3)],
        numpy=np.copysign,
        avoid=[0.0],
        more=[sample(fixed([0.0, -2.0, 1.0]), fixed([-0.0, 0.0, -1.0]), smooth=False)],
    ),
    OpCase(
        rounding.fmod,
        [real(2, 3), fixed([0.75, -1.5, 5.0])],
        numpy=np.fmod,
        avoid=[-1.5, -0.75, 0.75, 1.5],
        more=[
            sample(whole(4, low=-9, high=9), fixed([3, -3, 2, 5])),
            sample(EDGES, fixed(2.0), smooth=False),
        ],
        wrong=[sample(whole(2), fixed([0, 1])), sample(real(2), real(3))],
    ),
    OpCase(
        rounding.remainder,
        [real(2, 3), fixed([0.75, -1.5, 5.0])],
        numpy=np.remainder,
        avoid=[-1.5, -0.75, 0.0, 0.75, 1.5],
        more=[
            sample(whole(4, low=-9, high=9), fixed([3, -3, 2, 5])),
            sample(EDGES, fixed(2.0), smooth=False),
        ],
        wrong=[sample(whole(2), fixed([0, 1])), sample(real(2), real(3))],
    ),
    *[
        OpCase(
            getattr(selection, name),
            [real(2, 3), real(3)],
            numpy=getattr(np, name),
            more=[
                sample(fixed([1.0, NAN, 2.0, NAN]), fixed([NAN, 1.0, 2.0, NAN]), smooth=False),
                sample(whole(3), whole(2, 3)),
            ],
        )
        for name in ("fmax", "fmin")
    ],
    OpCase(
        selection.heaviside,
        [constant([[-1.0, 0.0, 2.0]]), constant([0.5, 0.25, 0.5])],
        numpy=np.heaviside,
        more=[sample(constant([1.0, -0.0]), constant([3.0, 3.0]))],
        wrong=[sample(real(2), whole(2))],
    ),
    *[
        OpCase(
            getattr(arithmetic, name),
            [whole(2, 3, low=-9, high=9), whole(3, high=9)],
            numpy=getattr(np, name),
            wrong=[sample(real(2), real(2))],
        )
        for name in ("gcd", "lcm")
    ],
    *[
        OpCase(
            getattr(comparison, name),
            [whole(2, 3, low=-9, high=9), whole(3, high=5)],
            numpy=function,
            more=[sample(fixed([5, -5, 5]), fixed([-1, 70, 64]))],
            wrong=[sample(real(2), real(2))],
        )
        for name, function in [
            ("bitwise_left_shift", lambda x, y: np.where((y < 0) | (y > 63), 0, x << y)),
            ("bitwise_right_shift", lambda x, y: x >> np.where((y < 0) | (y > 63), 63, y)),
        ]
    ],
    OpCase(
        rounding.nextafter,
        [constant([1.0, -1.0, 0.0, INF]), constant([2.0, -1.0, NAN, 0.0])],
        numpy=np.nextafter,
        more=[sample(real(2, 3), real(3))],
        wrong=[sample(whole(2), whole(2))],
    ),
    OpCase(
        rounding.nan_to_num,
        [real(2, 3)],
        more=[
            sample(EDGES, nan=1.0, posinf=2.0, neginf=-2.0, smooth=False),
            sample(EDGES, smooth=False),
            sample(whole(3)),
        ],
    ),
    OpCase(
        arithmetic.div,
        [real(2, 3), fixed([0.75, -1.5, 5.0])],
        {"rounding_mode": "trunc"},
        rules="DivRounded",
        avoid=[-1.5, -0.75, 0.75, 1.5],
        more=[
            sample(real(4), fixed([0.75, -1.5, 5.0, 0.0]), rounding_mode="floor", smooth=False),
            sample(fixed([7, -7, 7, -7]), fixed([2, 2, -2, -2]), rounding_mode="trunc"),
            sample(fixed([7, -7, 7, -7]), fixed([2, 2, -2, -2]), rounding_mode="floor"),
        ],
        wrong=[sample(real(2), real(2), rounding_mode="up")],
    ),
]

ROWS = [*SMOOTH, *FLAT, *POLYNOMIALS, *PAIRS]
