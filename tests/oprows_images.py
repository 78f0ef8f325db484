"""Rows of ops on images: convolution, pooling, padding, and other sizes.

One rule serves lines, images and spaces, so they share a row: `rank` says how many dims there are.
"""

import torch

from glassgrad.nn import functional
from glassgrad.ops import resampling, windows
from opcase import OpCase, fixed, real, sample, whole

__all__ = ["ROWS"]

TIES = fixed([[[1.0, 1.0, 0.0], [0.0, 2.0, 2.0], [2.0, 0.0, 1.0]]])


def _by_rank(name):
    """How functions are called whose name says how many dims an image has."""

    def call(function, x, *others, rank=2, **params):
        home = torch.nn.functional if isinstance(x, torch.Tensor) else functional
        return getattr(home, f"{name}{rank}d")(x, *others, **params)

    return call


def _images(*size, channels=1):
    return real(2, channels, *size)


CONVOLUTION = [
    OpCase(
        functional.conv2d,
        [_images(3, 3), real(2, 1, 2, 2), real(2)],
        call=_by_rank("conv"),
        rules="Convolution ConvolutionWeight",
        more=[
            sample(_images(3, 4), real(1, 1, 2, 2), real(1), dilation=(1, 2), padding=(0, 1)),
            sample(_images(2, 3), real(1, 1, 1, 3), real(1), padding="same"),
            sample(real(2, 2, 4), real(2, 1, 2), real(2), rank=1, stride=2, padding=1, groups=2),
            sample(real(0, 1, 3), real(1, 1, 2), real(1), rank=1),
            sample(real(1, 1, 2, 2, 3), real(1, 1, 2, 1, 2), real(1), rank=3),
            sample(real(1, 2, 3), real(1, 1, 1, 2)),
        ],
        wrong=[
            sample(real(3, 3), real(2, 1, 2, 2)),
            sample(_images(3, 3), real(2, 1, 2, 2), stride=0),
            sample(_images(3, 3), real(2, 1, 2, 2), padding=-1),
            sample(_images(3, 3), real(2, 1, 2, 2), padding="some"),
            sample(_images(3, 3), real(2, 1, 2, 2), stride=2, padding="same"),
            sample(_images(3, 3), real(2, 1, 2, 2), stride=(1, 1, 1)),
            sample(_images(3, 3), real(2, 1, 2, 2), groups=0),
            sample(real(2, 3, 4), real(2, 2, 2), rank=1),
            sample(real(2, 2, 1), real(2, 2, 2), rank=1),
            sample(real(2, 2, 4), whole(2, 2, 2), rank=1),
            sample(real(2, 2, 4), real(2, 2, 2), real(3), rank=1),
        ],
    ),
    OpCase(
        functional.conv_transpose2d,
        [_images(2, 2), real(1, 2, 2, 2), real(2)],
        call=_by_rank("conv_transpose"),
        rules="ConvolutionTransposed",
        more=[
            sample(real(1, 1, 2), real(1, 1, 2), real(1), rank=1, stride=2, output_padding=1),
            sample(real(1, 2, 2), real(2, 1, 2), real(2), rank=1, padding=1, groups=2, dilation=2),
            sample(real(1, 1, 1, 2, 1), real(1, 1, 2, 1, 2), real(1), rank=3),
        ],
        wrong=[
            sample(real(2, 2), real(1, 2, 2, 2)),
            sample(real(2, 3, 2), real(2, 1, 3), rank=1),
            sample(real(2, 2, 2), real(2, 1, 3), rank=1, output_padding=1),
            sample(real(2, 2, 2), real(2, 1, 3), rank=1, padding=5),
        ],
    ),
    OpCase(
        windows.unfold,
        [_images(2, 3)],
        {"kernel_size": 2},
        rules="Im2Col",
        more=[sample(real(1, 3, 3), kernel_size=(2, 1), stride=2, padding=1)],
        wrong=[
            sample(real(2, 3), kernel_size=2),
            sample(_images(2, 3), kernel_size=3),
            sample(_images(2, 3), kernel_size=0),
        ],
    ),
    OpCase(
        windows.fold,
        [real(1, 4, 2)],
        {"output_size": (2, 3), "kernel_size": 2},
        rules="Col2Im",
        more=[sample(real(2, 6), output_size=3, kernel_size=(2, 1), stride=2, padding=1)],
        wrong=[
            sample(real(1, 3, 2), output_size=(2, 3), kernel_size=2),
            sample(real(1, 4, 3), output_size=(2, 3), kernel_size=2),
        ],
    ),
]

