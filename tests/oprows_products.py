"""Rows of products of matrices, and of losses."""

import itertools

import numpy as np
import torch

import glassgrad
from glassgrad.ops import linalg, losses
from opcase import OpCase, constant, fixed, real, sample, whole

__all__ = ["ROWS"]

WEIGHT = constant([0.5, 1.0, 2.0])

LINALG = [
    OpCase(
        linalg.mm,
        [real(2, 3), real(3, 4)],
        numpy=np.matmul,
        more=[sample(real(0, 3), real(3, 2)), sample(real(1, 1), real(1, 1))],
        wrong=[sample(real(2, 3), real(4, 5)), sample(real(3), real(3, 2))],
    ),
    OpCase(
        linalg.mv,
        [real(2, 3), real(3)],
        numpy=np.matmul,
        wrong=[sample(real(2, 3), real(2)), sample(real(3), real(3))],
    ),
    OpCase(
        linalg.dot,
        [real(3), real(3)],
        numpy=np.dot,
        more=[sample(real(0), real(0))],
        wrong=[sample(real(3), real(2)), sample(real(3, 1), real(3))],
    ),
    OpCase(
        linalg.bmm,
        [real(2, 3, 4), real(2, 4, 2)],
        numpy=np.matmul,
        wrong=[sample(real(2, 3, 4), real(3, 4, 2)), sample(real(3, 4), real(4, 2))],
    ),
    OpCase(
        linalg.matmul,
        [real(2, 3, 4), real(4, 2)],
        numpy=np.matmul,
        rules="MatMul",
        same_graph=False,  # one node, where PyTorch folds, multiplies and unfolds
        more=[
            sample(real(2, 1, 3, 4), real(3, 4, 2)),
            sample(real(4), real(2, 4, 3)),
            sample(real(2, 3, 4), real(4)),
            sample(real(2, 3), real(3, 2)),
            sample(real(3), real(3, 2)),
        ],
        wrong=[
            sample(real(2, 3), real(4, 5)),
            sample(real(2, 3, 4), real(3, 5)),
            sample(real(2, 3, 4), real(3, 4, 5)),
            sample(real(), real(3)),
        ],
    ),
    OpCase(
        linalg.linear,
        [real(4, 3), real(2, 3), real(2)],
        numpy=lambda x, w, b=0: x @ w.T + b,
        same_graph=False,  # LinearBackward0
        more=[
            sample(real(4, 3), real(2, 3)),
            sample(real(3), real(2, 3), real(2)),
            sample(real(2, 2, 3), real(2, 3), real(2)),
            sample(real(0, 3), real(2, 3), real(2)),
        ],
        wrong=[
            sample(real(4, 3), real(2, 4)),
            sample(real(4, 3), real(2, 3), real(3)),
            sample(real(3), real(3), real(3)),
        ],
    ),
    OpCase(
        linalg.einsum,
        [real(2, 3), real(3, 4)],
        {"equation": "ij,jk->ik"},
        numpy=lambda *xs, equation: np.einsum(equation, *xs),
        call=lambda f, *xs, equation: f(equation, *xs),
        rules="EinsumTwo",
        same_graph=False,  # EinsumBackward0
        more=[
            sample(real(3, 3), equation="ii"),
            sample(real(3, 3), equation="ii->i"),
            sample(real(2, 3), equation="ij->j"),
            sample(real(2, 3), equation="ji"),
            sample(real(2, 3), real(3), real(3, 2), equation="ij,j,jk->ki"),
            sample(real(2, 3, 4), real(4, 2), equation="...j,jk->...k"),
            sample(real(1, 3, 2), real(2, 3, 2), equation="...i,...i->..."),
            sample(real(2, 2), real(2), equation="ii,j->ji"),
            sample(real(2), real(3), equation="i,j"),
            sample(real(1, 3), real(2, 3), equation="ij,ij->i"),
            sample(real(3, 3), real(3), equation="ii,i->"),
            sample(real(20, 20), real(20, 20), equation="ij,jk->ik"),
        ],
        wrong=[
            sample(real(2, 3), real(4, 5), equation="ij,jk->ik"),
            sample(real(2, 3), equation="ij,jk"),
            sample(real(2, 3), equation="i"),
            sample(real(2, 3), equation="ij->ik"),
            sample(real(2, 3), equation="i1->i"),
            sample(real(2, 3), equation="ii"),
        ],
    ),
]


def _of_scores(function, x, targets, input_lengths, target_lengths, **given):
    tensor = torch.tensor if isinstance(x, torch.Tensor) else glassgrad.tensor
    numbers = [tensor(n) for n in (targets, input_lengths, target_lengths)]
    return function(x.log_softmax(-1), *numbers, **given)


