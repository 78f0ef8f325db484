"""The usual layers, activations and losses as modules, and `Sequential`: modules in a row."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Self, SupportsIndex

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DimError
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn.init import kaiming_uniform_, uniform_
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.ops.creation import empty


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
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        # U(±√(3/n)·gain) with the gain of a slope of √5, 1/√3, is U(±1/√n): PyTorch's choice.
        kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features else 0.0
            uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Identity(Module):
    """y = x; takes any arguments, so that it can stand in for any layer."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Flatten(Module):
    """Merges neighbouring dims, by default all but the batch.

    Args:
        start_dim, end_dim: the first and the last dim to merge.

    Example:
        >>> Flatten()(zeros(5, 8, 8)).shape
        glassgrad.Size([5, 64])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Sequential(Module):
    """Modules that run one after the other.

    Args:
        *modules: named "0", "1", …; or one dict of names and modules.

    Example:
        >>> Sequential(Linear(2, 3), ReLU())
        Sequential(
          (0): Linear(in_features=2, out_features=3, bias=True)
          (1): ReLU()
        )
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            named = dict(modules[0])
        else:
            named = {str(k): module for k, module in enumerate(modules)}
        for name, module in named.items():
            self.register_module(name, module)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input

    def append(self, module: Module) -> Self:
        """Add one more at the end; returns the row."""
        self.register_module(str(len(self)), module)
        return self

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(dict(list(self._modules.items())[index]))
        return self._modules[self._name_at(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index: int) -> None:
        delattr(self, self._name_at(index))
        if all(name.isdigit() for name in self._modules):  # keep numbered names without a gap
            self._modules = {str(k): module for k, module in enumerate(self)}

    def _name_at(self, index: int) -> str:
        if not -len(self) <= index < len(self):
            raise DimError(
                f"index {index} is out of range for {len(self)} modules. "
                "There is no module there. Write an index below that."
            )
        return list(self._modules)[index]


class ReLU(Module):
    """y = max(x, 0).

    Args:
        inplace: write the result into the input.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return functional.relu(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Tanh(Module):
    """y = tanh x."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.tanh(input)


class Sigmoid(Module):
    """y = 1 / (1 + e⁻ˣ)."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.sigmoid(input)


class Softmax(Module):
    """Positive numbers that add up to 1 along a dim.

    Args:
        dim: along which.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return functional.softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    """The logarithm of `Softmax`, without its rounding to 0.

    Args:
        dim: along which.
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.log_softmax(input, self.dim)


class MSELoss(Module):
    """The mean squared distance.

    Args:
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.mse_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(Module):
    """-log of the probability that softmax gives to the right class.

    Args:
        weight: of each class, shape `(C,)`; None: 1 each.
        ignore_index: a label whose rows do not count.
        reduction: "mean", "sum" or "none".
        label_smoothing: the share of every class in a softened target, from 0 to 1.

    Example:
        >>> CrossEntropyLoss()(tensor([[0.0, 0.0]]), tensor([1]))
        tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        *,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.reduction = reduction
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )
