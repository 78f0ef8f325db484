"""Normalisation: mean 0 and variance 1 over some dims, then a scale and a shift that are learned.

The three fused ops differ in which elements share a mean:

    layer_norm    those of the last dims, so each example for itself
    batch_norm    those of a channel, of all examples
    group_norm    those of a group of channels, of one example
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, RangeError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import Shape
from glassgrad.core.tensor import Tensor

from ._arguments import check_kind, wrap_dim
from ._declaring import functional
from ._families import batch_all, by_steps, shifted, total
from .creation import zeros
from .joining import cat


def _normalize(
    x: Any, weight: Any, bias: Any, *, view: Shape, dims: Shape, eps: float, channels: Shape
) -> tuple[Any, Any, Any]:
    """The forward of all: the result, μ and v."""
    centered, mean, variance = _centered(x.reshape(view), dims)
    y = (centered * (1 / np.sqrt(variance + eps))).reshape(x.shape)
    return _facing(weight, channels) * y + _facing(bias, channels), mean, variance


class Normalization(Primitive):
    """(x − μ)/√(v + ε) scaled and shifted: a result beside which μ and v are results, too.

    Backward finds these two on the node where x is an array; where it is a Tensor they depend on
    it, and are computed again.
    """

    saves = ("input", "weight", "bias")
    multiple = True
    keeps_index = True

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.statistics = output[1:]

    @staticmethod
    def backward(ctx, grad, by_mean, by_variance):
        x, weight, bias = ctx.saved_tensors
        wants_x, wants_weight, wants_bias = ctx.needs_input_grad
        y, scale = _normalized(ctx, x)
        by_x = by_weight = by_bias = None
        if wants_x:
            by_y = None if grad is None else grad * _facing(weight, ctx.channels)
            through = None if by_y is None else _through(ctx, by_y, y, scale)
            by_x = total([through, _beside(ctx, x, y, scale, by_mean, by_variance)])
        if wants_weight and grad is not None:
            by_weight = _of_channels(ctx.channels, weight.shape, grad, y.reshape(x.shape))
        if wants_bias and grad is not None:
            by_bias = _of_channels(ctx.channels, bias.shape, by_steps(grad, x))
        return by_x, by_weight, by_bias

    @staticmethod
    def jvp(ctx, dx, dw, db):
        x, weight, _ = ctx.saved_tensors
        y, scale = _normalized(ctx, x)
        parts = [None if db is None else _facing(db, ctx.channels)]
        if dw is not None:
            parts.append(y.reshape(x.shape) * _facing(dw, ctx.channels))
        if dx is None:
            return total(parts) + np.zeros_like(x), None, None
        parts.append(_through(ctx, dx, y, scale) * _facing(weight, ctx.channels))
        moved, count = dx.reshape(ctx.view), _count(y, ctx.dims)
        by_variance = _sum_over(ctx.dims, moved, y / scale) * (2 / count)
        return total(parts), _sum_over(ctx.dims, moved) / count, by_variance

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
    x̄ = (g − mean(g) − z·mean(g·z))/√(v + eps) + mean(m̄ + 2·v̄·(x − m)),  w̄ = ȳ·z,  b̄ = ȳ
    g = w·ȳ,  z = (x − m)/√(v + eps)

    The means are those of the last dims.
    """

    forward = staticmethod(_normalize)


class NativeBatchNorm(Normalization):
    """y, m, v = w·(x − m)/√(v + eps) + b, mean(x), mean((x − m)²)
    x̄ = (g − mean(g) − z·mean(g·z))/√(v + eps) + mean(m̄ + 2·v̄·(x − m)),  w̄ = ȳ·z,  b̄ = ȳ
    g = w·ȳ,  z = (x − m)/√(v + eps)

    The means are those of a channel, of all examples.
    """

    forward = staticmethod(_normalize)


class NativeGroupNorm(Normalization):
    """y, m, v = w·(x − m)/√(v + eps) + b, mean(x), mean((x − m)²)
    x̄ = (g − mean(g) − z·mean(g·z))/√(v + eps) + mean(m̄ + 2·v̄·(x − m)),  w̄ = ȳ·z,  b̄ = ȳ
    g = w·ȳ,  z = (x − m)/√(v + eps)

    The means are those of a group of channels, of one example.
    """

    forward = staticmethod(_normalize)


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
    """What normalising makes of a gradient; of a tangent the same, its Jacobian is symmetric."""
    dims, g = ctx.dims, grad.reshape(ctx.view)
    count = _count(g, dims)
    mean = _sum_over(dims, g) / count
    along = _sum_over(dims, g, y) / count
    return ((g - mean - y * along) * scale).reshape(grad.shape)


