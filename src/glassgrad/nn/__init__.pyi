# Written by `make stubs` (docs/stubs.py) from what the files of `nn` define. Do not edit.
"""Networks: modules that own parameters, with PyTorch's names and import paths.

`Module` keeps parameters, buffers and submodules by name; `Applied` is one that only calls a
function; families of modules have a file each. `functional` has the same as plain functions;
`init` fills parameters.

What is here are the modules and tensors that these files define. `make stubs` writes them down in
`__init__.pyi` for editors and mypy, with the arguments of those modules that follow from others'.
"""

from glassgrad.nn import activations as _activations
from glassgrad.nn import common_types as common_types
from glassgrad.nn import convolution as _convolution
from glassgrad.nn import functional as functional
from glassgrad.nn import grad as grad
from glassgrad.nn import init as init
from glassgrad.nn import layers as _layers
from glassgrad.nn import losses as _losses
from glassgrad.nn import modules as modules
from glassgrad.nn import normalization as _normalization
from glassgrad.nn import padding as _padding
from glassgrad.nn import parallel as parallel
from glassgrad.nn import pooling as _pooling
from glassgrad.nn import recurrent as _recurrent
from glassgrad.nn import utils as utils
from glassgrad.nn.attention import MultiheadAttention as MultiheadAttention
from glassgrad.nn.containers import Container as Container
from glassgrad.nn.containers import ModuleDict as ModuleDict
from glassgrad.nn.containers import ModuleList as ModuleList
from glassgrad.nn.containers import ParameterDict as ParameterDict
from glassgrad.nn.containers import ParameterList as ParameterList
from glassgrad.nn.containers import Sequential as Sequential
from glassgrad.nn.convolution import Conv1d as Conv1d
from glassgrad.nn.convolution import Conv2d as Conv2d
from glassgrad.nn.convolution import Conv3d as Conv3d
from glassgrad.nn.convolution import ConvTranspose1d as ConvTranspose1d
from glassgrad.nn.convolution import ConvTranspose2d as ConvTranspose2d
from glassgrad.nn.convolution import ConvTranspose3d as ConvTranspose3d
from glassgrad.nn.layers import Bilinear as Bilinear
from glassgrad.nn.layers import Identity as Identity
from glassgrad.nn.layers import Linear as Linear
from glassgrad.nn.layers import PReLU as PReLU
from glassgrad.nn.layers import Softmax2d as Softmax2d
from glassgrad.nn.layers import Unflatten as Unflatten
from glassgrad.nn.losses import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from glassgrad.nn.losses import NLLLoss2d as NLLLoss2d
from glassgrad.nn.module import Module as Module
from glassgrad.nn.normalization import BatchNorm1d as BatchNorm1d
from glassgrad.nn.normalization import BatchNorm2d as BatchNorm2d
from glassgrad.nn.normalization import BatchNorm3d as BatchNorm3d
from glassgrad.nn.normalization import GroupNorm as GroupNorm
from glassgrad.nn.normalization import LayerNorm as LayerNorm
from glassgrad.nn.normalization import RMSNorm as RMSNorm
from glassgrad.nn.normalization import SyncBatchNorm as SyncBatchNorm
from glassgrad.nn.padding import CircularPad1d as CircularPad1d
from glassgrad.nn.padding import CircularPad2d as CircularPad2d
from glassgrad.nn.padding import CircularPad3d as CircularPad3d
from glassgrad.nn.padding import ConstantPad1d as ConstantPad1d
from glassgrad.nn.padding import ConstantPad2d as ConstantPad2d
from glassgrad.nn.padding import ConstantPad3d as ConstantPad3d
from glassgrad.nn.padding import ReflectionPad1d as ReflectionPad1d
from glassgrad.nn.padding import ReflectionPad2d as ReflectionPad2d
from glassgrad.nn.padding import ReflectionPad3d as ReflectionPad3d
from glassgrad.nn.padding import ReplicationPad1d as ReplicationPad1d
from glassgrad.nn.padding import ReplicationPad2d as ReplicationPad2d
from glassgrad.nn.padding import ReplicationPad3d as ReplicationPad3d
from glassgrad.nn.padding import UpsamplingBilinear2d as UpsamplingBilinear2d
from glassgrad.nn.padding import UpsamplingNearest2d as UpsamplingNearest2d
from glassgrad.nn.padding import ZeroPad1d as ZeroPad1d
from glassgrad.nn.padding import ZeroPad2d as ZeroPad2d
from glassgrad.nn.padding import ZeroPad3d as ZeroPad3d
from glassgrad.nn.parallel import DataParallel as DataParallel
from glassgrad.nn.parameter import Buffer as Buffer
from glassgrad.nn.parameter import Parameter as Parameter
from glassgrad.nn.parameter import UninitializedBuffer as UninitializedBuffer
from glassgrad.nn.parameter import UninitializedParameter as UninitializedParameter
from glassgrad.nn.pooling import CrossMapLRN2d as CrossMapLRN2d
from glassgrad.nn.recurrent import GRUCell as GRUCell
from glassgrad.nn.recurrent import LSTMCell as LSTMCell
from glassgrad.nn.recurrent import RNNBase as RNNBase
from glassgrad.nn.recurrent import RNNCell as RNNCell
from glassgrad.nn.recurrent import RNNCellBase as RNNCellBase
from glassgrad.nn.sparse import Embedding as Embedding
from glassgrad.nn.sparse import EmbeddingBag as EmbeddingBag
from glassgrad.nn.transformer import Transformer as Transformer
from glassgrad.nn.transformer import TransformerDecoder as TransformerDecoder
from glassgrad.nn.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from glassgrad.nn.transformer import TransformerEncoder as TransformerEncoder
from glassgrad.nn.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from typing import Any
import collections.abc
import glassgrad.core.tensor

