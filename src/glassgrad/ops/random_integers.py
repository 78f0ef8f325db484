"""Random integers and permutations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.dtypes import DType, as_dtype, int64

from ._dims import size_of
from ._drawing import drawn_leaf
from ._making import checked_size
from .generator import Generator, source_of

__all__ = ["randint", "randint_like", "randperm"]


def randint(
    low: Any = 0,
    high: Any = None,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: Any = int64,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Integers from `low` to `high - 1`, equally likely.

    Args:
        low: the smallest; may be left out: `randint(high, size)`.
        high: one more than the largest.
        size: the shape.
        generator: where the numbers come from; None: the default generator.
        dtype, device, requires_grad: as `tensor`.

    Returns:
        A leaf.

    Raises:
        ShapeError: if there is no integer in between, or the dtype does not reach that far.
        ArgumentTypeError: for fractions, or no size.

    Example:
        >>> x = randint(3, (2, 4))
        >>> x.shape, x.dtype
        (glassgrad.Size([2, 4]), dtype('int64'))
    """
    if isinstance(high, (tuple, list)) and size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if not isinstance(size, (tuple, list)):
        raise ArgumentTypeError(
            "randint(): argument 'size' must be tuple of ints, not "
            f"{type(size).__name__}. Write `randint(high, (n,))`."
        )
    first, end = size_of((low, high), "randint", argument="high")
    wanted = as_dtype(dtype)
    check_range(first, end, wanted)
    shape = checked_size("randint", size_of((tuple(size),), "randint"))
    source = source_of(generator)

    def draw(size: Sequence[int]) -> Any:
        return source.integers(first, end, size).astype(wanted)

    return drawn_leaf(draw, shape, device, requires_grad)


def check_range(low: int, high: int, dtype: DType) -> None:
    if low >= high:
        raise ShapeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}. There "
            f"is no integer in between. Write a `high` above {low}."
        )
    if dtype.kind == "b":
        lowest, highest = 0, 1
    elif dtype.kind in "iu":
        lowest, highest = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    else:
        return
    if low < lowest or high - 1 > highest:
        end = "from" if low < lowest else "to - 1"
        raise ShapeError(
            f"{end} is out of bounds for {dtype}: from {low} to {high - 1}. The dtype reaches from "
            f"{lowest} to {highest}. Choose a larger one."
        )


def randint_like(
    input: Tensor,
    low: Any,
    high: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`randint` in the shape, the dtype and on the device of `input`.

    Example:
        >>> randint_like(tensor([1.0, 2.0]), 1)
        tensor([0., 0.])
    """
    return randint(
        low,
        high,
        tuple(input.shape),
        generator=generator,
        dtype=dtype or input.dtype,
        device=device or input.device,
        requires_grad=requires_grad,
    )


def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: Any = int64,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """The integers from 0 to `n - 1` in random order.

    Args:
        n: how many.
        generator: where the order comes from; None: the default generator.
        dtype, device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(n,)`.

    Raises:
        ShapeError: for a negative `n`, or one that the dtype does not reach.

    Example:
        >>> sorted(randperm(4).tolist())
        [0, 1, 2, 3]
    """
    (count,) = checked_size("randperm", size_of((n,), "randperm", argument="n"))
    wanted = as_dtype(dtype)
    if wanted.kind in "iu" and count - 1 > np.iinfo(wanted).max:
        raise ShapeError(
            f"value cannot be converted to type {wanted} without overflow: {count - 1}. Choose a "
            "larger dtype."
        )
    source = source_of(generator)

    def draw(size: Sequence[int]) -> Any:
        if len(size) == 1:
            return source.permutation(count).astype(wanted)
        return source.permuted(np.broadcast_to(np.arange(count), size), axis=-1).astype(wanted)

    return drawn_leaf(draw, (count,), device, requires_grad)
