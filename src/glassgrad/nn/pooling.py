"""Windows of images as modules: pooling, which takes the mean or the largest element of each."""

from typing import Any, ClassVar

from glassgrad import ops
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.nn._making import each_dim
from glassgrad.nn.applied import Applied
from glassgrad.nn.module import Module


class _Windows(Applied):
    """What pooling of given windows shares: the next one is as far as a window is large."""

    _in_repr: ClassVar[tuple[str, ...]] = ("kernel_size", "stride", "padding")

    def _build(self, given: dict[str, Any]) -> None:
        if given["stride"] is None:
            given["stride"] = given["kernel_size"]
        super()._build(given)


class _MaxPoolNd(_Windows):
    _names = ("kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode")
    _in_repr = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


class MaxPool1d(_MaxPoolNd, of="max_pool1d"):
    """`MaxPool2d` of lines, `(n, c, w)`."""


class MaxPool2d(_MaxPoolNd, of="max_pool2d"):
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


class MaxPool3d(_MaxPoolNd, of="max_pool3d"):
    """`MaxPool2d` of spaces, `(n, c, d, h, w)`."""


class _MaxUnpoolNd(_Windows):
    _names = ("kernel_size", "stride", "padding")

    def _build(self, given: dict[str, Any]) -> None:
        super()._build(given)
        for name in self._names:
            setattr(self, name, each_dim(getattr(self, name), int(self.function[-2])))

    @classmethod
    def _inputs(cls) -> list[Any]:
        given = cls._of_function().parameters
        return [given[name] for name in ("input", "indices", "output_size")]

    def forward(self, *inputs: Any, **named: Any) -> Any:
        named |= dict(zip(("output_size",), inputs[2:], strict=False))
        return super().forward(*inputs[:2], **named)


class MaxUnpool1d(_MaxUnpoolNd, of="max_unpool1d"):
    """`MaxUnpool2d` of lines, `(n, c, w)`."""


class MaxUnpool2d(_MaxUnpoolNd, of="max_unpool2d"):
    """The way back from `MaxPool2d`: largest elements where they were, among zeros.

    Args:
        kernel_size, stride, padding: of that pooling.

    Example:
        >>> y, places = MaxPool2d(2, return_indices=True)(ones(1, 3, 4, 4))
        >>> MaxUnpool2d(2)(y, places).shape
        glassgrad.Size([1, 3, 4, 4])
    """


class MaxUnpool3d(_MaxUnpoolNd, of="max_unpool3d"):
    """`MaxUnpool2d` of spaces, `(n, c, d, h, w)`."""


class AvgPool1d(_Windows, of="avg_pool1d"):
    """`AvgPool2d` of lines, `(n, c, w)`; without another divisor."""

    _names = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")

    def _build(self, given: dict[str, Any]) -> None:
        given |= {name: each_dim(given[name]) for name in self._in_repr if given[name] is not None}
        super()._build(given)


class AvgPool2d(_Windows, of="avg_pool2d"):
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


class AvgPool3d(_Windows, of="avg_pool3d"):
    """`AvgPool2d` of spaces, `(n, c, d, h, w)`."""


class LPPool1d(Applied, of="lp_pool1d"):
    """`LPPool2d` of lines, `(n, c, w)`."""


class LPPool2d(Applied, of="lp_pool2d"):
    """The p-norm of each window of images, `(n, c, h, w)`.

    Args:
        norm_type: p.
        kernel_size, stride, ceil_mode: as of `AvgPool2d`.

    Example:
        >>> LPPool2d(2, (1, 2))(tensor([[[3.0, 4.0]]]))
        tensor([[[5.]]])
    """


class LPPool3d(Applied, of="lp_pool3d"):
    """`LPPool2d` of spaces, `(n, c, d, h, w)`."""


class AdaptiveAvgPool1d(Applied, of="adaptive_avg_pool1d"):
    """`AdaptiveAvgPool2d` of lines, `(n, c, w)`."""


class AdaptiveAvgPool2d(Applied, of="adaptive_avg_pool2d"):
    """The means of as many windows of images, `(n, c, h, w)`, as the result has elements.

    Args:
        output_size: `(h', w')`, or a number for both; None leaves a size as it is.

    Example:
        >>> AdaptiveAvgPool2d(1)(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 3, 1, 1])
    """


