"""The usual layers: linear maps, nonlinearities that learn, and what changes shapes alone."""

import math
from typing import Any, ClassVar, SupportsIndex

from glassgrad import ops
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn._making import add_parameters, draw_weight_and_bias, listed
from glassgrad.nn.applied import Applied
from glassgrad.nn.init import constant_, uniform_
from glassgrad.nn.lazy import LazyModuleMixin
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.ops import _checks as check


class Linear(Module):
    """y = x Wᵀ + b.

    Args:
        in_features: n, the size of the last dim of x.
        out_features: m, the size of the last dim of y.
        bias: whether to add b.
        device, dtype: of the parameters.

    Attributes:
        weight: W, shape `(m, n)`, drawn from U(-1/√n, 1/√n).
        bias: b, shape `(m,)`, drawn from the same; None without bias.

    Raises:
        ArgumentError, ArgumentTypeError: for a negative size, or one that is no int.

    Example:
        >>> Linear(3, 2)(ones(5, 3)).shape
        glassgrad.Size([5, 2])
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes: tuple[object, ...] = (in_features, out_features)
        if not all(isinstance(size, SupportsIndex) for size in sizes):
            raise ArgumentTypeError(
                f"a Linear of {in_features!r} inputs and {out_features!r} outputs cannot be made. "
                "They are the sizes of its weight. Write ints: `Linear(3, 2)`."
            )
        if in_features < 0 or out_features < 0:
            raise ArgumentError(
                f"a Linear of {in_features} inputs and {out_features} outputs cannot be made. "
                "They are the sizes of its weight. Write numbers from 0 up."
            )
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        shape = (out_features, in_features)
        add_parameters(self, device, dtype, weight=shape, bias=shape[:1] if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        draw_weight_and_bias(self)

    def forward(self, input: Tensor) -> Tensor:
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return listed(self, "in_features", "out_features", "bias")


class LazyLinear(LazyModuleMixin, Linear, channels_at=-1):
    """A `Linear` whose `in_features` are the size of the last dim of the first input.

    Example:
        >>> layer = LazyLinear(2)
        >>> layer(ones(5, 3)).shape
        glassgrad.Size([5, 2])
        >>> layer
        Linear(in_features=3, out_features=2, bias=True)
    """


class Bilinear(Module):
    """y = x₁ W x₂ + b, with a matrix for each output.

    Args:
        in1_features, in2_features: n₁ and n₂, the sizes of the last dims.
        out_features: m, the size of the last dim of y.
        bias: whether to add b.
        device, dtype: of the parameters.

    Attributes:
        weight: W, shape `(m, n₁, n₂)`, drawn from U(-1/√n₁, 1/√n₁).
        bias: b, shape `(m,)`, drawn from the same; None without bias.

    Raises:
        ArgumentError: for a size below 1.
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        said = "in1_features must be > 0, but got (in1_features={})"
        why = "It is the size of an input. Write a positive number."
        check.least(said, in1_features, 1, why, ArgumentError)
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        add_parameters(self, device, dtype, weight=shape, bias=shape[:1] if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        bound = 1 / math.sqrt(self.in1_features)
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return functional.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return listed(self, "in1_features", "in2_features", "out_features", "bias")


class Softmax2d(Module):
    """`Softmax` over the channels of images, of shape `(N, C, H, W)` or `(C, H, W)`."""

    def forward(self, input: Tensor) -> Tensor:
        said = "Softmax2d: expected input to be 3D or 4D, got {ndim}D instead"
        why = "Channels lie in front of rows and columns. Write `Softmax(dim)` for other shapes."
        check.ndim(said, input, (3, 4), why, ArgumentError)
        return functional.softmax(input, -3)


class PReLU(Module):
    """`LeakyReLU` with a learned slope.

    Args:
        num_parameters: 1, or as many as there are channels.
        init: the slope at the beginning.
        device, dtype: of the slopes.

    Attributes:
        weight: the slopes, shape `(num_parameters,)`.
    """

    weight: Parameter

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        add_parameters(self, device, dtype, weight=(num_parameters,))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return listed(self, "num_parameters")


class Identity(Module):
    """y = x; takes any arguments, so that it can stand in for any layer."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Flatten(Applied, of="flatten", start_dim=1):
    """Merges neighbouring dims, by default all but the batch.

    Args:
        start_dim, end_dim: the first and the last dim to merge.

    Example:
        >>> Flatten()(zeros(5, 8, 8)).shape
        glassgrad.Size([5, 64])
    """

    _home: ClassVar[Any] = ops


class Unflatten(Module):
    """Splits a dim into several, as `Flatten` merged them.

    Args:
        dim: which.
        unflattened_size: the sizes of its parts.

    Example:
        >>> Unflatten(1, (8, 8))(zeros(5, 64)).shape
        glassgrad.Size([5, 8, 8])
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, tuple | list) or not all(
            isinstance(size, SupportsIndex) for size in unflattened_size
        ):
            raise ArgumentTypeError(
                f"unflattened_size must be a tuple of ints, but found {unflattened_size!r}. "
                "They are the sizes of the parts. Write `(8, 8)`."
            )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return listed(self, "dim", "unflattened_size")
