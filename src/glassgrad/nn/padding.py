"""Padding, and images of other sizes, as modules."""

from collections.abc import Sequence
from typing import Any, ClassVar

from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn.module import Module

Ints = int | Sequence[int]


class _Pad(Module):
    """Pads with elements of the input.

    Args:
        padding: how many, before and after, the last dim first; or a number for all edges.

    Attributes:
        rank: how many dims are padded.
        mode: how, see `functional.pad`.
    """

    rank: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: Ints) -> None:
        super().__init__()
        given = (padding,) * 2 * self.rank if isinstance(padding, int) else tuple(padding)
        self.padding = given

    def forward(self, input: Tensor) -> Tensor:
        return functional.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    """Pads with a constant.

    Args:
        padding: how many, before and after, the last dim first; or a number for all edges.
        value: the constant.
    """

    def __init__(self, padding: Ints, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    """Pads with zeros.

    Args:
        padding: how many, before and after, the last dim first; or a number for all edges.
    """

    def __init__(self, padding: Ints) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPad):
    """A constant around the last dim.

    Example:
        >>> ConstantPad1d((1, 2), 7.0)(tensor([[1.0, 2.0, 3.0]])).tolist()
        [[7.0, 1.0, 2.0, 3.0, 7.0, 7.0]]
    """

    rank = 1


class ConstantPad2d(_ConstantPad):
    """A constant around the last two dims."""

    rank = 2


class ConstantPad3d(_ConstantPad):
    """A constant around the last three dims."""

    rank = 3


class ZeroPad1d(_ZeroPad):
    """Zeros around the last dim.

    Example:
        >>> ZeroPad1d((1, 2))(tensor([[1.0, 2.0, 3.0]])).tolist()
        [[0.0, 1.0, 2.0, 3.0, 0.0, 0.0]]
    """

    rank = 1


class ZeroPad2d(_ZeroPad):
    """Zeros around the last two dims."""

    rank = 2


class ZeroPad3d(_ZeroPad):
    """Zeros around the last three dims."""

    rank = 3


class ReflectionPad1d(_Pad):
    """What is inside, mirrored at the edges, around the last dim.

    Example:
        >>> ReflectionPad1d((1, 2))(tensor([[1.0, 2.0, 3.0]])).tolist()
        [[2.0, 1.0, 2.0, 3.0, 2.0, 1.0]]
    """

    rank = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """What is inside, mirrored at the edges, around the last two dims."""

    rank = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """What is inside, mirrored at the edges, around the last three dims."""

    rank = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """The elements at the edges, again and again, around the last dim.

    Example:
        >>> ReplicationPad1d((1, 2))(tensor([[1.0, 2.0, 3.0]])).tolist()
        [[1.0, 1.0, 2.0, 3.0, 3.0, 3.0]]
    """

    rank = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """The elements at the edges, again and again, around the last two dims."""

    rank = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """The elements at the edges, again and again, around the last three dims."""

    rank = 3
    mode = "replicate"


class CircularPad1d(_Pad):
    """What is at the other end, around the last dim.

    Example:
        >>> CircularPad1d((1, 2))(tensor([[1.0, 2.0, 3.0]])).tolist()
        [[3.0, 1.0, 2.0, 3.0, 1.0, 2.0]]
    """

    rank = 1
    mode = "circular"


class CircularPad2d(_Pad):
    """What is at the other end, around the last two dims."""

    rank = 2
    mode = "circular"


class CircularPad3d(_Pad):
    """What is at the other end, around the last three dims."""

    rank = 3
    mode = "circular"


class Upsample(Module):
    """Images of another size; see `functional.interpolate`.

    Args:
        size: the new sizes, if `scale_factor` is None.
        scale_factor: how many times larger to make them.
        mode, align_corners, recompute_scale_factor: what is between pixels, and where they lie.

    Example:
        >>> Upsample(scale_factor=2)(tensor([[[1.0, 2.0]]])).tolist()
        [[[1.0, 1.0, 2.0, 2.0]]]
    """

    def __init__(
        self,
        size: Ints | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        if isinstance(scale_factor, (tuple, list)):
            self.scale_factor: Any = tuple([float(factor) for factor in scale_factor])
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None  # type: ignore[arg-type]
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return functional.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images of another size, of the pixels that are nearest.

    Args:
        size: the new sizes, if `scale_factor` is None.
        scale_factor: how many times larger to make them.
    """

    def __init__(
        self, size: Ints | None = None, scale_factor: float | Sequence[float] | None = None
    ) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images of another size, straight lines between pixels, the corners on each other.

    Args:
        size: the new sizes, if `scale_factor` is None.
        scale_factor: how many times larger to make them.
    """

    def __init__(
        self, size: Ints | None = None, scale_factor: float | Sequence[float] | None = None
    ) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Module):
    """Images r times as high and wide, each square of pixels taken from r² channels.

    Args:
        upscale_factor: r.

    Example:
        >>> PixelShuffle(2)(zeros(1, 8, 3, 3)).shape
        glassgrad.Size([1, 2, 6, 6])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return functional.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """The way back from `PixelShuffle`.

    Args:
        downscale_factor: r.

    Example:
        >>> PixelUnshuffle(2)(zeros(1, 2, 6, 6)).shape
        glassgrad.Size([1, 8, 3, 3])
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return functional.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Channels dealt out anew: one of each group, then the next ones.

    Args:
        groups: how many groups the channels are in, one behind the other.
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
