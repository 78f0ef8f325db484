"""Rows of what networks are made of, beside nonlinearities and losses."""

import torch.nn.functional as F

from glassgrad.ops import networks
from opcase import OpCase, constant, real, sample, whole

__all__ = ["ROWS"]

MEAN, VARIANCE = constant([0.5, -1.0]), constant([0.25, 2.0])


def _in_training(function, x, weight, bias, **given):
    return function(x, None, None, weight, bias, training=True, **given)


ROWS = [
    OpCase(
        networks.embedding,
        [whole(2, 2), real(3, 2)],
        numpy=lambda index, table: table[index],
        torch=F.embedding,
        more=[
            sample(whole(4), real(3, 2)),
            sample(whole(), real(3, 2)),
        ],
        wrong=[sample(whole(2), real(3)), sample(whole(2, low=3, high=5), real(3, 2))],
    ),
    OpCase(
        networks.layer_norm,
        [real(2, 3)],
        {"normalized_shape": (3,)},
        rules="NativeLayerNorm",
        call=lambda f, x, *learned, normalized_shape: f(x, normalized_shape, *learned),
        more=[
            sample(real(3), real(3), real(3), normalized_shape=(3,)),
            sample(real(2, 2, 2), real(2, 2), real(2, 2), normalized_shape=(2, 2)),
        ],
        wrong=[sample(real(2, 3), normalized_shape=(2,)), sample(whole(2), normalized_shape=(2,))],
    ),
    OpCase(
        networks.batch_norm,
        [real(3, 2), real(2), real(2)],
        rules="NativeBatchNorm",
        torch=F.batch_norm,
        call=_in_training,
        more=[sample(real(2, 2, 2), real(2), real(2), eps=0.5)],
        wrong=[sample(real(1, 2), real(2), real(2)), sample(real(2, 2), real(3), real(3))],
    ),
    OpCase(
        networks.batch_norm,
        [real(3, 2), MEAN, VARIANCE, real(2), real(2)],
        rules="EvaluatedBatchNorm",
        torch=F.batch_norm,
        same_graph=False,
        more=[sample(real(2, 2, 2), MEAN, VARIANCE, real(2), real(2), eps=0.5)],
        wrong=[sample(real(2, 2), MEAN, VARIANCE, real(3), real(3))],
    ),
    OpCase(
        networks.group_norm,
        [real(2, 4)],
        {"num_groups": 2},
        rules="NativeGroupNorm",
        call=lambda f, x, *learned, num_groups: f(x, num_groups, *learned),
        more=[sample(real(2, 2, 3), real(2), real(2), num_groups=1)],
        wrong=[sample(real(2, 3), num_groups=2), sample(real(2), num_groups=1)],
    ),
    OpCase(
        networks.scaled_dot_product_attention,
        [real(2, 2), real(3, 2), real(3, 2)],
        same_graph=False,
        more=[
            sample(real(1, 2, 2, 3), real(1, 2, 2, 3), real(1, 2, 2, 2), is_causal=True),
            sample(real(2, 2), real(3, 2), real(3, 2), real(2, 3), scale=0.3),
        ],
        wrong=[sample(real(2, 2), real(3, 3), real(3, 3)), sample(real(2), real(2), real(2))],
    ),
]
