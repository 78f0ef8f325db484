"""Convolutions as modules, their transposes, and windows laid out as columns and back."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn.init import kaiming_uniform_, uniform_
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.ops.creation import empty

Ints = int | Sequence[int]


class _Convolution(Module):
    """What all convolutions share: weight and bias, and where windows are.

    Attributes:
        rank: how many dims an image has.
        transposed: whether it is a transpose.
    """

    rank: ClassVar[int]
    transposed = False
    weight: Parameter
    bias: Parameter | None

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
        self.kernel_size = self._each_dim(kernel_size)
        self.stride = self._each_dim(stride)
        self.padding = padding if isinstance(padding, str) else self._each_dim(padding)
        self.dilation = self._each_dim(dilation)
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
        ahead, behind = in_channels, out_channels
        shape = (ahead, behind // groups) if self.transposed else (behind, ahead // groups)
        self.weight = Parameter(empty(*shape, *self.kernel_size, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _each_dim(self, numbers: Ints) -> tuple[int, ...]:
        return (numbers,) * self.rank if isinstance(numbers, int) else tuple(numbers)

    def reset_parameters(self) -> None:
        """Draw weight and bias anew, from U(±1/√n), n what a window has of all channels."""
        kaiming_uniform_(self.weight, a=math.sqrt(5))
        n = math.prod(self.weight.shape[1:])
        if self.bias is not None and n:
            uniform_(self.bias, -1 / math.sqrt(n), 1 / math.sqrt(n))

    def forward(self, input: Tensor) -> Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = functional.pad(input, self._edges(), mode=self.padding_mode), 0
        convolve = getattr(functional, f"conv{self.rank}d")
        return convolve(  # type: ignore[no-any-return]  # a Tensor
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def _edges(self) -> list[int]:
        """How many elements to pad with, before and after, the last dim first."""
        if not isinstance(self.padding, str):
            return [n for n in reversed(self.padding) for _ in range(2)]
        found: list[int] = []
        for dilation, kernel in zip(self.dilation, self.kernel_size, strict=True):
            whole = dilation * (kernel - 1) if self.padding == "same" else 0
            found = [whole // 2, whole - whole // 2, *found]
        return found

    def extra_repr(self) -> str:
        shown = [f"{self.in_channels}, {self.out_channels}"]
        shown += [f"kernel_size={self.kernel_size}, stride={self.stride}"]
        usual = {"padding": (0,), "dilation": (1,), "output_padding": (0,)}
        for name, numbers in usual.items():
            value = getattr(self, name)
            if value != numbers * self.rank:
                shown.append(f"{name}={value}")
        if self.groups != 1:
            shown.append(f"groups={self.groups}")
        if self.bias is None:
            shown.append("bias=False")
        if self.padding_mode != "zeros":
            shown.append(f"padding_mode={self.padding_mode}")
        return ", ".join(shown)


class _ConvolutionTransposed(_Convolution):
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
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )
        self.output_padding = self._each_dim(output_padding)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        more = self.output_padding if output_size is None else self._missing(input, output_size)
        convolve = getattr(functional, f"conv_transpose{self.rank}d")
        return convolve(  # type: ignore[no-any-return]  # a Tensor
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            more,
            self.groups,
            self.dilation,
        )

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


class Conv1d(_Convolution):
    """`Conv2d` of lines, `(n, c, w)`; everything else is the same.

    Example:
        >>> Conv1d(3, 8, 3)(zeros(2, 3, 6)).shape
        glassgrad.Size([2, 8, 4])
    """

    rank = 1


class Conv2d(_Convolution):
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

    rank = 2


class Conv3d(_Convolution):
    """`Conv2d` of spaces, `(n, c, d, h, w)`; everything else is the same.

    Example:
        >>> Conv3d(3, 8, 3)(zeros(2, 3, 6, 6, 6)).shape
        glassgrad.Size([2, 8, 4, 4, 4])
    """

    rank = 3


class ConvTranspose1d(_ConvolutionTransposed):
    """`ConvTranspose2d` of lines, `(n, c, w)`; everything else is the same.

    Example:
        >>> ConvTranspose1d(3, 8, 3)(zeros(2, 3, 4)).shape
        glassgrad.Size([2, 8, 6])
    """

    rank = 1


class ConvTranspose2d(_ConvolutionTransposed):
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

    rank = 2


class ConvTranspose3d(_ConvolutionTransposed):
    """`ConvTranspose2d` of spaces, `(n, c, d, h, w)`; everything else is the same.

    Example:
        >>> ConvTranspose3d(3, 8, 3)(zeros(2, 3, 4, 4, 4)).shape
        glassgrad.Size([2, 8, 6, 6, 6])
    """

    rank = 3


class Unfold(Module):
    """The windows of images, each laid out as a column; see `functional.unfold`.

    Args:
        kernel_size, dilation, padding, stride: of the windows.

    Example:
        >>> Unfold(2)(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 12, 9])
    """

    def __init__(
        self, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        numbers = (self.kernel_size, self.dilation, self.padding, self.stride)
        return functional.unfold(input, *numbers)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )


class Fold(Unfold):
    """Images that have, at each place, the sum of what all windows have for it.

    Args:
        output_size: the size of the images.
        kernel_size, dilation, padding, stride: of the windows.

    Example:
        >>> Fold(4, 2)(ones(1, 12, 9)).shape
        glassgrad.Size([1, 3, 4, 4])
    """

    def __init__(
        self,
        output_size: Ints,
        kernel_size: Ints,
        dilation: Ints = 1,
        padding: Ints = 0,
        stride: Ints = 1,
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        numbers = (self.kernel_size, self.dilation, self.padding, self.stride)
        return functional.fold(input, self.output_size, *numbers)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"
