"""What networks are made of: normalisation, embeddings of tokens, and attention between them.

Normalised elements have mean 0 and variance 1 over some dims; then they are scaled and shifted by
what is learned. The three fused ops differ in which elements share a mean:

    layer_norm    those of the last dims, so each example for itself
    batch_norm    those of a channel, of all examples
    group_norm    those of a group of channels, of one example
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core import errors
from glassgrad.core.state import Shape
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import in_rows
from glassgrad.values.dtypes import int32, int64

from . import _checks as check
from ._arguments import wrap_dim
from ._checks import c_name, scalar_name
from ._declaring import functional
from ._families import Elementwise, Transposed
from ._rules import batch_all, by_steps, in_front, run, seen, shifted, total
from .activations import Softmax, softmax
from .creation import arange, ones, zeros
from .joining import cat
from .linalg import einsum, linear
from .random import dropout
from .scattering import Embedding
from .selection import where

# Normalisation -----------------------------------------------------------------------------------


def _normalize(
    x: Any, weight: Any, bias: Any, *, view: Shape, dims: Shape, eps: float, channels: Shape
) -> tuple[Any, Any, Any]:
    """The forward of all: the result, and μ and v, which have no gradient."""
    y, mean, variance = _centered(x.reshape(view), dims)
    y *= 1 / np.sqrt(variance + eps)
    z = y.reshape(x.shape) * _facing(weight, channels)
    z += _facing(bias, channels)
    return in_rows(z), mean, variance


class Normalization(Transposed):
    """(x − μ)/√(v + ε) scaled and shifted.

    Backward finds μ and v on the node where x is an array; where it is a Tensor they depend on
    it, and are computed again.
    """

    saves = ("input", "weight", "bias")
    multiple = True
    shown = slice(1)
    keeps_index = True

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.statistics = output[1:]

    @staticmethod
    def backward(ctx, grad, *_):
        x, weight, bias = ctx.saved_tensors
        wants_x, wants_weight, wants_bias = ctx.needs_input_grad
        y, scale = _normalized(ctx, x)
        by_x = by_weight = by_bias = None
        if wants_x:
            by_x = _through(ctx, grad * _facing(weight, ctx.channels), y, scale)
        if wants_weight:
            by_weight = _of_channels(ctx.channels, weight.shape, grad, y.reshape(x.shape))
        if wants_bias:
            by_bias = _of_channels(ctx.channels, bias.shape, by_steps(grad, x))
        return by_x, by_weight, by_bias

    @classmethod
    def vmap(cls, info, in_dims, x, weight, bias, *, view, dims, eps, channels):
        """Scale and shift are applied for themselves: each example may have its own."""
        (x,) = batch_all(info, in_dims[:1], [x])
        places = {"view": (info.batch_size, *view), "dims": shifted(dims)}
        y, mean, variance = cls.apply(x, 1.0, 0.0, eps=eps, channels=(), **places)
        weight, bias = [
            _facing(value, channels) if dim is None else value.reshape(-1, *channels)
            for value, dim in zip((weight, bias), in_dims[1:], strict=True)
        ]
        return y * weight + bias, mean, variance


class NativeLayerNorm(Normalization):
    """y, m, v = w·(x − m)/√(v + eps) + b, mean(x), mean((x − m)²)
    x̄ = (g − mean(g) − z·mean(g·z))/√(v + eps),  w̄ = ȳ·z,  b̄ = ȳ
    g = w·ȳ,  z = (x − m)/√(v + eps)

    The means are those of the last dims.
    """

    forward = staticmethod(_normalize)


class NativeBatchNorm(Normalization):
    """y, m, v = w·(x − m)/√(v + eps) + b, mean(x), mean((x − m)²)
    x̄ = (g − mean(g) − z·mean(g·z))/√(v + eps),  w̄ = ȳ·z,  b̄ = ȳ
    g = w·ȳ,  z = (x − m)/√(v + eps)

    The means are those of a channel, of all examples.
    """

    forward = staticmethod(_normalize)


class NativeGroupNorm(Normalization):
    """y, m, v = w·(x − m)/√(v + eps) + b, mean(x), mean((x − m)²)
    x̄ = (g − mean(g) − z·mean(g·z))/√(v + eps),  w̄ = ȳ·z,  b̄ = ȳ
    g = w·ȳ,  z = (x − m)/√(v + eps)

    The means are those of a group of channels, of one example.
    """

    shown = slice(None)  # its node has three outputs in PyTorch, those of the others one

    forward = staticmethod(_normalize)


class EvaluatedBatchNorm(Elementwise):
    """z = w·(x − m)/√(v + eps) + b
    x̄ = z̄·w/√(v + eps),  w̄ = z̄·(x − m)/√(v + eps),  b̄ = z̄
    w = weight,  m = running_mean,  v = running_var

    m and v were found in training, and have no gradient.
    """

    node = "NativeBatchNormBackward0"
    saves = ("input", "weight", "running_mean", "running_var")
    saved_at = {"running_mean": 3, "running_var": 4}
    differentiates = slice(3)

    @staticmethod
    def forward(x, weight, bias, running_mean, running_var, *, eps):
        return (x - running_mean) * (weight / np.sqrt(running_var + eps)) + bias

    @staticmethod
    def backward(ctx, grad):
        x, weight, mean, variance = ctx.saved_tensors
        wants_x, wants_weight, wants_bias = ctx.needs_input_grad
        scale = 1 / np.sqrt(variance + ctx.eps)
        return (
            grad * (weight * scale) if wants_x else None,
            grad * ((x - mean) * scale) if wants_weight else None,
            by_steps(grad, x) if wants_bias else None,
        )


def _centered(rows: Any, dims: Shape) -> tuple[Any, Any, Any]:
    """The elements less their mean, the mean, and the variance."""
    count = _count(rows, dims)
    mean = _sum_over(dims, rows) / count
    centered = rows - mean
    return centered, mean, _sum_over(dims, centered, centered) / count


def _normalized(ctx: Any, x: Any) -> tuple[Any, Any]:
    """The normalised elements, and what they were multiplied with."""
    rows = x.reshape(ctx.view)
    if isinstance(x, Tensor):  # mean and variance depend on it
        centered, _, variance = _centered(rows, ctx.dims)
    else:
        centered, variance = rows - ctx.statistics[0], ctx.statistics[1]
    scale = 1 / np.sqrt(variance + ctx.eps)
    return centered * scale, scale


def _through(ctx: Any, grad: Any, y: Any, scale: Any) -> Any:
    """What normalising makes of a gradient."""
    dims, g = ctx.dims, grad.reshape(ctx.view)
    count = _count(g, dims)
    mean = _sum_over(dims, g) / count
    along = _sum_over(dims, g, y) / count
    return ((g - mean - y * along) * scale).reshape(grad.shape)


def _count(rows: Any, dims: Shape) -> int:
    """How many elements share a mean."""
    return math.prod([rows.shape[dim] for dim in dims])


def _sum_over(dims: Shape, *factors: Any) -> Any:
    """The sum of products over some dims, which stay with the size 1.

    einsum adds products up as it goes, and does not write them to memory. Over dims that do not lie
    together it would round more often than a sum does: so it leaves those in front to that.
    """
    subscripts, key, before = _plan(dims, factors[0].ndim, len(factors))
    sums = np.einsum(subscripts, *factors)[key]
    return sums.sum(axis=before, keepdims=True) if before else sums


@functools.cache
def _plan(dims: Shape, ndim: int, count: int) -> tuple[str, Any, Shape]:
    """What einsum is told, where its result lacks dims, and over which dims it does not sum."""
    letters = "abcdefghijklmnop"[:ndim]
    last = next((dim + 1 for dim in reversed(range(ndim)) if dim not in dims), 0)
    at_once = dims if last == ndim else tuple(range(last, ndim))
    kept = "".join([letter for dim, letter in enumerate(letters) if dim not in at_once])
    key = tuple([None if dim in at_once else slice(None) for dim in range(ndim)])
    before = tuple([dim for dim in dims if dim not in at_once])
    return f"{','.join([letters] * count)}->{kept}", key, before


def _facing(learned: Any, channels: Shape) -> Any:
    """Scales or shifts as they stand against the elements; a number stands against all."""
    return learned.reshape(channels) if learned.ndim else learned


def _of_channels(channels: Shape, shape: Shape, *factors: Any) -> Any:
    """The sum of products over all elements that share a scale."""
    dims = tuple([dim for dim, n in enumerate(channels) if n == 1])
    return _sum_over(dims, *factors).reshape(shape)


# Norms -------------------------------------------------------------------------------------------


@functional(NativeLayerNorm, aliases=("layer_norm",))
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Each example with mean 0 and variance 1 over its last dims, scaled and shifted.

    Args:
        input: floating-point tensor of shape `(…, *normalized_shape)`.
        normalized_shape: the sizes of the dims that share a mean.
        weight, bias: of that shape; None: 1 and 0.
        eps: added to the variance.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ, or are not floating-point.
        ArgumentTypeError: if `normalized_shape` is no sequence.

    Example:
        >>> layer_norm(tensor([[1.0, 3.0], [5.0, 5.0]]), (2,))
        tensor([[-1.0000,  1.0000],
                [ 0.0000,  0.0000]])

    See also: Ba, Kiros & Hinton, *Layer Normalization* (2016).
    """
    sizes = _last_sizes("layer_norm", input, normalized_shape, weight=weight, bias=bias)
    check.kernel('"LayerNormKernelImpl"', input)
    first = input.ndim - len(sizes)
    return NativeLayerNorm.apply(
        input,
        *_learned(weight, bias),
        view=tuple(input.shape),
        dims=tuple(range(first, input.ndim)),
        eps=eps,
        channels=(1,) * first + sizes,
    )[0]