def _beside(ctx: Any, x: Any, y: Any, scale: Any, by_mean: Any, by_variance: Any) -> Any:
    """What the gradients of mean and variance make of the elements; None if there are none."""
    parts = [None if by_mean is None else by_mean + np.zeros_like(y)]
    parts.append(None if by_variance is None else by_variance * (y / scale) * 2)
    found = total(parts)
    return None if found is None else (found / _count(y, ctx.dims)).reshape(x.shape)


def _count(rows: Any, dims: Shape) -> int:
    """How many elements share a mean."""
    return math.prod([rows.shape[dim] for dim in dims])


def _sum_over(dims: Shape, *factors: Any) -> Any:
    """The sum of products over some dims, which stay with the size 1.

    einsum adds products up as it goes, and does not write them to memory. Over dims that do not lie
    together it would round more often than a sum does: so it leaves those in front to that.
    """
    subscripts, at_once, before = _plan(dims, factors[0].ndim, len(factors))
    sums = np.einsum(subscripts, *factors)
    sums = sums.reshape([1 if dim in at_once else n for dim, n in enumerate(factors[0].shape)])
    return sums.sum(axis=before, keepdims=True) if before else sums


@functools.cache
def _plan(dims: Shape, ndim: int, count: int) -> tuple[str, Shape, Shape]:
    """What einsum is told, over which of the dims it sums, and over which it does not."""
    letters = "abcdefghijklmnop"[:ndim]
    last = next((dim + 1 for dim in reversed(range(ndim)) if dim not in dims), 0)
    at_once = dims if last == ndim else tuple(range(last, ndim))
    kept = "".join([letter for dim, letter in enumerate(letters) if dim not in at_once])
    before = tuple([dim for dim in dims if dim not in at_once])
    return f"{','.join([letters] * count)}->{kept}", at_once, before


def _facing(learned: Any, channels: Shape) -> Any:
    """Scales or shifts as they stand against the elements; a number stands against all."""
    return learned.reshape(channels) if learned.ndim else learned


def _of_channels(channels: Shape, shape: Shape, *factors: Any) -> Any:
    """The sum of products over all elements that share a scale."""
    dims = tuple([dim for dim, n in enumerate(channels) if n == 1])
    return _sum_over(dims, *factors).reshape(shape)


# Functions ---------------------------------------------------------------------------------------


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
    why = "Shares of a deviation are fractions. Write `x.float()`."
    check_kind('"LayerNormKernelImpl"', input, "f", why)
    first = input.ndim - len(sizes)
    return NativeLayerNorm.apply(
        input,
        1.0 if weight is None else weight,
        0.0 if bias is None else bias,
        view=tuple(input.shape),
        dims=tuple(range(first, input.ndim)),
        eps=eps,
        channels=(1,) * first + sizes,
    )[0]


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
    check_kind('"rms_norm"', input, "fc", "Quotients are fractions. Write `x.float()`.")
    dims = tuple(range(input.ndim - len(sizes), input.ndim))
    least = float(np.finfo(input.dtype).eps) if eps is None else eps
    y = input * (input.pow(2).mean(dims, keepdim=True) + least).rsqrt()
    return y if weight is None else y * weight


