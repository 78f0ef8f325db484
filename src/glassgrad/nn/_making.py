"""What layers are made with: parameters of given shapes, and a number for each dim."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from glassgrad import ops
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.nn.init import kaiming_uniform_, uniform_
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter

Ints = int | Sequence[int]


def each_dim(numbers: Ints, rank: int = 1) -> tuple[int, ...]:
    """A number for each dim, if one was given for all."""
    return tuple(numbers) if isinstance(numbers, Iterable) else (numbers,) * rank


def check_rank(module: Module, input: Tensor, ranks: Sequence[int]) -> None:
    """Raise ArgumentError for an input of so many dims as the class is not for."""
    if input.ndim not in ranks:
        wanted = " or ".join([f"{rank}D" for rank in ranks])
        raise ArgumentError(
            f"expected {wanted} input (got {input.ndim}D input). {type(module).__name__} is for "
            "examples of one kind. Take the class for yours, or reshape."
        )


def add_parameters(module: Module, device: Any, dtype: Any, **shapes: Sequence[int] | None) -> None:
    """Give a module parameters of these shapes, not yet filled; None for what is left out."""
    for name, shape in shapes.items():
        blank = None if shape is None else Parameter(ops.empty(*shape, device=device, dtype=dtype))
        module.register_parameter(name, blank)


def draw_weight_and_bias(module: Any) -> None:
    """Draw both from U(±1/√n), n the number of inputs that an output has."""
    # U(±√(3/n)·gain) with the gain of a slope of √5, 1/√3, is U(±1/√n): PyTorch's choice.
    kaiming_uniform_(module.weight, a=math.sqrt(5))
    n = math.prod(module.weight.shape[1:])
    if module.bias is not None:
        bound = 1 / math.sqrt(n) if n else 0.0
        uniform_(module.bias, -bound, bound)


def listed(module: Module, *names: str) -> str:
    """Attributes as a repr has them: `eps=1e-05`; of the bias whether there is one."""
    values = {name: getattr(module, name) for name in names}
    if "bias" in values:
        values["bias"] = values["bias"] is not None
    return ", ".join([f"{name}={value}" for name, value in values.items()])


def unusual(module: Module, **usual: Any) -> list[str]:
    """The attributes that are not as usual, for a repr."""
    return [
        f"{name}={getattr(module, name)}"
        for name, value in usual.items()
        if getattr(module, name) != value
    ]