def _learned(weight: Tensor | None, bias: Tensor | None) -> tuple[Tensor | float, Tensor | float]:
    """The scale and the shift; 1 and 0 change nothing."""
    return 1.0 if weight is None else weight, 0.0 if bias is None else bias


@functional(aliases=("rms_norm",))
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Each example divided by the root of the mean of squares over its last dims.

    Args:
        input: floating-point or complex tensor of shape `(…, *normalized_shape)`.
        normalized_shape: the sizes of the dims that share a mean.
        weight: a scale of that shape; None: 1.
        eps: added to the mean of squares; None: the least step from 1 of the dtype.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: for other dtypes.
        ArgumentTypeError: if `normalized_shape` is no sequence.

    Example:
        >>> rms_norm(tensor([3.0, 4.0]), (2,))
        tensor([0.8485, 1.1314])

    See also: Zhang & Sennrich, *Root Mean Square Layer Normalization* (2019).
    """
    sizes = _last_sizes("rms_norm", input, normalized_shape, weight=weight)
    check.kernel('"rms_norm"', input, "fc")
    dims = tuple(range(input.ndim - len(sizes), input.ndim))
    least = float(np.finfo(input.dtype).eps) if eps is None else eps
    y = input * (input.pow(2).mean(dims, keepdim=True) + least).rsqrt()
    return y if weight is None else y * weight


def _last_sizes(name: str, input: Tensor, given: Any, **learned: Tensor | None) -> Shape:
    """The sizes of the last dims, which scales and shifts have, too."""
    said = f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints"
    check.kind(said, given, (tuple, list), "It is the end of a shape. Write `(n,)`.")
    sizes = tuple(given)
    if not sizes:
        raise errors.ShapeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            "element, but got normalized_shape = []. A single number has no deviation. Write the "
            "size of the last dim."
        )
    for key, value in learned.items():
        said = f"Expected {key} to be of same shape as normalized_shape, but got {key} of shape "
        if value is not None:
            said += "{} and normalized_shape = {}"
            check.equal(said, value.shape, sizes, "Each place has its own.")
    if tuple(input.shape[-len(sizes) :]) != sizes:
        raise errors.ShapeError(
            f"Given normalized_shape={list(sizes)}, expected input with shape "
            f"[*, {', '.join(map(str, sizes))}], but got input of size{list(input.shape)}. Those "
            "dims share a mean. Write the last sizes of the input."
        )
    return sizes


@functional(NativeGroupNorm, aliases=("group_norm",))
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Groups of channels of each example with mean 0 and variance 1, scaled and shifted.

    Args:
        input: floating-point tensor of shape `(N, C, …)`.
        num_groups: how many groups the channels are parted into.
        weight, bias: of shape `(C,)`; None: 1 and 0.
        eps: added to the variance.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ, or are not floating-point.
        RangeError: if `num_groups` is not positive.

    Example:
        >>> group_norm(tensor([[1.0, 3.0, 5.0, 5.0]]), 2)
        tensor([[-1.0000,  1.0000,  0.0000,  0.0000]])

    See also: Wu & He, *Group Normalization* (2018).
    """
    said = "Expected at least 2 dimensions for input tensor but received {ndim}"
    check.ndim(said, input, 2, "Channels lie along dim 1. Write `x.unsqueeze(0)`.")
    said = "Expected num groups to be greater than 0, got {}. Channels are parted into so many"
    check.least(said, num_groups, 1, "Write a positive number.", errors.RangeError)
    channels = input.shape[1]
    if channels % num_groups:
        raise errors.ShapeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {list(input.shape)} and num_groups={num_groups}. Groups have one size. Write a "
            f"divisor of {channels}."
        )
    if input.shape[0] * math.prod(input.shape[1:]) == num_groups:
        raise errors.ArgumentError(
            f"Expected more than 1 value per channel when training, got input size "
            f"{list(input.shape)} and num_groups={num_groups}. One number has no deviation. Write "
            "fewer groups."
        )
    for key, value in (("weight", weight), ("bias", bias)):
        if value is not None and value.shape != (channels,):
            raise errors.ShapeError(
                f"Expected {key} to be a vector of size equal to the number of channels in input, "
                f"but got {key} of shape {list(value.shape)} and input of shape "
                f"{list(input.shape)}. Each channel has its own. Give as many."
            )
    check.kernel('"GroupNormKernelImpl"', input)
    size = math.prod(input.shape[1:]) // num_groups
    return NativeGroupNorm.apply(
        input,
        *_learned(weight, bias),
        view=(input.shape[0], num_groups, size),
        dims=(2,),
        eps=eps,
        channels=_of_dim_1(input),
    )[0]


