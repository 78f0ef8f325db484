"""Pooling as modules: the mean or the largest element of each window of an image."""

from collections.abc import Sequence
from typing import Any, ClassVar

from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn.module import Module

Ints = int | Sequence[int]


class _Pool(Module):
    """Calls the function of its name, with what it was given.

    Attributes:
        function: its name in `functional`.
        names: of what it was given; these are its arguments behind the input.
        shown: those that its repr shows.
    """

    function: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    shown: ClassVar[tuple[str, ...]]

    def forward(self, input: Tensor) -> Any:
        given = {name: getattr(self, name) for name in self.names}
        return getattr(functional, self.function)(input, **given)

    def extra_repr(self) -> str:
        return ", ".join([f"{name}={getattr(self, name)}" for name in self.shown])


class _MaxPool(_Pool):
    names = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
    shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        dilation: Ints = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode


class MaxPool1d(_MaxPool):
    """`MaxPool2d` of lines, `(n, c, w)`."""

    function = "max_pool1d"


class MaxPool2d(_MaxPool):
    """The largest element of each window of images, `(n, c, h, w)`.

    Args:
        kernel_size: of a window, a number or one for each dim.
        stride: how far the next window is; None: as far as a window is large.
        padding: how far windows reach over the edges, where nothing is.
        dilation: how far apart the elements of a window are.
        return_indices: whether to return where the elements were, too.
        ceil_mode: whether a last window may be only partly filled.

    Example:
        >>> MaxPool2d(2)(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 3, 2, 2])
    """

    function = "max_pool2d"


class MaxPool3d(_MaxPool):
    """`MaxPool2d` of spaces, `(n, c, d, h, w)`."""

    function = "max_pool3d"


class AvgPool1d(_Pool):
    """`AvgPool2d` of lines, `(n, c, w)`; without another divisor."""

    function = "avg_pool1d"
    names = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    shown = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = self.kernel_size if stride is None else _single(stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad


def _single(numbers: Ints) -> tuple[int, ...]:
    return (numbers,) if isinstance(numbers, int) else tuple(numbers)


class AvgPool2d(_Pool):
    """The mean of each window of images, `(n, c, h, w)`.

    Args:
        kernel_size: of a window, a number or one for each dim.
        stride: how far the next window is; None: as far as a window is large.
        padding: how far windows reach over the edges, where zeros are.
        ceil_mode: whether a last window may be only partly filled.
        count_include_pad: whether those zeros count.
        divisor_override: what to divide sums by, instead of the number of elements.

    Example:
        >>> AvgPool2d(2)(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 3, 2, 2])
    """

    function = "avg_pool2d"
    names = (*AvgPool1d.names, "divisor_override")
    shown = AvgPool1d.shown

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override


class AvgPool3d(AvgPool2d):
    """`AvgPool2d` of spaces, `(n, c, d, h, w)`."""

    function = "avg_pool3d"


class _LPPool(_Pool):
    names = ("norm_type", "kernel_size", "stride", "ceil_mode")
    shown = names

    def __init__(
        self,
        norm_type: float,
        kernel_size: Ints,
        stride: Ints | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode


class LPPool1d(_LPPool):
    """`LPPool2d` of lines, `(n, c, w)`."""

    function = "lp_pool1d"


class LPPool2d(_LPPool):
    """The p-norm of each window of images, `(n, c, h, w)`.

    Args:
        norm_type: p.
        kernel_size, stride, ceil_mode: as of `AvgPool2d`.

    Example:
        >>> LPPool2d(2, (1, 2))(tensor([[[3.0, 4.0]]]))
        tensor([[[5.]]])
    """

    function = "lp_pool2d"


class LPPool3d(_LPPool):
    """`LPPool2d` of spaces, `(n, c, d, h, w)`."""

    function = "lp_pool3d"


class _AdaptiveAvgPool(_Pool):
    names = ("output_size",)
    shown = names

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """`AdaptiveAvgPool2d` of lines, `(n, c, w)`."""

    function = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """The means of as many windows of images, `(n, c, h, w)`, as the result has elements.

    Args:
        output_size: `(h', w')`, or a number for both; None leaves a size as it is.

    Example:
        >>> AdaptiveAvgPool2d(1)(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 3, 1, 1])
    """

    function = "adaptive_avg_pool2d"


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """`AdaptiveAvgPool2d` of spaces, `(n, c, d, h, w)`."""

    function = "adaptive_avg_pool3d"


class _AdaptiveMaxPool(_Pool):
    names = ("output_size", "return_indices")
    shown = ("output_size",)

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """`AdaptiveMaxPool2d` of lines, `(n, c, w)`."""

    function = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest elements of as many windows of images as the result has elements.

    Args:
        output_size: `(h', w')`, or a number for both; None leaves a size as it is.
        return_indices: whether to return where the elements were, too.

    Example:
        >>> AdaptiveMaxPool2d((2, None))(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 3, 2, 4])
    """

    function = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """`AdaptiveMaxPool2d` of spaces, `(n, c, d, h, w)`."""

    function = "adaptive_max_pool3d"
