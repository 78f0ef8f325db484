"""Rows of ops that exist only in place; the others share their rules with the op of their name."""

from glassgrad.ops import joining, random, shape
from opcase import OpCase, constant, real, sample

__all__ = ["ROWS"]


def _fresh(function, x, *others, **params):
    """Write to a fresh tensor: the row's inputs are leaves."""
    return function(x.clone(), *others, **params)


SHAPE = [
    OpCase(
        shape.t_,
        [real(2, 3)],
        call=_fresh,
        rules="TInPlace",
        more=[sample(real(2)), sample(real())],
        wrong=[sample(real(2, 2, 2))],
    ),
    OpCase(
        shape.transpose_,
        [real(2, 3, 4)],
        {"dim0": 0, "dim1": -1},
        call=_fresh,
        rules="TransposeInPlace",
        wrong=[sample(real(2), dim0=0, dim1=1)],
    ),
    OpCase(
        shape.squeeze_,
        [real(2, 1, 3, 1)],
        call=_fresh,
        rules="SqueezeInPlace SqueezeDimInPlace SqueezeDimsInPlace",
        more=[sample(real(2, 1), dim=1), sample(real(1, 2, 1), dim=(0, 2))],
        wrong=[sample(real(2), dim=1)],
    ),
    OpCase(
        joining.as_strided_,
        [real(6)],
        {"size": (2, 3), "stride": (1, 2)},
        call=_fresh,
        rules="AsStridedInPlace",
        more=[sample(real(4), size=(2,), stride=(1,), storage_offset=1)],
        wrong=[sample(real(3), size=(4,), stride=(1,))],
    ),
    OpCase(
        shape.unsqueeze_,
        [real(2, 3)],
        {"dim": 1},
        call=_fresh,
        rules="UnsqueezeInPlace",
        wrong=[sample(real(2), dim=2)],
    ),
]

RANDOM = [
    OpCase(
        random.normal_,
        [real(2, 3)],
        {"mean": 1.0, "std": 0.0},
        call=_fresh,
        rules="Normal",
        wrong=[sample(real(2), std=-1.0)],
    ),
    OpCase(
        random.uniform_,
        [real(2, 3)],
        call=lambda f, x, a=1.0, b=1.0: f(x.clone(), a, b),
        rules="Uniform",
        wrong=[sample(real(2), a=2.0)],
    ),
    OpCase(
        random.random_,
        [real(2, 3)],
        {"bounds": (1, 2)},
        call=lambda f, x, bounds: f(x.clone(), *bounds) * (0 if not bounds else 1),
        rules="RandomFrom RandomTo Random",
        same_graph=False,  # multiplied, so that PyTorch's numbers are ours
        more=[sample(real(2), bounds=(1,)), sample(real(2), bounds=())],
        wrong=[sample(real(2), bounds=(2, 2))],
    ),
    OpCase(
        random.bernoulli_,
        [real(2, 3)],
        {"p": 1.0},
        call=_fresh,
        rules="Bernoulli BernoulliEach",
        more=[sample(real(2), constant([0.0, 1.0]))],
        wrong=[sample(real(2), p=2.0)],
    ),
]

ROWS = [*SHAPE, *RANDOM]