def _of_dim_1(x: Tensor) -> Shape:
    """The shape in which something of each channel stands against the elements of `x`."""
    return (1, x.shape[1], *(1,) * (x.ndim - 2))


@functional(NativeBatchNorm)
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel with mean 0 and variance 1 over the batch, scaled and shifted.

    Args:
        input: floating-point tensor of shape `(N, C, …)`.
        running_mean, running_var: of shape `(C,)`: what a channel is normalised by outside of
            training. In training they are moved towards the batch's.
        weight, bias: of shape `(C,)`; None: 1 and 0.
        training: whether the batch's own mean and variance are taken.
        momentum: how far the running ones are moved.
        eps: added to the variance.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        ShapeError: if the shapes do not fit, or the running ones are missing outside of training.
        DTypeError: if the dtypes differ, or are not floating-point.
        ArgumentError: if a channel has one element in training; for an `eps` below 0.

    Example:
        >>> batch_norm(tensor([[1.0, 5.0], [3.0, 5.0]]), None, None, training=True)
        tensor([[-1.0000,  0.0000],
                [ 1.0000,  0.0000]])

    See also: Ioffe & Szegedy, *Batch Normalization* (2015).
    """
    if training and input.ndim and math.prod((input.shape[0], *input.shape[2:])) == 1:
        raise errors.ArgumentError(
            f"Expected more than 1 value per channel when training, got input size "
            f"{tuple(input.shape)}. One number has no deviation. Write `module.eval()`, or give "
            "more examples."
        )
    if eps < 0 or (training and not eps):
        bound = "positive during training" if training else "non-negative"
        raise errors.ArgumentError(
            f"batch_norm eps must be {bound}, but got {eps}. A variance may be 0, and the input is "
            "divided by its root. Write 1e-5."
        )
    if not input.numel():
        y = input.clone() if weight is None else input * weight[0]
        return y if bias is None else y + bias[0]
    wrap_dim(1, input.ndim)
    each_has = {"running_mean": running_mean, "running_var": running_var}
    for key, value in {**each_has, "weight": weight, "bias": bias}.items():
        if value is not None:
            said = f"{key} should contain {{1}} elements not {{0}}"
            why = "Each channel of dim 1 has its own. Give as many."
            check.equal(said, value.numel(), input.shape[1], why)
    if not training and (running_mean is None or running_var is None):
        missing = "running_mean" if running_mean is None else "running_var"
        raise errors.ShapeError(
            f"{missing} must be defined in evaluation mode. Channels are normalised by what was "
            "seen in training. Give both, or training=True."
        )
    check.kernel('"batch_norm"', input)
    facing = _of_dim_1(input)
    if not training:
        operands: Any = (*_learned(weight, bias), running_mean, running_var)
        each = [x.reshape(facing) if isinstance(x, Tensor) else x for x in operands]
        return EvaluatedBatchNorm.apply(input, *each, eps=eps)
    y, mean, variance = NativeBatchNorm.apply(
        input,
        *_learned(weight, bias),
        view=tuple(input.shape),
        dims=(0, *range(2, input.ndim)),
        eps=eps,
        channels=facing,
    )
    count = input.numel() // input.shape[1]
    if running_mean is not None:
        _move(running_mean, mean.detach(), momentum)
    if running_var is not None:
        _move(running_var, variance.detach(), momentum, count / (count - 1))
    return y


def _move(running: Tensor, found: Tensor, momentum: float, scale: float = 1.0) -> None:
    """Move a running statistic towards what a batch has, times `scale`."""
    running.mul_(1 - momentum).add_(found.reshape(running.shape), alpha=momentum * scale)


@functional()
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel of each example with mean 0 and variance 1, scaled and shifted.

    Args:
        input: floating-point tensor of shape `(N, C, …)`.
        running_mean, running_var, weight, bias, momentum, eps: as for `batch_norm`.
        use_input_stats: whether the example's own mean and variance are taken.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        ShapeError: if the shapes do not fit, or the running ones are missing and needed.
        DTypeError: if the dtypes differ, or are not floating-point.
        ArgumentError: if a channel of an example has one element, and its own mean is taken.

    Example:
        >>> instance_norm(tensor([[[1.0, 3.0], [5.0, 5.0]]]))
        tensor([[[-1.0000,  1.0000],
                 [ 0.0000,  0.0000]]])

    See also: Ulyanov, Vedaldi & Lempitsky, *Instance Normalization* (2016).
    """
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise errors.ArgumentError(
            f"Expected more than 1 spatial element when training, got input size "
            f"{tuple(input.shape)}. One number has no deviation. Give larger examples."
        )
    if not use_input_stats and (running_mean is None or running_var is None):
        raise errors.ShapeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false. "
            "Channels are normalised by them. Give both."
        )
    examples, channels = input.shape[:2]

    def for_each(value: Tensor | None) -> Tensor | None:
        return None if value is None else value.repeat(examples)

    means, variances = for_each(running_mean), for_each(running_var)
    y = batch_norm(
        input.reshape(1, examples * channels, *input.shape[2:]),
        means,
        variances,
        for_each(weight),
        for_each(bias),
        use_input_stats,
        momentum,
        eps,
    )
    for running, moved in ((running_mean, means), (running_var, variances)):
        if running is not None and moved is not None and use_input_stats:
            running.copy_(moved.reshape(examples, channels).mean(0))
    return y.reshape(input.shape)