class LazyLinear(_layers.LazyLinear):
    """A `Linear` whose `in_features` are the size of the last dim of the first input.

    Example:
        >>> layer = LazyLinear(2)
        >>> layer(ones(5, 3)).shape
        glassgrad.Size([5, 2])
        >>> layer
        Linear(in_features=3, out_features=2, bias=True)
    """

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None: ...

class Flatten(_layers.Flatten):
    """Merges neighbouring dims, by default all but the batch.

    Args:
        start_dim, end_dim: the first and the last dim to merge.

    Example:
        >>> Flatten()(zeros(5, 8, 8)).shape
        glassgrad.Size([5, 64])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class LazyConv1d(_convolution.LazyConv1d):
    """A `Conv1d` whose `in_channels` are those of the first input."""

    def __init__(self, out_channels: int, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] = 1, padding: int | collections.abc.Sequence[int] | str = 0, dilation: int | collections.abc.Sequence[int] = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device: Any = None, dtype: Any = None) -> None: ...

class LazyConv2d(_convolution.LazyConv2d):
    """A `Conv2d` whose `in_channels` are those of the first input."""

    def __init__(self, out_channels: int, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] = 1, padding: int | collections.abc.Sequence[int] | str = 0, dilation: int | collections.abc.Sequence[int] = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device: Any = None, dtype: Any = None) -> None: ...

class LazyConv3d(_convolution.LazyConv3d):
    """A `Conv3d` whose `in_channels` are those of the first input."""

    def __init__(self, out_channels: int, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] = 1, padding: int | collections.abc.Sequence[int] | str = 0, dilation: int | collections.abc.Sequence[int] = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device: Any = None, dtype: Any = None) -> None: ...

class LazyConvTranspose1d(_convolution.LazyConvTranspose1d):
    """A `ConvTranspose1d` whose `in_channels` are those of the first input."""

    def __init__(self, out_channels: int, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] = 1, padding: int | collections.abc.Sequence[int] = 0, output_padding: int | collections.abc.Sequence[int] = 0, groups: int = 1, bias: bool = True, dilation: int | collections.abc.Sequence[int] = 1, padding_mode: str = 'zeros', device: Any = None, dtype: Any = None) -> None: ...

class LazyConvTranspose2d(_convolution.LazyConvTranspose2d):
    """A `ConvTranspose2d` whose `in_channels` are those of the first input."""

    def __init__(self, out_channels: int, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] = 1, padding: int | collections.abc.Sequence[int] = 0, output_padding: int | collections.abc.Sequence[int] = 0, groups: int = 1, bias: bool = True, dilation: int | collections.abc.Sequence[int] = 1, padding_mode: str = 'zeros', device: Any = None, dtype: Any = None) -> None: ...

class LazyConvTranspose3d(_convolution.LazyConvTranspose3d):
    """A `ConvTranspose3d` whose `in_channels` are those of the first input."""

    def __init__(self, out_channels: int, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] = 1, padding: int | collections.abc.Sequence[int] = 0, output_padding: int | collections.abc.Sequence[int] = 0, groups: int = 1, bias: bool = True, dilation: int | collections.abc.Sequence[int] = 1, padding_mode: str = 'zeros', device: Any = None, dtype: Any = None) -> None: ...

class Upsample(_padding.Upsample):
    """Images of another size; see `functional.interpolate`.

    Args:
        size: the new sizes, if `scale_factor` is None.
        scale_factor: how many times larger to make them.
        mode, align_corners, recompute_scale_factor: what is between pixels, and where they lie.

    Example:
        >>> Upsample(scale_factor=2)(tensor([[[1.0, 2.0]]])).tolist()
        [[[1.0, 1.0, 2.0, 2.0]]]
    """

    def __init__(self, size: int | collections.abc.Sequence[int] | None = None, scale_factor: float | collections.abc.Sequence[float] | None = None, mode: str = 'nearest', align_corners: bool | None = None, recompute_scale_factor: bool | None = None) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class PixelShuffle(_padding.PixelShuffle):
    """Images r times as high and wide, each square of pixels taken from r² channels.

    Args:
        upscale_factor: r.

    Example:
        >>> PixelShuffle(2)(zeros(1, 8, 3, 3)).shape
        glassgrad.Size([1, 2, 6, 6])
    """

    def __init__(self, upscale_factor: int) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class PixelUnshuffle(_padding.PixelUnshuffle):
    """The way back from `PixelShuffle`.

    Args:
        downscale_factor: r.

    Example:
        >>> PixelUnshuffle(2)(zeros(1, 2, 6, 6)).shape
        glassgrad.Size([1, 8, 3, 3])
    """

    def __init__(self, downscale_factor: int) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class ChannelShuffle(_padding.ChannelShuffle):
    """Channels dealt out anew: one of each group, then the next ones.

    Args:
        groups: how many groups the channels are in, one behind the other.
    """

    def __init__(self, groups: int) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class MaxPool1d(_pooling.MaxPool1d):
    """`MaxPool2d` of lines, `(n, c, w)`."""

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, padding: int | collections.abc.Sequence[int] = 0, dilation: int | collections.abc.Sequence[int] = 1, return_indices: bool = False, ceil_mode: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> Any: ...

class MaxPool2d(_pooling.MaxPool2d):
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

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, padding: int | collections.abc.Sequence[int] = 0, dilation: int | collections.abc.Sequence[int] = 1, return_indices: bool = False, ceil_mode: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> Any: ...

class MaxPool3d(_pooling.MaxPool3d):
    """`MaxPool2d` of spaces, `(n, c, d, h, w)`."""

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, padding: int | collections.abc.Sequence[int] = 0, dilation: int | collections.abc.Sequence[int] = 1, return_indices: bool = False, ceil_mode: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> Any: ...

class MaxUnpool1d(_pooling.MaxUnpool1d):
    """`MaxUnpool2d` of lines, `(n, c, w)`."""

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, padding: int | collections.abc.Sequence[int] = 0) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, indices: glassgrad.core.tensor.Tensor, output_size: Any = None) -> glassgrad.core.tensor.Tensor: ...

class MaxUnpool2d(_pooling.MaxUnpool2d):
    """The way back from `MaxPool2d`: largest elements where they were, among zeros.

    Args:
        kernel_size, stride, padding: of that pooling.

    Example:
        >>> y, places = MaxPool2d(2, return_indices=True)(ones(1, 3, 4, 4))
        >>> MaxUnpool2d(2)(y, places).shape
        glassgrad.Size([1, 3, 4, 4])
    """

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, padding: int | collections.abc.Sequence[int] = 0) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, indices: glassgrad.core.tensor.Tensor, output_size: Any = None) -> glassgrad.core.tensor.Tensor: ...

class MaxUnpool3d(_pooling.MaxUnpool3d):
    """`MaxUnpool2d` of spaces, `(n, c, d, h, w)`."""

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, padding: int | collections.abc.Sequence[int] = 0) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, indices: glassgrad.core.tensor.Tensor, output_size: Any = None) -> glassgrad.core.tensor.Tensor: ...

class AvgPool1d(_pooling.AvgPool1d):
    """`AvgPool2d` of lines, `(n, c, w)`; without another divisor."""

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, padding: int | collections.abc.Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class AvgPool2d(_pooling.AvgPool2d):
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

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, padding: int | collections.abc.Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class AvgPool3d(_pooling.AvgPool3d):
    """`AvgPool2d` of spaces, `(n, c, d, h, w)`."""

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, padding: int | collections.abc.Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class LPPool1d(_pooling.LPPool1d):
    """`LPPool2d` of lines, `(n, c, w)`."""

    def __init__(self, norm_type: float, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, ceil_mode: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class LPPool2d(_pooling.LPPool2d):
    """The p-norm of each window of images, `(n, c, h, w)`.

    Args:
        norm_type: p.
        kernel_size, stride, ceil_mode: as of `AvgPool2d`.

    Example:
        >>> LPPool2d(2, (1, 2))(tensor([[[3.0, 4.0]]]))
        tensor([[[5.]]])
    """

    def __init__(self, norm_type: float, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, ceil_mode: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class LPPool3d(_pooling.LPPool3d):
    """`LPPool2d` of spaces, `(n, c, d, h, w)`."""

    def __init__(self, norm_type: float, kernel_size: int | collections.abc.Sequence[int], stride: int | collections.abc.Sequence[int] | None = None, ceil_mode: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class AdaptiveAvgPool1d(_pooling.AdaptiveAvgPool1d):
    """`AdaptiveAvgPool2d` of lines, `(n, c, w)`."""

    def __init__(self, output_size: Any) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class AdaptiveAvgPool2d(_pooling.AdaptiveAvgPool2d):
    """The means of as many windows of images, `(n, c, h, w)`, as the result has elements.

    Args:
        output_size: `(h', w')`, or a number for both; None leaves a size as it is.

    Example:
        >>> AdaptiveAvgPool2d(1)(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 3, 1, 1])
    """

    def __init__(self, output_size: Any) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class AdaptiveAvgPool3d(_pooling.AdaptiveAvgPool3d):
    """`AdaptiveAvgPool2d` of spaces, `(n, c, d, h, w)`."""

    def __init__(self, output_size: Any) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class AdaptiveMaxPool1d(_pooling.AdaptiveMaxPool1d):
    """`AdaptiveMaxPool2d` of lines, `(n, c, w)`."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> Any: ...