def _last_sizes(name: str, input: Tensor, given: Any, **learned: Tensor | None) -> Shape:
    """The sizes of the last dims, which scales and shifts have, too."""
    if not isinstance(given, (tuple, list)):
        raise ArgumentTypeError(
            f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not "
            f"{type(given).__name__}. It is the end of a shape. Write `(n,)`."
        )
    sizes = tuple(given)
    if not sizes:
        raise ShapeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            "element, but got normalized_shape = []. A single number has no deviation. Write the "
            "size of the last dim."
        )
    for key, value in learned.items():
        if value is not None and value.shape != sizes:
            raise ShapeError(
                f"Expected {key} to be of same shape as normalized_shape, but got {key} of shape "
                f"{list(value.shape)} and normalized_shape = {list(sizes)}. Each place has its "
                f"own. Write `{key}.reshape(normalized_shape)`."
            )
    if tuple(input.shape[-len(sizes) :]) != sizes:
        raise ShapeError(
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
    if input.ndim < 2:
        raise ShapeError(
            f"Expected at least 2 dimensions for input tensor but received {input.ndim}. Channels "
            "lie along dim 1. Write `x.unsqueeze(0)`."
        )
    if num_groups <= 0:
        raise RangeError(
            f"Expected num groups to be greater than 0, got {num_groups}. Channels are parted into "
            "so many. Write a positive number."
        )
    channels = input.shape[1]
    if channels % num_groups:
        raise ShapeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {list(input.shape)} and num_groups={num_groups}. Groups have one size. Write a "
            f"divisor of {channels}."
        )
    for key, value in (("weight", weight), ("bias", bias)):
        if value is not None and value.shape != (channels,):
            raise ShapeError(
                f"Expected {key} to be a vector of size equal to the number of channels in input, "
                f"but got {key} of shape {list(value.shape)} and input of shape "
                f"{list(input.shape)}. Each channel has its own. Give as many."
            )
    why = "Shares of a deviation are fractions. Write `x.float()`."
    check_kind('"GroupNormKernelImpl"', input, "f", why)
    size = math.prod(input.shape[1:]) // num_groups
    return NativeGroupNorm.apply(
        input,
        1.0 if weight is None else weight,
        0.0 if bias is None else bias,
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
        raise ArgumentError(
            f"Expected more than 1 value per channel when training, got input size "
            f"{tuple(input.shape)}. One number has no deviation. Write `module.eval()`, or give "
            "more examples."
        )
    if eps < 0 or (training and not eps):
        bound = "positive during training" if training else "non-negative"
        raise ArgumentError(
            f"batch_norm eps must be {bound}, but got {eps}. A variance may be 0, and the input is "
            "divided by its root. Write 1e-5."
        )
    if not input.numel():
        y = input.clone() if weight is None else input * weight[0]
        return y if bias is None else y + bias[0]
    wrap_dim(1, input.ndim)
    names = {"weight": weight, "bias": bias}
    _check_channels(input, {"running_mean": running_mean, "running_var": running_var, **names})
    if not training and (running_mean is None or running_var is None):
        missing = "running_mean" if running_mean is None else "running_var"
        raise ShapeError(
            f"{missing} must be defined in evaluation mode. Channels are normalised by what was "
            "seen in training. Give both, or training=True."
        )
    why = "Shares of a deviation are fractions. Write `x.float()`."
    check_kind('"batch_norm"', input, "f", why)
    facing = _of_dim_1(input)
    if not training:
        assert running_mean is not None
        assert running_var is not None
        centered = input - running_mean.reshape(facing)
        y = centered * (running_var + eps).rsqrt().reshape(facing)
        y = y if weight is None else y * weight.reshape(facing)
        return y if bias is None else y + bias.reshape(facing)
    y, mean, variance = NativeBatchNorm.apply(
        input,
        1.0 if weight is None else weight,
        0.0 if bias is None else bias,
        view=tuple(input.shape),
        dims=(0, *range(2, input.ndim)),
        eps=eps,
        channels=facing,
    )
    count = input.numel() // input.shape[1]
    if running_mean is not None:
        _move(running_mean, mean.detach(), momentum)
    if running_var is not None:
        _move(running_var, variance.detach() * (count / (count - 1)), momentum)
    return y


def _check_channels(input: Tensor, each: dict[str, Tensor | None]) -> None:
    for key, value in each.items():
        if value is not None and value.numel() != input.shape[1]:
            raise ShapeError(
                f"{key} should contain {input.shape[1]} elements not {value.numel()}. Each channel "
                "of dim 1 has its own. Give as many."
            )


def _move(running: Tensor, found: Tensor, momentum: float) -> None:
    """Move a running statistic towards what a batch has."""
    running.mul_(1 - momentum).add_(found.reshape(running.shape) * momentum)


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
        raise ArgumentError(
            f"Expected more than 1 spatial element when training, got input size "
            f"{tuple(input.shape)}. One number has no deviation. Give larger examples."
        )
    if not use_input_stats and (running_mean is None or running_var is None):
        raise ShapeError(
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
    if input.ndim < 3:
        raise ArgumentError(
            f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions). Channels "
            "lie along dim 1, places behind it. Write `x.unsqueeze(-1)`."
        )
    examples, _, *places = input.shape
    before, behind = [
        zeros(examples, n, *places, dtype=input.dtype, device=input.device)
        for n in (size // 2, (size - 1) // 2)
    ]
    squares = cat([before, input * input, behind], 1)
    return input / (squares.unfold(1, size, 1).mean(-1) * alpha + k) ** beta
