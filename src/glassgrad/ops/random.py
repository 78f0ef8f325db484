"""Random tensors: uniform, normal, coin flips; `random_integers.py` has the integers.

Numbers are drawn by NumPy on the CPU and then moved, so that a seed gives the same numbers on
every device. They are not the numbers that PyTorch draws for that seed.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.dtypes import DType, as_dtype, get_default_dtype
from glassgrad.values.layers import visible

from ._dims import size_of
from ._drawing import drawn, drawn_leaf
from ._making import checked_size
from .choosing import multinomial
from .generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
    source_of,
)
from .random_integers import randint, randint_like, randperm

__all__ = [
    "Generator",
    "bernoulli",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "multinomial",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "seed",
    "set_rng_state",
]

Draw = Callable[["np.random.Generator", Sequence[int], DType], Any]


# Uniform and normal -------------------------------------------------------------------------------


def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from the uniform distribution on [0, 1).

    Args:
        size: the shape, as numbers or as one sequence.
        generator: where the numbers come from; None: the default generator.
        dtype: float or complex; None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        A leaf.

    Raises:
        DTypeError: for a dtype without fractions.
        ShapeError: for a negative size.

    Example:
        >>> x = rand(2, 3)
        >>> x.shape, (x >= 0).all(), (x < 1).all()
        (glassgrad.Size([2, 3]), tensor(True), tensor(True))
    """
    shape = checked_size("rand", size_of(size, "rand"))
    return _drawn("rand", _uniform, shape, generator, dtype, device, requires_grad)


def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from the normal distribution of mean 0 and variance 1; see `rand`.

    Example:
        >>> randn(2, 3).shape
        glassgrad.Size([2, 3])
    """
    shape = checked_size("randn", size_of(size, "randn"))
    return _drawn("randn", _normal, shape, generator, dtype, device, requires_grad)


def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`rand` in the shape, the dtype and on the device of `input`.

    Example:
        >>> rand_like(tensor([1.0, 2.0])).shape
        glassgrad.Size([2])
    """
    return _drawn(
        "rand",
        _uniform,
        input.shape,
        generator,
        dtype or input.dtype,
        device or input.device,
        requires_grad,
    )


def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`randn` in the shape, the dtype and on the device of `input`.

    Example:
        >>> randn_like(tensor([1.0, 2.0])).shape
        glassgrad.Size([2])
    """
    return _drawn(
        "randn",
        _normal,
        input.shape,
        generator,
        dtype or input.dtype,
        device or input.device,
        requires_grad,
    )


def _drawn(
    name: str,
    draw: Draw,
    shape: Sequence[int],
    generator: Generator | None,
    dtype: Any,
    device: Any,
    requires_grad: bool,
) -> Tensor:
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    if wanted.kind not in "fc":
        raise DTypeError(
            f"{name}() is not implemented for {wanted}. It draws fractions. Write `randint(…)`, or "
            "convert the result."
        )
    source = source_of(generator)
    return drawn_leaf(lambda size: draw(source, size, wanted), shape, device, requires_grad)


def _uniform(source: "np.random.Generator", shape: Sequence[int], dtype: DType) -> Any:
    if dtype.kind == "c":
        parts = _uniform(source, (*shape, 2), np.zeros(0, dtype).real.dtype)
        return parts[..., 0] + parts[..., 1] * dtype.type(1j)
    if dtype.itemsize > 2:  # bytes: float32 and float64 are drawn as they are
        return source.random(shape, dtype.type)
    steps = 2**11  # that many float16 numbers in [0, 1) are equally far apart
    return (source.integers(0, steps, shape) / steps).astype(dtype)


def _normal(source: "np.random.Generator", shape: Sequence[int], dtype: DType) -> Any:
    if dtype.kind == "c":  # of variance 1: each part has a half
        parts = _normal(source, (*shape, 2), np.zeros(0, dtype).real.dtype)
        return ((parts[..., 0] + parts[..., 1] * 1j) / np.sqrt(2)).astype(dtype)
    drawn: Any = np.float64 if dtype == np.float64 else np.float32
    return np.asarray(source.standard_normal(shape, drawn)).astype(dtype, copy=False)


def normal(
    mean: Tensor | float,
    std: Tensor | float = 1.0,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from normal distributions.

    Args:
        mean, std: tensors of shapes that broadcast to `S`, or numbers. The result does not depend
            on them in autograd's eyes: write `mean + std * randn(S)` for gradients.
        size: `S`, if both are numbers.
        generator: where the numbers come from; None: the default generator.
        dtype, device, requires_grad: as `tensor`, if both are numbers.

    Returns:
        Tensor of shape `S`.

    Raises:
        ShapeError: for a negative `std`, or shapes that do not broadcast.
        ArgumentTypeError: for two numbers without a size.
        DTypeError: for integer tensors.

    Example:
        >>> normal(0.0, 1.0, (2, 3)).shape
        glassgrad.Size([2, 3])
        >>> normal(tensor([5.0, 7.0]), 0.0)
        tensor([5., 7.])
    """
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        return _normal_around(mean, std, generator)
    if size is None:
        raise ArgumentTypeError(
            "normal() received an invalid combination of arguments: two numbers do not say how "
            "many to draw. Write `normal(mean, std, size)`."
        )
    _check_std(std)
    shape = checked_size("normal", size_of((tuple(size),), "normal"))
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    source = source_of(generator)

    def draw(size: Sequence[int]) -> Any:
        return (mean + std * _normal(source, size, wanted)).astype(wanted)

    return drawn_leaf(draw, shape, device, requires_grad)