@functional()
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Each element divided by a power of the mean of squares over neighbouring channels.

    Args:
        input: floating-point tensor of shape `(N, C, …)` with at least 3 dims.
        size: how many channels.
        alpha, beta, k: it is divided by `(k + alpha·mean) ** beta`.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        ArgumentError: for fewer dims.

    Example:
        >>> local_response_norm(tensor([[[3.0], [4.0]]]), 2, alpha=2.0, beta=0.5)
        tensor([[[0.9487],
                 [0.7845]]])

    See also: Krizhevsky, Sutskever & Hinton, *ImageNet Classification* (2012).
    """
    said = "Expected 3D or higher dimensionality input (got {ndim} dimensions)"
    why = "Channels lie along dim 1, places behind it. Write `x.unsqueeze(-1)`."
    check.ndim(said, input, 3, why, errors.ArgumentError)
    examples, _, *places = input.shape
    before, behind = [
        zeros(examples, n, *places, dtype=input.dtype, device=input.device)
        for n in (size // 2, (size - 1) // 2)
    ]
    squares = cat([before, input * input, behind], 1)
    return input / (squares.unfold(1, size, 1).mean(-1) * alpha + k) ** beta


# Tokens ------------------------------------------------------------------------------------------


@functional()
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A row for each index, with a 1 there and zeros elsewhere.

    Args:
        tensor: int64 indices of shape `S`.
        num_classes: the length of a row; -1: one more than the largest index.

    Returns:
        int64 tensor of shape `(*S, num_classes)`.

    Raises:
        DTypeError: for other dtypes.
        RangeError: if an index is negative, or not below `num_classes`.

    Example:
        >>> one_hot(tensor([2, 0]))
        tensor([[0, 0, 1],
                [1, 0, 0]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.one_hot.html
    """
    said = "one_hot is only applicable to index tensor of type LongTensor, got {name}"
    check.dtype(said, tensor, ("int64",), "An index is a place. Write `x.long()`.")
    values = seen(tensor)
    if values is None and num_classes < 0:
        raise errors.RangeError(
            "one_hot: the number of classes of a batch depends on numbers that nobody can look at "
            "inside of vmap. Write `num_classes=`."
        )
    if values is not None and not values.size and num_classes < 1:
        raise errors.RangeError(
            "Can not infer total number of classes from empty tensor. There is no largest index. "
            "Write `num_classes=`."
        )
    if values is not None and values.size:
        if values.min() < 0:
            raise errors.RangeError(
                "Class values must be non-negative. They count places from 0. Mask what is no "
                "class first."
            )
        num_classes = int(values.max()) + 1 if num_classes < 0 else num_classes
        if values.max() >= num_classes:
            raise errors.RangeError(
                f"Class values must be smaller than num_classes, got {int(values.max())} of "
                f"{num_classes}. A row has so many places. Write a larger number."
            )
    return (tensor.unsqueeze(-1) == arange(num_classes, device=tensor.device)).long()