class AdaptiveAvgPool3d(Applied, of="adaptive_avg_pool3d"):
    """`AdaptiveAvgPool2d` of spaces, `(n, c, d, h, w)`."""


class _AdaptiveMaxPoolNd(Applied):
    _in_repr = ("output_size",)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd, of="adaptive_max_pool1d"):
    """`AdaptiveMaxPool2d` of lines, `(n, c, w)`."""


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd, of="adaptive_max_pool2d"):
    """The largest elements of as many windows of images as the result has elements.

    Args:
        output_size: `(h', w')`, or a number for both; None leaves a size as it is.
        return_indices: whether to return where the elements were, too.

    Example:
        >>> AdaptiveMaxPool2d((2, None))(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 3, 2, 4])
    """


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd, of="adaptive_max_pool3d"):
    """`AdaptiveMaxPool2d` of spaces, `(n, c, d, h, w)`."""


class _FractionalMaxPoolNd(Applied):
    def _build(self, given: dict[str, Any]) -> None:
        size, ratio = given["output_size"], given["output_ratio"]
        own, rank = type(self).__name__, int(self.function[-2])
        if (size is None) == (ratio is None):
            raise ArgumentError(
                f"{own} requires specifying either an output size, or a pooling ratio: only one of "
                "output_size and output_ratio may be specified. Each says how large the result is."
            )
        for name in ("kernel_size", "output_size", "output_ratio"):
            given[name] = None if given[name] is None else each_dim(given[name], rank)
        if ratio is not None and not all(0 < each < 1 for each in given["output_ratio"]):
            raise ArgumentError(
                f"output_ratio must be between 0 and 1 (got {ratio}). It is a share of the size."
            )
        super()._build(given)

    def extra_repr(self) -> str:
        return ""


class FractionalMaxPool2d(_FractionalMaxPoolNd, of="fractional_max_pool2d"):
    """The largest elements of windows of images that are a fraction of a step apart, at random.

    Args:
        kernel_size: of a window, a number or one for each dim.
        output_size: `(h', w')`, or a number for both; or:
        output_ratio: its share of the size of an image, between 0 and 1.
        return_indices: whether to return where the elements were, too.

    Raises:
        ArgumentError: for none or both of the two.

    Example:
        >>> FractionalMaxPool2d(2, output_ratio=0.5)(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 3, 2, 2])
    """


class FractionalMaxPool3d(_FractionalMaxPoolNd, of="fractional_max_pool3d"):
    """`FractionalMaxPool2d` of spaces, `(n, c, d, h, w)`."""


class CrossMapLRN2d(Module):
    """`LocalResponseNorm` of images as Lua's Torch had it.

    Args:
        size: how many channels.
        alpha, beta, k: see `LocalResponseNorm`.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim != 4:
            raise ArgumentError(
                f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead. It is for "
                "images. Write `LocalResponseNorm`."
            )
        channels = ops.arange(input.shape[1], device=input.device)
        is_near = (channels[:, None] - channels).abs() <= (self.size - 1) // 2
        # The first channel, once counted, is not taken out again: so in PyTorch's sums.
        is_counted = is_near | ((channels == 0) & (channels[:, None] > 0))
        squares = input.square().flatten(2)
        sums = (is_counted.type_as(input) @ squares).reshape(input.shape)
        output: Tensor = input * (self.k + self.alpha / self.size * sums) ** -self.beta
        return output

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LocalResponseNorm(Applied, of="local_response_norm"):
    """Each element divided by a power of the mean of squares over neighbouring channels."""

    def extra_repr(self) -> str:
        return super().extra_repr().removeprefix("size=")


class Unfold(Applied, of="unfold"):
    """The windows of images, each laid out as a column; see `functional.unfold`.

    Args:
        kernel_size, dilation, padding, stride: of the windows.

    Example:
        >>> Unfold(2)(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 12, 9])
    """


class Fold(Applied, of="fold"):
    """Images that have, at each place, the sum of what all windows have for it.

    Args:
        output_size: the size of the images.
        kernel_size, dilation, padding, stride: of the windows.

    Example:
        >>> Fold(4, 2)(ones(1, 12, 9)).shape
        glassgrad.Size([1, 3, 4, 4])
    """