def _normal_around(
    mean: Tensor | float, std: Tensor | float, generator: Generator | None
) -> Tensor:
    """`normal` for tensors, or a tensor and a number."""
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    if any(x.dtype.kind not in "fc" for x in tensors):
        raise DTypeError(
            f"normal() is not implemented for {', '.join(str(x.dtype) for x in tensors)}. It draws "
            "fractions. Write `mean.float()`."
        )
    _check_std(visible(std.payload) if isinstance(std, Tensor) else std)
    centre, spread = [x.detach() if isinstance(x, Tensor) else x for x in (mean, std)]
    try:
        shape = np.broadcast_shapes(np.shape(centre), np.shape(spread))
    except ValueError as error:
        raise ShapeError(
            f"the shapes of mean and std, {np.shape(centre)} and {np.shape(spread)}, do not "
            "broadcast: The size of tensor a must match the size of tensor b."
        ) from error
    first, source = tensors[0], source_of(generator)

    def draw(size: Sequence[int]) -> Any:
        return _normal(source, size, first.dtype)

    standard = drawn(draw, shape, first.device, (mean, std))
    return (centre + spread * standard).to(first.dtype).detach()


def _check_std(std: Any) -> None:
    if std is not None and np.any(np.asarray(std) < 0):
        what = "std" if np.ndim(std) == 0 else "all elements of std"
        raise ShapeError(
            f"normal expects {what} >= 0.0, but found std {np.min(std)}. It is a distance. "
            "Write `std.abs()`."
        )


# Coin flips ---------------------------------------------------------------------------------------


def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None
) -> Tensor:
    """1 with the given probability, else 0, element by element.

    Args:
        input: tensor of shape `S`: the probabilities, unless `p` says one for all. The result does
            not depend on it in autograd's eyes.
        p: a probability.
        generator: where the numbers come from; None: the default generator.

    Returns:
        Tensor of shape `S` and the same dtype.

    Raises:
        ArgumentTypeError: if `input` is no tensor.
        ShapeError: for a probability outside of [0, 1].
        DTypeError: for integer probabilities.

    Example:
        >>> bernoulli(tensor([0.0, 1.0]))
        tensor([0., 1.])
    """
    if not isinstance(input, Tensor):
        raise ArgumentTypeError(
            f"bernoulli(): argument 'input' (position 1) must be Tensor, not "
            f"{type(input).__name__}. It holds the probabilities. Write `full(size, p)`."
        )
    if p is None and input.dtype.kind != "f":
        raise DTypeError(
            f"bernoulli() is not implemented for {input.dtype}. Probabilities have fractions. "
            "Write `input.float()`."
        )
    likely = visible(input.payload) if p is None else np.asarray(p)
    if likely is not None and not np.all((likely >= 0) & (likely <= 1)):
        what = "all p_in >= 0 && p_in <= 1" if p is None else f"p to be in [0, 1], but got p={p}"
        raise ShapeError(
            f"bernoulli expects {what}. A probability lies between 0 and 1. Write "
            "`input.clamp(0, 1)`."
        )
    source = source_of(generator)
    uniform = drawn(source.random, tuple(input.shape), input.device, (input,))
    return (uniform < (input if p is None else p)).to(input.dtype)