def _spelt(log_probs, targets, lasts, sizes, blank=0, reduction="mean", zero_infinity=False):
    """The sum over all outputs that spell a target; PyTorch's loss has no second derivative."""
    log_probs = log_probs.reshape(log_probs.shape[0], -1, log_probs.shape[-1])
    targets, lasts, sizes = targets.reshape(log_probs.shape[1], -1), lasts.tolist(), sizes.tolist()
    losses = []
    for n, wanted in enumerate(targets.tolist()):
        scores = [
            log_probs[range(lasts[n]), n, way].sum()
            for way in itertools.product(range(log_probs.shape[-1]), repeat=lasts[n])
            if [k for k, _ in itertools.groupby(way) if k != blank] == wanted[: sizes[n]]
        ]
        losses.append(-torch.stack(scores).logsumexp(0) if scores else log_probs.sum() * 0)
    losses = torch.stack(losses)
    return (losses / torch.tensor(sizes)).mean() if reduction == "mean" else losses.sum()


def _huber(x, y, delta=1.0, **given):
    """PyTorch's own has no tangent of its gradient."""
    return torch.nn.functional.smooth_l1_loss(x, y, beta=delta, **given) * delta


LOSSES = [
    OpCase(
        losses.cross_entropy,
        [real(4, 3), whole(4)],
        rules="CrossEntropy SoftCrossEntropy",
        same_graph=False,  # CrossEntropyBackward0
        more=[
            sample(real(4, 3), whole(4), reduction="sum"),
            sample(real(4, 3), whole(4), reduction="none", label_smoothing=0.1),
            sample(real(4, 3), whole(4), WEIGHT),
            sample(real(4, 3), whole(4), WEIGHT, label_smoothing=0.2),
            sample(real(4, 3), fixed([0, 2, 2, 1]), ignore_index=2),
            sample(
                real(4, 3),
                fixed([0, -100, 2, 1]),
                WEIGHT,
                label_smoothing=0.1,
            ),
            sample(real(3), whole()),
            sample(real(2, 3, 4), whole(2, 4)),
            sample(real(2, 3, 2, 2), whole(2, 2, 2), reduction="none", ignore_index=0),
            sample(real(4, 3), real(4, 3, low=0, high=1)),
            sample(real(3), real(3, low=0, high=1), label_smoothing=0.1),
            sample(real(2, 3, 2), real(2, 3, 2, low=0), WEIGHT, reduction="none"),
        ],
        wrong=[
            sample(real(4, 3), whole(5)),
            sample(real(4, 3), fixed([0, 3, 1, 1])),
            sample(real(4, 3), fixed([0, -1, 1, 1])),
            sample(real(4, 3), whole(4), constant([1.0, 2.0])),
            sample(real(4, 3), real(4)),
            sample(real(4, 3), whole(4), reduction="median"),
            sample(real(4, 3), whole(4), label_smoothing=2.0),
            sample(real(), whole()),
        ],
    ),
    OpCase(
        losses.nll_loss,
        [real(4, 3), whole(4)],
        more=[
            sample(real(4, 3), whole(4), reduction="none"),
            sample(real(4, 3), fixed([0, 2, 2, 1]), WEIGHT, ignore_index=2),
            sample(real(3), whole(), reduction="sum"),
        ],
        wrong=[sample(real(4, 3), fixed([0, 3, 1, 1])), sample(real(4, 3), whole(5))],
    ),
    OpCase(
        losses.mse_loss,
        [real(2, 3), real(2, 3)],
        numpy=lambda x, y: ((x - y) ** 2).mean(),
        wrong=[sample(real(2), real(2), reduction="median")],
    ),
    OpCase(
        losses.smooth_l1_loss,
        [real(2, 3), real(2, 3)],
        rules="SmoothL1Loss",
        more=[
            sample(real(3), real(3), reduction="none", beta=2.5),
            sample(fixed([1.0, 0.0]), fixed([0.0, 0.0]), reduction="sum", smooth=False),
        ],
        wrong=[sample(real(2), real(2), beta=-1.0)],
    ),
    OpCase(
        losses.ctc_loss,
        [real(4, 2, 3)],
        {"targets": [[1, 1, 0], [1, 2, 1]], "input_lengths": [4, 3], "target_lengths": [2, 3]},
        torch=_spelt,
        call=_of_scores,
        same_graph=False,
        more=[
            sample(real(3, 3), targets=[0, 2], input_lengths=[3], target_lengths=[2], blank=1),
            sample(
                real(3, 2, 3),
                targets=[[1, 1], [2, 0]],
                input_lengths=[2, 3],
                target_lengths=[2, 1],
                reduction="sum",
                zero_infinity=True,
            ),
        ],
        wrong=[sample(real(2, 1, 2), targets=[[1]], input_lengths=[3], target_lengths=[1])],
    ),
    OpCase(
        losses.huber_loss,
        [real(2, 3), real(2, 3)],
        torch=_huber,
        same_graph=False,
        more=[
            sample(real(3), real(3), reduction="none", delta=2.5),
            sample(fixed([1.0, 0.0]), fixed([0.0, 0.0]), reduction="sum", smooth=False),
        ],
        wrong=[sample(real(2), real(2), delta=0.0)],
    ),
]
ROWS = [*LINALG, *LOSSES]