@functional()
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,  # noqa: ARG001  # gradients are dense here
) -> Tensor:
    """The rows of a table, by their indices.

    Args:
        input: int64 or int32 indices of shape `S`.
        weight: the table, shape `(V, D)`.
        padding_idx: a row that gets no gradient.
        max_norm: rows that are longer are first shortened to this, in the table itself.
        norm_type: by which norm.
        scale_grad_by_freq: divide gradients by how often their row is named.
        sparse: has no effect.

    Returns:
        Tensor of shape `(*S, D)`.

    Raises:
        ShapeError: if `weight` is not 2-D.
        DTypeError: if `input` has no indices.
        DimError: if there is no such row.
        ExpectationError: if there is no row `padding_idx`.

    Example:
        >>> embedding(tensor([1, 1, 0]), tensor([[0.0, 1.0], [2.0, 3.0]]))
        tensor([[2., 3.],
                [2., 3.],
                [0., 1.]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html
    """
    why = "It is a table with a row for each index. Write `weight.reshape(-1, size)`."
    check.ndim("'weight' must be 2-D, got the shape {shape}", weight, (2,), why)
    count = weight.shape[0]
    if input.payload.dtype not in (int64, int32):
        raise errors.DTypeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got {scalar_name(input.dtype)} instead. They name rows. Write "
            "`x.long()`."
        )
    if padding_idx is not None:
        said = f"Padding_idx must be within num_embeddings, got {{}} of {count}"
        why = "It names a row. Write None for none."
        check.within(said, padding_idx, -count, count - 1, why, errors.ExpectationError)
    values = seen(input)
    if values is not None and values.size and not 0 <= values.min() <= values.max() < count:
        raise errors.DimError(
            f"index out of range in self: from {values.min()} to {values.max()}, of {count} rows. "
            "Write indices from 0 up that are below that."
        )
    if max_norm is not None:
        _shorten(weight.detach(), input.reshape(-1), max_norm, norm_type)
    rows = Embedding.apply(weight, input, dim=0)
    if scale_grad_by_freq:
        share = (1 / _how_often(input.reshape(-1), count, rows))[input].unsqueeze(-1)
        rows = rows * share + (rows * (1 - share)).detach()
    if padding_idx is not None:
        rows = where((input == padding_idx % count).unsqueeze(-1), rows.detach(), rows)
    return rows