POOLING = [
    OpCase(
        functional.max_pool2d,
        [_images(3, 4)],
        {"kernel_size": 2},
        call=_by_rank("max_pool"),
        rules="MaxPool2d MaxPool3dWithIndices MaxPoolPut",
        more=[
            sample(real(1, 3, 3), kernel_size=2, stride=1, padding=1, ceil_mode=True),
            sample(real(1, 3, 4), kernel_size=(2, 1), dilation=2, stride=1),
            sample(TIES, kernel_size=2, stride=1, smooth=False),
            sample(real(2, 4), rank=1, kernel_size=2),
            sample(real(1, 2, 2, 3), rank=3, kernel_size=2),
        ],
        wrong=[
            sample(real(3, 4), kernel_size=2),
            sample(_images(3, 4), kernel_size=2, padding=2),
            sample(_images(3, 4), kernel_size=2, stride=0),
            sample(_images(3, 4), kernel_size=(2, 2, 2)),
            sample(_images(3, 4), kernel_size=5),
        ],
    ),
    OpCase(
        functional.adaptive_max_pool2d,
        [_images(3, 4)],
        {"output_size": (2, None), "return_indices": True},
        call=_by_rank("adaptive_max_pool"),
        rules="AdaptiveMaxPool2d AdaptiveMaxPool3d MaxPoolIndices",
        more=[
            sample(real(1, 2, 3), output_size=4),
            sample(TIES, output_size=2, smooth=False),
            sample(real(2, 5), rank=1, output_size=2),
            sample(real(1, 2, 2, 3), rank=3, output_size=2),
        ],
        wrong=[
            sample(real(3, 4), output_size=2),
            sample(_images(3, 4), output_size=-1),
            sample(real(5), rank=1, output_size=2),
        ],
    ),
    OpCase(
        functional.avg_pool2d,
        [_images(3, 4)],
        {"kernel_size": 2},
        call=_by_rank("avg_pool"),
        rules="AvgPool2d AvgPool3d",
        more=[
            sample(real(1, 3, 3), kernel_size=2, stride=2, padding=1, ceil_mode=True),
            sample(real(1, 3, 3), kernel_size=2, padding=1, count_include_pad=False),
            sample(real(1, 3, 3), kernel_size=2, divisor_override=3),
            sample(whole(1, 3, 3, low=-5, high=5), kernel_size=2, divisor_override=-3),
            sample(real(2, 4), rank=1, kernel_size=2),
            sample(real(1, 2, 2, 3), rank=3, kernel_size=2),
        ],
        wrong=[
            sample(real(3, 4), kernel_size=2),
            sample(_images(3, 4), kernel_size=2, divisor_override=0),
            sample(_images(3, 4), kernel_size=5),
            sample(real(2, 2, 3), rank=3, kernel_size=2),
        ],
    ),
    OpCase(
        functional.adaptive_avg_pool2d,
        [_images(3, 4)],
        {"output_size": (2, None)},
        call=_by_rank("adaptive_avg_pool"),
        rules="AdaptiveAvgPool2d AdaptiveAvgPool3d",
        more=[
            sample(real(1, 2, 3), output_size=4),
            sample(real(1, 2, 3), output_size=(1, 2)),
            sample(real(2, 5), rank=1, output_size=2),
            sample(real(1, 2, 2, 3), rank=3, output_size=2),
        ],
        wrong=[
            sample(real(3, 4), output_size=2),
            sample(_images(3, 4), output_size=-1),
            sample(real(5), rank=1, output_size=2),
        ],
    ),
]

