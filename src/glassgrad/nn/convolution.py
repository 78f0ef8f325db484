"""Convolutions as modules, and their transposes."""

from collections.abc import Sequence
from typing import Any, ClassVar

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn._making import Ints, add_parameters, draw_weight_and_bias, each_dim, unusual
from glassgrad.nn.lazy import LazyModuleMixin
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter


class _ConvNd(Module):
    """What all convolutions share: weight and bias, and where windows are.

    Attributes:
        rank: how many dims an image has.
        transposed: whether it is a transpose.
    """

    rank: ClassVar[int]
    transposed = False
    weight: Parameter
    bias: Parameter | None

    def __init_subclass__(cls, rank: int | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if rank is not None:
            cls.rank = rank

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints | str = 0,
        dilation: Ints = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0 or in_channels % groups or out_channels % groups:
            raise ArgumentError(
                "groups must be a positive integer, in_channels must be divisible by groups, "
                f"out_channels must be divisible by groups: got groups={groups} for {in_channels} "
                f"and {out_channels} channels. Each group has as many. Write another number."
            )
        modes = ("zeros",) if self.transposed else ("zeros", "reflect", "replicate", "circular")
        if padding_mode not in modes:
            name = type(self).__name__
            only = f'Only "zeros" padding mode is supported for {name}: ' if self.transposed else ""
            raise ArgumentError(
                f"{only}padding_mode must be one of {{{str(modes)[1:-1]}}}, but got padding_mode="
                f"{padding_mode!r}. It says what is beyond the edges. Write 'zeros'."
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = each_dim(kernel_size, self.rank)
        self.stride = each_dim(stride, self.rank)
        self.padding = padding if isinstance(padding, str) else each_dim(padding, self.rank)
        self.dilation = each_dim(dilation, self.rank)
        self.output_padding = (0,) * self.rank
        self.groups = groups
        self.padding_mode = padding_mode
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ArgumentError(
                f"Invalid padding string {padding!r}, should be one of 'same', 'valid': it says "
                "what the size of the result is. Write one of them, or a number."
            )
        if padding == "same" and max(self.stride) > 1:
            raise ArgumentError(
                "padding='same' is not supported for strided convolutions, got stride="
                f"{self.stride}. Every other window gives half the size. Write a number."
            )
        ends = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (ends[0], ends[1] // groups, *self.kernel_size)
        add_parameters(self, device, dtype, weight=shape, bias=(out_channels,) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew, from U(±1/√n), n what a window has of all channels."""
        draw_weight_and_bias(self)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """The convolution with another weight and bias, for modules that make theirs."""
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            edges = self._reversed_padding_repeated_twice
            input, padding = functional.pad(input, edges, mode=self.padding_mode), 0
        convolve = getattr(functional, f"conv{self.rank}d")
        windows = (self.stride, padding, self.dilation, self.groups)
        return convolve(input, weight, bias, *windows)  # type: ignore[no-any-return]  # a Tensor

    @property
    def _reversed_padding_repeated_twice(self) -> list[int]:
        """How many elements to pad with, before and after, the last dim first."""
        if not isinstance(self.padding, str):
            return [n for n in reversed(self.padding) for _ in range(2)]
        found: list[int] = []
        for dilation, kernel in zip(self.dilation, self.kernel_size, strict=True):
            whole = dilation * (kernel - 1) if self.padding == "same" else 0
            found = [whole // 2, whole - whole // 2, *found]
        return found

    def extra_repr(self) -> str:
        none, one = (0,) * self.rank, (1,) * self.rank
        usual = {"padding": none, "dilation": one, "output_padding": none, "groups": 1}
        parts = [str(self.in_channels), str(self.out_channels)]
        parts += [f"kernel_size={self.kernel_size}", f"stride={self.stride}"]
        parts += unusual(self, **usual)
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join([*parts, *unusual(self, padding_mode="zeros")])


class _ConvTransposeNd(_ConvNd):
    """What all transposes of convolutions share."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Ints = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes, windows = (in_channels, out_channels, kernel_size), (stride, padding, dilation)
        super().__init__(*sizes, *windows, groups, bias, padding_mode, device, dtype)
        self.output_padding = each_dim(output_padding, self.rank)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        more = self.output_padding if output_size is None else self._missing(input, output_size)
        convolve = getattr(functional, f"conv_transpose{self.rank}d")
        windows = (self.stride, self.padding, more, self.groups, self.dilation)
        return convolve(input, self.weight, self.bias, *windows)  # type: ignore[no-any-return]

    def _missing(self, input: Tensor, output_size: Sequence[int]) -> tuple[int, ...]:
        """The `output_padding` that makes a result of such sizes."""
        rank, sizes = self.rank, list(output_size)
        if len(sizes) not in (rank, input.ndim):
            raise ArgumentError(
                f"ConvTranspose{rank}D: for {input.ndim}D input, output_size must have {rank} or "
                f"{input.ndim} elements (got {len(sizes)}). Write a size for each dim of an image."
            )
        found = []
        for at, (n, size) in enumerate(zip(input.shape[-rank:], sizes[-rank:], strict=True)):
            stride, padding = self.stride[at], int(self.padding[at])
            reach = self.dilation[at] * (self.kernel_size[at] - 1) + 1
            least = (n - 1) * stride - 2 * padding + reach
            if not least <= size < least + stride:
                raise ArgumentError(
                    f"requested an output size of {sizes}, but valid sizes range from {least} to "
                    f"{least + stride - 1} for an input of {list(input.shape[-rank:])}. Only these "
                    "have so many windows. Write one of them."
                )
            found.append(size - least)
        return tuple(found)


class Conv1d(_ConvNd, rank=1):
    """`Conv2d` of lines, `(n, c, w)`; everything else is the same.

    Example:
        >>> Conv1d(3, 8, 3)(zeros(2, 3, 6)).shape
        glassgrad.Size([2, 8, 4])
    """


class Conv2d(_ConvNd, rank=2):
    """The convolution of images, `(n, c, h, w)`, with weights that are learned.

    Args:
        in_channels, out_channels: of the input and the result.
        kernel_size: of a window, a number or one for each dim.
        stride: how far the next window is.
        padding: how many elements are put around; or "valid": none; "same": as many as make a
            result of the same size.
        dilation: how far apart the elements of a window are.
        groups: the channels are in so many groups, which do not see each other.
        bias: whether a number is added to each channel.
        padding_mode: what they are: "zeros", or "reflect", "replicate", "circular" as of `pad`.
        device, dtype: of the parameters.

    Attributes:
        weight: shape `(out, in / groups, *kernel_size)`, drawn from U(±1/√n), n what a window has.
        bias: shape `(out,)`, drawn from the same; None without bias.

    Raises:
        ArgumentError: if the numbers do not fit each other.

    Example:
        >>> Conv2d(3, 8, 3, padding=1)(zeros(2, 3, 6, 6)).shape
        glassgrad.Size([2, 8, 6, 6])
    """


class Conv3d(_ConvNd, rank=3):
    """`Conv2d` of spaces, `(n, c, d, h, w)`; everything else is the same.

    Example:
        >>> Conv3d(3, 8, 3)(zeros(2, 3, 6, 6, 6)).shape
        glassgrad.Size([2, 8, 4, 4, 4])
    """


class ConvTranspose1d(_ConvTransposeNd, rank=1):
    """`ConvTranspose2d` of lines, `(n, c, w)`; everything else is the same.

    Example:
        >>> ConvTranspose1d(3, 8, 3)(zeros(2, 3, 4)).shape
        glassgrad.Size([2, 8, 6])
    """


class ConvTranspose2d(_ConvTransposeNd, rank=2):
    """The transpose of a convolution of images, `(n, c, h, w)`: it makes them larger again.

    Args:
        in_channels, out_channels: of the input and the result.
        kernel_size: of a window, a number or one for each dim.
        stride: how far apart in the result neighbours of the input are.
        padding: how many elements are cut off at each edge of the result.
        output_padding: how many are added at its end.
        groups: the channels are in so many groups, which do not see each other.
        bias: whether a number is added to each channel.
        dilation: how far apart the elements of a window are.
        padding_mode: "zeros".
        device, dtype: of the parameters.

    Attributes:
        weight: shape `(in, out / groups, *kernel_size)`, drawn from U(±1/√n), n what a window has.
        bias: shape `(out,)`, drawn from the same; None without bias.

    Raises:
        ArgumentError: if the numbers do not fit each other.

    Example:
        >>> up = ConvTranspose2d(8, 3, 3, stride=2, padding=1)
        >>> up(zeros(2, 8, 6, 6)).shape, up(zeros(2, 8, 6, 6), output_size=(12, 12)).shape
        (glassgrad.Size([2, 3, 11, 11]), glassgrad.Size([2, 3, 12, 12]))
    """


class ConvTranspose3d(_ConvTransposeNd, rank=3):
    """`ConvTranspose2d` of spaces, `(n, c, d, h, w)`; everything else is the same.

    Example:
        >>> ConvTranspose3d(3, 8, 3)(zeros(2, 3, 4, 4, 4)).shape
        glassgrad.Size([2, 8, 6, 6, 6])
    """


class LazyConv1d(LazyModuleMixin, Conv1d, channels_at=-2):
    """A `Conv1d` whose `in_channels` are those of the first input."""


class LazyConv2d(LazyModuleMixin, Conv2d, channels_at=-3):
    """A `Conv2d` whose `in_channels` are those of the first input."""


class LazyConv3d(LazyModuleMixin, Conv3d, channels_at=-4):
    """A `Conv3d` whose `in_channels` are those of the first input."""


class LazyConvTranspose1d(LazyModuleMixin, ConvTranspose1d, channels_at=-2):
    """A `ConvTranspose1d` whose `in_channels` are those of the first input."""


class LazyConvTranspose2d(LazyModuleMixin, ConvTranspose2d, channels_at=-3):
    """A `ConvTranspose2d` whose `in_channels` are those of the first input."""


class LazyConvTranspose3d(LazyModuleMixin, ConvTranspose3d, channels_at=-4):
    """A `ConvTranspose3d` whose `in_channels` are those of the first input."""
