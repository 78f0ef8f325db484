# Written by `make stubs` (docs/stubs.py) from what the ops declare. Do not edit.
"""The ops that networks are made of, under the names of `torch.nn.functional`."""

import builtins
from collections.abc import Sequence
from glassgrad.core.tensor import Tensor
from glassgrad.ops.activations import functional_log_softmax as log_softmax, functional_softmax as softmax, gelu as gelu, glu as glu, gumbel_softmax as gumbel_softmax, logsigmoid as logsigmoid, prelu as prelu, softmin as softmin, softplus as softplus, softshrink as softshrink, softsign as softsign, tanhshrink as tanhshrink
from glassgrad.ops.linalg import linear as linear
from glassgrad.ops.losses import kl_div as kl_div, triplet_margin_with_distance_loss as triplet_margin_with_distance_loss
from glassgrad.ops.networks import batch_norm as batch_norm, bilinear as bilinear, embedding as embedding, embedding_bag as embedding_bag, group_norm as group_norm, instance_norm as instance_norm, layer_norm as layer_norm, local_response_norm as local_response_norm, multi_head_attention_forward as multi_head_attention_forward, one_hot as one_hot, rms_norm as rms_norm, scaled_dot_product_attention as scaled_dot_product_attention
from glassgrad.ops.norms import pairwise_distance as pairwise_distance, pdist as pdist
from glassgrad.ops.resampling import channel_shuffle as channel_shuffle, channel_shuffle as native_channel_shuffle, interpolate as interpolate, pad as pad, pixel_shuffle as pixel_shuffle, pixel_unshuffle as pixel_unshuffle, upsample as upsample, upsample_bilinear as upsample_bilinear, upsample_nearest as upsample_nearest
from glassgrad.ops.sampling import affine_grid as affine_grid, grid_sample as grid_sample
from glassgrad.ops.windows import Ints, fold as fold, unfold as unfold
from typing import Any

def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """`adaptive_avg_pool2d` of lines, `(n, c, w)`; everything else is the same."""