@functional()
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The rows of a table, by their indices, and of each bag of rows the sum, mean or maximum.

    Args:
        input: int64 or int32 indices, of shape `(B, n)` for B bags of one size, or `(N,)`.
        weight: the table, shape `(V, D)`.
        offsets: for indices of shape `(N,)`, where each bag begins, shape `(B,)`.
        max_norm, norm_type, scale_grad_by_freq, sparse: as for `embedding`.
        mode: "sum", "mean" or "max".
        per_sample_weights: in a sum, what each row is multiplied by; of the shape of `input`.
        include_last_offset: whether `offsets` has one entry more, the end of the last bag.
        padding_idx: a row that no bag counts.

    Returns:
        Tensor of shape `(B, D)`; zeros for an empty bag.

    Raises:
        ArgumentError: for another mode, shapes of `input`, `offsets` or `per_sample_weights` that
            do not go together, or a maximum whose gradient is to be scaled.
        MissingRuleError: if rows are weighted, but not summed.
        DTypeError, ExpectationError: as for `embedding`; ShapeError: also for a row it has not.

    Example:
        >>> table = tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
        >>> embedding_bag(tensor([0, 1, 2]), table, tensor([0, 2]), mode="sum")
        tensor([[2., 4.],
                [4., 5.]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding_bag.html
    """
    said = "mode has to be one of sum, mean or max, got {!r}. It says what becomes of a bag"
    check.choice(said, mode, ("sum", "mean", "max"), 'Write `mode="sum"`.', errors.ArgumentError)
    if mode == "max" and (scale_grad_by_freq or sparse):
        what = "scaling the gradient by the frequency" if scale_grad_by_freq else "sparse weights"
        raise errors.ArgumentError(
            f"max mode does not support {what}. Its gradient goes to one row of a bag. Write "
            '`mode="sum"`, or leave the option out.'
        )
    if per_sample_weights is not None:
        _check_weights_of_bags(input, per_sample_weights, mode)
    bags, bag = _bags(input, offsets, include_last_offset)
    try:
        rows = embedding(input.reshape(-1), weight, None, max_norm, norm_type, scale_grad_by_freq)
    except errors.DimError:  # of a bag PyTorch says which index it is
        values, count = seen(input).ravel(), weight.shape[0]
        index = np.flatnonzero((values < 0) | (values >= count))[0]
        raise errors.ShapeError(
            f"Index {index} of input takes value {values[index]} which is not in the valid range "
            f"[0, {count}). It names a row of the weight. Write one of them."
        )
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    if padding_idx is not None:
        counted = input.reshape(-1) != padding_idx % weight.shape[0]
        rows, bag = rows[counted], bag[counted]
    empty = zeros(bags, weight.shape[1], dtype=rows.dtype, device=rows.device)
    if mode == "max":
        places = bag.unsqueeze(-1).expand(rows.shape)
        return empty.scatter_reduce(0, places, rows, "amax", include_self=False)
    result = empty.index_add(0, bag, rows)
    if mode == "sum":
        return result
    return result / _how_often(bag, bags, rows).clamp(min=1).unsqueeze(-1)


def _how_often(index: Tensor, count: int, like: Tensor) -> Tensor:
    """How often each number below `count` is there, in the dtype of `like`."""
    form = {"dtype": like.dtype, "device": like.device}
    return zeros(count, **form).index_add(0, index, ones(len(index), **form))


def _check_weights_of_bags(input: Tensor, weights: Tensor, mode: str) -> None:
    if weights.shape != input.shape:
        raise errors.ArgumentError(
            f"embedding_bag: If per_sample_weights ({tuple(weights.shape)}) is not None, then it "
            f"must have the same shape as the input ({tuple(input.shape)}). Each index has a "
            "weight. Write one for each."
        )
    if mode != "sum":
        raise errors.MissingRuleError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Write `mode='sum'`."
        )


def _bags(input: Tensor, offsets: Tensor | None, include_last_offset: bool) -> tuple[int, Tensor]:
    """How many bags there are, and for each index the number of its bag."""
    if input.ndim == 2:
        if offsets is not None:
            raise errors.ArgumentError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {type(offsets)}. "
                "Write `input.reshape(-1)` with offsets."
            )
        count, size = input.shape
        return count, arange(count, device=input.device).unsqueeze(-1).expand(count, size).ravel()
    said = "input has to be 1D or 2D Tensor, but got Tensor of dimension {ndim}"
    why = "A row of indices is a bag. Write `input.reshape(-1, size)`."
    check.ndim(said, input, (1,), why, errors.ArgumentError)
    if offsets is None or offsets.ndim != 1:
        found = "None" if offsets is None else f"the shape {tuple(offsets.shape)}"
        raise errors.ArgumentError(
            f"offsets has to be a 1D Tensor but got {found}. It says where each bag begins. Write "
            "`offsets=tensor([0])` for a single bag."
        )
    length = len(input)
    begins = seen(offsets)
    if begins is not None and len(begins):
        if begins[0] != 0:
            raise errors.ShapeError(
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start "
                f"from position 0. However, got {begins[0]}."
            )
        if begins[-1] > length:
            raise errors.ShapeError(
                f"offsets[-1] can not be greater than input's length({length}) but got "
                f"offsets[-1] of {begins[-1]}."
            )
    starts = offsets[:-1] if include_last_offset else offsets
    return len(starts), _how_often(starts, length + 1, starts)[:length].cumsum(0) - 1


def _shorten(table: Tensor, index: Tensor, most: float, norm_type: float) -> None:
    """Scale the named rows of a table that are longer than `most`, in place."""
    rows = table.index_select(0, index)
    lengths = rows.abs().pow(norm_type).sum(1, keepdim=True).pow(1 / norm_type)
    table.index_copy_(0, index, where(lengths > most, rows * (most / (lengths + 1e-7)), rows))


@functional(aliases=("bilinear",))
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input1 @ weight[k] @ input2 + bias[k]` for each output k.

    Args:
        input1, input2: of shape `(…, n)` and `(…, m)`.
        weight: of shape `(out, n, m)`.
        bias: of shape `(out,)`, or None.

    Returns:
        Tensor of shape `(…, out)`.

    Raises:
        ShapeError: if the shapes do not fit.

    Example:
        >>> bilinear(tensor([1.0, 2.0]), tensor([3.0]), tensor([[[1.0], [1.0]]]))
        tensor([9.])
    """
    for nr, (x, size) in enumerate(zip((input1, input2), weight.shape[1:], strict=True), start=1):
        said = (
            f"bilinear(): input{nr} size does not match weight size: got {{0}} but expected {{1}}"
        )
        check.equal(said, x.shape[-1], size, "It is that of the last dim. Give one of that size.")
    y = einsum("...n,onm,...m->...o", input1, weight, input2)
    return y if bias is None else y + bias


# Attention ---------------------------------------------------------------------------------------


class ScaledDotProductAttention(Transposed):
    """Z, P = P·V, softmax(s·Q·Kᵀ + A)
    Q̄ = s·G·K,  K̄ = s·Gᵀ·Q,  V̄ = Pᵀ·Z̄,  Ā = G
    G = P·(H − sum(P·H)),  H = Z̄·Vᵀ + P̄,  s = scale,  K = key

    Backward finds P on the node, unless it depends on Tensors: then it is computed again.
    """

    node = "ScaledDotProductFlashAttentionForCpuBackward0"
    saves = ("query", "key", "value", "attn_mask")
    multiple = True
    keeps_index = True

    @staticmethod
    def forward(query, key, value, attn_mask, *, scale):
        p = _shares(query, key, attn_mask, scale)
        return np.matmul(p, value), p

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shares = output[1]

    @staticmethod
    def backward(ctx, grad, by_shares):
        query, key, value, add = ctx.saved_tensors
        wants_query, wants_key, wants_value, wants_add = ctx.needs_input_grad
        p = _again(ctx, query, key, add)
        has_grad = grad is not None
        by_value = np.matmul(_turned(p), grad) if wants_value and has_grad else None
        h = total([np.matmul(grad, _turned(value)) if has_grad else None, by_shares])
        by_score = p * (h - _along_rows(p, h))
        scaled = by_score * ctx.scale
        by_query = np.matmul(scaled, key) if wants_query else None
        by_key = np.matmul(_turned(scaled), query) if wants_key else None
        return by_query, by_key, by_value, by_score if wants_add else None

    @classmethod
    def vmap(cls, info, in_dims, query, key, value, attn_mask, *, scale):
        """All operands get a batch in front, and as many dims behind it."""
        rows = batch_all(info, in_dims[:3], [query, key, value])
        rank = max([x.ndim for x in rows]) - 1
        rank = rank if in_dims[3] is None else max(rank, attn_mask.ndim - 1)
        add = attn_mask if in_dims[3] is None else in_front(attn_mask, rank)
        return cls.apply(*[in_front(x, rank) for x in rows], add, scale=scale)


def _turned(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _along_rows(*factors: Any) -> Any:
    """The sum of products along each row; einsum does not write these to memory."""
    subscripts = ",".join(["...s"] * len(factors))
    return np.einsum(f"{subscripts}->...", *factors)[..., None]


def _shares(query: Any, key: Any, add: Any, scale: float) -> Any:
    """How much each query attends to each key; a query that may see none attends to none."""
    p = np.matmul(query * scale, _turned(key))
    p = p + add if add.ndim else p
    p -= np.maximum.reduce(p, axis=-1, keepdims=True, initial=_LEAST)
    np.exp(p, out=p)
    sums = _along_rows(p)
    p /= np.where(sums == 0, 1, sums)
    return in_rows(p)


_LEAST = float(np.finfo(np.float16).min)
"""Lower than any score that is no minus infinity."""


def _again(ctx: Any, query: Any, key: Any, add: Any) -> Any:
    """The shares; computed again where they depend on tensors."""
    if not any(isinstance(x, Tensor) for x in (query, key, add)):
        return ctx.shares
    scores = np.matmul(query * ctx.scale, _turned(key)) + add
    is_blind = np.max(scores, axis=-1, keepdims=True) == -math.inf
    p = run(Softmax, np.where(is_blind, 0, scores), dim=scores.ndim - 1)
    return np.where(is_blind, 0, p)


@functional(ScaledDotProductAttention)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """`softmax(query @ key.T * scale + attn_mask) @ value`.

    Args:
        query: floating-point tensor of shape `(…, H, L, E)`.
        key, value: of shape `(…, H, S, E)` and `(…, H, S, D)`.
        attn_mask: what is added to the scores, or bools that say which of them count; of a shape
            that broadcasts to `(…, H, L, S)`.
        dropout_p: how likely a share is set to 0.
        is_causal: whether a place sees only itself and places before it.
        scale: None: 1/√E.
        enable_gqa: whether a head of `key` and `value` may serve several of `query`.

    Returns:
        Tensor of shape `(…, H, L, D)`.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ, or are not floating-point.

    Example:
        >>> x = tensor([[0.0, 0.0], [2.0, 4.0]])
        >>> scaled_dot_product_attention(x, x, x, is_causal=True)
        tensor([[0.0000, 0.0000],
                [2.0000, 4.0000]])

    See also: Vaswani et al., *Attention Is All You Need* (2017).
    """
    given = (query, key, value)
    if is_causal and attn_mask is not None:
        raise errors.RangeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True: that is a mask of its own. Give one of them."
        )
    if min([x.ndim for x in given]) < 2:
        raise errors.ShapeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead. They are rows "
            "of places. Write `x.unsqueeze(0)`."
        )
    if not query.dtype == key.dtype == value.dtype:
        raise errors.DTypeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{c_name(query.dtype)} key.dtype: {c_name(key.dtype)} and value.dtype: "
            f"{c_name(value.dtype)} instead. They are multiplied. Write `key.to(query.dtype)`."
        )
    check.kernel("expected scalar type Float, attention is", query)
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise errors.ShapeError(
            f"scaled_dot_product_attention got a query of shape {tuple(query.shape)}, a key of "
            f"{tuple(key.shape)} and a value of {tuple(value.shape)}. Rows of query and key are "
            "multiplied, and each key has its value. Give query and key one last size, key and "
            "value one last but one."
        )
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key, value = _repeated(key, groups), _repeated(value, groups)
    add = _added(attn_mask, is_causal, query, key)
    scale = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else scale
    if dropout_p:
        return _attended(query, key, value, add, dropout_p, scale)[0]
    added = 0.0 if add is None else add
    return ScaledDotProductAttention.apply(query, key, value, added, scale=scale)[0]