PADDING = [
    OpCase(
        resampling.constant_pad_nd,
        [real(2, 3)],
        {"pad": (1, 2)},
        more=[
            sample(real(2, 3), pad=(1, -1, -1, 2), value=1.5),
            sample(whole(3), pad=(1, 1), value=2),
            sample(real(), pad=()),
        ],
        wrong=[
            sample(real(2, 3), pad=(1,)),
            sample(real(2), pad=(1, 1, 1, 1)),
            sample(real(2), pad=(-1, -2)),
        ],
    ),
    OpCase(
        resampling.pad,
        [real(1, 4)],
        {"pad": (2, 1), "mode": "reflect"},
        rules=(
            "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d "
            "ReplicationPad3d Resample"
        ),
        same_graph=False,  # circular: ResampleBackward0, where PyTorch writes to parts
        more=[
            sample(real(1, 3, 3), pad=(-1, 1, 2, 0), mode="reflect"),
            sample(real(1, 2, 2, 2), pad=(1, 0, 0, 1, 1, 0), mode="reflect"),
            sample(real(1, 3), pad=(2, 1), mode="replicate"),
            sample(real(1, 3, 2), pad=(2, 1, -1, 1), mode="replicate"),
            sample(real(1, 2, 2, 2), pad=(1, 0, 0, 1, 1, 0), mode="replicate"),
            sample(real(1, 3), pad=(2, 1), mode="circular"),
        ],
        wrong=[
            sample(real(1, 3), pad=(3, 1), mode="reflect"),
            sample(real(1, 3), pad=(1, 1), mode="some"),
            sample(real(1, 3), pad=(1, 1), mode="reflect", value=1.0),
            sample(real(3), pad=(1, 1), mode="replicate"),
            sample(real(1, 3), pad=(4, 1), mode="circular"),
        ],
    ),
]

SIZES = [
    OpCase(
        resampling.interpolate,
        [real(1, 2, 3)],
        {"size": 5},
        rules=(
            "UpsampleNearest1d UpsampleNearest2d UpsampleNearest3d UpsampleNearestExact1d "
            "UpsampleNearestExact2d UpsampleNearestExact3d UpsampleLinear1d UpsampleBilinear2d "
            "UpsampleTrilinear3d UpsampleBicubic2d UpsampleBilinear2dAa UpsampleBicubic2dAa "
            "UpsampleLanczos2dAa ResampleTransposed"
        ),
        more=[
            sample(real(1, 1, 2, 3), scale_factor=(2, 0.7)),
            sample(real(1, 1, 1, 2, 2), size=(2, 3, 1)),
            sample(real(1, 2, 3), size=5, mode="nearest-exact"),
            sample(real(1, 1, 2, 3), size=4, mode="nearest-exact"),
            sample(real(1, 1, 1, 2, 2), size=3, mode="nearest-exact"),
            sample(real(1, 2, 3), size=5, mode="linear"),
            sample(real(1, 1, 2, 3), scale_factor=1.7, mode="bilinear", align_corners=True),
            sample(real(1, 1, 1, 2, 2), size=3, mode="trilinear"),
            sample(real(1, 1, 2, 3), size=4, mode="bicubic"),
            sample(real(1, 1, 5, 3), size=2, mode="bilinear", antialias=True),
            sample(real(1, 1, 5, 3), size=2, mode="bicubic", antialias=True),
            sample(real(1, 1, 5, 3), size=2, mode="lanczos", antialias=True),
        ],
        wrong=[
            sample(real(1, 2, 3)),
            sample(real(1, 2, 3), size=3, scale_factor=2),
            sample(real(1, 2, 3), size=5, mode="bilinear"),
            sample(real(1, 2, 3), size=5, mode="nearest", align_corners=True),
            sample(real(1, 2, 3), size=5, mode="linear", antialias=True),
            sample(real(1, 2, 3), size=0),
            sample(real(1, 2, 3), size=(2, 2)),
            sample(real(2, 3), size=5),
        ],
    ),
    OpCase(
        resampling.pixel_shuffle,
        [real(4, 1, 2)],
        {"upscale_factor": 2},
        more=[
            sample(real(1, 8, 2, 1), upscale_factor=2),
            sample(real(1, 2, 2), upscale_factor=1),
        ],
        wrong=[sample(real(3, 1, 2), upscale_factor=2), sample(real(4, 2), upscale_factor=2)],
    ),
    OpCase(
        resampling.pixel_unshuffle,
        [real(1, 2, 4)],
        {"downscale_factor": 2},
        more=[sample(real(1, 2, 2), downscale_factor=1)],
        wrong=[sample(real(1, 3, 4), downscale_factor=2), sample(real(4, 4), downscale_factor=2)],
    ),
    OpCase(
        resampling.channel_shuffle,
        [real(1, 6, 2)],
        {"groups": 2},
        more=[sample(real(1, 2, 2), groups=1)],
        wrong=[sample(real(1, 6), groups=2), sample(real(1, 6, 2), groups=4)],
    ),
]

ROWS = [*CONVOLUTION, *POOLING, *PADDING, *SIZES]