def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of as many windows of an image as the result has elements.

    Args:
        input: floating-point tensor of shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        output_size: `(h', w')`, or a number for both; None leaves a size as it is.

    Returns:
        Tensor of shape `(n, c, h', w')`. Window i of m goes from `⌊i·n/m⌋` up to `⌈(i + 1)·n/m⌉`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for other dtypes than floats.

    Example:
        >>> adaptive_avg_pool2d(arange(16.0).reshape(1, 4, 4), (1, 2))
        tensor([[[6.5000, 8.5000]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html
    """

def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """`adaptive_avg_pool2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """`adaptive_max_pool2d` of lines, `(n, c, w)`; everything else is the same."""

def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of as many windows of an image as the result has elements.

    Args:
        input: floating-point tensor of shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        output_size: `(h', w')`, or a number for both; None leaves a size as it is.
        return_indices: whether to return where the elements were, too.

    Returns:
        Tensor of shape `(n, c, h', w')`, or a pair, as of `max_pool2d`. The windows are those of
        `adaptive_avg_pool2d`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for other dtypes than floats.

    Example:
        >>> adaptive_max_pool2d(arange(16.0).reshape(1, 4, 4), (1, 2))
        tensor([[[13., 15.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool2d.html
    """

def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """`adaptive_max_pool2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Elements set to what `selu` tends to, at random; mean and variance stay.

    Args:
        input: floating-point tensor of shape `S`.
        p: how likely that is.
        training: False: return `input` itself.
        inplace: write the result to the memory of `input`, and return that.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.

    Example:
        >>> alpha_dropout(tensor([1.0, 2.0]), 0.0, training=True)
        tensor([1., 2.])

    See also: Klambauer et al., *Self-Normalizing Neural Networks* (2017).
    """

def alpha_dropout_(input: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    """`alpha_dropout`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def avg_pool1d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """`avg_pool2d` of lines, `(n, c, w)`; everything else is the same."""

def avg_pool2d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """The mean of each window of an image.

    Args:
        input: shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        kernel_size: the size of a window, a number or one for each dim.
        stride: how far the next window is; None: as far as a window is large.
        padding: how far windows reach over the edges, where zeros are; at most half a window.
        ceil_mode: whether a last window may be only partly filled.
        count_include_pad: whether those zeros count.
        divisor_override: what to divide sums by, instead of the number of elements.

    Returns:
        Tensor of shape `(n, c, h', w')`, `h' = ⌊(h + 2·padding − k)/stride⌋ + 1`, rounded up in
        `ceil_mode`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for other dtypes than floats and int64, which is rounded towards 0.

    Example:
        >>> avg_pool2d(arange(16.0).reshape(1, 4, 4), 2)
        tensor([[[ 2.5000,  4.5000],
                 [10.5000, 12.5000]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool2d.html
    """

def avg_pool3d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """`avg_pool2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """The cross-entropy of probabilities: `-target·log(input) - (1 - target)·log(1 - input)`.

    Args:
        input: probabilities, of shape `S`; see `binary_cross_entropy_with_logits` for scores.
        target: what was seen, from 0 to 1: shape `S`, of the same dtype.
        weight: how much each element counts: of a shape that broadcasts to `S`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none". The logarithm of 0 counts as -100.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ, or are not floating-point.
        ArgumentError: if `input` or `target` is not between 0 and 1; for another reduction.
        GraphError: if `weight` requires grad.

    Example:
        >>> binary_cross_entropy(tensor([0.9, 0.5]), tensor([1.0, 0.0]))
        tensor(0.3993)

    See Also:
        https://pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy.html
    """

def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """`binary_cross_entropy(sigmoid(input), target)`, without overflow.

    Args:
        input: scores of shape `S`: positive ones say yes.
        target: what was seen, from 0 (no) to 1 (yes): shape `S`.
        weight: how much each element counts: of a shape that broadcasts to `S`.
        pos_weight: how much more a yes counts than a no: of a shape that broadcasts to `S`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if a dtype is not floating-point.
        ArgumentError: for another reduction.
        GraphError: if a weight requires grad.

    Example:
        >>> binary_cross_entropy_with_logits(tensor([2.0, -1.0]), tensor([1.0, 1.0]))
        tensor(0.7201)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy_with_logits.html
    """

def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`input` where it is positive, `alpha·(exp(input/alpha) - 1)` elsewhere.

    Args:
        input: floating-point tensor of shape `S`.
        alpha: where it tends to, far on the left, is `-alpha`.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S`. The slope is 1 at 0, whatever `alpha` is.

    Raises:
        DTypeError: for other dtypes.
        RangeError: if `alpha` is 0.

    Example:
        >>> celu(tensor([-1.0, 2.0]), 0.5)
        tensor([-0.4323,  2.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.celu.html
    """

def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`celu`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1) -> Tensor:
    """`conv2d` of lines, `(n, c, w)`; everything else is the same."""

def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1) -> Tensor:
    """The convolution of images with weights: what each window and the weights have in common.

    Args:
        input: shape `(n, in, h, w)`, or `(in, h, w)` for one image.
        weight: shape `(out, in / groups, k, l)`: a kernel for each pair of channels.
        bias: shape `(out,)`, which is added; None: nothing.
        stride: how far the next window is.
        padding: how many zeros are put around the image; "valid": none; "same": as many as make a
            result of the same size.
        dilation: how far apart in the image the elements of a kernel are.
        groups: the channels are in so many groups, which do not see each other.

    Returns:
        Tensor of shape `(n, out, h', w')`, `h' = ⌊(h + 2·padding − dilation·(k − 1) − 1)/stride⌋ +
        1`, and `w'` the same of w and l. A number stands for both dims, or there are two.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> conv2d(ones(1, 1, 3, 3), ones(1, 1, 2, 2))
        tensor([[[[4., 4.],
                  [4., 4.]]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html
    """

def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1) -> Tensor:
    """`conv2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints = 0, output_padding: Ints = 0, groups: int = 1, dilation: Ints = 1) -> Tensor:
    """`conv_transpose2d` of lines, `(n, c, w)`; everything else is the same."""

def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints = 0, output_padding: Ints = 0, groups: int = 1, dilation: Ints = 1) -> Tensor:
    """The transpose of `conv2d`: each element of `input` adds a kernel, as often as it says.

    So it is the gradient of `conv2d`, and makes images larger again.

    Args:
        input: shape `(n, in, h, w)`, or `(in, h, w)` for one image.
        weight: shape `(in, out / groups, k, l)`.
        bias: shape `(out,)`, which is added; None: nothing.
        stride: how far apart in the result neighbours of `input` are.
        padding: how many elements are cut off at each edge of the result.
        output_padding: how many are added at its end; smaller than stride or dilation.
        groups: the channels are in so many groups, which do not see each other.
        dilation: how far apart in the result the elements of a kernel are.

    Returns:
        Tensor of shape `(n, out, h', w')`, `h' = (h − 1)·stride − 2·padding + dilation·(k − 1) +
        output_padding + 1`.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> conv_transpose2d(tensor([[[[1.0, 2.0]]]]), ones(1, 1, 1, 2))
        tensor([[[[1., 3., 2.]]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose2d.html
    """

def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints = 0, output_padding: Ints = 0, groups: int = 1, dilation: Ints = 1) -> Tensor:
    """`conv_transpose2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """What the cosine between vectors lacks of 1 where they are alike; else what is above `margin`.

    Args:
        input1, input2: vectors, of shape `(N, D)` or `(D,)`.
        target: 1 for alike, -1 for not alike; of shape `(N,)` or `()`.
        margin: from -1 to 1: how small the cosine of what is not alike should be.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of the shape of `target` for "none".

    Raises:
        ShapeError: if the shapes do not fit.
        ArgumentError: for another reduction.

    Example:
        >>> cosine_embedding_loss(tensor([1.0, 0.0]), tensor([3.0, 4.0]), tensor(1))
        tensor(0.4000)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_embedding_loss.html
    """

def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08, *, axis: int | None = None) -> Tensor:
    """The cosines of the angles between vectors.

    Args:
        x1, x2: tensors of shapes that broadcast to `S`.
        dim: in which the vectors lie.
        eps: the least length that a vector is divided by.

    Returns:
        Tensor of shape `S` without `dim`.

    Raises:
        DTypeError: if none is of floats.

    Example:
        >>> cosine_similarity(tensor([[1.0, 0.0]]), tensor([[1.0, 1.0]]))
        tensor([0.7071])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_similarity.html
    """

def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = 'mean', label_smoothing: float = 0.0) -> Tensor:
    """`-log(softmax(input))` at the target class: the loss of a classifier.

    Args:
        input: scores of shape `(N, C)`, `(C,)` or `(N, C, d…)`, not normalised.
        target: int64 class indices of shape `(N,)`, `()` or `(N, d…)`; or probabilities in the
            shape of `input`.
        weight: shape `(C,)`: how much each class counts.
        ignore_index: a target that does not count.
        reduction: "mean" (over what counts), "sum" or "none".
        label_smoothing: this share of each target is spread evenly over all classes.
        size_average, reduce: what PyTorch had before `reduction`.

    Returns:
        A 0-d tensor; of the shape of class indices for "none".

    Raises:
        ShapeError, ArgumentError: if there is not one target per example.
        DTypeError: if `input` has no floats or `target` no int64 indices.
        DimError: if a target is no class.

    Example:
        >>> cross_entropy(tensor([[2.0, 0.0], [0.0, 2.0]]), tensor([0, 0]))
        tensor(1.1269)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html
    """

def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor | Sequence[int], target_lengths: Tensor | Sequence[int], blank: int = 0, reduction: str = 'mean', zero_infinity: bool = False) -> Tensor:
    """-ln of the probability that a sequence of outputs spells its target (CTC).

    An output spells a target if that is left when repeats are merged and blanks taken out. The
    sum over all such outputs goes step by step: `alpha[:, s]` is ln of the probability to have
    spelt the first `s` signs, where the signs are the labels with a blank around each.

    Args:
        log_probs: ln of the probabilities of `C` labels, shape `(T, N, C)`, or `(T, C)` of one.
        targets: labels, of shape `(N, S)`, or all in one row.
        input_lengths, target_lengths: how much of each counts; N numbers each.
        blank: the label that stands for none.
        reduction: "mean" of the losses, each divided by the length of its target; "sum"; "none".
        zero_infinity: whether targets that no output can spell have the loss 0, instead of inf.

    Returns:
        A 0-d tensor; with "none" a loss for each sequence. As PyTorch's, the gradient is that of
        numbers which a log_softmax makes `log_probs` of.

    Raises:
        ArgumentError: for another reduction.
        ShapeError: if shapes and lengths do not fit together, or there is no label `blank`.
        DTypeError: if lengths or targets are no integers.

    Example:
        >>> ctc_loss(tensor([[0.5, 0.5]] * 2).log(), tensor([1]), [2], [1])
        tensor(0.2877)

    See also: Graves et al., *Connectionist Temporal Classification*, 2006.
    """

def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements set to 0 at random; the others grow, so that the expectation stays.

    Args:
        input: floating-point or complex tensor of shape `S`.
        p: how likely an element is set to 0.
        training: False: return `input` itself.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S`.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        DTypeError: for integers, in training.

    Example:
        >>> dropout(tensor([1.0, 2.0]), 0.0)
        tensor([1., 2.])
        >>> sorted({*dropout(ones(100), 0.5).tolist()})
        [0.0, 2.0]

    See also: Srivastava et al., *Dropout* (2014).
    """

def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of sequences.

    Args:
        input: floating-point tensor of shape `(N, C, L)` or `(C, L)`.
        p: how likely a channel is set to 0.
        training: False: return `input` itself.
        inplace: write the result to the memory of `input`, and return that.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        ShapeError: for other shapes.

    Example:
        >>> dropout1d(ones(2, 2), 0.0)
        tensor([[1., 1.],
                [1., 1.]])
    """

def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of images.

    Args:
        input: floating-point tensor of shape `(N, C, H, W)`; `(N, C, L)` is taken, too.
        p: how likely a channel is set to 0.
        training: False: return `input` itself.
        inplace: write the result to the memory of `input`, and return that.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        ShapeError: if there are no channels.

    Example:
        >>> dropout2d(ones(1, 1, 1, 2), 0.0)
        tensor([[[[1., 1.]]]])
    """

def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of volumes.

    Args:
        input: floating-point tensor of shape `(N, C, D, H, W)`; `(C, D, H, W)` is taken, too.
        p: how likely a channel is set to 0.
        training: False: return `input` itself.
        inplace: write the result to the memory of `input`, and return that.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        ShapeError: if there are no channels.

    Example:
        >>> dropout3d(ones(1, 1, 1, 1, 2), 0.0)
        tensor([[[[[1., 1.]]]]])
    """

def dropout_(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """`dropout`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`input` where it is positive, `alpha·(exp(input) - 1)` elsewhere.

    Args:
        input: floating-point tensor of shape `S`.
        alpha: where it tends to, far on the left, is `-alpha`.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S`. At 0 the slope is `alpha`.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> elu(tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.elu.html
    """

def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`elu`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels.

    Args:
        input: floating-point tensor of shape `(N, C, …)`.
        p: how likely that is.
        training: False: return `input` itself.
        inplace: write the result to the memory of `input`, and return that.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
        ShapeError: if there are no channels.

    Example:
        >>> feature_alpha_dropout(ones(1, 2), 0.0, training=True)
        tensor([[1., 1.]])
    """

def feature_alpha_dropout_(input: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    """`feature_alpha_dropout`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def fractional_max_pool2d(input: Tensor, kernel_size: Ints, output_size: Ints | None = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> Any:
    """The largest elements of windows that are a fraction of a step apart, beginning at random.

    Args:
        input: floating-point tensor of shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        kernel_size: the size of a window, a number or one for each dim.
        output_size: `(h', w')`, or a number for both; or:
        output_ratio: its share of the size of the image, between 0 and 1.
        return_indices: whether to return where the elements were, too.
        _random_samples: where windows begin, numbers from 0 to 1 of shape `(n, c, 2)`; None: drawn.

    Returns:
        Tensor of shape `(n, c, h', w')`, or a pair, as of `max_pool2d`.

    Raises:
        ArgumentError: if neither a size nor a ratio is given.
        ShapeError: if the windows do not fit.

    Example:
        >>> fractional_max_pool2d(arange(16.0).reshape(1, 4, 4), 2, output_size=2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])

    See also: Graham, *Fractional Max-Pooling* (2014).
    """

def fractional_max_pool3d(input: Tensor, kernel_size: Ints, output_size: Ints | None = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> Any:
    """`fractional_max_pool2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-06, reduction: str = 'mean') -> Tensor:
    """`-log` of the density of `target`, of normal distributions.

    Args:
        input: their means, of shape `S`.
        target: what was seen, of a shape that broadcasts to `S`.
        var: their variances: a number, or a tensor of shape `S`, of `S` without the last dim, or
            with a dim of size 1. Its gradient does not see `eps`.
        full: add what does not depend on `input` and `var`.
        eps: the least variance.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction, and for variances that are negative or do not fit.

    Example:
        >>> gaussian_nll_loss(tensor([0.0, 1.0]), tensor([1.0, 1.0]), 1.0)
        tensor(0.2500)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.gaussian_nll_loss.html
    """

def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`input` where it is further from 0 than `lambd`, 0 elsewhere.

    Args:
        input: floating-point tensor of shape `S`.
        lambd: how far.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`. At the jumps the slope is 0.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> hardshrink(tensor([-2.0, 0.25, 1.0]))
        tensor([-2.,  0.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardshrink.html
    """

def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """`sigmoid` in three straight pieces: 0 up to -3, 1 from 3 on.

    Args:
        input: floating-point tensor of shape `S`.
        inplace: write the result to the memory of `input`, and return that.

    Example:
        >>> hardsigmoid(tensor([-4.0, 0.0, 1.5]))
        tensor([0.0000, 0.5000, 0.7500])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardsigmoid.html
    """

def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * hardsigmoid(input)`.

    Args:
        input: floating-point tensor of shape `S`.
        inplace: write the result to the memory of `input`, and return that.

    Example:
        >>> hardswish(tensor([0.0, 1.5, 6.0]))
        tensor([0.0000, 1.1250, 6.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardswish.html
    """

def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """`input`, cut off at two bounds.

    Args:
        input: real tensor of shape `S`.
        min_val, max_val: the bounds.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S` and the same dtype. At the bounds the subgradient 0 is used.

    Raises:
        DTypeError: for bools, and for unsigned integers with a negative bound.
        RangeError: if `min_val` is larger than `max_val`.

    Example:
        >>> hardtanh(tensor([-2.0, 0.5, 3.0]))
        tensor([-1.0000,  0.5000,  1.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardtanh.html
    """

def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """A distance where two things are alike; where they are not, what it lacks of a margin.

    Args:
        input: distances.
        target: 1 for alike, -1 for not alike. The shapes broadcast to `S`.
        margin: how far apart things should be that are not alike.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction.

    Example:
        >>> hinge_embedding_loss(tensor([0.25, 0.25]), tensor([1, -1]))
        tensor(0.5000)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hinge_embedding_loss.html
    """

def huber_loss(input: Tensor, target: Tensor, reduction: str = 'mean', delta: float = 1.0, weight: Tensor | None = None) -> Tensor:
    """Half the square of the distance where it is below `delta`; from there on a line.

    Args:
        input, target: floating-point tensors of one shape `S`; others are broadcast, with a
            warning.
        delta: where the square ends, and how steep the line is.
        weight: how much each element counts, of shape `S`. The mean divides by how many there are.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction, or weights of another shape.
        RangeError: if `delta` is not positive.

    Example:
        >>> huber_loss(tensor([1.0, 1.0]), tensor([1.5, 4.0]), reduction="none", delta=2.0)
        tensor([0.1250, 4.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.huber_loss.html
    """

def l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', weight: Tensor | None = None) -> Tensor:
    """The distance, element by element.

    Args:
        input, target: of one shape `S`; others are broadcast, with a warning.
        weight: how much each element counts, of shape `S`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction, or weights of another shape.

    Example:
        >>> l1_loss(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.l1_loss.html
    """

def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`input` where it is positive, a small part of it elsewhere.

    Args:
        input: floating-point tensor of shape `S`.
        negative_slope: which part.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S`. At the kink 0 the slope is `negative_slope`.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> leaky_relu(tensor([-1.0, 2.0]), 0.1)
        tensor([-0.1000,  2.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.leaky_relu.html
    """

def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`leaky_relu`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Ints, stride: Ints | None = None, ceil_mode: bool = False) -> Tensor:
    """`lp_pool2d` of lines, `(n, c, w)`; everything else is the same."""

def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Ints, stride: Ints | None = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window of an image: `(Σ xᵖ)^(1/p)`.

    Args:
        input: shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        norm_type: p.
        kernel_size: the size of a window, a number or one for each dim.
        stride: how far the next window is; None: as far as a window is large.
        ceil_mode: whether a last window may be only partly filled.

    Returns:
        Tensor of the shape that `avg_pool2d` gives.

    Example:
        >>> lp_pool2d(tensor([[[3.0, 4.0]]]), 2.0, (1, 2))
        tensor([[[5.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool2d.html
    """

def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Ints, stride: Ints | None = None, ceil_mode: bool = False) -> Tensor:
    """`lp_pool2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """How much is missing until one score is larger than the other by a margin.

    Args:
        input1, input2: the scores.
        target: 1 where the first should be larger, -1 where the second should. The shapes
            broadcast to `S`, and have as many dims.
        margin: by how much.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not fit.
        ArgumentError: for another reduction.

    Example:
        >>> margin_ranking_loss(tensor([1.0, 2.0]), tensor([3.0, 0.0]), tensor([1.0, 1.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.margin_ranking_loss.html
    """

def max_pool1d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """`max_pool2d` of lines, `(n, c, w)`; everything else is the same."""

def max_pool2d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The largest element of each window of an image.

    Args:
        input: shape `(n, c, h, w)`, or `(c, h, w)` for one image.
        kernel_size: the size of a window, a number or one for each dim.
        stride: how far the next window is; None: as far as a window is large.
        padding: how far windows reach over the edges, where nothing is; at most half a window.
        dilation: how far apart in the image the elements of a window are.
        ceil_mode: whether a last window may be only partly filled.
        return_indices: whether to return where the elements were, too.

    Returns:
        Tensor of shape `(n, c, h', w')`, `h' = ⌊(h + 2·padding − dilation·(k − 1) − 1)/stride⌋ +
        1`, rounded up in `ceil_mode`; with `return_indices` a pair with the int64 tensor of places
        in the image, counted row by row. Of several largest elements the first one gets the
        gradient; nan counts as the largest.

    Raises:
        ShapeError: if shapes or numbers do not fit.
        DTypeError: for bools and complex numbers.

    Example:
        >>> max_pool2d(arange(16.0).reshape(1, 4, 4), 2)
        tensor([[[ 5.,  7.],
                 [13., 15.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool2d.html
    """

def max_pool3d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """`max_pool2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, output_size: Any = None) -> Tensor:
    """`max_unpool2d` of lines, `(n, c, w)`; everything else is the same."""

def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, output_size: Any = None) -> Tensor:
    """The way back from `max_pool2d`: largest elements where they were, among zeros.

    Args:
        input: shape `(n, c, h, w)`, or `(c, h, w)`: what `max_pool2d` gives.
        indices: where they were, as it gives them with `return_indices=True`.
        kernel_size, stride, padding: of that pooling.
        output_size: the size of the result, if windows of several sizes pool to this one; with or
            without the batch and the channels.

    Returns:
        Tensor of shape `(n, c, h', w')`, `h' = (h − 1)·stride − 2·padding + k`.

    Raises:
        ArgumentError: for an `output_size` that cannot be meant.
        ShapeError: if the shapes do not fit, or a place is outside.
        DTypeError: for indices that are not int64.

    Example:
        >>> y, places = max_pool2d(tensor([[[1.0, 4.0, 3.0, 2.0]]]), (1, 2), return_indices=True)
        >>> max_unpool2d(y, places, (1, 2))
        tensor([[[0., 4., 3., 0.]]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.MaxUnpool2d.html
    """

def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0, output_size: Any = None) -> Tensor:
    """`max_unpool2d` of spaces, `(n, c, d, h, w)`; everything else is the same."""

def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * tanh(softplus(input))`.

    Args:
        input: floating-point tensor of shape `S`.
        inplace: write the result to the memory of `input`, and return that.

    Example:
        >>> mish(tensor([-1.0, 2.0]))
        tensor([-0.3034,  1.9440])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.mish.html
    """

def mse_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', weight: Tensor | None = None) -> Tensor:
    """The squared distance, element by element.

    Args:
        input, target: of one shape `S`; others are broadcast, with a warning.
        weight: how much each element counts, of shape `S`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction, or weights of another shape.

    Example:
        >>> mse_loss(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.mse_loss.html
    """

def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """By how much the scores of wrong classes come too close to that of the right one.

    Args:
        input: scores of shape `(N, C)` or `(C,)`.
        target: int64 class indices of shape `(N,)`, or `()`.
        p: 1, or 2 for squares.
        margin: how much larger the score of the right class should be.
        weight: of each class, shape `(C,)`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of the shape of `target` for "none".

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if `target` has no int64 indices.
        ArgumentError: for another reduction or `p`, and for weights that are not 1-D.

    Example:
        >>> multi_margin_loss(tensor([[0.5, 1.0]]), tensor([1]))
        tensor(0.2500)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.multi_margin_loss.html
    """

def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """By how much the scores of wrong classes come too close to those of the right ones.

    Args:
        input: scores of shape `(N, C)` or `(C,)`.
        target: int64 indices of the right classes, of the same shape: those in front of a -1.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `(N,)` for "none" and a batch.

    Raises:
        ShapeError: if the shapes do not fit.
        ArgumentError: for another reduction.

    Example:
        >>> multilabel_margin_loss(tensor([[0.5, 1.0]]), tensor([[1, -1]]))
        tensor(0.2500)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_margin_loss.html
    """

def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """Binary cross-entropy of the scores of several labels, and its mean over them.

    Args:
        input: scores of shape `(…, C)`.
        target: 1 for the labels that are right, 0 for others: of the same shape.
        weight: of each label, shape `(C,)`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `(…)` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction.

    Example:
        >>> multilabel_soft_margin_loss(tensor([[0.0, 0.0]]), tensor([[1.0, 0.0]]))
        tensor(0.6931)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_soft_margin_loss.html
    """

def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """`-input` at the target class, for an input that `log_softmax` made.

    Args:
        input: log-probabilities of shape `(N, C)`, `(C,)` or `(N, C, d…)`.
        target, weight, size_average, ignore_index, reduce, reduction: as for `cross_entropy`, with
            class indices.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of the shape of `target` for "none".

    Raises:
        ShapeError, ArgumentError, DTypeError, DimError: as `cross_entropy`.

    Example:
        >>> nll_loss(tensor([[-0.1, -2.3], [-3.0, -0.05]]), tensor([0, 1]))
        tensor(0.0750)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html
    """

def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """Vectors divided by their lengths.

    Args:
        input: tensor of shape `S`.
        p: the order of `linalg.vector_norm`.
        dim: in which the vectors lie.
        eps: the least length that a vector is divided by.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> normalize(tensor([[3.0, 4.0]]))
        tensor([[0.6000, 0.8000]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html
    """

def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-08, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """`-log` of the probability of the counts `target`, of Poisson distributions.

    Args:
        input: their expectations, or the logarithms of these.
        target: what was counted. The shapes broadcast to `S`.
        log_input: whether `input` has logarithms.
        full: add what does not depend on `input`, by Stirling's formula.
        eps: what is added to an expectation, whose logarithm is taken.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction.

    Example:
        >>> poisson_nll_loss(tensor([0.0, 1.0]), tensor([1.0, 2.0]))
        tensor(0.8591)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.poisson_nll_loss.html
    """

def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`max(input, 0)`, element by element.

    Args:
        input: real tensor of shape `S`.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S` and the same dtype. At the kink 0 its subgradient 0 is used.

    Raises:
        DTypeError: for bools.

    Example:
        >>> relu(tensor([-1.0, 2.0]))
        tensor([0., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.relu.html
    """

def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """`input`, cut off at 0 and 6; see `hardtanh`.

    Args:
        input: real tensor of shape `S`.
        inplace: write the result to the memory of `input`, and return that.

    Example:
        >>> relu6(tensor([-2.0, 0.5, 8.0]))
        tensor([0.0000, 0.5000, 6.0000])
    """

def relu_(input: Tensor) -> Tensor:
    """`relu`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def rrelu(input: Tensor, lower: float = 0.125, upper: float = 1 / 3, training: bool = False, inplace: bool = False) -> Tensor:
    """`leaky_relu` whose slope is drawn for each negative element.

    Args:
        input: floating-point tensor of shape `S`.
        lower, upper: between which numbers; their mean is the slope outside of training.
        training: whether slopes are drawn.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: for other dtypes.
        RangeError: if `lower` is larger than `upper`.

    Example:
        >>> rrelu(tensor([-8.0, 2.0]), 0.25, 0.75)
        tensor([-4.,  2.])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.rrelu.html
    """

def rrelu_(input: Tensor, lower: float = 0.125, upper: float = 1 / 3, training: bool = False) -> Tensor:
    """`rrelu`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu`, scaled so that layers keep mean 0 and variance 1.

    Args:
        input: floating-point tensor of shape `S`.
        inplace: write the result to the memory of `input`, and return that.

    Example:
        >>> selu(tensor([-1.0, 2.0]))
        tensor([-1.1113,  2.1014])

    See also: Klambauer et al., *Self-Normalizing Neural Networks* (2017).
    """

def selu_(input: Tensor) -> Tensor:
    """`selu`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def sigmoid(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """`1 / (1 + exp(-input))`, element by element, without overflow.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, between 0 and 1.

    Example:
        >>> sigmoid(tensor([0.0, 2.0]))
        tensor([0.5000, 0.8808])

    See also: https://pytorch.org/docs/stable/generated/torch.sigmoid.html
    """

def sigmoid_(input: Tensor) -> Tensor:
    """`sigmoid`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * sigmoid(input)`, also called swish.

    Args:
        input: floating-point or complex tensor of shape `S`.
        inplace: write the result to the memory of `input`, and return that.

    Example:
        >>> silu(tensor([-1.0, 2.0]))
        tensor([-0.2689,  1.7616])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.silu.html
    """

def smooth_l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', beta: float = 1.0) -> Tensor:
    """The distance, rounded off where it is below `beta`: half the square over `beta`.

    Args:
        input, target: floating-point tensors of one shape `S`; others are broadcast, with a
            warning.
        beta: where the square ends, a number from 0 up.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for another reduction.
        RangeError: if `beta` is negative.

    Example:
        >>> smooth_l1_loss(tensor([1.0, 1.0]), tensor([1.5, 4.0]), reduction="none")
        tensor([0.1250, 2.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.smooth_l1_loss.html
    """

def soft_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """`log(1 + exp(-target·input))`: what a score lacks of being on the right side.

    Args:
        input: scores.
        target: 1 or -1 for each. The shapes broadcast to `S`.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `S` for "none".

    Raises:
        ShapeError: if the shapes do not broadcast.
        GraphError: if the target would want a gradient.
        ArgumentError: for another reduction.

    Example:
        >>> soft_margin_loss(tensor([0.0, 2.0]), tensor([1.0, 1.0]))
        tensor(0.4100)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.soft_margin_loss.html
    """

def tanh(input: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Tensor:
    """The hyperbolic tangent, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, between -1 and 1.

    Example:
        >>> tanh(tensor([0.0, 1.0]))
        tensor([0.0000, 0.7616])

    See also: https://pytorch.org/docs/stable/generated/torch.tanh.html
    """

def tanh_(input: Tensor) -> Tensor:
    """`tanh`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`input` where it is larger than `threshold`, `value` elsewhere.

    Args:
        input: real tensor of shape `S`.
        threshold, value: numbers.
        inplace: write the result to the memory of `input`, and return that.

    Returns:
        Tensor of shape `S` and the same dtype. At `threshold` its subgradient 0 is used.

    Raises:
        DTypeError: for bools.

    Example:
        >>> threshold(tensor([0.2, 0.7]), 0.5, 0.0)
        tensor([0.0000, 0.7000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.threshold.html
    """

def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """`threshold`, in place: what it returns is written to `input`, and that returned.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.
    """

def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-06, swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """How much is missing until something alike is nearer by a margin than something else.

    Args:
        anchor, positive, negative: vectors of shape `(…, D)`: what is compared, what is like it,
            and what is not.
        margin: by how much.
        p: the norm of the distance.
        eps: what is added to each difference: a distance of 0 has no gradient.
        swap: take the distance from `positive` to `negative`, if that is smaller.
        size_average, reduce: what PyTorch had before `reduction`.
        reduction: "mean" or "sum" of all losses, or "none".

    Returns:
        A 0-d tensor; of shape `(…)` for "none".

    Raises:
        ShapeError: if the shapes do not fit.
        ArgumentError: for another reduction, or a margin that is not positive.

    Example:
        >>> triplet_margin_loss(tensor([[0.0]]), tensor([[1.0]]), tensor([[1.5]]))
        tensor(0.5000)

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_loss.html
    """

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "affine_grid",
    "alpha_dropout",
    "alpha_dropout_",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "dropout_",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "feature_alpha_dropout_",
    "fold",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "native_channel_shuffle",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "sigmoid_",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanh_",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]