def _attended(q: Any, k: Any, v: Any, add: Any, p: float, scale: float) -> tuple[Tensor, Tensor]:
    """The result and the shares, of which some are dropped, by ops of their own."""
    shares = dropout(softmax(total([q * scale @ k.mT, add]), -1), p)
    return shares @ v, shares


def _repeated(x: Tensor, groups: int) -> Tensor:
    """Each head `groups` times, one behind the other."""
    return x.unsqueeze(-3).expand(*x.shape[:-2], groups, *x.shape[-2:]).flatten(-4, -3)


def _added(mask: Tensor | None, is_causal: bool, query: Tensor, key: Tensor) -> Tensor | None:
    """What is added to the scores: 0 where they count, minus infinity where they do not."""
    sizes = (query.shape[-2], key.shape[-2])
    if mask is not None and mask.dtype.kind not in "bf":
        raise errors.DTypeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {c_name(mask.dtype)} and  query.dtype: {c_name(query.dtype)} "
            "instead. Bools say which scores count. Write `mask.bool()`."
        )
    if mask is not None and mask.dtype.kind == "b":
        mask = ~mask
    is_later = ones(*sizes, dtype=bool, device=query.device).triu(1) if is_causal else None
    return total([_as_scores(mask, query), _as_scores(is_later, query)])