class AdaptiveMaxPool2d(_pooling.AdaptiveMaxPool2d):
    """The largest elements of as many windows of images as the result has elements.

    Args:
        output_size: `(h', w')`, or a number for both; None leaves a size as it is.
        return_indices: whether to return where the elements were, too.

    Example:
        >>> AdaptiveMaxPool2d((2, None))(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 3, 2, 4])
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> Any: ...

class AdaptiveMaxPool3d(_pooling.AdaptiveMaxPool3d):
    """`AdaptiveMaxPool2d` of spaces, `(n, c, d, h, w)`."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> Any: ...

class FractionalMaxPool2d(_pooling.FractionalMaxPool2d):
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

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], output_size: int | collections.abc.Sequence[int] | None = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: glassgrad.core.tensor.Tensor | None = None) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> Any: ...

class FractionalMaxPool3d(_pooling.FractionalMaxPool3d):
    """`FractionalMaxPool2d` of spaces, `(n, c, d, h, w)`."""

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], output_size: int | collections.abc.Sequence[int] | None = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: glassgrad.core.tensor.Tensor | None = None) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> Any: ...

class LocalResponseNorm(_pooling.LocalResponseNorm):
    """Each element divided by a power of the mean of squares over neighbouring channels."""

    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Unfold(_pooling.Unfold):
    """The windows of images, each laid out as a column; see `functional.unfold`.

    Args:
        kernel_size, dilation, padding, stride: of the windows.

    Example:
        >>> Unfold(2)(ones(1, 3, 4, 4)).shape
        glassgrad.Size([1, 12, 9])
    """

    def __init__(self, kernel_size: int | collections.abc.Sequence[int], dilation: int | collections.abc.Sequence[int] = 1, padding: int | collections.abc.Sequence[int] = 0, stride: int | collections.abc.Sequence[int] = 1) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Fold(_pooling.Fold):
    """Images that have, at each place, the sum of what all windows have for it.

    Args:
        output_size: the size of the images.
        kernel_size, dilation, padding, stride: of the windows.

    Example:
        >>> Fold(4, 2)(ones(1, 12, 9)).shape
        glassgrad.Size([1, 3, 4, 4])
    """

    def __init__(self, output_size: int | collections.abc.Sequence[int], kernel_size: int | collections.abc.Sequence[int], dilation: int | collections.abc.Sequence[int] = 1, padding: int | collections.abc.Sequence[int] = 0, stride: int | collections.abc.Sequence[int] = 1) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class RNN(_recurrent.RNN):
    """hₜ = tanh(W·xₜ + b + W'·hₜ₋₁ + b'), in layers.

    Args:
        input_size: n, the size of what comes in at each step.
        hidden_size: H, the size of h.
        num_layers: how many layers there are, one above the other.
        nonlinearity: "tanh" or "relu".
        bias: whether there are biases.
        batch_first: whether inputs have the shape `(N, T, n)`, and not `(T, N, n)`.
        dropout: how likely an element is set to 0 between layers, in training.
        bidirectional: whether each layer also goes through the steps backwards.
        device, dtype: of the parameters.

    Example:
        >>> y, h = RNN(3, 4, bidirectional=True)(ones(5, 2, 3))
        >>> y.shape, h.shape
        (glassgrad.Size([5, 2, 8]), glassgrad.Size([2, 2, 4]))
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = 'tanh', bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Any = None, dtype: Any = None) -> None: ...

class LSTM(_recurrent.LSTM):
    """A long short-term memory: what it keeps goes through the steps without a nonlinearity.

    Args:
        input_size: n, the size of what comes in at each step.
        hidden_size: H, the size of h and c.
        num_layers: how many layers there are, one above the other.
        bias: whether there are biases.
        batch_first: whether inputs have the shape `(N, T, n)`, and not `(T, N, n)`.
        dropout: how likely an element is set to 0 between layers, in training.
        bidirectional: whether each layer also goes through the steps backwards.
        proj_size: the size of h, made smaller by a matrix; 0: H.
        device, dtype: of the parameters.

    Example:
        >>> y, (h, c) = LSTM(3, 4, num_layers=2)(ones(5, 2, 3))
        >>> y.shape, h.shape, c.shape
        (glassgrad.Size([5, 2, 4]), glassgrad.Size([2, 2, 4]), glassgrad.Size([2, 2, 4]))

    See also: Hochreiter and Schmidhuber, *Long Short-Term Memory* (1997).
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0, device: Any = None, dtype: Any = None) -> None: ...

