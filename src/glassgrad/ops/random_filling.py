"""Filling a tensor with random numbers: `normal_`, `uniform_`, `random_`, `bernoulli_`.
What was there before plays no part, so its gradient is 0.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DTypeError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy, backend_of
from glassgrad.values.layers import visible

from ._arguments import scalar_name
from ._declaring import method
from ._families import in_front
from ._writing import in_place
from .generator import Generator, source_of
from .random import check_filling, check_range, refuse_randomness


class _Drawn(Primitive):
    """Numbers that know nothing of what was there before."""

    promotes = None

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad)

    @staticmethod
    def jvp(ctx, dx):
        return np.zeros_like(dx)

    @classmethod
    def vmap(cls, info, in_dims, x, *, draw):
        """For all examples at once, or for one of them that stands for all."""
        if info.randomness == "same":
            return cls.apply(x[:1], draw=draw).expand(x.shape)
        return cls.apply(x, draw=draw)


class Normal(_Drawn):
    """y ~ normal(mean, std)        x̄ = 0"""

    @staticmethod
    def forward(x, *, draw):
        return draw(x)


@method()
def normal_(
    input: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None
) -> Tensor:
    """Fill `input` from a normal distribution.

    Args:
        input: floating-point tensor, written in place.
        mean, std: of the distribution.
        generator: where the numbers come from; None: the default generator.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        DTypeError: for integers.
        ShapeError: for a negative `std`.

    Example:
        >>> normal_(tensor([0.0, 0.0]), 5.0, 0.0)
        tensor([5., 5.])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.normal_.html
    """
    _check_floats("normal_kernel_cpu", input)
    if std < 0:
        raise ShapeError(
            f"normal expects std >= 0.0, but found std {std}. It is a distance from the mean. "
            "Write abs(std)."
        )
    source = source_of(generator)
    return _fill("normal", Normal, input, lambda shape: source.normal(mean, std, shape))


class Uniform(_Drawn):
    """y ~ uniform(a, b)        x̄ = 0"""

    @staticmethod
    def forward(x, *, draw):
        return draw(x)


@method()
def uniform_(
    input: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None
) -> Tensor:
    """Fill `input` with numbers from `from_` up to `to`, all equally likely; see `normal_`.

    Raises:
        ShapeError: if `from_` is above `to`.

    Example:
        >>> uniform_(tensor([0.0, 0.0]), 3.0, 3.0)
        tensor([3., 3.])
    """
    _check_floats("check_uniform_bounds", input)
    if from_ > to:
        raise ShapeError(
            "uniform_ expects to return a [from, to) range, but found "
            f"from={from_} > to={to}. Swap them."
        )
    source = source_of(generator)
    return _fill("uniform", Uniform, input, lambda shape: source.uniform(from_, to, shape))


def _check_floats(kernel: str, input: Tensor) -> None:
    if input.dtype.kind != "f":
        raise DTypeError(
            f'"{kernel}" not implemented for {scalar_name(input.dtype)!r}. It draws fractions. '
            "Write `x.float()`, or random_() for integers."
        )


class RandomFrom(_Drawn):
    """y ~ randint(a, b)        x̄ = 0"""

    node = "RandomBackward0"

    @staticmethod
    def forward(x, *, draw):
        return draw(x)


class RandomTo(_Drawn):
    """y ~ randint(0, b)        x̄ = 0"""

    node = "RandomBackward1"

    @staticmethod
    def forward(x, *, draw):
        return draw(x)


class Random(_Drawn):
    """y ~ randint(0, ∞)        x̄ = 0"""

    node = "RandomBackward2"

    @staticmethod
    def forward(x, *, draw):
        return draw(x)


@method()
def random_(
    input: Tensor,
    from_: int | None = None,
    to: int | None = None,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Fill `input` with integers, all equally likely; see `normal_`.

    Args:
        from_, to: the first one, and the one behind the last. One number alone is `to`; without
            any, all that the dtype holds from 0 up (floats: without gaps).

    Raises:
        ShapeError: if there is no integer in between, or the dtype does not hold them.

    Example:
        >>> random_(tensor([0, 0]), 4, 5)
        tensor([4, 4])
    """
    op: type[Primitive] = RandomFrom
    if from_ is None:
        op, from_, to = Random, 0, _largest(input.dtype) + 1
    elif to is None:
        op, from_, to = RandomTo, 0, from_
    low, end = from_, to
    assert end is not None, "set above"
    check_range(low, end, input.dtype)
    source = source_of(generator)

    def draw(shape: tuple[int, ...]) -> Any:
        return source.integers(low, end - 1, shape, endpoint=True)

    return _fill("random", op, input, draw)


def _largest(dtype: Any) -> int:
    if dtype.kind == "f":
        return int(2 ** (np.finfo(dtype).nmant + 1))
    return 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


class Bernoulli(_Drawn):
    """y ~ bernoulli p        x̄ = 0"""

    node = "BernoulliBackward2"

    @staticmethod
    def forward(x, *, draw):
        return draw(x)


class BernoulliEach(Primitive):
    """z ~ bernoulli p        x̄ = 0,  p̄ = 0"""

    node = "BernoulliBackward1"
    promotes = None
    broadcasts = True

    @staticmethod
    def forward(x, p, *, source):
        flips = source.random(x.shape) < asnumpy(p)
        return backend_of(x).asarray(flips, x.dtype)

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad), np.zeros_like(grad)

    @staticmethod
    def jvp(ctx, dx, dp):
        return np.zeros_like(ctx.operands[0])

    @classmethod
    def vmap(cls, info, in_dims, x, p, *, source):
        """For all examples at once; the same numbers for all only if all have the same p."""
        refuse_randomness(info, by_example=in_dims[1] is not None)
        if in_dims[1] is not None:
            p = in_front(p, x.ndim - 1)
        if info.randomness == "same":
            return cls.apply(x[:1], p, source=source).expand(x.shape)
        return cls.apply(x, p, source=source)


@method()
def bernoulli_(
    input: Tensor, p: float | Tensor = 0.5, *, generator: Generator | None = None
) -> Tensor:
    """Fill `input` with ones and zeros; see `normal_`.

    Args:
        p: how likely a one is; a number, or a tensor that broadcasts to the shape of `input`.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.

    Example:
        >>> bernoulli_(tensor([0.5, 0.5]), 1.0)
        tensor([1., 1.])
    """
    likely = visible(p.payload) if isinstance(p, Tensor) else p
    if likely is not None and not np.all((likely >= 0) & (likely <= 1)):
        raise ArgumentError(
            f"bernoulli_ expects p to be in [0, 1], but got p={p}. It is a probability. Write a "
            "number from 0 to 1."
        )
    source = source_of(generator)
    if isinstance(p, Tensor):
        check_filling(input)
        return in_place(
            "bernoulli",
            input,
            lambda x: BernoulliEach.apply(x, p, source=source),
            [p],
            copies=False,
        )
    return _fill("bernoulli", Bernoulli, input, lambda shape: source.random(shape) < p)


def _fill(
    name: str, op: type[Primitive], input: Tensor, draw: Callable[[tuple[int, ...]], Any]
) -> Tensor:
    check_filling(input)
    return in_place(name, input, lambda x: op.apply(x, draw=_drawer(draw)), copies=False)


def _drawer(draw: Callable[[tuple[int, ...]], Any]) -> Callable[[Any], Any]:
    """What gives an array like another one, filled with numbers drawn on the CPU."""
    return lambda array: backend_of(array).asarray(draw(array.shape), array.dtype)