@functional()
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,  # noqa: ARG001  # whether `in_proj_weight` is None
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention of several heads, between projections of its inputs; see `nn.MultiheadAttention`.

    Args:
        query: of shape `(L, N, E)`, or `(L, E)`.
        key, value: of shape `(S, N, Eₖ)` and `(S, N, Eᵥ)`, or without N.
        embed_dim_to_check: E.
        num_heads: how many heads share E.
        in_proj_weight, in_proj_bias: of the three projections, one below the other.
        bias_k, bias_v: a key and a value that all see, of shape `(1, 1, E)`.
        add_zero_attn: add a key and a value of zeros.
        dropout_p: how likely a share is set to 0 in training.
        out_proj_weight, out_proj_bias: of the last projection.
        training: whether shares are dropped.
        key_padding_mask: which keys do not count, or what is added to their scores: `(N, S)`.
        need_weights: whether the shares are returned, too.
        attn_mask: which scores do not count, or what is added to them: `(L, S)` or
            `(N·num_heads, L, S)`.
        use_separate_proj_weight: whether `in_proj_weight` is None.
        q_proj_weight, k_proj_weight, v_proj_weight: instead of `in_proj_weight`.
        static_k, static_v: heads of keys and values, instead of projections.
        average_attn_weights: return the mean of all heads' shares.
        is_causal: says that `attn_mask` is causal.

    Returns:
        The result, in the shape of `query`; the shares, of shape `(N, L, S)`, or None.

    Raises:
        ExpectationError: if the sizes do not fit.
        RangeError: for `is_causal` without a mask.

    See also: Vaswani et al., *Attention Is All You Need* (2017).
    """
    said = "query should be unbatched 2D or batched 3D tensor but received {ndim}-D query tensor"
    why = "Its dims are places, examples and features. Write `x.flatten(2)`."
    check.ndim(said, query, (2, 3), why, errors.ExpectationError)
    if key.shape[:-1] != value.shape[:-1]:
        raise errors.ExpectationError(
            f"key shape {tuple(key.shape)} does not match value shape {tuple(value.shape)}: each "
            "key has its value. Give as many of both."
        )
    is_batched, is_own = query.ndim == 3, query is key and key is value
    if not is_batched:
        query, key, value = [x.unsqueeze(1) for x in (query, key, value)]
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    places, examples, size = query.shape
    if size != embed_dim_to_check:
        raise errors.ExpectationError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}. The "
            "projections have that many columns. Give an input of that size."
        )
    if size % num_heads:
        raise errors.ExpectationError(
            f"embed_dim {size} not divisible by num_heads {num_heads}. Heads share it evenly. "
            "Write a multiple."
        )
    if is_causal and attn_mask is None:
        raise errors.RangeError(
            "Need attn_mask if specifying the is_causal hint. It says what the mask is. Write "
            "`nn.Transformer.generate_square_subsequent_mask(n)`."
        )

    def heads(x: Tensor, count: int = num_heads) -> Tensor:
        return x.reshape(x.shape[0], examples, count, -1).permute(1, 2, 0, 3)

    if is_own and in_proj_weight is not None:
        q, k, v = heads(linear(query, in_proj_weight, in_proj_bias), 3 * num_heads).chunk(3, 1)
    else:
        separate: Any = (q_proj_weight, k_proj_weight, v_proj_weight)
        weights = separate if in_proj_weight is None else in_proj_weight.chunk(3)
        biases: Any = (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
        given = zip((query, key, value), weights, biases, strict=True)
        q, k, v = [heads(linear(x, weight, bias)) for x, weight, bias in given]
    mask = _as_scores(attn_mask, query)
    padding = _as_scores(key_padding_mask, query)
    if bias_k is not None and bias_v is not None:
        k = cat([k, heads(bias_k.expand(1, examples, size))], 2)
        v = cat([v, heads(bias_v.expand(1, examples, size))], 2)
        mask, padding = _one_more(mask), _one_more(padding)
    if static_k is not None:
        k = static_k.reshape(examples, num_heads, *static_k.shape[1:])
    if static_v is not None:
        v = static_v.reshape(examples, num_heads, *static_v.shape[1:])
    if add_zero_attn:
        k, v = [cat([x, x[..., :1, :].detach() * 0], 2) for x in (k, v)]
        mask, padding = _one_more(mask), _one_more(padding)
    wanted = places, k.shape[2]
    if mask is not None and any(
        n not in (1, m) for n, m in zip(mask.shape[-2:], wanted, strict=False)
    ):
        raise errors.ShapeError(
            f"The shape of the {mask.ndim}D attn_mask is {tuple(mask.shape)}, but should be "
            f"{wanted}. It says of each place which others count. Write a mask of those sizes."
        )
    if mask is not None and mask.ndim == 3:
        mask = mask.reshape(examples, num_heads, places, -1)
    mask = total([mask, None if padding is None else padding.reshape(examples, 1, 1, -1)])
    p = dropout_p if training else 0.0
    shares = None
    if need_weights:
        y, shares = _attended(q, k, v, mask, p, 1 / math.sqrt(q.shape[-1]))
        shares = shares.mean(1) if average_attn_weights else shares
    else:
        y = scaled_dot_product_attention(q, k, v, mask, p)
    y = linear(
        y.permute(2, 0, 1, 3).reshape(places, examples, size), out_proj_weight, out_proj_bias
    )
    if is_batched:
        return y, shares
    return y.squeeze(1), None if shares is None else shares.squeeze(0)


def _as_scores(mask: Tensor | None, like: Tensor) -> Tensor | None:
    """A mask whose bools say what does not count, as what is added to scores."""
    if mask is None or mask.dtype.kind != "b":
        return mask
    return zeros(mask.shape, dtype=like.dtype, device=like.device).masked_fill(mask, -math.inf)


def _one_more(mask: Tensor | None) -> Tensor | None:
    """A mask for one more key, which counts."""
    return None if mask is None else cat([mask, mask[..., :1].detach() * 0], -1)
