"""Rows of nonlinearities."""

import torch.nn.functional as F

from glassgrad.ops import activations
from opcase import OpCase, fixed, real, sample, whole

__all__ = ["ROWS"]

EMPTY, POINT = sample(real(0, 3)), sample(real())
INTEGERS = [sample(whole(2))]
FAR = fixed([-1000.0, 1000.0])


def _row(name, *, kinks=(), more=(), far=True, wrong=INTEGERS, **extra):
    """A function of each element: on both sides of its kinks, at them, and far away."""
    at_kinks = [sample(fixed([float(x) for x in kinks]), smooth=False)] if kinks else []
    far_away = [sample(FAR, smooth=False)] if far else []
    return OpCase(
        getattr(activations, name),
        [real(2, 3)],
        avoid=kinks,
        more=[EMPTY, POINT, *at_kinks, *far_away, *more],
        wrong=wrong,
        **extra,
    )


ROWS = [
    _row("leaky_relu", kinks=[0], more=[sample(real(3), negative_slope=-0.5)]),
    _row("elu", kinks=[0], more=[sample(real(3), alpha=0.5)]),
    _row("celu", kinks=[0], more=[sample(real(3), alpha=-0.5)]),
    _row(
        "hardtanh", rules="Hardtanh", kinks=[-1, 1], more=[sample(real(3), min_val=-0.5)], wrong=()
    ),
    _row(
        "hardsigmoid",
        kinks=[-3, 3],
        torch=lambda x: F.relu6(x + 3) / 6,  # PyTorch's own has no second derivative
        same_graph=False,
    ),
    _row("hardswish", kinks=[-3, 3]),
    _row("softshrink", kinks=[-0.5, 0.5], more=[sample(real(3), lambd=0.75)]),
    _row("hardshrink", kinks=[-0.5, 0.5], more=[sample(real(3), lambd=0.75)]),
    _row("logsigmoid", rules="LogSigmoid"),
    _row("softplus", more=[sample(real(3), beta=2.0, threshold=1.0, smooth=False)]),
    _row("silu"),
    _row("mish"),
    _row("gelu", rules="Gelu NormalCdf", more=[sample(real(3), approximate="tanh")]),
    OpCase(
        activations.prelu,
        [real(2, 3), real(1)],
        rules="PreluKernel",
        avoid=[0],
        more=[sample(real(2, 3, 2), real(3)), sample(real(), real()), sample(real(3), real())],
        wrong=[
            sample(real(2, 3), real(2)),
            sample(real(), real(2)),
            sample(real(2), real(1, 1)),
            sample(real(2), whole(1)),
        ],
    ),
]
