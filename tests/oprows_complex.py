"""Rows of complex numbers and of Fourier transforms, of real numbers or by their parts."""

import numpy as np
import torch

import glassgrad
from glassgrad.ops import arithmetic as numbers
from opcase import OpCase, fixed, positive, real, sample, whole

__all__ = ["ROWS"]


def _parts(number):
    """What a call gives as two real tensors."""
    return [number.real, number.imag]


def _in_parts(function, *inputs, **params):
    return _parts(function(*inputs, **params))


def _of_pairs(function, *inputs, **params):
    """The op on the complex numbers whose parts are the inputs, here and in PyTorch."""
    m = torch if isinstance(inputs[0], torch.Tensor) else glassgrad
    found = function(m.complex(*inputs), **params)
    return _parts(found) if found.is_complex() else found


def _by_the_rule(function, x):
    """The public function returns a real tensor as it is; the rule is checked on reals here."""
    return function(x) if isinstance(x, torch.Tensor) else numbers.Conj.apply(x)


NUMBERS = [
    OpCase(
        numbers.complex,
        [real(2, 3), real(3)],
        call=_in_parts,
        more=[sample(fixed([1.0, 2.0]), fixed([float("inf"), float("nan")]), smooth=False)],
        wrong=[sample(real(2), real(3)), sample(whole(2), whole(2))],
    ),
    OpCase(
        numbers.polar,
        [positive(2, 3), real(3)],
        call=_in_parts,
        more=[sample(fixed([0.0, 1.0]), real(2), smooth=False)],
        wrong=[sample(real(2), real(3)), sample(whole(2), whole(2))],
    ),
    OpCase(numbers.view_as_real, [real(2, 3), real(2, 3)], call=_of_pairs),
    OpCase(
        numbers.view_as_complex,
        [real(2, 3, 2)],
        call=_in_parts,
        wrong=[sample(real(2, 3)), sample(whole(2, 2)), sample(real())],
    ),
    OpCase(numbers.conj, [real(2, 3)], numpy=np.conj, call=_by_the_rule, same_graph=False),
    OpCase(
        numbers.angle,
        [real(2, 3)],
        numpy=np.angle,
        avoid=[0.0],
        more=[sample(fixed([0.0, float("-inf"), float("nan")]), smooth=False)],
    ),
    OpCase(
        numbers.sgn,
        [real(2, 3)],
        numpy=np.sign,
        avoid=[0.0],
        more=[sample(fixed([0.0, -0.0]), smooth=False), sample(whole(3, low=-2))],
    ),
]

COMPLEX_INPUTS = [real(2, 4), real(2, 4)]

FOURIER = [
    OpCase(
        getattr(glassgrad.fft, name),
        COMPLEX_INPUTS,
        rules=rule,
        torch=getattr(torch.fft, name),
        call=_of_pairs,
        more=more,
        wrong=[sample(real(2), real(2), norm="none")],
    )
    for name, rule, more in [
        ("fftn", "FftC2C", [sample(*COMPLEX_INPUTS, s=(3, 5), norm="ortho")]),
        ("irfftn", "FftC2R", [sample(*COMPLEX_INPUTS, s=(2, 5), norm="forward")]),
    ]
] + [
    OpCase(
        glassgrad.fft.rfft,
        [real(2, 4)],
        rules="FftR2C",
        torch=torch.fft.rfft,
        call=_in_parts,
        more=[
            sample(real(2, 3), n=5, norm="ortho"),
            sample(real(3, 2), n=2, dim=0, norm="forward"),
        ],
        wrong=[sample(real(3), n=0), sample(real())],
    ),
]

ROWS = [*NUMBERS, *FOURIER]
