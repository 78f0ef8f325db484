"""Padding, and images of other sizes, as modules."""

from collections.abc import Sequence
from typing import Any, ClassVar

from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn._making import Ints, check_rank, each_dim, listed
from glassgrad.nn.applied import Applied
from glassgrad.nn.module import Module

Factors = float | Sequence[float] | None


class _Pad(Module):
    """Pads with elements of the input.

    Args:
        padding: how many, before and after, the last dim first; or a number for all edges.

    Attributes:
        rank: how many dims are padded.
        mode: how, see `functional.pad`.
    """

    rank: ClassVar[int] = 0
    mode: ClassVar[str] = "constant"

    def __init_subclass__(cls, rank: int | None = None, mode: str | None = None) -> None:
        super().__init_subclass__()
        cls.rank, cls.mode = rank or cls.rank, mode or cls.mode

    def __init__(self, padding: Ints) -> None:
        super().__init__()
        self.padding = each_dim(padding, 2 * self.rank)

    def forward(self, input: Tensor) -> Tensor:
        if self.mode == "circular":
            check_rank(self, input, (self.rank + 1, self.rank + 2))
        return functional.pad(input, self.padding, self.mode, vars(self).get("value"))

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

    def extra_repr(self) -> str:
        return listed(self, "padding", "value")


class _ZeroPad(_ConstantPad):
    """Pads with zeros.

    Args:
        padding: how many, before and after, the last dim first; or a number for all edges.
    """

    def __init__(self, padding: Ints) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPad, rank=1):
    """A constant around the last dim.

    Example:
        >>> ConstantPad1d((1, 2), 7.0)(tensor([[1.0, 2.0, 3.0]])).tolist()
        [[7.0, 1.0, 2.0, 3.0, 7.0, 7.0]]
    """


class ConstantPad2d(_ConstantPad, rank=2):
    """A constant around the last two dims."""


class ConstantPad3d(_ConstantPad, rank=3):
    """A constant around the last three dims."""


class ZeroPad1d(_ZeroPad, ConstantPad1d, rank=1):
    """Zeros around the last dim.

    Example:
        >>> ZeroPad1d((1, 2))(tensor([[1.0, 2.0, 3.0]])).tolist()
        [[0.0, 1.0, 2.0, 3.0, 0.0, 0.0]]
    """


class ZeroPad2d(_ZeroPad, ConstantPad2d, rank=2):
    """Zeros around the last two dims."""


class ZeroPad3d(_ZeroPad, ConstantPad3d, rank=3):
    """Zeros around the last three dims."""


class ReflectionPad1d(_Pad, rank=1, mode="reflect"):
    """What is inside, mirrored at the edges, around the last dim.

    Example:
        >>> ReflectionPad1d((1, 2))(tensor([[1.0, 2.0, 3.0]])).tolist()
        [[2.0, 1.0, 2.0, 3.0, 2.0, 1.0]]
    """


class ReflectionPad2d(_Pad, rank=2, mode="reflect"):
    """What is inside, mirrored at the edges, around the last two dims."""


class ReflectionPad3d(_Pad, rank=3, mode="reflect"):
    """What is inside, mirrored at the edges, around the last three dims."""


class ReplicationPad1d(_Pad, rank=1, mode="replicate"):
    """The elements at the edges, again and again, around the last dim.

    Example:
        >>> ReplicationPad1d((1, 2))(tensor([[1.0, 2.0, 3.0]])).tolist()
        [[1.0, 1.0, 2.0, 3.0, 3.0, 3.0]]
    """


class ReplicationPad2d(_Pad, rank=2, mode="replicate"):
    """The elements at the edges, again and again, around the last two dims."""


class ReplicationPad3d(_Pad, rank=3, mode="replicate"):
    """The elements at the edges, again and again, around the last three dims."""


class CircularPad1d(_Pad, rank=1, mode="circular"):
    """What is at the other end, around the last dim.

    Example:
        >>> CircularPad1d((1, 2))(tensor([[1.0, 2.0, 3.0]])).tolist()
        [[3.0, 1.0, 2.0, 3.0, 1.0, 2.0]]
    """


class CircularPad2d(_Pad, rank=2, mode="circular"):
    """What is at the other end, around the last two dims."""


class CircularPad3d(_Pad, rank=3, mode="circular"):
    """What is at the other end, around the last three dims."""


class Upsample(Applied, of="interpolate"):
    """Images of another size; see `functional.interpolate`.

    Args:
        size: the new sizes, if `scale_factor` is None.
        scale_factor: how many times larger to make them.
        mode, align_corners, recompute_scale_factor: what is between pixels, and where they lie.

    Example:
        >>> Upsample(scale_factor=2)(tensor([[[1.0, 2.0]]])).tolist()
        [[[1.0, 1.0, 2.0, 2.0]]]
    """

    _names = ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")

    def _build(self, given: dict[str, Any]) -> None:
        factor = given["scale_factor"]
        if isinstance(factor, (tuple, list)):
            given["scale_factor"] = tuple([float(each) for each in factor])
        else:
            given["scale_factor"] = float(factor) if factor else None
        super()._build(given)

    def extra_repr(self) -> str:
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images of another size, of the pixels that are nearest.

    Args:
        size: the new sizes, if `scale_factor` is None.
        scale_factor: how many times larger to make them.
    """

    def __init__(self, size: Ints | None = None, scale_factor: Factors = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images of another size, straight lines between pixels, the corners on each other.

    Args:
        size: the new sizes, if `scale_factor` is None.
        scale_factor: how many times larger to make them.
    """

    def __init__(self, size: Ints | None = None, scale_factor: Factors = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Applied, of="pixel_shuffle"):
    """Images r times as high and wide, each square of pixels taken from r² channels.

    Args:
        upscale_factor: r.

    Example:
        >>> PixelShuffle(2)(zeros(1, 8, 3, 3)).shape
        glassgrad.Size([1, 2, 6, 6])
    """


class PixelUnshuffle(Applied, of="pixel_unshuffle"):
    """The way back from `PixelShuffle`.

    Args:
        downscale_factor: r.

    Example:
        >>> PixelUnshuffle(2)(zeros(1, 2, 6, 6)).shape
        glassgrad.Size([1, 8, 3, 3])
    """


class ChannelShuffle(Applied, of="channel_shuffle"):
    """Channels dealt out anew: one of each group, then the next ones.

    Args:
        groups: how many groups the channels are in, one behind the other.
    """
