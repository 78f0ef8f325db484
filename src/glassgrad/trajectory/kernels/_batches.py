"""Under `vmap`, the examples of a batched call are a part of the batch of trajectories."""

from typing import Any

from glassgrad.autograd import Function
from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import arange
from glassgrad.ops.joining import stack
from glassgrad.ops.selection import where

__all__ = ["folded", "one_by_one", "rows_of_all", "unfolded"]


def folded(x: Tensor, dim: int | None, count: int) -> Tensor:
    """`x` of shape `(B, …)`, of `count` examples: `(count·B, …)`."""
    x = x.expand(count, *x.shape) if dim is None else x.movedim(dim, 0)
    return x.reshape(count * x.shape[1], *x.shape[2:])


def rows_of_all(index: Any, dim: int | None, size: tuple[int, int], rows: int) -> Any:
    """`start_idx` of all examples, whose starts lie one behind the other, `rows` of each.

    Args:
        size: how many examples there are, and how many trajectories in each.
    """
    if not isinstance(index, Tensor):
        return index  # the checks say what is wrong with it
    count = size[0]
    index = index.expand(count, *index.shape) if dim is None else index.movedim(dim, 0)
    if index.payload.dtype.kind not in "iu" or index.shape not in (size, (*size, 1)):
        return index  # and with this
    index = index.flatten(1).long()
    first = arange(count, dtype=index.dtype, device=index.device).unsqueeze(1) * rows
    last = (count - 1) * rows  # what is beyond the rows of one example stays beyond those of all
    return where(index < 0, index, where(index < rows, index + first, index + last)).flatten()


def unfolded(out: Any, count: int) -> Any:
    """The results of `count` examples, and where these are counted."""
    if isinstance(out, Tensor):
        return out.reshape(count, out.shape[0] // max(count, 1), *out.shape[1:]), 0
    return tuple([unfolded(x, count)[0] for x in out]), (0,) * len(out)


def one_by_one(cls: type[Function], count: int, in_dims: Any, args: tuple[Any, ...]) -> Any:
    """A call for each example, and where these are counted in what is stacked."""
    found = []
    for at in range(count):
        pairs = zip(args, in_dims, strict=True)
        found.append(cls.apply(*[x if dim is None else x.select(dim, at) for x, dim in pairs]))
    if isinstance(found[0], Tensor):
        return stack(found), 0
    return tuple([stack(list(parts)) for parts in zip(*found, strict=True)]), (0,) * len(found[0])