class GRU(_recurrent.GRU):
    """Gated recurrent units; arguments as in `RNN`, without `nonlinearity`.

    Example:
        >>> y, h = GRU(3, 4, batch_first=True)(ones(2, 5, 3))
        >>> y.shape, h.shape
        (glassgrad.Size([2, 5, 4]), glassgrad.Size([1, 2, 4]))

    See also: Cho et al., *Learning Phrase Representations using RNN Encoder–Decoder* (2014).
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Any = None, dtype: Any = None) -> None: ...

class ReLU(_activations.ReLU):
    """`max(x, 0)`."""

    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class LeakyReLU(_activations.LeakyReLU):
    """`x` where it is positive, a small part of it elsewhere."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class RReLU(_activations.RReLU):
    """`LeakyReLU` whose slope is drawn for each element, in training."""

    def __init__(self, lower: float = 0.125, upper: float = 0.3333333333333333, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class ELU(_activations.ELU):
    """`x` where it is positive, `alpha·(exp(x) - 1)` elsewhere."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class CELU(_activations.CELU):
    """`x` where it is positive, `alpha·(exp(x/alpha) - 1)` elsewhere."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class SELU(_activations.SELU):
    """`ELU`, scaled so that layers keep mean 0 and variance 1."""

    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class SiLU(_activations.SiLU):
    """`x·sigmoid(x)`."""

    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Mish(_activations.Mish):
    """`x·tanh(softplus(x))`."""

    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class GELU(_activations.GELU):
    """`x` times the probability that a normal number is smaller."""

    def __init__(self, approximate: str = 'none') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class GLU(_activations.GLU):
    """The first half of `x`, each element times `sigmoid` of its partner in the second."""

    def __init__(self, dim: int = -1) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Hardsigmoid(_activations.Hardsigmoid):
    """`sigmoid` in three straight pieces."""

    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Hardswish(_activations.Hardswish):
    """`x·hardsigmoid(x)`."""

    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Hardtanh(_activations.Hardtanh):
    """`x`, cut off at two bounds."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class ReLU6(_activations.ReLU6):
    """`x`, cut off at 0 and 6."""

    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Threshold(_activations.Threshold):
    """`x` where it is larger than `threshold`, `value` elsewhere."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Hardshrink(_activations.Hardshrink):
    """`x` where it is further from 0 than `lambd`, 0 elsewhere."""

    def __init__(self, lambd: float = 0.5) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Softshrink(_activations.Softshrink):
    """`x`, moved towards 0 by `lambd`."""

    def __init__(self, lambd: float = 0.5) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Tanhshrink(_activations.Tanhshrink):
    """`x - tanh(x)`."""

    def __init__(self) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Softsign(_activations.Softsign):
    """`x/(1 + |x|)`."""

    def __init__(self) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Softplus(_activations.Softplus):
    """`log(1 + exp(beta·x))/beta`: a smooth `ReLU`."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Tanh(_activations.Tanh):
    """The hyperbolic tangent."""

    def __init__(self) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Sigmoid(_activations.Sigmoid):
    """`1/(1 + exp(-x))`."""

    def __init__(self) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class LogSigmoid(_activations.LogSigmoid):
    """The logarithm of `Sigmoid`, without its rounding to 0."""

    def __init__(self) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Softmax(_activations.Softmax):
    """Positive numbers that add up to 1 along a dim."""

    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class LogSoftmax(_activations.LogSoftmax):
    """The logarithm of `Softmax`, without its rounding to 0."""

    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Softmin(_activations.Softmin):
    """`Softmax` of `-x`: the smallest element gets the largest share."""

    def __init__(self, dim: int | None = None) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Dropout(_activations.Dropout):
    """Elements set to 0 at random; the others grow, so that the expectation stays.

    Args:
        p: how likely an element is set to 0.
        inplace: write the result into the input.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Dropout1d(_activations.Dropout1d):
    """`Dropout` of whole channels of sequences."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Dropout2d(_activations.Dropout2d):
    """`Dropout` of whole channels of images."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class Dropout3d(_activations.Dropout3d):
    """`Dropout` of whole channels of volumes."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class AlphaDropout(_activations.AlphaDropout):
    """`Dropout` that keeps mean and variance of what `SELU` makes."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class FeatureAlphaDropout(_activations.FeatureAlphaDropout):
    """`AlphaDropout` of whole channels."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class L1Loss(_losses.L1Loss):
    """The mean distance."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class MSELoss(_losses.MSELoss):
    """The mean squared distance."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class SmoothL1Loss(_losses.SmoothL1Loss):
    """The distance, rounded off where it is below `beta`."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', beta: float = 1.0) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class HuberLoss(_losses.HuberLoss):
    """Half the squared distance where that is below `delta`; from there on a line."""

    def __init__(self, reduction: str = 'mean', delta: float = 1.0) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class CrossEntropyLoss(_losses.CrossEntropyLoss):
    """-log of the probability that softmax gives to the right class.

    Args:
        weight: of each class, shape `(C,)`; None: 1 each.
        size_average, reduce: what PyTorch had before `reduction`.
        ignore_index: a label whose rows do not count.
        reduction: "mean", "sum" or "none".
        label_smoothing: the share of every class in a softened target, from 0 to 1.

    Example:
        >>> CrossEntropyLoss()(tensor([[0.0, 0.0]]), tensor([1]))
        tensor(0.6931)
    """

    def __init__(self, weight: glassgrad.core.tensor.Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = 'mean', label_smoothing: float = 0.0) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class NLLLoss(_losses.NLLLoss):
    """-input at the right class, for an input that `LogSoftmax` made."""

    def __init__(self, weight: glassgrad.core.tensor.Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class BCELoss(_losses.BCELoss):
    """The cross-entropy of probabilities of yes."""

    def __init__(self, weight: glassgrad.core.tensor.Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class BCEWithLogitsLoss(_losses.BCEWithLogitsLoss):
    """`BCELoss` of `Sigmoid`, without overflow."""

    def __init__(self, weight: glassgrad.core.tensor.Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', pos_weight: glassgrad.core.tensor.Tensor | None = None) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class KLDivLoss(_losses.KLDivLoss):
    """How much the probabilities of the target say that those of the input do not."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', log_target: bool = False) -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class PoissonNLLLoss(_losses.PoissonNLLLoss):
    """-log of the probability of counts, of Poisson distributions."""

    def __init__(self, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-08, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class CTCLoss(_losses.CTCLoss):
    """-log of the probability that a sequence of outputs spells its target."""

    def __init__(self, blank: int = 0, reduction: str = 'mean', zero_infinity: bool = False) -> None: ...
    def forward(self, log_probs: glassgrad.core.tensor.Tensor, targets: glassgrad.core.tensor.Tensor, input_lengths: glassgrad.core.tensor.Tensor | collections.abc.Sequence[int], target_lengths: glassgrad.core.tensor.Tensor | collections.abc.Sequence[int]) -> glassgrad.core.tensor.Tensor: ...

class GaussianNLLLoss(_losses.GaussianNLLLoss):
    """-log of the density of the target, of normal distributions."""

    def __init__(self, full: bool = False, eps: float = 1e-06, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor, var: glassgrad.core.tensor.Tensor | float) -> glassgrad.core.tensor.Tensor: ...

class HingeEmbeddingLoss(_losses.HingeEmbeddingLoss):
    """A distance where two things are alike; where they are not, what it lacks of a margin."""

    def __init__(self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class SoftMarginLoss(_losses.SoftMarginLoss):
    """`log(1 + exp(-target·input))`."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class MultiLabelMarginLoss(_losses.MultiLabelMarginLoss):
    """By how much scores of wrong classes come too close to those of the right ones."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class MultiLabelSoftMarginLoss(_losses.MultiLabelSoftMarginLoss):
    """Binary cross-entropy of the scores of several labels."""

    def __init__(self, weight: glassgrad.core.tensor.Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class MultiMarginLoss(_losses.MultiMarginLoss):
    """By how much scores of wrong classes come too close to that of the right one."""

    def __init__(self, p: int = 1, margin: float = 1.0, weight: glassgrad.core.tensor.Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class MarginRankingLoss(_losses.MarginRankingLoss):
    """How much is missing until one score is larger than the other by a margin."""

    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input1: glassgrad.core.tensor.Tensor, input2: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class CosineEmbeddingLoss(_losses.CosineEmbeddingLoss):
    """What the cosine between vectors lacks of 1 where they are alike; else what is too much."""

    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input1: glassgrad.core.tensor.Tensor, input2: glassgrad.core.tensor.Tensor, target: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class TripletMarginLoss(_losses.TripletMarginLoss):
    """How much is missing until something alike is nearer by a margin than something else."""

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-06, swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, anchor: glassgrad.core.tensor.Tensor, positive: glassgrad.core.tensor.Tensor, negative: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class TripletMarginWithDistanceLoss(_losses.TripletMarginWithDistanceLoss):
    """`TripletMarginLoss` with any distance; None: a `PairwiseDistance`."""

    def __init__(self, distance_function: collections.abc.Callable[[glassgrad.core.tensor.Tensor, glassgrad.core.tensor.Tensor], glassgrad.core.tensor.Tensor] | None = None, margin: float = 1.0, swap: bool = False, reduction: str = 'mean') -> None: ...
    def forward(self, anchor: glassgrad.core.tensor.Tensor, positive: glassgrad.core.tensor.Tensor, negative: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class CosineSimilarity(_losses.CosineSimilarity):
    """The cosine of the angle between vectors along `dim`."""

    def __init__(self, dim: int = 1, eps: float = 1e-08) -> None: ...
    def forward(self, x1: glassgrad.core.tensor.Tensor, x2: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class PairwiseDistance(_losses.PairwiseDistance):
    """The norm of the difference between vectors along the last dim."""

    def __init__(self, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> None: ...
    def forward(self, x1: glassgrad.core.tensor.Tensor, x2: glassgrad.core.tensor.Tensor) -> glassgrad.core.tensor.Tensor: ...

class InstanceNorm1d(_normalization.InstanceNorm1d):
    """`InstanceNorm` of sequences, `(N, C, L)` or `(C, L)`."""

    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = False, track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None: ...

class InstanceNorm2d(_normalization.InstanceNorm2d):
    """`InstanceNorm` of images, `(N, C, H, W)` or `(C, H, W)`."""

    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = False, track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None: ...

class InstanceNorm3d(_normalization.InstanceNorm3d):
    """`InstanceNorm` of volumes, `(N, C, D, H, W)` or `(C, D, H, W)`."""

    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = False, track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None: ...

class LazyBatchNorm1d(_normalization.LazyBatchNorm1d):
    """A `BatchNorm1d` whose `num_features` are the channels of the first input."""

    def __init__(self, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None: ...

class LazyBatchNorm2d(_normalization.LazyBatchNorm2d):
    """A `BatchNorm2d` whose `num_features` are the channels of the first input."""

    def __init__(self, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None: ...

class LazyBatchNorm3d(_normalization.LazyBatchNorm3d):
    """A `BatchNorm3d` whose `num_features` are the channels of the first input."""

    def __init__(self, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None: ...

class LazyInstanceNorm1d(_normalization.LazyInstanceNorm1d):
    """An `InstanceNorm1d` whose `num_features` are the channels of the first input."""

    def __init__(self, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None: ...

class LazyInstanceNorm2d(_normalization.LazyInstanceNorm2d):
    """An `InstanceNorm2d` whose `num_features` are the channels of the first input."""

    def __init__(self, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None: ...

class LazyInstanceNorm3d(_normalization.LazyInstanceNorm3d):
    """An `InstanceNorm3d` whose `num_features` are the channels of the first input."""

    def __init__(self, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None: ...

__all__ = [
    "common_types",
    "functional",
    "grad",
    "init",
    "modules",
    "parallel",
    "utils",
    "DataParallel",
    "Module",
    "Parameter",
    "Buffer",
    "UninitializedParameter",
    "UninitializedBuffer",
    "Container",
    "Sequential",
    "ModuleList",
    "ModuleDict",
    "ParameterList",
    "ParameterDict",
    "Linear",
    "LazyLinear",
    "Bilinear",
    "Softmax2d",
    "PReLU",
    "Identity",
    "Flatten",
    "Unflatten",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "Upsample",
    "UpsamplingNearest2d",
    "UpsamplingBilinear2d",
    "PixelShuffle",
    "PixelUnshuffle",
    "ChannelShuffle",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "CrossMapLRN2d",
    "LocalResponseNorm",
    "Unfold",
    "Fold",
    "RNNBase",
    "RNN",
    "LSTM",
    "GRU",
    "RNNCellBase",
    "RNNCell",
    "LSTMCell",
    "GRUCell",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerDecoder",
    "Transformer",
    "ReLU",
    "LeakyReLU",
    "RReLU",
    "ELU",
    "CELU",
    "SELU",
    "SiLU",
    "Mish",
    "GELU",
    "GLU",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "ReLU6",
    "Threshold",
    "Hardshrink",
    "Softshrink",
    "Tanhshrink",
    "Softsign",
    "Softplus",
    "Tanh",
    "Sigmoid",
    "LogSigmoid",
    "Softmax",
    "LogSoftmax",
    "Softmin",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "AlphaDropout",
    "FeatureAlphaDropout",
    "MultiheadAttention",
    "L1Loss",
    "MSELoss",
    "SmoothL1Loss",
    "HuberLoss",
    "CrossEntropyLoss",
    "NLLLoss",
    "NLLLoss2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "KLDivLoss",
    "PoissonNLLLoss",
    "CTCLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "SoftMarginLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MarginRankingLoss",
    "CosineEmbeddingLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "CosineSimilarity",
    "PairwiseDistance",
    "AdaptiveLogSoftmaxWithLoss",
    "LayerNorm",
    "RMSNorm",
    "GroupNorm",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "SyncBatchNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "Embedding",
    "EmbeddingBag",
]
