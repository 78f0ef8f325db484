"""`in_dims` and `out_dims` of vmap: one entry for each tensor, and what is said if they misfit."""

import functools
from collections.abc import Callable
from typing import Any

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.values.tree import describe, flatten, spread

__all__ = [
    "check_out_dims",
    "in_dims_of",
    "name_of",
    "out_dims_of",
    "size_of_batch",
]


def name_of(func: Any) -> str:
    """What a message calls a function."""
    if hasattr(func, "__name__"):
        return str(func.__name__)
    if isinstance(func, functools.partial):
        return f"functools.partial({name_of(func.func)}, ...)"
    return repr(func)


# Arguments ----------------------------------------------------------------------------------------


def in_dims_of(
    in_dims: Any, args: tuple[Any, ...], leaves: list[Any], func: Callable[..., Any]
) -> list[int | None]:
    """Which dim of each leaf of the arguments counts the examples, from the front.

    Raises:
        ArgumentError: if `in_dims` does not fit the arguments.
    """
    call = f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise ArgumentError(
            f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching the "
            f"structure of inputs, got: {type(in_dims)}. The outermost tuple has one entry for "
            "each argument. Write `in_dims=(0, 0)`."
        )
    if not args:
        raise ArgumentError(
            f"vmap({name_of(func)})(<inputs>): got no inputs. What is mapped over is found among "
            "the positional arguments, those passed by keyword are the same for all examples. "
            "Pass a tensor by position."
        )
    found = spread(in_dims, args)
    if found is None:
        raise ArgumentError(
            f"{call}: in_dims is not compatible with the structure of `inputs`. in_dims has "
            f"structure {describe(flatten(in_dims)[1])} but inputs has structure "
            f"{describe(flatten(args)[1])}. Write an entry for each argument, or one int for all."
        )
    return [_in_dim(dim, x, call) for dim, x in zip(found, leaves, strict=True)]


def _in_dim(dim: Any, x: Any, call: str) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ArgumentError(
            f"{call}: Got in_dim={dim} for an input but in_dim must be either an integer dimension "
            "or None. It says which dim counts the examples. Write 0 for the first."
        )
    if not isinstance(x, Tensor):
        raise ArgumentError(
            f"{call}: Got in_dim={dim} for an input but the input is of type {type(x)}. We cannot "
            "vmap over non-Tensor arguments, please use None as the respective in_dim."
        )
    if not -x.ndim <= dim < x.ndim:
        raise ArgumentError(
            f"{call}: Got in_dim={dim} for some input, but that input is a Tensor of "
            f"dimensionality {x.ndim} so expected in_dim to satisfy -{x.ndim} <= in_dim < "
            f"{x.ndim}. Its shape is {list(x.shape)}. Write None if it is the same for all."
        )
    return dim % x.ndim


def size_of_batch(leaves: list[Any], dims: list[int | None]) -> int:
    """How many examples there are.

    Raises:
        ArgumentError: if no leaf says so, or they differ.
    """
    sizes = [x.shape[dim] for x, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ArgumentError(
            "vmap: Expected at least one Tensor to vmap over, and in_dims is None for all. So "
            "nothing says how many examples there are. Call the function itself."
        )
    if any(size != sizes[0] for size in sizes):
        raise ArgumentError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension. Each example takes one entry of each. Use None in "
            "in_dims for what is the same for all."
        )
    return int(sizes[0])


# Results ------------------------------------------------------------------------------------------


def check_out_dims(out_dims: Any, func: Callable[..., Any]) -> None:
    """Raise if `out_dims` holds anything but ints and None."""
    if isinstance(out_dims, int):
        return
    for dim in flatten(out_dims)[0]:
        if dim is not None and not isinstance(dim, int):
            raise ArgumentError(
                f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None "
                "or a python collection of ints representing where in the outputs the vmapped "
                f"dimension should appear. It holds {dim!r}. Write 0 for the first dim."
            )


def out_dims_of(out_dims: Any, outputs: Any, func: Callable[..., Any]) -> list[int | None]:
    """Which dim of each leaf of the results shall count the examples; None: it has none.

    Raises:
        ArgumentError: if `out_dims` does not fit the results.
    """
    found = spread(out_dims, outputs)
    if found is None and isinstance(outputs, Tensor) and isinstance(out_dims, tuple):
        found = list(out_dims) if len(out_dims) == 1 else None  # one result: (0,) means 0
    if found is None:
        raise ArgumentError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not "
            "compatible with the structure of `outputs`. out_dims has structure "
            f"{describe(flatten(out_dims)[1])} but outputs has structure "
            f"{describe(flatten(outputs)[1])}. Write an entry for each result, or one int for all."
        )
    return found
